#!/usr/bin/env bash
# Unpacks Debian's libraries of an architecture into a folder, for a cross build or a portable one:
#   cmake/sysroot.sh arm64 build/sysroot/arm64
# or the sources of those that a portable build compiles itself:
#   cmake/sysroot.sh source build/sysroot/source
# apt keeps its lists and packages in FOLDER.apt: the system's own stay as they are, and no root is needed. The
# packages come from the sources of this system.
set -euo pipefail

packages=(libc6-dev liblua5.4-dev libjansson-dev libyaml-dev libedit-dev check)
sources=(lua5.4 jansson libyaml)

die() {
    printf 'sysroot.sh: %s\n' "$@" >&2
    exit 1
}

[ $# -eq 2 ] || die "usage: cmake/sysroot.sh ARCHITECTURE|source FOLDER"
arch=$1
sysroot=$(realpath -m "$2")
state=$sysroot.apt
tools=(apt-get dpkg-deb)
[ "$arch" != source ] || tools=(apt-get dpkg-source)
for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || die "$tool is missing: this needs Debian or Ubuntu, and dpkg-dev for sources"
done
rm -rf "$sysroot" "$state"
mkdir -p "$sysroot" "$state/lists/partial" "$state/cache/archives/partial" "$state/source"

private_apt() {
    apt-get -qq -o Dir::State="$state" -o Dir::State::status=/dev/null -o Dir::Cache="$state/cache" \
        -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3 \
        -o APT::Install-Recommends=false "$@"
}

unpack_packages() {
    local options=(-o APT::Architecture="$arch" -o APT::Architectures="$arch") package link target
    # A source that has nothing for this architecture is no error as long as the packages are found.
    private_apt "${options[@]}" update || true
    private_apt "${options[@]}" -y --download-only install "${packages[@]}" >/dev/null ||
        die "the package sources of this system lack packages for $arch: ${packages[*]}"
    # Packages name files in /lib that lie in /usr/lib, and the other way round.
    mkdir -p "$sysroot/usr/lib"
    ln -s usr/lib "$sysroot/lib"
    for package in "$state"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$sysroot" --keep-directory-symlink --no-same-owner
        # shellcheck disable=SC2016 # the braces are dpkg's
        dpkg-deb --show --showformat='${Package} ${Version}\n' "$package" >>"$state/packages"
    done
    # An absolute link would lead to this system's files.
    while IFS= read -r link; do
        target=$(readlink "$link")
        ln -sfnr "$sysroot$target" "$link"
    done < <(find "$sysroot/usr" -type l -lname '/*')
}

unpack_sources() {
    local file source options=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/source")
    # Most systems list binary packages only. Debian's sources lie beside them.
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [ -f "$file" ] || continue
        sed -E 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$file" >"$state/source/$(basename "$file")"
    done
    private_apt "${options[@]}" update || true
    for source in "${sources[@]}"; do
        (cd "$state" && private_apt "${options[@]}" --download-only source "$source" >/dev/null) ||
            die "the package sources of this system lack the source of $source"
        file=$(echo "$state/${source}"_*.dsc)
        dpkg-source --no-check -x "$file" "$sysroot/$source" >/dev/null
        echo "$source $(basename "$file" .dsc | sed 's/^[^_]*_//')" >>"$state/packages"
    done
    rm -f "$sysroot"/*.orig.tar.*
}

if [ "$arch" = source ]; then unpack_sources; else unpack_packages; fi
mv "$state/packages" "$sysroot/packages" # written last: a sysroot that has it is complete
rm -rf "$state"
