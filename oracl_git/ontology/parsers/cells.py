"""What cells of a workbook refer to: shared strings, and the number formats that mean dates.

Knows how Excel counts days and which of its formats show a day or a time. Knows no sheets.
"""

from __future__ import annotations

import re
from array import array
from datetime import datetime, timedelta

from .model import Refused
from .xml import START, Xml

_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_DAY = re.compile(r"[dyge]|m{3,}|mm?(?=[-/.\s]*[dy])|(?<=[dy])[-/.\s]*mm?", re.IGNORECASE)
_TIME = re.compile(r"[hs]|am/pm", re.IGNORECASE)
_ELAPSED = re.compile(r"\[[hms]", re.IGNORECASE)
_GENERAL = re.compile(r"general|standard|[0#?.,%\s+()-]*(?:e[+-][0#]+)?", re.IGNORECASE)
# Formats that have a number and no text. 27–36 and 50–58 are days and times in East Asian Excel.
_BUILT_IN = {
    **dict.fromkeys((*range(14, 18), 22, *range(27, 32), 36, *range(50, 59)), "day"),
    **dict.fromkeys((*range(18, 22), *range(32, 36), 45, 47), "time"),
    46: "elapsed",
}
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_MISCOUNTED = 60  # Excel's 29 February 1900, which never was: days before it are one off
_LAST_DAY = 2_958_466  # 9999-12-31
_WHOLE = re.compile(r"-?\d{1,15}")


class Strings:
    """The shared strings, packed: a list of a million would not fit."""

    def __init__(self) -> None:
        self._text, self._ends = bytearray(), array("L")

    def load(self, xml: Xml) -> None:
        """Take them from their part."""
        for kind, name, _ in xml:
            if kind == START and name == "x:si":
                self._text += rich(xml).encode("utf-8", "surrogatepass")
                self._ends.append(len(self._text))

    def __getitem__(self, index: str) -> str:
        try:
            number = int(index)
            if number < 0:
                raise IndexError
            start = self._ends[number - 1] if number else 0
            return self._text[start : self._ends[number]].decode("utf-8", "surrogatepass")
        except (ValueError, IndexError) as error:
            raise Refused("malformed", f"a cell refers to string {index[:20]}, which is not there") from error


class Dates:
    """Which cell styles show days or times, and how numbers read."""

    def __init__(self, since_1904: bool) -> None:
        self._epoch = _EPOCH_1904 if since_1904 else _EPOCH
        self._styles: list[str] = []

    def load(self, xml: Xml) -> None:
        """Take the formats of the cell styles from their part."""
        formats = dict(_BUILT_IN)
        in_cells = False
        for kind, name, attributes in xml:
            if name == "x:cellXfs":
                in_cells = kind == START
            elif kind == START and name == "x:numFmt":
                number = attributes.get("numFmtId", "")
                if number.isdecimal():
                    formats[int(number)] = shows(attributes.get("formatCode", ""))
            elif kind == START and name == "x:xf" and in_cells:
                number = attributes.get("numFmtId", "")
                self._styles.append(formats.get(int(number), "") if number.isdecimal() else "")

    def show(self, value: str, style: str) -> str:
        """A number, or the day or time it stands for, in ISO 8601."""
        shown = self._styles[int(style)] if style.isdecimal() and int(style) < len(self._styles) else ""
        try:
            number = float(value)
        except ValueError:
            return value
        if shown and 0 <= number < _LAST_DAY:
            return self._moment(number, shown)
        return value if _WHOLE.fullmatch(value) else repr(number)

    def _moment(self, number: float, shown: str) -> str:
        seconds = round(number * 86400)
        if shown == "elapsed":
            return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        if number < 1 and shown == "time":
            return str(timedelta(seconds=seconds)).rjust(8, "0")
        if self._epoch == _EPOCH and number < _MISCOUNTED:
            seconds += 86400
        return str(self._epoch + timedelta(seconds=seconds)).removesuffix(" 00:00:00")


def shows(code: str) -> str:
    """What a number format makes of a number: a "day" (perhaps with a time), a "time", "elapsed" time, or ""."""
    plain = _QUOTED.sub("", code.split(";")[0])
    if _GENERAL.fullmatch(plain):
        return ""
    if _ELAPSED.search(plain):
        return "elapsed"
    if _DAY.search(plain):
        return "day"
    return "time" if _TIME.search(plain) else ""


def rich(xml: Xml) -> str:
    """The text of a string that may be in runs; its phonetic reading is not part of it."""
    pieces: list[str] = []
    for kind, name, _ in xml.inside():
        if kind == START and name == "x:t":
            pieces.append(xml.text())
        elif kind == START and name == "x:rPh":
            xml.skip()
    return "".join(pieces)
