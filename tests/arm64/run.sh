#!/usr/bin/env bash
# The cross build for 64-bit Arm: under qemu the program prints the same bytes as the native build for every scenario
# of three folders, a program that uses the drop-in libraries runs, and the Debian package is one for that architecture.
set -u
unset "${!NCCL_@}" CC CFLAGS LDFLAGS
: "${NCCLSCRIPT:?the path of the binary}"
native=$(realpath "$NCCLSCRIPT") && build=$(dirname "$native")/aarch64 || exit 1
sysroot=$PWD/build/sysroot/arm64
if grep -qaE '__asan_init|__tsan_init' "$native"; then echo "left out: cross builds have no sanitizer"; exit 77; fi
for tool in aarch64-linux-gnu-gcc qemu-aarch64 readelf; do
    command -v "$tool" >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
[[ -e $sysroot/packages ]] || { echo "left out: first execute cmake/sysroot.sh arm64 build/sysroot/arm64"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

# Without debug information and optimization it takes half the time. The C library then warns that it adds no checks.
{ cmake --preset aarch64 -B "$build" -DNCCLSCRIPT_WERROR=OFF -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O0 -DNDEBUG" && cmake --build "$build"; } >"$work/log" 2>&1 ||
    { tail -n 30 "$work/log"; echo "the cross build fails"; exit 1; }
for file in "$build"/ncclscript "$build"/lib/libncclscript.so "$build"/lib/ncclscript/*.so*; do
    readelf -h "$file" | grep -q 'Machine: *AArch64' || fail "$file is not for 64-bit Arm"
done

emulated=(qemu-aarch64 -L "$sysroot")
files=0
for folder in basics patterns recovery; do
    mapfile -t scenarios < <(find "scenarios/$folder" -name '*.lua' -o -name '*.yaml' | LC_ALL=C sort)
    files=$((files + ${#scenarios[@]}))
    options=(run --format json --no-times --timeout 100s --memory 1G "${scenarios[@]}")
    "$native" "${options[@]}" >"$work/native" 2>&1
    here=$?
    "${emulated[@]}" "$build/ncclscript" "${options[@]}" >"$work/arm" 2>&1
    there=$?
    ((here == there)) || fail "scenarios/$folder: exit status $there on Arm, $here here"
    cmp "$work/native" "$work/arm" || fail "scenarios/$folder: other reports on Arm"
    grep -q '"schema"' "$work/native" || fail "scenarios/$folder: no reports"
done
((files > 80)) || fail "only $files scenarios were run"

libraries=$build/lib/ncclscript
aarch64-linux-gnu-gcc --sysroot="$sysroot" -pthread -I src -I include -o "$work/client" tests/exec/one_thread.c \
    -L "$libraries" -lnccl -lcudart -Wl,-rpath-link,"$libraries" || fail "a program cannot be linked to the drop-in libraries"
"${emulated[@]}" -E "LD_LIBRARY_PATH=$libraries" "$work/client" >"$work/out" 2>&1 && grep -q 'devices: ok$' "$work/out" ||
    fail "a program with the drop-in libraries fails: $(cat "$work/out")"

mkdir "$work/deb"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/deb" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
package=$(echo "$work"/deb/*_arm64.deb)
if command -v dpkg-deb >/dev/null; then
    [[ $(dpkg-deb -f "$package" Architecture) == arm64 ]] || fail "the package is not for arm64"
    [[ $(dpkg-deb -f "$package" Depends) == *libc6\ \(*liblua5.4-0* ]] || fail "the package needs: $(dpkg-deb -f "$package" Depends)"
fi
echo "$files scenarios, $failed failures"
((failed == 0))
