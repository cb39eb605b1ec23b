#include "script/heap.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/mem.h"
#include "base/sanitizer.h"

struct ncs_heap_block {
    struct ncs_heap_block *next, *prev;
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

/* Bytes that count as one instruction when a block is moved; blocks below CHARGED_BYTES
 * are not charged. */
#define BYTES_OF_INSTRUCTION 16
#define CHARGED_BYTES ((size_t)64 << 10)

/* From so many charged instructions on, the hook runs before the next instruction instead of when
 * it is due. */
#define HURRY 1000000

/* Charged between two instructions of Lua: seconds of a processor. */
#define ALONE_MOST 500000000

/* A block counts in the budget as if it were an allocation of its own. */
static size_t counted(size_t bytes)
{
    enum { BESIDE = 32 };
    return bytes ? BESIDE + bytes : 0;
}

static bool heap_take(const struct ncs_heap *h, size_t old, size_t bytes)
{
    size_t more = counted(bytes) > counted(old) ? counted(bytes) - counted(old) : 0;
    if (bytes > NCS_BUDGET_NONE / 2)
        return false;
    if (h->refuses)
        return ncs_budget_take(more);
    ncs_budget_count(more);
    return true;
}

/* ---- small blocks ---- */

/* A state consists mostly of small blocks, thousands for each rank, so these share chunks. Under
 * AddressSanitizer each is an allocation of its own, so that a use after free is found. */
enum { GRAIN = 16, SMALL = NCS_ASAN ? 0 : NCS_HEAP_SIZES * GRAIN, CHUNK_BYTES = 16 << 10 };

struct ncs_heap_chunk {
    _Alignas(GRAIN) struct ncs_heap_chunk *next; /* the rest is a row of grains */
};

static bool is_small(size_t bytes)
{
    return bytes > 0 && bytes <= SMALL;
}

static size_t size_class(size_t bytes)
{
    return (bytes - 1) / GRAIN;
}

static void give_small(struct ncs_heap *h, void *block, size_t bytes)
{
    memcpy(block, &h->spare[size_class(bytes)], sizeof(void *));
    h->spare[size_class(bytes)] = block;
}

static bool add_chunk(struct ncs_heap *h)
{
    struct ncs_heap_chunk *c = malloc(CHUNK_BYTES);
    if (!c)
        return false;
    if (h->left)
        give_small(h, h->fresh, h->left); /* less than a small block, and a multiple of the grain */
    c->next = h->chunks;
    h->chunks = c;
    h->gathers = false; /* the arena is full */
    h->fresh = (char *)(c + 1);
    h->left = CHUNK_BYTES - sizeof *c;
    return true;
}

static void *take_small(struct ncs_heap *h, size_t bytes)
{
    size_t room = (size_class(bytes) + 1) * GRAIN;
    void *block = h->spare[size_class(bytes)];
    if (block) {
        memcpy(&h->spare[size_class(bytes)], block, sizeof(void *));
        return block;
    }
    if (h->left < room && !add_chunk(h))
        return NULL;
    block = h->fresh;
    h->fresh += room;
    h->left -= room;
    return block;
}

/* ---- large ones ---- */

static bool in_arena(const struct ncs_heap *h, const void *block)
{
    return (uintptr_t)block - (uintptr_t)h->arena < h->arena_bytes;
}

static size_t grains(size_t bytes)
{
    return (bytes + GRAIN - 1) / GRAIN * GRAIN;
}

static void give_large(struct ncs_heap *h, void *block, size_t bytes)
{
    if (in_arena(h, block)) { /* becomes small blocks */
        for (size_t at = 0, rest = grains(bytes), part; rest; at += part, rest -= part) {
            part = rest < SMALL ? rest : SMALL;
            give_small(h, (char *)block + at, part);
        }
        return;
    }
    struct ncs_heap_block *b = (struct ncs_heap_block *)block - 1;
    unlink_block(h, b);
    free(b);
}

/* Returns a block of so many bytes that replaces this one, which may be NULL and is none of an arena. */
static void *take_large(struct ncs_heap *h, void *block, size_t bytes)
{
    if (h->gathers && !block && h->left >= grains(bytes)) {
        block = h->fresh;
        h->fresh += grains(bytes);
        h->left -= grains(bytes);
        return block;
    }
    h->gathers = false; /* the arena is full: a block of its own has no room behind its bytes */
    struct ncs_heap_block *b = block ? (struct ncs_heap_block *)block - 1 : NULL;
    if (b)
        unlink_block(h, b);
    struct ncs_heap_block *grown = realloc(b, sizeof *b + bytes);
    if (grown || b)
        link_block(h, grown ? grown : b);
    return grown ? grown + 1 : NULL;
}

/* ---- both ---- */

static void give(struct ncs_heap *h, void *block, size_t bytes)
{
    if (is_small(bytes))
        give_small(h, block, bytes);
    else
        give_large(h, block, bytes);
}

/* A block of so many bytes with the contents of the old one. */
static void *move(struct ncs_heap *h, void *block, size_t old, size_t bytes)
{
    if (is_small(old) && is_small(bytes) && size_class(old) == size_class(bytes))
        return block;
    if (!is_small(old) && !is_small(bytes) && !in_arena(h, block))
        return take_large(h, block, bytes);
    void *own = is_small(bytes) ? take_small(h, bytes) : take_large(h, NULL, bytes);
    if (!own)
        return NULL;
    if (block) {
        memcpy(own, block, old < bytes ? old : bytes);
        give(h, block, old);
    }
    return own;
}

/* Lua passes the old size of a block; for a new block, `old` is its type. */
static void *heap_alloc(void *heap, void *block, size_t old, size_t bytes)
{
    struct ncs_heap *h = heap;
    size_t had = block ? old : 0;
    if (bytes == 0) {
        if (block)
            give(h, block, had);
        ncs_budget_give(counted(had));
        h->held -= counted(had);
        return NULL;
    }
    if (bytes >= CHARGED_BYTES)
        h->charged += bytes / BYTES_OF_INSTRUCTION;
    if (!heap_take(h, had, bytes))
        return NULL;
    void *own = move(h, block, had, bytes);
    if (h->gathers && own && bytes > had) /* no remains of addresses in words that Lua writes in part */
        memset((char *)own + had, 0, grains(bytes) - had);
    size_t more = counted(bytes) > counted(had) ? counted(bytes) - counted(had) : 0;
    size_t less = counted(bytes) < counted(had) ? counted(had) - counted(bytes) : 0;
    ncs_budget_give(own ? less : more);
    h->held += own ? counted(bytes) - counted(had) : 0;
    return own;
}

void ncs_heap_free(struct ncs_heap *h)
{
    for (struct ncs_heap_block *b = h->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    for (struct ncs_heap_chunk *c = h->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    ncs_budget_give(h->held);
    *h = (struct ncs_heap){ .refuses = h->refuses, .charged = h->charged };
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
    if (h->charged <= HURRY || !lua_gethook(L))
        return;
    lua_sethook(L, lua_gethook(L), LUA_MASKCOUNT, 1);
    if (h->charged > ALONE_MOST) /* functions of C may call each other by metatables, and no instruction comes between */
        luaL_error(L, "a call of Lua's library goes through more than %d elements", ALONE_MOST);
}

uint64_t ncs_heap_charged(struct ncs_heap *h)
{
    uint64_t charged = h->charged;
    h->charged = 0;
    return charged;
}

/* Lua calls this for an error outside any protected call. Our code raises none there, so the host
 * is out of memory. */
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

/* ---- models and copies ---- */

/* For the first objects of a copy, which need no chunk then. */
enum { COPY_ROOM = 4 << 10 };

/* Addresses move by multiples of this: Lua may write a tag, one byte, over the lowest byte of an address that is over
 * (UpVal of Lua 5.4, lobject.h), and the tag must stay as it is. */
enum { ALIGNED = 256 };

static void *new_arena(size_t bytes)
{
    return aligned_alloc(ALIGNED, (bytes + ALIGNED - 1) / ALIGNED * ALIGNED);
}

lua_State *ncs_heap_model_state(struct ncs_heap_model *m, size_t bytes)
{
    struct ncs_heap_chunk *c = SMALL ? new_arena(bytes) : NULL;
    if (!c)
        return NULL;
    m->heap = (struct ncs_heap){ .chunks = c, .arena = (char *)c, .arena_bytes = bytes, .gathers = true };
    memset(c, 0, bytes);
    m->heap.fresh = (char *)(c + 1);
    m->heap.left = bytes - sizeof *c;
    return m->L = ncs_heap_state(&m->heap);
}

bool ncs_heap_model_finish(struct ncs_heap_model *m)
{
    struct ncs_heap *h = &m->heap;
    lua_gc(m->L, LUA_GCRESTART);
    lua_gc(m->L, LUA_GCCOLLECT); /* the copies collect when they have grown to twice the size */
    h->gathers = false;
    if (h->blocks || h->chunks->next)
        return false;
    h->arena_bytes = (size_t)(h->fresh - h->arena);
    size_t count = h->arena_bytes / sizeof(uintptr_t);
    m->word = ncs_new(count * sizeof *m->word);
    for (size_t i = 0; i < count; i++)
        if (((uintptr_t *)h->arena)[i] - (uintptr_t)h->arena <= h->arena_bytes) /* its end is an address too */
            m->word[m->words++] = (uint32_t)i;
    return true;
}

void ncs_heap_model_free(struct ncs_heap_model *m)
{
    ncs_heap_free(&m->heap);
    ncs_free(m->word);
    *m = (struct ncs_heap_model){ 0 };
}

lua_State *ncs_heap_copy(struct ncs_heap *h, const struct ncs_heap_model *m)
{
    char *arena = new_arena(m->heap.arena_bytes + COPY_ROOM);
    if (!arena)
        return NULL;
    memcpy(arena, m->heap.arena, m->heap.arena_bytes);
    uintptr_t by = (uintptr_t)arena - (uintptr_t)m->heap.arena;
    for (size_t i = 0; i < m->words; i++)
        ((uintptr_t *)arena)[m->word[i]] += by;
    *h = m->heap;
    for (int i = 0; i < NCS_HEAP_SIZES; i++)
        if (h->spare[i])
            h->spare[i] = arena + ((char *)h->spare[i] - m->heap.arena);
    h->arena = h->fresh = arena;
    h->chunks = (struct ncs_heap_chunk *)arena;
    h->fresh += h->arena_bytes;
    h->left = COPY_ROOM;
    ncs_budget_count(h->held);
    lua_State *L = (lua_State *)(arena + ((char *)m->L - m->heap.arena));
    lua_setallocf(L, heap_alloc, h);
    return L;
}
