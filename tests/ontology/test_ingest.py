"""Documents in and out of the store: git and disk, changes, removals, faults of single files, and kills."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from oracl_git.errors import StoreUnusable
from oracl_git.ontology import files, gather, ingest, store
from oracl_git.ontology.parsers import FORMATS

from .conftest import World

INGEST = [
    sys.executable,
    "-c",
    "import sys; from oracl_git.cli import main; sys.exit(main(['ontology', 'ingest', '-q']))",
]


def rows(world: World, sql: str) -> list[tuple[object, ...]]:
    db = store.connect(str(world.path / ".agentlas/ontology-runtime.sqlite"))
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def sound(world: World) -> bool:
    db = store.connect(str(world.path / ".agentlas/ontology-runtime.sqlite"))
    try:
        return store.check(db) == []
    finally:
        db.close()


def test_a_registered_directory_is_read_as_head_has_it_and_follows_commits(world: World) -> None:
    world.register("docs")
    world.commit(
        {
            "docs/a.md": "# Tea\n\nGreen tea is brewed at eighty degrees.\n",
            "docs/b.md": "# Coffee\n\nBeans are ground.\n",
        }
    )
    counts = world.ingest()
    assert (counts.new, counts.read) == (2, 2)
    world.write("docs/a.md", "# Tea\n\nThe kettle is uncommitted.\n")
    assert world.uris("uncommitted kettle") == []  # git tracks the file: its commit is what counts
    world.commit({"docs/c.md": "# Cocoa\n\nCocoa comes from Ghana.\n"}, "more")
    world.git("rm", "-q", "docs/b.md")
    world.commit(message="less")
    counts = world.ingest()
    assert (counts.new, counts.changed, counts.removed, counts.read) == (1, 1, 1, 2)  # only what the diff names is read
    assert world.uris("uncommitted kettle") == ["docs/a.md"]
    assert world.uris("ground beans") == []
    counts = world.ingest()
    assert (counts.new, counts.changed, counts.removed, counts.read) == (0, 0, 0, 0)
    world.git("checkout", "-q", "HEAD~2")
    world.ingest()
    assert world.uris("ground beans") == ["docs/b.md"] and world.uris("Ghana") == []
    assert sound(world)


def test_files_beside_the_tracked_ones_are_read_unless_git_ignores_them(world: World) -> None:
    world.commit({"docs/a.md": "tracked alpha\n", ".gitignore": "build/\n*.log\n"})
    world.write("docs/new.md", "untracked beta\n")
    world.write("docs/build/x.md", "ignored gamma\n")
    world.write("docs/run.log", "ignored delta\n")
    world.register("docs")
    world.ingest()
    assert world.uris("beta") == ["docs/new.md"] and not world.uris("gamma") and not world.uris("delta")
    world.git("add", "docs/new.md")
    world.commit(message="now tracked")
    counts = world.ingest()
    assert counts.removed == 0 and counts.chunks == 0
    assert rows(world, "SELECT origin, version FROM sources WHERE uri='docs/new.md'") == [("git", 1)]
    world.register("docs/build")  # named itself: it is meant, ignored or not
    world.ingest()
    assert world.uris("gamma") == ["docs/build/x.md"]


def test_a_tracked_file_that_is_too_large_is_told_and_never_unpacked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from oracl_git.git.objects import GitObjects

    monkeypatch.setattr(files, "MAX_BYTES", 1 << 20)
    world.commit({"docs/large.md": "word " * (1 << 18), "docs/small.md": "small beta\n"})
    world.register("docs")
    asked: list[str] = []
    blobs = GitObjects.blobs

    def spied(self: GitObjects, oids: list[str]) -> Iterator[tuple[str, bytes | None]]:
        asked.extend(oids)
        return blobs(self, oids)

    monkeypatch.setattr(GitObjects, "blobs", spied)
    monkeypatch.setenv("ORACL_BACKEND", "git")
    counts = world.ingest()
    assert asked == [world.git("rev-parse", "HEAD:docs/small.md")]
    assert [(uri, reason) for uri, _, reason in counts.failed] == [("docs/large.md", "larger than 1 MiB")]
    assert world.uris("beta") == ["docs/small.md"]


def test_what_git_ignores_is_not_even_counted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much of it there is, and wherever it stands."""
    monkeypatch.setattr(files, "MAX_FILES", 3)
    world.commit({".gitignore": "node_modules/\n*.log\n"})
    for number in range(9):
        world.write(f"node_modules/package/{number}.md", "ignored gamma\n")
        world.write(f"a{number}.log", "ignored delta\n")
    world.write("src/new.md", "untracked beta\n")
    world.register(".")
    assert not any("beyond" in reason for reason in world.ingest().skipped)
    assert world.uris("beta") == ["src/new.md"] and not world.uris("gamma") and not world.uris("delta")


