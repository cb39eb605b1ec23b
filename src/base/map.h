/* A map from a 64-bit key (a pointer, a number) to a pointer or to a number of 64 bits. Open addressing; the iteration order is
 * undefined, so nothing that reaches a report may depend on it. */
#ifndef NCS_BASE_MAP_H
#define NCS_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct ncs_map {
    struct ncs_map_slot *slots;
    size_t room, count;
};

void *ncs_map_get(const struct ncs_map *m, uint64_t key);       /* NULL = absent */
void ncs_map_put(struct ncs_map *m, uint64_t key, void *value); /* replaces; NULL removes */
void *ncs_map_remove(struct ncs_map *m, uint64_t key);          /* the removed value, or NULL */
void ncs_map_free(struct ncs_map *m);                           /* the map, not the values */

/* Calls visit for every value, in no defined order; visit must not change the map. */
void ncs_map_each(const struct ncs_map *m, void (*visit)(void *value, void *arg), void *arg);

/* Maps whose values are numbers: 0 = absent. */
uint64_t ncs_map_number(const struct ncs_map *m, uint64_t key);
void ncs_map_put_number(struct ncs_map *m, uint64_t key, uint64_t number); /* 0 removes the key */

static inline uint64_t ncs_map_key(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#endif
