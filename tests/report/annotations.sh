#!/usr/bin/env bash
# What CI shows at the lines of sources: annotations of GitHub and SARIF, of run, check, exec and diagnose, with JUnit where no
# other test has it; and --report, which writes several formats of one run. SARIF is checked for what its schema requires.
set -u
unset "${!NCCL_@}"
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
for tool in jq xmllint; do
    command -v "$tool" >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
export NCCLSCRIPT_QUIET=1
top=$PWD train=$(dirname "$program")/tests/exec/exec_train
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}
expect() { # WHAT FILE TEXT: the file is the text
    diff -u <(printf '%s\n' "$3") "$2" || fail "$1"
}
sarif() { # FILE: it is what the schema of SARIF 2.1.0 requires, and rules of findings are described
    jq -e '.version == "2.1.0" and (.["$schema"] | startswith("https://")) and (.runs | length == 1) and (.runs[0] |
        (.tool.driver | .name == "ncclscript" and (.version | test("^[0-9.]+$")) and (.rules | length > 50 and (unique_by(.id) | length) == length and
            all(.[]; (.id | test("^[a-z0-9-]+$")) and (.shortDescription.text | length > 0)))) and
        .columnKind == "unicodeCodePoints" and (.invocations[0].executionSuccessful | type == "boolean") and
        ([.tool.driver.rules[].id] + ["invalid", "wrong", "error", "lost", "empty", "pass", "hang", "timeout", "interrupted"]) as $known |
        all(.results[]; (.ruleId | IN($known[])) and (.level | IN("error", "warning", "note")) and
            (.message.text | type == "string" and length > 0) and
            all(.locations[].physicalLocation; (.artifactLocation.uri | type == "string" and test("^[!-~]+$") and (test("[ <>\"]") | not)) and
                (if has("region") then (.region.startLine | type == "number" and . >= 1) and (.region.startColumn // 1) >= 1 else true end))))' \
        "$1" >/dev/null || fail "$1 is no SARIF: $(head -c 2000 "$1")"
}
places() { # FILE: rule, level, file and line of each result
    jq -r '.runs[0].results[] | [.ruleId, .level, (.locations[0].physicalLocation | .artifactLocation.uri, .region.startLine)] | map(. // "-" | tostring) | join(" ")' "$1"
}

mkdir suite
cat >"suite/a hang, 100% & 'so'.lua" <<'LUA'
scenario { ranks = 3 }
local x = cuda.buffer("float32", 4):fill(1)
if rank ~= 1 then world:all_reduce(x) end
stream:sync()
LUA
printf 'scenario { ranks = 2 }\nexpect.that(rank == 0, "50%%, or <more>: \\255")\n' >suite/b_wrong.lua
printf 'local x = 1\nlocal y = = 1\n' >suite/c_invalid.lua
printf 'print("fine")\n' >suite/d_pass.lua
printf 'skip("no room")\n' >suite/e_skip.lua
printf 'scenario { ranks = 2, outcome = { hang = { culprit = 1 } } }\nstream:sync()\n' >suite/f_other.lua
cat >module.lua <<'LUA'
scenario { ranks = 2 }
local part = require("part")
part.reduce()
stream:sync()
LUA
cat >part.lua <<'LUA'
local part = {}
function part.reduce()
    local x = cuda.buffer("int8", 4):fill(1)



    if rank == 0 then world:all_reduce(x) else world:all_reduce(x, { count = 2 }) end
end
return part
LUA

"$program" run --format github suite >out 2>err </dev/null
expect "GitHub: other annotations" <(sed 's/%0A.*//' out) "::error file=suite/a hang%2C 100%25 & 'so'.lua,line=3,title=skipped-call::rank 1 made no call on world; ranks 0, 2 made one (line 3)
::error file=suite/b_wrong.lua,line=2,title=wrong::wrong: rank 1: 50%25, or <more>: \\xff
::error file=suite/c_invalid.lua,line=2,col=11,title=invalid::unexpected symbol \`=\`, expected an expression
::error file=suite/f_other.lua,title=pass::pass; not as declared: declared a hang with culprit 1, got: pass"
"$program" run --format sarif suite >out.sarif 2>err </dev/null
sarif out.sarif
expect "SARIF: other results" <(places out.sarif) "skipped-call error suite/a%20hang%2C%20100%25%20%26%20%27so%27.lua 3
wrong error suite/b_wrong.lua 2
invalid error suite/c_invalid.lua 2
pass error suite/f_other.lua -"
"$program" run --format github module.lua 2>err | sed 's/::likely.*//' >out
expect "GitHub: the line of a module" out "::error file=part.lua,line=7,title=count-mismatch"

# One run in several formats, the same as by --format, also from several processes.
for jobs in 1 3; do
    "$program" run -q -j $jobs --no-times --report junit further.junit --report sarif further.sarif --report github further.github \
        --report tap further.tap --report json further.json suite >out 2>err </dev/null
    [[ $? == 2 ]] && grep -q '^6 scenarios: ' out || fail "run --report -j $jobs: $(cat out err)"
    for format in junit sarif github tap json; do
        "$program" run -q --no-times --format $format suite >want 2>err </dev/null
        cmp -s want further.$format || { fail "--report $format -j $jobs differs from --format $format"; diff want further.$format | head -n 5; }
    done
done
"$program" run --report junit nothing.junit -k nothing suite >out 2>&1
xmllint --noout --schema "$here/junit.xsd" nothing.junit 2>out || fail "no run: $(cat out)"
cp suite/d_pass.lua keep.lua
for bad in "junit keep.lua" "junit -" "junit nowhere/out.xml" "xml out.xml"; do
    # shellcheck disable=SC2086 # two words
    "$program" run --report $bad suite/d_pass.lua >out 2>&1 && fail "run --report $bad succeeds"
done
cmp -s keep.lua suite/d_pass.lua || fail "--report has replaced a scenario"

# check
"$program" check --format github --report sarif check.sarif --report junit check.junit suite >out 2>err
[[ $? == 2 ]] || fail "check succeeds"
expect "check: other annotations" <(sed 's/%0A.*//' out) "::error file=suite/c_invalid.lua,line=2,col=11,title=invalid::unexpected symbol \`=\`, expected an expression"
sarif check.sarif
expect "check: other results" <(places check.sarif) "invalid error suite/c_invalid.lua 2"
xmllint --noout --schema "$here/junit.xsd" check.junit 2>out || fail "check: $(cat out)"
[[ $(xmllint --xpath 'concat(count(//testcase), " ", count(//error))' check.junit) == "6 1" ]] || fail "check: other JUnit"
"$program" check --format text --report github check.github suite >text 2>err
cmp -s out check.github || "$program" check --format github suite | cmp -s - check.github || fail "check --report differs from --format"
"$program" check suite 2>err | cmp -s - text || fail "check --report changes the text"

# diagnose
ln -s "$top/examples/dumps" dumps
"$program" diagnose --format github --report sarif dumps.sarif --report junit dumps.junit --report json dumps.json dumps >out 2>err
[[ $? == 3 ]] || fail "diagnose: $(cat err)"
grep -q '^::error file=/job/skip.py,line=26,title=skipped-call::likely: rank 2 made 6 calls' out || fail "diagnose: $(cat out)"
sarif dumps.sarif
expect "diagnose: other results" <(places dumps.sarif) "skipped-call error file:///job/skip.py 26"
xmllint --noout --schema "$here/junit.xsd" dumps.junit 2>out || fail "diagnose: $(cat out)"
xmllint --xpath 'string(//failure/@message)' dumps.junit | grep -q '^hang: .*/job/skip.py:26' || fail "diagnose: $(cat dumps.junit)"
"$program" diagnose --format json dumps | cmp -s - dumps.json || fail "diagnose --report json differs from --format json"

# exec
if [[ -x $train && ! ${TSAN_OPTIONS:-} ]]; then
    "$program" exec -n 4 --report github exec.github --report sarif exec.sarif --report junit exec.junit --report json exec.json -- "$train" >out 2>err
    [[ $? == 3 ]] && grep -q '^HANG ' err || fail "exec: $(cat err)"
    sarif exec.sarif
    [[ $(places exec.sarif) == "early-destroy error "* ]] || fail "exec: $(places exec.sarif)"
    grep -q '^::error file=.*,title=early-destroy::likely: rank 2 destroyed' exec.github || fail "exec: $(cat exec.github)"
    grep -q '[^0-9a-f][0-9]\{10\}[^0-9a-f]' exec.github exec.junit exec.json && fail "exec: the number of a place is not named"
    xmllint --noout --schema "$here/junit.xsd" exec.junit 2>out || fail "exec: $(cat out)"
    [[ $(xmllint --xpath 'string(//failure/@type)' exec.junit) == hang ]] || fail "exec: $(cat exec.junit)"
    jq -e '.verdict == "hang"' exec.json >/dev/null || fail "exec: $(cat exec.json)"
    "$program" exec -n 4 --format junit -- "$train" 2>&1 >out | xmllint --noout - || fail "exec --format junit is no XML"
    # A program that ends otherwise than the report of the library says, or without one, fails in the files, too.
    for case in 'lost:kill -SEGV $$' 'error:exit 9' 'empty:exit 0'; do
        "$program" exec --report junit exec.junit --report sarif exec.sarif -- sh -c "${case#*:}" >out 2>err
        xmllint --noout --schema "$here/junit.xsd" exec.junit 2>out || fail "${case#*:}: $(cat out)"
        [[ $(xmllint --xpath 'string(//*[self::failure or self::error]/@type)' exec.junit) == "${case%%:*}" ]] || fail "${case#*:}: $(cat exec.junit)"
        sarif exec.sarif
        [[ $(places exec.sarif) == "${case%%:*} error sh -" ]] || fail "${case#*:}: $(places exec.sarif)"
    done
    # Of several processes with a machine each, the one that hangs is reported, whoever ends last.
    "$program" exec -n 4 --processes one --report junit exec.junit -- sh -c "'$train'; $(dirname "$train")/exec_threads 3; exit 0" >out 2>err
    xmllint --xpath 'string(//failure/@type)' exec.junit | grep -q hang || fail "two programs: $(cat exec.junit err)"
    "$program" exec -n 4 --report junit exec.junit -- "$(dirname "$train")/exec_threads" 3 >out 2>err
    [[ $? == 0 ]] && ! grep -q '<failure' exec.junit || fail "an old file is kept: $(cat exec.junit)"
    "$program" exec --repeat 2 --report junit exec.junit -- true >out 2>&1
    [[ $? == 2 ]] && grep -q 'for one run' out || fail "exec --repeat --report: $(cat out)"
fi
echo "$failed failures"
((failed == 0))
