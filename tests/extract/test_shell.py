"""Shell and PowerShell: what is sourced and run, and what is only named."""

from __future__ import annotations

from oracl_git.extract.extractor import extract


def test_shell() -> None:
    data = b"""\
#!/bin/sh
# see docs/run.md
. ./env.sh
source "$(dirname "$0")/lib/common.sh"
build_all() {
  python3 tools/build.py
}
function clean {
  rm -rf out/tmp.log
}
if true; then scripts/check --fast; fi
python -m pkg.cli run
bash -x "$ROOT/ci/test.sh"
"""
    facts = extract(data, "shell")
    assert [tuple(r)[:4] for r in facts.references] == [
        ("comment", "docs/run.md", "", 2),
        ("path", "./env.sh", "", 3),
        ("path", "lib/common.sh", "", 4),
        ("path", "tools/build.py", "", 6),
        ("mention", "out/tmp.log", "", 9),
        ("path", "scripts/check", "", 11),
        ("module", "pkg.cli", "", 12),
        ("path", "ci/test.sh", "", 13),
    ]
    assert [(d.name, d.start, d.end) for d in facts.definitions] == [("build_all", 5, 7), ("clean", 8, 10)]
    assert facts.entry_point


def test_powershell() -> None:
    data = b"""\
# see docs\\run.md
<# and
   docs/other.md #>
. .\\lib\\common.ps1
& "$PSScriptRoot\\build.ps1" -Fast
Import-Module ./mod/tools.psm1
function Get-Thing {
    Write-Host "conf/app.json"
}
"""
    facts = extract(data, "powershell")
    assert [tuple(r)[:4] for r in facts.references] == [
        ("comment", "docs/other.md", "", 3),
        ("path", "./lib/common.ps1", "", 4),
        ("path", "build.ps1", "", 5),
        ("path", "./mod/tools.psm1", "", 6),
        ("mention", "conf/app.json", "", 8),
    ]
    assert [(d.name, d.start, d.end) for d in facts.definitions] == [("Get-Thing", 7, 9)]
    assert not facts.entry_point


def test_a_word_that_ends_in_a_command_runs_nothing() -> None:
    facts = extract(b"Get-Command 'shim-test.ps1'\n& 'run.ps1'\n", "powershell")
    assert [tuple(r)[:2] for r in facts.references] == [("mention", "shim-test.ps1"), ("path", "run.ps1")]


def test_functions_in_texts_are_none() -> None:
    text = b"""\
cat <<EOF > out
fake() {
  :
}
EOF
real() {
  cat <<-'END'
\tfunction fake() { :; }
\tEND
  cat <<<word
}
lib.real() { :; }
"""
    assert [(d.name, d.start, d.end) for d in extract(text, "shell").definitions] == [
        ("real", 6, 11),
        ("lib.real", 12, 12),
    ]


def test_chunks_follow_functions() -> None:
    text = b"".join(b"step_%d() {\n%s}\n" % (n, b"  :\n" * 40) for n in range(3))
    assert [chunk.title for chunk in extract(text, "shell").chunks] == ["step_0", "step_1", "step_2"]
