/* Makes dumps comparable. A ring buffer begins where it happened to be full, so the calls of a
 * communicator are compared from the first one that all ranks have. Calls of ranks without a dump are
 * derived from the other ranks' calls. Calls that were never started are placed after the call that their
 * rank had in flight. */
#include <inttypes.h>

#include "base/mem.h"
#include "trace/record.h"

/* The collectives of a rank on a communicator. */
struct span {
    int64_t first, last;
    size_t calls, over; /* over: up to the last completed one */
    size_t at;          /* of its calls, in the list of all */
};

/* By member: those of communicator i are from first[i] on. */
struct spans {
    size_t *first, *call; /* call: indices among the calls of the member's rank */
    struct span *of;
};

/* NULL = the call is a message, or its rank is no known member. */
static struct span *span_of_call(const struct spans *all, const struct record_call *c)
{
    size_t at = all->first[c->comm] + (size_t)c->comm_rank;
    bool member = c->comm_rank >= 0 && at < all->first[c->comm + 1];
    return member && ncs_record_is_collective(c) ? &all->of[at] : NULL;
}

static void add_to_span(struct span *s, const struct record_call *c)
{
    s->first = !s->calls || c->seq < s->first ? c->seq : s->first;
    s->last = !s->calls || c->seq > s->last ? c->seq : s->last;
    s->calls++;
    if (c->state == RECORD_OVER)
        s->over = s->calls;
}

static struct spans member_spans(const struct record *r)
{
    struct spans all = { .first = ncs_new((r->comms + 1) * sizeof *all.first),
                         .call = ncs_new((r->calls + 1) * sizeof *all.call) };
    for (size_t i = 0; i < r->comms; i++)
        all.first[i + 1] = all.first[i] + (size_t)r->comm[i].nranks;
    all.of = ncs_new((all.first[r->comms] + 1) * sizeof *all.of);
    for (int fill = 0; fill < 2; fill++) {
        for (int k = 0; k < r->ranks; k++)
            for (size_t n = 0; n < r->rank[k].calls; n++) {
                struct span *s = span_of_call(&all, &r->rank[k].call[n]);
                if (s && fill)
                    all.call[s->at++] = n;
                else if (s)
                    add_to_span(s, &r->rank[k].call[n]);
            }
        size_t at = 0;
        for (size_t i = 0; i < all.first[r->comms]; at += all.of[i++].calls)
            all.of[i].at = at;
    }
    return all;
}

static void free_spans(struct spans *all)
{
    ncs_free(all->first);
    ncs_free(all->call);
    ncs_free(all->of);
}

/* ---- completed calls ---- */

/* All calls before a completed one are complete (trace/README.md, rule 5). */
static void carry_over(struct record *r, int rank)
{
    bool *over = ncs_new(r->comms * sizeof *over);
    for (size_t i = r->rank[rank].calls; i-- > 0;) {
        struct record_call *c = &r->rank[rank].call[i];
        if (c->state == RECORD_OVER)
            over[c->comm] = true;
        else if (over[c->comm])
            c->state = RECORD_OVER;
    }
    ncs_free(over);
}

/* ---- a common start ---- */

/* Where the calls of a communicator start that all ranks have. */
struct start {
    int64_t at; /* the first number that is kept */
    bool lost;  /* a rank has lost calls */
};

static bool is_lost(const struct record_call *c, const struct start *start)
{
    if (!start[c->comm].lost)
        return false;
    return ncs_record_is_collective(c) ? c->seq < start[c->comm].at : c->state == RECORD_OVER;
}

static void drop_before(struct record *r, const struct start *start)
{
    for (int rank = 0; rank < r->ranks; rank++) {
        struct record_rank *k = &r->rank[rank];
        size_t kept = 0;
        for (size_t i = 0; i < k->calls; i++)
            if (!is_lost(&k->call[i], start))
                k->call[kept++] = k->call[i];
        r->calls -= k->calls - kept;
        k->calls = kept;
    }
}

static struct start find_common_start(struct record *r, int comm, const struct span *span)
{
    struct record_comm *info = &r->comm[comm];
    struct start start = { .at = -1 };
    int *cut = NULL;
    size_t cuts = 0, room = 0;
    bool any = false;
    for (int k = 0; k < info->nranks; k++) {
        int rank = info->rank[k];
        if (rank < 0 || !(r->rank[rank].cut || r->rank[rank].window))
            continue;
        start.lost = true;
        if (span[k].calls && span[k].first > start.at)
            start.at = span[k].first;
        any |= span[k].calls > 0;
        if (span[k].calls && r->rank[rank].cut)
            NCS_PUSH(cut, cuts, room, rank);
    }
    for (int k = 0; k < info->nranks && start.lost; k++) {
        int64_t before = !any ? 0 : span[k].calls && span[k].last < start.at - 1 ? span[k].last : start.at - 1;
        info->before[k] = before > 0 && before < UINT32_MAX / 2 ? (uint32_t)before : 0;
    }
    if (cuts && start.at > 1) {
        struct ncs_str who = { 0 };
        ncs_str_add_many_ranks(&who, cut, cuts);
        ncs_record_note(r,
                        "%s: the dump%s of rank%s %s %s lost the oldest calls; the ranks are compared from "
                        "number %" PRId64 " on",
                        info->name, cuts == 1 ? "" : "s", cuts == 1 ? "" : "s", who.text, cuts == 1 ? "has" : "have", start.at);
        r->trace->late = true;
        ncs_str_free(&who);
    }
    ncs_free(cut);
    return start;
}

