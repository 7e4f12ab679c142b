"""Markdown: anchors as GitHub makes them, links, code spans, mentions."""

from __future__ import annotations

from oracl_git.extract.extractor import extract
from oracl_git.extract.markdown import github_slug, plain_text

TEXT = b"""\
---
title: docs/not-read.md
---
# Project `name`!

See [the guide](docs/guide.md#Setup), ![logo](img/a%20b.png "Logo") and [site](https://example.com/x.md).
[Up](../README.md), [here](#project-name), [mail](mailto:a@b.c).
Call `pkg.mod.Class.run()` in `src/app.py`; edit setup.cfg, not *.cfg or {x}/y.py.

Second
------

<a id="custom"></a><img src="img/b.png">

## Second ##

```python
# no heading
[no link](no/link.md) but scripts/run.py counts
```

[ref]: other/page.md
<!-- TODO move to docs/old.md -->
## Closed {#own-id}
"""


def test_markdown() -> None:
    facts = extract(TEXT, "markdown")
    assert facts.headings == (("Project name!", 4), ("Second", 10), ("Second", 15), ("Closed", 24))
    assert facts.anchors == (
        ("project-name", 4),
        ("second", 10),
        ("custom", 13),
        ("second-1", 15),
        ("own-id", 24),
        ("closed", 24),
    )
    assert [tuple(r) for r in facts.references] == [
        ("link", "docs/guide.md", "Setup", 6, 6),
        ("link", "img/a b.png", "", 6, 6),
        ("link", "", "project-name", 7, 7),
        ("link", "../README.md", "", 7, 7),
        ("mention", "setup.cfg", "", 8, 8),
        ("mention", "src/app.py", "", 8, 8),
        ("symbol", "pkg.mod.Class.run", "", 8, 8),
        ("link", "img/b.png", "", 13, 13),
        ("mention", "no/link.md", "", 19, 19),
        ("mention", "scripts/run.py", "", 19, 19),
        ("link", "other/page.md", "", 22, 22),
        ("comment", "docs/old.md", "", 23, 23),
    ]


def test_slugs() -> None:
    assert github_slug("Hello, World: it's 100% _done_") == "hello-world-its-100-_done_"
    assert github_slug("Überschrift – 日本語") == "überschrift--日本語"
    assert github_slug("हिन्दी भाषा") == "हिन्दी-भाषा"
    assert github_slug("ภาษาไทย cafe\u0301") == "ภาษาไทย-cafe\u0301"
    assert github_slug("⚙\ufe0f Settings, 🚀 m² ‿") == "\ufe0f-settings--m-‿"
    assert plain_text("A [link](x.md), **bold** `code` <br> _em_ snake_case") == "A link, bold code  em snake_case"


def anchors(text: str) -> list[str]:
    return [anchor for anchor, _ in extract(text.encode(), "markdown").anchors]


def test_anchors_of_headings_with_markup() -> None:
    assert anchors("# `__init__` and __all__\n") == ["__init__-and-all"]
    assert anchors("# `Vec<T>` of <b>x</b>\n") == ["vect-of-x"]
    assert anchors("# ``a`b`` \\_c\\_ [`_d_`](e.md)\n") == ["ab-_c_-_d_"]
    assert anchors("# Foo &amp; Bar `&amp;`\n") == ["foo--bar-amp"]
    assert anchors("# ![logo](logo.png) Title\n## [![b](c.png)](http://d.org) Badge\n") == ["-title", "-badge"]
    assert extract(b"# ![logo](logo.png) Title\n", "markdown").headings == (("Title", 1),)


def test_underlined_headings_that_begin_like_something_else() -> None:
    text = "2.0.0 / 2011-05-01\n====\n\n**Bold**\n---\n\n#1 first\n---\n\n-x\n---\n\n"
    assert extract(text.encode(), "markdown").headings == (
        ("2.0.0 / 2011-05-01", 1), ("Bold", 4), ("#1 first", 7), ("-x", 10),
    )  # fmt: skip
    for text in ("- a\n---\n", "1. a\n---\n", "* * *\n---\n", "---\nx\n\n---\n---\n", "> a\n---\n", "-\n---\n"):
        assert extract(text.encode(), "markdown").headings == ()


def test_fences_that_begin_with_an_item_of_a_list() -> None:
    text = "1. ```sh\n   # no\n   ```\n\n# Yes\n\n> - ~~~\n>   - ~~~\n>   # no\n>   ~~~\n\n# Too\n"
    assert [title for title, _ in extract(text.encode(), "markdown").headings] == ["Yes", "Too"]


