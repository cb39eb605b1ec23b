#!/usr/bin/env bash
# Pages: every call of every rank is drawn and listed, equal ranks once; links lead to what they name; nothing comes
# from elsewhere, no text of a scenario is more than text; the same bytes again; the index of several runs; and
# what --trace and --html refuse.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
for tool in jq python3; do
    command -v "$tool" >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
root=$PWD
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=$((failed + 1)); }

cat >pass.lua <<'LUA'
scenario { ranks = 8, about = "eight & <ranks>" }
local x = cuda.buffer("float32", 64):fill(rank)
world:all_reduce(x)
stream:sync()
LUA
cat >hang.lua <<'LUA'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 64):fill(rank)
if rank ~= 2 then world:all_reduce(x) end
stream:sync()
LUA
cat >wide.lua <<'LUA'
scenario { ranks = 64 }
local x = cuda.buffer("float32", 64):fill(rank)
for i = 1, 4 do
    if not (rank == 5 and i == 3) then world:all_reduce(x) end
end
stream:sync()
LUA
cat >many.lua <<'LUA'
scenario { ranks = 8 }
local x = cuda.buffer("float32", 64):fill(rank)
for i = 1, 125 do
    world:all_reduce(x)
    stream:sync()
end
LUA
cat >stopped.lua <<'LUA'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 64):fill(rank)
fault.kill { rank = 1, call = 2 }
world:all_reduce(x)
world:all_reduce(x)
stream:sync()
LUA
# Texts that would be more than text, in every place that takes one.
cat >'<img src=x onerror=alert(0)>.lua' <<'LUA'
scenario { ranks = 2, about = "</title></p><script>alert(1)</script><img src=x onerror=\"alert(2)\"> \27[31m" }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x, { label = "</script><img src=x onerror=alert(3)>\"'" })
barrier()
if rank == 1 then store:get("</td><svg onload=alert(4)>") end -- <b onclick=alert(5)>
LUA

for file in pass hang wide many stopped '<img src=x onerror=alert(0)>'; do
    read -r calls ranks < <("$program" run --format json --html page.html "$file.lua" 2>err | jq -r '"\(.calls) \(.ranks)"')
    python3 "$root/tests/report/page.py" page.html "$calls" "$ranks" || complain "$file.lua"
    "$program" run -q --ranks-as thread --html again.html "$file.lua" >/dev/null 2>&1
    cmp page.html again.html || complain "$file.lua: not the same again"
    cp page.html "page.${file:0:4}"
done
# data PAGE FILTER: of the data that the page's script draws.
data() { sed -n '/id="data">/,/<\/script>/p' "$1" | sed 's/.*id="data">//; s/<\/script>.*//' | jq -c "$2"; }
grep -q '"stream 1",1' page.pass || complain "no stream in pass.lua"
grep -q 'eight &#38; &#60;ranks&#62;' page.pass || complain "pass.lua does not say what it is about"
grep -q '3 | if rank ~= 2 then world:all_reduce(x) end' page.hang || complain "hang.lua has no line quoted"
grep -q '<a href="#f0l3">line 3</a>' page.hang || complain "hang.lua: the report has no link to line 3"
grep -q '<li id="f0l3">if rank ~= 2 then' page.hang || complain "hang.lua: no source"
[ "$(data page.hang '[.arrows | _nwise(3) | select(.[0] == 3)] | length')" -gt 0 ] || complain "hang.lua has no wait drawn"
grep -q '<a class="go" href="#b[0-9]*">rank 2</a>' page.hang || complain "hang.lua: no link from the finding to rank 2"
# Ranks that did the same are one row and one arrow: of 64 that is rank 0, which makes the unique id, rank 5, the others.
[ "$(data page.wide '[.groups[].name]')" = '["rank 0","ranks 1..4, 6..63","rank 5"]' ] || complain "wide.lua: $(data page.wide '[.groups[].name]')"
[ "$(data page.wide '[.arrows | _nwise(3) | select(.[0] == 3)] | length')" = 2 ] || complain "wide.lua: not two waits"
grep -q 'never made: the rank was stopped here' page.stop || complain "stopped.lua: the call that was not made"
[ "$(data page.stop '.marks | length')" = 1 ] || complain "stopped.lua: no mark of the fault"
grep -q '<tr><th scope="row">rank 0<td>[0-9]*<td>125<td>31.3 KiB' page.many || complain "many.lua: the statistics of rank 0"

