/* The memory of Lua states, taken from the one budget (base/budget.h). */
#ifndef NCS_SCRIPT_HEAP_H
#define NCS_SCRIPT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

enum { NCS_HEAP_SIZES = 16 }; /* sizes of small blocks: 16, 32 ... bytes */

/* The memory of one Lua state. A script's allocation is refused when the budget is used up, and Lua
 * raises "not enough memory". C code outside a protected call must not raise, so its allocations
 * are not refused. */
struct ncs_heap {
    struct ncs_heap_block *blocks; /* large ones; small ones lie in chunks, */
    struct ncs_heap_chunk *chunks; /* chunks, which are only freed all at once */
    void *spare[NCS_HEAP_SIZES];   /* free small blocks by size */
    char *fresh;                   /* the unused rest of the newest chunk, */
    size_t left;                   /* and its bytes */
    size_t held;                   /* counted against the budget */
    char *arena;                   /* NULL = none: a chunk of which large blocks may be part too; */
    size_t arena_bytes;            /* these are never freed on their own */
    bool refuses;
    bool gathers;     /* all blocks go into the arena, while it has room */
    uint64_t charged; /* see ncs_heap_charge */
};

/* Makes a state; NULL = no memory. Lack of host memory outside a protected call ends the process
 * (ncs_mem_no_more). */
lua_State *ncs_heap_state(struct ncs_heap *heap);
/* Frees all; the state need not be closed before. */
void ncs_heap_free(struct ncs_heap *heap);

/* A state of which copies are made. All its blocks lie in one arena; a copy is that arena elsewhere, with the addresses in
 * it moved. So no key of its tables may be a table, a function of Lua, a userdata or a thread, whose hash is its address; and it
 * may hold nothing that a scenario wrote, whose words could be made to look like addresses. */
struct ncs_heap_model {
    struct ncs_heap heap;
    lua_State *L;
    uint32_t *word; /* offsets of the words that hold addresses within the arena */
    size_t words;
};

/* Makes the state, with an arena of so many bytes. NULL = no memory, or (under AddressSanitizer) not possible. */
lua_State *ncs_heap_model_state(struct ncs_heap_model *model, size_t bytes);
/* The state is complete: collects its garbage. False = it has outgrown its arena. */
bool ncs_heap_model_finish(struct ncs_heap_model *model);
void ncs_heap_model_free(struct ncs_heap_model *model);
/* The copy, which grows in a heap of its own. NULL = no memory. */
lua_State *ncs_heap_copy(struct ncs_heap *heap, const struct ncs_heap_model *model);

/* Charges the work of a slow C function as instructions, which Lua's own count misses. Large blocks
 * are charged automatically. After a large charge the count hook runs at the next instruction; the
 * hook must then restore its own interval. Raises an error if no instruction has come for seconds. */
void ncs_heap_charge(lua_State *L, uint64_t instructions);
/* Returns the instructions charged since the last call of this function. */
uint64_t ncs_heap_charged(struct ncs_heap *heap);

/* Sets whether later allocations may be refused. Returns the previous setting. */
bool ncs_heap_refuse(struct ncs_heap *heap, bool refuses);

#endif
