"""Every failure that is told has a next step: its own, or that of its kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import oracl_git.hooks
import oracl_git.lsp

from oracl_git import errors
from oracl_git.errors import OraclError, Unverified

PLACES = [Path(package.__file__).parent for package in (oracl_git, oracl_git.hooks, oracl_git.lsp)]
OURS = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, OraclError)}
HINT_AT = {"Unverified": 2, "Refused": 2}  # the place of the hint, where it is not the second
SAY_IT_THEMSELVES = {"EmbeddingUnusable", "Gone", "Differs"}  # whoever raises them


def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_bytes()) for place in PLACES for path in place.rglob("*.py")}


def kinds(found: dict[Path, ast.Module]) -> dict[str, str]:
    """The next step of every kind of failure there is, by its name; "" where each has its own."""
    known = {name: kind.next_step for name, kind in OURS.items()}
    classes = [node for tree in found.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    before = -1
    while before != len(known):
        before = len(known)
        for node in classes:
            above = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in known]
            if above and node.name not in known:
                own = [
                    str(ast.literal_eval(line.value))
                    for line in node.body
                    if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "next_step"
                ]
                known[node.name] = own[0] if own else known[above[0]]
    return known


def without(call: ast.Call, kind: str) -> bool:
    """Whether a failure is made without a next step of its own."""
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    at = HINT_AT.get(kind, 1)
    given = [word.value for word in call.keywords if word.arg == "hint"] or call.args[at : at + 1]
    return not given or (isinstance(given[0], ast.Constant) and not given[0].value)


def failures() -> Iterator[tuple[str, str, ast.Call]]:
    """(file and line, kind, call) of each that is made without a next step of its own."""
    found = trees()
    known = kinds(found)
    for path, tree in found.items():
        told = known.keys() - SAY_IT_THEMSELVES
        if path.parent == PLACES[2]:  # it has a Refused of its own, which answers a client's mistake, not a person's
            told -= {"Refused"} if path.name == "roots.py" else {"Refused", "Indexing"}
        for call in ast.walk(tree):
            name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
            if isinstance(call, ast.Call) and name in told and without(call, name) and not known[name]:
                yield f"{path.name}:{call.lineno}", name, call


def test_every_failure_has_a_next_step() -> None:
    codes = {name: value for name, value in vars(Unverified).items() if name.isupper() and isinstance(value, int)}
    lacking = []
    for place, name, call in failures():
        code = ast.unparse(call.args[0]).rpartition(".")[2] if name == "Unverified" and call.args else ""
        if not Unverified.NEXT_STEPS.get(codes.get(code, 0)):
            lacking.append(f"{place} {ast.unparse(call)}")
    assert not lacking


def test_those_that_say_it_themselves_do() -> None:
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name in SAY_IT_THEMSELVES:
                made = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
                (up,) = [call for call in made if ast.unparse(call.func) == "super().__init__"]
                above = ast.unparse(node.bases[0])
                assert not without(up, above) or above == "Refused", node.name


def test_the_test_sees_what_lacks_one() -> None:
    bare = ast.parse("raise UsageError('no')").body[0]
    assert isinstance(bare, ast.Raise) and isinstance(bare.exc, ast.Call) and without(bare.exc, "UsageError")
    told = ast.parse("raise UsageError('no', 'git oracl help')").body[0]
    assert isinstance(told, ast.Raise) and isinstance(told.exc, ast.Call) and not without(told.exc, "UsageError")
    assert OraclError("no").hint == "" and errors.GitFailed("no").hint == "git fsck"
