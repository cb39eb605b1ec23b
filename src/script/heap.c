#include "script/heap.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/mem.h"

struct ncs_heap_block {
    struct ncs_heap_block *next, *prev;
    size_t bytes;
    size_t pad; /* keeps what follows aligned */
};

static void unlink_block(struct ncs_heap *h, struct ncs_heap_block *b)
{
    if (b->prev)
        b->prev->next = b->next;
    else
        h->blocks = b->next;
    if (b->next)
        b->next->prev = b->prev;
}

static void link_block(struct ncs_heap *h, struct ncs_heap_block *b)
{
    b->prev = NULL;
    b->next = h->blocks;
    if (h->blocks)
        h->blocks->prev = b;
    h->blocks = b;
}

static void free_block(struct ncs_heap *h, struct ncs_heap_block *b)
{
    ncs_budget_give(sizeof *b + b->bytes);
    unlink_block(h, b);
    free(b);
}

/* Bytes that are moved in the time of an instruction; smaller blocks are not worth it. */
#define BYTES_OF_INSTRUCTION 16
#define CHARGED_BYTES ((size_t)64 << 10)

/* So much is looked at before the next instruction, and not when the hook is due. */
#define HURRY 1000000

/* Room for so many bytes instead of those of b, which may be NULL. */
static struct ncs_heap_block *reallocate(struct ncs_heap *h, struct ncs_heap_block *b, size_t bytes)
{
    size_t had = b ? sizeof *b + b->bytes : 0, wanted = sizeof *b + bytes;
    size_t more = wanted > had ? wanted - had : 0;
    if (bytes > NCS_BUDGET_NONE / 2)
        return NULL;
    if (!h->refuses)
        ncs_budget_count(more);
    else if (!ncs_budget_take(more))
        return NULL;
    struct ncs_heap_block *grown = realloc(b, wanted);
    if (!grown)
        ncs_budget_give(more);
    else if (wanted < had)
        ncs_budget_give(had - wanted);
    return grown;
}

/* A lua_Alloc. */
static void *heap_alloc(void *heap, void *block, size_t old, size_t bytes)
{
    struct ncs_heap *h = heap;
    struct ncs_heap_block *b = block ? (struct ncs_heap_block *)block - 1 : NULL;
    (void)old;
    if (bytes == 0) {
        if (b)
            free_block(h, b);
        return NULL;
    }
    if (b)
        unlink_block(h, b);
    if (bytes >= CHARGED_BYTES)
        h->charged += bytes / BYTES_OF_INSTRUCTION;
    struct ncs_heap_block *grown = reallocate(h, b, bytes);
    if (grown) {
        grown->bytes = bytes;
        link_block(h, grown);
        return grown + 1;
    }
    if (b)
        link_block(h, b);
    return NULL;
}

void ncs_heap_free(struct ncs_heap *h)
{
    while (h->blocks)
        free_block(h, h->blocks);
}

bool ncs_heap_refuse(struct ncs_heap *h, bool refuses)
{
    bool before = h->refuses;
    h->refuses = refuses;
    return before;
}

void ncs_heap_charge(lua_State *L, uint64_t instructions)
{
    void *heap;
    lua_getallocf(L, &heap);
    struct ncs_heap *h = heap;
    h->charged += instructions;
    if (h->charged > HURRY && lua_gethook(L))
        lua_sethook(L, lua_gethook(L), LUA_MASKCOUNT, 1);
}

uint64_t ncs_heap_charged(struct ncs_heap *h)
{
    uint64_t charged = h->charged;
    h->charged = 0;
    return charged;
}

/* Lua calls this for an error outside of any protected call: no code of ours raises one there, but
 * for memory that the host does not have. */
static int panic(lua_State *L)
{
    (void)L;
    ncs_mem_no_more(0);
}

lua_State *ncs_heap_state(struct ncs_heap *h)
{
    lua_State *L = lua_newstate(heap_alloc, h);
    if (L)
        lua_atpanic(L, panic);
    return L;
}
