#!/usr/bin/env bash
# What a learner types is kept, and a teacher marks it again: a certificate says what its lines solve, not what it claims. Lines of a
# stranger neither save nor load files. --here keeps the files of a lesson, and never takes a folder that exists.
set -u
program=$(realpath "${NCCLSCRIPT:?}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_STATE_HOME=$work/state LC_ALL=C.UTF-8
cd "$work" || exit 1
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}
solved() { "$program" lesson --mark "$1" 2>"$work/err" | sed -nE '2s/.*  ([0-9]+) of [0-9]+, ([0-9]+) after a look$/\1 \2/p'; }

printf '%s\n' rank 'x = cuda.buffer("float32",' '4):fill(rank + 1)' '@2 x:fill(100)' >first
printf '%s\n' ':solution' 107 'world:all_reduce(x)' ":save $work/evil.lua" >second # the lesson goes on where it was left
"$program" lesson 1 <first >out 2>&1 && "$program" lesson 1 <second >>out 2>&1 || fail "the lesson fails: $(cat out)"
[[ -e evil.lua ]] || fail "the learner cannot save"
rm -f evil.lua
"$program" lesson --certificate page.html --name '<b>&' || fail "no certificate"
[[ $(solved page.html) == "4 1" ]] || fail "marked: $(solved page.html), not 4 1; $(cat err)"
[[ $(solved state/ncclscript/lesson-lines) == "4 1" ]] || fail "the kept lines themselves are marked otherwise"
[[ -e evil.lua ]] && fail "marking has saved a file"
sed 's/&#62;107/\&#62;108/; s/<td>[0-9]/<td>9/g' page.html >forged.html
[[ $(solved forged.html) == "3 0" ]] || fail "a forged page is marked $(solved forged.html), not 3 0"
printf '01-ranks x 0 >rank\n01-ranks x >rank\n01-ranks x 99999999999999999999 >1\n01-ranks\nnonsense 1 0 >rank\n01-ranks y 4 >world:all_reduce(x)\n' >odd
[[ $(solved odd) == "2 0" ]] || fail "odd lines are marked $(solved odd)"
for file in /dev/null "$program" /nothing; do
    "$program" lesson --mark "$file" >out 2>&1
    [[ $? == 2 ]] && grep -q error: out || fail "$file is marked: $(cat out)"
done
"$program" lesson --mark page.html forged.html >out || fail "two files are not marked"
[[ $(wc -l <out) == 3 ]] || fail "no table of two rows: $(cat out)"

mkdir -p keep/15-scenarios && echo mine >keep/15-scenarios/sum.lua
echo ':hint' | "$program" lesson --here keep 15 >out || fail "--here fails"
grep -q "keep/15-scenarios-2, and stay there" out && [[ -s keep/15-scenarios-2/sum.lua && $(<keep/15-scenarios/sum.lua) == mine ]] ||
    fail "--here does not keep the files beside others: $(cat out)"
echo "$failed failures"
((failed == 0))
