#!/usr/bin/env bash
# Random correct programs, with splits of some ranks, shrinks and destroys: no dump of them has a hang.
set -u
unset "${!NCCL_@}" # the simulator heeds them
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
cd "$work" || exit 1
first=${1:-1} last=${2:-40}
failed=0
for ((seed = first; seed <= last; seed++)); do
    rm -rf d
    mkdir d
    sed "s/SEED/$seed/" "$here/random.lua" >job.lua
    dumps=()
    for format in fr fr-json ras log calls; do
        dumps+=(--dump "$format" "d/$format")
    done
    if ! timeout 100 "$program" run "${dumps[@]}" job.lua >out 2>&1; then
        echo "seed $seed: the program fails"
        sed 's/^/    /' out
        failed=$((failed + 1))
        continue
    fi
    for format in d/*; do
        timeout 100 "$program" diagnose "$format" >out 2>&1
        status=$?
        case $status in
        0 | 1 | 5) grep -q 'rank -1\|ranks -1' out || continue ;;
        esac
        echo "seed $seed, $format: status $status"
        sed 's/^/    /' out
        failed=$((failed + 1))
    done
done
# Where world is destroyed, RAS names the rank that lacks a call by host and device.
cat >job.lua <<'END'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 64)
local part = world:split { color = rank // 2 }
local other = world:split { color = rank == 1 and nccl.NOCOLOR or 0 }
world:destroy()
part:all_reduce(x)
if other then other:all_reduce(x) end
if other and rank ~= 3 then other:all_reduce(x) end
part:all_reduce(x)
stream:sync()
END
rm -rf d
"$program" run --dump ras d job.lua >out 2>&1
"$program" diagnose d >out 2>&1
grep -q 'rank 3 made one call on comm' out && grep -q 'RAS shows no communicator of all ranks' out && ! grep -q 'rank -1' out ||
    { echo "RAS without world:"; sed 's/^/    /' out; failed=$((failed + 1)); }
echo "$((last - first + 1)) programs, $failed complaints"
[ "$failed" = 0 ]
