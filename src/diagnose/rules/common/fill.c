/* Fills a finding: culprits, rows of the table, steps of a cycle, blocked ranks. */
#include "diagnose/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"

/* Sorted by rank, each once. Ranks mostly come in order, so the last one is compared first: a run
 * may have thousands of them. */
void ncs_add_culprit(struct ncs_draft *d, int rank, uint32_t call, int line)
{
    size_t at = d->f.culprits;
    bool last = !at || d->f.culprit[at - 1].rank < rank;
    for (size_t i = 0; i < d->f.culprits && !last; i++)
        if (d->f.culprit[i].rank == rank)
            return;
    struct ncs_culprit c = { .rank = rank, .call = call, .line = line, .comm_rank = -1 };
    NCS_PUSH(d->f.culprit, d->f.culprits, d->culprit_room, c);
    for (; at > 0 && d->f.culprit[at - 1].rank > rank; at--)
        d->f.culprit[at] = d->f.culprit[at - 1];
    d->f.culprit[at] = c;
}

void ncs_add_reading(struct ncs_draft *d, const char *rule, const int *rank, size_t count, char *why)
{
    struct ncs_finding other = { .rule = rule, .why = ncs_plain(why) };
    size_t room = d->f.others, culprit_room = 0;
    for (size_t i = 0; i < count; i++) {
        struct ncs_culprit c = { .rank = rank[i], .comm_rank = -1 };
        NCS_PUSH(other.culprit, other.culprits, culprit_room, c);
    }
    char *doubt = ncs_text("it could also be that %s", why);
    ncs_finding_doubt(&d->f, doubt);
    ncs_free(doubt);
    NCS_PUSH(d->f.other, d->f.others, room, other);
}

struct ncs_fact ncs_fact_culprits(const char *name, const struct ncs_draft *d)
{
    int *ranks = ncs_new((d->f.culprits + 1) * sizeof *ranks);
    for (size_t i = 0; i < d->f.culprits; i++)
        ranks[i] = d->f.culprit[i].rank;
    struct ncs_fact fact = ncs_fact_ranks(name, ranks, d->f.culprits);
    ncs_free(ranks);
    return fact;
}

static void fill_add_row(struct ncs_draft *d, size_t from, int rank, int line, struct ncs_sentence *said)
{
    struct ncs_finding_row row = { .rank = rank, .said = said, .line = line };
    size_t at = d->f.rows;
    NCS_PUSH(d->f.row, d->f.rows, d->row_room, row);
    for (; at > from && d->f.row[at - 1].rank > rank; at--)
        d->f.row[at] = d->f.row[at - 1];
    d->f.row[at] = row;
}

void ncs_add_row(struct ncs_draft *d, int rank, int line, struct ncs_sentence *said)
{
    fill_add_row(d, 0, rank, line, said);
}

/* Rows in order from here on join rows in order before them, behind those of the same rank. */
static void fill_merge_rows(struct ncs_draft *d, size_t from)
{
    struct ncs_finding_row *first = ncs_new((from + 1) * sizeof *first), *row = d->f.row;
    size_t i = 0, next = from;
    if (from)
        memcpy(first, row, from * sizeof *first);
    for (size_t at = 0; i < from; at++)
        row[at] = next < d->f.rows && row[next].rank < first[i].rank ? row[next++] : first[i++];
    ncs_free(first);
}

/* Copies the communicator's name: steps outlive the analysis. */
void ncs_add_step(struct ncs_draft *d, const struct ncs_cycle_step *step)
{
    struct ncs_cycle_step s = *step;
    s.comm = ncs_copy_text(step->comm);
    NCS_PUSH(d->f.cycle, d->f.cycles, d->cycle_room, s);
}

/* A flag for each rank that is a culprit or in the cycle. The caller frees the array. */
static bool *who_takes_part(const struct ncs_analysis *q, const struct ncs_finding *f)
{
    bool *part = ncs_new((size_t)(q->ranks + 1) * sizeof *part);
    for (size_t i = 0; i < f->culprits; i++)
        if (f->culprit[i].rank >= 0 && f->culprit[i].rank < q->ranks)
            part[f->culprit[i].rank] = true;
    for (size_t i = 0; i < f->cycles; i++)
        if (f->cycle[i].rank >= 0 && f->cycle[i].rank < q->ranks)
            part[f->cycle[i].rank] = true;
    return part;
}

