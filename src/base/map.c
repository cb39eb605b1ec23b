#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

/* value is 0 in a free slot. No slot between a key's home and its actual slot is free, so a search ends
 * at the first free one. */
struct ncs_map_slot {
    uint64_t key;
    uint64_t value; /* a number, or a pointer */
};

static void *map_pointer(uint64_t value)
{
    return (void *)(uintptr_t)value;
}

static size_t home(const struct ncs_map *m, uint64_t key)
{
    return ncs_mix(key) & (m->room - 1);
}

static size_t map_after(const struct ncs_map *m, size_t i)
{
    return (i + 1) & (m->room - 1);
}

/* The slot of the key, or NULL. */
static struct ncs_map_slot *map_find(const struct ncs_map *m, uint64_t key)
{
    if (m->room == 0)
        return NULL;
    for (size_t i = home(m, key);; i = map_after(m, i)) {
        struct ncs_map_slot *slot = &m->slots[i];
        if (!slot->value)
            return NULL;
        if (slot->key == key)
            return slot;
    }
}

/* Inserts into the first free slot; the key must be absent and a slot free. */
static void map_insert(struct ncs_map *m, uint64_t key, uint64_t value)
{
    size_t i = home(m, key);
    while (m->slots[i].value)
        i = map_after(m, i);
    m->slots[i] = (struct ncs_map_slot){ key, value };
    m->count++;
}

static void map_widen(struct ncs_map *m)
{
    struct ncs_map old = *m;
    size_t room = old.room ? 2 * old.room : 16;
    *m = (struct ncs_map){ .slots = ncs_new(room * sizeof *m->slots), .room = room };
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i].value)
            map_insert(m, old.slots[i].key, old.slots[i].value);
    ncs_free(old.slots);
}

uint64_t ncs_map_number(const struct ncs_map *m, uint64_t key)
{
    const struct ncs_map_slot *slot = map_find(m, key);
    return slot ? slot->value : 0;
}

void *ncs_map_get(const struct ncs_map *m, uint64_t key)
{
    return map_pointer(ncs_map_number(m, key));
}

/* Moves later entries into the gap, except those that would then stand before their home. */
static void close_gap(struct ncs_map *m, size_t gap)
{
    size_t mask = m->room - 1;
    for (size_t i = map_after(m, gap); m->slots[i].value; i = map_after(m, i)) {
        size_t wanted = home(m, m->slots[i].key);
        if (((i - wanted) & mask) < ((i - gap) & mask))
            continue;
        m->slots[gap] = m->slots[i];
        gap = i;
    }
    m->slots[gap].value = 0;
}

void *ncs_map_remove(struct ncs_map *m, uint64_t key)
{
    struct ncs_map_slot *slot = map_find(m, key);
    if (!slot)
        return NULL;
    void *value = map_pointer(slot->value);
    close_gap(m, (size_t)(slot - m->slots));
    m->count--;
    return value;
}

void ncs_map_put_number(struct ncs_map *m, uint64_t key, uint64_t value)
{
    struct ncs_map_slot *slot = map_find(m, key);
    if (!value) {
        ncs_map_remove(m, key);
        return;
    }
    if (slot) {
        slot->value = value;
        return;
    }
    if (4 * (m->count + 1) > 3 * m->room)
        map_widen(m);
    map_insert(m, key, value);
}

void ncs_map_put(struct ncs_map *m, uint64_t key, void *value)
{
    ncs_map_put_number(m, key, (uintptr_t)value);
}

void ncs_map_free(struct ncs_map *m)
{
    ncs_free(m->slots);
    *m = (struct ncs_map){ 0 };
}

void ncs_map_each(const struct ncs_map *m, void (*visit)(void *value, void *arg), void *arg)
{
    for (size_t i = 0; i < m->room; i++)
        if (m->slots[i].value)
            visit(map_pointer(m->slots[i].value), arg);
}
