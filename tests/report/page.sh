#!/usr/bin/env bash
# Pages: one bar for each call, nothing from elsewhere, no text of a scenario's that is more than text,
# the same bytes again, at 64 ranks and at 2000 calls too; and what --trace and --html refuse.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
for tool in jq python3; do
    command -v "$tool" >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
script=$(realpath src/report/page/chart.js)
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

cat >page.py <<'PY'
import base64, hashlib, html.parser, sys
path, calls, script = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], encoding="utf-8").read()
text = open(path, encoding="utf-8").read()
allowed = set("""html head meta title style body h1 h2 p pre ul li svg rect div span ol g path text script
    details summary table thead tbody tr th td""".split())
faults, bars, rows, policy = [], [], set(), ""

class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        global policy
        a = dict(attrs)
        if tag not in allowed:
            faults.append(f"an element <{tag}>")
        faults.extend(f"{k} of <{tag}>" for k in a if k.startswith("on") or k in ("src", "href", "xlink:href"))
        if "data-call" in a:
            bars.append(int(a["data-call"]))
        if tag == "tr" and "id" in a:
            rows.add(a["id"])
        policy = a.get("content", policy) if a.get("http-equiv") else policy

Page(convert_charrefs=True).feed(text)
if sorted(bars) != list(range(1, calls + 1)):
    faults.append(f"{len(bars)} bars, {calls} calls")
if any(f"c{n}" not in rows for n in bars):
    faults.append("a bar without a row")
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
if policy != f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'":
    faults.append(f"the policy is {policy}, the script's hash {digest}")
if text.count("<script") != 2 or f"<script>{script}</script>" not in text:
    faults.append("a script that is not the page's own")
for word in ("http:", "https:", "@import", "url("):
    if word in text:
        faults.append(f"{word} is in it")
if any(c < " " and c not in "\n\t" for c in text):
    faults.append("control characters")
for fault in faults:
    print(f"{path}: {fault}")
sys.exit(bool(faults))
PY

for file in pass hang wide many stopped '<img src=x onerror=alert(0)>'; do
    calls=$("$program" run --format json --html page.html "$file.lua" 2>err | jq .calls)
    python3 page.py page.html "$calls" "$script" || complain "$file.lua"
    "$program" run -q --ranks-as thread --html again.html "$file.lua" >/dev/null 2>&1
    cmp page.html again.html || complain "$file.lua: not the same again"
    cp page.html "page.${file:0:4}"
done
grep -q 'data-row="2"' page.pass || complain "no stream in pass.lua"
grep -q 'eight &#38; &#60;ranks&#62;' page.pass || complain "pass.lua does not say what it is about"
grep -q '3 | if rank ~= 2 then world:all_reduce(x) end' page.hang || complain "hang.lua has no line quoted"
grep -q 'id="waits" class="waits" d="M' page.hang || complain "hang.lua has no wait drawn"
[ "$(grep -c 'data-call="[0-9]*" class="k0 open"' page.hang)" = 3 ] || complain "hang.lua: not three calls are open"
[ "$(grep -c '<g class="r small"' page.wide)" = 64 ] || complain "wide.lua is not folded"
grep -q 'never made: the rank was stopped here' page.stop || complain "stopped.lua: the call that was not made"
[ "$(grep -c 'class="mark"' page.stop)" = 1 ] || complain "stopped.lua: no mark of the fault"

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
