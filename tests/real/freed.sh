#!/usr/bin/env bash
# Buffers that lose their memory behind their backs, on driver nccl with drop-in libraries as the real
# ones, where no machine can be asked: C's calls that free are what the script goes by.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
libraries=$(dirname "$program")/lib/ncclscript
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
unset "${!NCCL_@}"
[[ ${TSAN_OPTIONS:-} ]] && { echo "skipped: runs in real time, not for TSan"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/freed.lua" <<'S'
scenario { ranks = 2, devices = 2 }

local function gone(text, x)
    for _, use in ipairs { x.get, x.dump, x.free, function() return x[1] end, function() x[1] = 2 end } do
        local ok, e = pcall(use, x)
        expect.that(not ok and tostring(e):find(text, 1, true), tostring(e))
    end
    expect.that(tostring(x):find("(freed)", 1, true), tostring(x))
end

local y = cuda.buffer("uint8", 4096):fill(5)
for _, memory in ipairs { "device", "pinned", "managed" } do
    local x = cuda.buffer("uint8", 4096, { memory = memory }):fill(7)
    local view = x:slice(2)
    local _, a = C.cudaPointerGetAttributes(x)
    local free = memory == "pinned" and "cudaFreeHost" or "cudaFree"
    C.check(C[free](a.devicePointer))
    gone("was freed by " .. free .. " at line 17", x)
    gone("was freed by " .. free .. " at line 17", view)
end
local x = cuda.buffer("uint8", 4096)
C.check(C.cudaFree(y.ptr + (x.ptr - y.ptr)))
gone("was freed by cudaFree at line 22", x)
expect.equal(y, 5)
S
timeout 100 "$program" run --driver nccl --nccl-lib "$libraries/libnccl.so.2" \
    --cudart-lib "$libraries/libcudart.so.13" "$work/freed.lua" >"$work/out" 2>&1 </dev/null
status=$?
((status == 0)) && exit 0
echo "status $status, expected 0"
cat "$work/out"
exit 1
