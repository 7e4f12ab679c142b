#!/bin/sh
# The main job, end to end, on the repository this script lies in.
set -eu
cd "$(dirname "$0")/.."
run() {
    printf '\n$ git oracl'
    for word in "$@"; do
        case $word in *\ *) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    git oracl "$@"
}
run init --no-hooks
run search "how are imports resolved through re-exports" --limit 5
run search "type:tests incremental equals full" --limit 3
run related oracl_git/graph/resolve/python.py --limit 6
run trace oracl_git/graph/numbers.py --in --depth 2
run show oracl_git/graph/numbers.py#rounded
run stats
