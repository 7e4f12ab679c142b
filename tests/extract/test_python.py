"""Python: what is found, where, and what is left alone."""

from __future__ import annotations

import pytest

from oracl_git.extract.extractor import extract
from oracl_git.extract.facts import Facts

CODE = b'''\
#!/usr/bin/env python
"""See docs/guide.md and :class:`~pkg.core.Thing`."""
from __future__ import annotations
import os, os.path as osp
import pkg.deep.mod
from . import sibling
from ..up.mod import (
    a as b,  # read conf/app.toml
    c,
)
from .everything import *

LIMIT: int = 3
x, _y = 1, "data/table.csv"

try:
    import tomllib
except ImportError:
    import tomli as tomllib

if LIMIT:
    def conditional():
        return osp.join("a", "b")

# leads up to Base
@decorate
class Base(sibling.Thing):
    """Documented."""

    field = LIMIT

    def method(self, LIMIT=LIMIT):
        """Documented too."""
        def local():
            return b
        return local

    async def _private(self):
        from lazy.mod import thing
        return thing, self.c

    class Inner:
        def deep(self): return x


def function():
    return importlib.import_module("dyn.mod"), Base, conditional(x=1)


if __name__ == "__main__":
    function()
'''


@pytest.fixture(scope="module")
def facts() -> Facts:
    return extract(CODE, "python")


def test_definitions(facts: Facts) -> None:
    assert [(d.name, d.kind, d.start, d.end, d.public, d.documented) for d in facts.definitions] == [
        ("LIMIT", "constant", 13, 13, True, False),
        ("_y", "constant", 14, 14, False, False),
        ("x", "constant", 14, 14, True, False),
        ("conditional", "function", 22, 23, True, False),
        ("Base", "class", 26, 43, True, True),
        ("Base.method", "method", 32, 36, True, True),
        ("Base._private", "method", 38, 40, False, False),
        ("Base.Inner", "class", 42, 43, True, False),
        ("Base.Inner.deep", "method", 43, 43, True, False),
        ("function", "function", 46, 47, True, False),
    ]
    assert (facts.public, facts.documented, facts.error, facts.skip) == (6, 2, "", "")


def test_references(facts: Facts) -> None:
    assert [tuple(r) for r in facts.references] == [
        ("mention", "docs/guide.md", "", 2, 2),
        ("symbol", "pkg.core.Thing", "", 2, 2),
        ("import", "os", "", 4, 4),
        ("import", "os.path", "", 4, 4),
        ("import", "pkg.deep.mod", "", 5, 5),
        ("import", ".", "sibling", 6, 6),
        ("import", "..up.mod", "a", 7, 10),
        ("import", "..up.mod", "c", 7, 10),
        ("comment", "conf/app.toml", "", 8, 8),
        ("import", ".everything", "*", 11, 11),
        ("mention", "data/table.csv", "", 14, 14),
        ("import", "tomllib", "", 17, 17),
        ("import", "tomli", "", 19, 19),
        ("import", "lazy.mod", "thing", 39, 39),
        ("import", "dyn.mod", "", 47, 47),
    ]


def test_exports(facts: Facts) -> None:
    assert facts.exports == (
        ("os", "os", ""),
        ("osp", "os.path", ""),
        ("pkg", "pkg", ""),
        ("sibling", ".", "sibling"),
        ("b", "..up.mod", "a"),
        ("c", "..up.mod", "c"),
        ("*", ".everything", "*"),
        ("tomllib", "tomllib", ""),
        ("tomllib", "tomli", ""),
    )


def test_tags_and_entry_point(facts: Facts) -> None:
    assert facts.tags == (("shape", "mixed"), ("async", "yes"), ("script", "yes"))
    assert facts.entry_point
    assert extract(b"X = 1\n", "python").tags == (("shape", "data"),)
    assert extract(b"def f(): pass\n", "python").tags == (("shape", "functions"),)
    assert extract(b"class C: pass\n", "python").tags == (("shape", "classes"),)


RISKS = [
    (b"import subprocess\nsubprocess.run(['x'])\n", ("process_spawn", 1)),
    (b"os.system('x')\nos.path.join('a')\n", ("process_spawn", 1)),
    (b"eval(x)\nmodel.eval()\nre.compile('x')\ndef exec(): pass\n", ("dynamic_eval", 1)),
    (b"pickle.loads(b)\nyaml.load(f)\nyaml.safe_load(f)\njson.loads(s)\n", ("unsafe_deserialisation", 2)),
    (b"cur.execute(f'select {x}')\ncur.execute('select 1')\n# c.execute(f'')\n", ("raw_sql", 1)),
    (b"cur.execute('select %s' % x)\ncur.execute(\n  'a' + b)\n", ("raw_sql", 2)),
    (b"import hashlib, ssl\n", ("cryptography", 2)),
    (b"import socket\ns.bind(('', 1))\ns.listen()\n", ("network_listener", 2)),
    (b"HTTPServer(('', 1), H).serve_forever()\nclass HTTPServer(Base): pass\n", ("network_listener", 2)),
    (b"API_KEY = 'abc'\npassword = input()\ntoken = ''\nx: str\nSECRET: str = 'x'\n", ("credential_constant", 2)),
]


