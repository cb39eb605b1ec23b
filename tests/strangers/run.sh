#!/usr/bin/env bash
# Programs as teams write them (helpers, hooks, plans, roles, graphs, servers), with one or several bugs. A model of its
# own knows the truth; the judge and the bars are those of tests/truth.
# NCCLSCRIPT_PROGRAMS of them (60), from number NCCLSCRIPT_FIRST (1) on.
command -v python3 >/dev/null || { echo "left out: there is no python3"; exit 77; }
NCCLSCRIPT_FAMILY=strangers NCCLSCRIPT_FIRST=${NCCLSCRIPT_FIRST:-1} NCCLSCRIPT_PROGRAMS=${NCCLSCRIPT_PROGRAMS:-60} \
    exec bash tests/truth/run.sh
