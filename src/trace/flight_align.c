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
};

static struct span span_of(const struct record *r, int comm, int rank)
{
    struct span s = { INT64_MAX, INT64_MIN, 0, 0 };
    for (size_t i = 0; i < r->rank[rank].calls; i++) {
        const struct record_call *c = &r->rank[rank].call[i];
        if (c->comm != comm || !ncs_record_is_collective(c))
            continue;
        s.first = c->seq < s.first ? c->seq : s.first;
        s.last = c->seq > s.last ? c->seq : s.last;
        s.calls++;
        if (c->state == RECORD_OVER)
            s.over = s.calls;
    }
    return s;
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

static bool is_lost(const struct record_call *c, int comm, int64_t start)
{
    if (c->comm != comm)
        return false;
    return ncs_record_is_collective(c) ? c->seq < start : c->state == RECORD_OVER;
}

static void drop_before(struct record *r, int comm, int rank, int64_t start)
{
    struct record_rank *k = &r->rank[rank];
    size_t kept = 0;
    for (size_t i = 0; i < k->calls; i++)
        if (!is_lost(&k->call[i], comm, start))
            k->call[kept++] = k->call[i];
    r->calls -= k->calls - kept;
    k->calls = kept;
}

static void start_together(struct record *r, int comm)
{
    struct record_comm *info = &r->comm[comm];
    int64_t start = -1;
    int *cut = NULL;
    size_t cuts = 0, room = 0;
    bool lost = false, any = false;
    for (int k = 0; k < info->nranks; k++) {
        int rank = info->rank[k];
        if (rank < 0 || !(r->rank[rank].cut || r->rank[rank].window))
            continue;
        lost = true;
        struct span s = span_of(r, comm, rank);
        if (s.calls && s.first > start)
            start = s.first;
        any |= s.calls > 0;
        if (s.calls && r->rank[rank].cut)
            NCS_PUSH(cut, cuts, room, rank);
    }
    for (int k = 0; k < info->nranks && lost; k++) {
        struct span s = info->rank[k] >= 0 ? span_of(r, comm, info->rank[k]) : (struct span){ 0 };
        int64_t before = !any ? 0 : s.calls && s.last < start - 1 ? s.last : start - 1;
        info->before[k] = before > 0 && before < UINT32_MAX / 2 ? (uint32_t)before : 0;
        if (info->rank[k] >= 0)
            drop_before(r, comm, info->rank[k], start);
    }
    if (cuts && start > 1) {
        struct ncs_str who = { 0 };
        ncs_str_add_many_ranks(&who, cut, cuts);
        ncs_record_note(r,
                        "%s: the dump%s of rank%s %s %s lost the oldest calls; the ranks are compared from "
                        "number %" PRId64 " on",
                        info->name, cuts == 1 ? "" : "s", cuts == 1 ? "" : "s", who.text, cuts == 1 ? "has" : "have", start);
        r->trace->late = true;
        ncs_str_free(&who);
    }
    ncs_free(cut);
}

/* ---- sizes ---- */

/* A size or type that is missing in one dump is not compared (trace/README.md, rule 7). Unsaid sizes become 1, because a
 * size of 0 would mean an empty call. */
static void align_mark_unsaid(struct record *r, int comm, bool pairs)
{
    enum { SIZE = NCS_UNSAID_COUNT | NCS_UNSAID_DTYPE };
    const struct record_comm *info = &r->comm[comm];
    unsigned unsaid = 0;
    for (int apply = 0; apply < 2; apply++)
        for (int k = 0; k < info->nranks; k++)
            for (size_t i = 0; info->rank[k] >= 0 && i < r->rank[info->rank[k]].calls; i++) {
                struct record_call *c = &r->rank[info->rank[k]].call[i];
                if (c->comm != comm || ncs_record_is_collective(c) == pairs)
                    continue;
                if (!apply)
                    unsaid |= c->fn == NCS_FN_ncclAlltoAll || c->unsaid & NCS_UNSAID_KIND ? 0 : c->unsaid & SIZE;
                c->unsaid |= apply ? unsaid : 0;
                if (apply && c->unsaid & NCS_UNSAID_COUNT)
                    c->count = 1;
                if (apply && c->unsaid & NCS_UNSAID_DTYPE)
                    c->dtype = -1;
            }
}

/* ---- ranks without a dump ---- */

/* The nth collective of a rank on a communicator; NULL = it has made fewer. */
static const struct record_call *nth_of(const struct record *r, int comm, int rank, size_t nth)
{
    for (size_t i = 0; i < r->rank[rank].calls; i++) {
        const struct record_call *c = &r->rank[rank].call[i];
        if (c->comm == comm && ncs_record_is_collective(c) && nth-- == 0)
            return c;
    }
    return NULL;
}

/* True if ranks with readable dumps disagree among themselves: then a rank without one is not the cause. Calls that
 * differ show it. That a rank has fewer calls shows it only if the dumps of all others were left: while a rank is gone,
 * the others get ahead of each other. */
static bool known_disagree(const struct record *r, int comm)
{
    enum { COMPARED = 64 }; /* unfinished calls */
    const struct record_comm *info = &r->comm[comm];
    int first = -1;
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
        first = first < 0 ? rank : first;
        size_t calls = span_of(r, comm, first).calls, over = span_of(r, comm, first).over;
        fewer |= span_of(r, comm, rank).calls != calls;
        for (size_t i = over; i < calls && i < over + COMPARED && !differ; i++) {
            const struct record_call *a = nth_of(r, comm, first, i), *b = nth_of(r, comm, rank, i);
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
static void add_implied(struct record *r, int comm)
{
    struct record_comm *info = &r->comm[comm];
    int model = -1;
    size_t most = 0;
    bool all = known_disagree(r, comm);
    for (int k = 0; k < info->nranks; k++) {
        struct span s = info->rank[k] >= 0 ? span_of(r, comm, info->rank[k]) : (struct span){ 0 };
        size_t calls = all ? s.calls : s.over;
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
    for (size_t i = 0; i < r->comms; i++)
        start_together(r, (int)i);
    for (size_t i = 0; i < r->comms; i++) {
        align_mark_unsaid(r, (int)i, false);
        align_mark_unsaid(r, (int)i, true);
        if (!r->excused)
            add_implied(r, (int)i);
    }
    for (int k = 0; k < r->ranks; k++)
        set_streams(r, k);
}
