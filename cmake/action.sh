#!/usr/bin/env bash
# The steps of action.yml, whose inputs come as variables.
#   cmake/action.sh install    WHEEL: a wheel of a release; empty: this tree is built and installed
#   cmake/action.sh run        COMMAND, ARGUMENTS, JUNIT, SARIF
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)

install_it() {
    local folder=$RUNNER_TEMP/ncclscript
    if [ -n "${WHEEL:-}" ]; then
        python3 -m venv "$folder"
        "$folder/bin/pip" install -q "$WHEEL"
    else
        "$here/start" install "$folder"
    fi
    echo "$folder/bin" >>"$GITHUB_PATH"
    "$folder/bin/ncclscript" --version
}

run_it() {
    local status=0 annotations words token
    annotations=$(mktemp)
    case $COMMAND in
        run | check | exec | diagnose) ;;
        *) echo "::error title=ncclscript::command: expected run, check, exec or diagnose, not $COMMAND"; exit 2 ;;
    esac
    # xargs reads quotes as a shell does, and executes nothing.
    words=$(xargs -r printf '%s\n' <<<"$ARGUMENTS") || { echo "::error title=ncclscript::arguments: a quote is not closed"; exit 2; }
    mapfile -t words <<<"$words"
    # A line that a scenario prints must be no command to the runner.
    token=$(od -An -tx1 -N16 /dev/urandom | tr -d ' \n')
    echo "::stop-commands::$token"
    ncclscript "$COMMAND" --report github "$annotations" --report junit "$JUNIT" --report sarif "$SARIF" "${words[@]}" 2>&1 |
        tee "$annotations.text" || status=${PIPESTATUS[0]}
    echo "::$token::"
    cat "$annotations"
    {
        printf '### ncclscript %s: exit status %d\n\n```\n' "$COMMAND" "$status"
        tail -n 200 "$annotations.text"
        printf '```\n'
    } >>"$GITHUB_STEP_SUMMARY"
    echo "status=$status" >>"$GITHUB_OUTPUT"
    rm -f "$annotations" "$annotations.text"
    return "$status"
}

case ${1:-} in
    install) install_it ;;
    run) run_it ;;
    *) sed -n '2,4s/^# *//p' "$0" >&2; exit 2 ;;
esac
