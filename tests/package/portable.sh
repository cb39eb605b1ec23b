#!/usr/bin/env bash
# The portable build needs glibc 2.28 at most, and no other library of the system. Its reports have the same bytes as
# those of the normal build, exec finds its libraries, and the wheel says what it needs.
set -u
unset "${!NCCL_@}" CC CFLAGS LDFLAGS CMAKE_C_COMPILER_LAUNCHER
: "${NCCLSCRIPT:?the path of the binary}"
normal=$(realpath "$NCCLSCRIPT") && build=$(dirname "$normal")/portable || exit 1
if grep -qaE '__asan_init|__tsan_init' "$normal"; then echo "left out: portable builds have no sanitizer"; exit 77; fi
command -v readelf >/dev/null || { echo "left out: there is no readelf"; exit 77; }
for folder in source amd64; do
    [[ -e build/sysroot/$folder/packages ]] || { echo "left out: first execute cmake/sysroot.sh $folder build/sysroot/$folder"; exit 77; }
done
[[ $(uname -m) == x86_64 ]] || { echo "left out: this is no x86-64"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

# Without optimization the build takes half the time, and all that is looked at here is the same. The C library then
# warns that it adds no checks.
if ! cmake --preset portable -B "$build" -DNCCLSCRIPT_WERROR=OFF -DCMAKE_C_FLAGS_RELEASE="-O0 -DNDEBUG" >"$work/log" 2>&1; then
    grep -q 'there is no zig' "$work/log" && { echo "left out: there is no zig: pip install ziglang"; exit 77; }
    cat "$work/log"
    exit 1
fi
cmake --build "$build" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; echo "the portable build fails"; exit 1; }

own='libnccl|libcudart|libncclscript-[a-z]+'
system='libc|libm|libdl|libpthread|librt|ld-linux-x86-64'
needs=0
for file in "$build"/ncclscript "$build"/lib/libncclscript.so "$build"/lib/ncclscript/*.so*; do
    newest=$(readelf -V "$file" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
    [[ $newest == GLIBC_* && $(printf '%s\nGLIBC_2.28\n' "$newest" | sort -V | tail -n 1) == GLIBC_2.28 ]] ||
        fail "$file needs '$newest'"
    other=$(readelf -d "$file" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE "^($own|$system)\.so")
    [[ ! $other ]] || fail "$file needs $other"
    needs=$((needs + 1))
done
((needs >= 9)) || fail "only $needs files were looked at"

mapfile -t scenarios < <(find scenarios -name '*.lua' -o -name '*.yaml' | LC_ALL=C sort)
options=(run --format json --no-times --timeout 100s --memory 1G "${scenarios[@]}")
"$normal" "${options[@]}" >"$work/normal" 2>&1
"$build/ncclscript" "${options[@]}" >"$work/portable" 2>&1
cmp "$work/normal" "$work/portable" || fail "the portable program reports something else"

client=$(dirname "$normal")/tests/exec/exec_hang
"$build/ncclscript" exec -n 4 -- "$client" >"$work/out" 2>&1
[[ $? == 3 ]] && grep -q '^HANG ' "$work/out" || fail "exec does not see a hang: $(cat "$work/out")"

# The wheel is of the same build. It needs no other file of this system either, so its name may promise manylinux.
if python=$(bash tests/python/builder.bash); then
    "$python" -m pip wheel -q --no-deps --no-build-isolation -w "$work/dist" -C build-dir="$build" \
        -C wheel.tags=py3-none-manylinux_2_28_x86_64 . >"$work/log" 2>&1 || fail "no wheel: $(tail -n 5 "$work/log")"
    wheel=$(echo "$work"/dist/ncclscript-*-py3-none-manylinux_2_28_x86_64.whl)
    python3 -m zipfile -e "$wheel" "$work/wheel" || fail "the wheel is $wheel"
    inside=$work/wheel/ncclscript/_tree
    chmod +x "$inside/bin/ncclscript"
    "$inside/bin/ncclscript" exec -n 4 -- "$client" >"$work/out" 2>&1
    [[ $? == 3 ]] && grep -q '^HANG ' "$work/out" || fail "exec of the wheel does not see a hang: $(cat "$work/out")"
    other=$(find "$inside" -type f -name '*.so*' -o -type f -name ncclscript -perm /1 | xargs readelf -d |
        sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE "^($own|$system)\.so" | sort -u)
    [[ ! $other ]] || fail "the wheel needs $other"
else
    echo "without scikit-build-core the wheel is not made"
fi
echo "${#scenarios[@]} scenarios, $failed failures"
((failed == 0))
