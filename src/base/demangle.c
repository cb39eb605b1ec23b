#include "base/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/rust.h"

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

void ncs_demangle(struct ncs_str *out, const char *name)
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
