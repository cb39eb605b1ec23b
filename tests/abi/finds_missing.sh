#!/usr/bin/env bash
# The walk over NCCL's headers must name a function that nobody knows, one that is declared for
# profilers only or in a header of the device API, and one of the table that a header lacks.
lua=$(command -v lua5.4 || command -v lua)
if [ -z "$lua" ] || ! "$lua" -e 'os.exit(_VERSION == "Lua 5.4")'; then
    echo "skipped: no Lua 5.4 interpreter"
    exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# Every function of the table since 2.0, as a header of the newest version would declare them.
header() {
    echo '#define NCCL_VERSION_CODE 23007'
    "$lua" -e 'for _, fn in ipairs(dofile("src/api/api.lua").functions) do
        if fn.lib == "nccl" then print(("ncclResult_t %s(int a);"):format(fn.name)) end end'
}

expect() { # expect PATTERN: the walk fails and says so
    local said
    if said=$("$lua" tests/abi/walk.lua "$folder" 2>&1); then
        echo "not found: $1"
        failed=1
    elif ! grep -q "$1" <<<"$said"; then
        printf 'wanted %s, got:\n%s\n' "$1" "$said"
        failed=1
    fi
}

header >"$folder/nccl.h"
"$lua" tests/abi/walk.lua "$folder" || { echo "the clean header fails"; failed=1; }
{ header; printf 'ncclResult_t ncclNew(int a,\n    int b);\n'; } >"$folder/nccl.h"
expect '^ncclNew is declared'
{ header; echo '/* ncclOld(a) */ ncclResult_t pncclOther (void);'; } >"$folder/nccl.h"
expect '^ncclOther is declared'
header | grep -v 'ncclCommSplit(' >"$folder/nccl.h"
expect '^ncclCommSplit is in the API since 2.18.1'
header >"$folder/nccl.h"
mkdir "$folder/nccl_device"
echo 'NCCL_EXTERN_C __host__ ncclTeam_t ncclTeamAll(ncclComm_t comm);' >"$folder/nccl_device/core.h"
expect '^ncclTeamAll is declared'
exit $failed
