"""Makefiles: where else make is run, what they include by variables, and the variables that say where.

Knows the words of the language and the variables that a file sets itself; runs nothing. A name
keeps the variables that the file does not set: what they hold, `graph` asks the other makefiles. Declared are

    make sets        a variable that is set to one word, `*` where its own name has a variable
    make set NAME    that word
"""

from __future__ import annotations

import re

from . import generic
from .source import Findings, Source, blank

_ASSIGNED = re.compile(
    rb"^[ \t]*+(?:override[ \t]++|export[ \t]++)?([A-Za-z_][\w.-]*+(?:\$[({][\w.-]++[)}])?)[ \t]*+[:?]{0,2}=[ \t]*+"
    rb"([\w./$(){}-]{1,300}+)[ \t]*+$",
    re.MULTILINE,
)
_INCLUDED = re.compile(rb"^[ \t]*+[-s]?include[ \t]++([^\n#]{1,1000})", re.MULTILINE)
# What gives the words it is given, or those of them that are files.
_FUNCTION = re.compile(
    rb"\$[({](?:wildcard|sort|strip|abspath|realpath|firstword|lastword)[ \t]++"
    rb"((?:[^(){}$]|\$[({][\w.-]{1,80}+[)}])*+)[)}]"
)
_ELSEWHERE = re.compile(rb"\$[({]MAKE[)}][^\n]{0,80}?[ \t]-C[ \t]*+([\w./-]{1,200})")
_VARIABLE = re.compile(rb"\$[({]([\w.-]++)[)}]")
_WORD = re.compile(rb"[A-Za-z]\w")  # a switch is none: y, n, 0x1000
# Programs that say nothing of their sources are made of one of their name.
_PROGRAMS = re.compile(rb"^[ \t]*+(?:[a-z]{1,40}_){0,4}PROGRAMS[ \t]*+[+:]?=((?:[^\\\n]|\\\n|\\.)*+)", re.MULTILINE)
_PROGRAM = re.compile(rb"[\w+-]{1,100}")
_MOST_PROGRAMS = 1_000
_LONGEST = 300  # bytes of a name with its variables
_MOST = 200  # variables of one file that others are told of
_STEPS = 3  # variables in each other


def extract(source: Source, language: str) -> Findings:
    """What a makefile says."""
    found = generic.extract(source, language)
    code = blank(source.text, generic.comment_spans(source.text, "hash"))
    for match in _ELSEWHERE.finditer(code):
        found.refer("path", f"{match[1].decode().rstrip('/')}/Makefile", "", source.line(match.start(1)))
    values = dict(_ASSIGNED.findall(code))
    told = [row for row in values.items() if b"/" in row[1] or b"$" in row[1] or _WORD.match(row[1])]
    for name, value in told[:_MOST]:
        called = (_VARIABLE.sub(b"*", name) if b"$" in name else name).decode()
        found.declares += [("make sets", called), (f"make set {called}", value.decode())]
    for match in _INCLUDED.finditer(code):
        said = match[1] if b"$" in match[1] or b"*" in match[1] else b""  # else the names are paths as they stand
        for _ in range(_STEPS if b"$" in said else 0):
            said = _FUNCTION.sub(rb"\1", said)
        for word in said.split():
            for _ in range(_STEPS):
                word = _VARIABLE.sub(lambda each: values.get(each[1], each[0]), word)[: _LONGEST + 1]
            if len(word) <= _LONGEST:
                found.refer("use", word.decode("utf-8", "replace"), "", source.line(match.start(1)))
    for match in _PROGRAMS.finditer(code) if b"PROGRAMS" in code else ():
        for word in match[1].replace(b"\\\n", b"  ").split()[:_MOST_PROGRAMS]:
            if _PROGRAM.fullmatch(word):
                found.refer("file", f"{word.decode()}.c", "", source.line(match.start(1)))
    return found
