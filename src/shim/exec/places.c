#define _GNU_SOURCE /* dladdr1 */
#include "shim/exec/places.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dwarf.h"
#include "base/elf.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/safe.h"
#include "shim/exec/site.h"

/* Places have numbers above those of all sites. */
#define PLACES_FIRST (NCS_SITE_FIRST + 10 * NCS_SITES_MOST)

struct place {
    char *path; /* of the source, absolute; NULL = no line is known */
    int line;
    const void *address; /* else */
    const char *module;  /* the file of another process whose symbols have the address; NULL = this process's */
    char *own_name;      /* as the program named it, without a line */
    bool is_old;         /* the source is newer than the program */
    bool elsewhere;      /* another thread makes the calls (NCS_SITE_ELSEWHERE) */
    char *shown;         /* "train.c" */
    char *name;          /* "train.c:66" */
};

static struct place *place;
static size_t places;
static size_t *place_of; /* by site, from 1: an index + 1; 0 = it was found later */
static size_t settled;   /* sites */

/* ---- finding lines ---- */

/* True if the file was changed after this time; false if that cannot be seen. */
static bool is_newer(const char *path, struct timespec time)
{
    struct stat st;
    return stat(path, &st) == 0 &&
           (st.st_mtim.tv_sec > time.tv_sec || (st.st_mtim.tv_sec == time.tv_sec && st.st_mtim.tv_nsec > time.tv_nsec));
}

/* When the code at the address was compiled. */
static struct timespec code_time(const char *module, const void *address)
{
    Dl_info info = { 0 };
    struct link_map *map = NULL;
    struct stat st = { 0 };
    if (module)
        stat(module, &st);
    else if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && info.dli_fname)
        stat(map && !map->l_prev ? "/proc/self/exe" : info.dli_fname, &st);
    return st.st_mtim;
}

/* Takes the path. */
static struct place place_at_line(char *path, int line, struct timespec made)
{
    struct place p = { .path = path, .line = line };
    p.is_old = is_newer(p.path, made);
    return p;
}

static struct place find_place(void *code, const struct ncs_site *s)
{
    struct ncs_dwarf_line at;
    if (!s->address && s->file && s->line > 0) {
        struct place p = place_at_line(ncs_copy_text(s->path), s->line, (struct timespec){ .tv_sec = ncs_site_begin() + 1 });
        p.elsewhere = s->function && strcmp(s->function, NCS_SITE_ELSEWHERE) == 0;
        return p;
    }
    if (!s->address)
        return (struct place){ .own_name = ncs_copy_text(s->function ? s->function : s->file) };
    void *file = s->module ? ncs_dwarf_open_file(s->module, -1) : NULL;
    bool found = ncs_dwarf_find(s->module ? file : code, (uint64_t)(uintptr_t)s->address, &at);
    ncs_dwarf_close(file);
    if (!found)
        return (struct place){ .address = s->address, .module = s->module };
    struct place p = place_at_line(ncs_path_absolute(at.file), at.line, code_time(s->module, s->address));
    ncs_free(at.file);
    return p;
}

/* ---- order ---- */

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : !!a - !!b;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = compare_texts(x->path, y->path);
    order = order ? order : (x->line > y->line) - (x->line < y->line);
    order = order ? order : x->elsewhere - y->elsewhere;
    order = order ? order : compare_texts(x->own_name, y->own_name);
    order = order ? order : compare_texts(x->module, y->module);
    return order ? order : ((uintptr_t)x->address > (uintptr_t)y->address) - ((uintptr_t)x->address < (uintptr_t)y->address);
}

static void free_place(struct place *p)
{
    ncs_free(p->path);
    ncs_free(p->own_name);
}

/* Sorts the places, each once. Places in one file share its path. */
static void sort_places(void)
{
    size_t kept = 0;
    if (places > 1)
        qsort(place, places, sizeof *place, compare_places);
    for (size_t i = 0; i < places; i++) {
        if (kept && compare_places(&place[kept - 1], &place[i]) == 0) {
            free_place(&place[i]);
            continue;
        }
        struct place p = place[i];
        if (kept && p.path && compare_texts(place[kept - 1].path, p.path) == 0) {
            ncs_free(p.path);
            p.path = place[kept - 1].path;
        }
        place[kept++] = p;
    }
    places = kept;
}

/* ---- names ---- */

static bool is_shown_elsewhere(size_t i, const char *shown)
{
    for (size_t k = 0; k < places; k++)
        if (place[k].path && place[k].path != place[i].path && strcmp(ncs_path_short(place[k].path), shown) == 0)
            return true;
    return false;
}

static void name_place(size_t i)
{
    struct place *p = &place[i];
    struct ncs_str name = { 0 };
    if (!p->path) {
        char *symbol = p->own_name ? NULL : ncs_symbol_name(p->module, (void *)p->address);
        ncs_safe_name(&name, symbol ? symbol : p->own_name);
        ncs_free(symbol);
    } else if (i && place[i - 1].path == p->path) {
        p->shown = place[i - 1].shown;
    } else {
        const char *brief = ncs_path_short(p->path);
        ncs_safe_name(&name, is_shown_elsewhere(i, brief) ? p->path : brief);
        p->shown = ncs_str_take(&name);
    }
    if (p->path)
        ncs_str_addf(&name, "%s:%d%s", p->shown, p->line, p->elsewhere ? " " NCS_SITE_ELSEWHERE : "");
    p->name = ncs_str_take(&name);
}

