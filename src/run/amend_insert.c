/* Inserts calls: when an edit is due, and with which arguments. */
#include "run/amend_private.h"

/* The stream that the process made last on the member's device, or the stream of a communicator's
 * call on that device. */
static const void *stream_of_device(const struct ncs_journal *j, const struct ncs_member *m)
{
    struct ncs_map device = { 0 }; /* by thread: what it has chosen, + 1 */
    const void *stream = NULL;
    for (const struct ncs_call *c = j->oldest; c; c = c->newer) {
        uint64_t thread = (uint64_t)(int64_t)c->thread + 1;
        const union ncs_arg *made = ncs_call_arg(c, NCS_ARG_STREAM_OUT);
        if (c->rank != m->rank || !c->returned || c->rc)
            continue;
        if (c->fn == NCS_FN_cudaSetDevice)
            ncs_map_put_number(&device, thread, (size_t)c->arg[0].i + 1);
        bool here = ncs_map_number(&device, thread) == (size_t)m->device + 1 ||
                    (!ncs_map_number(&device, thread) && m->device == 0);
        if (made && here)
            stream = made->p;
        if (c->number && c->comm_rank >= 0 && j->comm[c->comm]->member[c->comm_rank].device == m->device)
            stream = ncs_call_stream(c);
    }
    ncs_map_free(&device);
    return stream;
}

/* The stream of the member's latest call on the communicator, else one of its device or of the
 * rank's other calls. */
static const void *stream_for(const struct passing *p, const struct change *c, int comm, int comm_rank)
{
    const struct ncs_comm_info *info = p->run->journal->comm[comm];
    const struct ncs_member *m = &info->member[comm_rank];
    if (m->last)
        return ncs_call_stream(m->last);
    if (ncs_comm_is_shared(info) || c->edit.of_party)
        return stream_of_device(p->run->journal, m);
    if (p->number && ncs_call_arg(p->call, NCS_ARG_STREAM))
        return ncs_call_stream(p->call);
    return p->a->stream;
}

static struct ncs_place amend_insert_place_of(void *change)
{
    return ((const struct change *)change)->place;
}

static void amend_insert_call(const struct passing *p, size_t i)
{
    const struct change *c = ncs_amend_change(p, i);
    int comm, comm_rank;
    p->s->done[i] = true;
    if (!ncs_amend_find_member(p, c->nth, &comm, &comm_rank))
        return;
    union ncs_arg arg[NCS_MAX_ARGS];
    ncs_amend_compose(p->run, c, comm, comm_rank, stream_for(p, c, comm, comm_rank), arg);
    struct ncs_local *local = ncs_local, said = *local;
    local->label = c->label;
    if (c->place.file) {
        local->where = amend_insert_place_of;
        local->where_arg = (void *)c;
    }
    local->unverified = false;
    if (c->opens)
        ncs_amend_make_plain(p, NCS_FN_ncclGroupStart);
    ncs_amend_make(p, c->fn, arg);
    if (c->closes)
        ncs_amend_make_plain(p, NCS_FN_ncclGroupEnd);
    local->label = said.label;
    local->where = said.where;
    local->where_arg = said.where_arg;
    local->unverified = said.unverified;
}

/* Calls that are inserted at one spot keep their order. */
static bool comes_behind(const struct change *previous, const struct change *c)
{
    bool both = previous->edit.kind == NCS_EDIT_INSERT && !previous->edit.of_host && previous->thread == c->thread;
    bool in_order = previous->edit.in_order && c->edit.in_order && previous->edit.before == c->edit.before;
    return both && (in_order || (previous->nth == c->nth && previous->edit.call == c->edit.call));
}

static bool is_behind_previous(const struct passing *p, size_t i)
{
    return i && comes_behind(ncs_amend_change(p, i - 1), ncs_amend_change(p, i));
}

/* True if the change is due by itself, whatever comes before it. */
static bool is_wanted(const struct passing *p, size_t i)
{
    const struct change *c = ncs_amend_change(p, i);
    uint32_t made = ncs_amend_counted(p->s, c->nth);
    if (p->ends && (!p->nth || p->nth == c->nth))
        return true;
    if (c->beside)
        return p->nth == c->beside && p->number >= c->beside_call;
    if (p->over)
        return c->thread == ncs_local->thread;
    if (c->exact)
        return p->call && ncs_amend_is_at_spot(p->call, &c->after) && p->s->seen[i] + 1 >= c->after.nth;
    if (p->number && p->nth == c->nth && p->number >= c->edit.call)
        return true;
    if (made + 1 < c->edit.call || (p->call && p->call->opening))
        return false;
    if (c->with_previous)
        return made + 1 >= c->edit.call && made > 0;
    int comm, comm_rank;
    return !c->with_next && ncs_local->group_depth == 0 && (!c->after.file || p->s->seen[i] >= c->after.nth) &&
           ncs_amend_find_member(p, c->nth, &comm, &comm_rank); /* it may not have been made yet */
}

/* True also if a change behind it at the same spot is due, because it must be made first. */
static bool amend_insert_is_due(const struct passing *p, size_t i)
{
    const struct change *c = ncs_amend_change(p, i);
    if (p->s->done[i] || !ncs_amend_is(p, i, NCS_EDIT_INSERT) || c->edit.of_host ||
        (c->thread != NCS_ANY_THREAD && c->thread != ncs_local->thread && !p->ends) ||
        (is_behind_previous(p, i) && !p->s->done[i - 1]))
        return false;
    if (c->follows)
        return p->s->done[i - 1];
    bool wanted = is_wanted(p, i);
    for (size_t k = i + 1; k < p->s->changes && !wanted && c->edit.in_order && is_behind_previous(p, k); k++)
        wanted = is_wanted(p, k);
    return wanted;
}

bool ncs_amend_any_due(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (amend_insert_is_due(p, i))
            return true;
    return false;
}

void ncs_amend_insert_due(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (amend_insert_is_due(p, i))
            amend_insert_call(p, i);
}