static void fill_add_rank(int **ranks, size_t *count, size_t *room, int rank)
{
    size_t at = *count;
    bool last = !at || (*ranks)[at - 1] < rank;
    for (size_t i = 0; i < *count && !last; i++)
        if ((*ranks)[i] == rank)
            return;
    NCS_PUSH(*ranks, *count, *room, rank);
    for (; at > 0 && (*ranks)[at - 1] > rank; at--)
        (*ranks)[at] = (*ranks)[at - 1];
    (*ranks)[at] = rank;
}

void ncs_add_blocked_rank(struct ncs_draft *d, int rank)
{
    fill_add_rank(&d->f.blocked, &d->f.blockeds, &d->blocked_room, rank);
}

void ncs_add_bystander(struct ncs_draft *d, int rank)
{
    fill_add_rank(&d->f.bystander, &d->f.bystanders, &d->bystander_room, rank);
}

void ncs_add_blocked(const struct ncs_analysis *q, struct ncs_draft *d, int node)
{
    ncs_add_blocked_by(q, d, &node, 1);
}

/* A bystander waits only because of others: behind another unmet wait, or outside of the cycle that
 * blocks it. */
void ncs_add_blocked_by(const struct ncs_analysis *q, struct ncs_draft *d, const int *unmet, size_t unmets)
{
    bool *all = ncs_waiters(q, unmet, unmets, false), *direct = ncs_waiters(q, unmet, unmets, true);
    bool *first_hand = ncs_new((size_t)(q->ranks + 1) * sizeof *first_hand);
    bool *takes_part = who_takes_part(q, &d->f);
    for (size_t i = 0; i < q->snap->contexts; i++)
        if (direct[i] && q->snap->context[i].rank >= 0)
            first_hand[q->snap->context[i].rank] = true;
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (!all[i] || c->state == NCS_CONTEXT_ENDED || c->rank < 0)
            continue;
        ncs_add_blocked_rank(d, c->rank);
        if (!takes_part[c->rank] && (d->f.cycles || !first_hand[c->rank]))
            ncs_add_bystander(d, c->rank);
    }
    ncs_free(all);
    ncs_free(direct);
    ncs_free(first_hand);
    ncs_free(takes_part);
}

void ncs_set_call(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *call)
{
    d->f.call = call->number;
    d->order = call->id;
    ncs_set_title(q, d, call);
}

void ncs_set_title(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *call)
{
    ncs_free(d->f.title);
    ncs_free(d->f.comm);
    d->f.comm = NULL;
    if (!call) {
        d->f.title = ncs_text("waits between hosts");
        return;
    }
    char *what = ncs_describe(call);
    if (call->comm < 0) {
        d->f.title = ncs_copy_text(what);
    } else {
        d->f.comm = ncs_copy_text(ncs_comm_name(q, call->comm));
        d->f.title = d->f.call ? ncs_text("communicator %s, call %u: %s", d->f.comm, (unsigned)d->f.call, what)
                               : ncs_text("communicator %s: %s", d->f.comm, what);
    }
    ncs_free(what);
}

/* "waits in stream:sync()"; a name with a blank is all that a rank does in a program's own code: "is stopped". `lead`: what comes
 * before, NULL = nothing. */
static struct ncs_sentence *say_waits(const struct ncs_analysis *q, int context, struct ncs_sentence *lead, bool behind)
{
    const char *in = ncs_context_function(q, context);
    return ncs_say(row_waits, ncs_fact_sentence("lead", lead),
                   ncs_fact_is("same", lead && lead->phrase == NCS_PHRASE_row_other_id), ncs_fact_is("stopped", strchr(in, ' ')),
                   ncs_fact_text("in", in), ncs_fact_is("behind", behind));
}

/* The step that the absent rank has not made for the unmet wait. */
static const char *what_is_missing(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a)
{
    if (n->kind == NCS_UNMET_INIT)
        return a->context < 0 && q->snap->many && q->snap->stop == NCS_STOP_STALLED ? "there" : "join";
    if (n->kind == NCS_UNMET_GATE)
        return ncs_is_key(q, n) ? "key" : "gate";
    if (n->kind == NCS_UNMET_SETUP)
        return "one_sided";
    if (n->kind == NCS_UNMET_SIGNAL)
        return n->came ? "signals" : "signal";
    if (n->kind == NCS_UNMET_PAIR)
        return ncs_is_send(n->call) ? "receive" : "send";
    if (ncs_is_meeting(n))
        return "function";
    return ncs_has_made(q, n, a) ? "made" : "call_missing";
}

