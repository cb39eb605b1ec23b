#!/usr/bin/env bash
# Functions that NCCL got with 2.31 and 2.32 and that only the drop-in library has: collectives with a configuration, and
# encryption. What they say was measured on the real libraries, which are asked again where they are found: the files of
# NCS_REAL_LIBRARIES, separated by blanks.
set -u
. tests/exec/common.bash

# What version 2.31.2 says, and what 2.32.3 says instead.
cat >"$out/2.31.2" <<'END'
AllReduce: 4 AllReduce : comm argument is NULL
AllGather: 4 AllGather : comm argument is NULL
AlltoAll: 4 AlltoAll : comm argument is NULL
Reduce: 4 Reduce : comm argument is NULL
Gather: 4 Gather : comm argument is NULL
Scatter: 4 Scatter : comm argument is NULL
Broadcast: 4 Broadcast : comm argument is NULL
ReduceScatter: 4 ReduceScatter : comm argument is NULL
good: 4 AllReduce : comm argument is NULL
no magic: 4 ncclCollConfig_t magic mismatch (got 0x0, expected 0xcafebeef)
size 40: 4 ncclCollConfig_t size 40 too small (expected >= 64)
size 64: 4 AllReduce : comm argument is NULL
CTAs 0: 4 AllReduce : comm argument is NULL
force 2: 4 config->forceAlgSelection=2 is invalid, accepted values are 0 or 1
policy 3: 4 AllReduce : comm argument is NULL
policy 4: 4 config->CTAPolicy=4 is invalid, accepted values are [1, 3]
END
{
    sed 's/^size 40: .*/size 40: 4 AllReduce : comm argument is NULL/' "$out/2.31.2"
    cat <<'END'
no encryption: 0 config->CTAPolicy=4 is invalid, accepted values are [1, 3]
encryption without its magic: 4 ncclSetEncryption: config not initialized via NCCL_ENCRYPTION_CONFIG_INITIALIZER
encryption none: 0 ncclSetEncryption: config not initialized via NCCL_ENCRYPTION_CONFIG_INITIALIZER
encryption without a key: 4 ncclSetEncryption: NCCL_ENCRYPTION_MODE_PSK requires config->psk
encryption with a short key: 4 ncclSetEncryption: config->psk must be at least 32 bytes
encryption with a key: 0 ncclSetEncryption: config->psk must be at least 32 bytes
encryption of no mode: 4 ncclSetEncryption: config->mode=7 is not a supported encryption mode
END
} >"$out/2.32.3"

# agrees VERSION: what was printed is what that version says. Version 2.31.2 has no encryption.
agrees() {
    grep -vE 'is missing$' "$out/stdout" >"$out/said"
    [ "$1" != 2.31.2 ] || { grep -v 'ncryption' "$out/said" >"$out/less"; mv "$out/less" "$out/said"; }
    diff "$out/$1" "$out/said" >"$out/stderr" || fail "$name: not what NCCL $1 says"
}

for version in 2.31.2 2.32.3; do
    run "as $version" 0 "${sanitized[@]}" "${exec[@]}" --nccl-version $version -- "${clients}newer"
    agrees $version
done
run "as 2.30.7" 0 "${sanitized[@]}" "${exec[@]}" --nccl-version 2.30.7 -- "${clients}newer"
says '^AllReduce: 5 '
reports '^ncclscript: ncclAllReduceConfig: it came with NCCL 2\.31\.2$'
reports '^ncclscript: ncclSetEncryption: it came with NCCL 2\.32\.3$'

for real in ${NCS_REAL_LIBRARIES:-}; do
    for version in 2.31.2 2.32.3; do
        grep -aq "NCCL version $version+" "$real" || continue
        run "$real" 0 "${clients}newer" "$real"
        agrees $version
        echo "compared with $real"
    done
done
finish "functions of newer versions"
