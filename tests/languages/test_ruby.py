"""Ruby: definitions, what is required, and constants by the modules around them."""

from __future__ import annotations

import pytest

from oracl_git.extract.ruby import underscore

from .reading import Tree, definitions, facts

SHAPES = """\
    module Shapes
      # A square.
      class Square < Base
        SIDE = 1

        def size(x) = 1

        def self.make; end

        class << self
          def other; end
        end

        private def hidden; end

        private

        def secret
          local = 1
        end
      end
    end

    Point = Struct.new(:a) do
      def far?; end
    end
    """


def test_definitions() -> None:
    assert definitions("shapes.rb", SHAPES) == [
        ("Shapes", "module", 1, 22),
        ("Shapes.Square", "class", 3, 21),
        ("Shapes.Square.SIDE", "constant", 4, 4),
        ("Shapes.Square.size", "method", 6, 6),
        ("Shapes.Square.make", "method", 8, 8),
        ("Shapes.Square.other", "method", 11, 11),
        ("Shapes.Square.hidden", "method", 14, 14),
        ("Shapes.Square.secret", "method", 18, 20),
        ("Point", "class", 24, 26),
        ("Point.far?", "method", 25, 25),
    ]
    found = facts("shapes.rb", SHAPES)
    assert {d.name for d in found.definitions if not d.public} == {"Shapes.Square.hidden", "Shapes.Square.secret"}
    assert {d.name for d in found.definitions if d.documented} == {"Shapes.Square"}


def test_entry_points() -> None:
    assert facts("Rakefile", "task default: :test\n").entry_point
    assert facts("run.rb", "if __FILE__ == $0\n  main\nend\n").entry_point
    assert facts("run.rb", "#!/usr/bin/env ruby\nputs 1\n").entry_point
    assert not facts("a.rb", "class A\n  def task(x); end\nend\n").entry_point


@pytest.mark.parametrize(
    ("constant", "path"),
    [("A::BigName", "a/big_name"), ("HTMLParser", "html_parser"), ("V2Client", "v2_client"), ("Foo", "foo")],
)
def test_the_convention_of_autoloaders(constant: str, path: str) -> None:
    assert underscore(constant) == path


GEM = {
    "top.gemspec": 'Gem::Specification.new do |s|\n  s.name = "top"\n  s.add_dependency "part"\nend\n',
    "Gemfile": 'gem "rails"\ngem "part", path: "part"\n',
    "lib/top.rb": """\
        require "json"
        require "top/version"
        require_relative "top/tools"
        require_relative "nothing"
        autoload :Lazy, "top/lazy"
        load File.expand_path("../top/plain.rb", __FILE__)

        module Top
          autoload :HTMLPage
          def self.go; Tools::Hammer.new; "Quoted #{Lazy}"; end # Commented
        end
        """,
    "lib/top/version.rb": 'module Top\n  VERSION = "1"\nend\n',
    "lib/top/tools.rb": "module Top\n  module Tools\n    class Hammer\n      def hit; Nail; end\n    end\n  end\nend\n",
    "lib/top/tools/nail.rb": "module Top::Tools\n  class Nail\n  end\nend\n",
    "lib/top/lazy.rb": "module Top\n  class Lazy < ::Top::HTMLPage\n    X = VERSION\n  end\nend\n",
    "lib/top/html_page.rb": "module Top\n  class HTMLPage; end\nend\n",
    "lib/top/plain.rb": "puts 1\n",
    "lib/top/json.rb": 'require "json"\n\nmodule Top\n  class Json; end\nend\n',
    "spec/spec_helper.rb": 'require "top"\n',
    "spec/top/lazy_spec.rb": 'require "spec_helper"\n\nRSpec.describe Top::Lazy do\nend\n',
    "part/part.gemspec": 'Gem::Specification.new do |spec|\n  spec.name = "part"\nend\n',
    "part/lib/part.rb": "module Part\nend\n",
    "bin/run.rb": 'require "part"\n',
}  # fmt: skip


def test_requires() -> None:
    tree = Tree(GEM)
    assert tree.follow("lib/top.rb") == {
        "json": "external",
        "top/version": ["lib/top/version.rb"],
        "./top/tools": ["lib/top/tools.rb"],
        "./nothing": "unresolved",
        "top/lazy": ["lib/top/lazy.rb"],
        "./top/plain.rb": ["lib/top/plain.rb"],
        "top/html_page": ["lib/top/html_page.rb"],
    }
    assert tree.follow("lib/top/json.rb") == {"json": "external"}
    assert tree.follow("spec/spec_helper.rb") == {"top": ["lib/top.rb"]}
    assert tree.follow("spec/top/lazy_spec.rb") == {"spec_helper": ["spec/spec_helper.rb"]}
    assert tree.follow("bin/run.rb") == {"part": ["part/lib/part.rb"]}


