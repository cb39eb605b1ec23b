/* Passes each call of a rank through all rounds of edits on its way to the journal. A call that a
 * round makes itself passes through the later rounds only. */
#include <string.h>

#include "base/mem.h"
#include "run/amend_private.h"

/* ---- one call ---- */

static bool is_deleted(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (ncs_amend_is(p, i, NCS_EDIT_DELETE) &&
            ncs_amend_at(p, ncs_amend_change(p, i)->nth, ncs_amend_change(p, i)->edit.call))
            return true;
    return false;
}

static int make_with_arguments(const struct passing *p)
{
    struct ncs_call own = ncs_call_copy(p->call);
    struct stand_in recv = { 0 };
    bool replaced = false;
    if (p->number) {
        int comm, comm_rank;
        for (size_t i = 0; i < p->s->changes; i++)
            if (ncs_amend_is(p, i, NCS_EDIT_ARGUMENT) &&
                ncs_amend_at(p, ncs_amend_change(p, i)->nth, ncs_amend_change(p, i)->edit.call) &&
                ncs_amend_find_member(p, ncs_amend_change(p, i)->other_nth, &comm, &comm_rank)) {
                own.comm = comm;
                own.comm_rank = comm_rank;
                replaced |= ncs_amend_replace(p->run, &own, ncs_amend_change(p, i));
            }
    }
    if (replaced)
        ncs_amend_make_room(p->run, &own, &recv);
    int rc = ncs_amend_make(p, own.fn, own.arg);
    if (replaced && ncs_local->group_depth == 0)
        ncs_amend_give_back(p->run, &recv, ncs_call_stream(&own));
    return rc;
}

/* True if the round has anything to do at this call. */
static bool concerns(const struct passing *p)
{
    size_t which;
    const struct stage *s = p->s;
    if (ncs_amend_any_due(p) || (p->ends && (s->helds || ncs_amend_in_own_group(p))) || ncs_amend_waits(p, &which))
        return true;
    if (ncs_amend_exchange_is_over(p))
        return true;
    bool is_sync = p->call && (p->call->fn == NCS_FN_cudaStreamSynchronize || p->call->fn == NCS_FN_cudaDeviceSynchronize);
    if ((is_sync && ncs_amend_in_own_group(p)) ||
        (p->call && p->call->fn == NCS_FN_ncclGroupEnd && ncs_local->group_depth == 1 && ncs_amend_owes_sync(p)))
        return true;
    for (size_t i = 0; i < s->changes && p->number; i++) {
        const struct change *c = ncs_amend_change(p, i);
        if (c->edit.kind != NCS_EDIT_INSERT && !s->done[i] &&
            (ncs_amend_at(p, c->nth, c->edit.call) || ncs_amend_at(p, c->other_nth, c->edit.other)))
            return true;
    }
    return false;
}

static void note_begun(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++) {
        const struct change *c = ncs_amend_change(p, i);
        if (c->edit.kind != NCS_EDIT_SWAP && c->edit.kind != NCS_EDIT_GROUP)
            continue;
        p->s->begun[i] |= ncs_amend_at(p, c->nth, c->edit.call);
        p->s->begun[i] &= !ncs_amend_at(p, c->other_nth, c->edit.other);
    }
}

static int amend_carry_out(const struct passing *p)
{
    size_t which;
    struct ncs_call own;
    if (p->call) {
        own = ncs_call_copy(p->call);
        ncs_journal_withdraw(p->run->journal, p->call);
    }
    struct passing now = *p;
    now.call = p->call ? &own : NULL;
    note_begun(&now);
    if (ncs_amend_exchange_is_over(p))
        ncs_amend_end_exchange(&now);
    ncs_amend_insert_due(&now);
    if (now.ends)
        ncs_amend_end_all(&now);
    if (!now.call)
        return 0;
    if ((own.fn == NCS_FN_cudaStreamSynchronize || own.fn == NCS_FN_cudaDeviceSynchronize) && ncs_amend_in_own_group(&now)) {
        ncs_amend_put_off(&now);
        return 0;
    }
    ncs_amend_start_groups(&now);
    if (ncs_amend_waits(&now, &which)) {
        ncs_amend_hold(&now, which);
        return 0;
    }
    int rc = is_deleted(&now) ? 0 : make_with_arguments(&now);
    return ncs_amend_after(&now, rc);
}

/* ---- on the way ---- */

static uint32_t amend_nth_of(struct amender *a, const struct ncs_journal *j, const struct ncs_call *call)
{
    if (call->comm < 0)
        return 0;
    uint64_t key = ncs_amend_member_key(call->comm, call->comm_rank);
    uintptr_t nth = (uintptr_t)ncs_map_get(&a->nth, key);
    if (!nth && (nth = ncs_amend_membership(j, call->comm, call->comm_rank)) != 0)
        ncs_map_put(&a->nth, key, (void *)nth);
    return (uint32_t)nth;
}

