#!/bin/bash
# Each fact stands in few files: counts the files under src, written by hand, that name one collective, one
# data type, one kind of fault, one format, one query, one command and one method. Who adds another one
# touches no more than these (src/README.md); a list of names by hand anywhere makes one file too many.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
failed=0

# named KIND MOST OWN PATTERN [FOLDER]: at most MOST files match, among them OWN, where its row stands; those of
# folders called FOLDER are not counted.
named() {
    local kind=$1 most=$2 own=$3 pattern=$4 but=${5:-gen} files
    files=$(grep -rlE --exclude-dir=gen --exclude-dir="$but" --exclude='*.md' -- "$pattern" src | sort)
    local count
    count=$(grep -c . <<<"$files")
    printf '%-24s %2d of at most %d\n' "$kind" "$count" "$most"
    if ((count > most)) || ! grep -qx "$own" <<<"$files"; then
        echo "$kind: expected at most $most files and $own among them, got:"
        sed 's/^/  /' <<<"$files"
        failed=1
    fi
}

named "collective AllGather"  5 src/api/api.lua       '[aA]ll_?[gG]ather|ALL_GATHER' classes # which have it as an example
named "data type bfloat16"    7 src/api/types.c       '[bB][fF](loat)?16' pages # which have one type or another as an example
named "fault corrupt"         3 src/api/faults.def    '\bcorrupt\b|FAULT_CORRUPT'
named "format tap"            2 src/report/formats.def '(\b|_)tap(\b|_)'
named "query CommProperties"  2 src/api/api.lua       'ncclCommQueryProperties'
named "command doctor"        2 src/cli/commands.def  'cmd_doctor|NCS_COMMAND\(doctor\)|"doctor"'
named "method mem_stats"      2 src/script/comm_life.c '"(comm:)?mem_stats"|comm_mem_stats'
named "rule part_too_small"   3 src/diagnose/rules/part_too_small.c 'part[-_]too[-_]small'
exit $failed
