/* Edits of order: they exchange two calls, put calls into one group, or synchronise a stream. */
#include <string.h>

#include "base/mem.h"
#include "run/amend_private.h"

/* ---- calls that change places ---- */

/* Finds the swap that this call must wait for. Calls between the two on one
 * communicator wait as well. */
bool ncs_amend_waits(const struct passing *p, size_t *which)
{
    for (size_t i = 0; i < p->s->changes; i++) {
        const struct change *c = ncs_amend_change(p, i);
        if (p->s->done[i] || !ncs_amend_is(p, i, NCS_EDIT_SWAP) || !p->number || p->nth != c->nth || p->number < c->edit.call ||
            p->call->fn == NCS_FN_ncclWaitSignal)
            continue;
        uint32_t end = c->other_nth == c->nth ? c->edit.other : c->edit.call + 1;
        *which = i;
        if (p->number < end)
            return true;
    }
    return false;
}

void ncs_amend_hold(const struct passing *p, size_t which)
{
    struct held h = { .change = which, .call = ncs_call_copy(p->call), .said = *ncs_local };
    NCS_PUSH(p->s->held, p->s->helds, p->s->held_room, h);
}

static int release_one(const struct passing *p, size_t at)
{
    struct held h = p->s->held[at];
    struct ncs_local *local = ncs_local, said = *local;
    memmove(&p->s->held[at], &p->s->held[at + 1], (--p->s->helds - at) * sizeof h);
    local->label = h.said.label;
    local->unverified = h.said.unverified;
    int rc = ncs_amend_make(p, h.call.fn, h.call.arg);
    local->label = said.label;
    local->unverified = said.unverified;
    return rc;
}

/* Makes the calls that were held for the change: first the calls between the two, then the first of
 * the two. */
static int amend_order_release(const struct passing *p, size_t which)
{
    int rc = 0;
    size_t first = 0;
    while (first < p->s->helds && p->s->held[first].change != which)
        first++;
    for (size_t i = first + 1; i < p->s->helds;) {
        if (p->s->held[i].change != which) {
            i++;
            continue;
        }
        int code = release_one(p, i);
        rc = rc ? rc : code;
    }
    if (first < p->s->helds) {
        int code = release_one(p, first);
        rc = rc ? rc : code;
    }
    return rc;
}

static int swap_behind(const struct passing *p)
{
    int rc = 0;
    for (size_t i = 0; i < p->s->changes; i++)
        if (!p->s->done[i] && ncs_amend_is(p, i, NCS_EDIT_SWAP) &&
            ncs_amend_at(p, ncs_amend_change(p, i)->other_nth, ncs_amend_change(p, i)->edit.other)) {
            p->s->done[i] = true;
            int code = amend_order_release(p, i);
            rc = rc ? rc : code;
        }
    return rc;
}

/* ---- groups, and synchronising ---- */

bool ncs_amend_in_own_group(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (p->s->open[i] == ncs_local)
            return true;
    return false;
}

/* cudaDeviceSynchronize is put off for all streams of the device. */
void ncs_amend_put_off(const struct passing *p)
{
    bool device = p->call->fn == NCS_FN_cudaDeviceSynchronize;
    struct put_off one = { ncs_local, device ? NULL : p->call->arg[0].p, device };
    NCS_PUSH(p->s->back, p->s->backs, p->s->back_room, one);
}

/* Removes the calling thread's first entry from a list. */
static bool take_own(struct put_off *list, size_t *count, struct put_off *out)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i].thread == ncs_local) {
            *out = list[i];
            memmove(&list[i], &list[i + 1], (--*count - i) * sizeof *list);
            return true;
        }
    return false;
}

/* While one call is made, other threads may add theirs. */
static void synchronize_now(const struct passing *p)
{
    struct stage *s = p->s;
    struct put_off one;
    while (take_own(s->due, &s->dues, &one) || take_own(s->back, &s->backs, &one)) {
        union ncs_arg stream = { .p = one.stream };
        if (one.device)
            ncs_amend_make_plain(p, NCS_FN_cudaDeviceSynchronize);
        else
            ncs_amend_make(p, NCS_FN_cudaStreamSynchronize, &stream);
    }
}