def test_code_that_shows_how_comments_begin() -> None:
    text = b"Write `<!--` first.\n\n# Yes [a](b.md)\n\n<!-- `x` # no\nc/d.md -->\n# Too\n"
    facts = extract(text, "markdown")
    assert [title for title, _ in facts.headings] == ["Yes a", "Too"]
    assert [r[:2] for r in facts.references] == [("link", "b.md"), ("comment", "c/d.md")]


def test_escapes_in_links_and_footnotes() -> None:
    references = extract(b"[a](my\\_file.md)\n\n[^1]: README is in docs/x.md\n", "markdown").references
    assert [r[:2] for r in references] == [("link", "my_file.md"), ("mention", "docs/x.md")]


def test_fences_of_other_lengths_and_kinds() -> None:
    text = b"~~~\n```\n# no\n~~~\n# Yes\n````\n```\n# no\n````\n# Also\n```\n# open to the end\n"
    assert extract(text, "markdown").headings == (("Yes", 5), ("Also", 10))


def test_links_with_parentheses_angles_and_definitions() -> None:
    text = b"[a](<my file.md>) [b](x_(y).md) [c]( d.md )\n\n  [e]:\n  f.md 'T'\n"
    links = [r.target for r in extract(text, "markdown").references if r.kind == "link"]
    assert links == ["d.md", "my file.md", "x_(y).md", "f.md"]


def test_templates_and_queries() -> None:
    text = b"[a]({{ base }}/x.md) [b](y.md?raw=true#L3) [c](//host/z.md) [d](/root.md)\n"
    references = [(r.target, r.name) for r in extract(text, "markdown").references if r.kind == "link"]
    assert references == [("/root.md", ""), ("y.md", "L3")]


def test_placeholder() -> None:
    assert extract(b"# Plans\n\nTODO\n", "markdown").placeholder
    assert extract(b"# Plans\n\nComing soon.\n", "markdown").placeholder
    assert extract(b"  \n", "markdown").placeholder
    assert not extract(b"# TODO\n\nA list of things.\n", "markdown").placeholder
    assert not extract(b"# A\n\nTODO\n\n# B\n", "markdown").placeholder
    assert not extract(b"# A\n\nTODO " + b"word " * 100, "markdown").placeholder
    assert not extract(b"", "python").placeholder
    assert extract(b"", "text").placeholder
    assert extract(b"\n", "yaml").placeholder


def test_chunks_follow_sections() -> None:
    text = b"# A\n" + b"a\n" * 20 + b"## B\n" + b"b\n" * 2 + b"## C\n" + b"c\n" * 200
    chunks = [tuple(c) for c in extract(text, "markdown").chunks]
    assert chunks[:2] == [(1, 21, "A"), (22, 24, "B")]
    assert [c[2] for c in chunks[2:]] == ["C"] * 5
    assert chunks[-1][1] == 225


MYST = b"""\
# API

```{currentmodule} pkg.core
```

```{toctree}
:maxdepth: 2

guide/start
Other <more/page>
all/*
```

```{eval-rst}
*   .. autoclass:: Thing
       :members:

.. toctree::

   inner
```

:::{note}
See {doc}`guide/end`, {py:class}`Thing` and {func}`~pkg.util.run`.
:::

```{literalinclude} code/one.py
```
```{py-script}
:file: code/two.py
```
```python
.. autoclass:: NotThis
```
"""


def test_directives_and_roles_of_sphinx_in_markdown() -> None:
    facts = extract(MYST, "markdown")
    said = {(r.kind, r.target, r.name) for r in facts.references if r.kind != "mention"}
    assert said == {
        ("symbol", "pkg.core", ""),
        ("doc", "guide/start", ""),
        ("doc", "more/page", ""),
        ("file", "all/*.rst", ""),
        ("file", "all/*.md", ""),
        ("symbol", "pkg.core.Thing", ""),
        ("doc", "inner", ""),
        ("doc", "guide/end", ""),
        ("symbol", "Thing", "pkg.core"),
        ("symbol", "pkg.util.run", ""),
        ("link", "code/one.py", ""),
        ("link", "code/two.py", ""),
    }


def test_labels_of_sphinx_in_markdown() -> None:
    text = b"(My Label)=\n# A\n\n{ref}`there` {ref}`b <Over There>`\n\n- ```sh\n  x\n  ```\n\n```{toctree}\nc\n```\n"
    facts = extract(text, "markdown")
    assert ("my label", 1) in facts.anchors
    assert facts.declares == (("document label", "my label"),)
    assert [r[:3] for r in facts.references] == [("doc", "", "over there"), ("doc", "", "there"), ("doc", "c", "")]


def test_an_open_block_of_markdown_names_nothing() -> None:
    facts = extract(b"```{toctree}\nguide/start\n" * 3 + b":::{x" * 3_000, "markdown")
    assert {r.kind for r in facts.references} <= {"mention", "doc"}
