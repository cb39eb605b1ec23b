/* One budget for all memory that a scenario makes the host hold. Bookkeeping (base/mem.h) is counted
 * and never refused: when it passes the limit, the run is told to end, and what it still needs for
 * that comes on top. Memory of a size that a scenario chooses asks first. Without a limit, as it is
 * until ncs_budget_limit, everything is counted and nothing refused. Any thread may call. */
#ifndef NCS_BASE_BUDGET_H
#define NCS_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#define NCS_BUDGET_NONE ((size_t)-1)
#define NCS_BUDGET_WORDS 96
/* Below this ncclscript itself does not fit. */
#define NCS_BUDGET_LEAST ((size_t)16 << 20)

void ncs_budget_limit(size_t bytes);
size_t ncs_budget(void);      /* the limit */
/* "the memory budget of 12 GiB (--memory)", in `room` of NCS_BUDGET_WORDS. Returns it. */
const char *ncs_budget_words(char *room);
size_t ncs_budget_used(void); /* give or take what other threads have in hand */

/* A thread takes more than it needs from the budget, and hands that out itself: mostly this is an
 * addition. In a shared library, too, it lies at a fixed place: no call to find it. */
extern _Thread_local size_t ncs_budget_in_hand __attribute__((tls_model("initial-exec")));
#define NCS_BUDGET_IN_HAND ((size_t)64 << 10)

/* What is in hand is not enough, or too much. */
bool ncs_budget_take_more(size_t bytes);
void ncs_budget_overdraw(size_t bytes);
void ncs_budget_give_back(void);

/* False when it would pass the limit: nothing has been taken. */
static inline bool ncs_budget_take(size_t bytes)
{
    if (bytes > ncs_budget_in_hand)
        return ncs_budget_take_more(bytes);
    ncs_budget_in_hand -= bytes;
    return true;
}

/* Takes in any case. */
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

/* Called once when the limit is passed, by whoever passes it, in the middle of an allocation: it may
 * set flags and no more, or end the process. NULL = nobody cares. */
extern void (*ncs_budget_spent)(void);
/* The same for what finds a refusal that nobody could be told of. */
void ncs_budget_stop(void);
/* From now on it is called again. */
void ncs_budget_rearm(void);

#endif
