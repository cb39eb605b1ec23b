/* Memory of Lua states, out of the one budget (base/budget.h). */
#ifndef NCS_SCRIPT_HEAP_H
#define NCS_SCRIPT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

enum { NCS_HEAP_SIZES = 16 }; /* of small blocks: 16, 32 ... bytes */

/* Memory of one Lua state. What a script wants is refused when the budget is used up, and Lua raises
 * "not enough memory"; what C does outside of a protected call must not raise, and is not refused. */
struct ncs_heap {
    struct ncs_heap_block *blocks; /* large ones; small ones lie in chunks, */
    struct ncs_heap_chunk *chunks; /* and only all of these are freed at once */
    void *spare[NCS_HEAP_SIZES];   /* small ones that are free, by size */
    char *fresh;                   /* of the newest chunk what was never used, */
    size_t left;                   /* and how much */
    size_t held;                   /* of the budget */
    bool refuses;
    uint64_t charged; /* see ncs_heap_charge */
};

/* A state, or NULL. Memory that the host does not have outside of a protected call ends the process
 * (ncs_mem_no_more). */
lua_State *ncs_heap_state(struct ncs_heap *heap);
/* Frees all; the state need not be closed before. */
void ncs_heap_free(struct ncs_heap *heap);

/* What a function of C does for a script that takes long, as instructions: Lua's own count knows nothing
 * of it. Large blocks are charged by themselves. After much of it a hook that counts comes at the next
 * instruction, and has to see to when it comes again. */
void ncs_heap_charge(lua_State *L, uint64_t instructions);
/* What has been charged since this was asked last. */
uint64_t ncs_heap_charged(struct ncs_heap *heap);

/* What is wanted from now on may be refused, or not. Returns how it was before. */
bool ncs_heap_refuse(struct ncs_heap *heap, bool refuses);

#endif
