"""What ties a repository together: pipelines, containers, clusters, infrastructure, projects, sites."""

from __future__ import annotations

import time

import pytest

from oracl_git.extract import hooks

from .reading import Tree, definitions, facts


def test_pipelines(edges) -> None:
    assert edges({
        ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n      - uses: ./.github/actions/setup\n"
        "      - run: tools/check.sh\n  b:\n    uses: ./.github/workflows/again.yml\n",
        ".github/workflows/again.yml": "on: workflow_call\n",
        ".github/actions/setup/action.yml": "runs:\n  using: composite\n  steps: [{run: ./go.sh}]\n",
        "tools/check.sh": "#!/bin/sh\nexit 0\n",
        ".gitlab-ci.yml": "include:\n  - local: /ci/build.yml\n",
        "ci/build.yml": "build:\n  script: make\n",
    }) == {
        ("configures", ".github/workflows/ci.yml", ".github/actions/setup/action.yml"),
        ("configures", ".github/workflows/ci.yml", "tools/check.sh"),
        ("configures", ".github/workflows/ci.yml", ".github/workflows/again.yml"),
        ("configures", ".gitlab-ci.yml", "ci/build.yml"),
    }  # fmt: skip


def test_pipelines_of_gitlab_include_from_the_top(edges) -> None:
    assert edges({
        ".gitlab-ci.yml": "stages: [build]\ninclude:\n  - local: .gitlab/jobs/build.yml\n    rules:\n      - if: $A\n"
        "  - '/ci/*.yml'\n  - local: '.gitlab/more/**/*.yml'\n  - ci/no/such.yml\n"
        "  - project: other/templates\n    ref: main\n    file:\n      - pipelines/go.yml\n"
        "  - remote: https://x.org/pipelines/go.yml\n  - template: go.yml\n\nbuild:\n"
        "  script:\n    - $CI_PROJECT_DIR/tools/check.sh --all\n    - ${CI_PROJECT_DIR}/tools/go.py\n",
        ".gitlab/jobs/build.yml": "below:\n  trigger:\n    include:\n      - local: ci/below/child.yml\n"
        "      - artifact: made.yml\n        job: make\n    strategy: depend\nagain:\n  trigger:\n"
        "    include: 'ci/below/again.yml'\n",
        ".gitlab/jobs/ci/below/child.yml": "not: this\n",
        ".gitlab/more/a/b/c.yml": "c:\n  script: true\n",
        ".gitlab/more/d.yml": "include: [ci/one.yml, {local: /ci/below/child.yml}]\nd:\n  script: true\n",
        "ci/one.yml": "include:\n  local: ci/two.yml\none:\n  stage: build\n",
        "ci/two.yml": "two: 1\n",
        "ci/below/child.yml": "child: 1\n",
        "ci/below/again.yml": "again: 1\n",
        "deep/such.yml": "not: this\n",
        "pipelines/go.yml": "not: this\n",
        "made.yml": "not: this\n",
        "go.yml": "not: this\n",
        "tools/check.sh": "#!/bin/sh\nexit 0\n",
        "tools/go.py": "print()\n",
    }) == {
        ("configures", ".gitlab-ci.yml", ".gitlab/jobs/build.yml"),
        ("configures", ".gitlab-ci.yml", "ci/one.yml"),
        ("configures", ".gitlab-ci.yml", "ci/two.yml"),
        ("configures", ".gitlab-ci.yml", ".gitlab/more/a/b/c.yml"),
        ("configures", ".gitlab-ci.yml", ".gitlab/more/d.yml"),
        ("configures", ".gitlab-ci.yml", "tools/check.sh"),
        ("configures", ".gitlab-ci.yml", "tools/go.py"),
        ("configures", ".gitlab/jobs/build.yml", "ci/below/child.yml"),
        ("configures", ".gitlab/jobs/build.yml", "ci/below/again.yml"),
        ("configures", ".gitlab/more/d.yml", "ci/one.yml"),
        ("configures", ".gitlab/more/d.yml", "ci/below/child.yml"),
        ("configures", "ci/one.yml", "ci/two.yml"),
    }  # fmt: skip


def test_pipelines_of_projects_within_the_tree(edges) -> None:
    assert edges({
        "try/one/.gitlab-ci.yml": "include: 'jobs/**.yml'\n",
        "try/one/jobs/a.yml": "a: 1\n",
        "try/one/jobs/more/b.yml": "b: 1\n",
        "try/two/.gitlab-ci.yml": "include: '/ci/top.yml'\n",
        "try/two/ci/top.yml": "not: this\n",
        "ci/top.yml": "top: 1\n",
    }) == {
        ("configures", "try/one/.gitlab-ci.yml", "try/one/jobs/a.yml"),
        ("configures", "try/one/.gitlab-ci.yml", "try/one/jobs/more/b.yml"),
        ("configures", "try/two/.gitlab-ci.yml", "ci/top.yml"),
    }  # fmt: skip


