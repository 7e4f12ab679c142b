"""git oracl help and completion: what there is to type.

Knows the verbs' table; reads options off the parsers, so that help, reference,
man page and completion cannot drift from them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from importlib import import_module
from textwrap import wrap
from typing import NamedTuple

from . import VERBS

_GIVES = "Gives this repository a memory: search, related files, dependency traces; offline, with reasons."
SHELLS = ("bash", "zsh", "fish")


class Argument(NamedTuple):
    """One option or positional, as it is written and what it does. `flags` is empty for a positional."""

    flags: tuple[str, ...]
    value: str
    text: str

    @property
    def written(self) -> str:
        """`-n N, --limit N`."""
        return ", ".join(f"{flag} {self.value}".strip() for flag in self.flags) or self.value


def overview(columns: int = 80) -> str:
    """The page of `git oracl -h`."""
    lines = [
        "usage: git oracl <verb> [options]",
        "",
        *wrap(_GIVES, columns),
    ]
    group = ""
    for verb, (_, section, text) in VERBS.items():
        if section != group:
            group = section
            lines += ["", section]
        lines += wrap(f"  {verb:11} {text}", columns, subsequent_indent=" " * 14)
    lines += [
        "",
        *wrap("git oracl <verb> -h tells the options of a verb.", columns),
        *wrap('Start with: git oracl init; git oracl search "where is …"', columns),
    ]
    return "\n".join(lines)


def nearest(word: str) -> str:
    """A hint for a verb that does not exist."""
    from difflib import get_close_matches

    close = get_close_matches(word, VERBS, 1)
    return f"git oracl {close[0]}" if close else "git oracl -h lists the verbs"


def parser_of(verb: str) -> argparse.ArgumentParser:
    """The configured parser of a verb."""
    from .parser import build

    parser = build(verb)
    getattr(import_module(f".{VERBS[verb][0]}", __package__), f"configure_{verb}")(parser)
    return parser


def actions(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of a verb's actions (`graph rebuild`, `ontology storage backup`)."""
    from .parser import Late

    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, choice in action.choices.items():
                if isinstance(choice, Late):
                    choice.settle()
                found[name] = choice
                found.update({f"{name} {inner}": deeper for inner, deeper in actions(choice).items()})
    return found


def arguments(parser: argparse.ArgumentParser) -> Iterator[Argument]:
    """What a parser takes, positionals first; -h is left out."""
    found = []
    for action in parser._actions:
        if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)):
            continue
        value = ""
        if action.nargs != 0:
            value = str(action.metavar or (action.dest if not action.option_strings else action.dest.upper()))
            if action.choices and action.metavar is None:
                value = "|".join(map(str, action.choices))
            value += "…" if action.nargs in ("*", "+") else ""
        if not action.option_strings and action.nargs in ("*", "?"):
            value = f"[{value}]"
        found.append(Argument(tuple(action.option_strings), value, (action.help or "").replace("%%", "%")))
    yield from sorted(found, key=lambda argument: bool(argument.flags))


class Option(NamedTuple):
    """A long option, as completion offers it: `choices` are the values it takes, where they can be listed."""

    flag: str
    text: str
    takes: bool  # a value
    choices: tuple[str, ...]


def options(verb: str) -> list[Option]:
    """The long options of a verb and its actions, for completion."""
    parser = parser_of(verb)
    found: dict[str, Option] = {}
    for each in (parser, *actions(parser).values()):
        for action in each._actions:
            for flag in action.option_strings:
                if flag.startswith("--") and flag != "--help":
                    choices = (*(found[flag].choices if flag in found else ()), *map(str, action.choices or ()))
                    text = (action.help or "").replace("%%", "%")
                    found[flag] = Option(flag, text, action.nargs != 0, tuple(dict.fromkeys(choices)))
    return [*found.values(), Option("--help", "what the verb takes", False, ())]


def configure_help(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("verb", nargs="?", default="", help="a verb")


def run_help(args: argparse.Namespace) -> int:
    """The overview, or a verb's own help."""
    if args.verb and args.verb not in VERBS:
        from ..errors import UsageError

        raise UsageError(f"there is no verb {args.verb!r}", nearest(args.verb))
    print(parser_of(args.verb).format_help().rstrip("\n") if args.verb else overview())
    return 0


# -- completion -----------------------------------------------------------------------------


def configure_completion(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("shell", choices=SHELLS, help="print the script; source it from the shell's start-up file")


def run_completion(args: argparse.Namespace) -> int:
    """Print a completion script."""
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell]())
    return 0


