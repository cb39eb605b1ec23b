#!/usr/bin/env bash
# The driver of the fuzz targets: its changes are others each day and the same with the number that it prints,
# and of an input that fails is said and kept all that it takes to try it again. fuzz_planted fails at the
# first input that does not begin with the letter of the seed.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
built=$(dirname "$NCCLSCRIPT")/tests/fuzz
[[ -x $built/fuzz_planted ]] || { echo "left out: the fuzz targets are built for libFuzzer"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset NCCLSCRIPT_FUZZ_SEED NCCLSCRIPT_FUZZ_ROUNDS
cp "$built/fuzz_planted" "$work/planted" && cp "$built/fuzz_quantity" "$work/quantity" || exit 1
cd "$work" || exit 1
printf 'abcdefghijklmnop' >seed
failed=0

# run STATUS COMMAND...: its output is in `out`
run() {
    local want=$1 got
    shift
    "$@" >out 2>&1 </dev/null
    got=$?
    [[ $got == "$want" ]] || complain "$*: status $got, not $want"
}

complain() {
    printf '%s\n' "$1"
    sed 's/^/    /' out
    failed=$((failed + 1))
}

before=$(date -u +%Y%m%d)
run 0 ./quantity seed
after=$(date -u +%Y%m%d)
grep -qE "^1 seeds, [0-9]+ changes of them; again: NCCLSCRIPT_FUZZ_SEED=($before|$after)\$" out ||
    complain "the number of the day is not printed"

# The same number fails at the same input, another one at another.
for number in 7 7 8; do
    run 1 env NCCLSCRIPT_FUZZ_SEED=$number ./planted seed
    grep -q "NCCLSCRIPT_FUZZ_SEED=$number\$" out || complain "the number given is not printed"
    grep -q '^failed at change [0-9]*, of seed: signal 6 ' out || complain "not said where it failed"
    grep '^failed' out | cat - planted.input >"at.$number.${first:=1}"
    first=2
done
cmp -s at.7.1 at.7.2 || complain "the same number, another failure"
cmp -s at.7.2 at.8.2 && complain "another number, the same failure"

# What is printed and what is kept are the input, which fails alone.
word=$(grep "^\\$'" out) && eval "printf %s $word" >printed
cmp -s printed planted.input || complain "the input printed is not the one kept"
again=$(sed -n 's/^again: //p' out)
[[ $again == "NCCLSCRIPT_FUZZ_ROUNDS=0 ./planted ./planted.input" ]] || complain "not said how to try it again"
run 1 env $again
grep -q '^failed at ./planted.input: signal 6 ' out || complain "the input kept does not fail"
run 0 env NCCLSCRIPT_FUZZ_ROUNDS=0 ./planted seed

for number in -1 x 1x 99999999999999999999; do
    run 2 env NCCLSCRIPT_FUZZ_SEED=$number ./quantity seed
    grep -qF "NCCLSCRIPT_FUZZ_SEED: \`$number\` is no whole number" out || complain "$number is taken for a number"
done
run 2 ./quantity
run 1 ./quantity nothing
((failed == 0)) && echo "the driver of the fuzz targets: ok"
