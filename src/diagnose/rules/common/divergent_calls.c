/* Shared by the rules about calls that were left out, made in excess or exchanged on one
 * communicator: skipped-call, extra-call, swapped-calls. */
#include "diagnose/rules/rule.h"

#include <stdio.h>
#include <string.h>

#include "api/meeting.h"
#include "base/mem.h"

const struct ncs_call_divergence *ncs_divergence_of(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    uint32_t at = 0;
    int comm = -1;
    if (r->divergence)
        return r->divergence;
    if (r->kind == NCS_CAUSE_DIFFER && r->calls) {
        comm = r->call[0]->comm;
        at = ncs_position(q, r->call[0]);
    } else if (r->unmet && r->unmet->kind == NCS_UNMET_COLLECTIVE && r->unmet->call) {
        comm = r->unmet->comm;
        at = ncs_position(q, r->unmet->call);
    }
    if (comm < 0 || (size_t)comm >= q->journal->comms || at == UINT32_MAX)
        return NULL;
    /* A divergence behind the cause's own call cannot explain it. Of the two before it the later
     * one is closer. */
    const struct ncs_call_divergence *p = &q->comm[comm].divergence, *later = &q->comm[comm].later;
    if (later->how != NCS_DIVERGENCE_NONE && later->at <= at)
        return later;
    return p->how != NCS_DIVERGENCE_NONE && p->at <= at ? p : NULL;
}

struct ncs_fact ncs_fact_minority(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    int *ranks = ncs_new(p->minority_size * sizeof *ranks);
    for (size_t i = 0; i < p->minority_size; i++)
        ranks[i] = ncs_run_rank(q, comm, p->minority[i]);
    struct ncs_fact fact = ncs_fact_ranks("who", ranks, p->minority_size);
    ncs_free(ranks);
    return fact;
}

static bool in_minority(const struct ncs_call_divergence *p, int comm_rank)
{
    size_t low = 0, high = p->minority_size; /* ascending */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->minority[middle] == comm_rank)
            return true;
        *(p->minority[middle] < comm_rank ? &low : &high) = p->minority[middle] < comm_rank ? middle + 1 : middle;
    }
    return false;
}

/* The ranks outside of the minority that made as many calls as the model. */
static struct ncs_fact fact_model(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    int *rank = ncs_new((size_t)info->members * sizeof *rank);
    size_t ranks = 0;
    for (int i = 0; i < info->members; i++) {
        int number = ncs_run_rank(q, comm, i);
        if (number >= 0 && !in_minority(p, i) && info->member[i].calls == info->member[p->model].calls &&
            !ncs_is_unrecorded(q, number))
            rank[ranks++] = number;
    }
    struct ncs_fact fact = ncs_fact_ranks("others", rank, ranks);
    ncs_free(rank);
    return fact;
}

struct ncs_sentence *ncs_say_counts(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    return ncs_say(counts, ncs_fact_minority(q, comm, p), ncs_fact_number("own", info->member[p->minority[0]].calls),
                   ncs_fact_comm(q, comm), fact_model(q, comm, p), ncs_fact_number("calls", info->member[p->model].calls));
}

const struct ncs_call *ncs_call_at(const struct ncs_analysis *q, int comm, int comm_rank, uint32_t position)
{
    return ncs_sequence_at(&q->comm[comm].seq[comm_rank], position);
}

bool ncs_same_call(const struct ncs_call *a, const struct ncs_call *b)
{
    const char *x = a && a->label ? a->label : "", *y = b && b->label ? b->label : "";
    return a && b && ncs_calls_are_alike(a, b) && strcmp(x, y) == 0;
}

/* The calls from *i on that were made at one place, behind those before: "calls 3, 6 at line 7 (grad 1)". Moves *i to the next one
 * made elsewhere. */
static struct ncs_sentence *say_gaps_at(const struct ncs_analysis *q, const struct ncs_sequence *of, const struct ncs_gaps *gaps,
                                        uint32_t *i, struct ncs_sentence *before)
{
    enum { MOST_NUMBERS = 4 };
    const struct ncs_call *first = ncs_sequence_at(of, gaps->at[*i]), *c = first;
    struct ncs_str numbers = { 0 };
    uint32_t count = 0;
    for (; *i < gaps->count; ++*i, count++) {
        c = ncs_sequence_at(of, gaps->at[*i]);
        if (!ncs_same_call(c, first) || !ncs_at_same_place(c, first))
            break;
        if (count < MOST_NUMBERS)
            ncs_str_addf(&numbers, "%s%u", count ? ", " : "", (unsigned)c->number);
    }
    struct ncs_sentence *s = ncs_say(
        gaps, ncs_fact_sentence("before", before), ncs_fact_number("count", count), ncs_fact_text("numbers", numbers.text),
        ncs_fact_number("more", count > MOST_NUMBERS ? count - MOST_NUMBERS : 0), ncs_fact_call("call", q->journal, first));
    ncs_str_free(&numbers);
    return s;
}

