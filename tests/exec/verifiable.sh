#!/usr/bin/env bash
# Kernels that are known by their names run on the host: nccl-tests' own check of a result, and PyTorch's fill. All other
# launches fail or, with --kernels skip, do nothing; either way they are named. With a build of nccl-tests in
# $NCS_NCCL_TESTS its programs run too.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1

# Floats have few bits: from 9 ranks on not every rank of e5m2 contributes to a sum, from 17 on of e4m3, from 257 on of bfloat16.
for ranks in 2 3 4 9 17 260; do
    run "$ranks ranks" 0 "${sanitized[@]}" "${exec[@]}" -n $ranks -- "${clients}verifiable"
    says '^copies: ok$'
    says '^fill: ok$'
    says "^12 types, 6 operators, $ranks ranks: ok\$"
    silent
done

unknown=("${clients}verifiable" unknown)
run "unknown kernels fail" 0 "${sanitized[@]}" "${exec[@]}" -n 1 -- "${unknown[@]}"
[ "$(grep -c '^unknown 98$' "$out/stdout")" -eq 3 ] || fail "$name: three launches"
says '^last 98$'
says '^like a fill 98$'
says '^plain name 98$'
reports '^ncclscript: kernels that were not run: user::scale \(3 launches\), at::native::vectorized_elementwise_kernel<FillFunctor, array>, saxpy: their launches failed$'
[ "$(grep -c '^ncclscript: kernel user::scale: .* fails' "$out/stderr")" -eq 1 ] || fail "$name: not said once"

skipping() {
    [ "$(grep -c '^unknown 0$' "$out/stdout")" -eq 3 ] || fail "$name: three launches"
    says '^last 0$'
    says '^like a fill 0$'
    says '^not registered 98$'
    says '^no blocks 9$'
    says '^its module is closed 98$'
    reports '^ncclscript: kernels that were not run: user::scale \(3 launches\), .*, saxpy: results that depend on them are not verified$'
}
run "unknown kernels are skipped" 0 "${sanitized[@]}" "${exec[@]}" -n 1 --kernels skip -- "${unknown[@]}"
skipping
run "the variable does the same" 0 "${sanitized[@]}" NCCLSCRIPT_KERNELS=skip "${exec[@]}" -n 1 -- "${unknown[@]}"
skipping
run "a wrong variable" 0 "${sanitized[@]}" NCCLSCRIPT_KERNELS=run "${exec[@]}" -n 1 -- "${unknown[@]}"
reports 'NCCLSCRIPT_KERNELS=run is ignored: expected fail or skip'

# Sums of nccl-tests that are wrong by one byte.
cat >"$out/corrupt.c" <<'END_OF_C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
struct grid { unsigned x, y, z; };
static const void *verify[512];
static int count;
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp)
{
    void (*next)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *) =
        dlsym(RTLD_NEXT, "__cudaRegisterFunction");
    if (count < 512 && (strstr(name, "verifyInline2") || strstr(name, "verifyPrepared")))
        verify[count++] = host;
    next(handle, host, device, name, threads, tid, bid, block, grid, warp);
}
int cudaLaunchKernel(const void *kernel, struct grid grid, struct grid block, void **args, size_t shared, void *stream)
{
    int (*next)(const void *, struct grid, struct grid, void **, size_t, void *) = dlsym(RTLD_NEXT, "cudaLaunchKernel");
    for (int i = 0; i < count; i++)
        if (verify[i] == kernel)
            **(char **)args[0] ^= 0x41;
    return next(kernel, grid, block, args, shared, stream);
}
END_OF_C
if [ -z "${NCS_NCCL_TESTS:-}" ]; then
    echo "without NCS_NCCL_TESTS: nccl-tests' own programs are left out"
    finish "kernels by name"
fi
for how in "-g 4" "-t 4 -g 1"; do
    for program in "$NCS_NCCL_TESTS"/*_perf; do
        # In one thread, an outer group joins hypercube's rounds: it then sends what the same group receives.
        case "${program##*/} $how" in "hypercube_perf -g 4") continue ;; esac
        run "${program##*/} $how" 0 "${sanitized[@]}" "${exec[@]}" -n 4 -- "$program" -b 8 -e 8K -f 4 $how -d all -o all
        says '^# Out of bounds values : 0 OK$'
    done
done
if [ -z "$runtime" ] && build "$out/corrupt.so" "$CC" -shared -fPIC "$out/corrupt.c" -ldl; then
    timeout 100 env LD_PRELOAD="$out/corrupt.so" "${exec[@]}" -n 4 -- "$NCS_NCCL_TESTS/all_reduce_perf" -b 8 -e 8K -f 4 -g 4 \
        >"$out/stdout" 2>"$out/stderr"
    name="nccl-tests find a wrong byte"
    says '^# Out of bounds values : [1-9][0-9]* FAILED$'
fi
finish "kernels by name"
