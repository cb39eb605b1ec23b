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
# For each task three plausible wrong answers, and one that cheats or looks.
awk '/solutions/ && $4 < 4 * $2 { print "too few wrong answers:", $0; bad = 1 } END { exit bad }' "$scratch/out" || failed=1
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

# Questions: an answer is asked for before the call; a variable's name is a look and no answer.
cat >"$scratch/asks.lua" <<'END'
return { title = "t", ranks = 2, steps = { { text = "t", setup = 'x = cuda.buffer("float32", 1):fill(1)', task = "How many?",
  answer = "2", right = "Well done.", wrong = { { "1", "one is too few" } } } } }
END
ask() { printf '%s\n' "$@" | XDG_STATE_HOME=$scratch/state "$program" lesson --again "$scratch/asks.lua" 2>&1; }
want() { # want PATTERN TEXT
    grep -q -- "$1" <<<"$2" || { echo "no '$1' in:"; echo "$2"; failed=1; }
}
want "one is too few" "$(ask 1)"
want "Right. Well done." "$(ask '" 2"')"
want "float32\[1\]" "$(ask x)"
want "before you make the call" "$(ask 'world:all_reduce(x)' 2)"

# The shell of a lesson reaches nothing outside its folder, runs nothing but ncclscript, and leaves nothing behind.
cat >"$scratch/shell.lua" <<'END'
return { title = "t", ranks = 1, steps = { { text = "t", files = { ["a.lua"] = "scenario { ranks = 2 }\n" }, task = "t",
  check = function(s) return s.command and s.command.status == 3 end, solution = "ncclscript run a.lua" } } }
END
type_there() { printf '%s\n' "$@" | TMPDIR=$scratch XDG_STATE_HOME=$scratch/state "$program" lesson --again "$scratch/shell.lua" 2>&1; }
want "exit status 5" "$(type_there 'ncclscript run a.lua')"
want "scenario { ranks = 2 }" "$(type_there 'cat a.lua')"
want "has been written" "$(type_there ':write b.lua' '' 'x = 1' '.')"
want "2 ranks" "$(type_there ':write b.lua' 'scenario { ranks = 2 }' 'barrier()' '.' '$ ncclscript run b.lua')"
for line in 'ncclscript run /etc/passwd' 'ncclscript run ../shell.lua' 'ncclscript exec -- true' 'ncclscript run a.lua >b' \
    'ncclscript run a.lua; true' 'ncclscript run "a.lua' 'ncclscript' 'ncclscript lesson' "ncclscript run --html=$scratch/p a.lua"; do
    want "^not run: " "$(type_there "$line")"
done
for line in 'cat ../shell.lua' 'cat /etc/passwd' ':write ../b.lua' ':write .b' 'cat -'; do
    want "expected the name" "$(type_there "$line")"
done
bad names "plain names" <<<"return { title = 't', steps = { { text = 't', files = { ['../a'] = 'x' } } } }"
bad answer "a question has a task" <<<"return { title = 't', steps = { { text = 't', answer = 'x' } } }"
if compgen -G "$scratch/ncclscript-lesson-*" >/dev/null; then echo "a lesson's folder is still there"; failed=1; fi

# Progress, the certificate, and the course as pages.
export XDG_STATE_HOME=$scratch/learner
printf 'rank\n:solution\nx = cuda.buffer("float32", 4):fill(rank + 1)\n:next\n' | "$program" lesson 1 >/dev/null 2>&1
grep -qx '01-ranks svn' "$scratch/learner/ncclscript/lessons" || { echo "progress: $(cat "$scratch/learner/ncclscript/lessons")"; failed=1; }
want "3 of 5 steps" "$("$program" lesson)"
"$program" lesson --certificate "$scratch/page.html" --name '<i>Ada</i>' || failed=1
want '&#60;i&#62;Ada&#60;/i&#62; solved 1 of ' "$(cat "$scratch/page.html")"
"$program" lesson --html "$scratch/course" || failed=1
for number in "$scratch"/course/*.html; do
    want '</html>' "$(tail -n 1 "$number")"
done
[ "$(ls "$scratch/course" | wc -l)" -eq $(($(ls lua/lessons/[0-9]*.lua | wc -l) + 1)) ] || { echo "pages are missing"; failed=1; }
want 'PASS  sum.lua' "$(cat "$scratch/course/15-scenarios.html")" # what the answers print is there
"$program" lesson --html "$scratch/course" --test 2>/dev/null && { echo "--html with --test is accepted"; failed=1; }
"$program" lesson --html /dev/null/course 2>/dev/null && { echo "--html into nothing is accepted"; failed=1; }
[ "$failed" -eq 0 ]
