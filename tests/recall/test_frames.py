"""Stack traces and compiler messages as the tools print them: which places, the fault first, in which files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracl_git
from oracl_git.recall import tables
from oracl_git.recall.frames import frames, parts_of
from oracl_git.recall.query import compile_query
from oracl_git.service import Oracl

PYTHON = """\
Traceback (most recent call last):
  File "/srv/app/shop/cli.py", line 4, in main
    save(cart)
    ~~~~^^^^^^
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    obj, end = self.scan_once(s, idx)
  File "/srv/app/shop/store.py", line 9, in save
    raise KeyError(cart)
KeyError: 'cart'
"""
DURING = PYTHON + """
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "shop/retry.py", line 5, in again
    raise Gone()
"""
CAUSE = DURING.replace("During handling of the above exception, another exception occurred:",
                       "The above exception was the direct cause of the following exception:")
PYTEST = """\
____________________________ test_total ____________________________
tests/test_prices.py:5: in test_total
    assert total([1]) == 1
shop/prices.py:9: in total
    return broken(prices)
E   NameError: name 'broken' is not defined
=========================== short test summary info ===========================
FAILED tests/test_prices.py::test_total - NameError: name 'broken' is not defined
"""
PYTEST_LONG = """\
    def test_total():
>       assert total([1]) == 1

tests/test_prices.py:5: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
    def total(prices):
>       return broken(prices)
E       NameError: name 'broken' is not defined

shop/prices.py:9: NameError
"""  # noqa: W291
NODE = """\
/srv/app/web/lib/reply.js:12
    throw new Error('gone')
    ^

