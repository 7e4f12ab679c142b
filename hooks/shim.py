"""The shell that git runs: one script in the repository, one marked block in each hook.

Knows POSIX sh and git's hooks. Knows nothing of Python but where it is. The
script starts as few processes as can be: git waits for it.
"""

from __future__ import annotations

import re
import shlex

EVENTS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
SCRIPT = "hook.sh"  # in the oracl directory of the common git dir

_SCRIPT = r"""# Made by `git oracl hooks install`, removed by `git oracl hooks uninstall`.
# Notes one event in a file, starts one detached worker, says nothing and never fails.
oracl_python=@PYTHON@
oracl_alive() { # not a process that was killed and waits for its parent, nor another of that number
  kill -0 "$1" || return 1
  [ -r "/proc/$1/stat" ] || return 0
  read -r oracl_stat < "/proc/$1/stat" || return 1
  case $oracl_stat in
    *") Z "* | *") X "*) return 1 ;;
    *"(py"*) return 0 ;;
  esac
  return 1
}
oracl_note() {
  [ "${ORACL_SKIP:-0}" = 0 ] || return 0
  if [ "$1" = configured ]; then # git's configuration names one command for all events: what it is given tells them
    case $#:${2:-} in
      1:) shift; set -- post-commit ;;
      4:*) shift; set -- post-checkout "$@" ;;
      2:rebase | 2:amend) shift; set -- post-rewrite "$@" ;;
      *) shift; set -- post-merge "$@" ;;
    esac
  fi
  case $1 in
    post-checkout) [ "${4:-}" = 1 ] || return 0 ;; # git checkout -- FILE moves nothing
    post-rewrite) [ "${2:-}" = rebase ] || return 0 ;; # an amended commit has been told of
  esac
  oracl_dir=${GIT_DIR:-}
  if [ -z "$oracl_dir" ]; then
    if [ -d .git ]; then
      oracl_dir=.git
    elif [ -f .git ]; then
      IFS= read -r oracl_dir < .git || return 0
      oracl_dir=${oracl_dir#gitdir: }
    else
      oracl_dir=$(git rev-parse --git-dir) || return 0
    fi
  fi
  case $oracl_dir in
    /*) ;;
    *) oracl_dir=$PWD/$oracl_dir ;;
  esac
  if [ "$1" != post-rewrite ]; then # HEAD is on its way: the end of it is told, or seen by the next question
    for oracl_state in rebase-merge rebase-apply BISECT_START; do
      [ ! -e "$oracl_dir/$oracl_state" ] || return 0
    done
  fi
  [ -x "$oracl_python" ] || return 0
  [ "$(git config --type=bool oracl.hooks)" != false ] || return 0
  command trap '' XFSZ || : # a limit on the size of files is an error like others, and does not end us
  [ -d "$oracl_dir/oracl" ] || mkdir "$oracl_dir/oracl" || return 0
  echo "$1" >> "$oracl_dir/oracl/spool" || return 0
  if [ -r "$oracl_dir/oracl/worker" ] && read -r oracl_pid < "$oracl_dir/oracl/worker" && oracl_alive "$oracl_pid"; then
    return 0 # it looks into the spool once more before it goes
  fi
  GIT_DIR=$oracl_dir "$oracl_python" -P -m oracl_git.hooks.worker 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
}
{ oracl_note "$@"; } < /dev/null > /dev/null 2>&1 || :
"""

_OPEN, _CLOSE = "# >>> git-oracl >>>", "# <<< git-oracl <<<"
_OURS = "# The whole file was made by git-oracl."
_SHEBANG = "#!/bin/sh\n"
# The first test costs no process: a rebase runs post-commit once a commit.
_PICKING = '[ ! -d "${GIT_DIR:-.git}/rebase-merge" ] && '
_BLOCK = f"""{_OPEN}
if @PICKING@[ -r "${{0%/*}}/../oracl/{SCRIPT}" ]; then
  (set -- @EVENT@ "$@"; . "${{0%/*}}/../oracl/{SCRIPT}") || :
fi
{_CLOSE}
"""
# The value of hook.oracl.command. git runs it in sh with the arguments behind it. A rebase runs it once a commit.
CONFIGURED = (
    f'd=${{GIT_DIR:-.git}}; if [ ! -d "$d/rebase-merge" ] || [ "$1" = rebase ]; then '
    f'[ -r "$d/oracl/{SCRIPT}" ] || d=$(git rev-parse --git-common-dir); '
    f'[ ! -r "$d/oracl/{SCRIPT}" ] || (set -- configured "$@"; . "$d/oracl/{SCRIPT}"); fi 2> /dev/null; :'
)
_FIND = re.compile(
    rb"^" + re.escape(_OPEN.encode()) + rb"\r?\n.*?^" + re.escape(_CLOSE.encode()) + rb"(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_SHELL = re.compile(rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?(?:sh|bash|dash|ash|ksh|zsh|busybox[ \t]+sh)\b")


def script(python: str) -> bytes:
    """The script that the blocks read."""
    return _SCRIPT.replace("@PYTHON@", shlex.quote(python)).encode("utf-8", "surrogateescape")


def manual(event: str) -> str:
    """The one line for a hook that we must not touch: tracked, or shared with other repositories."""
    return f'sh "$(git rev-parse --git-common-dir)/oracl/{SCRIPT}" {event} "$@" 2> /dev/null || :'


def has_block(hook: bytes) -> bool:
    """Whether our block, of any version, is in a hook."""
    return _FIND.search(hook) is not None


def is_shell(hook: bytes) -> bool:
    """Whether a block of sh can stand in this hook. Without a "#!" line git gives it to sh."""
    if b"\0" in hook[:1000]:
        return False
    return not hook.startswith(b"#!") or _SHELL.match(hook) is not None


def inserted(hook: bytes | None, event: str) -> bytes:
    """The hook with our block, behind the "#!" line: what follows may `exec` or exit."""
    picking = "" if event == "post-rewrite" else _PICKING
    block = _BLOCK.replace("@EVENT@", event).replace("@PICKING@", picking).encode()
    if hook is None:
        return _SHEBANG.encode() + block.replace(b"\n", f"\n{_OURS}\n".encode(), 1)
    known = _FIND.search(hook)
    if known:
        if _OURS.encode() in known[0]:
            block = block.replace(b"\n", f"\n{_OURS}\n".encode(), 1)
        return hook[: known.start()] + block[: None if known[0].endswith(b"\n") else -1] + hook[known.end() :]
    first = hook.find(b"\n") + 1 if hook.startswith(b"#!") else 0
    if hook.startswith(b"#!") and not first:  # one line without its end
        return hook + b"\n" + block.removesuffix(b"\n")
    return hook[:first] + block + hook[first:]


def removed(hook: bytes) -> bytes | None:
    """The hook as it was before `inserted`; None when it was not there."""
    known = _FIND.search(hook)
    if known is None:
        return hook
    rest = hook[: known.start()] + hook[known.end() :]
    if _OURS.encode() in known[0] and rest == _SHEBANG.encode():
        return None
    if not known[0].endswith(b"\n") and rest.endswith(b"\n"):
        rest = rest[:-1]
    return rest
