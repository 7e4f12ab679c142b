"""Views of Rails: what they render, and what controllers show."""

from __future__ import annotations

from .reading import Tree

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