Error: gone
    at Reply.send (/srv/app/web/lib/reply.js:12:11)
    at async Promise.all (index 0)
    at Object.<anonymous> (file:///srv/app/web/app.mjs:3:1)
    at new Thing (C:\\\\work\\\\app\\\\web\\\\lib\\\\thing.js:7:3)
    at node:internal/modules/cjs/loader:1105:14
    at next (/srv/app/node_modules/express/lib/router/index.js:280:10)
"""
BROWSER = """\
Uncaught TypeError: x is undefined
    at render (webpack://shop/./web/src/view.tsx?a1b2:41:9)
    at http://localhost:3000/web/src/main.tsx?t=1700:8:3
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: wrapped
\tat com.example.shop.Cart.pay(Cart.java:20)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
Caused by: java.io.IOException: gone
\tat app//com.example.shop.Store$Inner.save(Store.java:31)
\tat com.example.shop.Cart.pay(Cart.java:18)
\t... 1 more
"""
DOTNET = "   at Shop.Store.Save(Cart cart) in C:\\src\\Shop\\Store.cs:line 44\n   at Shop.Cli.Main()\n"
GO = """\
panic: runtime error: index out of range

goroutine 1 [running]:
main.save(...)
\t/home/me/shop/store.go:17 +0x1d
main.main()
\t/home/me/shop/main.go:8 +0x25
exit status 2
"""
GO_BUILD = "# example.com/shop\n./store.go:17:5: undefined: Cart\n./main.go:8:2: \"fmt\" imported and not used\n"
RUST = """\
warning: unused variable: `x`
 --> src/lib.rs:3:9
  |
3 |     let x = 1;

error[E0308]: mismatched types
  --> src/store.rs:14:20
   |
note: function defined here
  --> src/cart.rs:2:8
"""
RUST_PANIC = """\
thread 'main' panicked at src/store.rs:14:20:
called `Option::unwrap()` on a `None` value
   0: rust_begin_unwind
             at /rustc/90b35a6239c3d8bdabc530a6a0816f7ff89a0aaf/library/std/src/panicking.rs:647:5
   1: shop::main
             at ./src/main.rs:5:10
"""
GCC = """\
In file included from src/cart.h:3,
                 from src/main.c:1:
src/util.c:9:3: warning: unused variable 'x' [-Wunused-variable]
src/store.c:21:5: error: 'cart' undeclared (first use in this function)
src/store.c:21:5: note: each undeclared identifier is reported only once
make: *** [Makefile:12: store.o] Error 1
"""
TSC = "web/src/view.tsx(41,9): error TS2322: Type 'string' is not assignable to type 'number'.\n"
TSC_PRETTY = "web/src/view.tsx:41:9 - error TS2322: Type 'string' is not assignable to type 'number'.\n"
ESLINT = (
    "/srv/app/web/lib/reply.js\n   3:1   warning  Unexpected console  no-console\n"
    "  12:11  error    'x' is not defined  no-undef\n"
)
RUBY = "lib/store.rb:12:in `save': gone (KeyError)\n\tfrom lib/cart.rb:7:in `pay'\n\tfrom bin/shop.rb:3:in `<main>'\n"
PHP = "PHP Fatal error:  Uncaught Exception: gone in /srv/app/src/Store.php:12\n#0 /srv/app/src/Cart.php(7): save()\n"
PERL = "gone at lib/Store.pm line 12.\n"
GDB = "#0  0x0000 in save (cart=0x0) at src/store.c:21\n#1  main () at src/main.c:8\n"
RUFF = "shop/store.py:9:5: F821 Undefined name `cart`\nshop/cli.py:1:1: F401 `os` imported but unused\n"
RUFF_GROUPED = (
    "shop/cli.py:\n  1:1 I001 [*] Import block is un-sorted\n\nshop/store.py:\n  9:5 F821 Undefined name `cart`\n\n"
    "Found 2 errors.\n"
)
PYTEST_COLLECTING = """\
_____ ERROR collecting tests/test_cart.py _____
/usr/lib/python3.11/ast.py:50: in parse
    return compile(source, filename, mode, flags,
E     File "/srv/app/shop/cart.py", line 2
E       def f(:
E   SyntaxError: invalid syntax
"""
BASH = "deploy: line 3: no_such_cmd: command not found\nlib/run.sh: line 5: syntax error: unexpected end of file\n"
DASH = "run.sh: 3: no_such_cmd: not found\nrun.sh: 5: Syntax error: end of file unexpected (expecting \"fi\")\n"
MAVEN = "[ERROR] /srv/app/src/main/java/com/acme/Cart.java:[5,17] cannot find symbol\n"

TABLE: dict[str, tuple[str, list[tuple[str, int]]]] = {
    "python": (PYTHON, [("/srv/app/shop/store.py", 9), ("/usr/lib/python3.11/json/decoder.py", 355),
                        ("/srv/app/shop/cli.py", 4)]),
    "python, during": (DURING, [("shop/retry.py", 5), ("/srv/app/shop/store.py", 9)]),
    "python, cause": (CAUSE, [("/srv/app/shop/store.py", 9), ("/usr/lib/python3.11/json/decoder.py", 355)]),
    "pytest": (PYTEST, [("shop/prices.py", 9), ("tests/test_prices.py", 5)]),
    "pytest, long": (PYTEST_LONG, [("shop/prices.py", 9), ("tests/test_prices.py", 5)]),
    "node": (NODE, [("/srv/app/web/lib/reply.js", 12), ("/srv/app/web/lib/reply.js", 12), ("/srv/app/web/app.mjs", 3),
                    ("C:\\\\work\\\\app\\\\web\\\\lib\\\\thing.js", 7)]),
    "browser": (BROWSER, [("/./web/src/view.tsx", 41), ("/web/src/main.tsx", 8)]),
    "java": (JAVA, [("com/example/shop/Store.java", 31), ("com/example/shop/Cart.java", 18),
                    ("com/example/shop/Cart.java", 20)]),
    ".net": (DOTNET, [("C:\\src\\Shop\\Store.cs", 44)]),
    "go": (GO, [("/home/me/shop/store.go", 17), ("/home/me/shop/main.go", 8)]),
    "go build": (GO_BUILD, [("./store.go", 17), ("./main.go", 8)]),
    "rustc": (RUST, [("src/store.rs", 14), ("src/lib.rs", 3), ("src/cart.rs", 2)]),
    "rust panic": (RUST_PANIC, [("src/store.rs", 14)]),
    "gcc": (GCC, [("src/store.c", 21)]),
    "tsc": (TSC, [("web/src/view.tsx", 41)]),
    "tsc, pretty": (TSC_PRETTY, [("web/src/view.tsx", 41)]),
    "eslint": (ESLINT, [("/srv/app/web/lib/reply.js", 12), ("/srv/app/web/lib/reply.js", 3)]),
    "ruby": (RUBY, [("lib/store.rb", 12), ("lib/cart.rb", 7), ("bin/shop.rb", 3)]),
    "php": (PHP, [("/srv/app/src/Store.php", 12), ("/srv/app/src/Cart.php", 7)]),
    "perl": (PERL, [("lib/Store.pm", 12)]),
    "gdb": (GDB, [("src/store.c", 21), ("src/main.c", 8)]),
    "ruff": (RUFF, [("shop/store.py", 9), ("shop/cli.py", 1)]),
    "ruff, grouped": (RUFF_GROUPED, [("shop/cli.py", 1), ("shop/store.py", 9)]),
    "pytest, collecting": (PYTEST_COLLECTING, [("/srv/app/shop/cart.py", 2), ("/usr/lib/python3.11/ast.py", 50)]),
    "bash": (BASH, [("deploy", 3), ("lib/run.sh", 5)]),
    "dash": (DASH, [("run.sh", 3), ("run.sh", 5)]),
    "maven": (MAVEN, [("/srv/app/src/main/java/com/acme/Cart.java", 5)]),
}  # fmt: skip


@pytest.mark.parametrize("tool", TABLE)
def test_places_in_order(tool: str) -> None:
    text, expected = TABLE[tool]
    found = [(frame.path, frame.line) for frame in frames(text)]
    assert found[: len(expected)] == expected or list(dict.fromkeys(found))[: len(expected)] == list(
        dict.fromkeys(expected)
    )
    assert compile_query(text).code or tool == "perl"  # one line without a word of error: a question may say that


def test_a_trace_that_this_python_prints(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("import two\n\n\ndef go():\n    two.stop()\n\n\ngo()\n")
    (tmp_path / "two.py").write_text("import json\n\n\ndef stop():\n    json.loads('{')\n")
    done = subprocess.run([sys.executable, "one.py"], cwd=tmp_path, capture_output=True, text=True)
    ours = [(Path(f.path).name, f.line, f.name) for f in frames(done.stderr) if parts_of(f.path)[1] is None]
    assert ours == [("two.py", 5, "stop"), ("one.py", 5, "go"), ("one.py", 8, "<module>")]


@pytest.mark.parametrize(("path", "parts", "kind"), [
    ("/x/.venv/lib/python3.12/site-packages/flask/app.py", ["flask", "app.py"], "python"),
    ("C:\\Python311\\Lib\\json\\decoder.py", ["json", "decoder.py"], "python"),
    ("/usr/lib/python3.11/json/decoder.py", ["json", "decoder.py"], "python"),
    ("/app/node_modules/@scope/name/lib/x.js", ["lib", "x.js"], "package"),
    ("/root/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go", ["context.go"], "package"),
    ("/rustc/90b3/library/std/src/panicking.rs", ["library", "std", "src", "panicking.rs"], ""),
    ("../../src/./a.c", ["src", "a.c"], None),
    ("D:\\work\\a.cs", ["work", "a.cs"], None),
])  # fmt: skip
def test_whose_a_path_is(path: str, parts: list[str], kind: str | None) -> None:
    assert parts_of(path) == (parts, kind)


@given(st.text(max_size=300) | st.lists(st.sampled_from(
    ['File "a.py", line 3, in f', "  at f (a/b.js:1:2)", "Caused by:", "a.c:3: error", "a(3)",
     "Traceback (most recent call last):", "x.y:99999999999999999999", "\ud800.py:3:1", "____", " --> a.rs:1:1",
     "\0.py:1"]), max_size=20).map("\n".join))
@settings(max_examples=200, deadline=None)  # fmt: skip
def test_no_text_is_too_strange(text: str) -> None:
    found = frames(text)
    assert found == frames(text)
    assert all(frame.line >= 0 and frame.path for frame in found)


@pytest.mark.parametrize("text", ["a" * 400_000, "a." * 200_000, "a/" * 200_000, "(" * 400_000, "a.b:" * 100_000,
                                  "at " * 100_000, 'File "' * 60_000, "\n" * 400_000, "1:1 " * 100_000])  # fmt: skip
def test_long_texts_take_linear_time(text: str) -> None:
    import time

    started = time.process_time()
    frames(text)
    assert time.process_time() - started < 3


# -- in a repository ---------------------------------------------------------------------------

FILES = {
    "shop/__init__.py": "", "shop/json/__init__.py": "", "shop/json/decoder.py": "X = 1\n",
    "shop/cli.py": "from .store import save\n\n\ndef main():\n    save(1)\n",
    "shop/store.py": "\n\n\n\n\n\ndef save(cart):\n    if cart:\n        raise KeyError(cart)\n    return cart\n",
    "shop/prices.py": "import os\n\n\n" + "# words\n" * 100 + "def total(p):\n" + "    # total\n" * 100 + "    x\n",
    "tests/test_prices.py": "from shop.prices import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
    "web/lib/reply.js": "function send() {\n}\n" * 10, "web/app.mjs": "import './lib/reply.js'\n" * 5,
    "web/src/view.tsx": "export const x = 1\n" * 60, "web/src/main.tsx": "import './view'\n" * 60,
    "src/store.c": "int save() {\n  return 1;\n}\n" * 10, "src/main.c": "int main() {\n}\n" * 10,
    "src/util.c": "int u;\n" * 20,
    "java/src/com/example/shop/Store.java": "class Store {\n}\n" * 20,
    "java/src/com/example/shop/Cart.java": "class Cart {\n}\n" * 20,
    "docs/keyerror.md": "# KeyError\n\nKeyError: 'cart' is raised when save finds no cart. Traceback, save(cart).\n",
    "Makefile": "all:\n\tcc\n" * 10,
}  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracl]:
    path = tmp_path_factory.mktemp("frames") / "app"
    path.mkdir()
    for name, text in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "A shop"]):
        subprocess.run(["git", *words], cwd=path, check=True)
    with oracl_git.open(str(path)) as oracl:
        oracl.update()
        yield oracl


@pytest.mark.parametrize(("tool", "expected"), [
    ("python", ["shop/store.py", "shop/cli.py"]),
    ("pytest", ["shop/prices.py", "tests/test_prices.py"]),
    ("pytest, long", ["shop/prices.py", "tests/test_prices.py"]),
    ("node", ["web/lib/reply.js", "web/app.mjs"]),
    ("browser", ["web/src/view.tsx", "web/src/main.tsx"]),
    ("java", ["java/src/com/example/shop/Store.java", "java/src/com/example/shop/Cart.java"]),
    ("gcc", ["src/store.c", "Makefile", "src/util.c"]),
    ("tsc", ["web/src/view.tsx"]),
    ("eslint", ["web/lib/reply.js"]),
    ("gdb", ["src/store.c", "src/main.c"]),
])  # fmt: skip
def test_the_faulting_files_come_first(shop: Oracl, tool: str, expected: list[str]) -> None:
    answer = shop.search(TABLE[tool][0])
    assert [result.path for result in answer.results][: len(expected)] == expected
    for result in answer.results:
        assert abs(sum(reason.share for reason in result.reasons) - result.score) < 1e-9
    assert not any(result.path == "shop/json/decoder.py" for result in answer.results[: len(expected)])


def test_the_fragment_holds_the_line(shop: Oracl) -> None:
    first = shop.search(PYTHON).results[0]
    assert (first.fragment, first.title) == ("L7-10", "save")
    assert next(r.text for r in first.reasons if r.signal == "trace") == "line 9 of it, in save, is in the text"
    long = shop.search('  File "shop/prices.py", line 150, in total\n').results[0]
    start, stop = map(int, long.fragment[1:].split("-"))
    assert start <= 150 <= stop and stop - start < tables.TRACE_LINES


def test_a_terminal_s_colours_are_no_part_of_a_place() -> None:
    """As `tsc --pretty` and `pytest --color` print, and a log of CI keeps, with a link of the terminal's own."""
    painted = "\x1b[96mweb/src/view.tsx\x1b[0m:\x1b[93m41\x1b[0m:\x1b[93m9\x1b[0m - \x1b[91merror\x1b[0m TS2322: no"
    for text in (painted, f"\x1b]8;;https://example.com\x07{painted}\x1b]8;;\x1b\\"):
        query = compile_query(text)
        assert [(frame.path, frame.line) for frame in query.frames] == [("web/src/view.tsx", 41)]
        assert query.words == compile_query("web/src/view.tsx:41:9 - error TS2322: no").words and query.raw == text


def test_a_line_that_moved_is_found_by_its_function(shop: Oracl) -> None:
    for line in (2, 500):
        assert shop.search(f'  File "shop/store.py", line {line}, in save\nKeyError').results[0].fragment == "L7-10"


@pytest.mark.parametrize("path", [
    "/anywhere/else/shop/store.py", "C:\\\\x\\\\shop\\\\store.py", "C:\\x\\shop\\store.py", "./shop/store.py",
    "/v/lib/python3.12/site-packages/shop/store.py", "a/../shop/store.py", "store.py",
])  # fmt: skip
def test_paths_are_matched_by_their_end(shop: Oracl, path: str) -> None:
    first = shop.search(f'Traceback (most recent call last):\n  File "{path}", line 8, in save\nKeyError: 1').results[0]
    assert (first.path, first.reasons[0].signal) == ("shop/store.py", "trace")


def test_installed_code_of_the_same_name_is_not_ours(shop: Oracl) -> None:
    text = PYTHON.splitlines()[0] + '\n  File "/usr/lib/python3.11/json/decoder.py", line 1, in f\nKeyError: cart'
    assert not any(r.signal == "trace" for result in shop.search(text).results for r in result.reasons)


def test_a_trace_knows_no_language_of_questions(shop: Oracl) -> None:
    text = '$ app -tests file:///x.js without docs\n  File "shop/store.py", line 9, in save\nerror: since 2024 -x'
    query = compile_query(text)
    assert not (query.excluded or query.directives or query.when or query.roles or query.recent)


def test_a_question_that_names_a_line_is_still_a_question(shop: Oracl) -> None:
    query = compile_query("what does shop/store.py:9 do -docs")
    assert query.frames and query.excluded == ("docs",)
    assert shop.search("what does shop/store.py:9 do -docs").results[0].path == "shop/store.py"


def test_the_end_of_a_long_trace_is_read(shop: Oracl) -> None:
    text = PYTHON.splitlines()[0] + '\n  File "/usr/lib/python3.11/ast.py", line 1, in visit\n    x' * 9000 + "\n"
    text += '  File "/srv/app/shop/store.py", line 9, in save\nRecursionError: too deep\n'
    assert shop.search(text).results[0].path == "shop/store.py"


Send = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.mark.parametrize("words", [(), ("-",)])
def test_a_pipe_is_one_question(shop: Oracl, words: tuple[str, ...]) -> None:
    code = "import sys; from oracl_git.cli import main; sys.exit(main(['search', '-z', *sys.argv[1:]]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=shop.repo.work_tree, input=PYTHON.encode(), capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(b"\0")[:2] == [b"shop/store.py", b"shop/cli.py"]