def test_the_inbox_is_read_and_a_file_taken_out_of_it_is_forgotten(world: World) -> None:
    path = world.inbox("sub/한글 이름.txt", "the falcon nests on the tower\n")
    world.ingest()
    assert world.uris("falcon") == [".agentlas/ontology-inbox/sub/한글 이름.txt"]
    path.unlink()
    assert world.ingest().removed == 1 and world.uris("falcon") == []
    assert rows(world, "SELECT count(*) FROM chunks") == [(0,)] and sound(world)


def test_the_longest_root_decides_the_scope_and_a_change_of_scope_is_immediate(world: World) -> None:
    world.commit({"docs/open.md": "the open orchard\n", "docs/secret/plan.md": "the hidden orchard\n"})
    world.register("docs")
    world.register("docs/secret", "private")
    world.ingest()
    assert world.uris("orchard") == ["docs/open.md"]
    assert set(world.uris("orchard", "public", "internal", "private")) == {"docs/open.md", "docs/secret/plan.md"}
    world.register("docs", "private")  # as by hand, or by a pull
    assert world.uris("orchard") == []
    assert world.ingest().rescoped == 0  # it was done when it was asked
    world.register("docs", "public")
    world.register("docs/secret", "public")
    counts = world.ingest()
    assert counts.rescoped == 2 and counts.read == 0  # nothing had to be read for it
    assert len(world.uris("orchard", "public")) == 2


def test_a_scope_that_is_registered_holds_for_the_next_question_whoever_asks(world: World) -> None:
    world.commit({"docs/open.md": "The open orchard of Project Helios is kept by Mina Park.\n", "shop.py": "A = 1\n"})
    world.run("ontology", "sources", "add", "docs")
    world.ingest()
    with world.runtime() as kept:
        assert kept.search("who keeps the orchard")
        world.run("ontology", "query", "who keeps the orchard", "--agent", "a", "--record-memory")
        world.run("ontology", "sources", "add", "docs", "--scope", "private")
        assert not kept.search("who keeps the orchard")  # also for who had opened the store before
    for args in (("query", "who keeps the orchard"), ("graph", "entities"), ("working-memory", "read", "--agent", "a"), ("memory", "candidates")):
        assert "orchard" not in world.run("ontology", *args, code=1) + world.err, args
    assert "orchard" in world.run("ontology", "query", "who keeps the orchard", "--private")
    assert "1 document forgotten" in world.run("ontology", "sources", "remove", "docs")
    world.run("ontology", "query", "who keeps the orchard", "--private", code=1)


def test_what_a_wider_root_holds_stays_when_a_narrower_one_goes(world: World) -> None:
    world.commit({"docs/open.md": "the open orchard\n", "docs/secret/plan.md": "the hidden orchard\n"})
    world.register("docs")
    world.register("docs/secret", "private")
    world.ingest()
    with world.runtime() as runtime:
        assert runtime.remove_source("docs/secret") == 0
        assert runtime.remove_source("nowhere") is None
    assert set(world.uris("orchard")) == {"docs/open.md", "docs/secret/plan.md"}


