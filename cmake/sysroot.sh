#!/usr/bin/env bash
# Unpacks Debian's libraries of another architecture into a folder, for a cross build:
#   cmake/sysroot.sh arm64 build/sysroot/arm64
# apt keeps its lists and packages in FOLDER.apt: the system's own stay as they are, and no root is needed. The
# packages come from the sources of this system.
set -euo pipefail

packages=(libc6-dev liblua5.4-dev libjansson-dev libyaml-dev libedit-dev check)

die() {
    printf 'sysroot.sh: %s\n' "$@" >&2
    exit 1
}

[ $# -eq 2 ] || die "usage: cmake/sysroot.sh ARCHITECTURE FOLDER"
for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || die "$tool is missing: this needs Debian or Ubuntu"
done
arch=$1
sysroot=$(realpath -m "$2")
state=$sysroot.apt
mkdir -p "$sysroot" "$state/lists/partial" "$state/cache/archives/partial"

private_apt() {
    apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$state" \
        -o Dir::State::status=/dev/null -o Dir::Cache="$state/cache" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Install-Recommends=false "$@"
}

# A source that has nothing for this architecture is no error as long as the packages are found.
private_apt update || true
rm -f "$state"/cache/archives/*.deb
private_apt -y --download-only install "${packages[@]}" >/dev/null ||
    die "the package sources of this system lack packages for $arch: ${packages[*]}"

# Packages name files in /lib that lie in /usr/lib, and the other way round.
mkdir -p "$sysroot/usr/lib"
[ -e "$sysroot/lib" ] || ln -s usr/lib "$sysroot/lib"
for package in "$state"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$sysroot" --keep-directory-symlink --no-same-owner
    dpkg-deb --show --showformat='${Package} ${Version}\n' "$package" >>"$state/packages"
done
# An absolute link would lead to this system's files.
while IFS= read -r link; do
    target=$(readlink "$link")
    ln -sfnr "$sysroot$target" "$link"
done < <(find "$sysroot/usr" -type l -lname '/*')
mv "$state/packages" "$sysroot/packages" # written last: a sysroot that has it is complete
rm -rf "$state"