def test_constants_are_looked_up_through_the_modules_around_them() -> None:
    tree = Tree(GEM)
    assert tree.follow("lib/top.rb", "use") == {
        "Top Tools::Hammer": ["lib/top/tools.rb"],
        "Top Lazy": ["lib/top/lazy.rb"],
    }
    assert tree.follow("lib/top/tools.rb", "use") == {"Top::Tools::Hammer Nail": ["lib/top/tools/nail.rb"]}
    uses = tree.follow("lib/top/lazy.rb", "use")
    assert uses["Top::HTMLPage"] == ["lib/top/html_page.rb"]
    assert uses["Top::Lazy VERSION"] == ["lib/top/version.rb"]
    assert tree.follow("spec/top/lazy_spec.rb", "use")["Top::Lazy"] == ["lib/top/lazy.rb"]


def test_a_reopened_module_is_in_the_file_called_like_it() -> None:
    assert Tree(GEM | {"x.rb": "Top.go\nTop::Tools\n"}).follow("x.rb", "use") == {
        "Top": ["lib/top.rb"],
        "Top::Tools": ["lib/top/tools.rb"],
    }
    namesakes = {"a.rb": "module Both\n  A = 1\nend\n", "b.rb": "module Both\n  B = 1\nend\n", "c.rb": "Both\n"}
    assert Tree(namesakes).follow("c.rb", "use") == {"Both": "external"}


def test_gems_depend_on_each_other() -> None:
    assert Tree(GEM).follow("top.gemspec", "depends") == {"part gem": ["part/part.gemspec"]}
    assert Tree(GEM).follow("Gemfile", "depends")["part gem"] == ["part/part.gemspec"]


def test_risks() -> None:
    code = (
        'require "openssl"\nsystem("ls")\neval(x)\nMarshal.load(y)\nTCPServer.new(1)\nX.find_by_sql("select #{x}")\n'
    )
    assert set(dict(facts("a.rb", code).risk)) == {
        "cryptography", "process_spawn", "dynamic_eval", "unsafe_deserialisation", "network_listener", "raw_sql",
    }  # fmt: skip


def test_modules_whose_directory_runs_their_words_together_and_what_is_not_of_the_tree() -> None:
    tree = Tree(
        {
            "lib/rubocop/base.rb": "module RuboCop\n  class Base\n    Sign = RuboCop::AST::Node\n  end\nend\n",
            "lib/rubocop/lsp.rb": "module RuboCop\n  module LSP\n    def self.on; end\n  end\nend\n",
            "lib/rubocop/lsp/run.rb": "module RuboCop\n  module LSP\n    class Run < Base\n    end\n  end\nend\n",
            "lib/rubocop/encoding.rb": "module RuboCop\n  class Encoding\n  end\nend\n",
            "lib/rubocop/aliases.rb": "module RuboCop\n  Token = AST::Token\nend\n",
            "lib/rubocop/all.rb": "module RuboCop\n  LSP.on; ::Encoding::UTF_8; Token; /\\A/\nend\n",
            **{f"lib/rubocop/x{n}.rb": "module RuboCop\nend\n" for n in range(5)},
        }
    )
    assert tree.follow("lib/rubocop/all.rb", "use") == {
        "RuboCop LSP": ["lib/rubocop/lsp.rb"],
        "Encoding::UTF_8": "external",
        "RuboCop Token": ["lib/rubocop/aliases.rb"],
    }
    assert tree.follow("lib/rubocop/base.rb", "use") == {"RuboCop::Base RuboCop::AST::Node": "external"}


def test_what_private_reaches() -> None:
    text = """\
        module Shapes
          class << self
            def made; end

            private

            def remade; end
          end

          def self.after; end

          class Inner
            private

            def hidden; end
          end

          def shown; end

          SECRET = 1
          private_constant :SECRET, :OTHER
          OTHER = 2

          private

          def self.still_shown; end
          class Open
            def shown; end
          end
          public

          def late; end
          private :late
        end

        def top = <<~MESSAGE
          Text.
        MESSAGE

        __END__
        Widget.new
        """
    found = facts("shapes.rb", text)
    assert {d.name for d in found.definitions if not d.public} == {
        "Shapes.remade",
        "Shapes.Inner.hidden",
        "Shapes.SECRET",
        "Shapes.OTHER",
        "Shapes.late",
    }
    assert not {"Widget", "MESSAGE"} & {r.name for r in found.references}
