#!/usr/bin/env bash
# An installed program finds its libraries, scenarios and pages; the Debian package holds the same, and its
# control file names what it needs.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") && build=$(dirname "$program") || exit 1
[[ -d $build/pages ]] || { echo "left out: the pages are not built"; exit 77; }
if grep -qaE '__asan_init|__tsan_init' "$program"; then echo "left out: a package has no sanitizer"; exit 77; fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export HOME=$work LC_ALL=C.UTF-8
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

cp "$build/install_manifest.txt" "$work/manifest" 2>/dev/null # what somebody has installed stays known
DESTDIR=$work/root cmake --install "$build" --prefix /opt/ncs >"$work/log" 2>&1 || fail "$(cat "$work/log")"
rm -f "$build/install_manifest.txt"
[[ -e $work/manifest ]] && cp "$work/manifest" "$build/install_manifest.txt"

at=$work/root/opt/ncs
cd "$work" || exit 1
[[ $("$at/bin/ncclscript" run "$at/share/ncclscript/scenarios/basics/average.lua") == PASS* ]] || fail "the installed program does not run"
"$at/bin/ncclscript" exec -- true >"$work/out" 2>&1
[[ $? == 5 ]] && ! grep -q missing "$work/out" || fail "exec does not find its libraries: $(cat "$work/out")"
NCCLSCRIPT_QUIET=1 "$at/bin/ncclscript" record -o "$work/calls" -- true >"$work/out" 2>&1 || fail "record does not find its library"
[[ -s $work/out ]] && fail "record: $(cat "$work/out")"
for file in share/man/man1/ncclscript.1.gz share/man/man1/ncclscript-run.1.gz \
    share/bash-completion/completions/ncclscript share/zsh/site-functions/_ncclscript \
    share/fish/vendor_completions.d/ncclscript.fish share/ncclscript/schema/scenario.schema.json \
    share/ncclscript/lua/library/ncclscript.d.lua include/ncclscript/nccl_abi.h include/ncclscript/place.h \
    include/ncclscript/compat/nccl.h include/ncclscript/compat/cuda_runtime_api.h; do
    [[ -s $at/$file ]] || fail "not installed: $file"
done
gzip -t "$at"/share/man/man1/*.gz || fail "a manual page is damaged"
"$at/bin/ncclscript" schema | cmp -s - "$at/share/ncclscript/schema/scenario.schema.json" || fail "another schema is installed"

if command -v dpkg-shlibdeps >/dev/null && command -v dpkg-deb >/dev/null && command -v file >/dev/null; then
    mkdir "$work/deb"
    (cd "$work/deb" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/deb" >"$work/log" 2>&1) || fail "$(cat "$work/log")"
    package=$(echo "$work"/deb/*.deb)
    version=$("$program" --version | sed -nE '1s/ncclscript //p')
    [[ $(dpkg-deb -f "$package" Version) == "$version" ]] || fail "the package has another version than $version"
    [[ $(dpkg-deb -f "$package" Depends) == *liblua5.4* ]] || fail "the package does not need Lua: $(dpkg-deb -f "$package" Depends)"
    [ "$(dpkg-deb -f "$package" Recommends)" = "libdw1, libedit2, libssl3" ] || fail "the package recommends $(dpkg-deb -f "$package" Recommends)"
    dpkg-deb -x "$package" "$work/unpacked" || fail "the package cannot be unpacked"
    diff <(cd "$at" && find . -type f | sort) <(cd "$work/unpacked/usr" && find . -type f | sort) || fail "the package holds other files"
    [[ $("$work/unpacked/usr/bin/ncclscript" run "$work/unpacked/usr/share/ncclscript/scenarios/basics/average.lua") == PASS* ]] ||
        fail "the packaged program does not run"
else
    echo "without dpkg-dev and file the Debian package is not tried"
fi
echo "$failed failures"
((failed == 0))