bool ncs_amend_owes_sync(const struct passing *p)
{
    for (size_t i = 0; i < p->s->dues; i++)
        if (p->s->due[i].thread == ncs_local)
            return true;
    return false;
}

void ncs_amend_start_groups(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++) {
        const struct change *c = ncs_amend_change(p, i);
        if (p->s->done[i] || p->s->open[i] || !ncs_amend_is(p, i, NCS_EDIT_GROUP) || !c->edit.call ||
            !ncs_amend_at(p, c->nth, c->edit.call))
            continue;
        p->s->open[i] = ncs_local;
        ncs_amend_make_plain(p, NCS_FN_ncclGroupStart);
    }
}

static bool is_open_exchange(const struct passing *p, size_t i)
{
    const struct change *c = ncs_amend_change(p, i);
    return c->edit.further && p->s->open[i] == ncs_local && ncs_amend_counted(p->s, c->other_nth) >= c->edit.other;
}

static bool is_same_message(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->comm == b->comm && ncs_call_peer(a) == ncs_call_peer(b) && a->place.line == b->place.line &&
           a->place.file == b->place.file;
}

/* True if the call is one more message of its group, and the first like it there. */
static bool goes_further(const struct ncs_call *call)
{
    if (!ncs_call_is_pair(call))
        return false;
    for (const struct ncs_call *c = call->older; c; c = c->older)
        if (c->rank == call->rank && c->thread == call->thread && c->group == call->group && is_same_message(c, call))
            return false;
    return true;
}

bool ncs_amend_exchange_is_over(const struct passing *p)
{
    bool open = false;
    for (size_t i = 0; i < p->s->changes && !open; i++)
        open = is_open_exchange(p, i);
    return open && (!p->call || !goes_further(p->call));
}

void ncs_amend_end_exchange(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (is_open_exchange(p, i)) {
            p->s->done[i] = true;
            p->s->open[i] = NULL;
            ncs_amend_make_plain(p, NCS_FN_ncclGroupEnd);
        }
}

int ncs_amend_end_groups(const struct passing *p, bool all)
{
    int rc = 0;
    for (size_t i = 0; i < p->s->changes; i++) {
        const struct change *c = ncs_amend_change(p, i);
        bool own = p->s->open[i] == ncs_local;
        bool there = (ncs_amend_at(p, c->other_nth, c->edit.other) && !c->edit.further && (own || !p->s->open[i])) ||
                     (all && own);
        if (p->s->done[i] || !ncs_amend_is(p, i, NCS_EDIT_GROUP) || !there)
            continue;
        p->s->done[i] = true;
        p->s->open[i] = NULL;
        int code = ncs_amend_make_plain(p, NCS_FN_ncclGroupEnd);
        rc = rc ? rc : code;
    }
    return rc;
}

void ncs_amend_end_all(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (!p->s->done[i] && ncs_amend_is(p, i, NCS_EDIT_SWAP)) {
            p->s->done[i] = p->s->helds > 0;
            amend_order_release(p, i);
        }
    ncs_amend_end_groups(p, true);
    if (ncs_local->group_depth == 0)
        synchronize_now(p);
}

int ncs_amend_after(const struct passing *p, int rc)
{
    int code = swap_behind(p);
    rc = rc ? rc : code;
    code = ncs_amend_end_groups(p, false);
    rc = rc ? rc : code;
    for (size_t i = 0; i < p->s->changes; i++) {
        const struct change *c = ncs_amend_change(p, i);
        struct put_off one = { ncs_local, ncs_call_stream(p->call), false };
        if (!ncs_amend_is(p, i, NCS_EDIT_SYNC) || !ncs_amend_at(p, c->nth, c->edit.call))
            continue;
        NCS_PUSH(p->s->due, p->s->dues, p->s->due_room, one);
        break;
    }
    if (ncs_local->group_depth == 0)
        synchronize_now(p);
    return rc;
}
