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

void ncs_format_minority(const struct ncs_analysis *q, struct ncs_str *s, int comm, const struct ncs_call_divergence *p)
{
    int *ranks = ncs_new(p->minority_size * sizeof *ranks);
    for (size_t i = 0; i < p->minority_size; i++)
        ranks[i] = ncs_run_rank(q, comm, p->minority[i]);
    ncs_format_ranks(s, ranks, p->minority_size);
    ncs_free(ranks);
}

void ncs_format_call_count(struct ncs_str *s, unsigned calls)
{
    if (calls <= 1)
        ncs_str_add(s, calls ? "one call" : "no call");
    else
        ncs_str_addf(s, "%u calls", calls);
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

/* Adds the ranks outside of the minority that made as many calls as the model: "rank 0", "ranks 0, 1, 3". */
static void format_model(const struct ncs_analysis *q, struct ncs_str *s, int comm, const struct ncs_call_divergence *p)
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
    if (ranks)
        ncs_format_ranks(s, rank, ranks);
    else
        ncs_str_add(s, "the others");
    ncs_free(rank);
}

void ncs_format_counts(const struct ncs_analysis *q, struct ncs_str *s, int comm, const struct ncs_call_divergence *p)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    unsigned calls = (unsigned)info->member[p->model].calls;
    ncs_format_minority(q, s, comm, p);
    ncs_str_add(s, " made ");
    ncs_format_call_count(s, (unsigned)info->member[p->minority[0]].calls);
    ncs_str_addf(s, " on %s; ", ncs_comm_name(q, comm));
    format_model(q, s, comm, p);
    if (calls == 1)
        ncs_str_add(s, " made one");
    else
        ncs_str_addf(s, " made %u", calls);
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

/* Adds the calls from the i-th one on that were made at one place: "calls 3, 6 at line 7 (grad 1)". Returns the next one
 * made elsewhere. */
static uint32_t format_gaps_at(const struct ncs_sequence *of, const struct ncs_gaps *gaps, uint32_t i, struct ncs_str *s)
{
    enum { MOST_NUMBERS = 4 };
    const struct ncs_call *first = ncs_sequence_at(of, gaps->at[i]), *c = first;
    struct ncs_str numbers = { 0 };
    uint32_t count = 0;
    for (; i < gaps->count; i++, count++) {
        c = ncs_sequence_at(of, gaps->at[i]);
        if (!ncs_same_call(c, first) || !ncs_at_same_place(c, first))
            break;
        if (count < MOST_NUMBERS)
            ncs_str_addf(&numbers, "%s%u", count ? ", " : "", (unsigned)c->number);
    }
    ncs_str_addf(s, "%s %s", count > 1 ? "calls" : "call", numbers.text);
    if (count > MOST_NUMBERS)
        ncs_str_addf(s, " and %u more", (unsigned)(count - MOST_NUMBERS));
    ncs_format_place(s, first);
    ncs_str_free(&numbers);
    return i;
}

void ncs_format_gaps(const struct ncs_analysis *q, int comm, int comm_rank, const struct ncs_call_divergence *p,
                     struct ncs_str *s)
{
    enum { MOST_PLACES = 4 };
    uint32_t next = 0;
    for (int places = 0; next < p->gaps.count && places < MOST_PLACES; places++) {
        ncs_str_add(s, places ? "; " : "");
        next = format_gaps_at(&q->comm[comm].seq[comm_rank], &p->gaps, next, s);
    }
    if (next < p->gaps.count)
        ncs_str_addf(s, "; and %u more", (unsigned)(p->gaps.count - next));
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
            ncs_add_row(d, ncs_run_rank(q, comm, i), 0, ncs_text("has not made call %u", (unsigned)p->number));
        if (!c)
            continue;
        char *what = ncs_describe(c);
        ncs_add_row(d, c->rank, c->place.line,
                    ncs_text("call %u is %s%s%s%s", (unsigned)c->number, what, c->label ? " (" : "", c->label ? c->label : "",
                             c->label ? ")" : ""));
        ncs_free(what);
    }
}

/* Adds the evidence for a difference in number alone: the line that was left out if lines show it,
 * else the numbers. */
static void format_numbers(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, struct ncs_str *s)
{
    int others = q->journal->comm[comm]->nranks - (int)p->minority_size;
    if (p->skipped_line) {
        ncs_str_addf(s, "by script lines: the other%s made a call at line %d, ", others == 1 ? "" : "s", p->skipped_line);
        ncs_format_minority(q, s, comm, p);
        ncs_str_add(s, " made none there");
        return;
    }
    ncs_str_add(s, "by number: ");
    ncs_format_counts(q, s, comm, p);
}

