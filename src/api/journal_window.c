/* The windows that each rank registered, in its order: the n-th window of one rank is the n-th
 * of the others. Also copies of the lists of waits. All functions but ncs_journal_ask_window run
 * under the journal's lock. */
#include "api/journal_private.h"

#include <string.h>

#include "base/mem.h"

struct ncs_window {
    int comm_rank;
    uint64_t call, group; /* that registered it */
    int rank, thread;     /* who called */
    const void *handle;   /* NULL: of a group, or not yet known */
    const char *base;
    size_t bytes;
    bool ended;
    struct ncs_window *next;
};

static struct ncs_window **journal_window_first_of(const struct ncs_journal *j, const struct ncs_call *call)
{
    return &j->comm[call->comm]->windows;
}

/* Records the window at the call, not at its return: another rank's registration may return
 * earlier, and that rank may then put into this window. No version registers a window without an
 * address or size. */
void ncs_journal_add_window(struct ncs_journal *j, const struct ncs_call *call)
{
    const void *base = ncs_call_arg(call, NCS_ARG_MEMORY)->p;
    size_t bytes = (size_t)ncs_call_arg(call, NCS_ARG_BYTES)->u;
    if (call->comm < 0 || !base || bytes == 0)
        return;
    struct ncs_window **at = journal_window_first_of(j, call), *w = ncs_new(sizeof *w);
    *w = (struct ncs_window){ .comm_rank = call->comm_rank,
                              .call = call->id,
                              .group = call->group,
                              .rank = call->rank,
                              .thread = call->thread,
                              .base = base,
                              .bytes = bytes };
    while (*at)
        at = &(*at)->next;
    *at = w;
}

void ncs_journal_learn_window(struct ncs_journal *j, const struct ncs_call *call)
{
    const ncclWindow_t *out = ncs_call_arg(call, NCS_ARG_WINDOW_OUT)->p;
    for (struct ncs_window *w = call->comm < 0 ? NULL : *journal_window_first_of(j, call); w; w = w->next)
        if (w->call == call->id)
            w->handle = *out;
}

static void journal_window_drop(struct ncs_window **at)
{
    struct ncs_window *w = *at;
    *at = w->next;
    ncs_free(w);
}

void ncs_journal_drop_window(struct ncs_journal *j, const struct ncs_call *call)
{
    if (call->comm < 0)
        return;
    for (struct ncs_window **at = journal_window_first_of(j, call); *at;)
        if ((*at)->call == call->id)
            journal_window_drop(at);
        else
            at = &(*at)->next;
}

void ncs_journal_drop_windows(struct ncs_journal *j, const struct ncs_local *local)
{
    for (size_t i = 0; i < j->comms; i++)
        for (struct ncs_window **at = &j->comm[i]->windows; *at;)
            if ((*at)->group == local->group && (*at)->rank == local->rank && (*at)->thread == local->thread)
                journal_window_drop(at);
            else
                at = &(*at)->next;
}

void ncs_journal_free_windows(struct ncs_comm_info *info)
{
    while (info->windows)
        journal_window_drop(&info->windows);
}

bool ncs_call_uses_window(const struct ncs_call *call)
{
    const union ncs_arg *window = ncs_call_arg(call, NCS_ARG_WINDOW);
    return window && window->p && call->fn != NCS_FN_ncclWinGetUserPtr;
}

const void *ncs_journal_ask_window(const struct ncs_journal *j, const struct ncs_call *call)
{
    const struct ncs_api *api = j->own->api;
    void *base = NULL;
    ncclComm_t comm = (ncclComm_t)(uintptr_t)ncs_call_arg(call, NCS_ARG_COMM)->p;
    ncclWindow_t window = (ncclWindow_t)(uintptr_t)ncs_call_arg(call, NCS_ARG_WINDOW)->p;
    if (!comm || !api || !api->ncclWinGetUserPtr || api->ncclWinGetUserPtr(comm, window, &base) != ncclSuccess)
        return NULL;
    return base;
}

/* The number is 0 if it is unknown, or if one buffer was registered twice in a group: nothing
 * then tells the two windows apart. */
void ncs_journal_use_window(struct ncs_journal *j, struct ncs_call *call, const void *base)
{
    const void *handle = ncs_call_uses_window(call) ? ncs_call_arg(call, NCS_ARG_WINDOW)->p : NULL;
    uint32_t number = 0, by_base = 0, of_base = 0;
    for (const struct ncs_window *w = handle && call->comm >= 0 ? *journal_window_first_of(j, call) : NULL; w; w = w->next) {
        number += w->comm_rank == call->comm_rank;
        if (w->comm_rank != call->comm_rank || w->ended)
            continue;
        if (w->handle == handle) {
            ncs_call_add_rare(call)->window = number;
            return;
        }
        if (!w->handle && w->base == base) {
            by_base = number;
            of_base++;
        }
    }
    if (of_base == 1)
        ncs_call_add_rare(call)->window = by_base;
}

static struct ncs_window *journal_window_numbered(const struct ncs_journal *j, int comm, int comm_rank, uint32_t number)
{
    struct ncs_window *w = number ? j->comm[comm]->windows : NULL;
    for (; w; w = w->next)
        if (w->comm_rank == comm_rank && --number == 0)
            return w;
    return NULL;
}

void ncs_journal_end_window(struct ncs_journal *j, const struct ncs_call *call)
{
    struct ncs_window *w = call->comm < 0 ? NULL
                                          : journal_window_numbered(j, call->comm, call->comm_rank, ncs_call_rare(call)->window);
    if (w)
        w->ended = true;
}

void *ncs_journal_target(const struct ncs_journal *j, const struct ncs_call *put)
{
    const struct ncs_window *w = put->comm < 0
                                     ? NULL
                                     : journal_window_numbered(j, put->comm, ncs_call_peer(put), ncs_call_rare(put)->window);
    const union ncs_arg *offset = ncs_call_arg(put, NCS_ARG_OFFSET);
    if (!w || !offset || offset->u > w->bytes)
        return NULL;
    return (void *)(uintptr_t)(w->base + offset->u);
}

/* The caller may free its list as soon as the call has returned. */
void ncs_journal_copy_waits(struct ncs_call *call)
{
    union ncs_arg *list = (union ncs_arg *)ncs_call_arg(call, NCS_ARG_WAITS);
    int64_t count = ncs_call_arg(call, NCS_ARG_ITEMS)->i;
    const void *from = list->p;
    list->p = NULL;
    if (!from || count < 1 || count > NCS_MOST_WAITS)
        return;
    size_t bytes = (size_t)count * sizeof(ncclWaitSignalDesc_t);
    void *copy = ncs_new(bytes);
    memcpy(copy, from, bytes);
    list->p = copy;
}

void ncs_journal_free_waits(struct ncs_call *call)
{
    if (call->fn == NCS_FN_ncclWaitSignal)
        ncs_free((void *)(uintptr_t)ncs_call_arg(call, NCS_ARG_WAITS)->p);
}
