#define _GNU_SOURCE /* dladdr1 */
#include "shim/exec/site.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/elf.h"
#include "base/mem.h"
#include "base/str.h"

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

/* Appends the name of an address that the symbols of the file have. */
static void symbol_in_file(struct ncs_str *out, const char *file, uint64_t address)
{
    struct ncs_elf image = { 0 };
    uint64_t offset = address;
    const char *slash = strrchr(file, '/'),
               *name = ncs_elf_open(&image, file) ? ncs_elf_function(&image, address, &offset) : NULL;
    if (name)
        ncs_demangle(out, name);
    else
        ncs_str_add(out, slash ? slash + 1 : file);
    ncs_elf_close(&image);
    ncs_str_addf(out, "+0x%llx", (unsigned long long)(name ? offset : address));
}

char *ncs_symbol_name(const char *module, void *address)
{
    struct ncs_str out = { 0 };
    struct link_map *map = NULL;
    struct ncs_elf image = { 0 };
    Dl_info info = { 0 };
    if (module) {
        symbol_in_file(&out, module, (uint64_t)(uintptr_t)address);
        keep_plain(&out);
        return ncs_str_take(&out);
    }
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
        ncs_demangle(&out, name);
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