/* The sentence that says what distinguishes the minority. The caller frees it. */
static char *evidence_of(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    struct ncs_str s = { 0 };
    unsigned first = p->number, last = p->number + (p->shift ? p->shift - 1 : 0);
    bool by_number = p->how == NCS_DIVERGENCE_FEWER || (p->how == NCS_DIVERGENCE_EXTRA && !ncs_call_at(q, comm, p->model, p->at));
    if (by_number && !p->by_line) {
        format_numbers(q, comm, p, &s);
        return ncs_str_take(&s);
    }
    ncs_str_add(&s, p->by_label  ? "by the labels of the calls, which agree in all else: "
                    : p->by_line ? "by script lines: "
                                 : "by the order of the calls: ");
    if (p->how == NCS_DIVERGENCE_SWAPPED)
        ncs_str_addf(&s, "with calls %u and %u exchanged ", first, (unsigned)p->other);
    else if (p->gaps.count)
        ncs_str_addf(&s, "with these %zu calls %s ", p->gaps.count, p->how == NCS_DIVERGENCE_SKIPPED ? "put in" : "taken out");
    else if (first == last)
        ncs_str_addf(&s, "with call %u %s ", first, p->how == NCS_DIVERGENCE_SKIPPED ? "put in" : "taken out");
    else
        ncs_str_addf(&s, "with calls %u to %u %s ", first, last, p->how == NCS_DIVERGENCE_SKIPPED ? "put in" : "taken out");
    if (p->tied) {
        ncs_str_add(&s, "the two sides agree, and they are equally many");
    } else {
        ncs_format_minority(q, &s, comm, p);
        ncs_str_add(&s, p->minority_size == 1 ? " agrees with the others" : " agree with the others");
    }
    return ncs_str_take(&s);
}

/* A rank that left calls out misses a later call than these: its row names the calls that it left out, as the title does. */
static void set_skipped_rows(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, struct ncs_draft *d)
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
        unsigned number = 0;
        if (!k-- || sscanf(row->text, "never made call %u", &number) != 1 || number == p->number)
            continue;
        struct ncs_str s = { 0 };
        const char *rest = strchr(row->text, ':');
        if (p->shift == 1)
            ncs_str_addf(&s, "skipped call %u, ", (unsigned)p->number);
        else
            ncs_str_addf(&s, "skipped %u calls, ", (unsigned)p->shift);
        ncs_str_addf(&s, "made %u of %u%s", (unsigned)info->member[p->minority[k]].calls, (unsigned)info->member[p->model].calls,
                     rest ? rest : "");
        ncs_free(row->text);
        row->text = ncs_str_take(&s);
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
    d->f.evidence = ncs_plain(evidence_of(q, comm, p));
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
        set_skipped_rows(q, comm, p, d);
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
            ncs_free(d->f.row[i].text);
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
    bool extra = r->absents > r->unmet->presents;
    size_t count = extra ? r->unmet->presents : r->absents;
    p->why = NCS_WHY(NUMBER);
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

bool ncs_make_exchange(const struct ncs_sequence *model, struct ncs_call_divergence *found, struct ncs_call_divergence *out)
{
    if (!model) {
        ncs_free(found->minority);
        return false;
    }
    if (found->tied) {
        found->minority[0] = 0;
        found->minority[1] = 1;
        found->minority_size = 2;
    }
    found->how = NCS_DIVERGENCE_SWAPPED;
    found->why = NCS_WHY(EXCHANGED);
    found->number = model->call[found->at]->number;
    found->other = model->call[found->at + found->shift]->number;
    *out = *found;
    return true;
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

/* " before its AllReduce float32 x 8 sum at line 5", " before it calls comm:suspend at line 4,
 * which no other rank calls" */
static void format_before_other(struct ncs_str *s, const struct ncs_unmet *other, const struct ncs_absent *a, bool several)
{
    const struct ncs_call *c = other->call;
    for (size_t i = 0; i < other->presents; i++)
        c = other->present[i]->rank == a->rank ? other->present[i] : c;
    if (ncs_is_meeting(other)) {
        ncs_str_addf(s, " before %s %s", several ? "they call" : "it calls", ncs_function_name(c));
        ncs_format_place(s, c);
        ncs_str_add(s, other->presents == 1 ? ", which no other rank calls: all have to, or none" : "");
        return;
    }
    char *what = ncs_describe(c);
    ncs_str_addf(s, " before %s %s", several ? "their" : "its", what);
    ncs_format_place(s, c);
    if (other->kind == NCS_UNMET_COLLECTIVE && other->presents == 1)
        ncs_str_add(s, ", which no other rank has made");
    ncs_free(what);
}

void ncs_format_before_wait(const struct ncs_analysis *q, const struct ncs_cause *r, bool several, struct ncs_str *s)
{
    const struct ncs_absent *a = r->kind == NCS_CAUSE_ABSENT && r->absents ? r->absent[0] : NULL;
    if (!a || a->reason != NCS_ABSENT_ELSEWHERE || a->context < 0) {
        ncs_str_add(s, " too");
        return;
    }
    if (ncs_format_own_group(q, s, a)) {
        ncs_str_add(s, ", too");
        return;
    }
    const struct ncs_unmet *other = ncs_own_other(q, r->unmet, a);
    if (other) {
        format_before_other(s, other, a, several);
        return;
    }
    const char *in = ncs_context_function(q, a->context);
    if (strchr(in, ' ')) { /* in a program's own code: it made its last call elsewhere */
        ncs_str_add(s, " too");
        return;
    }
    ncs_str_addf(s, " before %s in %s()", several ? "they wait" : "it waits", in);
    int line = ncs_context_place(q, a->context).line;
    if (line)
        ncs_str_addf(s, " at line %d", line);
}
