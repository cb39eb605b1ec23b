#!/usr/bin/env bash
# Libraries of NCCL and CUDA that an RPATH or an absolute path names: exec puts the drop-in ones in their place, one
# copy of each. With --no-redirect they go past these: exec says so, when they are mapped and at the end, with both
# paths; and what it tells itself goes nowhere else.
set -u
. tests/exec/common.bash

cat >"$out/fake.c" <<'END'
int ncclGetVersion(int *version) { *version = 1; return 0; }
END
cat >"$out/binding.c" <<'END'
int ncclGetVersion(int *version);
int version(void) { int v; ncclGetVersion(&v); return v; }
END
cat >"$out/uses.c" <<'END'
#include <stdio.h>
int version(void);
int main(void) { printf("version %d\n", version()); return 0; }
END
# Opens what it is given, in order, and calls what is there; "_exit" and "abort" end it at once.
cat >"$out/opens.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int print(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    printf("maps %s\n", info->dlpi_name);
    return 0;
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "_exit") == 0)
            _exit(0);
        if (strcmp(argv[i], "abort") == 0)
            abort();
        if (strcmp(argv[i], "maps") == 0) {
            dl_iterate_phdr(print, NULL);
            continue;
        }
        void *library = dlopen(argv[i], RTLD_NOW);
        int v = 0, (*get)(int *) = library ? (int (*)(int *))dlsym(library, "ncclGetVersion") : NULL;
        int (*count)(int *) = library && !get ? (int (*)(int *))dlsym(library, "cudaGetDeviceCount") : NULL;
        if (get)
            get(&v);
        else if (count)
            count(&v);
        printf("%d\n", library ? v : -1);
        fflush(stdout);
    }
    return 0;
}
END
fake=$out/fake/libnccl.so.2 plugin=$out/fake/libnccl-net.so
mkdir "$out/fake" "$out/links"
build "$fake" "$CC" -shared -fPIC -Wl,-soname,libnccl.so.2 "$out/fake.c"
cp "$fake" "$plugin"
cp "$fake" "$out/fake/libcudart-1a2b.so.12"
ln -s "$libraries/libnccl.so.2" "$out/links/libnccl.so.2"
build "$out/libbinding.so" "$CC" -shared -fPIC "$out/binding.c" "$fake" -Wl,--disable-new-dtags,-rpath,"$out/fake"
build "$out/uses" "$CC" "$out/uses.c" "$out/libbinding.so" -Wl,-rpath,"$out"
build "$out/opens" "$CC" "$out/opens.c" -ldl
[ $failures -eq 0 ] || finish

mapped="^ncclscript: $fake is mapped, not $libraries/libnccl\.so\.2: what calls it is not simulated\$"
past="did not run on the simulator: it has mapped $fake in place of $libraries/libnccl\.so\.2"

# Redirected: ours answer, and no other copy is mapped. "maps" shows it.
redirected=("${sanitized[@]}" "${exec[@]}" --)
run "the RPATH of a library, redirected" 0 "${redirected[@]}" "$out/uses"
says '^version 23203$'
leaves_out 'mapped|not simulated'
run "absolute paths, redirected" 0 "${redirected[@]}" "$out/opens" "$fake" "$out/fake/libcudart-1a2b.so.12" libnccl.so maps
says '^23203$'
says "^maps $libraries/libnccl\.so\.2$"
says "^maps $libraries/libcudart\.so\.12$"
[ "$(grep -c '^maps .*libnccl\.so' "$out/stdout")" -eq 1 ] || fail "$name: mapped more than once"
run "a plugin is not redirected" 5 "${redirected[@]}" "$out/opens" "$plugin"
says '^1$'
run "children, redirected" 0 "${redirected[@]}" sh -c "'$out/opens' '$fake' | grep -qx 23203"

others=("${sanitized[@]}" "${exec[@]}" --no-redirect --)

run "the RPATH of a library" 5 "${others[@]}" "$out/uses"
says '^version 1$'
reports "$mapped"
reports "^ncclscript exec: \`$out/uses\` $past"
run "an absolute path" 5 "${others[@]}" "$out/opens" "$fake"
reports "$mapped"
reports "$past"
run "the path of a wheel's runtime" 5 "${others[@]}" "$out/opens" "$out/fake/libcudart-1a2b.so.12"
reports "has mapped $out/fake/libcudart-1a2b.so.12 in place of $libraries/libcudart\.so\.12"
run "a program of a program" 5 "${others[@]}" sh -c "'$out/opens' '$fake'; '$out/opens' '$fake'; true"
[ "$(grep -c "in place of" "$out/stderr")" -eq 1 ] || fail "$name: not said once at the end"
# However it ends.
run "that ends at once" 5 "${others[@]}" "$out/opens" "$fake" _exit
reports "$past"
run "that is ended by a signal" 6 "${others[@]}" "$out/opens" "$fake" abort
reports "$past"

run "beside ours" 0 "${others[@]}" "$out/opens" libcudart.so.13 "$fake"
says '^8$'
reports "$mapped"
reports "^ncclscript: not simulated: calls into $fake \(in place of $libraries/libnccl\.so\.2\)\$"
leaves_out 'did not run on the simulator'
run "without exec" 0 "${sanitized[@]}" LD_LIBRARY_PATH="$libraries" "$out/opens" "$fake" libcudart.so.13
says '^8$'
[ "$(grep -cE "$mapped" "$out/stderr")" -eq 1 ] || fail "$name: not said at the first call"
reports "^ncclscript: not simulated: calls into $fake"

run "a plugin, and ours by a link" 0 "${others[@]}" "$out/opens" "$plugin" "$out/links/libnccl.so.2" libnccl.so.2
leaves_out 'mapped|not simulated'

# A launcher that hands no files down, and opens some of its own: nothing is written to them, and exec is told
# all the same.
cat >"$out/closes.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (int i = 3; i < 64; i++)
        close(i);
    for (int i = 3; i < 64; i++)
        if (open(argv[1], O_RDWR | O_CREAT, 0600) < 0)
            return 1;
    return argc < 3 || execv(argv[2], argv + 2);
}
END
build "$out/closes" "$CC" "$out/closes.c"
run "no file is handed down" 3 "${others[@]}" "$out/closes" "$out/file" "${clients}hang"
reports '^HANG '
leaves_out 'called neither'
[ -s "$out/file" ] && fail "$name: it was written to"
run "no file is handed down, and it passes" 0 "${others[@]}" "$out/closes" "$out/file" "${clients}one_thread"
leaves_out 'called neither'
[ -s "$out/file" ] && fail "$name: it was written to"
finish "libraries that go past ours"
