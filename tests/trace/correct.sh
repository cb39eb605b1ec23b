#!/usr/bin/env bash
# Correct programs are not accused: of each scenario that ends as it should, and of each near miss of a hang, the dumps
# of every kind have no hang, unless the kind cannot show the difference.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
formats=(fr fr-json ras log calls)
scenarios=0 failed=0

# FORMAT SCENARIO: what the kind does not show
excused() {
    case $1:$2 in
    log:*/silent/near_child_not_aborted.lua) ;;         # splitShare
    calls:*/silent/near_child_not_aborted.lua) ;;       # splitShare
    ras:*/basics/abort_from_thread.lua) ;;              # whether a rank is about to leave, as others have
    ras:*/basics/errors_to_handle.lua) ;;               # the same
    ras:*/basics/shrink.lua) ;;                         # the same
    ras:*/recovery/revoke.lua) ;;                       # revoked communicators
    ras:*/recovery/shrink_around.lua) ;;                # that calls were given up after a rank died
    ras:*/silent/near_child_not_aborted.lua) ;;         # the same
    ras:*/silent/near_fault_unused.lua) ;;              # the same
    ras:*/silent/near_rank_lost.lua) ;;                 # the same
    *) return 1 ;;
    esac
}

while read -r file; do
    rm -rf "$work/d"
    mkdir "$work/d"
    dumps=()
    for format in "${formats[@]}"; do
        dumps+=(--dump "$format" "$work/d/$format")
    done
    "$program" run "${dumps[@]}" "$file" >/dev/null 2>&1 || continue # several cases, or a script that is made to fail
    scenarios=$((scenarios + 1))
    for format in "${formats[@]}"; do
        [ -n "$(ls "$work/d/$format" 2>/dev/null)" ] || continue # no rank made a communicator
        timeout 100 "$program" diagnose "$work/d/$format" >"$work/out" 2>&1
        status=$?
        case $status in
        0 | 1 | 5) ! excused "$format" "$file" || wrong="no longer accused: it needs no excuse" ;;
        3) excused "$format" "$file" || wrong="accused" ;;
        *) wrong="status $status" ;;
        esac
        if [ -n "${wrong:-}" ]; then
            echo "$format of $file: $wrong"
            sed 's/^/    /' "$work/out"
            failed=$((failed + 1))
            wrong=
        fi
    done
done < <(find scenarios/basics scenarios/patterns scenarios/recovery tests/hangs/silent -name '*.lua' | sort)
[ "$scenarios" -gt 150 ] || { echo "only $scenarios scenarios"; failed=1; }
echo "$scenarios scenarios, $failed complaints"
[ "$failed" = 0 ]