struct ncs_fact ncs_fact_gaps(const struct ncs_analysis *q, int comm, int comm_rank, const struct ncs_call_divergence *p)
{
    enum { MOST_PLACES = 4 };
    struct ncs_sentence *s = NULL;
    uint32_t next = 0;
    for (int places = 0; next < p->gaps.count && places < MOST_PLACES; places++)
        s = say_gaps_at(q, &q->comm[comm].seq[comm_rank], &p->gaps, &next, s);
    if (next < p->gaps.count)
        s = ncs_say(gaps_more, ncs_fact_sentence("gaps", s), ncs_fact_number("more", p->gaps.count - next));
    return ncs_fact_sentence("gaps", s);
}

/* Adds a row for each rank's call at the divergence, if the calls met. Ranks that never made it
 * have rows already. */
static void add_call_rows(const struct ncs_analysis *q, const struct ncs_cause *r, int comm, const struct ncs_call_divergence *p,
                          struct ncs_draft *d)
{
    if (r->kind == NCS_CAUSE_ABSENT)
        return;
    for (int i = 0; i < q->journal->comm[comm]->nranks; i++) {
        const struct ncs_call *c = ncs_call_at(q, comm, i, p->at);
        if (!c && r->kind == NCS_CAUSE_LATER)
            ncs_add_row(d, ncs_run_rank(q, comm, i), 0, ncs_say(row_unmade, ncs_fact_number("number", p->number)));
        if (c)
            ncs_add_row(d, c->rank, c->place.line,
                        ncs_say(row_call, ncs_fact_call("call", q->journal, c), ncs_fact_text("label", c->label)));
    }
}

/* What distinguishes the minority: a difference in number alone, by the line that was left out if lines show it, else the
 * numbers; or that the order agrees with the change. */
static struct ncs_sentence *say_evidence(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    uint32_t first = p->number, last = p->number + (p->shift ? p->shift - 1 : 0);
    bool by_number = p->how == NCS_DIVERGENCE_FEWER || (p->how == NCS_DIVERGENCE_EXTRA && !ncs_call_at(q, comm, p->model, p->at));
    if (by_number && !p->by_line)
        return ncs_say(divergence_evidence, ncs_fact_minority(q, comm, p), ncs_fact_line("line", p->skipped_line),
                       ncs_fact_number("others", q->journal->comm[comm]->nranks - (int)p->minority_size),
                       ncs_fact_sentence("counts", p->skipped_line ? NULL : ncs_say_counts(q, comm, p)));
    bool swapped = p->how == NCS_DIVERGENCE_SWAPPED, gaps = !swapped && p->gaps.count, one = first == last;
    return ncs_say(divergence_evidence, ncs_fact_is("order", true), ncs_fact_minority(q, comm, p),
                   ncs_fact_is("by_label", p->by_label), ncs_fact_is("by_line", !p->by_label && p->by_line),
                   ncs_fact_is("by_order", !p->by_label && !p->by_line), ncs_fact_number("first", first),
                   ncs_fact_number("last", last), ncs_fact_number("other", swapped ? p->other : 0),
                   ncs_fact_number("gaps", gaps ? p->gaps.count : 0), ncs_fact_is("one", !swapped && !gaps && one),
                   ncs_fact_is("several", !swapped && !gaps && !one), ncs_fact_is("skipped", p->how == NCS_DIVERGENCE_SKIPPED),
                   ncs_fact_is("tied", p->tied));
}

/* The name of the fact in a row that is what the rank has not done. */
static const char *row_missing_in(const struct ncs_sentence *row)
{
    return row->phrase == NCS_PHRASE_row_waits ? "lead" : "missing";
}

/* True if the row is of a rank that never made a call. */
static bool is_missing_call(const struct ncs_sentence *row)
{
    const char *name = row_missing_in(row);
    const struct ncs_fact *f = ncs_sentence_fact(row, name, strlen(name));
    return f && f->sentence && ncs_sentence_fact(f->sentence, "call_missing", strlen("call_missing"));
}

