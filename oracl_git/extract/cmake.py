"""CMake: commands and their arguments, what they define, and the files and targets they name.

Knows the words of the language, and the variables and loops that a file sets
itself; runs nothing. A path keeps a variable it does not know at its head
(`${PROJECT_SOURCE_DIR}/x.c`): where that lies, `graph` says. Declared are

    cmake function      a function or macro, in lower case: names of commands have no case
    cmake target        what is built
    cmake project       a name that `X_SOURCE_DIR` is made of
    cmake set NAME      a variable of a directory, inherited by those below it
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

from .chunks import by_definitions
from .facts import Definition
from .generic import refer_comments
from .source import Findings, Source
from .syntax import documented

_TOKEN = re.compile(
    rb"(?P<bracket>#?\[={0,20}\[)|(?P<comment>#[^\n]*+)|(?P<quoted>\"[^\"\\]*+(?:\\.[^\"\\]*+)*\")"
    rb"|(?P<open>\()|(?P<close>\))|(?P<word>(?:[^\s()#\"\\;]|\\.)+)",
    re.DOTALL,
)
_VARIABLE = re.compile(r"\$\{(\w[\w.+-]*)\}")
# A file or a pattern of files, as a name or below a variable.
_FILE = re.compile(r"(?:\$\{\w[\w.+-]*\}/)?(?=[^$]*[A-Za-z])[\w+@*-]*+[./][\w./+@*-]++")
_GENERATOR = re.compile(r"^\$<(?:BUILD_INTERFACE|INSTALL_INTERFACE):")
_PLACE = re.compile(r"(?:\$\{\w[\w.+-]*\})?[\w./+-]*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MAX_ARGUMENTS = 5_000  # of one command
_MAX_VALUES = 200  # that one argument with variables in it can stand for
_LONGEST = 500  # characters of an argument that is looked at
_HEADS = 8  # variables in one argument, and in each other
_MAX_CALLS = 3  # in each other
_MAX_EXPANDED = 200_000  # values of variables in one file
_DIRECTORIES = ("DIR", "ROOT", "PATH", "SRC", "DIRECTORY")  # how variables that hold one are called

_BLOCKS = {"function": "endfunction", "macro": "endmacro"}
_TARGETS = frozenset("add_library add_executable add_custom_target".split())
_LINKED = frozenset("target_link_libraries add_dependencies link_libraries".split())
_SET_BELOW = frozenset("set list".split())
# Commands whose arguments name no file of the tree, or nothing but names.
_NAMELESS = frozenset(
    "message if elseif else endif endforeach while endwhile endfunction endmacro return break continue project "
    "cmake_minimum_required cmake_policy find_path find_library find_program find_file unset option install string "
    "math target_link_libraries add_dependencies link_libraries enable_testing get_filename_component".split()
)
# The language's own words, which no module of a tree defines: only they need not be asked for.
_OWN = _NAMELESS | frozenset(
    "set list foreach function macro include add_subdirectory find_package add_library add_executable "
    "add_custom_target add_custom_command add_test configure_file file target_sources target_include_directories "
    "include_directories target_compile_definitions target_compile_options target_compile_features "
    "set_target_properties set_property get_property get_target_property add_definitions add_compile_options "
    "execute_process set_source_files_properties set_tests_properties mark_as_advanced cmake_parse_arguments "
    "include_guard cmake_dependent_option add_compile_definitions link_directories source_group export".split()
)


class Argument(NamedTuple):
    """One argument: its text, quotes taken off, and where it stands."""

    text: str
    offset: int


class Command(NamedTuple):
    """A command by its offsets; its name in lower case."""

    name: str
    arguments: list[Argument]
    start: int
    end: int


def extract(source: Source, language: str) -> Findings:
    """What a CMakeLists.txt or a module says."""
    found = Findings()
    comments: list[tuple[int, int]] = []
    reading = _Reading(source, found)
    for command in _commands(source.text, comments):
        reading.take(command)
    reading.finish()
    refer_comments(source, comments, found)
    found.definitions.sort(key=lambda each: (each.start, -each.end))
    if found.definitions:
        found.sections = by_definitions(source.rows, found.definitions)
    return found


def _commands(text: bytes, comments: list[tuple[int, int]]) -> Iterator[Command]:
    """The commands of a text, in order; fills in where its comments are."""
    before, start, depth = "", 0, 0
    arguments: list[Argument] = []
    unclosed: set[bytes] = set()
    position = 0
    while match := _TOKEN.search(text, position):
        kind, token = match.lastgroup, match[0]
        position = match.end()
        if kind == "bracket":
            mark = b"]" + token.strip(b"#[") + b"]"
            end = text.find(mark, position) if mark not in unclosed else -1
            if end >= 0:
                position = end + len(mark)
                if token[:1] == b"#":
                    comments.append((match.start(), position))
                continue
            unclosed.add(mark)
            if token[:1] == b"#":  # then it is an ordinary comment
                end = text.find(b"\n", position)
                position = end if end >= 0 else len(text)
                comments.append((match.start(), position))
        elif kind == "comment":
            comments.append(match.span())
        elif kind == "open":
            depth += 1
            if depth == 1:
                arguments = []
        elif kind == "close":
            if depth == 1 and before:
                yield Command(before, arguments, start, position)
            depth = max(depth - 1, 0)
            before = ""
        elif depth == 0:
            before, start = token.decode("utf-8", "replace").lower(), match.start()
        elif len(arguments) < _MAX_ARGUMENTS and len(token) <= _LONGEST:
            arguments.append(Argument(token.decode("utf-8", "replace").strip('"'), match.start()))


class _Reading:
    """What the commands so far have set, opened and named."""

    def __init__(self, source: Source, found: Findings) -> None:
        self._source = source
        self._found = found
        self._set: dict[str, list[str]] = {}
        self._loops: list[tuple[str, list[str]]] = []
        self._open: list[tuple[str, str, int]] = []  # (name of the command that closes it, what it is called, start)
        self._bodies: dict[str, tuple[list[str], list[Command]]] = {}  # function → its parameters and commands
        self._calls = 0
        self._left = _MAX_EXPANDED
        self._functions: dict[str, int] = {}  # commands of modules → first line

    def take(self, command: Command) -> None:
        """Note what a command says."""
        inside = bool(self._open)
        self._blocks(command)
        if inside and self._open:
            self._bodies[self._open[-1][1].lower()][1].append(command)
        self._say(command)

    def _say(self, command: Command) -> None:
        name = command.name
        if name == "foreach":
            self._loop(command)
        elif name == "endforeach" and self._loops:
            self._loops.pop()
        elif name in _SET_BELOW:
            self._assign(command)
        elif name == "project" and command.arguments:
            self._found.declares.append(("cmake project", command.arguments[0].text))
        elif name in _TARGETS:
            self._target(command)
        elif name in _LINKED:
            self._needs(command)
        elif name == "option" and command.arguments:
            self._define(command.arguments[0].text, "constant", command.start, command.end)
        if name in ("include", "add_subdirectory", "find_package"):
            self._import(command)
        elif name not in _NAMELESS:
            deep = name == "file" and bool(command.arguments) and command.arguments[0].text == "GLOB_RECURSE"
            for number, argument in enumerate(command.arguments):
                self._path(argument, certain=name == "configure_file" and number == 0, deep=deep)
        if name in self._bodies and not self._open:
            self._call(command)
        if name not in _OWN:
            self._functions.setdefault(name, self._source.line(command.start))

    def _call(self, command: Command) -> None:
        """Say what a function of this file says of the files that it is given."""
        names, body = self._bodies[command.name]
        self._left -= len(body) + len(names)
        if self._left < 0 or self._calls >= _MAX_CALLS:
            return
        before = len(self._loops)
        texts = [argument.text for argument in command.arguments]
        given = [(name, self._expand(text)) for name, text in zip(names, texts, strict=False)]
        self._loops += [*given, ("ARGN", texts[len(names) :])]
        self._calls += 1
        for each in body:
            self._say(each._replace(start=command.start, end=command.end))
        self._calls -= 1
        del self._loops[before:]

    def finish(self) -> None:
        """Note the commands that are none of the language's, nor of this file."""
        own = {value for label, value in self._found.declares if label == "cmake function"}
        for name, line in self._functions.items():
            if name not in own:
                self._found.refer("use", "", name, line)

    def _define(self, name: str, kind: str, start: int, end: int) -> None:
        source = self._source
        first = source.line(start)
        public = not name.startswith("_")
        row = Definition(name, kind, first, source.line(end - 1), public, documented(source.rows, first, (b"#",)))
        self._found.definitions.append(row)

    def _blocks(self, command: Command) -> None:
        if command.name in _BLOCKS and command.arguments:
            called, *names = (argument.text for argument in command.arguments)
            self._bodies[called.lower()] = names, []
            self._open.append((_BLOCKS[command.name], called, command.start))
            self._found.declares.append(("cmake function", called.lower()))
        elif self._open and command.name == self._open[-1][0]:
            _, called, start = self._open.pop()
            self._define(called, "function", start, command.end)

    def _loop(self, command: Command) -> None:
        if not command.arguments:
            return
        name, *rest = command.arguments
        values: list[str] = []
        lists = False
        for argument in rest:
            if len(values) >= _MAX_VALUES:
                break
            if argument.text in ("IN", "ITEMS", "LISTS"):
                lists = argument.text == "LISTS"
            elif lists:
                values += self._set.get(argument.text, [])
            else:
                values += self._expand(argument.text)
        self._loops.append((name.text, values[:_MAX_VALUES]))

    def _assign(self, command: Command) -> None:
        texts = [argument.text for argument in command.arguments]
        if command.name == "list":
            if texts[:1] not in (["APPEND"], ["PREPEND"]):
                return
            texts = texts[1:]
        if len(texts) < 2:
            return
        name, *values = texts
        for stop in ("CACHE", "PARENT_SCOPE"):
            values = values[: values.index(stop)] if stop in values else values
        expanded = [each for value in values for each in self._expand(value)][:_MAX_ARGUMENTS]
        known = [*self._set.get(name, ()), *expanded] if command.name == "list" else expanded
        self._set[name] = known[:_MAX_ARGUMENTS]
        place = len(known) == 1 and ("/" in known[0] or name.endswith(_DIRECTORIES)) and _PLACE.fullmatch(known[0])
        if place or name == "CMAKE_MODULE_PATH":
            self._found.declares += [(f"cmake set {name}", value) for value in expanded]

    def _target(self, command: Command) -> None:
        if command.arguments and not self._open:
            for name in self._expand(command.arguments[0].text):
                if "$" not in name and not any(each.text == "IMPORTED" for each in command.arguments[:4]):
                    self._found.declares.append(("cmake target", name))
                    self._define(name, "module", command.start, command.end)

    def _needs(self, command: Command) -> None:
        for argument in command.arguments[1:]:
            for name in self._expand(argument.text):
                if re.fullmatch(r"[\w.+:-]+", name) and name[0] != "-" and not name.isupper():
                    self._found.refer("depends", name, "cmake target", self._source.line(argument.offset))

    def _import(self, command: Command) -> None:
        if not command.arguments:
            return
        argument = command.arguments[0]
        for named in self._expand(argument.text):
            if command.name == "add_subdirectory":
                target, name = f"{named.rstrip('/')}/CMakeLists.txt", ""
            elif command.name == "find_package":
                target, name = f"Find{named}.cmake", "module"
            else:
                plain = re.fullmatch(r"[\w.+-]+", named) and not named.endswith(".cmake")
                target, name = (f"{named}.cmake", "module") if plain else (named, "")
            if self._open and "${" in target and not target.startswith("${CMAKE_CURRENT_LIST_DIR}"):
                continue  # where it is called from
            self._found.refer("import", target, name, self._source.line(argument.offset))

    def _path(self, argument: Argument, certain: bool = False, deep: bool = False) -> None:
        if _VARIABLE.fullmatch(argument.text):
            return  # what it holds was named where it was set
        for text in self._expand(argument.text):
            for each in text.split(";")[:_MAX_VALUES]:
                named = _GENERATOR.sub("", each).rstrip(">")
                if deep and "*" in named:
                    named = "/**/".join(named.rpartition("/")[::2]) if "/" in named else f"**/{named}"
                if certain or _FILE.fullmatch(named):
                    self._found.refer("use", named, "", self._source.line(argument.offset))

    def _expand(self, text: str) -> list[str]:
        """What an argument stands for, as far as this file tells; unknown variables stay."""
        whole = _VARIABLE.fullmatch(text)
        if "${" not in text or self._left < 0:
            return [_ESCAPE.sub(r"\1", text)]
        if whole and whole[1] in self._set:
            self._left -= len(self._set[whole[1]])
            return self._set[whole[1]]
        texts = [text]
        for _ in range(_HEADS):
            further = list(dict.fromkeys(each for known in texts for each in self._once(known)))[:_MAX_VALUES]
            if further == texts:
                break
            self._left -= len(further)
            texts = further
        return [_ESCAPE.sub(r"\1", text) for text in texts]

    def _once(self, text: str) -> Iterator[str]:
        known = {name: values for name in _VARIABLE.findall(text)[:_HEADS] if (values := self._values(name))}
        for row in islice(product(*known.values()), _MAX_VALUES):
            each = text
            for name, value in zip(known, row, strict=True):
                each = each.replace(f"${{{name}}}", value)
            if len(each) <= _LONGEST:
                yield each

    def _values(self, name: str) -> list[str]:
        """What a variable inside a longer word stands for; nothing when that is not known."""
        for loop, values in reversed(self._loops):
            if loop == name:
                return values
        values = self._set.get(name, [])
        return values if len(values) == 1 and f"${{{name}}}" not in values[0] else []
