"""Jupyter notebooks: cells on their lines, outputs left out."""

from __future__ import annotations

import json

from oracl_git.extract.extractor import extract, read

from .reading import Tree


def notebook(*cells: tuple[str, str], language: str = "python") -> str:
    """A notebook as Jupyter saves one."""
    rows = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"execution_count": 1, "outputs": [{"text": ["secret_output\n", "import hidden\n"]}]} if kind == "code" else {})
        for kind, text in cells
    ]
    about = {"cells": rows, "metadata": {"kernelspec": {"language": language}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(about, indent=1, sort_keys=True)


TEXT = notebook(
    ("markdown", "# Study\n\nSee docs/why.md and [data](../data/x.csv)."),
    ("code", "%matplotlib inline\nfrom pkg import load\n\ndef plot(x):\n    return load(x)\n"),
    ("code", "y = plot('a \"quoted\" word')"),
)


def test_definitions_and_imports_stand_on_the_lines_of_the_file() -> None:
    found = extract(TEXT.encode(), "notebook")
    line = {text: number for number, text in enumerate(TEXT.splitlines(), 1)}
    plot = next(d for d in found.definitions if d.name == "plot")
    assert (plot.start, plot.end) == (line['    "def plot(x):\\n",'], line['    "    return load(x)\\n"'])
    assert ("import", "pkg", "load") in {r[:3] for r in found.references}
    assert {r.target for r in found.references if r.kind == "comment"} == {"docs/why.md", "../data/x.csv"}
    assert found.headings == (("Study", line['    "# Study\\n",']),)
    assert found.error == ""


def test_outputs_are_not_searched() -> None:
    _, texts = read(TEXT.encode(), "notebook")
    said = " ".join(body for _, body in texts)
    assert "secret" not in said
    assert "quoted" in said


def test_imports_lead_into_the_repository() -> None:
    tree = Tree({"pkg/__init__.py": "from .io import load\n", "pkg/io.py": "def load(x): pass\n", "book/a.ipynb": TEXT})
    assert tree.follow("book/a.ipynb") == {"pkg load": ["pkg/io.py"]}


def test_cells_that_are_handed_to_something_else_are_text() -> None:
    text = notebook(("code", "%%bash\ncd x && if y; then z; fi\n"), ("code", "%%time\nimport a\n"), ("code", "import b\n"))
    found = extract(text.encode(), "notebook")
    assert found.error == ""
    assert [r.target for r in found.references] == ["a", "b"]


def test_notebooks_as_they_once_were() -> None:
    cells = [{"cell_type": "code", "input": ["import a\n", "b = 1"], "language": "python", "outputs": []}]
    old = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}, indent=1)
    found = extract(old.encode(), "notebook")
    assert [r.target for r in found.references] == ["a"]
    assert [d.name for d in found.definitions] == ["b"]


def test_another_language_is_text() -> None:
    found = extract(notebook(("code", "f <- function(x) x"), language="R").encode(), "notebook")
    assert found.definitions == ()
    assert found.error == ""


def test_what_is_no_notebook() -> None:
    for text in ("", "[]", '{"cells": [', '{"source": ["x', '"source": [\n"a\\', '{"cells":[{"cell_type":"code","source":["a","b"]}]}'):
        assert extract(text.encode(), "notebook").error in ("", "syntax", "too broken")


def test_a_cell_that_is_written_to_a_module_is_python() -> None:
    first = (
        "%%writefile train.py", "%%writefile -a $folder/train.py", "%%file --append lib/x.py", "%%writefile $TRAIN",
        "%%writefile {name}", "%%writefile Dockerfile", "%%writefile $folder/conf.yml", "%%writefile a.pyx", "%%bash",
    )  # fmt: skip
    text = notebook(*(("code", f"{line}\nimport m{number}\n") for number, line in enumerate(first)))
    assert {r.target for r in extract(text.encode(), "notebook").references if r.kind == "import"} == {f"m{n}" for n in range(5)}