def test_files_below_a_directory_that_a_variable_of_a_pipeline_holds(edges) -> None:
    assert edges({
        ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: |\n          cp \"$ROOT/tests/one.py\" x\n"
        "          ${HERE:-.}/tools/go.sh $HOME/README.md\n",
        "tests/one.py": "a = 1\n",
        "tools/go.sh": "exit 0\n",
        "README.md": "# A\n",
        "old/tools/go.sh": "exit 1\n",
    }) == {
        ("configures", ".github/workflows/ci.yml", "tests/one.py"),
        ("configures", ".github/workflows/ci.yml", "tools/go.sh"),
    }  # fmt: skip


def test_files_whose_change_starts_a_job(edges) -> None:
    assert edges({
        ".gitlab-ci.yml": ".parts: &parts\n  - VERSION\n  - 'meson.build'\na:\n  script: true\n  rules:\n"
        "    - changes: [Makefile, src/*.c, 'docs/**/*']\n    - exists:\n        - conf/none.ini\n        - /conf/a.ini\n",
        "VERSION": "1\n",
        "meson.build": "project()\n",
        "Makefile": "all:\n",
        "src/one.c": "int a;\n",
        "src/two.h": "int b;\n",
        "docs/page.md": "# A\n",
        "conf/a.ini": "[a]\n",
    }) == {
        ("configures", ".gitlab-ci.yml", target)
        for target in ("VERSION", "meson.build", "Makefile", "src/one.c", "conf/a.ini")
    }  # fmt: skip


def test_names_in_steps_lead_to_the_top_or_where_a_step_goes(edges) -> None:
    assert edges({
        ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - uses: x/setup@v1\n        with:\n"
        "          node-version-file: .nvmrc\n          file: Dockerfile.base\n      - run: cd tools/push && ./push images.json\n"
        "      - run: python jobs/$NAME > log.txt\n      - run: cat made.yml\n",
        ".nvmrc": "22\n",
        "Dockerfile.base": "FROM x\n",
        "tools/push/images.json": "{}\n",
        "jobs/log.txt": "a\n",
        "elsewhere/made.yml": "not: this\n",
    }) == {
        ("configures", ".github/workflows/ci.yml", target)
        for target in (".nvmrc", "Dockerfile.base", "tools/push/images.json", "jobs/log.txt")
    }  # fmt: skip


def test_what_else_says_include_is_read_as_it_was(edges) -> None:
    assert edges({
        "shop/compose.yaml": "include:\n  - more/compose.yaml\nservices:\n  web:\n    extends:\n      file: base.yml\n",
        "shop/more/compose.yaml": "services:\n  db:\n    image: db\n",
        "shop/base.yml": "services:\n  web:\n    image: web\n",
        "more/compose.yaml": "services: {}\n",
        ".github/workflows/ci.yml": "jobs:\n  a:\n    strategy:\n      matrix:\n        include:\n"
        "          - config: tests/one.yml\n    steps:\n      - uses: x/y\n        with:\n          script: go\n",
        "tests/one.yml": "a: 1\n",
    }) == {
        ("configures", "shop/compose.yaml", "shop/more/compose.yaml"),
        ("configures", "shop/compose.yaml", "shop/base.yml"),
        ("configures", ".github/workflows/ci.yml", "tests/one.yml"),
    }  # fmt: skip


