"""Templates of Jinja and Django, and the code that renders them."""

from __future__ import annotations

from .reading import Tree

FILES = {
    "shop/templates/base.html": "<html>{% block body %}{% endblock %}</html>",
    "shop/templates/shop/item.html": '{% extends "base.html" %}\n{% include "shop/price.html" %}\n{%- from "macros.j2" import x %}',
    "shop/templates/shop/price.html": "{% include ['shop/none.html', './local.html'] %}",
    "shop/templates/shop/local.html": "",
    "shop/templates/macros.j2": "{% macro x() %}{% endmacro %}",
    "other/templates/base.html": "",
    "other/templates/page.html": "{% extends 'base.html' %}{% include name %}",
    "shop/views.py": 'def item(request):\n    return render(request, "shop/item.html", {})\n\nclass V:\n    template_name = "shop/price.html"\n',
    "web/app.py": 'return_ = render_template("shop/item.html")\n',
}


def test_tags() -> None:
    tree = Tree(FILES)
    assert tree.follow("shop/templates/shop/item.html", "template") == {
        "base.html": ["shop/templates/base.html"],
        "shop/price.html": ["shop/templates/shop/price.html"],
        "macros.j2": ["shop/templates/macros.j2"],
    }
    assert tree.follow("shop/templates/shop/price.html", "template") == {
        "shop/none.html": "external",
        "./local.html": ["shop/templates/shop/local.html"],
    }
    assert tree.follow("other/templates/page.html", "template") == {"base.html": ["other/templates/base.html"]}


def test_code_that_renders() -> None:
    tree = Tree(FILES)
    assert tree.follow("shop/views.py", "template") == {
        "shop/item.html": ["shop/templates/shop/item.html"],
        "shop/price.html": ["shop/templates/shop/price.html"],
    }
    assert tree.follow("web/app.py", "template") == {"shop/item.html": ["shop/templates/shop/item.html"]}
