#include "base/map.h"

#include <stdbool.h>

#include "base/hash.h"
#include "base/mem.h"

/* value is NULL in a slot that never held one, and &erased where one was removed: a search passes
 * over the latter and ends at the former. */
struct ncs_map_slot {
    uint64_t key;
    void *value;
};

static char erased;

static bool is_live(const struct ncs_map_slot *slot)
{
    return slot->value && slot->value != &erased;
}

/* The slot of the key, or NULL. */
static struct ncs_map_slot *find(const struct ncs_map *m, uint64_t key)
{
    if (m->room == 0)
        return NULL;
    size_t mask = m->room - 1;
    for (size_t i = ncs_mix(key) & mask;; i = (i + 1) & mask) {
        struct ncs_map_slot *slot = &m->slots[i];
        if (!slot->value)
            return NULL;
        if (slot->key == key && slot->value != &erased)
            return slot;
    }
}

/* Into the first slot that holds nothing; the key is not in the map and a slot is free. */
static void insert(struct ncs_map *m, uint64_t key, void *value)
{
    size_t mask = m->room - 1, i = ncs_mix(key) & mask;
    while (is_live(&m->slots[i]))
        i = (i + 1) & mask;
    if (!m->slots[i].value)
        m->used++;
    m->slots[i] = (struct ncs_map_slot){ key, value };
    m->count++;
}

/* A table with room for one more at no more than half full, and without erased slots. */
static void rebuild(struct ncs_map *m)
{
    size_t room = 16;
    while (room < 2 * (m->count + 1))
        room *= 2;
    struct ncs_map old = *m;
    *m = (struct ncs_map){ .slots = ncs_new(room * sizeof *m->slots), .room = room };
    for (size_t i = 0; i < old.room; i++)
        if (is_live(&old.slots[i]))
            insert(m, old.slots[i].key, old.slots[i].value);
    ncs_free(old.slots);
}

void *ncs_map_get(const struct ncs_map *m, uint64_t key)
{
    const struct ncs_map_slot *slot = find(m, key);
    return slot ? slot->value : NULL;
}

void ncs_map_put(struct ncs_map *m, uint64_t key, void *value)
{
    struct ncs_map_slot *slot = find(m, key);
    if (slot) {
        slot->value = value;
        return;
    }
    if (4 * (m->used + 1) > 3 * m->room)
        rebuild(m);
    insert(m, key, value);
}

void *ncs_map_remove(struct ncs_map *m, uint64_t key)
{
    struct ncs_map_slot *slot = find(m, key);
    if (!slot)
        return NULL;
    void *value = slot->value;
    slot->value = &erased;
    m->count--;
    return value;
}

void ncs_map_free(struct ncs_map *m)
{
    ncs_free(m->slots);
    *m = (struct ncs_map){ 0 };
}

void ncs_map_each(const struct ncs_map *m, void (*visit)(void *value, void *arg), void *arg)
{
    for (size_t i = 0; i < m->room; i++)
        if (is_live(&m->slots[i]))
            visit(m->slots[i].value, arg);
}
