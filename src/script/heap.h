/* Memory of Lua states, out of the one budget (base/budget.h). */
#ifndef NCS_SCRIPT_HEAP_H
#define NCS_SCRIPT_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

/* Memory of one Lua state. What a script wants is refused when the budget is used up, and Lua raises
 * "not enough memory"; what C does outside of a protected call must not raise, and is not refused. */
struct ncs_heap {
    struct ncs_heap_block *blocks;
    bool refuses;
};

/* A state, or NULL. Memory that the host does not have outside of a protected call ends the process
 * (ncs_mem_no_more). */
lua_State *ncs_heap_state(struct ncs_heap *heap);
void *ncs_heap_alloc(void *heap, void *block, size_t old, size_t bytes); /* a lua_Alloc */
/* Frees all blocks; of a state that is not closed by Lua. */
void ncs_heap_free(struct ncs_heap *heap);

/* What is wanted from now on may be refused, or not. Returns how it was before. */
bool ncs_heap_refuse(struct ncs_heap *heap, bool refuses);

#endif
