#!/usr/bin/env bash
# The formats for machines, read by others: JSON by jq, JUnit's XML by xmllint with the schema beside
# this file, TAP by the parser of Perl's harness. Every verdict must be there in each, of a suite that
# came to its end and of one that was interrupted.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$NCCLSCRIPT") || exit 1
for tool in jq xmllint perl; do
    command -v "$tool" >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
perl -MTAP::Parser -e 1 2>/dev/null || { echo "left out: perl has no TAP::Parser"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/suite" && cd "$work" || exit 1
failed=0 checks=0

# A scenario per verdict. The names are not fit for XML, for TAP's descriptions, or for shells.
cat >"suite/a pass.lua" <<'LUA'
print("<b> & ]]> \1\27[31m \xff \u{fffe}")
LUA
cat >"suite/b wrong # SKIP.lua" <<'LUA'
scenario { ranks = 2 }
expect.that(rank == 0, 'is "\xff\2" <less> &amp; # SKIP')
LUA
cat >"suite/c hang & 'quotes'.lua" <<'LUA'
scenario { ranks = 3 }
local x = cuda.buffer("float32", 4):fill(1)
if rank ~= 1 then world:all_reduce(x) end
stream:sync()
LUA
cat >"suite/d error <1>.lua" <<'LUA'
local x = cuda.buffer("int8", 1):fill(0)
C.check(C.ncclBroadcast(x, x, 1, C.ncclInt8, 9, world, stream))
LUA
cat >"suite/f skipped.lua" <<'LUA'
skip("no # room \\ for <it>\nhere\27")
LUA
printf 'local x = = 1\n' >"suite/e invalid.lua"
cat >"suite/g as declared.lua" <<'LUA'
scenario { ranks = 2, outcome = { hang = { culprit = 1 } } }
if rank == 0 then world:recv(cuda.buffer("int8", 1), 1) end
stream:sync()
LUA
cat >"suite/h not as declared.lua" <<'LUA'
scenario { ranks = 2, outcome = { hang = { culprit = 1 } } }
stream:sync()
LUA
files=(suite/*.lua)

check() { # WHAT COMMAND...: the command must succeed
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/said" 2>&1 && return
    printf '%s\n' "$what"
    head -n 20 "$work/said"
    failed=$((failed + 1))
}

same() { # WHAT: compares the files want and got
    check "$1" diff -u want got
}

run() { # FORMAT OPTION...
    local format=$1
    shift
    "$program" run --format "$format" "$@" "${files[@]}" >"out.$format" 2>err </dev/null
}

counts() { # XPATH...: each number of the document, one a line
    local path
    for path; do
        printf '%s ' "$(xmllint --xpath "$path" out.junit)"
    done
}

read_tap() { # FILE: what Perl's harness understands of it, to got.tap
    check "TAP: Perl's harness finds fault with $1" bash -c "perl '$here/tap.pl' <$1 >got.tap"
}

run json
check "JSON: jq does not read it" jq -e . out.json
jq -c '[.scenario, .verdict, .as_expected, (.message | length > 0)]' out.json >got
cat >want <<'END'
["suite/a pass.lua","pass",true,true]
["suite/b wrong # SKIP.lua","wrong",false,true]
["suite/c hang & 'quotes'.lua","hang",false,true]
["suite/d error <1>.lua","error",false,true]
["suite/e invalid.lua","invalid",false,true]
["suite/f skipped.lua","skipped",false,true]
["suite/g as declared.lua","hang",true,true]
["suite/h not as declared.lua","pass",false,true]
END
same "JSON: other runs than there are"

run junit
check "JUnit: not as the schema has it" xmllint --noout --schema "$here/junit.xsd" out.junit
counts 'count(//testsuite)' 'sum(//testsuite/@tests)' 'count(//testcase)' \
    'sum(//testsuite/@failures)' 'count(//failure)' 'sum(//testsuite/@errors)' 'count(//error)' \
    'sum(//testsuite/@skipped)' 'count(//skipped)' >got
printf '8 8 8 4 4 1 1 1 1 ' >want
same "JUnit: the counts are not those of the cases"
for type in wrong hang error invalid pass; do
    check "JUnit: no case of $type" \
        xmllint --xpath "//testcase/*[self::failure or self::error][@type='$type']/@message" out.junit
done

run tap
read_tap out.tap
cut -d'|' -f1 got.tap >got
cat >want <<'END'
ok 1
not ok 2
  wrong
not ok 3
  hang
not ok 4
  error
not ok 5
  invalid
ok 6 skip (no \# room \\ for <it> here\\x1b)
ok 7
not ok 8
  pass
plan 8
END
same "TAP: other tests than there are"

# A matrix is a suite of its cases, whatever process each is run in.
mkdir cases && cat >cases/matrix.lua <<'LUA'
scenario { ranks = 2, params = { dtype = "int8", deep = false },
           matrix = { ranks = { 2, 3 }, dtype = { "int8", "float32" }, deep = { true, false } } }
expect.that(not (param.deep and nranks == 3), "deep at 3")
LUA
cp "suite/a pass.lua" cases/plain.lua
for format in json junit tap; do
    "$program" run --format "$format" --no-times cases >"out.$format" 2>err </dev/null
    "$program" run --format "$format" --no-times -j 3 cases >got 2>err </dev/null
    cp "out.$format" want
    same "$format: other bytes when several processes run"
done
check "JSON: not the cases of a matrix" jq -es '
    map(select(.case != {})) | length == 8 and
    .[0].name == "ranks=2,deep=true,dtype=int8" and
    .[7].case == { "ranks": 3, "dtype": "float32", "deep": false } and
    (map(select(.verdict == "wrong") | .case.ranks) == [3, 3])' out.json
check "JUnit: cases that are not as the schema has it" \
    xmllint --noout --schema "$here/junit.xsd" out.junit
counts 'count(//testsuite)' '//testsuite[1]/@tests' 'count(//failure)' \
    'count(//property[@name="case.dtype"])' | tr -d '\n' >got
printf '2  tests="8" 2 8 ' >want
same "JUnit: the counts are not those of the cases of a matrix"
read_tap out.tap
grep -c '^ok\|^not ok' got.tap >got
echo 9 >want
same "TAP: not a test per case of a matrix"

"$program" run --format tap --fail-fast cases >out.tap 2>err </dev/null
read_tap out.tap
tail -n 1 got.tap >got
grep -q '^bail out: .*, not run: 4$' got || { echo "TAP: stopped at a failure without a word"; cat got; failed=$((failed + 1)); }

# A run for which there is no room.
echo 'scenario { ranks = 20000 }' >many.lua
if { (ulimit -v 600000 && "$program" --version) >/dev/null; } 2>/dev/null; then # no sanitizer's build
    (ulimit -v 600000 && "$program" run --format json many.lua) >out.json 2>err
    check "JSON: no report of a run that has no room" \
        jq -e 'select(.verdict == "memory" and .exit == 7 and .errors[0].kind == "memory")' out.json
fi

# A suite that is interrupted has told the runs before, and is whole.
mkdir cut && cp "suite/a pass.lua" cut/a.lua && cp "suite/a pass.lua" cut/c.lua
cat >cut/b.lua <<'LUA'
io.open("told", "w"):close()
while true do end
LUA
for format in json junit tap; do
    rm -f told
    "$program" run --unsafe --format "$format" cut >"out.$format" 2>err </dev/null &
    until [[ -e told ]]; do sleep 0.05; done
    kill -INT $!
    wait $!
    echo $? >got
    echo 130 >want
    same "$format: the exit status of an interrupted suite"
done
check "JSON: jq does not read an interrupted suite" jq -es 'map(.verdict) == ["pass", "interrupted"]' out.json
check "JUnit: interrupted, and not as the schema has it" \
    xmllint --noout --schema "$here/junit.xsd" out.junit
counts 'count(//testcase)' 'count(//error)' >got
printf '3 2 ' >want
same "JUnit: an interrupted suite does not say so"
read_tap out.tap
cut -d'|' -f1 got.tap >got
printf '%s\n' 'ok 1' 'not ok 2' '  interrupted' 'bail out: interrupted, not run: 1' >want
same "TAP: an interrupted suite does not say so"

# A reader that goes away ends the program, which says nothing of it.
for format in text json junit tap; do
    "$program" run --format "$format" "${files[@]}" 2>err | head -c 1 >/dev/null
    check "$format: a reader that went away was talked about" \
        bash -c '! grep -vE "^suite/|^ +[0-9]* \|" err'
done

echo "$checks checks, $failed failed"
((failed == 0))
