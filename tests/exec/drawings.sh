#!/usr/bin/env bash
# Drawings of a program: pages, traces, who waits for whom. Places are lines or return addresses, never their numbers.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1
place='(tests/exec/hang\.c:[0-9]+|[a-z_]+\+0x[0-9a-f]+)' # by debug information, or without it
hang=("${clients}hang") page=$out/page.html trace=$out/trace.json

run "a page and a trace of a hang" 3 "${exec[@]}" -n 4 --html "$page" --trace "$trace" -- "${hang[@]}"
reports '^HANG '
cp "$page" "$out/stdout"
says '<h2>Timeline</h2>'
says "href=\"#b[0-9]+\">rank 2</a> never made call 2: [^(]*\\($place\\)"
grep -q '10000000[0-9][0-9]' "$page" "$trace" && fail "$name: a number of a place"
if command -v jq >/dev/null; then
    jq -r '.otherData.message, (.traceEvents[] | select(.ph == "B" and .cat == "device") | "\(.pid) \(.name) \(.args.at)")' \
        "$trace" >"$out/stdout" || fail "$name: the trace is no JSON"
    says '^hang: rank 2 made one call on comm1'
    says "^0 AllReduce $place\$"
fi

run "a page of a program that succeeds" 0 "${exec[@]}" -n 2 --html "$page" -- "${clients}threads" 2
cp "$page" "$out/stdout"
says '<pre class="good">PASS '
silent

run "the tree" 3 "${exec[@]}" -n 4 --format tree -- "${hang[@]}"
reports '^    rank 2 never made call 2: .*<- cause: skipped-call$'
reports '^    `- ranks 0, 1, 3 wait in '
run "the tree for graphviz" 3 "${exec[@]}" -n 4 --format dot -- "${hang[@]}"
[ "$(head -n 1 "$out/stderr")" = 'digraph waits {' ] || fail "$name: another first line"
leaves_out '10000000[0-9][0-9]'

run "a page that cannot be written" 74 "${exec[@]}" -n 4 --html /dev/full -- "${hang[@]}"
reports '^ncclscript: /dev/full: cannot be written: No space left on device$'
refused() { # TEXT OPTION...
    run "refused: ${*:2}" 2 "${exec[@]}" "${@:2}" -- "${hang[@]}"
    reports "^ncclscript exec: $1"
}
refused '--html: expected the name of a file' --html -
refused '--html /: expected a file, this is a folder' --html /
refused '--trace no/where: there is no folder no/' --trace no/where
refused '--html and --trace cannot both be written to x' --html x --trace x
refused '--html is for one run: leave out --repeat' --html x --repeat 2
refused '--trace is for one run: leave out --sweep' --trace x --sweep kill
refused '--format dot is for one run: leave out --repeat' --format dot --repeat 2

# The program may change its folder; the file is where exec was told.
program=$(realpath "$NCCLSCRIPT") client=$(realpath "${hang[0]}")
(cd "$out" && timeout 60 "$program" exec -n 4 --html here.html -- sh -c "cd / && exec $client" >stdout 2>stderr)
name="a relative name"
[ -s "$out/here.html" ] || fail "$name"

finish "drawings"