/* A rank that left calls out misses a later call than these: its row names the calls that it left out, as the title does. */
static void set_skipped_rows(const struct ncs_analysis *q, const struct ncs_cause *r, int comm,
                             const struct ncs_call_divergence *p, struct ncs_draft *d)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    if (p->how != NCS_DIVERGENCE_SKIPPED)
        return;
    size_t *place = ncs_new((size_t)(q->ranks + 1) * sizeof *place); /* by rank: in the minority, from 1 */
    for (size_t k = p->minority_size; k-- > 0;)
        place[ncs_run_rank(q, comm, p->minority[k]) + 1] = k + 1;
    for (size_t i = 0; i < d->f.rows; i++) {
        struct ncs_finding_row *row = &d->f.row[i];
        size_t k = row->rank >= 0 && row->rank < q->ranks ? place[row->rank + 1] : 0;
        if (!k-- || r->unmet->call->number == p->number || !is_missing_call(row->said))
            continue;
        struct ncs_sentence *skipped = ncs_say(row_skipped, ncs_fact_is("one", p->shift == 1),
                                               ncs_fact_number("first", p->number), ncs_fact_number("skipped", p->shift),
                                               ncs_fact_number("made", info->member[p->minority[k]].calls),
                                               ncs_fact_number("all", info->member[p->model].calls));
        ncs_sentence_replace(row->said, row_missing_in(row->said), skipped);
    }
    ncs_free(place);
}

/* True if the extra call is at a place at which the others make no call of the communicator. */
static bool is_at_own_place(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    const struct ncs_call *own = p->minority_size ? ncs_call_at(q, comm, p->minority[0], p->at) : NULL, *c;
    if (p->how != NCS_DIVERGENCE_EXTRA || !own || p->model < 0)
        return false;
    for (uint32_t at = q->comm[comm].seq[p->model].base; (c = ncs_call_at(q, comm, p->model, at)); at++)
        if (ncs_at_same_place(c, own))
            return false;
    return own->place.line > 0;
}

/* A culprit's line is that of its own call at the divergence, or of the call that it left out. */
void ncs_fill_divergence(const struct ncs_analysis *q, const struct ncs_cause *r, int comm, const struct ncs_call_divergence *p,
                         struct ncs_draft *d)
{
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at);
    for (size_t i = 0; i < p->minority_size; i++) {
        const struct ncs_call *own = ncs_call_at(q, comm, p->minority[i], p->at);
        bool left_out = p->how == NCS_DIVERGENCE_SKIPPED || p->how == NCS_DIVERGENCE_FEWER;
        const struct ncs_call *c = left_out && model ? model : own;
        int line = p->skipped_line ? p->skipped_line : c ? c->place.line : 0;
        ncs_add_culprit(d, ncs_run_rank(q, comm, p->minority[i]), p->number, line);
    }
    d->f.evidence = say_evidence(q, comm, p);
    if (p->why.decision)
        ncs_decided(&d->f, p->why, "%zu of %d ranks are blamed%s", p->minority_size, q->journal->comm[comm]->nranks,
                    p->tied ? ", the sides are equal" : "");
    d->f.by_place = p->by_line || p->skipped_line || is_at_own_place(q, comm, p);
    d->f.either = !d->f.by_place && 2 * p->minority_size == (size_t)q->journal->comm[comm]->nranks;
    const struct ncs_call *title = model;
    for (size_t i = 0; i < p->minority_size && !title; i++)
        title = ncs_call_at(q, comm, p->minority[i], p->at);
    if (r->unmet) {
        ncs_fill_unmet(q, d, r->unmet, p->number);
        set_skipped_rows(q, r, comm, p, d);
    } else {
        d->f.call = p->number;
        /* no rank waits because of it: labels and lines may differ on purpose, missing calls not */
        d->f.certainty = r->kind == NCS_CAUSE_LATER ? NCS_CERTAIN : NCS_UNDEFINED;
    }
    if (title) {
        ncs_set_title(q, d, title);
        d->order = title->id;
    }
    /* the calls that met say more than the rows of the unmet wait, which may be a later one */
    bool met = r->kind != NCS_CAUSE_ABSENT && (!p->by_line || p->how == NCS_DIVERGENCE_SWAPPED);
    if (met) {
        for (size_t i = 0; i < d->f.rows; i++)
            ncs_sentence_free(d->f.row[i].said);
        d->f.rows = 0;
        add_call_rows(q, r, comm, p, d);
    }
}

int ncs_divergence_comm(const struct ncs_cause *r)
{
    return r->kind == NCS_CAUSE_LABELS || r->kind == NCS_CAUSE_LATER ? r->comm
           : r->kind == NCS_CAUSE_DIFFER                             ? r->call[0]->comm
                                                                     : r->unmet->comm;
}

bool ncs_never_called(const struct ncs_cause *r)
{
    return r->kind == NCS_CAUSE_ABSENT && r->absents && r->absent[0]->reason >= NCS_ABSENT_DESTROYED;
}