/* "missing": "never made call 3" */
static struct ncs_fact fact_missing(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a)
{
    return ncs_fact_sentence("missing",
                             ncs_say(row_missing, ncs_fact_is(what_is_missing(q, n, a), true),
                                     ncs_fact_number("member", a->comm_rank), ncs_fact_number("came", (int64_t)n->came),
                                     ncs_fact_number("wanted", (int64_t)n->wanted), ncs_fact_call("call", q->journal, n->call)));
}

/* What comes before the place of a rank that waits elsewhere. NULL if the rank is in the same function for another meeting:
 * "never called" it would be false. */
static struct ncs_sentence *say_lead(const struct ncs_analysis *q, const struct ncs_snap_context *c, const struct ncs_unmet *n,
                                     const struct ncs_absent *a)
{
    const struct ncs_call *call = c ? c->call : NULL;
    if (call && ncs_is_meeting(n) && call->fn == n->call->fn)
        return NULL;
    bool joins = call && n->kind == NCS_UNMET_INIT && n->call && ncs_is_init(n->call) && ncs_is_init(call);
    return joins ? ncs_say(row_other_id, fact_missing(q, n, a)) : fact_missing(q, n, a).sentence;
}

/* The row of a rank that has ended, or whose record or typed lines end. */
static struct ncs_sentence *say_finished(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a,
                                         const struct ncs_snap_context *c)
{
    if (c && c->ending == NCS_END_PROMPT)
        return ncs_say(row_so_far, fact_missing(q, n, a), ncs_fact_is(what_is_missing(q, n, a), true),
                       ncs_fact_call("call", q->journal, n->call));
    return ncs_say(row_finished, fact_missing(q, n, a), ncs_fact_is("known", c),
                   ncs_fact_text("how", c && c->ending == NCS_END_SILENT ? c->message : NULL));
}

/* The call that a queued operation waits for: the nearest unfinished one before it that has a number. Operations in between, such
 * as the wait for an event, have none. NULL = none is known. */
static const struct ncs_call *fill_call_before(const struct ncs_analysis *q, int op)
{
    const struct ncs_snapshot *s = q->snap;
    int *next = ncs_new((s->ops + 1) * sizeof *next);
    bool *seen = ncs_new((s->ops + 1) * sizeof *seen);
    size_t first = 0, count = 0;
    const struct ncs_call *found = NULL;
    next[count++] = op;
    seen[op] = true;
    for (; first < count && !found; first++) {
        const struct ncs_snap_op *at = &s->op[next[first]];
        if (first > 0 && at->call && at->call->comm >= 0 && at->call->number > 0)
            found = at->call;
        for (size_t i = 0; i < at->deps; i++)
            if (!seen[s->dep[at->dep + i]]) {
                seen[s->dep[at->dep + i]] = true;
                next[count++] = s->dep[at->dep + i];
            }
    }
    ncs_free(next);
    ncs_free(seen);
    return found;
}

/* "call 7 waits until call 6 on world is done". A launch that waits for no other work has begun, and waits for other ranks. */
static struct ncs_sentence *say_queued(const struct ncs_analysis *q, int op, unsigned number)
{
    bool lane = q->snap->op[op].awaits_kernel_slot, begun = !lane && q->snap->op[op].deps == 0;
    const struct ncs_call *before = lane || begun ? NULL : fill_call_before(q, op);
    return ncs_say(row_queued, ncs_fact_number("number", number), ncs_fact_is("lane", lane), ncs_fact_is("under_way", begun),
                   ncs_fact_call("before", q->journal, before), ncs_fact_is("earlier", !lane && !begun && !before));
}

const char *ncs_stop_verb(const struct ncs_analysis *q, const struct ncs_snap_context *c)
{
    bool by_fault = !c || !c->message || strncmp(c->message, "--fault", strlen("--fault")) == 0;
    return c && c->ending == NCS_END_LOST ? "lost" : q->snap->many && !by_fault ? "ended" : "stopped";
}

