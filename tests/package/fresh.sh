#!/usr/bin/env bash
# A new user's first hour, in a copy of the sources that was never built: ./start, ./start install P, run, exec, the C example
# against P, ./start uninstall. Afterwards nothing of it is left. Off a terminal the build prints no line for each file.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
if grep -qaE '__asan_init|__tsan_init' "$NCCLSCRIPT"; then echo "left out: a user's build has no sanitizer"; exit 77; fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset "${!NCCL_@}" DESTDIR CFLAGS
export LC_ALL=C.UTF-8 HOME=$work/home
mkdir -p "$work/source" "$work/home"
# The files of a clone, also where this is an archive without .git.
{ git ls-files -z --cached --others --exclude-standard 2>/dev/null || find . -path ./build -prune -o ! -type d -print0; } |
    tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$work/source"
cd "$work/source" || exit 1
# A cache of the compiler knows the same sources in another folder (.ci/run).
export CCACHE_BASEDIR=$work/source
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}
step() { # step NAME COMMAND...: must succeed
    "${@:2}" >"$work/out" 2>&1 </dev/null || { fail "$1 fails:"; tail -n 20 "$work/out"; exit 1; }
}

step ./start ./start
grep -q '^PASS  scenarios/basics/average.lua' "$work/out" || fail "./start runs no scenario: $(cat "$work/out")"
lines=$(grep -vc '^start: installing' "$work/out")
((lines <= 20)) || fail "./start prints $lines lines"
prefix=$work/made/prefix
step "./start install" ./start install "$prefix"
grep -q "^installed: $prefix/bin/ncclscript" "$work/out" || fail "./start install does not say where: $(cat "$work/out")"
readelf -S "$prefix/bin/ncclscript" | grep -q '\.debug_info' && fail "./start install leaves debug information in the program"
step "the installed run" "$prefix/bin/ncclscript" run "$prefix/share/ncclscript/scenarios/basics/average.lua"
"$prefix/bin/ncclscript" exec -- "$(dirname "$NCCLSCRIPT")/tests/exec/exec_hang" >"$work/out" 2>&1
[[ $? == 3 ]] && grep -q '^HANG ' "$work/out" || fail "the installed exec sees no hang: $(cat "$work/out")"
if command -v pkg-config >/dev/null; then
    libraries=$(dirname "$(find "$prefix" -name libncclscript.so | head -n 1)")
    read -ra flags < <(PKG_CONFIG_PATH=$libraries/pkgconfig pkg-config --cflags --libs ncclscript)
    step "building the C example" "${CC:-cc}" -o "$work/example" examples/run.c "${flags[@]}"
    LD_LIBRARY_PATH=$libraries step "the C example" "$work/example" scenarios/basics/average.lua
else
    fail "there is no pkg-config, which ./start installs"
fi
touch "$prefix/share/mine" # somebody else's file stays
step "./start uninstall" ./start uninstall
rm "$prefix/share/mine" && rmdir "$prefix/share" "$prefix" "$work/made" || fail "left: $(find "$work/made")"
./start uninstall >"$work/out" 2>&1 && fail "a second ./start uninstall succeeds"
# An installation that fails half-way can be taken away, too.
mkdir -p "$prefix/share" && touch "$prefix/share/man"
./start install "$prefix" >"$work/out" 2>&1 && fail "an installation over a file succeeds"
step "./start uninstall" ./start uninstall
[[ $(find "$prefix" ! -type d) == "$prefix/share/man" ]] || fail "left: $(find "$prefix")"
echo "$failed failures"
((failed == 0))
