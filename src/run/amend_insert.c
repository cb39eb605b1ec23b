/* Calls that edits insert: when they are due, and with what. */
#include "base/mem.h"
#include "run/amend_private.h"

/* That of its nearest call there, else of any call of the rank's. */
static const void *stream_for(const struct passing *p, int comm, int comm_rank)
{
    const struct ncs_member *m = &p->run->journal->comm[comm]->member[comm_rank];
    if (m->last)
        return ncs_call_stream(m->last);
    if (p->number && ncs_call_arg(p->call, NCS_ARG_STREAM))
        return ncs_call_stream(p->call);
    return p->a->stream;
}

static void insert(const struct passing *p, size_t i)
{
    const struct change *c = ncs_amend_change(p, i);
    int comm, comm_rank;
    p->s->done[i] = true;
    if (!ncs_amend_find_member(p, c->nth, &comm, &comm_rank))
        return;
    union ncs_arg arg[NCS_MAX_ARGS];
    ncs_amend_compose(p->run, c, comm, comm_rank, stream_for(p, comm, comm_rank), arg);
    struct ncs_local *local = ncs_local, said = *local;
    local->label = c->label;
    local->unverified = false;
    if (c->opens)
        ncs_amend_make_plain(p, NCS_FN_ncclGroupStart);
    ncs_amend_make(p, c->fn, arg);
    if (c->closes)
        ncs_amend_make_plain(p, NCS_FN_ncclGroupEnd);
    local->label = said.label;
    local->unverified = said.unverified;
}

static bool is_due(const struct passing *p, size_t i)
{
    const struct change *c = ncs_amend_change(p, i);
    uint32_t made = ncs_amend_counted(p->s, c->nth);
    if (p->s->done[i] || !ncs_amend_is(p, i, NCS_EDIT_INSERT))
        return false;
    if (p->ends && (!p->nth || p->nth == c->nth))
        return true;
    if (p->number && p->nth == c->nth && p->number >= c->edit.call)
        return true;
    if (made + 1 < c->edit.call || (p->call && p->call->opening))
        return false;
    if (c->with_previous)
        return made + 1 >= c->edit.call && made > 0;
    return !c->with_next && ncs_local->group_depth == 0 &&
           (!c->after.file || p->s->seen[i] >= c->after.nth);
}

bool ncs_amend_any_due(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (is_due(p, i))
            return true;
    return false;
}

void ncs_amend_insert_due(const struct passing *p)
{
    for (size_t i = 0; i < p->s->changes; i++)
        if (is_due(p, i))
            insert(p, i);
}