def test_a_store_that_cannot_be_written_is_not_asked_with_scopes_that_hold_no_more(world: World) -> None:
    world.commit({"docs/open.md": "the open orchard\n"})
    world.register("docs")
    world.ingest()
    world.register("docs", "private")
    with world.runtime() as runtime:
        runtime.writing = _refused  # type: ignore[method-assign]
        with pytest.raises(StoreUnusable):
            runtime.search("orchard")


def _refused(**_: object) -> NoReturn:
    raise StoreUnusable("it cannot be written")


def test_what_is_registered_no_more_is_forgotten(world: World) -> None:
    world.commit({"docs/a.md": "apricot jam\n", "notes/b.md": "apricot tart\n"})
    world.register("docs")
    world.register("notes")
    world.ingest()
    with world.runtime() as runtime:
        assert runtime.remove_source("notes") == 1
    assert world.uris("apricot") == ["docs/a.md"]
    world.git("rm", "-q", "--cached", "-r", "docs")  # and by hand
    world.write(".agentlas/ontology-sources.json", '{"schema": 1, "sources": []}')
    assert world.ingest().removed == 1


def test_a_file_fails_alone(world: World) -> None:
    world.inbox("good.txt", "the good pelican\n")
    world.inbox("broken.json", "{" * 100)
    world.inbox("odd.xyz", "unknown\n")
    world.inbox("latin.csv", b"name,city\nJos\xe9,M\xe1laga\n")
    counts = world.ingest()
    assert world.uris("pelican") == [".agentlas/ontology-inbox/good.txt"]
    statuses = {str(a).rpartition("/")[2]: b for a, b in rows(world, "SELECT uri, status FROM sources")}
    assert statuses["odd.xyz"] == "unsupported_pending_adapter" and statuses["good.txt"] == "parsed"
    assert all(reason for _, _, reason in counts.failed)


def test_lineage_tells_versions_moves_and_copies(world: World) -> None:
    world.commit({"docs/a.md": "the walnut tree\n", "docs/copy.md": "the walnut tree\n"})
    world.register("docs")
    world.ingest()
    told = "SELECT s.uri, l.relation, p.uri FROM source_lineage l JOIN sources s ON s.ref=l.source JOIN sources p ON p.ref=l.parent"
    assert rows(world, told) == [("docs/copy.md", "same_content_as", "docs/a.md")]
    world.commit({"docs/a.md": "the walnut tree fell\n"})
    world.ingest()
    assert rows(world, "SELECT version FROM sources WHERE uri='docs/a.md'") == [(2,)]
    world.git("mv", "docs/copy.md", "docs/moved.md")
    world.commit(message="move")
    world.ingest()
    found = rows(world, "SELECT s.uri, l.relation FROM source_lineage l JOIN sources s ON s.ref=l.source ORDER BY l.id")
    assert ("docs/a.md", "version_of") in found and ("docs/moved.md", "moved_from") in found
    assert not any(relation == "same_content_as" for _, relation in found)  # neither is there any more as it was


def test_lineage_names_no_private_source(world: World) -> None:
    world.write("a/secret.md", "The lighthouse of Kesk is painted white each spring.\n")
    world.write("b/open.md", "The lighthouse of Kesk is painted white each spring.\n")
    world.register("a", "private")
    world.register("b")
    world.ingest()
    question = ("ontology", "query", "lighthouse of Kesk painted white", "--json")
    assert "secret.md" not in world.run(*question)
    assert "secret.md" in world.run(*question, "--private")


def test_a_passage_that_stands_twice_is_told_once(world: World) -> None:
    for name in ("one.txt", "two.txt"):
        world.inbox(name, "The juniper hedge is trimmed in March.\n")
    world.ingest()
    with world.runtime() as runtime:
        hits = runtime.search("when is the juniper hedge trimmed")
    assert len(hits) == 1 and len(hits[0].also) == 1