static struct ncs_fact own_call(const struct ncs_analysis *q, const struct ncs_absent *a)
{
    return ncs_fact_call("call", q->journal, a->call);
}

static struct ncs_fact own_result(const struct ncs_absent *a)
{
    return ncs_fact_text("result", ncs_result_name(a->call));
}

/* Why the rank is absent, for its row. */
static struct ncs_sentence *say_absent(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a)
{
    const struct ncs_snap_context *c = a->context >= 0 ? &q->snap->context[a->context] : NULL;
    switch (a->reason) {
    case NCS_ABSENT_KILLED:
        return ncs_say(row_ended, fact_missing(q, n, a),
                       ncs_fact_text("how", c && c->ending == NCS_END_MISSING ? c->message : NULL),
                       ncs_fact_is(ncs_stop_verb(q, c), true));
    case NCS_ABSENT_ERROR: return ncs_say(row_error, fact_missing(q, n, a), ncs_fact_text("error", c ? c->message : NULL));
    case NCS_ABSENT_GAVE_UP: return ncs_say(row_gave_up, fact_missing(q, n, a), own_call(q, a), own_result(a));
    case NCS_ABSENT_FAILED:
    case NCS_ABSENT_DROPPED:
        return ncs_say(row_failed, own_call(q, a), own_result(a), ncs_fact_is("dropped", a->reason == NCS_ABSENT_DROPPED));
    case NCS_ABSENT_EMPTY: return ncs_say(row_empty, own_call(q, a));
    case NCS_ABSENT_GROUP: return ncs_say(row_grouped, own_call(q, a));
    case NCS_ABSENT_ABORTED:
        return ncs_say(row_left, fact_missing(q, n, a), ncs_fact_is(ncs_is_revoke(a->call) ? "revoked" : "aborted", true),
                       ncs_fact_comm(q, n->comm));
    case NCS_ABSENT_DESTROYED:
        return ncs_say(row_left, fact_missing(q, n, a), ncs_fact_is("destroyed", true), ncs_fact_comm(q, n->comm));
    case NCS_ABSENT_FINISHED: return say_finished(q, n, a, c);
    case NCS_ABSENT_QUEUED: return say_queued(q, a->op, a->call ? (unsigned)a->call->number : 0);
    case NCS_ABSENT_CONTACT: return c ? say_waits(q, a->context, NULL, false) : fact_missing(q, n, a).sentence;
    case NCS_ABSENT_ELSEWHERE: return c ? say_waits(q, a->context, say_lead(q, c, n, a), false) : fact_missing(q, n, a).sentence;
    }
    return fact_missing(q, n, a).sentence;
}

/* The line for the row: of the call that the reason is about, else where the rank is now; 0 =
 * unknown. */
static int absent_line(const struct ncs_analysis *q, const struct ncs_unmet *unmet, const struct ncs_absent *a)
{
    if (unmet->kind == NCS_UNMET_GATE && a->reason == NCS_ABSENT_FINISHED)
        return 0; /* its last call of NCCL or CUDA does not show where it missed the gate */
    if (a->call && a->reason != NCS_ABSENT_ERROR && a->reason != NCS_ABSENT_KILLED && a->call->place.line)
        return a->call->place.line;
    return a->context >= 0 ? ncs_context_place(q, a->context).line : 0;
}

/* Where the rank waits, by the first of its threads that waits there; else that it made its
 * call. */
static void add_waiter_row(const struct ncs_analysis *q, struct ncs_draft *d, int rank, const bool *direct,
                           const struct ncs_call *call)
{
    for (int i = ncs_first_context(q, rank); i >= 0; i = q->next_context[i]) {
        if (!direct[i])
            continue;
        ncs_add_row(d, rank, ncs_context_place(q, i).line, say_waits(q, i, NULL, false));
        return;
    }
    if (call && !call->number)
        ncs_add_row(d, rank, call->place.line, ncs_say(row_called, ncs_fact_call("call", q->journal, call)));
    else if (call)
        ncs_add_row(d, rank, call->place.line, ncs_say(row_made, ncs_fact_call("call", q->journal, call)));
}

/* One row for each rank: where it waits, or why it is absent. A gate has no calls, so the ranks
 * that wait there are found by their contexts. */
