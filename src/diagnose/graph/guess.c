/* Edges that the snapshot does not state: what a poll looks at, and which rank is missing if no record names it. */
#include "diagnose/analysis.h"

#include "base/mem.h"

/* Connects a vain poll to what it polls: unfinished operations on the stream that it asks
 * for, else all of its rank's, else work in the background. A sleep in the loop counts as
 * part of the poll. */
void ncs_connect_poll(struct ncs_analysis *q, int context)
{
    const struct ncs_snap_context *c = &q->snap->context[context];
    bool sleeps = c->state == NCS_CONTEXT_SLEEPING && q->snap->stop == NCS_STOP_LIVELOCK;
    if (!ncs_polls(q, c) && !sleeps)
        return;
    const void *stream = c->call ? ncs_call_stream(c->call) : NULL;
    for (int pass = stream ? 0 : 1; pass < 2; pass++) {
        bool found = false;
        for (size_t i = 0; i < q->snap->ops; i++) {
            const struct ncs_snap_op *o = &q->snap->op[i];
            if (o->rank != c->rank || (pass == 0 && (!o->call || ncs_call_stream(o->call) != stream)))
                continue;
            ncs_connect(q, context, ncs_op_node(q, (int)i));
            found = true;
        }
        if (found)
            return;
    }
    for (size_t i = 0; i < q->snap->jobs; i++)
        if (q->snap->job[i].rank == c->rank)
            ncs_connect(q, context, ncs_job_node(q, (int)i));
}

/* An unmet wait lacks a rank that no record names. Any context of a rank that is not at the meeting may be it. If all
 * ranks are there, the one rank at the meeting was to come a second time, by another thread. */
void ncs_connect_unknown(struct ncs_analysis *q, size_t unmet)
{
    bool found = false;
    for (int pass = 0; pass < 2 && !found; pass++) {
        if (pass == 1 && q->unmet[unmet].presents > 1)
            return; /* nothing shows which of several ranks was to come twice */
        for (size_t i = 0; i < q->snap->contexts; i++) {
            const struct ncs_snap_context *c = &q->snap->context[i];
            bool there = false;
            for (size_t k = 0; k < q->unmet[unmet].presents; k++)
                there |= q->unmet[unmet].present[k]->rank == c->rank;
            if (there != (pass == 1))
                continue;
            found = true;
            if (c->state != NCS_CONTEXT_ENDED)
                ncs_connect(q, ncs_unmet_node(q, unmet), (int)i);
        }
    }
}

/* A broken record may name others. */
static bool is_rank(const struct ncs_analysis *q, int rank)
{
    return rank >= 0 && rank < q->ranks;
}

bool *ncs_holders_of_id(const struct ncs_analysis *q, const struct ncs_unmet *n, bool sets)
{
    bool *has = ncs_new(((size_t)q->ranks + 1) * sizeof *has);
    const union ncs_arg *id = n->call && ncs_is_init(n->call) ? ncs_call_arg(n->call, NCS_ARG_ID) : NULL;
    for (const struct ncs_host_step *h = q->journal->oldest_host; id && h; h = h->newer)
        if (h->unique_id == id->u && is_rank(q, h->rank) && (h->kind == NCS_HOST_GET || (sets && h->kind == NCS_HOST_SET)))
            has[h->rank] = true;
    for (size_t i = 0; id && i < q->rares; i++) {
        const union ncs_arg *own = ncs_is_init(q->rare[i]) ? ncs_call_arg(q->rare[i], NCS_ARG_ID) : NULL;
        if (own && own->u == id->u && is_rank(q, q->rare[i]->rank))
            has[q->rare[i]->rank] = true;
    }
    for (size_t i = 0; i < n->presents; i++)
        if (is_rank(q, n->present[i]->rank))
            has[n->present[i]->rank] = false;
    return has;
}

/* No record names the ranks that an init lacks. If as many have the id without having joined, these are the ones. Who only
 * put the id into the store may have done so for others: that is a guess. */
void ncs_find_by_id(const struct ncs_analysis *q, struct ncs_unmet *n)
{
    size_t unknown = 0, found = 0;
    for (size_t i = 0; i < n->absents; i++)
        unknown += ncs_run_rank(q, n->comm, n->absent[i].comm_rank) < 0;
    for (int sets = 0; sets < 2 && found != unknown; sets++) {
        bool *has = ncs_holders_of_id(q, n, sets);
        found = 0;
        for (int r = 0; r < q->ranks; r++)
            found += has[r];
        for (int r = 0, i = 0; r < q->ranks && found == unknown; r++) {
            if (!has[r])
                continue;
            while (ncs_run_rank(q, n->comm, n->absent[i].comm_rank) >= 0)
                i++;
            n->absent[i].guessed = sets;
            n->absent[i++].rank = r;
        }
        ncs_free(has);
    }
}
