"""Maven, Gradle, MSBuild and Composer: what projects are called, hold and need."""

from __future__ import annotations

import time

from .reading import Tree, facts

MAVEN = {
    "pom.xml": """\
        <project>
          <groupId>org.x</groupId>
          <artifactId>top</artifactId>
          <!-- <module>gone</module> -->
          <modules><module>core</module><module>app/pom-app.xml</module></modules>
        </project>
        """,
    "core/pom.xml": """\
        <project>
          <parent><groupId>org.x</groupId><artifactId>top</artifactId></parent>
          <artifactId>core</artifactId>
        </project>
        """,
    "app/pom.xml": """\
        <project>
          <parent>
            <groupId>org.x</groupId>
            <artifactId>top</artifactId>
          </parent>
          <dependencies>
            <dependency><groupId>${project.groupId}</groupId><artifactId>core</artifactId></dependency>
            <dependency><groupId>junit</groupId><artifactId>junit</artifactId></dependency>
          </dependencies>
          <artifactId>app</artifactId>
        </project>
        """,
}


def test_maven() -> None:
    tree = Tree(MAVEN)
    assert tree.follow("app/pom.xml", "depends") == {
        "org.x:top maven": ["pom.xml"],
        "org.x:core maven": ["core/pom.xml"],
        "junit:junit maven": "exact",
    }
    assert facts("app/pom.xml", MAVEN["app/pom.xml"]).declares == (("maven", "org.x:app"),)
    provided = [r.target for r in tree.facts["pom.xml"].references if r.kind == "provides"]
    assert provided == ["app/pom-app.xml", "core/pom.xml"]


GRADLE = {
    "settings.gradle.kts": """\
        include(":core", ":lib:deep-util")
        include(":moved")
        // include(":gone")
        project(":moved").projectDir = file("else/where")
        """,
    "core/build.gradle.kts": """\
        dependencies {
            implementation(project(":lib:deep-util"))
            implementation(projects.lib.deepUtil)
            testImplementation(project(path = ":moved", configuration = "x"))
            implementation(project(":nothing"))
        }
        """,
    "lib/deep-util/build.gradle": "dependencies {\n  api project(':core')\n  api project(path: ':moved')\n}\n",
    "else/where/build.gradle": "",
}


def test_gradle() -> None:
    tree = Tree(GRADLE)
    assert tree.follow("core/build.gradle.kts", "depends") == {
        ":lib:deep-util gradle project": ["lib/deep-util/build.gradle"],
        "lib.deepUtil gradle project": ["lib/deep-util/build.gradle"],
        ":moved gradle project": ["else/where/build.gradle"],
        ":nothing gradle project": "external",
    }
    assert tree.follow("lib/deep-util/build.gradle", "depends") == {
        ":core gradle project": ["core/build.gradle.kts"],
        ":moved gradle project": ["else/where/build.gradle"],
    }
    provided = {r.target for r in tree.facts["settings.gradle.kts"].references if r.kind == "provides"}
    assert {"core/build.gradle.kts", "lib/deep-util/build.gradle", "else/where/build.gradle"} <= provided
    assert not any("gone" in target for target in provided)


def test_msbuild() -> None:
    tree = Tree({
        "All.sln": 'Project("{F}") = "App", "App\\App.csproj", "{A}"\nEndProject\nProject("{F}") = "docs", "docs", "{B}"\n',
        "All.slnx": '<Solution>\n  <Project Path="Lib/Lib.csproj" />\n</Solution>\n',
        "App/App.csproj": """\
            <Project>
              <Import Project="..\\Shared.props" />
              <ItemGroup>
                <ProjectReference Include="..\\Lib\\Lib.csproj" />
                <ProjectReference Include="$(Root)\\Other.csproj" />
                <Compile Include="..\\Lib\\Linked.cs" Link="Linked.cs" />
                <Using Include="Lib.Text" />
              </ItemGroup>
            </Project>
            """,
        "Lib/Lib.csproj": "<Project />\n",
        "Lib/Linked.cs": "",
        "Shared.props": "<Project />\n",
    })  # fmt: skip
    assert tree.follow("App/App.csproj", "depends") == {"../Lib/Lib.csproj": ["Lib/Lib.csproj"]}
    found = tree.facts["App/App.csproj"]
    assert {"../Shared.props", "../Lib/Linked.cs"} <= {r.target for r in found.references if r.kind == "path"}
    assert found.declares == (("csharp global", "Lib.Text"),)
    listed = [r.target for name in ("All.sln", "All.slnx") for r in tree.facts[name].references if r.kind == "provides"]
    assert listed == ["App/App.csproj", "Lib/Lib.csproj"]


def test_composer() -> None:
    tree = Tree({
        "composer.json": """\
            {
                "name": "top/top",
                "require": {"php": ">=8", "top/part": "*"},
                "bin": ["bin/top"],
                "autoload": {"psr-4": {"Top\\\\": ["src", "more/"]}, "classmap": ["old/"], "files": ["src/functions.php"]}
            }
            """,
        "part/composer.json": '{"name": "top/part"}\n',
    })  # fmt: skip
    assert tree.follow("composer.json", "depends") == {"top/part composer": ["part/composer.json"]}
    found = tree.facts["composer.json"]
    assert found.declares == (("composer", "top/top"), ("psr-4", "Top\\ src"), ("psr-4", "Top\\ more/"))
    assert [r.target for r in found.references if r.kind == "provides"] == ["bin/top", "old", "src/functions.php"]
    assert facts("composer.json", '{"name": ').declares == ()
    assert facts("composer.json", '[{"autoload": []}]').declares == ()


def test_makefiles_that_a_pattern_takes_in(edges) -> None:
    found = edges({
        "Makefile": "D = more\n-include $(wildcard mk/*.mk)\ninclude $(sort $(wildcard $(D)/*.mk)) ${strip own.mk}\n"
                    "include plain/*.mk\n",
        **dict.fromkeys(("mk/a.mk", "mk/b.mk", "more/c.mk", "own.mk", "plain/d.mk", "other/e.mk"), "A = 1\n"),
    })  # fmt: skip
    assert found == {
        ("references", "Makefile", path) for path in ("mk/a.mk", "mk/b.mk", "more/c.mk", "own.mk", "plain/d.mk")
    }


def test_functions_of_makefiles_within_each_other_have_an_end() -> None:
    for piece in (b"$(sort ", b"$(wildcard $(a)", b"${strip $(a) a/", b")"):
        text = b"\n".join([b"include " + (piece * 1_000)[:900]] * 400)
        before = time.process_time()
        facts("Makefile", text)
        assert time.process_time() - before < 3