/* Decides a divergence in number alone by the waits (diagnose/README.md, rule 7). */
static void by_number(const struct ncs_cause *r, struct ncs_call_divergence *p)
{
    bool extra = NCS_AT(&p->why, NUMBER) && r->absents > r->unmet->presents;
    size_t count = extra ? r->unmet->presents : r->absents;
    p->minority = ncs_new(count * sizeof *p->minority);
    p->minority_size = count;
    for (size_t i = 0; i < count; i++)
        p->minority[i] = extra ? r->unmet->present[i]->comm_rank : r->absent[i]->comm_rank;
    if (!extra)
        return;
    p->how = NCS_DIVERGENCE_EXTRA;
    p->model = r->absent[0]->comm_rank;
    p->skipped_line = 0;
}

/* Lines about the same ranks are more precise than numbers, so they replace the divergence. */
static void take_by_line(const struct ncs_call_divergence *by_line, struct ncs_call_divergence *p)
{
    if (by_line->how == NCS_DIVERGENCE_NONE || by_line->minority_size != p->minority_size ||
        memcmp(by_line->minority, p->minority, p->minority_size * sizeof *p->minority) != 0)
        return;
    int *minority = p->minority; /* equal lists: p keeps its own, which the caller frees */
    *p = *by_line;
    p->minority = minority;
}

bool ncs_is_divergence(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_divergence_how how,
                       struct ncs_call_divergence *out)
{
    const struct ncs_call_divergence *p = NULL;
    if (r->kind == NCS_CAUSE_LABELS)
        p = &q->comm[r->comm].divergence;
    else if (r->kind == NCS_CAUSE_LATER)
        p = &q->comm[r->comm].later;
    else if (r->kind == NCS_CAUSE_DIFFER || ncs_never_called(r))
        p = ncs_divergence_of(q, r);
    if (!p)
        return false;
    *out = *p;
    if (p->how == NCS_DIVERGENCE_FEWER && r->kind != NCS_CAUSE_LATER) { /* numbers alone: see by_number() */
        if (r->kind != NCS_CAUSE_ABSENT)
            return false;
        by_number(r, out);
        take_by_line(&q->comm[ncs_divergence_comm(r)].by_line, out);
    } else {
        out->minority = ncs_new(p->minority_size * sizeof *out->minority);
        memcpy(out->minority, p->minority, p->minority_size * sizeof *out->minority);
    }
    if (out->how == how)
        return true;
    ncs_free(out->minority);
    return false;
}

const struct ncs_unmet *ncs_own_other(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a)
{
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        for (size_t k = 0; k < o->presents; k++)
            if (o != n && o->comm == n->comm && o->comm >= 0 && o->present[k]->rank == a->rank)
                return o;
    }
    return NULL;
}

/* " before its AllReduce float32 x 8 sum at line 5", " before it calls comm:suspend at line 4, which no other rank calls" */
static struct ncs_sentence *say_before_other(const struct ncs_analysis *q, const struct ncs_unmet *other,
                                             const struct ncs_absent *a, bool several)
{
    const struct ncs_call *c = other->call;
    bool meeting = ncs_is_meeting(other);
    for (size_t i = 0; i < other->presents; i++)
        c = other->present[i]->rank == a->rank ? other->present[i] : c;
    bool alone = other->presents == 1 && (meeting || other->kind == NCS_UNMET_COLLECTIVE);
    return ncs_say(before_other, ncs_fact_is("meeting", meeting), ncs_fact_is("several", several),
                   ncs_fact_call("call", q->journal, c), ncs_fact_is("alone", alone));
}

static struct ncs_sentence *say_before_wait(const struct ncs_analysis *q, const struct ncs_cause *r, bool several)
{
    const struct ncs_absent *a = r->kind == NCS_CAUSE_ABSENT && r->absents ? r->absent[0] : NULL;
    if (!a || a->reason != NCS_ABSENT_ELSEWHERE || a->context < 0)
        return ncs_say(before_wait, ncs_fact_is("too", true));
    struct ncs_sentence *group = ncs_say_own_group(q, a);
    if (group)
        return ncs_say(before_wait, ncs_fact_sentence("group", group));
    const struct ncs_unmet *other = ncs_own_other(q, r->unmet, a);
    if (other)
        return ncs_say(before_wait, ncs_fact_sentence("other", say_before_other(q, other, a, several)));
    const char *in = ncs_context_function(q, a->context);
    bool own_code = strchr(in, ' '); /* it made its last call elsewhere */
    return ncs_say(before_wait, ncs_fact_is("too", own_code), ncs_fact_is("several", several),
                   ncs_fact_text("in", own_code ? NULL : in), ncs_fact_line("line", ncs_context_place(q, a->context).line));
}

struct ncs_fact ncs_fact_before_wait(const struct ncs_analysis *q, const struct ncs_cause *r, bool several)
{
    return ncs_fact_sentence("wait", say_before_wait(q, r, several));
}
