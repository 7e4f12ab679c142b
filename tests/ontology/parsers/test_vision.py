"""Pictures on macOS without Tesseract, with a stand-in for the system's program: there is no Mac here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracl_git.ontology.parsers import FORMATS, Document, Refused, child, parse_bytes
from oracl_git.ontology.parsers.vision import _SCRIPT

from .test_faults import png

LINES = [["환불은 7일 이내", 1.0], ["The granary roof", 0.5], ["~#", 0.3]]


@pytest.fixture
def mac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine that says it is a Mac, where `osascript` is all there is; what it was given is kept in `given`."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("PATH", str(tmp_path))
    child.close()  # what runs already has another PATH
    yield tmp_path
    child.close()


def stand_in(place: Path, body: str) -> None:
    """A program that takes what osascript takes: -l JavaScript -e SCRIPT, and the picture."""
    program = place / "osascript"
    program.write_text(f"#!{sys.executable}\nimport hashlib, json, sys\npicture = sys.stdin.buffer.read()\n{body}\n")
    program.chmod(0o755)


def read() -> Document:
    return parse_bytes(png(), suffix=".png")


def test_lines_that_macos_is_sure_of(mac: Path) -> None:
    stand_in(
        mac,
        "assert sys.argv[1:4] == ['-l', 'JavaScript', '-e'] and 'VNRecognizeTextRequest' in sys.argv[4]\n"
        f"assert picture.startswith(b'\\x89PNG')\nprint(json.dumps({LINES!r}))",
    )
    document = read()
    assert (document.format, document.metadata["ocr"]) == ("image", "macOS Vision")
    assert [(section.text, section.location) for section in document.sections] == [
        ("환불은 7일 이내", "line 1"), ("The granary roof", "line 2"),
    ]  # fmt: skip
    assert document.warnings == ("1 lines left out: macOS is not sure of them",)


@pytest.mark.parametrize(
    ("body", "reason"),
    [("print('null')", "malformed"), ("sys.exit(1)", "malformed"), ("print('[1')", "malformed"), ("print('[[1]]')", "malformed"),
     ("import os; os.kill(os.getpid(), 9)", "timeout")],
)  # fmt: skip
def test_what_it_cannot_read_is_refused(mac: Path, body: str, reason: str) -> None:
    stand_in(mac, body)
    with pytest.raises(Refused) as caught:
        read()
    assert caught.value.reason_code == reason


def test_it_is_asked_on_a_mac_without_tesseract_and_nowhere_else(mac: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oracl_git.ontology.parsers.formats import by_suffix

    assert by_suffix(".png").name == "image" and FORMATS["vision"].unavailable()  # no such program
    stand_in(mac, "print('[]')")
    assert by_suffix(".png").name == "vision"
    (mac / "tesseract").write_text("#!/bin/sh\n")
    (mac / "tesseract").chmod(0o755)
    assert by_suffix(".png").name == "image"
    os.unlink(mac / "tesseract")
    monkeypatch.setattr(sys, "platform", "linux")
    assert by_suffix(".png").name == "image" and "darwin" in FORMATS["vision"].unavailable()


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_its_script_is_javascript_and_answers_as_it_is_understood(tmp_path: Path) -> None:
    """With stand-ins for what macOS gives a script: the first languages are refused, the second try finds two lines."""
    world = """
    const line = (text, sure) => ({topCandidates: () => ({objectAtIndex: () => ({string: {js: text}, confidence: sure})})});
    const lines = [line("first", 1), line("second", 0.5)];
    const ObjC = {import: () => {}};
    const $ = Object.assign((value) => value, {
      VNRecognizeTextRequest: {alloc: {get init() { return {results: {count: lines.length, objectAtIndex: (at) => lines[at]}}; }}},
      VNImageRequestHandler: {alloc: {initWithDataOptions: (data) => ({
        performRequestsError: ([request]) => data === "bytes" && !request.recognitionLanguages})}},
      NSFileHandle: {fileHandleWithStandardInput: {readDataToEndOfFile: "bytes"}},
    });
    """
    done = subprocess.run(["node", "-e", f"{world}{_SCRIPT}\nconsole.log(run())"], capture_output=True, check=True)
    assert json.loads(done.stdout) == [["first", 1], ["second", 0.5]] and not re.search(rb"\S", done.stderr)