def test_two_clones_name_sources_and_passages_alike(worlds: Callable[[str], World]) -> None:
    names = []
    for place in ("first", "second"):
        world = worlds(place)
        world.commit({"docs/a.md": "# A\n\nOne.\n\n# B\n\nTwo Project Helios.\n"})
        world.register("docs")
        world.ingest()
        names.append(
            rows(
                world, "SELECT ref FROM chunks UNION SELECT ref FROM sources UNION SELECT ref FROM entities ORDER BY 1"
            )
        )
    assert names[0] == names[1] and len(names[0]) > 3


def test_nothing_but_files_is_opened_in_the_inbox(world: World) -> None:
    inbox = world.path / ".agentlas/ontology-inbox"
    secret = world.home / "secret.txt"
    secret.write_text("the hidden passphrase is marmalade\n")
    os.symlink(secret, inbox / "link.txt")
    os.symlink(world.home, inbox / "linked")
    os.symlink(".", inbox / "loop")
    os.mkfifo(inbox / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as sock:
        os.chdir(inbox)
        sock.bind("s.txt")
        if os.getuid() == 0:
            try:
                os.mknod(inbox / "null.txt", 0o020666, os.makedev(1, 3))
            except OSError:
                pass
        world.inbox("deep/" + "d/" * 70 + "x.txt", "too deep\n")
        world.inbox("ok.txt", "fine\n")
        counts = world.ingest()
    assert counts.read == 1 and world.uris("marmalade") == []
    assert counts.skipped["symlink"] == 3 and counts.skipped["pipe"] == 1 and counts.skipped["socket"] == 1
    assert counts.skipped["too deep"] == 1


def test_a_file_that_changes_while_it_is_read_is_never_half_read(tmp_path: Path) -> None:
    place = tmp_path / "moving.txt"
    place.write_bytes(b"a" * (3 << 20))

    class Meddler:
        """A copy during which the file grows."""

        def __init__(self, out: object) -> None:
            self.out = out

        def __getattr__(self, name: str) -> object:
            return getattr(self.out, name)

        def write(self, data: bytes) -> int:
            with open(place, "ab") as file:
                file.write(b"b")
            return self.out.write(data)  # type: ignore[attr-defined,no-any-return]

    with open(tmp_path / "copy", "w+b") as out, pytest.raises(files.Unreadable, match="changed while it was read"):
        files.copy(str(tmp_path), "moving.txt", Meddler(out))  # type: ignore[arg-type]


def test_a_place_that_became_a_symlink_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "root/sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x.txt").write_text("outside")
    (tmp_path / "root/sub/link").symlink_to(tmp_path / "outside")
    with open(tmp_path / "copy", "w+b") as out:
        for path in ("sub/link/x.txt", "sub/../../outside/x.txt", "sub/link"):
            with pytest.raises(files.Unreadable):
                files.copy(str(tmp_path / "root"), path, out)
    assert list(files.walk(str(tmp_path / "root"), "sub/link", lambda reason: None)) == []


def test_a_kill_at_any_instant_leaves_whole_sources(world: World) -> None:
    for number in range(60):
        world.inbox(
            f"{number}.md", f"# Title {number}\n\n" + f"Paragraph number {number} about topic{number}.\n\n" * 40
        )
    world.ingest()
    for turn in range(50):
        world.inbox("0.md", f"# Turn {turn}\n\n" + f"word{turn} " * 400)
        for number in range(1, 12):
            world.inbox(f"{number}.md", f"# Turn {turn}\n\n" + f"Text {number} of turn{turn}.\n\n" * 30)
        process = subprocess.Popen(
            INGEST, cwd=world.path, env=world.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.08 + turn * 0.004)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if turn % 5 == 0:
            assert sound(world)
            chunks = rows(
                world, "SELECT s.uri, count(c.id) FROM sources s LEFT JOIN chunks c ON c.source=s.id GROUP BY s.id"
            )
            assert len(chunks) == 60 and all(count for _, count in chunks)
    world.ingest()
    assert sound(world)
    assert set(world.uris("word49")) == {".agentlas/ontology-inbox/0.md"} and world.uris("word48") == []


