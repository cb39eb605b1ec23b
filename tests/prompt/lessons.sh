#!/usr/bin/env bash
# Each lesson's solutions are marked right, its wrong answers are told what is wrong; and a lesson that is
# wrong itself is noticed.
set -u
program=${NCCLSCRIPT:?}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

"$program" lesson --test >"$scratch/out" 2>&1 || { cat "$scratch/out"; failed=1; }
tail -n 3 "$scratch/out"
[ "$(wc -l <"$scratch/out")" -ge "$(ls lua/lessons/[0-9]*.lua | wc -l)" ] || { echo "lessons are missing"; failed=1; }

# bad NAME PATTERN: the lesson on standard input must fail its test, or not be read, with that message.
bad() {
    cat >"$scratch/$1.lua"
    if "$program" lesson --test "$scratch/$1.lua" >"$scratch/out" 2>&1; then
        echo "$1: was not noticed"
        failed=1
    elif ! grep -q -- "$2" "$scratch/out"; then
        echo "$1: no word of '$2':"
        cat "$scratch/out"
        failed=1
    fi
}
step='text = "t", task = "t", solution = "rank"'
bad solution "not marked right" <<<"return { title = 't', steps = { { $step, check = function() return false, 'no' end } } }"
bad answer "wrong answer is not marked" <<<"return { title = 't', steps = { { $step, check = function() return true end, wrong = { { 'nranks', 'x' } } } } }"
bad hint "does not get its reply" <<<"return { title = 't', steps = { { $step, check = function(s) return s.replies[0] == '0', 'y' end, wrong = { { 'nranks', 'x' } } } } }"
bad check "the lesson is broken" <<<"return { title = 't', steps = { { $step, check = function() return nil .. 1 end } } }"
bad loop "used up its instruction budget" <<<"return { title = 't', steps = { { $step, check = function() while true do end end } } }"
bad syntax "near" <<<"return {"
bad nothing "a lesson returns a table" <<<"return 1"
bad title "has a title" <<<"return {}"
bad steps "has steps" <<<"return { title = 't', steps = {} }"
bad text "has no text" <<<"return { title = 't', steps = { {} } }"
bad half "without the others" <<<"return { title = 't', steps = { { text = 't', task = 't' } } }"
bad key "unknown key 'chek'" <<<"return { title = 't', steps = { { text = 't', chek = 1 } } }"
bad ranks "1..1024" <<<"return { title = 't', ranks = 0, steps = { { text = 't' } } }"
bad files "attempt to index a nil value (global 'io')" <<<"io.open('x')"

# What a lesson has typed for the learner uses no files.
cat >"$scratch/typed.lua" <<END
return { title = "t", ranks = 1, steps = {
  { text = "first", setup = ":save $scratch/by_setup.lua\nx = 1\n:load $scratch/other.lua" },
  { text = "t", task = "t", check = function(s) return s.replies[0] == "1" end, solution = ":save $scratch/by_solution.lua\nx",
    wrong = { { ":save $scratch/by_wrong.lua\nnranks - 1", "" } } } } }
END
echo 'scenario { ranks = 3 } x = 5' >"$scratch/other.lua"
"$program" lesson --test "$scratch/typed.lua" >"$scratch/out" 2>&1
printf '\n:solution\nx\n:save %s/typed_by_hand.lua\n' "$scratch" |
    "$program" lesson "$scratch/typed.lua" >>"$scratch/out" 2>&1
for name in by_setup by_solution by_wrong; do
    [ ! -e "$scratch/$name.lua" ] || { echo "a lesson has written $name.lua"; failed=1; }
done
grep -q "1 solutions" "$scratch/out" || { echo "the lesson was not tested:"; cat "$scratch/out"; failed=1; }
[ -e "$scratch/typed_by_hand.lua" ] || { echo "who learns cannot save:"; cat "$scratch/out"; failed=1; }
[ "$failed" -eq 0 ]
