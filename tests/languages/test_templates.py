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


def test_tags_that_are_not_run() -> None:
    text = (
        "{# {% include 'a.html' %} #}{% comment 'x' %}{% include 'b.html' %}{% endcomment %}{%- raw %}{% include 'c.html' %}"
        "{% endraw %}\n{{#if}}{% include 'd.html' %}{% verbatim %}{% include 'e.html' %}"
    )
    assert list(Tree({"templates/x.html": text}).follow("templates/x.html", "template")) == ["d.html"]


def test_code_that_renders() -> None:
    tree = Tree(FILES)
    assert tree.follow("shop/views.py", "template") == {
        "shop/item.html": ["shop/templates/shop/item.html"],
        "shop/price.html": ["shop/templates/shop/price.html"],
    }
    assert tree.follow("web/app.py", "template") == {"shop/item.html": ["shop/templates/shop/item.html"]}


def test_code_that_renders_over_lines_and_from_lists() -> None:
    tree = Tree({
        "shop/templates/shop/a.html": "",
        "shop/templates/shop/b.txt": "{% include 'shop/c.txt' %}\n",
        "shop/templates/shop/c.txt": "",
        "shop/views.py": 'a = render(\n    request,\n    "shop/a.html",\n)\nb = select_template(["shop/no.html", "shop/b.txt"])\n'
        'email_template_name = "shop/c.txt"\n',
    })  # fmt: skip
    assert tree.follow("shop/views.py", "template") == {
        "shop/a.html": ["shop/templates/shop/a.html"],
        "shop/no.html": "external",
        "shop/b.txt": ["shop/templates/shop/b.txt"],
        "shop/c.txt": ["shop/templates/shop/c.txt"],
    }
    assert tree.follow("shop/templates/shop/b.txt", "template") == {"shop/c.txt": ["shop/templates/shop/c.txt"]}


def test_a_template_of_an_application_elsewhere_is_not_the_one_of_its_name_here() -> None:
    tree = Tree({
        "shop/templates/page.html": "{% extends 'base.html' %}",
        "shop/templates/mail/base.html": "",
        "docs/howto.txt": "Write {% include 'mail/base.html' %}.\n",
    })  # fmt: skip
    assert tree.follow("shop/templates/page.html", "template") == {"base.html": "external"}
    assert tree.follow("docs/howto.txt", "template") == {"mail/base.html": "external"}


def test_a_name_without_a_directory_is_one_of_a_loader() -> None:
    tree = Tree(
        {
            "app/jinja2/app/base.html": '{% extends "base.html" %}',
            "app/jinja2/app/page.html": '{% extends "base.html" %}{% include "menu.html" %}',
            "app/jinja2/app/menu.html": "",
            "site/jinja2/base.html": "",
            "site/other/base.html": "",
        }
    )
    assert tree.follow("app/jinja2/app/base.html", "template") == {"base.html": ["site/jinja2/base.html"]}
    assert tree.follow("app/jinja2/app/page.html", "template") == {
        "base.html": ["site/jinja2/base.html"],
        "menu.html": ["app/jinja2/app/menu.html"],
    }
