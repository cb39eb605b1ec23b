#!/usr/bin/env bash
# Formats the C code as .clang-format says, except generated files (folders called gen and compat):
#     cmake/format.sh            changes all files that need it
#     cmake/format.sh FILE...    changes these
#     cmake/format.sh --check    changes nothing, prints each file that needs it and the first line that differs
# Versions of clang-format differ in what they make of the same settings: only 14, Debian 12's, is used. Status 77: it
# is not here.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
want=14

for program in clang-format-$want clang-format none; do
    [[ $("$program" --version 2>/dev/null) =~ version\ $want\. ]] && break
done
if [ $program = none ]; then
    echo "there is no clang-format $want here: apt-get install clang-format (Debian 12) or clang-format-$want"
    exit 77
fi

list() {
    find include src tests examples -name '*.[ch]' -not -path '*/gen/*' -not -path '*/compat/*' -print0
}

case ${1:-} in
    '') list | xargs -0 -n 64 -P "$(nproc)" "$program" -i ;;
    --check)
        list | xargs -0 -n 64 "$program" --dry-run 2>&1 | awk -F : '
            /\[-Wclang-format-violations\]$/ {
                place = $1 ":" $2
                if ((getline line) <= 0) line = ""
                if (!found[$1]++) { files++; print place ": " line }
                next
            }
            /^(Error|YAML)/ { print; files++ }
            END {
                if (files) print files " files differ; this mends them: cmake/format.sh"
                exit files > 0
            }'
        ;;
    *) "$program" -i "$@" ;;
esac
