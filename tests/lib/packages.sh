#!/usr/bin/env bash
# A user's program finds the installed library by pkg-config and by CMake; the library exports its header's
# names and no others.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
build=$(dirname "$(realpath "$NCCLSCRIPT")") || exit 1
if grep -qaE '__asan_init|__tsan_init' "$NCCLSCRIPT"; then echo "left out: a sanitizer needs its own flags"; exit 77; fi
command -v nm >/dev/null || { echo "left out: there is no nm"; exit 77; }
[[ -d $build/pages ]] || { echo "left out: the pages are not built"; exit 77; }
top=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

diff <(nm -D --defined-only "$build/lib/libncclscript.so" | awk '{ print $3 }' | sort) \
    <(grep -oE '^NCCLSCRIPT_API [^(]*\(' include/ncclscript/ncclscript.h | grep -oE 'ncclscript_[a-z_]+\($' | tr -d '(' | sort) ||
    fail "the library exports other names than its header declares"

cp "$build/install_manifest.txt" "$work/manifest" 2>/dev/null
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
rm -f "$build/install_manifest.txt"
[[ -e $work/manifest ]] && cp "$work/manifest" "$build/install_manifest.txt"
libraries=$(dirname "$(find "$work/prefix" -name libncclscript.so)")
cc=${CC:-cc}

export PKG_CONFIG_PATH=$libraries/pkgconfig
read -ra flags < <(pkg-config --cflags --libs ncclscript) || fail "pkg-config does not know ncclscript"
"$cc" -Wall -Wextra -Werror -o "$work/one" examples/run.c "${flags[@]}" || fail "with pkg-config the example does not build"

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(two LANGUAGES C)
find_package(ncclscript 1.0 REQUIRED)
add_executable(two $top/examples/run.c)
target_link_libraries(two PRIVATE ncclscript::ncclscript)
END
cmake -G Ninja -S "$work/project" -B "$work/two" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 &&
    cmake --build "$work/two" >>"$work/log" 2>&1 || fail "with CMake the example does not build: $(cat "$work/log")"

export LD_LIBRARY_PATH=$libraries
for program in "$work/one" "$work/two/two"; do
    [[ $("$program" scenarios/basics/average.lua) == PASS* ]] || fail "$program does not run a scenario"
    "$program" /nonexistent.lua 2>/dev/null
    [[ $? == 2 ]] || fail "$program accepts a file that is not there"
done
echo "$failed failures"
((failed == 0))
