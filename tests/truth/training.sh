#!/usr/bin/env bash
# Training programs as people write them, each with one bug of the kind that people report (see run.sh).
# NCCLSCRIPT_PROGRAMS of them (100), and half as many of today's.
NCCLSCRIPT_FAMILY=training NCCLSCRIPT_PROGRAMS=${NCCLSCRIPT_PROGRAMS:-100} exec bash tests/truth/run.sh