static void amend_count(struct stage *s, const struct ncs_call *call, uint32_t nth, bool is_counted)
{
    for (size_t i = 0; i < s->changes; i++) {
        const struct spot *after = &s->change[i]->after;
        int thread = s->change[i]->thread;
        s->seen[i] += (thread == NCS_ANY_THREAD || thread == call->thread) && !call->opening && ncs_amend_is_at_spot(call, after);
    }
    if (!is_counted || !nth)
        return;
    if (nth >= s->counts) {
        s->count = ncs_resize(s->count, (nth + 1) * sizeof *s->count);
        memset(s->count + s->counts, 0, (nth + 1 - s->counts) * sizeof *s->count);
        s->counts = nth + 1;
    }
    s->count[nth]++;
}

static void amend_remember(struct amender *a, struct ncs_call *call)
{
    const union ncs_arg *stream = call->opening ? NULL : ncs_call_arg(call, NCS_ARG_STREAM);
    if (stream && stream->p)
        a->stream = stream->p;
    ncs_amend_remember(&a->memory, call);
}

static bool ends_comm(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].ends == NCS_ENDS_COMM || call->fn == NCS_FN_ncclCommFinalize;
}

/* True if the call becomes a node of a graph: it gets no number, the calls of each launch do. */
static bool is_to_be_captured(const struct ncs_run *run, const struct ncs_call *call)
{
    const struct ncs_api *api = run->driver->api;
    const union ncs_arg *stream = ncs_call_arg(call, NCS_ARG_STREAM);
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return stream && api->cudaStreamIsCapturing && api->cudaStreamIsCapturing((cudaStream_t)stream->p, &status) == cudaSuccess &&
           status == cudaStreamCaptureStatusActive;
}

void ncs_run_count_launched(struct ncs_run *run, const struct ncs_call *call)
{
    struct amender *a = run->rank[call->rank].amender;
    uint32_t nth = a ? amend_nth_of(a, run->journal, call) : 0;
    for (size_t i = 0; a && i < a->stages; i++)
        if (a->stage[i].changes)
            amend_count(&a->stage[i], call, nth, ncs_fn_info[call->fn].counted);
}

int ncs_run_amend(struct ncs_run *run, struct ncs_call *call)
{
    struct amender *a = run->rank[call->rank].amender;
    int rc = 0;
    ncs_amend_hosts_before(run, call);
    if (!a || ncs_fn_info[call->fn].result > NCS_RESULT_CUDA)
        return 0;
    bool is_counted = ncs_fn_info[call->fn].counted && call->comm >= 0 && !is_to_be_captured(run, call);
    for (size_t i = (size_t)ncs_local->amended; i < a->stages && !call->withdrawn; i++) {
        struct stage *s = &a->stage[i];
        if (!s->changes)
            continue;
        struct passing p = { .run = run, .a = a, .level = i, .s = s, .call = call, .nth = amend_nth_of(a, run->journal, call) };
        if (is_counted)
            p.number = ncs_amend_counted(s, p.nth) + 1;
        p.ends = ends_comm(call) && p.nth;
        if (concerns(&p))
            rc = amend_carry_out(&p);
        amend_count(s, call, p.nth, is_counted);
    }
    if (!call->withdrawn)
        amend_remember(a, call);
    return rc;
}

uint32_t ncs_run_script_number(const struct ncs_run *run, const struct ncs_call *call)
{
    struct amender *a = run->rank[call->rank].amender;
    for (size_t i = 0; a && call->number && i < a->stages; i++)
        if (a->stage[i].changes > 0)
            return ncs_amend_counted(&a->stage[i], amend_nth_of(a, run->journal, call)) + 1;
    return call->number;
}

static void pass_by(struct ncs_run *run, bool ends)
{
    struct ncs_local *local = ncs_local;
    struct amender *a = run->rank[local->rank].amender;
    if (!a || run->machine->cancelled())
        return;
    for (size_t i = 0; i < a->stages; i++) {
        struct passing p = { .run = run, .a = a, .level = i, .s = &a->stage[i], .ends = ends };
        if (a->stage[i].changes > 0 && concerns(&p))
            amend_carry_out(&p);
    }
}

void ncs_run_before_wait(struct ncs_run *run)
{
    pass_by(run, false);
}

/* True if no other thread of the rank runs. Another thread may still make the call that
 * seems to be missing. */
static bool is_alone(const struct ncs_run *run)
{
    for (const struct ncs_thread *t = NULL; (t = ncs_thread_after(run, t)) != NULL;)
        if (ncs_thread_runs(t, ncs_local->rank))
            return false;
    return true;
}

void ncs_run_script_over(struct ncs_run *run)
{
    ncs_amend_hosts_before(run, NULL);
    pass_by(run, is_alone(run));
}

/* Makes the inserted calls that are still due on the ending thread, and ends the groups that edits
 * have started there. */
void ncs_run_thread_over(struct ncs_run *run)
{
    struct amender *a = run->rank[ncs_local->rank].amender;
    ncs_amend_hosts_before(run, NULL);
    for (size_t i = 0; a && i < a->stages && !run->machine->cancelled(); i++) {
        struct passing p = { .run = run, .a = a, .level = i, .s = &a->stage[i], .over = true };
        if (a->stage[i].changes > 0)
            ncs_amend_insert_due(&p);
        if (ncs_amend_in_own_group(&p))
            ncs_amend_end_groups(&p, true);
    }
}
