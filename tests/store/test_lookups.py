"""What was asked, both ways round, against plain sets."""

from __future__ import annotations

from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from oracl_git.store import database
from oracl_git.store.lookups import LookupTable

KEYS = st.sampled_from((0, 1, 0xFFFF, 0x10000, 0x1FFFF, 0x7FFFFFFF, 0x80000000, 0xFFFF0000, 0xFFFFFFFE, 0xFFFFFFFF))
NODES = st.integers(1, 4) | st.just(0xFFFFFFFF)


@settings(deadline=None)  # a busy machine takes its time
@given(st.lists(st.dictionaries(NODES, st.sets(KEYS), max_size=5), max_size=5))
def test_nodes_of_a_key_are_those_that_asked_it_last(updates: list[dict[int, set[int]]]) -> None:
    db = database.connect_memory("index")
    model: dict[int, set[int]] = {}
    for update in updates:
        table = LookupTable(db)
        for node, keys in update.items():
            table.record(node, keys)
        for key in {key for keys in model.values() for key in keys}:  # until it is finished, nothing has changed
            assert set(table.nodes(key)) == {node for node, keys in model.items() if key in keys}
        table.finish()
        model |= update
        for key in (0, 5, 0xFFFF, 0x10000, 0x1FFFF, 0x7FFFFFFF, 0x80000000, 0xFFFF0000, 0xFFFFFFFE, 0xFFFFFFFF):
            assert list(LookupTable(db).nodes(key)) == sorted(node for node, keys in model.items() if key in keys)
    asked = {node: set(array("I", keys)) for node, keys in db.execute("SELECT source, keys FROM asked")}
    assert asked == {node: keys for node, keys in model.items() if keys}
    stored = [pair for _, pairs in db.execute("SELECT * FROM lookup ORDER BY bucket") for pair in array("Q", pairs)]
    assert stored == sorted(key << 32 | node for node, keys in model.items() for key in keys)
    db.close()
