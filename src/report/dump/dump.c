/* The formats, and the files of a dump. */
#include "report/dump/dump.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "report/dump/dump_private.h"

const struct ncs_dump_format ncs_dump_format[] = {
#define NCS_DUMP(id, ...) [DUMP_##id] = { __VA_ARGS__ },
#include "report/dump/dump_formats.def"
#undef NCS_DUMP
    { 0 },
};

const char *const ncs_dump_format_names[] = {
#define NCS_DUMP(id, name, ...) name,
#include "report/dump/dump_formats.def"
#undef NCS_DUMP
    NULL,
};

static bool dump_named_by(const struct ncs_dump_format *format, const char *name)
{
    size_t before = strlen(format->before);
    if (!format->after)
        return strcmp(name, format->before) == 0;
    if (strncmp(name, format->before, before) != 0 || !isdigit((unsigned char)name[before]))
        return false;
    for (name += before; isdigit((unsigned char)*name); name++)
        continue;
    return strcmp(name, format->after) == 0;
}

bool ncs_dump_is_name(const char *name)
{
    for (const struct ncs_dump_format *f = ncs_dump_format; f->name; f++)
        if (dump_named_by(f, name))
            return true;
    return false;
}

void ncs_dump_add(struct ncs_dump *dump, const struct ncs_dump_format *format, int rank, struct ncs_str *text)
{
    struct ncs_str name = { 0 };
    ncs_str_add(&name, format->before);
    if (format->after)
        ncs_str_addf(&name, "%d%s", rank, format->after);
    NCS_PUSH(dump->file, dump->files, dump->room, ((struct ncs_dump_file){ ncs_str_take(&name), *text }));
    *text = (struct ncs_str){ 0 };
}

void ncs_dump_free(struct ncs_dump *dump)
{
    for (size_t i = 0; i < dump->files; i++) {
        ncs_free(dump->file[i].name);
        ncs_str_free(&dump->file[i].text);
    }
    ncs_free(dump->file);
    *dump = (struct ncs_dump){ 0 };
}
