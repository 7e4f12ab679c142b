"""git oracl help and completion: what there is to type.

Knows the verbs' table; reads options off the parsers, so that help, man page
and completion cannot drift from them.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module

from . import VERBS

SHELLS = ("bash", "zsh", "fish")


def overview() -> str:
    """The page of `git oracl -h`."""
    lines = [
        "usage: git oracl <verb> [options]",
        "",
        "Gives this repository a memory: search, related files, dependency traces; offline, with reasons.",
    ]
    group = ""
    for verb, (_, section, text) in VERBS.items():
        if section != group:
            group = section
            lines += ["", section]
        lines.append(f"  {verb:11} {text}")
    lines += [
        "",
        "git oracl <verb> -h tells the options of a verb.",
        'Start with: git oracl init; git oracl search "where is …"',
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


def configure_help(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("verb", nargs="?", default="", help="a verb")


def run_help(args: argparse.Namespace) -> int:
    """The overview, or a verb's own help."""
    if args.verb and args.verb not in VERBS:
        from ..errors import UsageError

        raise UsageError(f"there is no verb {args.verb!r}", nearest(args.verb))
    print(parser_of(args.verb).format_help() if args.verb else overview())
    return 0


def configure_completion(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("shell", choices=SHELLS, help="print the script; source it from the shell's start-up file")


def run_completion(args: argparse.Namespace) -> int:
    """Print a completion script."""
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell]())
    return 0


def options(verb: str) -> list[tuple[str, str]]:
    """(option, help) of a verb."""
    found = []
    for action in parser_of(verb)._actions:
        found += [(option, action.help or "") for option in action.option_strings if option.startswith("--")]
    return found


def _bash() -> str:
    cases = "\n".join(f'    {verb}) opts="{" ".join(o for o, _ in options(verb))}" ;;' for verb in VERBS)
    return f"""\
# git oracl completion for bash: source <(git oracl completion bash)
# git's own completion calls _git_oracl for "git oracl".
_git_oracl() {{
  local verb="" word opts="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    case "$word" in git|git-oracl|oracl|-*) ;; *) verb="$word"; break ;; esac
  done
  local cur="${{COMP_WORDS[COMP_CWORD]}}"
  if [[ -z "$verb" ]]; then
    COMPREPLY=($(compgen -W "{" ".join(VERBS)}" -- "$cur"))
    return
  fi
  case "$verb" in
{cases}
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$opts" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _git_oracl git-oracl"""


def _zsh() -> str:
    verbs = "\n".join(f"    '{verb}:{text}'" for verb, (_, _, text) in VERBS.items())
    cases = "\n".join(
        f"    {verb}) _values -w option {' '.join(chr(39) + o + '[' + _bare(h) + ']' + chr(39) for o, h in options(verb)) or 'none'}; _files ;;"
        for verb in VERBS
    )
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
  case "$words[2]" in
{cases}
  esac
}}
if [[ "$funcstack[1]" == _git-oracl ]]; then _git-oracl "$@"; else compdef _git-oracl git-oracl; fi"""


def _fish() -> str:
    lines = ["# git oracl completion for fish: git oracl completion fish > ~/.config/fish/completions/git-oracl.fish"]
    for verb, (_, _, text) in VERBS.items():
        lines.append(f"complete -c git-oracl -n __fish_use_subcommand -f -a {verb} -d '{_bare(text)}'")
        for option, help_text in options(verb):
            lines.append(
                f"complete -c git-oracl -n '__fish_seen_subcommand_from {verb}' -l {option[2:]} -d '{_bare(help_text)}'"
            )
    return "\n".join(lines)


def _bare(text: str) -> str:
    return "".join(c for c in text.replace("%%", "%") if c not in "'[]:\\\"$`")


def man_page() -> str:
    """The troff of git-oracl(1)."""
    from .. import __version__

    lines = [
        f'.TH GIT-ORACL 1 "" "git-oracl {__version__}" "Git Manual"', ".SH NAME",
        "git-oracl \\- give a git repository a memory", ".SH SYNOPSIS", ".B git oracl", ".I verb", "[options]",
        ".SH DESCRIPTION",
        "Turns the commits git already keeps into a weighted graph of artifacts and answers, offline, with reasons:",
        "where is this (search), what goes with it (related), what depends on what (trace).", ".SH VERBS",
    ]  # fmt: skip
    for verb, (_, _, text) in VERBS.items():
        lines += [".TP", f".B {verb}", _troff(text) + "."]
        for option, help_text in options(verb):
            if option != "--help":
                lines += [".RS", ".TP", f".B {_troff(option)}", _troff(help_text), ".RE"]
    lines += [
        ".SH EXIT STATUS", "0 yes; 1 no match, or a check failed; 2 usage; 3 a bug; 128 not a repository, or cannot run; 130 interrupted.",
        ".SH ENVIRONMENT", "NO_COLOR, GIT_DIR, GIT_WORK_TREE, ORACL_BACKEND (git or pygit2), ORACL_SESSION, ORACL_DEBUG.",
        ".SH CONFIGURATION", "oracl.historyDepth (default 20000 commits), oracl.telemetry (default true).",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _troff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace("%%", "%")


def write_man(directory: str) -> None:
    """Write git-oracl.1 where a build wants it."""
    with open(os.path.join(directory, "git-oracl.1"), "w", encoding="utf-8") as file:
        file.write(man_page())
