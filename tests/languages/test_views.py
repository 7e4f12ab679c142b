"""Views of Rails: what they render, and what controllers show."""

from __future__ import annotations

import time

import pytest

from .reading import Tree, facts

SHOP = {
    "app/controllers/admin/items_controller.rb": """\
        class Admin::ItemsController < ApplicationController
          layout "shop"
          def index
          end
          def create
            return render :new, status: 422 if bad
            render action: "edit", layout: false
          end
          def show
            render partial: "row", locals: { a: 1 }
            render json: { edit: 1 }
            render "shared/box"
          end
          private
          def edit
          end
        end
        """,
    "app/mailers/user_mailer.rb": "class UserMailer < ApplicationMailer\n  def hello\n  end\nend\n",
    "app/helpers/x_helper.rb": 'module XHelper\n  def box\n    render("shared/box", a: 1)\n  end\nend\n',
    "app/views/admin/items/index.html.erb": "<% render 'row' %>\n<%= render partial: 'shared/box', locals: { a: 1 } %>\n",
    "app/views/admin/items/index.json.jbuilder": 'json.partial! "admin/items/row", a: 1\n',
    "app/views/admin/items/new.html.haml": '- if a\n  = render "row"\n  = render(layout: "none")\n',
    "app/views/admin/items/edit.html.slim": "== render :partial => 'shared/box'\n",
    "app/views/admin/items/_row.html.erb": "<tr></tr>\n",
    "app/views/admin/items/_row.json.jbuilder": "json.a 1\n",
    "app/views/shared/_box.html.erb": "<b></b>\n",
    "app/views/layouts/shop.html.erb": "<html></html>\n",
    "app/views/user_mailer/hello.html.erb": "<b></b>\n",
    "app/views/user_mailer/hello.text.erb": "b\n",
    "engine/app/views/mine/a.html.erb": '<%= render "shared/box" %>\n<%= render "no/such" %>\n',
}
ROW = ["app/views/admin/items/_row.html.erb", "app/views/admin/items/_row.json.jbuilder"]
BOX = ["app/views/shared/_box.html.erb"]


def test_controllers() -> None:
    assert Tree(SHOP).follow("app/controllers/admin/items_controller.rb", "template") == {
        "admin/items/create implicit": "external",
        "admin/items/edit view": ["app/views/admin/items/edit.html.slim"],
        "admin/items/index implicit": [
            "app/views/admin/items/index.html.erb",
            "app/views/admin/items/index.json.jbuilder",
        ],
        "admin/items/new view": ["app/views/admin/items/new.html.haml"],
        "admin/items/row partial": ROW,
        "admin/items/show implicit": "external",
        "layouts/shop view": ["app/views/layouts/shop.html.erb"],
        "shared/box": BOX,
    }
    assert Tree(SHOP).follow("app/mailers/user_mailer.rb", "template") == {
        "user_mailer/hello implicit": ["app/views/user_mailer/hello.html.erb", "app/views/user_mailer/hello.text.erb"]
    }
    assert Tree(SHOP).follow("app/helpers/x_helper.rb", "template") == {"shared/box": BOX}


def test_views_and_builders() -> None:
    tree = Tree(SHOP)
    assert tree.follow("app/views/admin/items/index.html.erb", "template") == {"row partial": ROW, "shared/box partial": BOX}
    assert tree.follow("app/views/admin/items/index.json.jbuilder", "template") == {"admin/items/row partial": ROW}
    assert tree.follow("app/views/admin/items/new.html.haml", "template") == {"row partial": ROW}
    assert tree.follow("app/views/admin/items/edit.html.slim", "template") == {"shared/box partial": BOX}
    assert tree.follow("engine/app/views/mine/a.html.erb", "template") == {
        "shared/box partial": BOX,
        "no/such partial": "external",
    }


def test_what_a_comment_of_a_view_renders_is_not_rendered() -> None:
    tree = Tree({
        "app/views/a/erb.html.erb": "<%# render 'row' %>\n<%= render 'cell' %>\n",
        "app/views/a/haml.html.haml": "%p\n  -# = render 'row'\n    = render 'row'\n\n    = render 'row'\n"
        "  / = render 'row'\n    = render 'cell'\n",
        "app/views/a/slim.html.slim": "p\n  / = render 'row'\n    == render 'row'\n  == render 'cell'\n  a href=\"/x\" = render 'more'\n",
        **{f"app/views/a/_{name}.html.erb": "<b></b>\n" for name in ("row", "cell", "more")},
    })  # fmt: skip
    cell, more = ["app/views/a/_cell.html.erb"], ["app/views/a/_more.html.erb"]
    assert tree.follow("app/views/a/erb.html.erb", "template") == {"cell partial": cell}
    assert tree.follow("app/views/a/haml.html.haml", "template") == {"cell partial": cell}
    assert tree.follow("app/views/a/slim.html.slim", "template") == {"cell partial": cell, "more partial": more}


def test_directories_of_views_that_code_names() -> None:
    tree = Tree({
        "config/application.rb": "module Shop\n  class Application < Rails::Application\n"
        "    config.paths['app/views'].unshift(\"#{Rails.root}/app/views/bright\")\n  end\nend\n",
        "app/controllers/items_controller.rb": "class ItemsController < Base\n  prepend_view_path 'app/views/dark'\n"
        "  def index\n  end\n  def show\n  end\nend\n",
        "app/helpers/x_helper.rb": "module XHelper\n  def bar\n    render 'bar'\n  end\nend\n",
        "app/views/bright/items/index.html.slim": "= render 'items/row'\n",
        "app/views/bright/items/_row.html.slim": "p\n",
        "app/views/dark/items/show.html.slim": "p\n",
        "app/views/application/_bar.html.slim": "p\n",
    })  # fmt: skip
    assert tree.follow("app/controllers/items_controller.rb", "template") == {
        "items/index implicit": ["app/views/bright/items/index.html.slim"],
        "items/show implicit": ["app/views/dark/items/show.html.slim"],
    }
    assert tree.follow("app/views/bright/items/index.html.slim", "template") == {
        "items/row partial": ["app/views/bright/items/_row.html.slim"]
    }
    assert tree.follow("app/helpers/x_helper.rb", "template") == {"bar": ["app/views/application/_bar.html.slim"]}


@pytest.mark.parametrize("piece", ["/", "-#", "/ a\n ", "%p\n-# a\n", "<%#", "<%# % ", "  / x\n\n", "= render ", "\n "])
def test_hostile_views_cost_as_much_as_they_are_long(piece: str) -> None:
    text = (piece * (400_000 // len(piece) + 1))[:400_000]
    text = "\n".join(text[i : i + 50_000] for i in range(0, len(text), 50_000))  # longer lines are not read at all
    before = time.process_time()
    assert facts("a.haml", text).error == ""
    assert time.process_time() - before < 3


def test_an_application_that_reopens_a_module_of_others_is_not_that_module() -> None:
    tree = Tree({
        "lib/patches.rb": "module Rails\n  class Patch\n  end\nend\n",
        "lib/own/part.rb": "module Own\n  class Part\n    def go\n    end\n  end\nend\n",
        "app/models/a.rb": "class A\n  def x\n    Rails.logger\n    Own.part\n    Own::Part.new\n  end\nend\n",
    })  # fmt: skip
    assert tree.follow("app/models/a.rb", "use") == {
        "A Rails": "external",
        "A Own": ["lib/own/part.rb"],
        "A Own::Part": ["lib/own/part.rb"],
    }
