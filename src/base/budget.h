/* One budget for all memory that a scenario makes the host hold. Bookkeeping (base/mem.h) is counted but
 * never refused: when it passes the limit, the run is asked to end, and may use some more memory to do so.
 * Allocations whose size a scenario chooses must ask first. Before ncs_budget_limit there is no limit:
 * everything is counted and nothing refused. Any thread may call. */
#ifndef NCS_BASE_BUDGET_H
#define NCS_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#define NCS_BUDGET_NONE ((size_t)-1)
#define NCS_BUDGET_WORDS 96
/* With less, ncclscript itself cannot run. */
#define NCS_BUDGET_LEAST ((size_t)16 << 20)

void ncs_budget_limit(size_t bytes);
size_t ncs_budget(void); /* the limit */
/* Writes "the memory budget of 12 GiB (--memory)" into `room` (NCS_BUDGET_WORDS bytes) and returns it. */
const char *ncs_budget_words(char *room);
size_t ncs_budget_used(void); /* accurate up to the bytes that other threads have in hand */

/* Each thread takes bytes from the budget in advance and counts its allocations against them, so that most
 * calls are an addition. The TLS model avoids a function call per access in a shared library too. */
extern _Thread_local size_t ncs_budget_in_hand __attribute__((tls_model("initial-exec")));
#define NCS_BUDGET_IN_HAND ((size_t)64 << 10)

/* Called when the thread has too few bytes in hand, or too many. */
bool ncs_budget_take_more(size_t bytes);
void ncs_budget_overdraw(size_t bytes);
void ncs_budget_give_back(void);

/* Takes bytes from the budget; false, with nothing taken, if they would pass the limit. */
static inline bool ncs_budget_take(size_t bytes)
{
    if (bytes > ncs_budget_in_hand)
        return ncs_budget_take_more(bytes);
    ncs_budget_in_hand -= bytes;
    return true;
}

/* Takes bytes even beyond the limit. */
static inline void ncs_budget_count(size_t bytes)
{
    if (!ncs_budget_take(bytes))
        ncs_budget_overdraw(bytes);
}

static inline void ncs_budget_give(size_t bytes)
{
    size_t before = ncs_budget_in_hand;
    ncs_budget_in_hand = before + bytes;
    if (before == 0 || ncs_budget_in_hand > 2 * NCS_BUDGET_IN_HAND)
        ncs_budget_give_back();
}

/* Called once when the limit is passed, by the thread that passes it, in the middle of an allocation: the
 * hook may only set flags or end the process. NULL = no hook. */
extern void (*ncs_budget_spent)(void);
/* Calls ncs_budget_spent for a refusal that could not be reported to any caller. */
void ncs_budget_stop(void);
/* Allows ncs_budget_spent to be called once more. */
void ncs_budget_rearm(void);

#endif
