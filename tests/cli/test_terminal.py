"""Terminals, pipes, encodings and interrupts."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import tomllib
from pathlib import Path
from typing import Any

from pytest import MonkeyPatch, mark

Place = Any  # conftest's
ROOT = Path(__file__).parents[2]


def on_terminal(shop: Place, *words: str, columns: int = 80, **env: str) -> str:
    """What a person at a terminal of that width sees."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "ORACL_", "COLUMNS", "NO_COLOR"))}
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    process = subprocess.Popen(
        ["git", "oracl", *words], cwd=shop.path, stdin=slave, stdout=slave, stderr=slave,
        env={**clean, "PATH": path, "TERM": "xterm", "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": os.devnull, **env},
    )  # fmt: skip
    os.close(slave)
    out = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    os.close(master)
    assert process.wait(30) in (0, 1)
    return out.decode().replace("\r\n", "\n")


def bare(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_terminal_gets_colour_and_nothing_else_does(shop: Place) -> None:
    shown = on_terminal(shop, "search", "discount threshold")
    assert "\x1b[36m" in shown
    assert bare(shown) == shop.oracl("search", "discount threshold").out
    assert "\x1b" not in on_terminal(shop, "search", "discount threshold", NO_COLOR="1")
    assert "\x1b" not in on_terminal(shop, "search", "discount threshold", TERM="dumb")
    assert "\x1b[36m" in on_terminal(shop, "search", "discount threshold", NO_COLOR="")


@mark.parametrize("words", [
    ["search", "discount threshold"], ["search", "discount threshold", "--explain", "--snippet"],
    ["related", "shop/prices.py"], ["related", "shop/prices.py", "--explain"], ["trace", "shop/prices.py", "--in"],
    ["trace", "--impact", "shop/prices.py"], ["show", "shop/prices.py"], ["hub", "shop"], ["hub"],
])  # fmt: skip
@mark.parametrize("columns", [20, 40, 80, 200])
def test_lines_fit_the_terminal(shop: Place, words: list[str], columns: int) -> None:
    lines = bare(on_terminal(shop, *words, columns=columns)).splitlines()
    limit = columns if words[0] != "show" else max(columns, 60)
    assert lines and max(map(len, lines)) <= limit, max(lines, key=len)


def test_help_fits_the_terminal(shop: Place) -> None:
    """All but examples, tables and what an option takes, which are to be copied as they are."""
    from oracl_git.cli import VERBS
    from oracl_git.cli.help import actions, parser_of

    for columns in (40, 80, 200):
        shown = on_terminal(shop, "-h", columns=columns).splitlines()
        assert max(map(len, shown)) <= columns and max(map(len, shown)) <= 80
        assert " ".join("\n".join(shown).split()).find("offline, with reasons.") > 0
    verbs = {verb: parser_of(verb) for verb in VERBS}
    inner = {f"{verb} {name}": each for verb, parser in verbs.items() for name, each in actions(parser).items()}
    with MonkeyPatch.context() as patch:
        for columns in (40, 80, 200):
            patch.setenv("COLUMNS", str(columns))
            for name, parser in {**verbs, **inner}.items():
                text = parser.format_help().partition("\n\n")[2]  # without the usage
                prose = [line for line in text.splitlines() if line and line[0] != " "]
                assert max(map(len, prose)) <= min(columns, 100), (name, max(prose, key=len))
                assert columns < 80 or max(map(len, text.splitlines())) <= 100, name
                assert columns != 80 or max(map(len, text.splitlines())) <= 80, name
                assert parser.description and text.splitlines()[-1], name
                headings = [line for line in (parser.epilog or "").splitlines() if line.endswith(":")]
                assert set(headings) <= set(text.splitlines()), name


def test_a_reason_gives_way_to_the_path_it_stands_beside(shop: Place) -> None:
    """The middle of a path is what goes last."""
    shop.write("shop/a_rather_long_name.py", "from shop.prices import a_very_long_name_of_some_function_there\n")
    shop.commit("long")
    shop.oracl("update")
    for words in (["shop/prices.py", "--in"], ["--impact", "shop/prices.py"]):
        shown = on_terminal(shop, "trace", *words, columns=50)
        assert "shop/a_rather_long_name.py" in shown and "imports" in shown


def test_reasons_are_whole_in_80_columns(shop: Place) -> None:
    for words in (["search", "discount threshold"], ["related", "shop/prices.py"]):
        assert "…" not in on_terminal(shop, *words)
    assert re.search(r"changed together in \d+ of \d+ commits", on_terminal(shop, "related", "shop/prices.py"))


def test_width_without_a_terminal(shop: Place) -> None:
    wide = shop.oracl("related", "shop/prices.py", env={"COLUMNS": "200"}).out.splitlines()
    assert max(map(len, wide)) > 80


def test_a_closed_pipe(shop: Place) -> None:
    for words in ("search cart", "stats --parameters", "graph export", "show shop/prices.py", "search cart --json"):
        done = shop.run("bash", "-c", f"set -o pipefail; git oracl {words} | true; exit ${{PIPESTATUS[0]}}")
        assert done.code in (0, 141) and done.err == "", (words, done)
    done = shop.run("bash", "-c", "git oracl stats --parameters | head -1")
    assert done.out.count("\n") == 1 and done.err == ""


@mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@mark.parametrize("buffered", ["", "1"])
def test_stopped_and_continued_nothing_is_left_out(buffered: str) -> None:
    script = "import oracl_git.cli as cli; cli._dispatch = lambda _: print('x' * 500_000) or 0; cli.main([])"
    env = {**os.environ, "PYTHONUNBUFFERED": buffered}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout
        out = process.stdout.read1(1)
        for _ in range(20):
            time.sleep(0.01)
            for sent in (signal.SIGSTOP, signal.SIGCONT):
                process.send_signal(sent)
            out += process.stdout.read1(9_000)
        out += process.stdout.read()
    assert len(out) == 500_001


def test_a_full_disk(shop: Place) -> None:
    for words in ("search cart", "search cart -z", "search cart --json", "graph export", "stats"):
        done = shop.run("sh", "-c", f"git oracl {words} > /dev/full")
        assert done.code == 128, done
        assert done.err.startswith("git-oracl: cannot write: No space left on device.\n"), done


@mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_an_answer_does_not_depend_on_who_hears_the_talk(shop: Place) -> None:
    plain = shop.oracl("context", "cart", "--budget", "60")
    assert "did not fit" in plain.err
    for nowhere in ("/dev/full", "/dev/null 2<&-", ">(exec true)"):
        done = shop.run("bash", "-c", f"sleep 0.1; git-oracl context cart --budget 60 2> {nowhere}")
        assert (done.code, done.raw) == (0, plain.raw), nowhere
        assert shop.run("bash", "-c", f"git-oracl show nowhere.py 2> {nowhere}").code == 1
        assert shop.run("bash", "-c", f"git-oracl serach 2> {nowhere}").code == 2
    assert shop.run("bash", "-c", "git-oracl stats > /dev/full 2> /dev/full").code == 128


def test_streams_that_lead_nowhere(shop: Place) -> None:
    """Opened the wrong way round, as in a script that says `>` for `<`."""
    for words in ("stats", "-h", "search -h", "search cart -z", "graph export"):
        done = shop.run("bash", "-c", f"git-oracl {words} 1< /dev/null")
        message = "git-oracl: cannot write: Bad file descriptor.\nhint: see where stdout leads\n"
        assert (done.code, done.err) == (128, message), words
    done = shop.run("bash", "-c", "git-oracl search - 0> /dev/null")
    message = "git-oracl: cannot read stdin: Bad file descriptor.\nhint: see where stdin leads\n"
    assert (done.code, done.err) == (128, message)


def test_streams_that_do_not_wait(shop: Place) -> None:
    """A parent that runs on events, as node does, may share pipes that are never waited for."""
    for words in (["graph", "export"], ["search", "--stdin"]):
        given = b"cart\n" * 400 if "--stdin" in words else b""
        plain = shop.oracl(*words, input=given).raw
        assert len(plain) > 10_000
        ends = [os.pipe() for _ in range(2)]
        for descriptor in (ends[0][0], ends[1][1]):
            os.set_blocking(descriptor, False)
        fcntl.fcntl(ends[1][1], fcntl.F_SETPIPE_SZ, 4096)
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        with subprocess.Popen(
            ["git-oracl", *words], cwd=shop.path, stdin=ends[0][0], stdout=ends[1][1], stderr=subprocess.PIPE,
            env={**os.environ, "PATH": path},
        ) as process:  # fmt: skip
            os.close(ends[0][0])
            os.close(ends[1][1])
            with open(ends[0][1], "wb") as give, open(ends[1][0], "rb") as take:
                time.sleep(0.5)  # whoever does not wait finds nothing here
                give.write(given)
                give.close()
                time.sleep(0.5)  # … and no room there
                out = take.read()
            assert process.stderr and (process.stderr.read(), out) == (b"", plain)
        assert process.returncode == 0


def test_a_parent_that_ignores_how_its_children_end(shop: Place, tmp_path: Path) -> None:
    """What git says no to is not taken for a yes."""
    ignoring = "trap '' CHLD; exec git-oracl"
    done = shop.run("bash", "-c", f"{ignoring} status", cwd=tmp_path)
    assert (done.code, done.err.splitlines()[0]) == (128, "git-oracl: this directory is not in a git repository.")
    for words in ("check nosuch..HEAD", "related --commit nosuch", "search cart --json"):
        plain = shop.oracl(*words.split(), code=None)
        assert shop.run("bash", "-c", f"{ignoring} {words}") == plain


@mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_who_is_ended_leaves_nothing(shop: Place, tmp_path: Path, sent: signal.Signals) -> None:
    """`timeout`, a CI job that is cancelled, a terminal that is closed. The clone has its objects elsewhere."""
    shop.run("git", "clone", "-q", "--shared", ".", str(tmp_path / "clone"))
    clone = type(shop)(tmp_path / "clone")
    (tmp_path / "tmp").mkdir()
    script = "import sys, time\n"
    script += "def read(*_, **__): print('now', flush=True); time.sleep(60)\n"
    script += "import oracl_git.store.update as u\nu.Build.run = read\n"
    script += "from oracl_git.cli import main; sys.exit(main(['init']))"
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "ORACL_SKIP": "1"}
    with subprocess.Popen([sys.executable, "-c", script], cwd=clone.path, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"now\n"
        process.send_signal(sent)
        assert process.wait(10) == -sent
    assert os.listdir(tmp_path / "tmp") == []
    clone.oracl("update")
    assert clone.oracl("status", "--json").json["root"] == shop.oracl("status", "--json").json["root"]


@mark.parametrize("waits", [True, False])
def test_an_interrupt_while_nobody_reads(waits: bool) -> None:
    """What is stuck in the pipe does not hold the process."""
    script = "import oracl_git.cli as cli; cli._dispatch = lambda _: print('x' * 500_000) or 0; cli.main([])"
    out, give = os.pipe()
    os.set_blocking(give, waits)
    with subprocess.Popen([sys.executable, "-c", script], stdout=give, stderr=subprocess.PIPE) as process:
        while not select.select([out], [], [], 10)[0]:
            pass
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(10) == 0 and process.stderr, "as the script ends"
            assert process.stderr.read() == b"git-oracl: interrupted; what was read so far is kept\n"
        finally:
            process.kill()
    os.close(give)
    assert len(os.read(out, 1 << 20)) <= 1 << 16
    os.close(out)


@mark.parametrize(("ignored", "code", "out"), [("", -signal.SIGINT, ""), ("trap '' INT; ", 0, "git-oracl")])
def test_an_interrupt_while_modules_are_loaded(ignored: str, code: int, out: str) -> None:
    """It ends without a word, where nobody was told to ignore it."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["git-oracl"].partition(":")
    assert scripts["ontology"].startswith(f"{module}:")
    script = "import os, signal, sys\nclass Sent:\n    def find_spec(name, *_):\n"
    script += "        if name == 'oracl_git.errors': os.kill(os.getpid(), signal.SIGINT)\n"
    script += f"sys.meta_path.insert(0, Sent)\nfrom {module} import {name}\nsys.exit({name}())"
    command = ["sh", "-c", f'{ignored}exec "$0" "$@"', sys.executable, "-c", script, "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout[:9], done.stderr) == (code, out, "")


@mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_that_comes_twice(shop: Place, sent: signal.Signals) -> None:
    """From the terminal, and from the git that started it: what the first began is not broken off."""
    script = "import sys, time\nimport oracl_git.cli as cli\ndef work(_):\n    try:\n"
    script += "        print('now', flush=True); time.sleep(60)\n    finally:\n"
    script += "        print('tidying', flush=True); time.sleep(WAIT); print('tidy', flush=True)\n"
    script += "cli._dispatch = work\nsys.exit(cli.main([]))"
    for wait, out, code in (("0.3", "tidy\n", 130 if sent == signal.SIGINT else -sent), ("30", "", -sent)):
        with subprocess.Popen(
            [sys.executable, "-c", script.replace("WAIT", wait)], cwd=shop.path, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            assert process.stdout and process.stdout.readline() == "now\n"
            time.sleep(0.1)
            process.send_signal(sent)
            assert process.stdout.readline() == "tidying\n"
            time.sleep(0.1)
            process.send_signal(sent)
            if not out:  # whoever asks again later means it
                time.sleep(1.2)
                process.send_signal(sent)
            said, err = process.communicate(timeout=20)
        assert (said, process.returncode) == (out, code)
        assert "Traceback" not in err


@mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_a_check_that_is_ended_leaves_nothing(shop: Place, tmp_path: Path, sent: signal.Signals) -> None:
    """What stands in a temporary directory goes with it, and who is told to ignore a signal does."""
    script = "import sys, time, tempfile\nimport oracl_git.cli as cli\ndef wait(_):\n"
    script += "    with tempfile.TemporaryDirectory(): print('now', flush=True); time.sleep(1)\n    return 0\n"
    script += "cli._dispatch = wait\nsys.exit(cli.main([]))"
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    for nohup, code in ((f"trap '' {sent.name.removeprefix('SIG')}; ", 0), ("", -sent)):
        command = ["sh", "-c", f'{nohup}exec "$0" "$@"', sys.executable, "-c", script]
        with subprocess.Popen(command, cwd=shop.path, env=env, stdout=subprocess.PIPE) as process:
            assert process.stdout and process.stdout.readline() == b"now\n"
            process.send_signal(sent)
            assert process.wait(10) == code
        assert [name for name in os.listdir(tmp_path) if name.startswith("tmp")] == []


FILES = "there are too many open files.\nhint: raise the limit: ulimit -n 1024\n"
MEMORY = "there is not enough memory.\nhint: end what takes it, or raise the limit: ulimit -v\n"
THREADS = "no more processes or threads can be started.\nhint: end some, or raise the limits: ulimit -u, ulimit -v\n"
PROCESSES = "no more processes or threads can be started.\nhint: end some, or raise the limit: ulimit -u\n"


def test_few_files_may_be_open(shop: Place) -> None:
    """It works, or says what there is too little of; never that something is not there."""
    said = set()
    for most in range(5, 32):
        shop.run("rm", "-rf", ".git/oracl")
        done = shop.run("bash", "-c", f"ulimit -n {most}; exec git-oracl stats")
        said.add((done.code, done.err))
    assert said == {(128, "git-oracl: " + FILES), (0, "")}


@mark.parametrize("error, told", [
    ("MemoryError()", MEMORY), ("OSError(12, 'Cannot allocate memory')", MEMORY), ("OSError(24, 'Too many')", FILES),
    ("RuntimeError(\"can't start new thread\")", THREADS), ("BlockingIOError(11, 'fork')", PROCESSES),
    ("ImportError('no tree_sitter_c')",
     "a module cannot be loaded: no tree_sitter_c.\nhint: install oracl-git anew\n"),
])  # fmt: skip
def test_what_there_is_too_little_of(shop: Place, error: str, told: str) -> None:
    script = f"import sys, oracl_git.service as s\ndef at(*_, **__): raise {error}\ns.Oracl.at = at\n"
    script += "from oracl_git.cli import main; sys.exit(main(['search', 'cart']))"
    done = shop.run(sys.executable, "-c", script)
    assert (done.code, done.err) == (128, "git-oracl: " + told)


_UNMAPPED = "ImportError('x.so: failed to map segment from shared object')"
ANEW = "hint: install oracl-git anew\n"
_SHARED = "sqlite3.OperationalError('disk I/O error')"


@mark.parametrize("limit, error, told", [
    (1 << 40, f"raise {_UNMAPPED}", MEMORY),
    (-1, f"raise {_UNMAPPED}", f"a module cannot be loaded: {_UNMAPPED[13:-2]}.\n{ANEW}"),
    (-1, f"e = {_SHARED}; e.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMMAP; raise unusable(e)", MEMORY),
    (-1, "try: raise MemoryError\n    finally: open('/').close()", MEMORY),
])  # fmt: skip
def test_a_lack_that_is_told_as_something_else(shop: Place, limit: int, error: str, told: str) -> None:
    """By a loader that says where it failed, by SQLite, by what gives back what it holds."""
    script = "import resource, sqlite3, sys\nfrom oracl_git.store.database import unusable\n"
    script += f"import oracl_git.cli as cli\ndef work(_):\n    {error}\ncli._dispatch = work\n"
    script += f"resource.setrlimit(resource.RLIMIT_AS, ({limit}, -1)); sys.exit(cli.main([]))"
    done = shop.run(sys.executable, "-c", script)
    assert (done.code, done.err) == (128, "git-oracl: " + told)


def test_an_answer_that_fills_the_memory(shop: Place) -> None:
    """What it held is given back before that is told."""
    script = "import resource, sys\nimport oracl_git.cli as cli\n"
    script += "class Held:\n    def __del__(self): raise MemoryError\n"
    script += "def work(_):\n    held = []\n    for size in (1 << 20, 1 << 12, 32):\n        try:\n"
    script += "            while True: held.append((Held(), bytes(size)))\n        except MemoryError:\n"
    script += "            if size == 32: raise\n"
    script += "cli._dispatch = work\nresource.setrlimit(resource.RLIMIT_AS, (60 << 20, -1))\nsys.exit(cli.main([]))"
    done = shop.run(sys.executable, "-c", script)
    assert (done.code, done.err) == (128, "git-oracl: " + MEMORY)


def test_git_has_too_little_memory(shop: Place, tmp_path: Path) -> None:
    """Then nothing is known of what it was asked for: not that it is not there."""
    shop.run("rm", "-rf", ".git/oracl")
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    for refused in ("*^{commit}*", "*^{tree}*", "*cat-file*", "*ls-tree*", "*diff-tree*"):
        fake.write_text(
            f"#!/bin/sh\ncase \"$*\" in {refused}) echo 'fatal: Out of memory, malloc failed' >&2; exit 128;; esac\n"
            f"exec {shutil.which('git')} \"$@\"\n"
        )
        fake.chmod(0o755)
        env = {"PATH": f"{fake.parent}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
        words = ["check", "HEAD~1..HEAD"] if refused == "*^{commit}*" else ["search", "cart"]
        done = shop.run("git-oracl", *words, env=env)
        assert (done.code, done.err) == (128, "git-oracl: " + MEMORY), refused


def test_an_encoding_that_lacks_our_characters(shop: Place) -> None:
    for words in (["trace", "shop/cli.py"], ["show", "shop/prices.py"], ["search", "discount"], ["-h"]):
        assert shop.oracl(*words, env={"PYTHONIOENCODING": "ascii"}).raw.isascii()
        assert shop.oracl(*words, env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}).raw


def test_no_output_at_all(shop: Place) -> None:
    done = shop.run("sh", "-c", "git oracl search cart >&-")
    assert "Traceback" not in done.err and done.code in (0, 128)


def test_an_interrupt_leaves_a_usable_place(shop: Place, tmp_path: Path) -> None:
    big = type(shop)(tmp_path / "big").init()
    for number in range(3000):
        big.write(f"m{number % 30}/f{number}.py", f"import m{(number + 1) % 30}.f{number + 1}\nX = {number}\n" * 40)
    big.commit("Many")
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    interrupted = 0
    for wait in (0.15, 0.5, 1.0, 2.0, 4.0):  # a busy machine is still starting when a quiet one is done
        if interrupted > 1:
            break
        process = subprocess.Popen(
            ["git-oracl", "init"], cwd=big.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PATH": path}, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
        )  # fmt: skip
        time.sleep(wait)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        if process.returncode == 130:
            interrupted += 1
            assert err.decode().splitlines()[-1].startswith("git-oracl: interrupted"), err
            assert b"Traceback" not in err
    assert interrupted
    assert "Indexed 3,000 files" in big.oracl("init").out
    assert big.oracl("doctor").code == 0


def test_open_tells_the_editor_the_line(shop: Place, tmp_path: Path) -> None:
    first = shop.oracl("search", "discount threshold", "--json").json["results"][0]
    line = first["focus"].removeprefix("L").partition("-")[0]
    for name, words in (("vim", ("+" + line, "FILE")), ("hx", ("FILE:" + line,)), ("my-editor", ("FILE",))):
        editor = tmp_path / name
        editor.write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\n")
        editor.chmod(0o755)
        said = on_terminal(shop, "open", "1", GIT_EDITOR=str(editor))
        assert said == "".join(f"<{word}>" for word in words).replace("FILE", str(shop.path / first["path"]))
