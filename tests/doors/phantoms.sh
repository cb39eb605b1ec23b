#!/usr/bin/env bash
# phantoms.bash finds ranks that a job lacks in each kind of report, and takes nothing else for a rank.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# look WANTED FILE LINE: WANTED lines of the output for a job of 4 ranks.
look() {
    printf '%s\n' "$3" >"$work/$2"
    local got
    got=$(bash tests/doors/phantoms.bash 4 "$work/$2" | wc -l)
    [ "$got" -eq "$1" ] || { echo "FAIL $2: $3: $got lines, not $1"; failures=$((failures + 1)); }
}

for file in a.txt a.html; do
    look 1 $file 'rank 3 waits for rank 4'
    look 1 $file '    ranks 0, 2-4  wait behind these'
    look 1 $file '    Ranks 0..7 wait'
    look 1 $file 'for ranks 1 and 5'
    look 1 $file 'rank -1 of comm1'
    look 1 $file 'for rank 11 (rank 2 of comm1/split2.0)'
    look 0 $file 'HANG  a.lua  4 ranks, sim, seed 0'
    look 0 $file 'ranks 0, 1 and 9 others wait for rank 3, 8 bytes'
    look 0 $file '  processes  rank 0: 4711, rank 3: 4712'
    look 0 $file 'franks 9, my_rank 9, ranks 0..3; 7 calls'
done
look 0 a.txt '  note  the label "rank 9" is the user'"'"'s'
look 0 a.txt '  code  12 | sleep(1) -- rank 9'
look 1 a.html '{"rows":[{"name":"rank 0","ranks":[0,4]}]}'
look 0 a.html '{"rows":[{"name":"rank 0","ranks":[0,3]}]}'
look 1 a.json '{"ranks":4,"why":"rank 4 waits"}'
look 1 a.json '{"ranks":4,"findings":[{"culprits":[{"rank":4}]}]}'
look 1 a.json '{"ranks":4,"findings":[{"culprits":[{"rank":-1,"comm_rank":1}]}]}'
look 2 a.json '{"ranks":4,"findings":[{"blocked":[0,5],"cycle":[{"for":6}]}]}'
look 0 a.json '{"ranks":4,"findings":[{"blocked":[0,3],"culprits":[{"rank":null}],"call":9}],"output":["rank 9"]}'
[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
echo "phantoms: ok"
