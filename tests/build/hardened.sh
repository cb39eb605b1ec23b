#!/usr/bin/env bash
# What cmake/harden.cmake asks of an optimized build is in the program and in each drop-in library:
# addresses resolved before the start and read-only from then on, no stack that can be executed, frames
# and buffers that are checked; the program can be loaded anywhere.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
command -v readelf >/dev/null || { echo "left out: there is no readelf"; exit 77; }
built=$(dirname "$NCCLSCRIPT")
cached() { sed -n "s/^$1:[A-Z]*=//p" "$built/CMakeCache.txt"; }
type=$(cached CMAKE_BUILD_TYPE)
[[ $type =~ ^(Release|RelWithDebInfo|MinSizeRel)$ ]] || { echo "left out: a build of type '$type' is not hardened"; exit 77; }
[[ $(cached CMAKE_C_FLAGS) != *-fsanitize* ]] || { echo "left out: a build under a sanitizer is not hardened"; exit 77; }
failed=0 looked=0

# has FILE WHAT TABLE PATTERN: readelf's table of the file has a line like that
has() {
    looked=$((looked + 1))
    readelf -W "$3" "$1" | grep -qE -- "$4" && return
    echo "$1: $2"
    failed=$((failed + 1))
}

libraries=("$built"/lib/ncclscript/*.so*)
for file in "$NCCLSCRIPT" "${libraries[@]}"; do
    has "$file" "addresses are resolved late" --dynamic '\(FLAGS(_1)?\).*NOW'
    has "$file" "no part is read-only after relocation" --program-headers '^ *GNU_RELRO '
    has "$file" "its stack can be executed, or nothing is said of it" --program-headers '^ *GNU_STACK .* RW  +0x'
done
has "$NCCLSCRIPT" "not to be loaded anywhere" --file-header 'Type: +DYN'
# The other libraries are names alone.
for file in "$NCCLSCRIPT" "$built"/lib/ncclscript/libncclscript-{sim,exec}.so; do
    has "$file" "frames are not checked" --dyn-syms ' __stack_chk_fail(@|$)'
    getconf GNU_LIBC_VERSION >/dev/null 2>&1 || continue # checked by glibc alone
    has "$file" "buffers are not checked" --dyn-syms ' __[a-z]+_chk(@|$)'
done
echo "$looked properties, $failed missing"
((failed == 0 && ${#libraries[@]} >= 5))
