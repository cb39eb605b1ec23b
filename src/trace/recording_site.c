/* Names the places that recorded calls come from, as exec names them: train_step+0x1a2. The file of the code tells the
 * function, if it is here; otherwise the recorded name does. */
#include <string.h>

#include "base/elf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "trace/recording.h"

/* A language's binding makes all its calls from one address, which says nothing about the program. */
static bool is_of_binding(const char *file)
{
    static const char *const bindings[] = { "libffi", "_ctypes", "_cffi" };
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        if (strncmp(file, bindings[i], strlen(bindings[i])) == 0)
            return true;
    return false;
}

static void keep_to_plain(char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~' || *text == '"' || *text == '\\')
            *text = '?';
}

static char *site_name(const struct ncs_recording_site *site)
{
    struct ncs_str text = { 0 };
    struct ncs_elf image = { 0 };
    uint64_t offset = 0;
    const char *slash = strrchr(site->module, '/'), *file = slash ? slash + 1 : site->module, *name = NULL;
    if (site->module[0] == '/' && ncs_elf_open(&image, site->module))
        name = ncs_elf_function(&image, site->offset, &offset);
    bool readable = site->name[0] && strncmp(site->name, "_Z", 2) != 0;
    if (name && !(readable && strncmp(name, "_Z", 2) == 0)) /* the recorder may know how C++ writes it */
        ncs_str_addf(&text, "%s+0x%llx", name, (unsigned long long)offset);
    else if (site->name[0])
        ncs_str_add(&text, site->name);
    else
        ncs_str_addf(&text, "%s+0x%llx", *file ? file : "code", (unsigned long long)site->offset);
    ncs_elf_close(&image);
    keep_to_plain(text.text);
    return ncs_str_take(&text);
}

int ncs_recorded_line(struct recording *r, struct recorded_file *f, int site)
{
    struct ncs_trace *t = r->record->trace;
    if (site < 1 || site > f->sites)
        return 0;
    int *line = &f->line[site - 1];
    const struct ncs_recording_site *s = &f->site[site - 1];
    const char *slash = strrchr(s->module, '/');
    if (!*line && !is_of_binding(slash ? slash + 1 : s->module)) {
        char *name = site_name(s);
        uint64_t key = ncs_hash_bytes(1, name, strlen(name));
        size_t at = ncs_map_number(&r->record->places, key);
        if (!at) {
            NCS_PUSH(t->place, t->places, t->place_room, ncs_copy_text(name));
            ncs_map_put_number(&r->record->places, key, at = t->places);
        }
        *line = NCS_TRACE_LINES + (int)at - 1;
        ncs_free(name);
    }
    return *line;
}