def test_two_ingests_at_once_agree(world: World) -> None:
    world.commit({f"docs/{n}.md": f"# Title {n}\n\nAbout subject{n}.\n" for n in range(80)})
    world.register("docs")
    both = [subprocess.Popen(INGEST, cwd=world.path, env=world.env, stderr=subprocess.PIPE) for _ in range(3)]
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert rows(world, "SELECT count(*) FROM sources") == [(80,)] and sound(world)
    assert rows(world, "SELECT max(version) FROM sources") == [(1,)]


def test_a_full_disk_is_told_and_harms_nothing(world: World) -> None:
    world.inbox("a.txt", "the first heron\n")
    world.ingest()
    world.inbox("b.txt", "heron " * 400_000)
    limit = ["bash", "-c", 'ulimit -f 300; trap \'\' XFSZ; exec "$0" "$@"', *INGEST]
    done = subprocess.run(limit, cwd=world.path, env=world.env, capture_output=True, text=True)
    assert done.returncode == 128 and "Traceback" not in done.stderr, done.stderr
    assert sound(world) and world.uris("first heron") == [".agentlas/ontology-inbox/a.txt"]


def test_keys_and_git_are_never_walked_into(world: World) -> None:
    for path in (".ssh/id.txt", "docs/.aws/credentials.txt", "docs/.env", "docs/ok.txt"):
        world.write(path, "the wombat key\n")
    world.commit()
    world.register(".")
    counts = world.ingest()
    assert world.uris("wombat") == ["docs/ok.txt"] and counts.skipped["place for keys"] >= 3
    world.register(".git")
    assert (".git", "belongs to git or to the ontology itself") in world.ingest().refused


def test_names_that_are_not_utf_8_are_kept(world: World) -> None:
    name = os.path.join(os.fsencode(world.path), b".agentlas/ontology-inbox/caf\xe9.txt")
    with open(name, "wb") as file:
        file.write(b"the espresso machine\n")
    world.ingest()
    assert world.uris("espresso") == [".agentlas/ontology-inbox/caf\\xe9.txt"]
    assert world.ingest().unchanged == 1


def test_another_way_to_make_words_or_vectors_reads_everything_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.inbox("a.txt", "the first heron\n")
    world.ingest()
    monkeypatch.setattr(ingest, "_REVISION", "another")
    counts = world.ingest()
    assert counts.read == 1 and counts.unchanged == 0 and sound(world)
    assert world.uris("heron")


def test_roots_without_slash_traps(world: World) -> None:
    counts = ingest.Counts()
    roots = gather.Roots(world.runtime().project, [gather.Root("doc"), gather.Root("doc/x", "private")], counts)
    assert roots.of("doc/a") and roots.of("docs/a") is None and roots.of("document") is None
    inner = roots.of("doc/x/y/z")
    assert inner is not None and inner.scope == "private"


@pytest.mark.skipif(bool(FORMATS["image"].unavailable()), reason="needs tesseract")
def test_ocr_ends_with_its_time_and_goes_on_when_it_is_asked_for(world: World) -> None:
    picture = (Path(__file__).parents[2] / "examples/ontology-corpus/notice-en.png").read_bytes()
    for number in range(3):
        world.write(f".agentlas/ontology-inbox/{number}.png", picture + bytes(number))
    world.inbox("note.md", "# Note\n\nPlain text is read all the same.\n")
    out = world.run("ontology", "ingest", "--ocr", "0")
    assert "pictures in 3 documents" in out and "--ocr all" in out and "Not read" not in out
    assert "4 unchanged" in world.run("ontology", "ingest")  # not tried again unasked
    again = json.loads(world.run("ontology", "ingest", "--ocr", "all", "--json"))
    assert again["left_out"] == [] and again["chunks"] >= 3 and not again["failed"]
    assert json.loads(world.run("ontology", "ingest", "--ocr", "all", "--json"))["chunks"] == 0
    world.run("ontology", "ingest", "--ocr", "soon", code=2)
