#!/usr/bin/env bash
# Another user of the host, beside a job of `exec` and beside processes that meet on the host: nobody joins, reads or holds anything.
# Needs root, to be somebody else.
set -u
unset "${!NCCL_@}" "${!NCCLSCRIPT_JOB@}" RANK WORLD_SIZE
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "left out: there is no python3"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "left out: only root can be another user"; exit 77; }
client=${NCCLSCRIPT%/*}/tests/exec/exec_processes
[ -x "$client" ] || { echo "left out: there is no $client"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/users.py" "$NCCLSCRIPT" "$client"