# Several runs: a page for each, and an index with those first that are not as expected.
"$program" run -j 2 --html pages pass.lua hang.lua >/dev/null 2>err
got=$?
[ $got = 3 ] || complain "pages: status $got"
[ "$(ls pages)" = '1-pass.lua.html
2-hang.lua.html
index.html' ] || complain "pages: $(ls pages)"
cmp pages/2-hang.lua.html page.hang || complain "pages: not the page of one run"
grep -o 'class="[a-z]*"><td>[a-z ]*<td>[a-z]*<td><a href="[^"]*"' pages/index.html >rows
[ "$(cat rows)" = 'class="bad"><td>not as expected<td>hang<td><a href="2-hang.lua.html"
class="good"><td>as expected<td>pass<td><a href="1-pass.lua.html"' ] || { complain "the index"; cat rows; }
"$program" run --repeat 2 --html pages/ pass.lua >/dev/null || complain "pages of one case"
[ -e pages/2-pass.lua-seed-1.html ] || complain "no page for the second seed: $(ls pages)"

# refuses STATUS WORDS COMMAND...: it must end so, say so, and leave no file behind.
refuses() {
    local status=$1 words=$2 got
    shift 2
    rm -f out.html out.json
    "$@" >out 2>err </dev/null
    got=$?
    [ $got = "$status" ] || complain "$*: $got instead of $status"
    grep -qF -- "$words" err || { complain "$*: not '$words' but:"; cat err; }
    if [ -e out.html ] || [ -e out.json ]; then
        complain "$*: a file was left"
    fi
}
refuses 2 '--html out.html is for one run, not for 2' "$program" run --html out.html pass.lua hang.lua
refuses 74 'no/such/: cannot be made' "$program" run --html no/such/ pass.lua
refuses 2 '--html DIR, a folder, takes a page for each run' "$program" run --html out.html pass.lua hang.lua
refuses 2 '--trace out.json is for one run, not for 3' "$program" run --repeat 3 --trace out.json pass.lua
refuses 2 'leave --repeat out' "$program" run --repeat 3 --trace out.json pass.lua
refuses 2 '--trace pass.lua would replace the scenario' "$program" run --trace pass.lua pass.lua
ln -s pass.lua link.lua
refuses 2 '--trace ./pass.lua would replace the scenario' "$program" run --trace ./pass.lua pass.lua
refuses 2 '--html link.lua would replace the scenario' "$program" run --html link.lua pass.lua
refuses 2 'cannot both be written to -' "$program" run --trace - --html - pass.lua
refuses 74 'none/out.html: error: cannot be written' "$program" run --html none/out.html pass.lua
refuses 74 'none/out.html: error: cannot be written' "$program" run --html none/out.html hang.lua
printf 'scenario { needs = { driver = "nccl" } }\n' >skip.lua
printf 'x = = 1\n' >wrong.lua
refuses 2 'nothing was run: out.html was not written' "$program" run --html out.html wrong.lua
refuses 77 'nothing was run: out.json was not written' "$program" run --trace out.json skip.lua
printf old >out.html
"$program" run -q --html out.html --trace out.json pass.lua || complain "both at once"
[ "$(head -c 15 out.html)" = '<!DOCTYPE html>' ] || complain "an old file was not replaced"
jq -e '.traceEvents | length > 0' out.json >/dev/null || complain "no trace beside the page"

# Standard output: the document alone; the report is on standard error.
"$program" run --trace - pass.lua 2>err | jq -e '.otherData.verdict == "pass"' >/dev/null || complain "--trace -"
grep -q '^PASS  pass.lua' err || complain "--trace -: no report on standard error"
"$program" run --html - hang.lua 2>err | head -n 1 | grep -qx '<!DOCTYPE html>' || complain "--html -"
grep -q '^HANG  hang.lua' err || complain "--html -: no report on standard error"
echo "pages: $failed complaints"
exit $((failed > 0))
