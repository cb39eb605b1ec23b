#include "base/budget.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/quantity.h"

/* Bookkeeping may exceed the limit by this much (or by half the limit): more than a run needs to end. */
#define SLACK_LEAST ((size_t)256 << 20)

static atomic_size_t used; /* includes the bytes that threads have in hand */
static atomic_size_t limit = NCS_BUDGET_NONE;
static atomic_bool told;

_Thread_local size_t ncs_budget_in_hand;
static _Thread_local bool known; /* the key has this thread, and returns its bytes at its end */

void (*ncs_budget_spent)(void);

/* ---- threads that end ---- */

static pthread_key_t key;
static bool has_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* Bytes freed later by this thread are returned at once. */
static void return_in_hand(void *unused)
{
    (void)unused;
    atomic_fetch_sub(&used, ncs_budget_in_hand);
    ncs_budget_in_hand = 0;
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, return_in_hand) == 0;
}

static void know_thread(void)
{
    pthread_once(&key_once, make_key);
    known = has_key && pthread_setspecific(key, &ncs_budget_in_hand) == 0;
}

/* ---- the limit ---- */

void ncs_budget_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
    ncs_budget_rearm();
}

size_t ncs_budget(void)
{
    return atomic_load(&limit);
}

const char *ncs_budget_words(char *room)
{
    char size[32];
    size_t bytes = ncs_budget();
    if (bytes == NCS_BUDGET_NONE)
        snprintf(room, NCS_BUDGET_WORDS, "the memory of the host");
    else
        snprintf(room, NCS_BUDGET_WORDS, "the memory budget of %s (--memory)", ncs_format_size(bytes, size, sizeof size));
    return room;
}

size_t ncs_budget_used(void)
{
    return atomic_load(&used) - ncs_budget_in_hand;
}

void ncs_budget_rearm(void)
{
    atomic_store(&told, false);
}

void ncs_budget_stop(void)
{
    if (!atomic_exchange(&told, true) && ncs_budget_spent)
        ncs_budget_spent();
}

/* ---- taking ---- */

static bool grow(size_t bytes)
{
    size_t before = atomic_load_explicit(&used, memory_order_relaxed);
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
    do
        if (before > most || bytes > most - before)
            return false;
    while (!atomic_compare_exchange_weak(&used, &before, before + bytes));
    return true;
}

bool ncs_budget_take_more(size_t bytes)
{
    size_t lacking = bytes - ncs_budget_in_hand;
    if (!known)
        know_thread();
    if (known && lacking <= NCS_BUDGET_NONE - NCS_BUDGET_IN_HAND && grow(lacking + NCS_BUDGET_IN_HAND))
        ncs_budget_in_hand = NCS_BUDGET_IN_HAND;
    else if (grow(lacking))
        ncs_budget_in_hand = 0;
    else
        return false;
    return true;
}

static size_t slack(size_t most)
{
    size_t half = most / 2;
    return half < SLACK_LEAST ? SLACK_LEAST : half;
}

void ncs_budget_overdraw(size_t bytes)
{
    size_t lacking = bytes - ncs_budget_in_hand, most = ncs_budget();
    size_t now = atomic_fetch_add(&used, lacking) + lacking;
    ncs_budget_in_hand = 0;
    ncs_budget_stop();
    if (most <= NCS_BUDGET_NONE - slack(most) && now > most + slack(most))
        ncs_mem_no_more(bytes);
}

void ncs_budget_give_back(void)
{
    if (!known)
        know_thread();
    if (known && ncs_budget_in_hand <= 2 * NCS_BUDGET_IN_HAND)
        return;
    size_t kept = known ? NCS_BUDGET_IN_HAND : 0;
    atomic_fetch_sub(&used, ncs_budget_in_hand - kept);
    ncs_budget_in_hand = kept;
}
