#!/usr/bin/env bash
# The same bugs in shapes.lua's shapes, 2, 4 and 8 ranks: each finding has the same class and the same culprits,
# by their ranks of the communicator, whichever way the ranks are spread over processes and threads.
#
# bugs/*.lua begin with what is true of 4 ranks and more: verdict, class, and who is to blame, the `guilty`
# rank or `all`; of 2 ranks nobody is the odd one and the shapes have to agree only, as they have in a class of `-`. Lines
# "-- except SHAPE [RANKS]: why" name what is not compared.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")" || exit 1
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 compared=0

fail() {
    echo "$1"
    failed=$((failed + 1))
}

write() { # SHAPE RANKS GUILTY BUG
    local processes=1
    [ "$1" = process ] && processes=$2
    sed "s/PROCESSES/$processes/; s/RANKS/$2/g; s/GUILTY/$3/g; s/SHAPE/\"$1\"/g" shapes.lua
    cat "bugs/$4.lua"
    echo 'start()'
}

culprits() { # WORD RANKS GUILTY: as a list
    case $1 in
    guilty) echo "$3" ;;
    all) seq -s, 0 $(($2 - 1)) ;;
    esac
}

for bug in bugs/*.lua; do
    bug=$(basename "$bug" .lua)
    for ranks in 2 4 8; do
        for shape in process threads thread; do
            grep -q -e "^-- except $shape:" -e "^-- except $shape $ranks:" "bugs/$bug.lua" && continue
            write $shape $ranks $((ranks > 2 ? 2 : 1)) "$bug" >"$work/$bug-$ranks-$shape.lua"
        done
    done
done
(cd "$work" && "$program" run --timeout 60s --format json ./*.lua) >"$work/json" </dev/null
jq -r '(.scenario | sub(".*/"; "") | rtrimstr(".lua")) + "\t" + .verdict + " " +
    (.findings | map(select(.level == "error")) | map(.rule + " " +
        (.culprits | map(.comm_rank // .rank | tostring) | join(","))) | join(" and "))' "$work/json" >"$work/found"

found() { # BUG-RANKS-SHAPE
    awk -F'\t' -v name="$1" '$1 == name { print $2 }' "$work/found"
}

for file in "$work"/*.lua; do
    name=$(basename "$file" .lua)
    IFS=- read -r bug ranks shape <<<"$name"
    read -r _ verdict rule who <"bugs/$bug.lua"
    want="$verdict $rule $(culprits "$who" "$ranks" 2)"
    model=$(found "$bug-$ranks-process")
    [ "$rule" = - ] && want="$verdict $(cut -d' ' -f2 <<<"$model") $(culprits "$who" "$ranks" 2)"
    ((ranks == 2)) && want=$model
    got=$(found "$name")
    compared=$((compared + 1))
    [ "$got" = "$want" ] || fail "$bug, $ranks ranks, $shape: expected $want, got $got"
done
((compared > 150)) || fail "only $compared programs"
echo "$compared programs compared, $failed failed"
exit $((failed > 0))
