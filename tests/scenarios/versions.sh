#!/usr/bin/env bash
# As older versions of NCCL every scenario ends as it declares, or declares that it needs a newer one.
set -u
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
failed=0
# Those that declare a version themselves are about that one.
mapfile -t files < <(grep -rLE 'sim += +\{ nccl' scenarios/{basics,patterns,recovery,workloads})
for version in 2.26.2 2.28.9 2.30.4; do
    "$NCCLSCRIPT" run -q --timeout 60s --nccl-version "$version" "${files[@]}" </dev/null ||
        { echo "as NCCL $version: exit status $?"; failed=$((failed + 1)); }
done
((failed == 0))