def _words(verb: str) -> list[str]:
    """What may follow a verb besides options and paths."""
    if verb == "help":
        return list(VERBS)
    return list(SHELLS) if verb == "completion" else [name for name in actions(parser_of(verb)) if " " not in name]


def _bash() -> str:
    verbs = [
        f'    {verb}) opts="{" ".join(o.flag for o in options(verb))}" words="{" ".join(_words(verb))}" ;;'
        for verb in VERBS
    ]
    values = [
        f'    "{verb} {option.flag}") words="{" ".join(option.choices)}" ;;'
        for verb in VERBS
        for option in options(verb)
        if option.choices
    ]
    cases, listed = "\n".join(verbs), "\n".join(values)
    return f"""\
# git oracl completion for bash: source <(git oracl completion bash)
# git's own completion calls _git_oracl for "git oracl", and wants a space after nothing.
_git_oracl() {{
  local verb="" opts="" words="" seen="" i
  compopt +o nospace -o filenames 2> /dev/null
  for ((i = 0; i < COMP_CWORD; i++)); do
    case "${{COMP_WORDS[i]}}" in
      oracl | git-oracl | */git-oracl) seen=1 ;;
      -*) ;;
      *) if [[ -n "$seen" ]]; then verb="${{COMP_WORDS[i]}}"; break; fi ;;
    esac
  done
  local cur="${{COMP_WORDS[COMP_CWORD]}}"
  if [[ -z "$verb" ]]; then
    COMPREPLY=($(compgen -W "{" ".join(VERBS)}" -- "$cur"))
    return
  fi
  case "$verb" in
{cases}
  esac
  case "$verb ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{listed}
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$opts" -- "$cur"))
  elif [[ -n "$words" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    local IFS=$'\\n'
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _git_oracl git-oracl"""


def _zsh() -> str:
    verbs = "\n".join(f"    {_single(_marked(verb + ':' + text, ''))}" for verb, (_, _, text) in VERBS.items())
    cases = []
    for verb in VERBS:
        specs = " ".join(_single(_spec(option)) for option in options(verb))
        words = " ".join(_words(verb))
        rest = f"'*:word:({words})'" if words else "'*:file:_files'"
        cases.append(f"    {verb}) _arguments {specs} {rest} ;;")
    lines = "\n".join(cases)
    return f"""\
#compdef git-oracl
# git oracl completion for zsh: put this in $fpath as _git-oracl
_git-oracl() {{
  local -a verbs
  verbs=(
{verbs}
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$verb" in
{lines}
  esac
}}
if [[ "$funcstack[1]" == _git-oracl ]]; then _git-oracl "$@"; else compdef _git-oracl git-oracl; fi"""


def _spec(option: Option) -> str:
    """An option as zsh's _arguments reads it."""
    spec = f"{option.flag}[{_marked(option.text, '[]:')}]"
    if option.takes:
        spec += f":value:({' '.join(option.choices)})" if option.choices else ":value:_files"
    return spec


def _marked(text: str, signs: str) -> str:
    """A text in which a backslash stands before what zsh would take for a sign of its own."""
    return "".join(f"\\{c}" if c in signs + "\\" else c for c in text)


def _single(text: str) -> str:
    """A word of a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish() -> str:
    lines = [
        "# git oracl completion for fish: git oracl completion fish > ~/.config/fish/conf.d/git-oracl.fish",
        "# fish 3.6.0 itself leads `git oracl` nowhere.",
        "complete -c git -f -n '__fish_git_using_command oracl' -a '(__fish_git_complete_custom_command oracl)'",
    ]
    for verb, (_, _, text) in VERBS.items():
        lines.append(f"complete -c git-oracl -n __fish_use_subcommand -f -a {verb} -d {_fished(text)}")
        after = f"complete -c git-oracl -n '__fish_seen_subcommand_from {verb}'"
        for option in options(verb):
            value = f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r" if option.takes else ""
            lines.append(f"{after} -l {option.flag[2:]}{value} -d {_fished(option.text)}")
        if words := _words(verb):
            lines.append(f"{after} -f -a '{' '.join(words)}'")
    return "\n".join(lines)


def _fished(text: str) -> str:
    """A word of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# -- pages ----------------------------------------------------------------------------------

EXIT_CODES = (
    ("0", "yes: there is an answer, the check passed"),
    ("1", "no: nothing matches, no such path in the index, a check failed"),
    ("2", "the command line is malformed"),
    ("3", "a bug; the message names a log file"),
    ("10-16", "verify, snapshot fetch, session load and fetch: not verified, and why"),
    ("128", "not a repository, no commit yet, or it cannot run here"),
    ("130", "interrupted"),
    ("141", "the reader of a pipe went away"),
)


