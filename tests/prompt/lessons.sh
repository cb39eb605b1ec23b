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

# A lesson of a stranger: its code changes no text of its own, ends, and makes the terminal obey nothing.
hostile() { # hostile NAME TYPED [OPTION]: the lesson on standard input, with lines typed
    cat >"$scratch/$1.lua"
    printf '%b' "$2" | XDG_STATE_HOME=$scratch/state TMPDIR=$scratch timeout 60 "$program" lesson --again ${3:-} "$scratch/$1.lua" >"$scratch/out" 2>&1
    local status=$?
    [ $status -lt 2 ] || { echo "$1: status $status"; cat "$scratch/out"; failed=1; }
}
hostile escapes '1\n\n' <<END
local l
l = { title = "t", steps = { { text = "t", task = "t", solution = "1",
  check = function(s) l.steps[2].files["$scratch/PLANTED"] = "evil" l.steps[2].text = nil l.steps[3] = 5 return true end },
  { text = "second", files = { ["a.lua"] = "" } }, { text = "third" } } }
return l
END
[ ! -e "$scratch/PLANTED" ] || { echo "a lesson has written a file by its own name"; failed=1; }
want "third" "$(cat "$scratch/out")"
hostile repeats '1\n' <<<'return { title = "t", steps = { { text = "t", task = "t", solution = "1", check = function() return ("").rep("", math.maxinteger) end } } }'
want "That was the lesson" "$(cat "$scratch/out")"
hostile unsafe ':next\n' <<END
return { title = "t", steps = { { text = "t", files = { ["a.lua"] = "scenario {} os.execute('touch $scratch/PLANTED')" },
  setup = "ncclscript run a.lua --unsafe\nncclscript --unsafe run a.lua\nncclscript run a.lua --nccl-lib a.lua --driver nccl",
  task = "t", solution = "ncclscript run --unsafe=1 a.lua", check = function() return true end } } }
END
[ ! -e "$scratch/PLANTED" ] || { echo "a lesson has run a program"; failed=1; }
printf 'return { title = "t\\27]0;x\\7", steps = { { text = "a\\27[31mb", files = { ["a.lua"] = "\\27]52;c;eA\\7" }, task = "\\27[2J", solution = "1", hints = { "\\27c" }, check = function() end } } }' |
    hostile obeys ':hint\ncat a.lua\n'
if grep -q $'[\033\007]' "$scratch/out"; then echo "control characters reach the terminal"; failed=1; fi
hostile gone 'x = {} for i = 1, 1e9 do x[i] = ("x"):rep(1000) .. i end\n1\n' --memory=64M <<<'return { title = "t", ranks = 2, steps = { { text = "t", task = "t", solution = "1", check = function(s) return s.time < 0 end } } }'
bad wrongs "no list of pairs" <<<"return { title = 't', steps = { { $step, check = function() end, wrong = { { '5' }, { '6', true } } } } }"
bad hints "no list of texts" <<<"return { title = 't', steps = { { $step, check = function() end, hints = 'h' } } }"

# Progress, the certificate, and the course as pages.
export XDG_STATE_HOME=$scratch/learner
printf 'rank\n:solution\nx = cuda.buffer("float32", 4):fill(rank + 1)\n:next\n' | "$program" lesson 1 >/dev/null 2>&1
grep -qx '01-ranks svn' "$scratch/learner/ncclscript/lessons" || { echo "progress: $(cat "$scratch/learner/ncclscript/lessons")"; failed=1; }
want "3 of 5 steps" "$("$program" lesson)"
printf 'rank\n' | "$program" lesson --again 1 >/dev/null 2>&1 # what was seen stays seen, what was solved stays solved
grep -qx '01-ranks svn' "$scratch/learner/ncclscript/lessons" || { echo "progress after a repetition"; failed=1; }
printf ':solution\n' | "$program" lesson 2 >/dev/null 2>&1
printf 'world:broadcast(x, { root = 2 })\n' | "$program" lesson 2 >/dev/null 2>&1
grep -qx '02-rooted v' "$scratch/learner/ncclscript/lessons" || { echo "a solution that was seen is forgotten"; failed=1; }
want "This step needs 4 ranks" "$(printf ':reset -n 1\nrank\n' | "$program" lesson --again 1)"
chmod 000 "$scratch/learner/ncclscript/lessons"
[ -r "$scratch/learner/ncclscript/lessons" ] || # root reads everything
    want "not kept" "$(printf 'rank\n' | "$program" lesson --again 3 2>&1)"
chmod 600 "$scratch/learner/ncclscript/lessons"
want 'solved 1 of ' "$("$program" lesson --certificate - --name x)"
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
