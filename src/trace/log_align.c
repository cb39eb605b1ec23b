/* Fills gaps of a log so that no rank is blamed for missing lines: calls of ranks without lines, and
 * unfinished calls on communicators that have ended. */
#include "base/mem.h"
#include "trace/record.h"

/* A rank that destroyed a communicator had nothing left to wait for on it; a rank that aborted it waits no more. */
static void end_calls(struct record *r, int rank)
{
    enum record_state *end = ncs_new(r->comms * sizeof *end);
    for (size_t i = r->rank[rank].calls; i-- > 0;) {
        struct record_call *c = &r->rank[rank].call[i];
        if (ncs_fn_info[c->fn].ends == NCS_ENDS_COMM)
            end[c->comm] = c->fn == NCS_FN_ncclCommAbort ? RECORD_GONE : RECORD_OVER;
        else if (end[c->comm])
            c->state = end[c->comm];
        if (c->fn == NCS_FN_ncclCommInitRank && end[c->comm])
            c->pending = false;
    }
    ncs_free(end);
}

static void excuse_all(struct record *r, int comm)
{
    for (int k = 0; k < r->ranks; k++)
        for (size_t i = 0; i < r->rank[k].calls; i++)
            if (r->rank[k].call[i].comm == comm)
                r->rank[k].call[i].state = RECORD_OVER;
}

/* The log does not show the calls of ranks without lines: nobody counts as waiting for them. */
static void excuse_missing(struct record *r)
{
    bool *pending = ncs_new(r->comms * sizeof *pending); /* the missing ranks have not joined it */
    for (int k = 0; k < r->ranks; k++)
        for (size_t i = 0; i < r->rank[k].calls; i++) {
            struct record_call *c = &r->rank[k].call[i];
            pending[c->comm] |= c->pending;
            bool pair = ncs_fn_info[c->fn].pair;
            int peer = pair && c->root >= 0 && c->root < r->comm[c->comm].nranks ? r->comm[c->comm].rank[c->root]
                                                                                 : 0;
            if (pair && (peer < 0 || !r->rank[peer].source))
                c->state = RECORD_OVER;
        }
    for (size_t i = 0; i < r->comms; i++) {
        int model = -1;
        size_t most = 0;
        for (int k = 0; k < r->comm[i].nranks; k++) {
            size_t calls = 0;
            const struct record_rank *from = r->comm[i].rank[k] >= 0 ? &r->rank[r->comm[i].rank[k]] : NULL;
            for (size_t c = 0; from && c < from->calls; c++)
                calls += from->call[c].comm == (int)i && ncs_record_is_collective(&from->call[c]);
            if (calls > most) {
                most = calls;
                model = k;
            }
        }
        if (model >= 0 && !pending[i] && !ncs_record_imply(r, (int)i, model, most))
            excuse_all(r, (int)i);
    }
    ncs_free(pending);
}

static bool has_member(const struct record_comm *comm, int rank)
{
    for (int k = 0; k < comm->nranks; k++)
        if (comm->rank[k] == rank)
            return true;
    return false;
}

/* Marks the ranks that may be members of which the log has no line. A part has ranks of its communicator alone: those
 * that are in no other part, as far as lines tell. Other communicators
 * have ranks without any line. False = there is no such rank of a part. */
static bool find_absent_of(const struct record *r, const struct record_comm *comm, bool *may)
{
    bool any = false;
    for (int rank = 0; rank < r->ranks && comm->split_from >= 0; rank++) {
        may[rank] = has_member(&r->comm[comm->split_from], rank) && !has_member(comm, rank);
        for (size_t i = 0; i < r->comms && may[rank]; i++)
            may[rank] = r->comm[i].split_from != comm->split_from || !has_member(&r->comm[i], rank);
        any |= may[rank];
    }
    for (int rank = 0; rank < r->ranks && !any; rank++)
        may[rank] = !r->rank[rank].source && !has_member(comm, rank);
    return any;
}

/* Gives ranks of a communicator of which the log has no line the lowest numbers that fit. */
static bool number_absent_of(struct record *r, struct record_comm *comm, struct ncs_error *err)
{
    int known = r->ranks, next = 0, lost = 0;
    bool *may = ncs_new((size_t)known * sizeof *may), fits = true;
    bool part = find_absent_of(r, comm, may);
    for (int k = 0; k < comm->nranks && fits; k++) {
        if (comm->rank[k] >= 0)
            continue;
        while (next < known && !may[next])
            next++;
        fits = ncs_record_has_rank(r, next, err);
        lost += part && next < known && r->rank[next].source;
        if (fits)
            comm->rank[k] = next++;
    }
    if (lost)
        ncs_record_note(r, "the log has lost lines: it shows %d of the %d ranks of %s", comm->nranks - lost, comm->nranks,
                        comm->name);
    ncs_free(may);
    return fits;
}

/* Ranks without lines on communicators other than the world have no number in the log: gives them one. */
static bool number_absent(struct record *r, struct ncs_error *err)
{
    for (size_t i = 0; i < r->comms; i++) {
        int k = 0;
        while (k < r->comm[i].nranks && r->comm[i].rank[k] >= 0)
            k++;
        if (k < r->comm[i].nranks && !number_absent_of(r, &r->comm[i], err))
            return false;
    }
    return true;
}

/* The last lines may be lost with their process: a rank with fewer calls may have made more. */
static void doubt_short(struct record *r, int comm)
{
    const struct record_comm *info = &r->comm[comm];
    size_t *calls = ncs_new((size_t)info->nranks * sizeof *calls), most = 0;
    for (int k = 0; k < info->nranks; k++) {
        const struct record_rank *own = info->rank[k] >= 0 ? &r->rank[info->rank[k]] : NULL;
        for (size_t i = 0; own && i < own->calls; i++)
            calls[k] += own->call[i].comm == comm && ncs_record_is_collective(&own->call[i]);
        most = calls[k] > most ? calls[k] : most;
    }
    for (int k = 0; k < info->nranks; k++)
        if (info->rank[k] >= 0 && r->rank[info->rank[k]].source && calls[k] < most)
            ncs_record_doubt(r, info->rank[k], false, "it could also be that rank %d made the missing calls, if the "
                             "end of its log is lost", info->rank[k]);
    ncs_free(calls);
}

bool ncs_log_align(struct record *r, struct ncs_error *err)
{
    if (!number_absent(r, err))
        return false;
    for (int k = 0; k < r->ranks; k++)
        end_calls(r, k);
    ncs_record_note_missing(r);
    excuse_missing(r);
    for (size_t i = 0; i < r->comms; i++)
        doubt_short(r, (int)i);
    return true;
}
