"""C#: definitions, usings of every kind, and types found through the namespaces a file sees."""

from __future__ import annotations

from .reading import Tree, definitions, facts

SHAPES = """\
    using System;

    namespace A.B
    {
        /// <summary>A shape.</summary>
        [Marked]
        public partial class Shape<T> : Base
        {
            private const int K = 1;
            public int Size { get; set; }
            public Shape() { }
            internal void Draw() { var s = $"x {Other.Text} y"; }
            static async Task Main(string[] args) { }
        }

        struct Point { }
        public record Pair(int a);
        public interface IArea { int Area(); }
        enum Colour { Red }
        public delegate void Drawn();
    }
    """


def test_definitions() -> None:
    assert definitions("Shape.cs", SHAPES) == [
        ("Shape", "class", 6, 14),
        ("Shape.K", "constant", 9, 9),
        ("Shape.Size", "method", 10, 10),
        ("Shape.Shape", "method", 11, 11),
        ("Shape.Draw", "method", 12, 12),
        ("Shape.Main", "method", 13, 13),
        ("Point", "class", 16, 16),
        ("Pair", "class", 17, 17),
        ("IArea", "interface", 18, 18),
        ("IArea.Area", "method", 18, 18),
        ("Colour", "class", 19, 19),
        ("Drawn", "type", 20, 20),
    ]
    found = facts("Shape.cs", SHAPES)
    public = {"Shape", "Shape.Size", "Shape.Shape", "Pair", "IArea", "IArea.Area", "Drawn"}
    assert {d.name for d in found.definitions if d.public} == public
    assert {d.name for d in found.definitions if d.documented} == {"Shape"}


def test_a_program_has_a_main_or_statements_of_its_own() -> None:
    assert facts("Shape.cs", SHAPES).entry_point
    assert facts("Program.cs", 'using X;\n\nConsole.WriteLine("x");\n').entry_point
    assert not facts("Point.cs", "class Point { void Main() { } }\n").entry_point


PROJECTS = {
    "App/App.csproj": '<Project>\n<ItemGroup>\n<Using Include="Lib.Wide" />\n</ItemGroup>\n</Project>\n',
    "App/GlobalUsings.cs": "global using Lib.Text;\n",
    "App/Sub/Program.cs": """\
        using Lib;
        using static Lib.Tools.Maths;
        using Short = Lib.Tools.VeryLong;
        using System.Text;

        namespace App.Sub;

        // Commented stays out
        [Fancy]
        class Program
        {
            Near near; Above above; Thing thing; Pair<int> pair; Words words; Broad broad; Twice twice; Short s;
            string s = $"{Quoted.Value}"; Parts parts; Nowhere nowhere;
        }
        """,
    "App/Sub/Near.cs": "namespace App.Sub;\n\nclass Near { }\nclass Commented { }\nclass Quoted { }\n",
    "App/Above.cs": "namespace App { class Above { } class FancyAttribute { } }\n",
    "Lib/Thing.cs": "namespace Lib { public class Thing { } public class Twice { } }\n",
    "Lib/Pair.cs": "namespace Lib;\n\npublic class Pair { }\n",
    "Lib/PairOf.cs": "namespace Lib;\n\npublic class Pair<T> { }\n",
    "Lib/Parts.One.cs": "namespace Lib;\n\npublic partial class Parts { }\n",
    "Lib/Parts.Two.cs": "namespace Lib;\n\npublic partial class Parts { }\n",
    "Lib/Tools/Maths.cs": "namespace Lib.Tools;\n\npublic static class Maths { }\n",
    "Lib/Tools/VeryLong.cs": "namespace Lib\n{\n    namespace Tools\n    {\n        class VeryLong { }\n    }\n}\n",
    "Lib/Text/Words.cs": "namespace Lib.Text;\n\npublic class Words { }\npublic class Twice { }\n",
    "Lib/Wide/Broad.cs": "namespace Lib.Wide;\n\npublic class Broad { }\n",
    "Lib/Inside.cs": "namespace Lib\n{\n    using Text;\n\n    class Inside { Words words; }\n}\n",
}


def test_usings_name_types_and_namespaces() -> None:
    assert Tree(PROJECTS).follow("App/Sub/Program.cs") == {
        "Lib *": "exact",
        "Lib.Tools.Maths": ["Lib/Tools/Maths.cs"],
        "Lib.Tools.VeryLong": ["Lib/Tools/VeryLong.cs"],
        "System.Text *": "external",
    }


def test_types_are_found_through_namespaces_and_usings() -> None:
    uses = Tree(PROJECTS).follow("App/Sub/Program.cs", "use")
    assert uses["Near"] == ["App/Sub/Near.cs"]
    assert uses["Above"] == ["App/Above.cs"]
    assert uses["FancyAttribute"] == ["App/Above.cs"]
    assert uses["Thing"] == ["Lib/Thing.cs"]
    assert uses["Pair<"] == ["Lib/PairOf.cs"]
    assert uses["Parts"] == ["Lib/Parts.One.cs", "Lib/Parts.Two.cs"]
    assert uses["Nowhere"] == "external"
    assert not {"Commented", "Quoted", "Short"} & set(uses)


