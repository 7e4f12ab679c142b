"""reStructuredText: sections, labels, roles, directives; examples in literal blocks are not read."""

from __future__ import annotations

from oracl_git.extract.extractor import extract

TEXT = b"""\
.. _Top Label:

=====
Title
=====

.. include:: parts/head.rst
.. image:: /img/a.png
.. |logo| image:: img/logo.png

See :doc:`guide/start`, :doc:`the API <api/index>`, :ref:`other-label`, :ref:`text <Top Label>`.
Classes :class:`~pkg.mod.Thing`, :py:func:`!run`, :meth:`.close`, :c:func:`no`.
``pkg.mod.attr`` in ``src/app.py``; `text <docs/page.html>`_; `site <https://x.org/y.rst>`__.
:download:`data <data/file.csv>`

Second
------

.. toctree::
   :maxdepth: 2

   intro
   /abs/chapter
   Named <named/page>
   https://example.com
   self

.. code-block:: rst

   :doc:`example/only`

   .. include:: example.rst

An example::

   :ref:`nothing`

.. csv-table:: T
   :file: data/table.csv

.. currentmodule:: pkg.sub
.. autoclass:: Widget
   :members:
.. py:function:: pkg.other.run(a, b=1)
.. _link: docs/extra.txt
.. _site: https://example.com
"""


def test_rst() -> None:
    facts = extract(TEXT, "rst")
    assert facts.headings == (("Title", 4), ("Second", 16))
    assert facts.anchors == (("top label", 1),)
    assert facts.declares == (("document label", "top label"),)
    assert [tuple(r) for r in facts.references] == [
        ("link", "parts/head.rst", "", 7, 7),
        ("link", "/img/a.png", "", 8, 8),
        ("link", "img/logo.png", "", 9, 9),
        ("doc", "", "other-label", 11, 11),
        ("doc", "", "top label", 11, 11),
        ("doc", "api/index", "", 11, 11),
        ("doc", "guide/start", "", 11, 11),
        ("symbol", "close", "", 12, 12),
        ("symbol", "pkg.mod.Thing", "", 12, 12),
        ("symbol", "run", "", 12, 12),
        ("link", "docs/page.html", "", 13, 13),
        ("mention", "src/app.py", "", 13, 13),
        ("symbol", "pkg.mod.attr", "", 13, 13),
        ("link", "data/file.csv", "", 14, 14),
        ("doc", "intro", "", 22, 22),
        ("doc", "/abs/chapter", "", 23, 23),
        ("doc", "named/page", "", 24, 24),
        ("mention", "example/only", "", 30, 30),
        ("mention", "example.rst", "", 32, 32),
        ("link", "data/table.csv", "", 39, 39),
        ("symbol", "pkg.sub", "", 41, 41),
        ("symbol", "pkg.sub.Widget", "", 42, 42),
        ("symbol", "pkg.other.run", "", 44, 44),
        ("link", "docs/extra.txt", "", 45, 45),
    ]


def test_headings_need_an_underline_of_their_own() -> None:
    text = b"Real\n====\n\ntext\n\n----\n\nToo long a title\n==\n\n+---+\n| a |\n+---+\n"
    assert extract(text, "rst").headings == (("Real", 1),)


def test_options_of_literal_blocks() -> None:
    text = b".. raw:: html\n   :file: a.html\n\n   :file: no.html\n\n.. graphviz:: b.dot\n\n"
    references = extract(text + b".. code::\n\n   :file: no.html\n", "rst").references
    assert [r.target for r in references if r.kind == "link"] == ["a.html", "b.dot"]


def test_a_title_may_be_indented_between_two_lines_of_marks() -> None:
    text = b"===========\n First one\n===========\n\n Text\n\n-----\n Two \n-----\n\nThree\n=====\n"
    facts = extract(text + b"\n=== ===\n a   b\n=== ===\n", "rst")
    assert facts.headings == (("First one", 2), ("Two", 8), ("Three", 11))


def test_placeholder() -> None:
    assert extract(b"Soon\n====\n\n.. TODO: write this\n", "rst").placeholder
    assert not extract(b"Soon\n====\n\nWritten.\n", "rst").placeholder


def test_roles_are_of_the_module_that_is_spoken_of() -> None:
    text = b":mod:`Early`\n\n.. currentmodule:: pkg.web\n\n:class:`Request`, :meth:`Request.get` :func:`other.run`.\n"
    found = {(r.target, r.name) for r in extract(text, "rst").references if r.kind == "symbol"}
    assert found == {
        ("Early", ""), ("pkg.web", ""), ("Request", "pkg.web"), ("Request.get", "pkg.web"), ("other.run", ""),
    }  # fmt: skip
