/* Memory that is freed all at once. Aligned for any node; not zeroed. */
#ifndef NCS_BASE_ARENA_H
#define NCS_BASE_ARENA_H

#include <stddef.h>

struct ncs_arena {
    struct ncs_arena_chunk *last;
    char *next;
    size_t left;
};

void *ncs_arena_take(struct ncs_arena *a, size_t bytes);
void ncs_arena_free(struct ncs_arena *a);

#endif
