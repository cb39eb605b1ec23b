#!/usr/bin/env bash
# --debug=diagnosis: each comparison of decisions.def decides or is asked in one of these hangs. The line of code that the report
# then names makes the comparison, and lies in a function that src/diagnose/README.md lists for that name's place.
set -u
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export NCCLSCRIPT_QUIET=1
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

# function_of FILE LINE: the function that has the line.
function_of() {
    head -n "$2" "$1" | sed -nE 's/^[a-z].*[ *]([a-z_0-9]+)\(.*/\1/p' | tail -n 1
}

declare -A id_of reached
while IFS=, read -r id name; do
    id_of[$name]=$id
done < <(sed -n 's/^NCS_DECISION(\([A-Z_]*\), "\([a-z-]*\)", ".*")$/\1,\2/p' src/diagnose/decisions.def)
((${#id_of[@]} >= 40)) || fail "only ${#id_of[@]} decisions"

# The rows of the README's table of places: lines that name files and functions.
grep -E '^\| *[1-9]? *\| `' src/diagnose/README.md >"$work/rows"
(($(wc -l <"$work/rows") >= 15)) || fail "the README has only $(wc -l <"$work/rows") places"

# compares NAME FILE:LINE: the line has the comparison with that name, in a function of the table. NAME empty: it has none.
compares() {
    local file=${2%:*} line=${2#*:} text function id=NOTHING
    [ -z "$1" ] || id=${id_of[$1]:-none}
    text=$(sed -n "${line}p" "src/$file")
    [[ $text =~ NCS_(BY|AT|WHY)\(.*$id ]] || fail "$1: $2 does not name it: $text"
    # behind the name: an operator of a comparison, or a call that compares
    [[ ${text#*"$id"} =~ (==|!=|<|>|!|&&|\|\||\?|[a-z_]\() ]] || [[ ${text%%NCS_WHY*} =~ (==|!=|&&|!) ]] || fail "$1: $2 only notes: $text"
    [ -n "$1" ] || return
    function=$(function_of "src/$file" "$line")
    grep -F "\`${file#diagnose/}\`" "$work/rows" | grep -qF "\`$function\`" || fail "$1: the README lists no $function of $file"
}

# hang NAMES COMMAND...: the names are printed with their places.
hang() {
    local name place
    "$NCCLSCRIPT" "${@:2}" >"$work/out" 2>&1
    while read -r name place; do
        [ -n "$place" ] || { place=$name name=; }
        reached[${name:--}]=1
        compares "$name" "$place"
    done < <(sed -nE 's/^  debug +(([a-z-]+): )?.* \(([a-z_/]*\.c:[0-9]*)\)$/\2 \3/p' "$work/out")
    for name in $1; do
        grep -qE "^  debug +$name: .*\(" "$work/out" || fail "${*:2}: nothing of $name"
    done
}

bugs=scenarios/bugs cases=tests/hangs/cases
while read -r names arguments; do
    hang "${names//,/ }" run -v --no-times --debug=diagnosis $arguments
done <<END
notice $cases/buffer_freed.lua
empty-call $cases/astray_by_an_empty_call.lua
met,value-tie,trial-within $bugs/participants/kind_mismatch.lua
later $cases/two_bugs.lua
polls $cases/poll_of_unset_key.lua
other-meeting $bugs/lifecycle/shrink_missing_rank.lua
freed-beside $bugs/teardown/destroy_beside.lua
teardown $cases/destroyed_by_one_of_two.lua
left-out,named $cases/barrier_left_out.lua
missing-link $cases/group_recv_forgotten.lua
missed-meeting $cases/window_missed_for_a_call.lua
unset-key $cases/host_wait.lua
cycle,breakers $cases/keys_in_a_ring.lua
majority $cases/swapped_by_label.lua
siblings $cases/exchanged_in_one_of_two_pairs.lua
tie $bugs/order/two_orders.lua
fewer-calls $bugs/participants/skipped_layer.lua
final,number,trial-confirms $cases/gather_without_one.lua
exchanged $cases/line_swapped.lua
lines $cases/line_skipped_in_the_middle.lua
values $cases/other_type_on_one.lua
value-siblings $cases/count_in_a_pair.lua
comm-users $cases/world_instead_of_pair.lua
no-partner $cases/second_server.lua
odd-order,ground $cases/tangled_destroys.lua
worded $cases/signal_to_the_wrong_peer.lua
access $cases/gather_into_too_little.lua
trial-changes $cases/helper_left_out.lua
trial-places $cases/count_of_one_missing.lua
trial-unplaced $cases/extra_send.lua
trial-larger $bugs/communicators/comm_order_synced.lua
trial-smaller $cases/extra_among_comms.lua
trial-refutes $bugs/lifecycle/split_color_differs.lua
trial-several $cases/tangled_three_comms.lua
likelier --unsafe $bugs/participants/kind_mismatch.lua
one-behind --unsafe $bugs/communicators/comm_order.lua
END
for name in "${!id_of[@]}"; do
    [ "${reached[$name]:-}" ] || fail "no hang here reaches $name"
done
[ "${reached[-]:-}" ] || fail "no hang here has a comparison without a name"
((failed == 0))
