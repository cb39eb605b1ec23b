#!/usr/bin/env bash
# cmake/release.sh, on a clone of this tree: the sources and the SBOM are made, the same commit gives the same bytes, checksums
# are right, and what cannot be made is named. The builds are tried by portable.sh and run.sh.
set -u
unset "${!NCCL_@}" "${!GIT_@}"
for tool in git jq sha256sum; do
    command -v $tool >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}
mkdir "$work/tree"
{ git ls-files -z --cached --others --exclude-standard 2>/dev/null || find . -path ./build -prune -o ! -type d -print0; } |
    tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$work/tree"
cd "$work/tree" || exit 1
git init -q . && git add -A && git -c user.name=t -c user.email=t@localhost commit -qm all || { echo "no commit"; exit 1; }
version=$(sed -nE 's/^project\(ncclscript VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
for folder in source amd64; do # lists, as cmake/sysroot.sh makes them
    mkdir -p "build/sysroot/$folder"
done
printf 'lua5.4 5.4.4-3\njansson 2.14-2\nlibyaml 0.2.5-1\n' >build/sysroot/source/packages
printf 'libbsd-dev 0.11.7-2\nlibc6 2.36-9+deb12u1\nlibedit-dev 3.1-20221030-2\nlibmd-dev 1.0.4-2\nlibtinfo6 6.4-4\n' >build/sysroot/amd64/packages

cmake/release.sh "$work/one" source sbom >"$work/out" 2>&1 || { cat "$work/out"; fail "release.sh fails"; }
cmake/release.sh "$work/two" source sbom >"$work/again" 2>&1 || fail "a second release.sh fails"
diff -r "$work/one" "$work/two" || fail "the same commit gives other files"
(cd "$work/one" && sha256sum -c --quiet SHA256SUMS) || fail "checksums are wrong"
[[ $(cut -c67- "$work/one/SHA256SUMS" | LC_ALL=C sort | tr '\n' ' ') == "ncclscript-$version.spdx.json ncclscript-$version.tar.gz " ]] || fail "other files: $(ls "$work/one")"
diff <(tar -tzf "$work/one/ncclscript-$version.tar.gz" | grep -v '/$' | sort) <(git ls-files | sed "s#^#ncclscript-$version/#" | sort) || fail "the archive lacks files"

# What the schema of SPDX 2.3 requires, and that every compiled-in library is linked to.
jq -e --arg version "$version" '.spdxVersion == "SPDX-2.3" and .dataLicense == "CC0-1.0" and .SPDXID == "SPDXRef-DOCUMENT" and (.name | length > 0) and
    (.documentNamespace | test("^[a-z]+:[^#]+$")) and (.creationInfo.created | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$")) and
    (.creationInfo.creators | length > 0 and all(test("^(Tool|Organization|Person): "))) and
    all(.packages[]; (.SPDXID | test("^SPDXRef-[A-Za-z0-9.-]+$")) and (.name | length > 0) and .downloadLocation and .filesAnalyzed == false) and
    (.packages[0] | .name == "ncclscript" and .versionInfo == $version) and
    ([.packages[].name] - ["ncclscript"] | sort) == ["jansson", "libbsd-dev", "libedit-dev", "libmd-dev", "libtinfo6", "libyaml", "lua5.4"] and
    (([.packages[].SPDXID, .SPDXID]) as $ids | all(.relationships[]; IN(.spdxElementId, .relatedSpdxElement; $ids[]))) and
    ([.relationships[] | select(.relationshipType == "STATIC_LINK")] | length) == 7' "$work/one/ncclscript-$version.spdx.json" >/dev/null ||
    fail "the SBOM is $(cat "$work/one/ncclscript-$version.spdx.json")"
# The libraries are those that portable builds compile in.
for library in lua5.4 jansson libyaml; do
    grep -q "sources=(.*$library" cmake/sysroot.sh || fail "$library is compiled in no more"
done

# What is left out is named with its reason. A changed tree is no release.
rm -r build
mkdir "$work/bin"
for tool in bash git sed sha256sum realpath mkdir mktemp rm date cat tail printf tar gzip dirname; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
PATH=$work/bin cmake/release.sh "$work/three" source image deb sbom x86_64 aarch64 >"$work/out" 2>&1 || { cat "$work/out"; fail "release.sh fails without tools"; }
for part in image deb sbom x86_64 aarch64; do
    sed '1,/^Left out:/d' "$work/out" | grep -q "^  $part: " || fail "$part is left out silently: $(cat "$work/out")"
done
(cd "$work/three" && sha256sum -c --quiet SHA256SUMS) || fail "checksums are wrong"
echo change >>README.md
cmake/release.sh "$work/four" source >"$work/out" 2>&1 && fail "a changed tree is released"
echo "$failed failures"
((failed == 0))