/* ---- the journal ---- */

struct ncs_place ncs_places_settled(struct ncs_place old)
{
    int site = old.line - NCS_SITE_FIRST;
    if (old.line <= NCS_SITE_FIRST || (size_t)site > settled)
        return old;
    size_t i = place_of[site] - 1;
    return (struct ncs_place){ .file = place[i].path ? place[i].path : old.file, .line = PLACES_FIRST + (int)i };
}

/* Notes which site each place belongs to, then sorts the places. */
static void settle_sites(void)
{
    size_t room = 0;
    settled = ncs_site_count();
    place_of = ncs_new((settled + 1) * sizeof *place_of);
    struct place *found = ncs_new((settled + 1) * sizeof *found);
    void *code = ncs_dwarf_open_process();
    for (size_t i = 1; i <= settled; i++) {
        found[i] = find_place(code, ncs_site_at((int)i));
        struct place copy = found[i];
        copy.path = ncs_copy_text(copy.path);
        copy.own_name = ncs_copy_text(copy.own_name);
        NCS_PUSH(place, places, room, copy);
    }
    ncs_dwarf_close(code);
    sort_places();
    for (size_t i = 1; i <= settled; i++) {
        const struct place *p = bsearch(&found[i], place, places, sizeof *place, compare_places);
        place_of[i] = (size_t)(p - place) + 1;
        free_place(&found[i]);
    }
    ncs_free(found);
    for (size_t i = 0; i < places; i++)
        name_place(i);
}

void ncs_places_settle(struct ncs_journal *journal, struct ncs_snapshot *snapshot)
{
    if (!place_of)
        settle_sites();
    for (struct ncs_call *c = journal->oldest; c; c = c->newer)
        c->place = ncs_places_settled(c->place);
    for (size_t i = 0; i < snapshot->contexts; i++)
        snapshot->context[i].place = ncs_places_settled(snapshot->context[i].place);
}

/* ---- for reports ---- */

/* The place that a number of the journal stands for, or one from before all was settled. */
static const struct place *place_with(long number)
{
    if (number > NCS_SITE_FIRST && (size_t)(number - NCS_SITE_FIRST) <= settled)
        return &place[place_of[number - NCS_SITE_FIRST] - 1];
    return number >= PLACES_FIRST && (size_t)(number - PLACES_FIRST) < places ? &place[number - PLACES_FIRST] : NULL;
}

static const char *places_name_of(void *arg, long number)
{
    (void)arg;
    const struct place *p = place_with(number);
    return p ? p->name : NULL;
}

static bool places_source_of(void *arg, long number, struct ncs_report_source *source)
{
    (void)arg;
    const struct place *p = place_with(number);
    if (!p || !p->path)
        return false;
    *source = (struct ncs_report_source){ .name = p->shown, .line = p->line, .path = p->is_old ? NULL : p->path };
    return true;
}

const struct ncs_report_places ncs_places = { .name = places_name_of, .source = places_source_of };

/* Names of sites before all are settled, by site. */
static const char *early_name(int site)
{
    static char **early;
    static size_t earlies;
    const struct ncs_site *s = ncs_site_at(site);
    if (!s)
        return NULL;
    if ((size_t)site >= earlies) {
        size_t wide = (size_t)site + 64;
        early = ncs_resize(early, wide * sizeof *early);
        memset(early + earlies, 0, (wide - earlies) * sizeof *early);
        earlies = wide;
    }
    if (early[site])
        return early[site];
    void *code = ncs_dwarf_open_process();
    struct place p = find_place(code, s);
    struct ncs_str name = { 0 };
    ncs_dwarf_close(code);
    char *symbol = p.path || p.own_name ? NULL : ncs_symbol_name(p.module, (void *)p.address);
    ncs_safe_name(&name, p.path ? ncs_path_short(p.path) : symbol ? symbol : p.own_name);
    if (p.path)
        ncs_str_addf(&name, ":%d%s", p.line, p.elsewhere ? " " NCS_SITE_ELSEWHERE : "");
    ncs_free(symbol);
    free_place(&p);
    return early[site] = ncs_str_take(&name);
}

const char *ncs_places_name(int line)
{
    const char *name = places_name_of(NULL, line);
    return name || place_of ? name : early_name(line - NCS_SITE_FIRST);
}

bool ncs_places_is(int line, const char *name)
{
    const char *own = ncs_places_name(line);
    return own && strcmp(own, name) == 0;
}

void ncs_places_add(struct ncs_str *out, int line)
{
    const char *name = ncs_places_name(line);
    if (name)
        ncs_str_addf(out, " at %s", name);
}

void ncs_places_note(struct ncs_str *notes)
{
    if (ncs_elf_note_failure(0))
        ncs_str_add(notes, "ncclscript: " NCS_ELF_SHORT "\n");
    for (size_t i = 0; i < places; i++)
        if (place[i].is_old && (i == 0 || place[i - 1].path != place[i].path))
            ncs_str_addf(notes, "ncclscript: %s is newer than the program: its lines may have moved\n", place[i].shown);
}
