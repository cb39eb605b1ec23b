/* Names the places that recorded calls come from, as exec names them: train.c:66, or train_step+0x1a2 without debug
 * information. The file of the code tells both, if it is here and has not changed; otherwise the recorded name does. */
#define _GNU_SOURCE /* st_mtim */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allowed.h"
#include "base/demangle.h"
#include "base/dwarf.h"
#include "base/elf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/safe.h"
#include "trace/recording.h"

/* A site, once for all recordings of the job. */
struct named_site {
    const struct ncs_recording_site *site;
    int64_t opened; /* ns: when a process had the module */
    char *path;     /* of the source, absolute; NULL = no line is known */
    int line;
    bool is_old;  /* the source has changed since */
    char *name;   /* without a line; owned */
    size_t place; /* in the trace, + 1 */
};

struct site_table {
    struct named_site *site;
    size_t sites, room;
    struct ncs_map by_key; /* -> index + 1 */
    char *refused;         /* a file that is here and may not be read; NULL = none */
};

static uint64_t key_of_site(const struct ncs_recording_site *s)
{
    uint64_t key = ncs_hash_bytes(ncs_hash(s->offset, s->line), s->module, strlen(s->module));
    key = ncs_hash_bytes(key, s->build, sizeof s->build);
    key = s->module[0] ? key : ncs_hash_bytes(ncs_hash(key, s->address), s->name, strlen(s->name));
    return key ? key : 1;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

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

/* ---- the file of the code ---- */

struct code_file {
    struct ncs_elf image;
    void *lines;     /* NULL = no debug information can be read */
    bool same;       /* it is the file that the process had */
    int64_t changed; /* ns */
};

/* When the file was changed, if it may be read. The recording names it, and may be a stranger's. Libraries are mostly others'. */
static bool changed_at(struct site_table *t, const char *path, int64_t *ns, int *fd)
{
    struct stat st;
    int file = ncs_allowed_open(path);
    if (file < 0)
        ncs_elf_note_failure(errno);
    if (file < 0 && errno == EACCES && !t->refused && !strstr(file_of(path), ".so") && stat(path, &st) == 0 &&
        S_ISREG(st.st_mode))
        t->refused = ncs_copy_text(path);
    bool found = file >= 0 && fstat(file, &st) == 0;
    if (found)
        *ns = st.st_mtim.tv_sec * (int64_t)1000000000 + st.st_mtim.tv_nsec;
    if (fd)
        *fd = file;
    else if (file >= 0)
        close(file);
    return found;
}

static bool has_no_build(const unsigned char *build)
{
    static const unsigned char none[NCS_ELF_BUILD];
    return memcmp(build, none, sizeof none) == 0;
}

/* Opens the file if it is the one that the process had, by its build id. If it has no such id, it must be older than the
 * recording. */
static void open_code(struct site_table *t, struct code_file *code, const struct named_site *s)
{
    int fd = -1;
    unsigned char build[NCS_ELF_BUILD];
    const char *path = s->site->module;
    *code = (struct code_file){ 0 };
    if (changed_at(t, path, &code->changed, &fd) && ncs_elf_read(&code->image, fd)) {
        ncs_elf_build_id(&code->image, build);
        code->same = memcmp(build, s->site->build, sizeof build) == 0 && (!has_no_build(build) || code->changed <= s->opened);
        if (code->same)
            code->lines = ncs_dwarf_open_file(path, fd);
    }
    if (fd >= 0)
        close(fd);
}

static void close_code(struct code_file *code)
{
    ncs_dwarf_close(code->lines);
    ncs_elf_close(&code->image);
}

/* ---- one site ---- */

static void name_function(struct named_site *s, const struct code_file *code)
{
    const struct ncs_recording_site *site = s->site;
    struct ncs_str text = { 0 };
    uint64_t offset = 0;
    const char *file = file_of(site->module), *name = code->same ? ncs_elf_function(&code->image, site->offset, &offset) : NULL;
    bool readable = site->name[0] && strncmp(site->name, "_Z", 2) != 0;
    if (name)
        ncs_demangle(&text, name);
    if (name && !(readable && strncmp(text.text, "_Z", 2) == 0)) { /* the recorder may know how C++ writes it */
        ncs_str_addf(&text, "+0x%llx", (unsigned long long)offset);
        keep_to_plain(text.text);
        s->name = ncs_str_take(&text);
        return;
    }
    ncs_str_clear(&text);
    if (site->name[0])
        ncs_str_add(&text, site->name);
    else
        ncs_str_addf(&text, "%s+0x%llx", *file ? file : "code", (unsigned long long)site->offset);
    keep_to_plain(text.text);
    s->name = ncs_str_take(&text);
}

static void name_compiled(struct site_table *t, struct named_site *s, const struct code_file *code)
{
    struct ncs_dwarf_line at;
    int64_t source;
    if (code->lines && ncs_dwarf_find(code->lines, s->site->offset, &at)) {
        s->path = ncs_path_absolute(at.file);
        s->line = at.line;
        s->is_old = !changed_at(t, s->path, &source, NULL) || source > code->changed;
        ncs_free(at.file);
    } else {
        name_function(s, code);
    }
}

/* Only a Python source is ever quoted. */
static void name_python(struct site_table *t, struct named_site *s)
{
    const char *file = s->site->module, *ending = strrchr(file, '.');
    int64_t source;
    s->path = file[0] == '/' ? ncs_path_absolute(file) : ncs_copy_text(file);
    s->line = s->site->line > 1 << 30 ? 1 << 30 : (int)s->site->line;
    s->is_old = file[0] != '/' || !ending || strcmp(ending, ".py") != 0 || !changed_at(t, s->path, &source, NULL) ||
                source > s->opened;
}

/* ---- all sites ---- */

static int compare_modules(const void *left, const void *right)
{
    const struct named_site *a = left, *b = right;
    int order = strcmp(a->site->module, b->site->module);
    order = order ? order : memcmp(a->site->build, b->site->build, sizeof a->site->build);
    return order ? order : a->site->offset < b->site->offset ? -1 : a->site->offset > b->site->offset;
}

static bool is_same_module(const struct named_site *a, const struct named_site *b)
{
    return strcmp(a->site->module, b->site->module) == 0 && memcmp(a->site->build, b->site->build, sizeof a->site->build) == 0;
}

static void find_names(struct site_table *t)
{
    struct code_file code = { 0 };
    if (t->sites)
        qsort(t->site, t->sites, sizeof *t->site, compare_modules);
    for (size_t i = 0; i < t->sites; i++) {
        struct named_site *s = &t->site[i];
        if (s->site->line) {
            name_python(t, s);
            continue;
        }
        if (i == 0 || t->site[i - 1].site->line || !is_same_module(&t->site[i - 1], s)) {
            close_code(&code);
            open_code(t, &code, s);
        }
        name_compiled(t, s, &code);
    }
    close_code(&code);
}

static int compare_places(const void *left, const void *right)
{
    const struct named_site *a = left, *b = right;
    if (!a->path != !b->path)
        return a->path ? -1 : 1;
    int order = a->path ? strcmp(a->path, b->path) : 0;
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    order = order ? order : strcmp(a->name ? a->name : "", b->name ? b->name : "");
    return order ? order : (a->site->offset > b->site->offset) - (a->site->offset < b->site->offset);
}

static bool recording_site_is_shown(const struct site_table *t, const char *path, const char *brief)
{
    for (size_t i = 0; i < t->sites; i++)
        if (t->site[i].path && strcmp(t->site[i].path, path) != 0 && strcmp(ncs_path_short(t->site[i].path), brief) == 0)
            return true;
    return false;
}

/* The place's name without its line. */
static void show_site(const struct site_table *t, const struct named_site *s, struct ncs_str *out)
{
    const char *brief = s->path ? ncs_path_short(s->path) : NULL;
    if (brief)
        ncs_safe_name(out, recording_site_is_shown(t, s->path, brief) ? s->path : brief);
    else
        ncs_str_add(out, s->name);
}

static void add_place(struct recording *r, const struct site_table *t, struct named_site *s)
{
    struct ncs_trace *trace = r->record->trace;
    struct ncs_str name = { 0 }, shown = { 0 };
    show_site(t, s, &shown);
    ncs_str_add(&name, shown.text);
    if (s->path)
        ncs_str_addf(&name, ":%d%s", s->line, s->site->line && s->site->offset ? " (in another thread)" : "");
    uint64_t key = ncs_hash_bytes(1, name.text, name.bytes);
    s->place = ncs_map_number(&r->record->places, key);
    if (!s->place) {
        NCS_PUSH(trace->place, trace->places, trace->place_room, ncs_str_take(&name));
        s->place = trace->places;
        ncs_map_put_number(&r->record->places, key, s->place);
        if (s->path && !s->is_old)
            ncs_trace_set_source(trace, s->place - 1, shown.text, s->path, s->line);
    }
    ncs_str_free(&name);
    ncs_str_free(&shown);
}

static void collect_sites(struct site_table *t, const struct recorded_file *f)
{
    for (int i = 0; i < f->sites; i++) {
        const struct ncs_recording_site *site = &f->site[i];
        uint64_t key = key_of_site(site);
        if ((!site->line && is_of_binding(file_of(site->module))) || ncs_map_number(&t->by_key, key))
            continue;
        struct named_site s = { .site = site, .opened = f->head.opened.real };
        NCS_PUSH(t->site, t->sites, t->room, s);
        ncs_map_put_number(&t->by_key, key, t->sites);
    }
}

static bool is_named(const struct recorded_file *f)
{
    return !f->left_out && !f->implied;
}

void ncs_recorded_name_sites(struct recording *r)
{
    struct site_table t = { 0 };
    for (size_t i = 0; i < r->files; i++)
        if (is_named(&r->file[i]))
            collect_sites(&t, &r->file[i]);
    find_names(&t);
    if (t.sites) /* places have the order of lines, as in a program */
        qsort(t.site, t.sites, sizeof *t.site, compare_places);
    for (size_t i = 0; i < t.sites; i++) {
        add_place(r, &t, &t.site[i]);
        ncs_map_put_number(&t.by_key, key_of_site(t.site[i].site), i + 1);
    }
    for (size_t i = 0; i < r->files; i++)
        for (int k = 0; k < r->file[i].sites && is_named(&r->file[i]); k++) {
            size_t at = ncs_map_number(&t.by_key, key_of_site(&r->file[i].site[k]));
            r->file[i].line[k] = at ? NCS_TRACE_LINES + (int)t.site[at - 1].place - 1 : 0;
        }
    for (size_t i = 0; i < t.sites; i++) {
        ncs_free(t.site[i].path);
        ncs_free(t.site[i].name);
    }
    if (ncs_elf_note_failure(0))
        ncs_record_note(r->record, NCS_ELF_SHORT);
    if (t.refused)
        ncs_record_note(r->record,
                        "lines are not read from %s and the like, which the recording names: they are outside of the "
                        "working directory (--sources FOLDER)",
                        t.refused);
    ncs_free(t.refused);
    ncs_free(t.site);
    ncs_map_free(&t.by_key);
}

int ncs_recorded_line(const struct recorded_file *f, int site)
{
    return site < 1 || site > f->sites ? 0 : f->line[site - 1];
}
