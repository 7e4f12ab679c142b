"""Pictures on macOS without Tesseract: the lines the system's own text recognition sees.

Knows the program that reaches it, what it is told and what it prints. How large a picture is, and
when a guess is left out, `image.py` knows.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any, BinaryIO

from . import image
from .model import About, Limits, Refused, Section

# Asked for Korean before English; a system that does not know Korean reads with what it knows.
_SCRIPT = """
ObjC.import("Foundation");
ObjC.import("Vision");
function seen(data, languages) {
  const request = $.VNRecognizeTextRequest.alloc.init;
  if (languages) request.recognitionLanguages = $(languages);
  const handler = $.VNImageRequestHandler.alloc.initWithDataOptions(data, $());
  return handler.performRequestsError($([request]), null) ? request.results : null;
}
function run() {
  const data = $.NSFileHandle.fileHandleWithStandardInput.readDataToEndOfFile;
  const found = seen(data, ["ko-KR", "en-US"]) || seen(data, null);
  if (!found) return "null";
  const lines = [];
  for (let at = 0; at < found.count; at++) {
    const best = found.objectAtIndex(at).topCandidates(1).objectAtIndex(0);
    lines.push([best.string.js, best.confidence]);
  }
  return JSON.stringify(lines);
}
"""
_COMMAND = ("osascript", "-l", "JavaScript", "-e", _SCRIPT)
_PERCENT = 100.0  # confidences are from 0 to 1 here, of Tesseract to 100


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """What is written in a picture, a section a line."""
    image.bounded(stream, about, limits)
    about.metadata["ocr"] = "macOS Vision"
    lines = _seen(stream)
    sure = [text for text, confidence in lines if confidence * _PERCENT >= image.SURE]
    if len(sure) < len(lines):
        about.warnings.append(f"{len(lines) - len(sure)} lines left out: macOS is not sure of them")
    for number, text in enumerate(sure, 1):
        yield Section("ocr", text, 0, f"line {number}")


def _seen(stream: BinaryIO) -> list[tuple[str, float]]:
    """(text, how sure it is of it, from 0 to 1) of each line; the program inherits this process's limits."""
    stream.seek(0)
    try:
        done = subprocess.run(_COMMAND, stdin=stream, capture_output=True, check=False)
    except OSError as error:
        raise Refused("missing", f"the program osascript cannot be run ({error.strerror})") from error
    if done.returncode < 0:
        raise Refused("timeout", "macOS took too long, or too much memory, to read the picture, and was ended")
    try:
        printed: Any = json.loads(done.stdout) if done.returncode == 0 else None
        return [(str(text), float(confidence)) for text, confidence in printed]
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("malformed", "macOS cannot read the picture", "install tesseract") from error
