#include "notation/yaml/names.h"

#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct ncs_name_slot {
    const char *text; /* NULL = free */
    size_t bytes;
    uint64_t hash;
    size_t number;
};

void ncs_names_clear(struct ncs_names *n, size_t count)
{
    size_t need = 32;
    while (need < 2 * count)
        need *= 2;
    n->slot = ncs_grown(n->slot, &n->room, need, sizeof *n->slot);
    memset(n->slot, 0, need * sizeof *n->slot);
    n->mask = need - 1;
    n->count = 0;
}

/* The slot of a text, or the free slot for it. */
static struct ncs_name_slot *seek(const struct ncs_names *n, const char *text, size_t bytes, uint64_t hash)
{
    for (size_t i = hash & n->mask;; i = (i + 1) & n->mask) {
        struct ncs_name_slot *slot = &n->slot[i];
        if (!slot->text || (slot->hash == hash && slot->bytes == bytes && memcmp(slot->text, text, bytes) == 0))
            return slot;
    }
}

static void widen(struct ncs_names *n)
{
    struct ncs_names wide = { 0 };
    ncs_names_clear(&wide, n->mask + 1);
    for (size_t i = 0; i <= n->mask; i++)
        if (n->slot[i].text)
            *seek(&wide, n->slot[i].text, n->slot[i].bytes, n->slot[i].hash) = n->slot[i];
    wide.count = n->count;
    ncs_names_free(n);
    *n = wide;
}

size_t *ncs_names_find(const struct ncs_names *n, const char *text, size_t bytes)
{
    if (n->count == 0)
        return NULL;
    struct ncs_name_slot *slot = seek(n, text, bytes, ncs_hash_bytes(0, text, bytes));
    return slot->text ? &slot->number : NULL;
}

size_t *ncs_names_put(struct ncs_names *n, const char *text, size_t bytes, size_t number)
{
    if (!n->slot)
        ncs_names_clear(n, 0);
    else if (2 * n->count > n->mask)
        widen(n);
    uint64_t hash = ncs_hash_bytes(0, text, bytes);
    struct ncs_name_slot *slot = seek(n, text, bytes, hash);
    if (!slot->text) {
        *slot = (struct ncs_name_slot){ text, bytes, hash, number };
        n->count++;
    }
    return &slot->number;
}

void ncs_names_free(struct ncs_names *n)
{
    ncs_free(n->slot);
    *n = (struct ncs_names){ 0 };
}
