#!/usr/bin/env bash
# Makes what a release consists of, from the commit that is checked out:
#   cmake/release.sh [FOLDER [PART...]]      FOLDER: dist. PART: source x86_64 aarch64 deb image sbom; without any: all
#
#   source              ncclscript-V.tar.gz: the sources
#   x86_64, aarch64     ncclscript-V-linux-P.tar.gz: the program for every Linux with glibc 2.28, with the libraries compiled
#                       in, to unpack anywhere; and a wheel of it
#   deb                 ncclscript_V_amd64.deb: for this Debian or Ubuntu, or newer ones
#   image               ncclscript-V-image.tar: of the Containerfile
#   sbom                ncclscript-V.spdx.json: what the portable builds contain, by SPDX 2.3
# SHA256SUMS is made last, of all of them. What cannot be made here is named at the end with the reason.
# Times are those of the commit: the same commit in the same folder gives the same archives, packages and wheels.
set -euo pipefail
cd "$(dirname "$0")/.."

die() {
    printf 'release.sh: %s\n' "$@" >&2
    exit 1
}

[ -z "$(git status --porcelain)" ] || die "the tree differs from the commit: commit first, or stash"
out=$(realpath -m "${1:-dist}")
parts=("${@:2}")
[ ${#parts[@]} -gt 0 ] || parts=(source x86_64 aarch64 deb image sbom)
version=$(sed -nE 's/^project\(ncclscript VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
mkdir -p "$out"
made=() left_out=() work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

leave_out() { # leave_out PART REASON
    left_out+=("$1: $2")
}

# quietly COMMAND...: its output only if it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; die "this fails: $*"; }
}

# pack FOLDER NAME: FOLDER/NAME as an archive that has no trace of when and by whom it was packed
pack() {
    tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -c "$2" | gzip -9n >"$out/$2.tar.gz"
    made+=("$2.tar.gz")
}

make_source() {
    git archive --format=tar --prefix="ncclscript-$version/" HEAD | gzip -9n >"$out/ncclscript-$version.tar.gz"
    made+=("ncclscript-$version.tar.gz")
}

# The newest version of glibc that files of a folder need, as 2_27
glibc_of() {
    { find "$1" -type f -exec readelf -V {} + 2>/dev/null || true; } | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -n 1 | sed 's/GLIBC_//; s/\./_/'
}

# find_python: a Python that can build wheels without asking the network, or with it
find_python() {
    local python
    for python in build/tools/bin/python3 python3; do
        if "$python" -c 'import pip, scikit_build_core' 2>/dev/null; then
            build_wheel=("$python" -m pip wheel -q --no-deps --no-build-isolation)
            return 0
        fi
    done
    build_wheel=(python3 -m pip wheel -q --no-deps)
    python3 -c 'import pip' 2>/dev/null
}

# Builds with the preset; the wheel comes from the same build.
make_portable() { # make_portable PROCESSOR DEBIAN-ARCHITECTURE PRESET
    local build=build/$3 name=ncclscript-$version-linux-$1 folder glibc
    for folder in source "$2"; do
        [ -e "build/sysroot/$folder/packages" ] ||
            { leave_out "$1" "first: cmake/sysroot.sh $folder build/sysroot/$folder"; return; }
    done
    if ! cmake --preset "$3" >"$work/log" 2>&1; then
        grep -q 'there is no zig' "$work/log" || { cat "$work/log" >&2; die "cmake --preset $3 fails"; }
        leave_out "$1" "there is no zig: python3 -m venv build/tools && build/tools/bin/pip install ziglang scikit-build-core"
        return
    fi
    quietly cmake --build "$build"
    quietly cmake --install "$build" --prefix "$work/$name"
    cp LICENSE CHANGELOG.md "$work/$name"
    glibc=$(glibc_of "$work/$name")
    pack "$work" "$name"
    find_python || { leave_out "the wheel for $1" "there is no python3 with pip"; return; }
    quietly "${build_wheel[@]}" -w "$work/wheel" -C build-dir="$PWD/$build" -C wheel.tags="py3-none-manylinux_${glibc}_$1" .
    mv "$work"/wheel/*.whl "$out"
    made+=("$(cd "$out" && ls -t ./*"_$1.whl" | head -n 1 | sed 's#^\./##')")
}

make_deb() {
    local tool
    for tool in dpkg-deb dpkg-shlibdeps file; do
        command -v "$tool" >/dev/null || { leave_out deb "there is no $tool: apt-get install dpkg-dev file"; return; }
    done
    quietly ./start package "$work/deb"
    mv "$work"/deb/*.deb "$out"
    made+=("$(cd "$out" && ls -t ./*.deb | head -n 1 | sed 's#^\./##')")
}

make_image() {
    local tool file=$out/ncclscript-$version-image.tar
    for tool in podman buildah docker; do
        command -v $tool >/dev/null && $tool info >/dev/null 2>&1 || continue
        quietly $tool build -f Containerfile -t "ncclscript:$version" .
        if [ $tool = buildah ]; then
            quietly buildah push "ncclscript:$version" "docker-archive:$file:ncclscript:$version"
        else
            quietly $tool save -o "$file" "ncclscript:$version"
        fi
        made+=("${file##*/}")
        return
    done
    leave_out image "neither podman nor buildah nor docker works here"
}

make_sbom() {
    local lists=() list
    command -v jq >/dev/null || { leave_out sbom "there is no jq"; return; }
    for list in build/sysroot/source/packages build/sysroot/amd64/packages; do
        [ -e "$list" ] || { leave_out sbom "first: cmake/sysroot.sh $(basename "$(dirname "$list")") $(dirname "$list")"; return; }
        lists+=("$list")
    done
    cat "${lists[@]}" | jq -R -n --arg version "$version" --arg commit "$(git rev-parse HEAD)" \
        --arg created "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" -f cmake/sbom.jq >"$out/ncclscript-$version.spdx.json"
    made+=("ncclscript-$version.spdx.json")
}

for part in "${parts[@]}"; do
    echo "release.sh: $part"
    case $part in
        source | deb | image | sbom) "make_$part" ;;
        x86_64) make_portable x86_64 amd64 portable ;;
        aarch64) make_portable aarch64 arm64 portable-aarch64 ;;
        *) die "there is no part $part" ;;
    esac
done
[ ${#made[@]} -gt 0 ] && (cd "$out" && sha256sum "${made[@]}" >SHA256SUMS)
printf '\nMade in %s:\n' "$out"
printf '  %s\n' "${made[@]}" SHA256SUMS
if [ ${#left_out[@]} -gt 0 ]; then
    printf '\nLeft out:\n'
    printf '  %s\n' "${left_out[@]}"
fi