@pytest.mark.parametrize("piece", [
    "include:\n", "include: [", "  - local: a.yml\n", "include:\n- {", "- ", "local: ", "\n", "   ", "include: {local: a",
    "{{/* ", "{{ include ", '{{ include "a" }} ', '{{ define "a" }}\n', "{{", "{{- define ",
])  # fmt: skip
def test_hostile_pipelines_cost_as_much_as_they_are_long(piece: str) -> None:
    text = "stages: [a]\ninclude:\n" + (piece * (400_000 // len(piece) + 1))[:400_000]
    text = "\n".join(text[i : i + 50_000] for i in range(0, len(text), 50_000))  # longer lines are not read at all
    before = time.process_time()
    assert facts("a.yml", text).error == ""
    assert time.process_time() - before < 3


def test_containers(edges) -> None:
    assert edges({
        "compose.yaml": "services:\n  web:\n    build: ./web\n    env_file: deploy/web.env\n"
        "    volumes:\n      - ./deploy/nginx.conf:/etc/nginx.conf:ro\n",
        "web/Dockerfile": "FROM x AS build\nCOPY run.py /app/\n",
        "web/run.py": "print()\n",
        "deploy/web.env": "A=1\n",
        "deploy/nginx.conf": "listen 1;\n",
    }) == {
        ("configures", "compose.yaml", "web/Dockerfile"),
        ("configures", "compose.yaml", "deploy/web.env"),
        ("configures", "compose.yaml", "deploy/nginx.conf"),
        ("references", "web/Dockerfile", "web/run.py"),
    }  # fmt: skip


def test_stages_of_a_container_are_definitions() -> None:
    assert definitions("Dockerfile", "FROM a AS build\nRUN x\nFROM b as final\n") == [
        ("build", "function", 1, 2),
        ("final", "function", 3, 3),
    ]


def test_clusters(edges) -> None:
    assert edges({
        "k8s/base/kustomization.yaml": "resources:\n- web.yaml\n",
        "k8s/base/web.yaml": "kind: Deployment\n",
        "k8s/live/kustomization.yaml": "resources:\n- ../base\npatches:\n- path: more.yaml\n",
        "k8s/live/more.yaml": "kind: Deployment\n",
        "chart/Chart.yaml": "name: shop\n",
        "chart/templates/_helpers.tpl": '{{- define "shop.labels" -}}\na: b\n{{- end }}\n',
        "chart/templates/web.yaml": 'metadata:\n  {{- include "shop.labels" . | nindent 4 }}\n',
    }) == {
        ("configures", "k8s/base/kustomization.yaml", "k8s/base/web.yaml"),
        ("configures", "k8s/live/kustomization.yaml", "k8s/base/kustomization.yaml"),
        ("configures", "k8s/live/kustomization.yaml", "k8s/live/more.yaml"),
        ("references", "chart/templates/web.yaml", "chart/templates/_helpers.tpl"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("^pyproject\\.toml$", ["pyproject.toml"]),
        ("'a/(b|c[1-3]|d.*).ya?ml'", ["a/b.yaml", "a/b.yml", *(f"a/c{n}.y{a}ml" for n in "123" for a in ("a", ""))]),
        ("|\n  (?x)^(\n    docs/conf\\.py|\n    src/.*/no\\.py|[^/]+\\.md|\n    x(?:/y)?/z\\.py\n  )$",
         ["docs/conf.py", "x/y/z.py", "x/z.py"]),
        ("(?!a/b.py)c/\\w+.py|d.{2}.py|e.py", ["e.py"]),
        ("(" * 5_000 + "a.py", []),
        ("[", []),
        ("a.py\\", ["a.py"]),
    ],
)  # fmt: skip
def test_names_that_an_expression_of_a_hook_stands_for(expression: str, names: list[str]) -> None:
    assert hooks.spelled(expression) == names


def test_an_expression_of_many_names_has_an_end() -> None:
    before = time.process_time()
    assert len(hooks.spelled("(a|b)" * 250)) == 100
    assert hooks.spelled("(a|b)" * 1_900) == []  # no path is that long
    assert time.process_time() - before < 3


def test_files_that_hooks_are_told_of(edges) -> None:
    assert edges({
        ".pre-commit-config.yaml": "exclude: ^src/data/(a|b)\\.json$\nrepos:\n- repo: local\n  hooks:\n  - id: x\n"
        "    entry: tools/check.py --quiet\n    files: |\n      (?x)^(\n        docs/conf\\.py |  # the settings\n"
        "        setup\\.cfg\n      )$\n    args: [-c=.lintrc]\n",
        "other.yaml": "exclude: ^src/data/(a|b)\\.json$\n",
        "src/data/a.json": "{}\n",
        "src/data/b.json": "{}\n",
        "tools/check.py": "x = 1\n",
        "docs/conf.py": "x = 1\n",
        "setup.cfg": "[a]\n",
        "sub/setup.cfg": "[a]\n",
        ".lintrc": "a\n",
    }) == {
        ("configures", ".pre-commit-config.yaml", path)
        for path in ("src/data/a.json", "src/data/b.json", "tools/check.py", "docs/conf.py", "setup.cfg", ".lintrc")
    }  # fmt: skip


def test_environments_of_compositions_and_owners_of_files_without_a_suffix(edges) -> None:
    assert edges({
        "app/compose.yaml": "services:\n  a:\n    env_file: .env.one\n  b:\n    env_file:\n      - path: .env.two\n"
        "        format: raw\n      - ./three\n    command: three\n  c:\n    env_file:\n    - four\n",
        **{f"app/{name}": "A=1\n" for name in (".env.one", ".env.two", "three", "four")},
        "three": "A=1\n",
        ".github/CODEOWNERS": "* @all\n/LICENSE @law # NOTICE\nRULES @law\n/src/ @dev\n",
        "LICENSE": "a\n",
        "NOTICE": "a\n",
        "docs/RULES": "a\n",
    }) == {
        *(("configures", "app/compose.yaml", f"app/{name}") for name in (".env.one", ".env.two", "three", "four")),
        ("mentions", ".github/CODEOWNERS", "LICENSE"),
        ("mentions", ".github/CODEOWNERS", "docs/RULES"),
    }  # fmt: skip


def test_a_python_project_names_its_texts_and_no_modules_where_it_needs_distributions(edges) -> None:
    assert edges({
        "pyproject.toml": "[project]\nname = 'x'\nlicense-files = ['LICENSE']\ndependencies = ['lib.text>=3']\n"
        '[project.entry-points.a]\n"entry.txt" = "pkg.write:run"\n[tool.ruff]\nignored = ["pkg.other"]\n',
        "LICENSE": "a\n",
        "vendored/lib/__init__.py": "",
        "vendored/lib/text/__init__.py": "x = 1\n",
        "pkg/__init__.py": "",
        "pkg/write.py": "def run():\n    pass\n",
        "pkg/other.py": "x = 1\n",
        "one/entry.txt": "a\n",
    }) == {
        ("configures", "pyproject.toml", "LICENSE"),
        ("configures", "pyproject.toml", "pkg/other.py"),
        ("provides", "pyproject.toml", "pkg/write.py"),
    }  # fmt: skip


def test_charts_that_a_chart_needs_and_files_that_its_templates_read(edges) -> None:
    assert edges({
        "app/Chart.yaml": "name: app\ndependencies:\n  - name: kit\n    repository: \"file://../kit\"\n"
        "  - name: far\n    repository: https://x.org/kit\n",
        "kit/Chart.yaml": "name: kit\n",
        "app/files/one.json": "{}\n",
        "app/boards/a.json": "{}\n",
        "app/boards/b.json": "{}\n",
        "app/templates/_base.tpl": '{{ .Files.Get "/files/one.json" }}\n',
        "app/templates/pod.yaml": 'sum: {{ include (print $.Template.BasePath "/web/conf.yaml") . | sha256sum }}\n'
        '{{- range (.Files.Glob "boards/*.json") }}\n{{- end }}\n{{/* .Files.Get "boards/none.json" */}}\n',
        "app/templates/web/conf.yaml": "kind: ConfigMap\n",
        **{f"{name}/templates/web/conf.yaml": "kind: ConfigMap\n" for name in "abcdefgh"},
    }) == {
        ("depends_on", "app/Chart.yaml", "kit/Chart.yaml"),
        ("references", "app/templates/_base.tpl", "app/files/one.json"),
        ("mentions", "app/templates/_base.tpl", "app/files/one.json"),
        ("configures", "app/templates/pod.yaml", "app/templates/web/conf.yaml"),
        ("configures", "app/templates/pod.yaml", "app/boards/a.json"),
        ("configures", "app/templates/pod.yaml", "app/boards/b.json"),
    }  # fmt: skip


def test_named_templates_of_charts_wherever_they_are_defined(edges) -> None:
    helpers = '{{- define "app.name" -}}\na\n{{- end }}\n{{/* as in {{ include "app.no" . }} */}}\n'
    found = edges({
        **{f"charts/{name}/Chart.yaml": "name: x\n" for name in "abcdefg"},
        **{f"charts/{name}/templates/_helpers.tpl": helpers for name in "abcdefg"},
        "charts/a/templates/_more.yaml": '{{- define "app.more" }}\nb: 1\n{{- end }}\n{{- define "app.no" }}\n{{- end }}\n',
        "charts/a/templates/_words.txt": '{{- define "app.words" }}hello{{ end }}\n',
        "charts/a/templates/web/pod.yaml": 'name: {{ include "app.name" . }}\n{{- template "app.more" . }}\n',
        "charts/a/templates/NOTES.txt": 'Hello {{ include "app.name" . }}, {{ include "app.words" . }}\n',
        "charts/b/templates/pod.yaml": 'name: {{ include "app.name" . }}\nmore: {{ include "other.name" . }}\n',
        "charts/a/charts/below/templates/pod.yaml": 'name: {{ include "app.more" . }}\n',
    })  # fmt: skip
    assert {row for row in found if row[0] == "references"} == {
        ("references", "charts/a/templates/web/pod.yaml", "charts/a/templates/_helpers.tpl"),
        ("references", "charts/a/templates/web/pod.yaml", "charts/a/templates/_more.yaml"),
        ("references", "charts/a/templates/NOTES.txt", "charts/a/templates/_helpers.tpl"),
        ("references", "charts/a/templates/NOTES.txt", "charts/a/templates/_words.txt"),
        ("references", "charts/b/templates/pod.yaml", "charts/b/templates/_helpers.tpl"),
        ("references", "charts/a/charts/below/templates/pod.yaml", "charts/a/templates/_more.yaml"),
    }
    assert definitions("_more.yaml", '{{- define "a.b" }}\nb: 1\n{{- end }}\n') == [("a.b", "function", 1, 3)]


TERRAFORM = 'resource "aws_vpc" "main" {\n  cidr = var.cidr\n}\n\nmodule "net" {\n  source = "../net"\n}\n\nlocals {\n  a = 1\n}\n'


def test_infrastructure(edges) -> None:
    assert definitions("main.tf", TERRAFORM) == [
        ("aws_vpc.main", "class", 1, 3),
        ("module.net", "module", 5, 7),
        ("a", "constant", 10, 10),
    ]
    assert edges({
        "live/main.tf": TERRAFORM,
        "live/variables.tf": '# The range.\nvariable "cidr" {}\n',
        "live/out.tf": 'output "x" {\n  value = [aws_vpc.main.id, module.net.y, local.a]\n}\n',
        "net/main.tf": 'variable "cidr" {}\n',
    }) == {
        ("references", "live/main.tf", "live/variables.tf"),
        ("imports", "live/main.tf", "net/main.tf"),
        ("references", "live/out.tf", "live/main.tf"),
    }  # fmt: skip


def test_names_of_terraform_have_hyphens(edges) -> None:
    assert edges({
        "main.tf": 'module "the-net" {\n  source = "a/b/c"\n  name = var.the-name\n}\n',
        "outputs.tf": 'output "id" {\n  value = module.the-net.id\n}\n',
        "variables.tf": 'variable "the-name" {}\n',
    }) == {("references", "main.tf", "variables.tf"), ("references", "outputs.tf", "main.tf")}


def test_modules_of_terraform_by_path(edges) -> None:
    assert edges({
        "main.tf": 'locals {\n  text = templatefile("${path.module}/templates/user.tpl", {})\n}\n',
        "templates/user.tpl": "x\n",
        "examples/all/main.tf": 'module "all" {\n  source = "../.."\n}\nmodule "n" {\n  source = "../../nets/"\n}\n',
        "nets/a.tf": 'variable "x" {}\n',
    }) == {
        ("references", "main.tf", "templates/user.tpl"),
        ("imports", "examples/all/main.tf", "main.tf"),
        ("imports", "examples/all/main.tf", "nets/a.tf"),
    }  # fmt: skip


def test_make(edges) -> None:
    assert edges({
        "Makefile": "include build/rules.mk\n\nall:\n\t$(MAKE) -C docs html\n",
        "docs/Makefile": "html:\n",
        "build/rules.mk": "x:\n",
    }) == {("references", "Makefile", "build/rules.mk"), ("references", "Makefile", "docs/Makefile")}  # fmt: skip


def test_make_below_a_directory_that_a_variable_names(edges) -> None:
    assert edges({
        "ports/one/Makefile": "include ../../env.mk\n-include $(TOP)/ext/ext.mk\ninclude $(BUILD)/made.mk\n# include $(TOP)/no.mk\n",
        "env.mk": "TOP := ../..\n",
        "ext/ext.mk": "x:\n",
        "no.mk": "x:\n",
    }) == {
        ("references", "ports/one/Makefile", "env.mk"),
        ("references", "ports/one/Makefile", "ext/ext.mk"),
    }  # fmt: skip


def test_python_projects(edges) -> None:
    found = edges({
        "core/pyproject.toml": '[project]\nname = "My_Core"\ndependencies = ["other>=1"]\n[project.scripts]\nrun = "my_core.cli:main"\n',
        "core/src/my_core/__init__.py": "",
        "core/src/my_core/cli.py": "def main(): pass\n",
        "app/pyproject.toml": '[project]\nname = "app"\ndependencies = ["my-core[x]>=1; python_version>\'3\'"]\n',
        "app/app/__init__.py": "",
    })  # fmt: skip
    assert found == {
        ("provides", "core/pyproject.toml", "core/src/my_core/__init__.py"),
        ("provides", "core/pyproject.toml", "core/src/my_core/cli.py"),
        ("provides", "app/pyproject.toml", "app/app/__init__.py"),
        ("depends_on", "app/pyproject.toml", "core/pyproject.toml"),
    }


def test_sites(edges) -> None:
    assert edges({
        "mkdocs.yml": "site_name: x\nnav:\n  - Home: index.md\n  - Guide:\n      - guide/a.md\ntheme: x\n",
        "docs/index.md": "# x\n\nA page about much.\n",
        "docs/guide/a.md": "# a\n\nA page about more.\n",
        "index.md": "# not this one\n\nAnother page.\n",
    }) == {("configures", "mkdocs.yml", "docs/index.md"), ("configures", "mkdocs.yml", "docs/guide/a.md")}  # fmt: skip


def test_hostile_manifests_say_nothing() -> None:
    for text in ("[project]\nname = 3\ndependencies = 4\n", "[project\n", "[project]\n" + "a = " + "[" * 5000):
        assert facts("pyproject.toml", text).declares == ()
    tree = Tree({"pyproject.toml": '[project]\nname = "x"\n[tool.setuptools]\npackages = [1, {}]\n', "x/__init__.py": ""})
    assert tree.facts["pyproject.toml"].declares == (("python project", "x"),)


def test_a_composition_builds_from_where_it_says(edges) -> None:
    assert edges({
        "shop/compose.yaml": "services:\n  web:\n    build:\n      context: app\n      dockerfile: web.Dockerfile\n"
        "    image: web\n  db:\n    build: db\n  own:\n    build: .\n",
        "shop/app/web.Dockerfile": "FROM x\n",
        "shop/db/Dockerfile": "FROM x\n",
        "shop/Dockerfile": "FROM x\n",
        "db/Dockerfile": "FROM x\n",
        "values.yaml": "web:\n  build: db\n",
    }) == {
        ("configures", "shop/compose.yaml", "shop/app/web.Dockerfile"),
        ("configures", "shop/compose.yaml", "shop/db/Dockerfile"),
        ("configures", "shop/compose.yaml", "shop/Dockerfile"),
    }  # fmt: skip


def test_what_a_container_file_copies(edges) -> None:
    assert edges({
        "web/Dockerfile": "FROM x AS build\nCOPY go.mod conf ./\nCOPY --chown=a:b package*.json \\\n  ./\nCOPY . .\n"
        "ONBUILD COPY lock*.json /app/\n"
        'COPY --from=build /usr/lib/conf.py /\nADD ["/etc/limits", "/etc/"]\nCOPY src /src\n',
        "web/go.mod": "module x\n",
        "web/conf": "a\n",
        "web/package.json": "{}\n",
        "web/package.tools.json": "{}\n",
        "web/lock.a.json": "{}\n",
        "web/src/package.json": "{}\n",
        "etc/limits": "a\n",
        "elsewhere/conf": "a\n",
    }) == {("references", "web/Dockerfile", target) for target in (
        "web/go.mod", "web/conf", "web/package.json", "web/package.tools.json", "web/lock.a.json", "etc/limits",
    )}  # fmt: skip


def test_files_of_a_directory_that_a_container_file_copies(edges) -> None:
    many = {f"many/{number}.txt": f"{number}\n" for number in range(60)}
    assert edges({
        "web/Dockerfile-slim.template": "FROM x\nCOPY config/* /etc/app/\nCOPY many/* /\n",
        "web/config/one.ini": "a\n",
        "web/config/two": "a\n",
        "web/config/deep/three.ini": "a\n",
        **many,
    }) == {("references", "web/Dockerfile-slim.template", f"web/config/{name}") for name in ("one.ini", "two")}


def test_directories_of_a_kustomization(edges) -> None:
    assert edges({
        "all/kustomization.yaml": "kind: Kustomization\nresources:\n- api\n- ../base\n- no\n",
        "all/api/kustomization.yaml": "kind: Kustomization\n",
        "base/kustomization.yaml": "kind: Kustomization\n",
        "no": "this is not it\n",
    }) == {
        ("configures", "all/kustomization.yaml", "all/api/kustomization.yaml"),
        ("configures", "all/kustomization.yaml", "base/kustomization.yaml"),
    }  # fmt: skip


def test_makefiles_by_variables(edges) -> None:
    assert edges({
        "ports/unix/Makefile": "VARIANT ?= standard\nDIR ?= variants/$(VARIANT)\ninclude $(TOP)/py/py.mk $(DIR)/board.mk\n"
        "-include ${HELPERS}rules.mk\ninclude $(BOARD_DIR)/board.mk\n",
        "ports/unix/variants/standard/board.mk": "x:\n",
        "ports/unix/variants/tiny/board.mk": "x:\n",
        "ports/unix/rules.mk": "x:\n",
        "rules.mk": "x:\n",
        "py/py.mk": "x:\n",
    }) == {
        ("references", "ports/unix/Makefile", "py/py.mk"),
        ("references", "ports/unix/Makefile", "ports/unix/variants/standard/board.mk"),
        ("references", "ports/unix/Makefile", "ports/unix/rules.mk"),
    }  # fmt: skip


def test_variables_of_make_have_hyphens(edges) -> None:
    assert edges({
        "boards/one/conf.mk": "board-cpu ?= a35\ninclude cpu/$(board-cpu).mk\n",
        "cpu/a35.mk": "x:\n",
    }) == {("references", "boards/one/conf.mk", "cpu/a35.mk")}  # fmt: skip


def test_scripts_that_are_sourced_by_patterns(edges) -> None:
    assert edges({
        "main.sh": 'for each in "${HERE}/lib"/*.bash; do\n  log "$each"\n  source "$each"\ndone\n'
        'for f in docs/*.sh; do\n  echo "$f"\ndone\n',
        "lib/a.bash": "a() {\n  true\n}\n",
        "lib/b.bash": "b() {\n  true\n}\n",
        "docs/c.sh": "c() {\n  true\n}\n",
        "plug.zsh": "source ${0:h}/{one,two}.sh\n",
        "one.sh": "one() {\n  true\n}\n",
        "two.sh": "two() {\n  true\n}\n",
    }) == {
        ("references", "main.sh", "lib/a.bash"),
        ("references", "main.sh", "lib/b.bash"),
        ("references", "plug.zsh", "one.sh"),
        ("references", "plug.zsh", "two.sh"),
    }  # fmt: skip


def test_powershell_beside_the_script(edges) -> None:
    assert edges({
        "bin/run.ps1": '. "$PSScriptRoot\\..\\lib\\core.ps1" # much\n& "$PSScriptRoot\\install.ps1"\n. $here\\Other.ps1\n',
        "bin/core.ps1": "function A {\n}\n",
        "bin/install.ps1": "function B {\n}\n",
        "lib/core.ps1": "function C {\n}\n",
        "lib/install.ps1": "function D {\n}\n",
        "src/Other.ps1": "function E {\n}\n",
    }) == {
        ("references", "bin/run.ps1", "lib/core.ps1"),
        ("references", "bin/run.ps1", "bin/install.ps1"),
        ("references", "bin/run.ps1", "src/Other.ps1"),
    }  # fmt: skip


def test_what_a_build_fills_in_is_in_the_language_of_its_name() -> None:
    assert facts("db/load.sql.in", "create table t (a int);\n").language == "sql"
    assert facts("Makefile.in", "include rules.mk\n").language == "make"
    assert facts("MANIFEST.in", "include a.txt\n").language == "text"


def test_a_script_without_a_suffix_is_read_by_its_first_line(edges) -> None:
    assert edges({
        "plugins/git/install": '#!/usr/bin/env bash\nsource "$PLUGINS/common/functions"\n',
        "plugins/common/functions": "#!/usr/bin/env bash\ngo() {\n  true\n}\n",
        "bin/run": "#!/usr/bin/env python3\nimport tools.part\n",
        "tools/part.py": "A = 1\n",
        "tools/__init__.py": "",
    }) == {
        ("references", "plugins/git/install", "plugins/common/functions"),
        ("imports", "bin/run", "tools/part.py"),
    }  # fmt: skip


def test_variables_of_other_makefiles(edges) -> None:
    assert edges({
        "plat/one/platform.mk": "COMMON := plat/common\nTOOLS ?= tools/\n",
        "plat/one/tsp/tsp-one.mk": "include ${COMMON}/tsp/tsp.mk\ninclude $(TOOLS)march.mk\n",
        "plat/common/tsp/tsp.mk": "x:\n",
        "bl32/tsp/tsp.mk": "x:\n",
        "tools/march.mk": "x:\n",
    }) == {
        ("references", "plat/one/tsp/tsp-one.mk", "plat/common/tsp/tsp.mk"),
        ("references", "plat/one/tsp/tsp-one.mk", "tools/march.mk"),
    }  # fmt: skip


def test_variables_of_make_whose_names_have_variables(edges) -> None:
    found = edges({
        "mk/config.mk": "COMPILER ?= gcc\nDEBUG ?= y\n",
        "mk/gcc.mk": "x:\n",
        "mk/clang.mk": "x:\n",
        "core/core.mk": "sm := core\nCOMPILER_core := $(COMPILER)\n",
        "ta/ta.mk": "sm := ta\nCOMPILER_$(sm) ?= $(COMPILER)\n",
        "ta/mk/user.mk": "COMPILER_$(sm) := $(COMPILER_$(target))\ninclude mk/$(COMPILER_$(sm)).mk\n",
        "ta/mk/kit.mk": "include $(kit-dir$(sm))/mk/$(COMPILER_$(sm)).mk\n",
    })  # fmt: skip
    assert {edge for edge in found if edge[1].startswith("ta/mk/")} == {
        ("references", "ta/mk/user.mk", "mk/gcc.mk"),
        ("references", "ta/mk/kit.mk", "mk/gcc.mk"),
    }


def test_what_a_variable_of_make_chooses(edges) -> None:
    found = edges({
        "core/core.mk": "arch := core/arch/$(ARCH)\nplat := $(arch)/plat-$(PLATFORM)\ninclude $(plat)/conf.mk\n"
        "include mk/$(COMPILER_$(sm)).mk\n-include $$(dep-$2)\ninclude core/Makefile.$(BOARD)\n",
        "core/arch/arm/plat-a/conf.mk": "x:\n",
        "core/arch/riscv/plat-b/conf.mk": "x:\n",
        "core/arch/arm/other/conf.mk": "x:\n",
        "mk/gcc.mk": "x:\n",
        "core/Makefile.dk": "x:\n",
    })  # fmt: skip
    assert found == {
        ("references", "core/core.mk", "core/arch/arm/plat-a/conf.mk"),
        ("references", "core/core.mk", "core/arch/riscv/plat-b/conf.mk"),
        ("references", "core/core.mk", "core/Makefile.dk"),
    }


def test_programs_of_automake_are_made_of_their_names(edges) -> None:
    assert edges({
        "ex/Makefile.inc": "check_PROGRAMS = \\\n  one \\\n  two-b\nOTHERS = three\n",
        "ex/one.c": "int a;\n",
        "ex/two-b.c": "int a;\n",
        "ex/three.c": "int a;\n",
    }) == {("references", "ex/Makefile.inc", "ex/one.c"), ("references", "ex/Makefile.inc", "ex/two-b.c")}  # fmt: skip


def test_of_several_files_of_a_name_the_one_around_is_meant(edges) -> None:
    assert edges({
        "tests/one/variables.yml": "values: /.base.yml\nother: conf/app.tmpl\n",
        "tests/one/.base.yml": "a: 1\n",
        "tests/two/.base.yml": "a: 1\n",
        "tests/conf/app.tmpl": "x\n",
        "conf/sub/conf/app.tmpl": "x\n",
        "far/list.yml": "values: /.base.yml\nmake: cat app.tmpl\n",
    }) == {
        ("configures", "tests/one/variables.yml", "tests/one/.base.yml"),
        ("configures", "tests/one/variables.yml", "tests/conf/app.tmpl"),
        ("configures", "far/list.yml", "tests/one/.base.yml"),
        ("configures", "far/list.yml", "tests/two/.base.yml"),
        ("configures", "far/list.yml", "tests/conf/app.tmpl"),
        ("configures", "far/list.yml", "conf/sub/conf/app.tmpl"),
    }  # fmt: skip


def test_a_script_by_its_name_alone_lies_at_or_above_the_one_that_sources_it(edges) -> None:
    assert edges({
        "plugins/fzf/fzf.sh": 'source "${fzf_shell}/completion.zsh"\n. "$ROOT/base.sh"\nsource "$dir/keys.zsh"\n',
        "lib/completion.zsh": "a() {\n  true\n}\n",
        "base.sh": "b() {\n  true\n}\n",
        "plugins/fzf/keys.zsh": "c() {\n  true\n}\n",
    }) == {
        ("references", "plugins/fzf/fzf.sh", "base.sh"),
        ("references", "plugins/fzf/fzf.sh", "plugins/fzf/keys.zsh"),
    }  # fmt: skip


def test_projects_of_dotnet_are_named_by_container_files(edges) -> None:
    assert edges({
        "app/Dockerfile": 'FROM x\nCOPY . /src\nRUN dotnet build "shop.csproj" -c Release\n',
        "app/shop.csproj": "<Project />\n",
    }) == {("references", "app/Dockerfile", "app/shop.csproj")}  # fmt: skip


def test_variables_of_makefiles_within_variables_have_an_end() -> None:
    """Five makefiles set twenty variables by each other: 5 to the 20 names, each longer than the one before."""
    names = "abcdefghijklmnopqrst"
    others = list(zip(names, names[1:] + names[:1], names[2:] + names[:2], strict=True))
    files = {f"d{k}/x.mk": "".join(f"{a} := d{k}$({b})/$({c})\n" for a, b, c in others) for k in range(5)}
    tree = Tree({**files, "Makefile": f"include {''.join(f'$({name})' for name in names)}/z.mk\n"})
    assert list(tree.follow("Makefile", "use").values()) == ["external"]


def test_roles_of_a_page_lead_into_the_module_that_it_speaks_of(edges) -> None:
    assert edges({
        "docs/web.rst": "Web\n===\n\n.. currentmodule:: pkg.web\n\nA :class:`Request` and a :class:`Special`.\n",
        "docs/start.md": "# Start\n\n```{currentmodule} pkg.web\n```\n\n{class}`Request`\n\n```{toctree}\nweb\nmore/*\n```\n",
        "docs/more/a.md": "# A\n",
        "src/pkg/__init__.py": "",
        "src/pkg/web.py": "class Request:\n    pass\n",
        "other/tool.py": "class Request:\n    pass\n\nclass Special:\n    pass\n",
    }) == {
        ("references", "docs/web.rst", "src/pkg/web.py"),
        ("references", "docs/web.rst", "other/tool.py"),
        ("references", "docs/start.md", "src/pkg/web.py"),
        ("references", "docs/start.md", "docs/web.rst"),
        ("references", "docs/start.md", "docs/more/a.md"),
    }  # fmt: skip