@pytest.mark.parametrize(("code", "expected"), RISKS)
def test_risk(code: bytes, expected: tuple[str, int]) -> None:
    assert expected in extract(code, "python").risk


def test_risk_words_in_strings_are_no_risk() -> None:
    assert extract(b'"""eval(x) os.system(y)"""\n# exec(z)\n', "python").risk == ()


def test_syntax_error_is_reported_and_the_rest_read() -> None:
    facts = extract(b"import a\ndef f(:\n  pass\n\nclass C:\n    def m(self): pass\n", "python")
    assert facts.error == "syntax"
    assert ("import", "a", "", 1, 1) in facts.references
    assert "C.m" in {d.name for d in facts.definitions}


def test_names_need_not_be_ascii() -> None:
    facts = extract("größe = 1\ndef naïve():\n    return größe\n".encode(), "python")
    assert [d.name for d in facts.definitions] == ["größe", "naïve"]


def test_overloads_count_once() -> None:
    facts = extract(b"@overload\ndef f(a): ...\n@overload\ndef f(b): ...\ndef f(c):\n    'doc'\n", "python")
    assert (len(facts.definitions), facts.public, facts.documented) == (3, 1, 1)


def test_imports_under_type_checking_are_exports() -> None:
    facts = extract(b"if TYPE_CHECKING:\n    from .a import B\n", "python")
    assert facts.exports == (("B", ".a", "B"),)
    assert facts.references == (("import", ".a", "B", 2, 2),)


def test_interpolated_strings() -> None:
    facts = extract(b"import os\ndef f(): return f'{os.sep} docs/{x}/a.md docs/b.md'\n", "python")
    assert [r.target for r in facts.references if r.kind == "mention"] == ["docs/b.md"]


def test_an_empty_module_is_no_placeholder() -> None:
    assert not extract(b"", "python").placeholder
    assert extract(b"", "python").chunks == ()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"(\n" * 100_000, "too deep"),
        (b"x = " + b"[\n" * 100_000 + b"]\n" * 100_000, "too deep"),
        (b"\\\n" * 100_000, "too deep"),
        (b"x = (" + b"a +\n" * 100_000 + b"a)", ""),
        (b"x = (" + b"not\n" * 100_000 + b"a)", "too broken"),
        (b"a =\n" * 200_000, ""),
        (b"*\n" * 100_000, "too broken"),
        (b"<!--\n" * 100_000, "too broken"),
        (b".. a::\n" * 140_000, "too broken"),
        (b"x = 1\n" * 20_000 + b".. a::\n" * 120_000, "too broken"),
    ],
)
def test_deep_and_broken_text_is_bounded(text: bytes, error: str) -> None:
    facts = extract(text, "python")
    assert (facts.error, facts.skip) == (error, "")
    assert facts.chunks[-1].end == facts.lines


def test_text_fallback_still_finds_names() -> None:
    facts = extract(b"def f(x):\n  pass\n# see a/b.py\n" + b"(" * 3000, "python")
    assert facts.error == "too deep"
    assert [d.name for d in facts.definitions] == ["f"]
    assert ("comment", "a/b.py", "", 3, 3) in facts.references


def test_broken_text_keeps_what_can_be_read() -> None:
    found = extract(b'def f(): pass\n="""', "python")
    assert found.error == "syntax"
    assert [d.name for d in found.definitions] == ["f"]


def test_names_of_types() -> None:
    found = extract(b"type Row[T: int] = dict[str, T]\ntype _Own = int\ntype = 1\n", "python")
    assert [(d.name, d.kind, d.public) for d in found.definitions] == [
        ("Row", "constant", True),
        ("_Own", "constant", False),
        ("type", "constant", True),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        b"def broken():\n    x = call(1,\n    return x\n",
        b"def broken(x:\n    pass\n",
        b"def broken():\n    x = {1: [2, (3,\n\n",
        b"def broken():\n    if x\n        pass\n    x = = 2\n",
        b"def broken():\n    x = 'open\n    return '(' + x[\n",
        b"<<<<<<< ours\ndef broken():\n    pass\n=======\ndef broken():\n    pass\n>>>>>>> theirs\n",
    ],
)
def test_what_follows_a_mistake_is_read(broken: bytes) -> None:
    first, last = b"def first():\n    return '('\n", b"class Last:\n    def run(self):\n        pass\n\nEND = 1\n"
    found = extract(first + broken + last, "python")
    line = 3 + broken.count(b"\n")
    assert found.error == "syntax"
    assert [(d.name, d.start, d.end) for d in found.definitions if d.name != "broken"] == [
        ("first", 1, 2),
        ("Last", line, line + 2),
        ("Last.run", line + 1, line + 2),
        ("END", line + 4, line + 4),
    ]
