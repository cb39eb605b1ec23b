#!/usr/bin/env bash
# Destroys on "real" libraries in many processes, where nothing but the journal says what a rank stands for: a hang has the cause and the
# culprits that the simulator finds, but only likely, and the report says what else it could be. Ranks are never accused that
# have ended the communicator, nor a destroy where a call explains the hang.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/job/common.bash
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
mkdir "$work/bugs" "$work/fixed" "$work/near"

# job NAME PROCESSES TIME ARGUMENT...: the report is in NAME.json.
job() {
    local name=$1 count=$2 time=$3
    shift 3
    timeout -s KILL 300 "$program" exec --gpus 8 --processes many --policy strict --stall 1h -- \
        bash tests/job/launch.bash "$count" "$program" run "${real[@]}" --timeout "$time" --format json --no-times "$@" \
        >"$name.json" 2>"$name.err" </dev/null
}
few() { # several jobs at a time: most of their time they wait for a hang to be taken for one
    while (($(jobs -rp | wc -l) >= 4)); do
        wait -n
    done
}
is() { # is NAME JQ: true of the report
    ran=$((ran + 1))
    jq -es "length == 1 and (.[0] | $2)" "$1.json" >/dev/null 2>&1 && return
    cp "$1.err" "$work/err"
    fail "${1#"$work/"}: not $2: $(jq -c '{ verdict, message, findings: [.findings[] | { rule, certainty, otherwise, culprits }] }' "$1.json")"
}
errors='[.findings[] | select(.level == "error") | [.rule, .comm, [.culprits[].rank]]]'
teardown='(.findings[0] | .certainty == "likely" and (.otherwise | contains("NCCL does not report what ncclCommDestroy waits for")))'

# ---- the labelled bugs, and their repaired twins ----

declare -A ranks
for file in scenarios/bugs/teardown/*.lua; do
    name=$(basename "$file" .lua)
    sed 's/driver = "sim"/gpus = 1/' "$file" >"$work/bugs/$name.lua"
    sed 's/driver = "sim"/gpus = 1/' "scenarios/bugs/teardown/fixed/$name.lua" >"$work/fixed/$name.lua"
    case=$("$program" run --list "$work/bugs/$name.lua" | head -n 1)
    "$program" run --policy strict --format json --no-times "$case" >"$work/bugs/$name.sim" 2>"$work/err" </dev/null
    ranks[$name]=$(jq .ranks "$work/bugs/$name.sim")
    few
    job "$work/bugs/$name" "${ranks[$name]}" 3s "$case" &
    few
    job "$work/fixed/$name" "${ranks[$name]}" 60s "${case/bugs/fixed}" &
done

# ---- near them ----

cat >"$work/near/early.lua" <<'S'
scenario { ranks = 3 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  world:destroy()
else
  world:all_reduce(x)
  stream:sync()
end
S
cat >"$work/near/killed.lua" <<'S'
scenario { ranks = 3 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 1 then fault.kill {} end
world:destroy()
S
cat >"$work/near/ended.lua" <<'S' # rank 1 waits, but not before its destroy
scenario { ranks = 3 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
world:destroy()
if rank == 1 then store:get("never") end
barrier()
S
cat >"$work/near/mismatch.lua" <<'S'
scenario { ranks = 3 }
local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
half:all_reduce(x)
stream:sync()
world:all_reduce(x, { count = rank == 1 and 8 or 16 })
half:destroy()
stream:sync()
world:destroy()
S
cat >"$work/near/finished.lua" <<'S' # what is freed at the end of a script waits for nobody
scenario { ranks = 3 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank > 0 then world:destroy() end
S
cat >"$work/near/two.lua" <<'S' # ranks 0, 1 and 2, 3 are threads of one process: rank 2 has destroyed and waits for nobody
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank < 3 then world:destroy() end
barrier()
S
cat >"$work/near/group.lua" <<'S'
scenario { ranks = 3 }
local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
half:all_reduce(x)
stream:sync()
if rank > 0 then
  nccl.group(function()
    half:destroy()
    world:destroy()
  end)
end
barrier()
S
cat >"$work/near/both.lua" <<'S' # rank 1 has neither made the call nor destroyed
scenario { ranks = 3 }
local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
half:all_reduce(x)
stream:sync()
if rank ~= 1 then
  world:all_reduce(x)
else
  barrier()
end
half:destroy()
if rank ~= 1 then barrier() end
S
cat >"$work/near/extra.lua" <<'S' # as ranks that destroy before a call, or as a call that nobody else makes
scenario { ranks = 3 }
local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
half:all_reduce(x)
world:all_reduce(x)
stream:sync()
if rank == 0 then world:all_reduce(x) end
stream:sync()
half:destroy()
S
for name in early killed ended mismatch finished group both extra; do
    few
    job "$work/near/$name" 3 3s "$work/near/$name.lua" &
done
few
job "$work/near/two" 2 3s -n 4 "$work/near/two.lua" &
wait

for name in "${!ranks[@]}"; do
    is "$work/bugs/$name" ".verdict == \"hang\" and ($errors)[0] == $(jq -c "$errors[0]" "$work/bugs/$name.sim")"
    [[ $name = abort_beside ]] && continue
    is "$work/bugs/$name" "$teardown and ($errors | length) == 1"
    [[ $name = two_hosts ]] || is "$work/fixed/$name" '.verdict == "pass"' # this job has one host
done
blames() { # blames NAME RULE CULPRITS
    is "$work/near/$1" ".verdict == \"hang\" and ($errors | map([.[0], .[2]])) == [[\"$2\", $3]]"
}
blames early early-destroy '[0]'
blames killed rank-lost '[1]'
blames ended host-wait '[1]'
blames mismatch count-mismatch '[1]'
blames two destroy-missing-rank '[3]'
is "$work/near/two" "$teardown and (.findings[0].why | contains(\"rank 0 waits\") or contains(\"rank 1 waits\"))"
blames group destroy-missing-rank '[0]'
is "$work/near/group" "$teardown"
is "$work/near/extra" '.findings[0].otherwise | contains("other ranks leave out call 2 on world, or that it is one too many")'
blames both destroy-missing-rank '[1]'
is "$work/near/both" '.findings[0].otherwise | contains("other ranks leave out call 2 on world, or that it is one too many")'
is "$work/near/finished" '.verdict == "pass"'
finish
