#include "base/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Names of Rust have two forms: that of C++ with a hash at the end, and since Rust 1.37 `_R` (Rust reference: symbol
 * mangling, legacy and v0). */

/* Reads "5train"; *text is not ended by a zero. Returns the end, or NULL. The newer form may have `_` between both. */
static const char *read_word(const char *p, bool newer, const char **text, size_t *bytes)
{
    char *end;
    if (!isdigit((unsigned char)*p))
        return NULL;
    unsigned long length = strtoul(p, &end, 10);
    end += newer && *end == '_';
    if (length == 0 || length > strlen(end))
        return NULL;
    *text = end;
    *bytes = length;
    return end + length;
}

/* ---- the older form ---- */

static const struct {
    const char *escape, *text;
} escapes[] = {
    { "$LT$", "<" }, { "$GT$", ">" }, { "$LP$", "(" },  { "$RP$", ")" },  { "$C$", "," },   { "$SP$", "@" },
    { "$BP$", "*" }, { "$RF$", "&" }, { "$u20$", " " }, { "$u7b$", "{" }, { "$u7d$", "}" }, { "..", "::" },
};

static void add_unescaped(struct ncs_str *out, const char *text, size_t bytes)
{
    size_t i = bytes > 1 && strncmp(text, "_$", 2) == 0; /* a word must not begin with $ */
    while (i < bytes) {
        size_t length = 0;
        for (size_t k = 0; k < sizeof escapes / sizeof *escapes && !length; k++) {
            size_t of_this = strlen(escapes[k].escape);
            if (of_this <= bytes - i && strncmp(text + i, escapes[k].escape, of_this) == 0) {
                ncs_str_add(out, escapes[k].text);
                length = of_this;
            }
        }
        if (!length)
            ncs_str_add_bytes(out, text + i, 1);
        i += length ? length : 1;
    }
}

static bool is_hash(const char *text, size_t bytes)
{
    return bytes == 17 && *text == 'h' && strspn(text + 1, "0123456789abcdef") >= 16;
}

static bool add_older(struct ncs_str *out, const char *p)
{
    struct ncs_str name = { 0 };
    const char *text;
    size_t bytes;
    bool hashed = false;
    while (!hashed && (p = read_word(p, false, &text, &bytes)) != NULL) {
        hashed = is_hash(text, bytes) && *p == 'E' && name.bytes > 0;
        if (!hashed && name.bytes > 0)
            ncs_str_add(&name, "::");
        if (!hashed)
            add_unescaped(&name, text, bytes);
    }
    if (hashed)
        ncs_str_add(out, name.text);
    ncs_str_free(&name);
    return hashed;
}

/* ---- the newer form ---- */

/* Skips "s_" or "s1a_", which distinguishes equal names. */
static const char *skip_distinction(const char *p)
{
    const char *end = *p == 's' ? strchr(p, '_') : NULL;
    return end ? end + 1 : p;
}

/* Appends a path of a crate, modules and functions. Returns its end, or NULL for any other. */
static const char *add_path(struct ncs_str *out, const char *p, int deep)
{
    const char *text;
    size_t bytes;
    char kind = *p++;
    if (deep > 64 || (kind != 'C' && kind != 'N'))
        return NULL;
    if (kind == 'N') { /* a lower-case letter for a name, "C" for a closure */
        bool closure = *p == 'C';
        if (!islower((unsigned char)*p) && !closure)
            return NULL;
        p = add_path(out, p + 1, deep + 1);
        if (!p)
            return NULL;
        if (closure) {
            ncs_str_add(out, "::{closure}");
            p = skip_distinction(p);
            return *p == '0' ? p + 1 : NULL;
        }
        ncs_str_add(out, "::");
    }
    p = read_word(skip_distinction(p), true, &text, &bytes);
    if (p)
        ncs_str_add_bytes(out, text, bytes);
    return p;
}

/* Appends "train::step" of "_ZN5train4step17h0123456789abcdefE" or "_RNvCsabc_5train4step". False and nothing if it is
 * no name of Rust, or one that has more than modules and functions in the newer form. */
static bool add_rust_name(struct ncs_str *out, const char *symbol)
{
    if (strncmp(symbol, "_ZN", 3) == 0)
        return add_older(out, symbol + 3);
    if (strncmp(symbol, "_R", 2) != 0)
        return false;
    struct ncs_str name = { 0 };
    bool known = add_path(&name, symbol + 2, 0) != NULL;
    if (known)
        ncs_str_add(out, name.text);
    ncs_str_free(&name);
    return known;
}

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
    if (add_rust_name(out, name))
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
