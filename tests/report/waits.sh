#!/usr/bin/env bash
# The graph of who waits for whom, for every scenario with a bug: the DOT file is what graphviz reads (checked by its
# grammar, as far as it is used), the ranks that JSON has in `waits` are all in it and in the tree.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mapfile -t files < <(find scenarios/bugs tests/hangs/cases -name '*.lua' -not -path '*/fixed/*' | sort)
failed=0
complain() { echo "$*"; failed=$((failed + 1)); }

for format in json dot tree; do
    "$program" run -v --timeout 60s --format $format "${files[@]}" >"$work/$format" 2>"$work/err" </dev/null
    cat "$work/err"
done
jq -r '[.waits[] | if .device then .comm_rank else .rank end] | unique | join(" ")' "$work/json" >"$work/waiting"

cat >"$work/ranks.awk" <<'AWK'
# Adds the ranks of a list such as "0, 1, 3..7" to the array.
function add_ranks(list, into,    part, n, i, ends, r) {
    n = split(list, part, /, */)
    for (i = 1; i <= n; i++) {
        if (split(part[i], ends, /\.\./) < 2) ends[2] = ends[1]
        for (r = ends[1] + 0; r <= ends[2] + 0; r++) into[r] = 1
    }
}
function missing(waiting, found,    want, n, i, none) {
    n = split(waiting, want, " ")
    for (i = 1; i <= n; i++) if (!(want[i] in found)) none = none " " want[i]
    return none
}
AWK

awk -f "$work/ranks.awk" -f - "$work/waiting" "$work/dot" <<'AWK' || complain "not all is as it should be in the DOT file"
BEGIN {
    text = "\"([^\"\\\\]|\\\\.)*\""
    attribute = "[a-z]+=(" text "|[A-Za-z0-9]+)"
    list = "\\[" attribute "(, " attribute ")*\\]"
}
function wrong(what) { print "dot:" FNR ": " what ": " $0; bad = 1 }
FNR == NR { waiting[FNR] = $0; next }
/^digraph waits \{$/ { if (inside) wrong("in a graph"); inside = 1; graphs++; delete node; delete found; next }
!inside { wrong("outside of a graph"); next }
/^}$/ { inside = 0; none = missing(waiting[graphs], found); if (none) wrong("without ranks" none); next }
$0 ~ "^  label=" text ";$" { next }
/^  labelloc=t; rankdir=LR; node \[shape=box\];$/ { next }
$0 ~ "^  n[0-9]+ " list ";$" {
    node[$1] = 1
    ranks = $0; sub(/^[^"]*"ranks? /, "", ranks); sub(/(, thread|\\n).*/, "", ranks)
    add_ranks(ranks, found)
    next
}
$0 ~ "^  n[0-9]+ -> n[0-9]+ " list ";$" {
    if (!($1 in node) || !($3 in node)) wrong("an edge of nothing")
    edges++
    next
}
{ wrong("no line of a graph") }
END {
    if (inside) { print "dot: the last graph has no end"; bad = 1 }
    if (graphs != length(waiting)) { print "dot: " graphs " graphs of " length(waiting) " runs"; bad = 1 }
    if (edges < 100) { print "dot: only " edges " edges"; bad = 1 }
    exit bad
}
AWK

awk -f "$work/ranks.awk" -f - "$work/waiting" "$work/tree" <<'AWK' || complain "not all is as it should be in the tree"
function close_run(    none) {
    if (runs && (none = missing(waiting[runs], found))) { print "tree: run " runs " without ranks" none; bad = 1 }
}
FNR == NR { waiting[FNR] = $0; next }
/^(scenarios|tests)\/.*: [a-z]+/ { close_run(); runs++; delete found; next }
/^    [|` -]*ranks? [0-9]/ {
    ranks = $0; sub(/^[^r]*ranks? /, "", ranks); sub(/[^0-9., ].*/, "", ranks); sub(/[, ]+$/, "", ranks)
    add_ranks(ranks, found)
    next
}
/^\[[0-9]+\]/ || /^[0-9]+ (scenarios|cases|runs)/ { next } # what ranks print, and the summary
{ print "tree:" FNR ": no line of a tree: " $0; bad = 1 }
END {
    close_run()
    if (runs != length(waiting)) { print "tree: " runs " runs of " length(waiting); bad = 1 }
    exit bad
}
AWK

# A rank whose stream is at a callback that waits: one wait, told once.
twice=$("$program" run --format tree 'scenarios/bugs/streams/callback_waits.lua[ranks=4]' </dev/null | grep -c '^    .*rank 1 waits')
((twice == 1)) || complain "callback_waits: rank 1 is told $twice times"

echo "$(wc -l <"$work/waiting") runs, $failed failed"
((failed == 0))
