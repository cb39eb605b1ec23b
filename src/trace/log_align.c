/* Fills gaps of a log so that no rank is blamed for missing lines: calls of ranks without lines, and
 * unfinished calls on communicators that have ended. */
#include "base/hash.h"
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
        else if (end[c->comm] && c->state != RECORD_GONE)
            c->state = end[c->comm];
        if (c->fn == NCS_FN_ncclCommInitRank && end[c->comm])
            c->pending = false;
    }
    ncs_free(end);
}

/* The end of an init, or a call on the communicator, shows that no rank is missing, whatever lines are lost
 * (trace/README.md, rule 12). Where all have entered it and NCCL warned, it has failed. */
static bool end_inits(struct record *r, bool warned, struct ncs_error *err)
{
    int *waits = ncs_new(r->comms * sizeof *waits);
    struct ncs_map joined = { 0 };
    bool *made = ncs_new(r->comms * sizeof *made);
    struct record_call *c = NULL;
    bool ok = true;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < r->ranks; k++)
            for (size_t i = 0; i < r->rank[k].calls; i++) {
                c = &r->rank[k].call[i];
                waits[c->comm] += pass == 0 && c->pending;
                if (c->fn == NCS_FN_ncclCommInitRank)
                    ncs_map_put_number(&joined, ncs_hash((uint64_t)c->comm, (uint64_t)k), 1);
                made[c->comm] |= !c->pending || (warned && waits[c->comm] == r->comm[c->comm].nranks);
                c->pending &= !made[c->comm];
            }
    for (size_t i = 0; i < r->comms; i++)
        for (int k = 0; k < r->comm[i].nranks && made[i] && r->comm[i].made; k++) {
            int rank = r->comm[i].rank[k];
            if (!r->rank[rank].source || ncs_map_number(&joined, ncs_hash((uint64_t)i, (uint64_t)rank)))
                continue;
            ok &= (c = ncs_record_add(r, rank, err)) != NULL;
            if (c)
                *c = (struct record_call){ .fn = NCS_FN_ncclCommInitRank, .comm = (int)i, .comm_rank = k };
            ncs_record_doubt(r, rank, true, "it could also be that rank %d made the missing calls: its log has lost lines", rank);
        }
    ncs_map_free(&joined);
    ncs_free(waits);
    ncs_free(made);
    return ok;
}

static void excuse_all(struct record *r, int comm)
{
    for (int k = 0; k < r->ranks; k++)
        for (size_t i = 0; i < r->rank[k].calls; i++)
            if (r->rank[k].call[i].comm == comm)
                r->rank[k].call[i].state = RECORD_OVER;
}

/* How many collectives the ranks of each communicator have: of communicator i from first[i] on. */
struct align_counts {
    size_t *first, *calls;
};

static struct align_counts count_by_rank(const struct record *r)
{
    struct align_counts all = { .first = ncs_new((r->comms + 1) * sizeof(size_t)) };
    for (size_t i = 0; i < r->comms; i++)
        all.first[i + 1] = all.first[i] + (size_t)r->comm[i].nranks;
    all.calls = ncs_new((all.first[r->comms] + 1) * sizeof(size_t));
    for (int k = 0; k < r->ranks; k++)
        for (size_t n = 0; n < r->rank[k].calls; n++) {
            const struct record_call *c = &r->rank[k].call[n];
            if (ncs_record_is_collective(c))
                all.calls[all.first[c->comm] + (size_t)c->comm_rank]++;
        }
    return all;
}

static void free_counts(struct align_counts *all)
{
    ncs_free(all->first);
    ncs_free(all->calls);
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
            int peer = pair && c->root >= 0 && c->root < r->comm[c->comm].nranks ? r->comm[c->comm].rank[c->root] : 0;
            if (pair && (peer < 0 || !r->rank[peer].source))
                c->state = RECORD_OVER;
        }
    struct align_counts all = count_by_rank(r);
    for (size_t i = 0; i < r->comms; i++) {
        int model = -1;
        size_t most = 0;
        for (int k = 0; k < r->comm[i].nranks; k++) {
            size_t calls = all.calls[all.first[i] + (size_t)k];
            if (calls > most) {
                most = calls;
                model = k;
            }
        }
        if (model >= 0 && !pending[i] && !ncs_record_imply(r, (int)i, model, most))
            excuse_all(r, (int)i);
    }
    free_counts(&all);
    ncs_free(pending);
}

/* Marks the ranks that may be members of which the log has no line. A part has ranks of its communicator alone: those
 * that are in no other part, as far as lines tell. Other communicators
 * have ranks without any line. False = there is no such rank of a part. */
static bool find_absent_of(const struct record *r, const struct record_comm *comm, bool *may)
{
    bool any = false;
    for (int rank = 0; rank < r->ranks && comm->split_from >= 0; rank++) {
        may[rank] = ncs_record_is_member(&r->comm[comm->split_from], rank) && !ncs_record_is_member(comm, rank);
        for (size_t i = 0; i < r->comms && may[rank]; i++)
            may[rank] = r->comm[i].split_from != comm->split_from || !ncs_record_is_member(&r->comm[i], rank);
        any |= may[rank];
    }
    for (int rank = 0; rank < r->ranks && !any; rank++)
        may[rank] = !r->rank[rank].source && !ncs_record_is_member(comm, rank);
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

/* The last lines may be lost with their process: a rank with fewer calls may have made more. A split, a destroy and an abort leave a line
 * only when they are over. */
static void doubt_short(struct record *r, const struct record_comm *info, const size_t *calls)
{
    size_t most = 0;
    for (int k = 0; k < info->nranks; k++)
        most = calls[k] > most ? calls[k] : most;
    for (int k = 0; k < info->nranks; k++)
        if (info->rank[k] >= 0 && r->rank[info->rank[k]].source && calls[k] < most)
            ncs_record_doubt(
                r, info->rank[k], false,
                "it could also be that rank %d made the missing calls, if the end of its log is lost, or waits in a call "
                "that leaves no line, as ncclCommSplit or ncclCommDestroy",
                info->rank[k]);
}

bool ncs_log_align(struct record *r, bool warned, struct ncs_error *err)
{
    if (!number_absent(r, err))
        return false;
    for (int k = 0; k < r->ranks; k++)
        end_calls(r, k);
    if (!end_inits(r, warned, err))
        return false;
    ncs_record_note_missing(r);
    excuse_missing(r);
    struct align_counts all = count_by_rank(r);
    for (size_t i = 0; i < r->comms; i++)
        doubt_short(r, &r->comm[i], &all.calls[all.first[i]]);
    free_counts(&all);
    return true;
}
