#!/usr/bin/env bash
# The GitHub Action, as a runner executes it: the variables of its inputs, the files of the runner, and what comes of them.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
for tool in jq xargs; do
    command -v $tool >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
unset "${!NCCL_@}" "${!GITHUB_@}"
action=$PWD/cmake/action.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/temp" && ln -s "$(realpath "$NCCLSCRIPT")" "$work/bin/ncclscript"
export PATH=$work/bin:$PATH RUNNER_TEMP=$work/temp GITHUB_PATH=$work/path GITHUB_OUTPUT=$work/output GITHUB_STEP_SUMMARY=$work/summary
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

# Every input is declared, used, and read by the script; the workflow to copy uses inputs that there are.
for input in command arguments wheel junit sarif; do
    grep -q "^  $input:$" action.yml || fail "action.yml does not declare $input"
    grep -qi "^ *${input^^}: \${{ inputs.$input }}$" action.yml || fail "action.yml does not pass $input on"
    grep -q "\$${input^^}\|{${input^^}:-}" "$action" || fail "the script does not read ${input^^}"
done
while read -r input; do
    grep -q "^  $input:$" action.yml || fail "the workflow has an unknown input $input"
done < <(sed -nE '/OWNER\/ncclscript/,/uses: github/s/^          ([a-z]+):.*/\1/p' examples/ci/github.yml)

cd "$work" || exit 1
mkdir suite 'a folder'
printf 'print("fine")\nprint("::error::injected")\n' >suite/pass.lua
printf 'scenario { ranks = 2 }\nif rank == 0 then barrier() end\n' >'a folder/hang.lua'
step() { # step COMMAND ARGUMENTS STATUS
    rm -f output summary n.xml n.sarif
    COMMAND=$1 ARGUMENTS=$2 JUNIT=n.xml SARIF=n.sarif "$action" run >out 2>&1
    [[ $? == "$3" ]] || fail "$1 $2: another status than $3: $(cat out)"
}
step run "suite" 0
grep -q '^PASS  suite/pass.lua' out || fail "a pass: $(cat out)"
# Only what stands outside of the two lines with the token is a command.
commands() {
    awk '/^::stop-commands::/ { end = "::" substr($0, 18) "::"; next } end != "" { if ($0 == end) end = ""; next } /^::/' out
}
[[ ! $(commands) ]] || fail "a pass has annotations, or an output is a command: $(commands)"
grep -q '^status=0$' output || fail "no output: $(cat output)"
step run "-q 'a folder' suite" 3
commands | grep -q '^::error file=a folder/hang.lua,line=[0-9]*,title=' && grep -q '^HANG ' out || fail "a hang: $(cat out)"
grep -q '^status=3$' output && grep -q 'exit status 3' summary && grep -q '^HANG' summary || fail "a hang: $(cat output summary)"
[[ -s n.xml ]] && jq -e '.runs[0].results | length == 1' n.sarif >/dev/null || fail "a hang: no JUnit or SARIF"
# shellcheck disable=SC2016 # nothing of it may be executed
step run 'suite $(touch made) `touch made` ; touch made' 2
[[ ! -e made ]] || fail "arguments are executed"
step check "suite" 0
step exec "-n 2 -- true" 5
grep -q '^::error .*title=empty' out || fail "exec: $(cat out)"
step run "'suite" 2
step lesson "" 2
echo "$failed failures"
((failed == 0))
