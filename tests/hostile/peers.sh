#!/usr/bin/env bash
# Hostile peers at the rendezvous of a job: nobody joins without the secret, takes the leader's place, changes a message or sends one
# again, and nobody holds the job.
set -u
unset "${!NCCL_@}" RANK WORLD_SIZE
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "left out: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/peers.py" "$NCCLSCRIPT"
