#!/usr/bin/env bash
# The simulator against each real NCCL that is found, as differential does for the one that the loader finds: the files of
# NCS_REAL_LIBRARIES, separated by blanks. Each is compared with the profile of its version.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(dirname "$(realpath "$NCCLSCRIPT")")/tests/differential_differential
[[ -x $program ]] || { echo "skipped: there is no $program"; exit 77; }
ran=0 failed=0
for library in ${NCS_REAL_LIBRARIES:-}; do
    [[ $library == */libnccl.so.2 ]] || continue
    LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} timeout 200 "$program"
    case $? in
        0) ran=$((ran + 1)) ;;
        77) ;;
        *) failed=$((failed + 1)) ;;
    esac
done
((ran + failed)) || { echo "skipped: NCS_REAL_LIBRARIES names no libnccl.so.2"; exit 77; }
exit $((failed > 0))
