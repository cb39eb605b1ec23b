#!/usr/bin/env bash
# Lua's own rules hold in a scenario: results, messages and their places, of many small pieces; and what
# is nested too deep for Lua is refused with its place.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
cd tests/lua || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

"$program" run snippets.lua | sed -n 's/^\[0\] //p' >"$work/out"
diff snippets.txt "$work/out" || failed=1

deep() { # N OPEN CLOSE: a local variable nested so deep, in the second line
    printf 'scenario { ranks = 1 }\nlocal x = %s1%s\n' "$(printf "%${1}s" "" | sed "s/ /$2/g")" \
        "$(printf "%${1}s" "" | sed "s/ /$3/g")"
}
for brackets in '( )' '{ }'; do
    deep 300 $brackets >"$work/deep.lua"
    "$program" run "$work/deep.lua" 2>&1 | grep -q '/deep.lua:2:209: error: nested deeper than 200 levels' ||
        { echo "no place for $brackets nested too deep"; failed=1; }
    deep 150 $brackets >"$work/deep.lua"
    "$program" run -q "$work/deep.lua" || failed=1
done
deep 300 '(' ')' | sed 1d >"$work/module.lua"
printf 'scenario { ranks = 1 }\nrequire "module"\n' >"$work/requires.lua"
"$program" run "$work/requires.lua" | grep -q '/module.lua:1: nested deeper than 200 levels' ||
    { echo "no place in a module"; failed=1; }

# A name means the same whenever it is used first.
"$program" run first_use.lua >"$work/first" || failed=1
diff <(sed -n 's/^\[1\] //p' "$work/first") <(sed -n 's/^\[0\] //p' "$work/first") || failed=1
(($(grep -c "did you mean" "$work/first") == 12 && $(grep -c "ready-made" "$work/first") == 8)) ||
    { echo "first_use.lua prints something else"; cat "$work/first"; failed=1; }

# A reader that never ends is ended by the budget, as a result of load's.
printf 'scenario { ranks = 1 }\nprint(load(function() return "x" end))\n' >"$work/endless.lua"
"$program" run --memory 32M "$work/endless.lua" | grep -qx '\[0\] nil.not enough memory' ||
    { echo "an endless reader is not ended"; failed=1; }

# With --unsafe any 128 bytes are an id. Nobody serves it, so every rank gives up after a minute of virtual time.
cat >"$work/stranger.lua" <<'S'
scenario { ranks = 2, world = false }
local id = nccl.unique_id(("\1"):rep(128))
expect.error("ncclRemoteError", nccl.init_rank, nranks, id, rank)
expect.that(clock() > 10)
S
"$program" run -q --unsafe "$work/stranger.lua" 2>"$work/err" || { echo "an id of a stranger"; failed=1; }
"$program" run "$work/stranger.lua" | grep -q 'no id of this run has these bytes' ||
    { echo "bytes of a stranger become an id without --unsafe"; failed=1; }
exit $failed
