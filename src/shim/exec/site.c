#define _GNU_SOURCE /* dladdr */
#include "shim/exec/site.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "report/places.h"
#include "shim/exec/symbol.h"

#define FIRST_LINE 1000000000
#define SITES_MOST 100000 /* bounds memory: a program that generates code may call from any number of addresses */

struct site {
    void *address;
    char *name; /* NULL = not looked up so far */
};

static struct site *site;
static size_t sites, room;
static struct ncs_map lines; /* address -> line; `none` for a binding */

/* A language's binding makes all its calls from one address, which says nothing about the program. */
static bool is_binding(void *address)
{
    static const char *const bindings[] = { "libffi", "_ctypes", "_cffi" };
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        if (strncmp(file, bindings[i], strlen(bindings[i])) == 0)
            return true;
    return false;
}

struct ncs_place ncs_site_of(void *address)
{
    static char none, any_file[] = "program";
    uintptr_t line = (uintptr_t)ncs_map_get(&lines, ncs_map_key(address));
    if (!line && address && sites < SITES_MOST) {
        line = is_binding(address) ? (uintptr_t)&none : FIRST_LINE + sites;
        ncs_map_put(&lines, ncs_map_key(address), (void *)line);
        if (line != (uintptr_t)&none)
            NCS_PUSH(site, sites, room, (struct site){ .address = address });
    }
    if (!line || line == (uintptr_t)&none)
        return (struct ncs_place){ 0 };
    return (struct ncs_place){ .file = any_file, .line = (int)line };
}

static const char *name_of(size_t i)
{
    if (!site[i].name)
        site[i].name = ncs_symbol_name(site[i].address);
    return site[i].name;
}

static bool is_site(long line)
{
    return line >= FIRST_LINE && (size_t)(line - FIRST_LINE) < sites;
}

void ncs_site_add(struct ncs_str *out, int line)
{
    if (is_site(line))
        ncs_str_addf(out, " at %s", name_of((size_t)(line - FIRST_LINE)));
}

const char *ncs_site_text(struct ncs_place place)
{
    return is_site(place.line) ? name_of((size_t)(place.line - FIRST_LINE)) : NULL;
}

bool ncs_site_is(struct ncs_place place, const char *text)
{
    const char *name = ncs_site_text(place);
    return name && strcmp(name, text) == 0;
}

static const char *name_of_line(void *arg, long line)
{
    (void)arg;
    return is_site(line) ? name_of((size_t)(line - FIRST_LINE)) : NULL;
}

void ncs_sites_name(struct ncs_str *out, bool json)
{
    ncs_report_name_lines(out, json, name_of_line, NULL);
}
