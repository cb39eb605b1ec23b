#!/usr/bin/env bash
# What `diagnose` finds in the Flight Recorder dumps of jobs with one bug each, held against whose bug it is.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$(dirname "$0")/dumps.py" "$@"