static void start_together(struct record *r)
{
    struct spans all = member_spans(r);
    struct start *start = ncs_new(r->comms * sizeof *start);
    for (size_t i = 0; i < r->comms; i++)
        start[i] = find_common_start(r, (int)i, &all.of[all.first[i]]);
    drop_before(r, start);
    ncs_free(start);
    free_spans(&all);
}

/* ---- sizes ---- */

/* A size or type that is missing in one dump is not compared (trace/README.md, rule 7). Unsaid sizes become 1, because a
 * size of 0 would mean an empty call. */
static void align_mark_unsaid(struct record *r)
{
    enum { SIZE = NCS_UNSAID_COUNT | NCS_UNSAID_DTYPE };
    unsigned *unsaid = ncs_new(2 * r->comms * sizeof *unsaid);
    for (int apply = 0; apply < 2; apply++)
        for (int k = 0; k < r->ranks; k++)
            for (size_t i = 0; i < r->rank[k].calls; i++) {
                struct record_call *c = &r->rank[k].call[i];
                unsigned *of = &unsaid[2 * c->comm + ncs_record_is_collective(c)];
                if (!apply)
                    *of |= c->fn == NCS_FN_ncclAlltoAll || c->unsaid & NCS_UNSAID_KIND ? 0 : c->unsaid & SIZE;
                c->unsaid |= apply ? *of : 0;
                if (apply && c->unsaid & NCS_UNSAID_COUNT)
                    c->count = 1;
                if (apply && c->unsaid & NCS_UNSAID_DTYPE)
                    c->dtype = -1;
            }
    ncs_free(unsaid);
}

/* ---- ranks without a dump ---- */

/* The nth collective of a member; NULL = it has made fewer. */
static const struct record_call *nth_of(const struct record_rank *k, const struct spans *all, const struct span *s, size_t nth)
{
    return nth < s->calls ? &k->call[all->call[s->at + nth]] : NULL;
}

/* True if ranks with readable dumps disagree among themselves: then a rank without one is not the cause. Calls that
 * differ show it. That a rank has fewer calls shows it only if the dumps of all others were left: while a rank is gone,
 * the others get ahead of each other. */
static bool known_disagree(const struct record *r, int comm, const struct spans *all)
{
    enum { COMPARED = 64 }; /* unfinished calls */
    const struct record_comm *info = &r->comm[comm];
    const struct span *span = &all->of[all->first[comm]], *model = NULL;
    const struct record_rank *first = NULL;
    bool unknown = false, gone = false, differ = false, fewer = false;
    for (int k = 0; k < info->nranks; k++) {
        int rank = info->rank[k];
        if (rank < 0)
            return false;
        if (!r->rank[rank].source) {
            unknown = true;
            gone |= !r->rank[rank].spoilt;
            continue;
        }
        model = model ? model : &span[k];
        first = first ? first : &r->rank[rank];
        fewer |= span[k].calls != model->calls;
        for (size_t i = model->over; i < model->calls && i < model->over + COMPARED && !differ; i++) {
            const struct record_call *a = nth_of(first, all, model, i), *b = nth_of(&r->rank[rank], all, &span[k], i);
            differ = b && (a->fn != b->fn || a->count != b->count || a->dtype != b->dtype);
        }
    }
    return unknown && (differ || (fewer && !gone));
}

/* Notes that ranks without a dump may have done as the rarer ones did, where so few dumps are left that this would make
 * the rarer calls as common as the others. */
static void doubt_majority(struct record *r, int comm)
{
    const struct record_comm *info = &r->comm[comm];
    int known = 0;
    for (int k = 0; k < info->nranks; k++)
        known += r->rank[info->rank[k]].source != NULL;
    for (int k = 0; k < info->nranks && known <= info->nranks - known + 2; k++)
        if (r->rank[info->rank[k]].source)
            ncs_record_doubt(r, info->rank[k], true,
                             "it could also be that rank %d is right: a rank whose dump is missing "
                             "may have made the same calls",
                             info->rank[k]);
}

/* Gives ranks without a dump the calls that other ranks have completed, which need all ranks. If the
 * readable dumps disagree anyway, such a rank gets as many calls as the rank with most. */
static void add_implied(struct record *r, int comm, const struct spans *spans)
{
    struct record_comm *info = &r->comm[comm];
    int model = -1;
    size_t most = 0;
    bool all = known_disagree(r, comm, spans);
    for (int k = 0; k < info->nranks; k++) {
        const struct span *s = &spans->of[spans->first[comm] + (size_t)k];
        size_t calls = all ? s->calls : s->over;
        if (calls > most) {
            most = calls;
            model = k;
        }
    }
    if (model >= 0)
        ncs_record_imply(r, comm, model, most);
    if (all)
        doubt_majority(r, comm);
}

/* ---- streams ---- */

/* trace/README.md, rule 5. */
static void set_streams(struct record *r, int rank)
{
    uint64_t behind = 0;
    for (size_t i = 0; i < r->rank[rank].calls; i++) {
        struct record_call *c = &r->rank[rank].call[i];
        c->stream = 0x1000 + (uint64_t)c->comm;
        if (c->state == RECORD_OVER)
            continue;
        if (!behind)
            behind = c->stream;
        if (c->state != RECORD_STARTED && !c->apart)
            c->stream = behind;
    }
}

void ncs_flight_align(struct record *r)
{
    for (int k = 0; k < r->ranks; k++)
        carry_over(r, k);
    start_together(r);
    align_mark_unsaid(r);
    struct spans all = member_spans(r);
    for (size_t i = 0; i < r->comms && !r->excused; i++)
        add_implied(r, (int)i, &all);
    free_spans(&all);
    for (int k = 0; k < r->ranks; k++)
        set_streams(r, k);
}
