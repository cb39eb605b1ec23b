#!/usr/bin/env bash
# The files that `./start` builds are enough for exec; where a drop-in library is not there, its name is.
set -u
. tests/exec/common.bash
build=$(dirname "$NCCLSCRIPT")

targets=$(sed -n 's/^ *build \(ncclscript .*drop_in\)$/\1/p' start | head -n 1)
ninja -C "$build" -t commands $targets 2>"$out/stderr" | grep -oE -- '-o lib/[^ ]+' >"$out/stdout"
name="what ./start builds"
for library in libnccl.so.2 libcudart.so.12 libcudart.so.13 libncclscript-sim.so libncclscript-exec.so; do
    says "^-o lib/ncclscript/$library\$"
done

cp "$NCCLSCRIPT" "$out/ncclscript"
run "no library" 70 "$out/ncclscript" exec -- true
reports "^ncclscript exec: libnccl\.so\.2 is missing in $out/lib/ncclscript\$"
reports '\./start'
mkdir -p "$out/lib/ncclscript"
cp "$libraries"/lib*.so* "$out/lib/ncclscript"
run "all libraries" 5 "${sanitized[@]}" "$out/ncclscript" exec -- true
rm "$out/lib/ncclscript/libcudart.so.12"
run "one that is missing" 70 "$out/ncclscript" exec -- true
reports "^ncclscript exec: libcudart\.so\.12 is missing in $out/lib/ncclscript\$"
finish "what exec needs"
