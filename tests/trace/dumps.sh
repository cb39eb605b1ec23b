#!/usr/bin/env bash
# The findings of `diagnose` in Flight Recorder dumps of jobs with one bug each, compared with the rank of the bug.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$(dirname "$0")/dumps.py" "$@"
