#!/usr/bin/env bash
# Prints how many lines each room of src has, and how many it had at the last release:
#     bash tests/lines.sh
#     bash tests/lines.sh --release      makes today's figures those of the release
# It counts tracked files without generated ones (folders called gen). It reports and never fails.
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 0
table=tests/lines.tsv # the release, then ROOM<TAB>LINES

lines_of_rooms() {
    git ls-files -z -- 'src/*/*.'{c,h,lua,inc,def,css,js,txt} | grep -zv '/gen/' | xargs -0r grep -c '' |
        awk -F '[/:]' '{ lines[$2] += $NF } END { for (room in lines) printf "%s\t%d\n", room, lines[room] }' | sort
}

if [ "${1:-}" = --release ]; then
    version=$(sed -nE 's/^project\(ncclscript VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
    { printf 'release\t%s\n' "$version" && lines_of_rooms; } >"$table"
    exit 0
fi

lines_of_rooms | awk -F '\t' '
    NR == 1   { release = $2; next }
    NR == FNR { before[$1] = $2; rooms[$1]; all_before += $2; next }
              { now[$1] = $2; rooms[$1]; all_now += $2 }
    END {
        printf "%-10s %8s %8s %8s\n", "room", "lines", release, "change"
        fflush() # before sort writes
        for (room in rooms)
            printf "%-10s %8d %8d %+8d\n", room, now[room], before[room], now[room] - before[room] | "sort"
        close("sort")
        printf "%-10s %8d %8d %+8d\n", "src", all_now, all_before, all_now - all_before
    }' "$table" -
exit 0
