#!/usr/bin/env bash
# A function's name is its own: counts the functions under src, written by hand, whose name another file
# gives to a function as well. Such a name says nothing in a backtrace, and a search finds the wrong one.
# Prints the names that most files use; fails when the share is above the bound, which only ever falls.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
most_permille=${1:-15}

# NAME FILE for each definition: it begins in column 0, and its body with a brace of its own.
definitions() {
    find src -name '*.[ch]' -not -path '*/gen/*' -exec awk '
        FNR == 1 { name = "" }
        /^[A-Za-z_].*[ *][A-Za-z_0-9]+\(/ && !/^typedef/ && !/;$/ {
            name = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
        }
        /;$/ { name = "" }
        /^\{/ { if (name != "") print name, FILENAME; name = "" }' {} +
}

definitions | sort -u | awk -v bound="$most_permille" '
    { functions++; uses[$1]++; files[$1] = files[$1] " " substr($2, 5) }
    END {
        for (name in uses)
            if (uses[name] > 1) {
                shared += uses[name]
                print uses[name], name ":" files[name] | "sort -rn | head -n 30"
            }
        close("sort -rn | head -n 30")
        printf "%d of %d functions share their name with another one, at most %.1f %%\n", shared,
               functions, bound / 10
        exit functions < 1000 || shared * 1000 > functions * bound
    }'