def reference() -> str:
    """docs/reference/cli.md."""
    lines = [
        "# Command line", "",
        "<!-- Written by oracl_git/cli/help.py from the parsers: make man -->", "",
        "`git oracl VERB [options]`. Every verb takes `-h`. Exit codes are [listed apart](exit-codes.md),",
        "the keys of `--json` [too](json.md).",
    ]  # fmt: skip
    group = ""
    for verb, (_, section, text) in VERBS.items():
        if section != group:
            group = section
            lines += ["", f"## {section}"]
        parser = parser_of(verb)
        lines += ["", f"### git oracl {verb}", "", parser.description or text]
        lines += _options_table(parser)
        for name, action in actions(parser).items():
            lines += ["", f"#### git oracl {verb} {name}", "", _sentence(_action_help(parser, name))]
            lines += _options_table(action)
        if parser.epilog:
            lines += ["", "```text", *parser.epilog.splitlines(), "```"]
    return "\n".join(lines) + "\n"


def _action_help(parser: argparse.ArgumentParser, name: str) -> str:
    first, _, rest = name.partition(" ")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            if rest:
                return _action_help(action.choices[first], rest)
            return next((choice.help or "" for choice in action._choices_actions if choice.dest == name), "")
    return ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _options_table(parser: argparse.ArgumentParser) -> list[str]:
    rows = [f"| `{_cell(a.written)}` | {_cell(a.text)} |" for a in arguments(parser)]
    return ["", "| | |", "|---|---|", *rows] if rows else []


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def man_page() -> str:
    """The troff of git-oracl(1)."""
    from .. import __version__

    lines = [
        f'.TH GIT\\-ORACL 1 "" "git\\-oracl {__version__}" "Git Manual"',
        ".SH NAME", "git\\-oracl \\- give a git repository a memory",
        ".SH SYNOPSIS", ".B git oracl", ".I verb", "[options]",
        ".SH DESCRIPTION",
        "Turns the commits git already keeps into a weighted graph of files and answers, offline, with reasons:",
        "where is this (search), what goes with it (related), what depends on what (trace).",
        "The index lies in .git/oracl; nothing is written into the work tree, and nothing leaves the machine",
        "but what is pushed: snapshots and sessions.",
        ".SH VERBS",
    ]  # fmt: skip
    for verb, (_, _, text) in VERBS.items():
        parser = parser_of(verb)
        lines += [f".SS {verb}", _troff(_sentence(text)), *_man_options(parser)]
        for name, action in actions(parser).items():
            lines += [".TP", f".B {verb} {name}", _troff(_sentence(_action_help(parser, name)))]
            lines += [".RS", *_man_options(action), ".RE"]
        if parser.epilog:
            lines += [".PP", ".nf", *map(_troff, parser.epilog.splitlines()), ".fi"]
    lines += [".SH EXIT STATUS"]
    for code, text in EXIT_CODES:
        lines += [".TP", f".B {code}", _troff(_sentence(text))]
    lines += [
        ".SH ENVIRONMENT",
        "NO_COLOR, COLUMNS, GIT_DIR, GIT_WORK_TREE; ORACL_SESSION (names the session that questions belong to),",
        "ORACL_DEBUG (shows the traceback of a bug);",
        "ORACALL_ED25519_PRIVATE_KEY, ORACALL_HMAC_KEY (keys of snapshots).",
        ".SH CONFIGURATION",
        "oracl.historyDepth (commits of history that count, default 20000),",
        "oracl.telemetry (keep the local query log, default true),",
        "oracl.sign, oracl.signingKey, oracl.trustFile, oracl.revocationFile (snapshots).",
        ".SH FILES",
        _troff(".git/oracl/index.sqlite, facts.sqlite, history.sqlite: derived, safe to remove (git oracl deinit)."),
        _troff(".agentlas/oracl.toml, constraints.toml, learned_* of them, of edges and of tags: tracked settings."),
        _troff(".agentlas/allowed_signers, revoked_signers: whose snapshots count."),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _man_options(parser: argparse.ArgumentParser) -> list[str]:
    lines = []
    for argument in arguments(parser):
        lines += [".TP", f".B {_troff(argument.written)}", _troff(_sentence(argument.text))]
    return lines


def _troff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("·", "\\(bu")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def write_man(directory: str) -> None:
    """Write git-oracl.1."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "git-oracl.1"), "w", encoding="utf-8") as file:
        file.write(man_page())


def write_reference(directory: str) -> None:
    """Write cli.md."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "cli.md"), "w", encoding="utf-8") as file:
        file.write(reference())
