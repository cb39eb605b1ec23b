#!/usr/bin/env bash
# Hostile dumps, logs, recordings, files of code and scenarios: each ends with its exit status (wants.txt), within bounds of
# time, memory and output, reads no file beside those that it brings, leaves none, and prints nothing that a terminal obeys.
# After a change of the attempts: run.py PROGRAM --learn prints statuses, which are to be read before they are kept.
set -u
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "left out: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/run.py" "$NCCLSCRIPT"
