#define _GNU_SOURCE /* dladdr1 */
#include "shim/exec/symbol.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "base/mem.h"
#include "base/str.h"
#include "shim/exec/rust.h"

/* By the C++ library. The process may not have it: a program in C may call a library whose names are of C++. */
static char *demangle_name(const char *name)
{
    char *(*demangle)(const char *, char *, size_t *, int *);
    int status = -1;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    *(void **)&demangle = dlsym(library ? library : RTLD_DEFAULT, "__cxa_demangle");
    char *plain = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    if (library)
        dlclose(library);
    if (status == 0)
        return plain;
    free(plain);
    return NULL;
}

/* Appends "c10d::ProcessGroupNCCL::collective" of "c10::intrusive_ptr<Work> c10d::ProcessGroupNCCL::collective<F>(...)":
 * without the result, the arguments of templates, and the parameters. */
static void add_short_name(struct ncs_str *out, const char *plain)
{
    size_t from = out->bytes;
    int depth = 0;
    for (const char *at = plain; *at; at++) {
        if (depth == 0 && *at == '(' && strncmp(at, "(anonymous namespace)", 21) != 0)
            break;
        depth += *at == '<';
        if (depth == 0 && *at == ' ' && strncmp(at, " namespace)", 11) != 0)
            out->text[out->bytes = from] = '\0';
        else if (depth == 0)
            ncs_str_add_bytes(out, at, 1);
        depth -= *at == '>';
    }
}

/* Appends a name, short if it is C++ or Rust and can be demangled. */
static void add_name(struct ncs_str *out, const char *name)
{
    if (ncs_rust_name(out, name))
        return;
    char *plain = demangle_name(name);
    ncs_str_add(out, "");
    size_t from = out->bytes;
    if (plain)
        add_short_name(out, plain);
    if (out->bytes == from)
        ncs_str_add(out, name);
    free(plain);
}

static void keep_plain(struct ncs_str *text)
{
    for (size_t i = 0; i < text->bytes; i++)
        if (text->text[i] < ' ' || text->text[i] > '~' || strchr("\"\\", text->text[i]))
            text->text[i] = '?';
}

static bool is_program(const struct link_map *map)
{
    return map && !map->l_prev;
}

char *ncs_symbol_name(void *address)
{
    struct ncs_str out = { 0 };
    struct link_map *map = NULL;
    struct ncs_elf image = { 0 };
    Dl_info info = { 0 };
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname) {
        ncs_str_addf(&out, "code without a file");
        return ncs_str_take(&out);
    }
    uint64_t offset = 0, in_file = (uintptr_t)address - (map ? map->l_addr : 0);
    const char *name = NULL;
    if (ncs_elf_open(&image, is_program(map) ? "/proc/self/exe" : info.dli_fname))
        name = ncs_elf_function(&image, in_file, &offset);
    if (!name && info.dli_sname) {
        name = info.dli_sname;
        offset = (uintptr_t)address - (uintptr_t)info.dli_saddr;
    }
    if (name) {
        add_name(&out, name);
    } else {
        const char *slash = strrchr(info.dli_fname, '/');
        ncs_str_add(&out, slash ? slash + 1 : info.dli_fname);
        offset = in_file;
    }
    ncs_elf_close(&image);
    ncs_str_addf(&out, "+0x%llx", (unsigned long long)offset);
    keep_plain(&out);
    return ncs_str_take(&out);
}
