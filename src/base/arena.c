#include "base/arena.h"

#include <stdint.h>

#include "base/mem.h"

/* Chunks grow, so that a small file takes little memory and a large one few allocations. */
enum { FIRST = 4096, LARGEST = 1 << 18 };

struct ncs_arena_chunk {
    struct ncs_arena_chunk *before;
    size_t bytes;
    uint64_t data[];
};

static void add_chunk(struct ncs_arena *a, size_t bytes)
{
    size_t room = a->last ? a->last->bytes * 2 : FIRST;
    if (room > LARGEST)
        room = LARGEST;
    if (room < bytes)
        room = bytes;
    struct ncs_arena_chunk *chunk = ncs_resize(NULL, sizeof *chunk + room);
    chunk->before = a->last;
    chunk->bytes = room < LARGEST ? room : LARGEST;
    a->last = chunk;
    a->next = (char *)chunk->data;
    a->left = room;
}

void *ncs_arena_take(struct ncs_arena *a, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (bytes > a->left)
        add_chunk(a, bytes);
    void *taken = a->next;
    a->next += bytes;
    a->left -= bytes;
    return taken;
}

void ncs_arena_free(struct ncs_arena *a)
{
    while (a->last) {
        struct ncs_arena_chunk *chunk = a->last;
        a->last = chunk->before;
        ncs_free(chunk);
    }
    *a = (struct ncs_arena){ 0 };
}