void ncs_add_unmet_rows(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_unmet *unmet)
{
    bool *direct = ncs_direct_waiters(q, unmet);
    for (size_t i = 0; i < unmet->presents; i++)
        add_waiter_row(q, d, unmet->present[i]->rank, direct, unmet->present[i]);
    if (unmet->kind == NCS_UNMET_GATE)
        for (int r = 0; r < q->ranks; r++)
            add_waiter_row(q, d, r, direct, NULL);
    bool *here = ncs_new((size_t)(q->ranks + 1) * sizeof *here);
    for (size_t k = 0; k < d->f.rows; k++)
        if (d->f.row[k].rank >= 0 && d->f.row[k].rank < q->ranks)
            here[d->f.row[k].rank] = true;
    size_t from = d->f.rows;
    for (size_t i = 0; i < unmet->absents; i++) {
        const struct ncs_absent *a = &unmet->absent[i];
        if (a->rank < 0 || a->rank >= q->ranks || here[a->rank])
            continue;
        here[a->rank] = true;
        fill_add_row(d, from, a->rank, absent_line(q, unmet, a), say_absent(q, unmet, a));
    }
    fill_merge_rows(d, from);
    ncs_free(here);
    ncs_free(direct);
}

void ncs_add_behind_rows(const struct ncs_analysis *q, struct ncs_draft *d)
{
    bool *has_row = ncs_new((size_t)(q->ranks + 1) * sizeof *has_row);
    for (size_t i = 0; i < d->f.rows; i++)
        if (d->f.row[i].rank >= 0 && d->f.row[i].rank < q->ranks)
            has_row[d->f.row[i].rank] = true;
    for (size_t b = 0; b < d->f.blockeds; b++)
        for (int i = ncs_first_context(q, d->f.blocked[b]); i >= 0; i = q->next_context[i]) {
            const struct ncs_snap_context *c = &q->snap->context[i];
            if (c->state == NCS_CONTEXT_ENDED || has_row[c->rank])
                continue;
            has_row[c->rank] = true;
            struct ncs_finding_row row = {
                .rank = c->rank, .line = ncs_context_place(q, i).line, .behind = true, .said = say_waits(q, i, NULL, true)
            };
            NCS_PUSH(d->f.row, d->f.rows, d->row_room, row);
        }
    ncs_free(has_row);
}

static bool fill_has_row(const struct ncs_draft *d, int rank)
{
    for (size_t i = 0; i < d->f.rows; i++)
        if (d->f.row[i].rank == rank)
            return true;
    return false;
}

static bool is_blocked(const struct ncs_draft *d, int rank)
{
    for (size_t i = 0; i < d->f.blockeds; i++)
        if (d->f.blocked[i] == rank)
            return true;
    return false;
}

/* Takes over edits that insert counterparts: each unmatched call needs one of its own. */
static void add_answers(struct ncs_draft *d, struct ncs_draft *same)
{
    size_t taken = 0;
    for (; taken < same->f.repairs && same->f.repair[taken].answer; taken++)
        NCS_PUSH(d->f.repair, d->f.repairs, d->repair_room, same->f.repair[taken]);
    for (size_t i = taken; taken && i < same->f.repairs; i++) /* the others are freed with their draft */
        same->f.repair[i - taken] = same->f.repair[i];
    same->f.repairs -= taken;
}

/* Rows are moved: their texts are freed with d. */
void ncs_add_merged(struct ncs_draft *d, struct ncs_draft *same)
{
    add_answers(d, same);
    for (size_t i = 0; i < same->f.bystanders; i++)
        if (!is_blocked(d, same->f.bystander[i]))
            ncs_add_bystander(d, same->f.bystander[i]);
    for (size_t i = 0; i < same->f.blockeds; i++)
        ncs_add_blocked_rank(d, same->f.blocked[i]);
    for (size_t i = 0; i < same->f.rows; i++) {
        struct ncs_finding_row *row = &same->f.row[i];
        if (fill_has_row(d, row->rank))
            continue;
        if (row->behind)
            NCS_PUSH(d->f.row, d->f.rows, d->row_room, *row);
        else
            ncs_add_row(d, row->rank, row->line, row->said);
        row->said = NULL;
    }
}