def test_names_with_namespaces() -> None:
    code = "Lib.Thing a = new Tools.VeryLong(); Sub.Near n; Names.Words w = Names.Words.Of(); V.Of(); int Lib.Size;"
    more = "global::Lib.Pair<int> p; x.Lib.Text.Words q; Broad.Lib.Twice t; Sys.Text.Words u; new Lib.Text.Twice(); // Lib.Inside"
    tree = Tree(PROJECTS | {
        "App/Sub/Far.cs": "using Lib.Text;\nusing Names = Lib.Text;\nusing V = Lib.Tools.VeryLong;\n\n"
                          f"namespace App.Sub;\n\n[Lib.Marked] class Far {{ {code}\n{more}\n}}\n",
        "Lib/MarkedAttribute.cs": "namespace Lib;\n\nclass MarkedAttribute { }\n",
        "Lib/Within.cs": "namespace Lib;\n\nclass Within { object a = new Tools.VeryLong(); object b = new Thing.Deep(); }\n",
        "Other/Text.cs": "namespace Other;\n\nclass Text { }\n",
    })  # fmt: skip
    uses = tree.follow("App/Sub/Far.cs", "use")
    assert {name: found for name, found in uses.items() if "." in name or " " in name} == {
        "Lib.Thing": ["Lib/Thing.cs"],
        "Tools.VeryLong": "external",  # Lib is not around
        "Sub.Near": ["App/Sub/Near.cs"],
        "Lib.Text Words": ["Lib/Text/Words.cs"],
        "Lib.Text Words.Of": ["Lib/Text/Words.cs"],
        "Lib.Tools.VeryLong Of": "external",  # what the alias is of was followed
        "Lib.Size": "external",
        "global:: Lib.Pair<": ["Lib/PairOf.cs"],
        "Lib.Text.Twice": ["Lib/Text/Words.cs"],
        "Lib.Marked": "external",
        "Lib.MarkedAttribute": ["Lib/MarkedAttribute.cs"],
        "Broad.Lib.Twice": "external",
        "Sys.Text.Words": "external",
    }
    far = "class Far { Lib.Thing a; List<Lib.Inside> b; Lib.Text.Words[]? c; int d = Lib.Twice; bool e = f is Lib.Pair and g; }\n"
    uses = Tree(PROJECTS | {"Far.cs": far}).follow("Far.cs", "use")
    assert {name: found for name, found in uses.items() if "." in name} == {
        "Lib.Thing": ["Lib/Thing.cs"], "Lib.Inside": ["Lib/Inside.cs"], "Lib.Text.Words": ["Lib/Text/Words.cs"],
    }  # fmt: skip
    uses = tree.follow("Lib/Within.cs", "use")
    assert uses["Tools.VeryLong"] == ["Lib/Tools/VeryLong.cs"]
    assert (uses["Thing"], uses["Thing.Deep"]) == (["Lib/Thing.cs"], "external")


def test_global_usings_reach_the_whole_project() -> None:
    uses = Tree(PROJECTS).follow("App/Sub/Program.cs", "use")
    assert uses["Words"] == ["Lib/Text/Words.cs"]
    assert uses["Broad"] == ["Lib/Wide/Broad.cs"]


def test_a_name_of_two_namespaces_is_nobodys() -> None:
    assert Tree(PROJECTS).follow("App/Sub/Program.cs", "use")["Twice"] == "external"


def test_a_using_inside_a_namespace_is_relative_to_it() -> None:
    assert Tree(PROJECTS).follow("Lib/Inside.cs", "use")["Words"] == ["Lib/Text/Words.cs"]


def test_a_type_in_very_many_parts_is_in_the_file_called_like_it() -> None:
    part = "namespace Lib;\n\npublic partial class Big { }\n"
    files = {f"Lib/Big.{index}.cs": part for index in range(8)} | {"Lib/Big.cs": part}
    tree = Tree(files | {"Lib/User.cs": "namespace Lib;\n\nclass User { Big big; }\n"})
    assert tree.follow("Lib/User.cs", "use")["Big"] == ["Lib/Big.cs"]


def test_a_property_is_no_use_of_a_type_that_is_called_like_it() -> None:
    tree = Tree({
        "Name.cs": "namespace A;\n\nclass Name { }\nclass Kind { }\nclass Base { }\nclass Left { }\n",
        "User.cs": """\
            namespace A;

            class User : Base
            {
                public string Name { get; set; }
                public int Kind
                {
                    internal get; set;
                }
                User Make() => new User { Left = 1 };
            }
            """,
        "Other.cs": "namespace A;\n\nclass Other : Name { private Kind k; bool F() => k is Left == true; }\n",
    })  # fmt: skip
    assert set(tree.follow("User.cs", "use")) & {"Name", "Kind", "Left", "Base"} == {"Base"}
    assert {"Name", "Kind", "Left"} <= set(tree.follow("Other.cs", "use"))


def test_risks() -> None:
    code = (
        "using System.Security.Cryptography;\nclass A { void F() { Process.Start(x); new BinaryFormatter();"
        ' new TcpListener(1); new SqlCommand($"select {x}"); Assembly.Load(x); } }\n'
    )
    assert set(dict(facts("A.cs", code).risk)) == {
        "cryptography", "process_spawn", "unsafe_deserialisation", "network_listener", "raw_sql", "dynamic_eval",
    }  # fmt: skip


def test_events_local_functions_and_what_an_interface_holds() -> None:
    text = """\
        public interface IShape {
            event Action Moved;
            class Options { }
        }
        public class Shape : IShape {
            public event Action? Moved;
            event Action Hidden { add { } remove { } }
        }
        public enum Kind { Round, Square }
        """
    found = facts("Shape.cs", text)
    assert [(d.name, d.kind, d.public) for d in found.definitions] == [
        ("IShape", "interface", True),
        ("IShape.Moved", "method", True),
        ("IShape.Options", "class", True),
        ("Shape", "class", True),
        ("Shape.Moved", "method", True),
        ("Shape.Hidden", "method", False),
        ("Kind", "class", True),
    ]
    assert not {"Round", "Square"} & {r.name for r in found.references}
    script = 'var app = Build();\napp.Run();\nApp Build() { return new App(); }\n'
    assert [(d.name, d.kind) for d in facts("Program.cs", script).definitions] == [("Build", "function")]
