#include "base/sorted.h"

#include <string.h>

#include "base/mem.h"

#define PAGE_MOST 128 /* entries; a page that is full is halved */

struct sorted_entry {
    uint64_t key;
    void *value;
};

struct ncs_sorted_page {
    struct sorted_entry *entry;
    size_t used, room;
};

/* Where a key is, or would be: a page, and in it the index of the first entry beyond the key. */
struct sorted_place {
    size_t page, entry;
};

static inline struct sorted_place sorted_find(const struct ncs_sorted *s, uint64_t key)
{
    struct sorted_place at = { 0 };
    if (s->pages == 0)
        return at;
    for (size_t left = s->pages, half; (half = left / 2) > 0; left -= half)
        at.page += s->page[at.page + half].entry[0].key <= key ? half : 0;
    const struct ncs_sorted_page *p = &s->page[at.page];
    const struct sorted_entry *e = p->entry; /* NULL in a first page that has just been opened */
    if (!e || e->key > key)
        return at;
    for (size_t left = p->used, half; (half = left / 2) > 0; left -= half)
        e += e[half].key <= key ? half : 0;
    at.entry = (size_t)(e - p->entry) + 1;
    return at;
}

static struct ncs_sorted_page *open_page(struct ncs_sorted *s, size_t at)
{
    s->page = ncs_grown(s->page, &s->room, s->pages + 1, sizeof *s->page);
    memmove(s->page + at + 1, s->page + at, (s->pages++ - at) * sizeof *s->page);
    s->page[at] = (struct ncs_sorted_page){ 0 };
    return &s->page[at];
}

/* Moves the upper half of a page to a new one. */
static void halve(struct ncs_sorted *s, size_t page)
{
    struct ncs_sorted_page *upper = open_page(s, page + 1), *lower = upper - 1;
    lower->used = PAGE_MOST / 2;
    upper->used = PAGE_MOST - lower->used;
    upper->entry = ncs_grown(NULL, &upper->room, upper->used, sizeof *upper->entry);
    memcpy(upper->entry, lower->entry + lower->used, upper->used * sizeof *upper->entry);
}

void ncs_sorted_put(struct ncs_sorted *s, uint64_t key, void *value)
{
    if (s->pages == 0)
        open_page(s, 0);
    struct sorted_place at = sorted_find(s, key);
    if (s->page[at.page].used == PAGE_MOST) {
        halve(s, at.page);
        at = sorted_find(s, key);
    }
    struct ncs_sorted_page *p = &s->page[at.page];
    p->entry = ncs_grown(p->entry, &p->room, p->used + 1, sizeof *p->entry);
    memmove(p->entry + at.entry + 1, p->entry + at.entry, (p->used++ - at.entry) * sizeof *p->entry);
    p->entry[at.entry] = (struct sorted_entry){ key, value };
}

void *ncs_sorted_remove(struct ncs_sorted *s, uint64_t key)
{
    struct sorted_place at = sorted_find(s, key);
    if (at.entry == 0 || s->page[at.page].entry[at.entry - 1].key != key)
        return NULL;
    struct ncs_sorted_page *p = &s->page[at.page];
    void *value = p->entry[at.entry - 1].value;
    memmove(p->entry + at.entry - 1, p->entry + at.entry, (p->used-- - at.entry) * sizeof *p->entry);
    if (p->used == 0) {
        ncs_free(p->entry);
        memmove(p, p + 1, (--s->pages - at.page) * sizeof *p);
    }
    return value;
}

void *ncs_sorted_at(const struct ncs_sorted *s, uint64_t key)
{
    struct sorted_place at = sorted_find(s, key);
    return at.entry ? s->page[at.page].entry[at.entry - 1].value : NULL;
}

void *ncs_sorted_beyond(const struct ncs_sorted *s, uint64_t key)
{
    struct sorted_place at = sorted_find(s, key);
    if (at.page < s->pages && at.entry == s->page[at.page].used)
        at = (struct sorted_place){ at.page + 1, 0 };
    return at.page < s->pages ? s->page[at.page].entry[at.entry].value : NULL;
}

void ncs_sorted_free(struct ncs_sorted *s)
{
    NCS_FREE_EACH(s->page, s->pages, entry);
    *s = (struct ncs_sorted){ 0 };
}
