/* Rules about calls left out, made in excess or exchanged on one communicator. */
#include "diagnose/rule.h"

#include <string.h>

#include "base/mem.h"

static void say_odd(const struct ncs_inquiry *q, struct ncs_str *s, int comm,
                    const struct ncs_parting *p)
{
    int *ranks = ncs_new(p->odds * sizeof *ranks);
    for (size_t i = 0; i < p->odds; i++)
        ranks[i] = ncs_run_rank(q, comm, p->odd[i]);
    ncs_say_ranks(s, ranks, p->odds);
    ncs_free(ranks);
}

static const struct ncs_call *at(const struct ncs_inquiry *q, int comm, int comm_rank,
                                 uint32_t position)
{
    return ncs_sequence_at(&q->comm[comm].seq[comm_rank], position);
}

/* Rows for calls that met and disagree: what each rank's is. */
static void add_call_rows(const struct ncs_inquiry *q, const struct ncs_root *r, int comm,
                          const struct ncs_parting *p, struct ncs_draft *d)
{
    if (r->kind == NCS_ROOT_ABSENT)
        return;
    for (int i = 0; i < q->journal->comm[comm]->nranks; i++) {
        const struct ncs_call *c = at(q, comm, i, p->at);
        if (!c && r->kind == NCS_ROOT_LATER)
            ncs_add_row(d, ncs_run_rank(q, comm, i), 0, ncs_text("has not made call %u",
                                                                 (unsigned)p->number));
        if (!c)
            continue;
        char *what = ncs_describe(c);
        ncs_add_row(d, c->rank, c->place.line,
                    ncs_text("call %u is %s%s%s%s", (unsigned)c->number, what, c->label ? " (" : "",
                             c->label ? c->label : "", c->label ? ")" : ""));
        ncs_free(what);
    }
}

/* The frame that the three rules share: culprits are the odd ranks, the title is the others' call
 * where they part. `line` of a culprit: of its own call there, or of the call it left out. */
static void fill_parting(const struct ncs_inquiry *q, const struct ncs_root *r, int comm,
                         const struct ncs_parting *p, struct ncs_draft *d)
{
    const struct ncs_call *model = at(q, comm, p->model, p->at);
    for (size_t i = 0; i < p->odds; i++) {
        const struct ncs_call *own = at(q, comm, p->odd[i], p->at);
        bool left_out = p->how == NCS_PARTING_SKIPPED || p->how == NCS_PARTING_FEWER;
        const struct ncs_call *c = left_out && model ? model : own;
        int line = p->skipped_line ? p->skipped_line : c ? c->place.line : 0;
        ncs_add_culprit(d, ncs_run_rank(q, comm, p->odd[i]), p->number, line);
    }
    const struct ncs_call *title = model;
    for (size_t i = 0; i < p->odds && !title; i++)
        title = at(q, comm, p->odd[i], p->at);
    if (r->need) {
        ncs_fill_need(q, d, r->need, p->number);
    } else {
        d->f.call = p->number;
        d->f.certainty = r->kind == NCS_ROOT_LATER ? NCS_CERTAIN : NCS_UNDEFINED;
    }
    if (title) {
        ncs_set_title(q, d, title);
        d->order = title->id;
    }
    if (r->kind != NCS_ROOT_ABSENT) {
        for (size_t i = 0; i < d->f.rows; i++)
            ncs_free(d->f.row[i].text);
        d->f.rows = 0;
        add_call_rows(q, r, comm, p, d);
    }
}

static int comm_of(const struct ncs_root *r)
{
    return r->kind == NCS_ROOT_LABELS || r->kind == NCS_ROOT_LATER ? r->comm
           : r->kind == NCS_ROOT_DIFFER ? r->call[0]->comm
                                        : r->need->comm;
}

static bool never_called(const struct ncs_root *r)
{
    return r->kind == NCS_ROOT_ABSENT && r->absents && r->absent[0]->reason >= NCS_ABSENT_DESTROYED;
}

/* A parting by number alone is judged by those concerned: those who will never come are behind,
 * unless they outnumber those who wait for them, who then have made a call too many. */
static void by_number(const struct ncs_root *r, struct ncs_parting *p)
{
    bool extra = r->absents > r->need->presents;
    size_t count = extra ? r->need->presents : r->absents;
    p->odd = ncs_new(count * sizeof *p->odd);
    p->odds = count;
    for (size_t i = 0; i < count; i++)
        p->odd[i] = extra ? r->need->present[i]->comm_rank : r->absent[i]->comm_rank;
    if (!extra)
        return;
    p->how = NCS_PARTING_EXTRA;
    p->model = r->absent[0]->comm_rank;
    p->skipped_line = 0;
}

/* The parting if it is of the kind wanted; its list of odd ranks is the caller's. */
static bool parts(const struct ncs_inquiry *q, const struct ncs_root *r, enum ncs_parting_how how,
                  struct ncs_parting *out)
{
    const struct ncs_parting *p = NULL;
    if (r->kind == NCS_ROOT_LABELS)
        p = &q->comm[r->comm].parting;
    else if (r->kind == NCS_ROOT_LATER)
        p = &q->comm[r->comm].later;
    else if (r->kind == NCS_ROOT_DIFFER || never_called(r))
        p = ncs_parting_of(q, r);
    if (!p)
        return false;
    *out = *p;
    if (p->how == NCS_PARTING_FEWER && r->kind != NCS_ROOT_LATER) {
        if (r->kind != NCS_ROOT_ABSENT)
            return false;
        by_number(r, out);
    } else {
        out->odd = ncs_new(p->odds * sizeof *out->odd);
        memcpy(out->odd, p->odd, p->odds * sizeof *out->odd);
    }
    if (out->how == how)
        return true;
    ncs_free(out->odd);
    return false;
}

bool ncs_rule_swapped_calls(const struct ncs_inquiry *q, const struct ncs_root *r,
                            struct ncs_draft *d)
{
    struct ncs_parting found, *p = &found;
    if (!parts(q, r, NCS_PARTING_SWAPPED, p))
        return false;
    int comm = comm_of(r);
    fill_parting(q, r, comm, p, d);
    const struct ncs_call *own = at(q, comm, p->odd[0], p->at);
    const struct ncs_call *model = at(q, comm, p->model, p->at);
    if (p->even)
        own = at(q, comm, p->model == p->odd[0] ? p->odd[p->odds - 1] : p->odd[0], p->at);
    struct ncs_str s = { 0 };
    char *a = ncs_describe(own), *b = ncs_describe(model);
    ncs_str_addf(&s, "calls %u and %u are exchanged: call %u is %s", (unsigned)p->number,
                 (unsigned)p->other, (unsigned)p->number, a);
    ncs_say_place(&s, own);
    ncs_str_addf(&s, " on rank %d and %s", own->rank, b);
    ncs_say_place(&s, model);
    ncs_str_addf(&s, " on rank %d, and call %u is the other one", model->rank, (unsigned)p->other);
    d->f.why = ncs_str_take(&s);
    if (p->even)
        ncs_str_addf(&s, "make calls %u and %u in the same order on every rank",
                     (unsigned)p->number, (unsigned)p->other);
    else {
        ncs_str_add(&s, "on ");
        say_odd(q, &s, comm, p);
        ncs_str_addf(&s, ", make the call at line %d after the one that is now call %u",
                     own->place.line, (unsigned)p->other);
    }
    d->f.fix = ncs_str_take(&s);
    ncs_free(a);
    ncs_free(b);
    ncs_free(p->odd);
    return true;
}

/* Where somebody who is missed stands on the same communicator. */
static const struct ncs_need *own_other(const struct ncs_inquiry *q, const struct ncs_need *n,
                                        const struct ncs_absent *a)
{
    for (size_t i = 0; i < q->needs; i++) {
        const struct ncs_need *o = &q->need[i];
        for (size_t k = 0; k < o->presents; k++)
            if (o != n && o->comm == n->comm && o->comm >= 0 && o->present[k]->rank == a->rank)
                return o;
    }
    return NULL;
}

/* " before its AllReduce float32 x 8 sum at line 5", " before it calls comm:suspend at line 4, which
 * no other rank calls" */
static void say_before_other(struct ncs_str *s, const struct ncs_need *other,
                             const struct ncs_absent *a, bool several)
{
    const struct ncs_call *c = other->call;
    for (size_t i = 0; i < other->presents; i++)
        c = other->present[i]->rank == a->rank ? other->present[i] : c;
    if (ncs_is_meeting(other)) {
        ncs_str_addf(s, " before %s %s", several ? "they call" : "it calls", ncs_said_function(c));
        ncs_say_place(s, c);
        ncs_str_add(s, other->presents == 1 ? ", which no other rank calls" : "");
        return;
    }
    char *what = ncs_describe(c);
    ncs_str_addf(s, " before %s %s", several ? "their" : "its", what);
    ncs_say_place(s, c);
    ncs_free(what);
}

/* " too", or " before it waits in barrier() at line 9" of one who may still mean to make it. */
static void say_before_wait(const struct ncs_inquiry *q, const struct ncs_root *r, bool several,
                            struct ncs_str *s)
{
    const struct ncs_absent *a = r->kind == NCS_ROOT_ABSENT && r->absents ? r->absent[0] : NULL;
    if (!a || a->reason != NCS_ABSENT_ELSEWHERE || a->context < 0) {
        ncs_str_add(s, " too");
        return;
    }
    if (ncs_say_own_group(q, s, a)) {
        ncs_str_add(s, ", too");
        return;
    }
    const struct ncs_need *other = own_other(q, r->need, a);
    if (other) {
        say_before_other(s, other, a, several);
        return;
    }
    const char *in = ncs_said_in(q, a->context);
    bool phrase = strchr(in, ' ') != NULL; /* of a program's own: it made its last call elsewhere */
    ncs_str_addf(s, " before %s %s %s%s", several ? "they wait" : "it waits", phrase ? "at the" : "in",
                 in, phrase ? "" : "()");
    if (phrase)
        return;
    int line = ncs_said_place(q, a->context).line;
    if (line)
        ncs_str_addf(s, " at line %d", line);
}

bool ncs_rule_extra_call(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    struct ncs_parting found, *p = &found;
    if (!parts(q, r, NCS_PARTING_EXTRA, p))
        return false;
    int comm = comm_of(r);
    fill_parting(q, r, comm, p, d);
    const struct ncs_call *own = at(q, comm, p->odd[0], p->at);
    struct ncs_str s = { 0 };
    char *what = ncs_describe(own);
    say_odd(q, &s, comm, p);
    ncs_str_addf(&s, " made %u call%s on %s that the others did not: call %u, %s,",
                 (unsigned)p->shift, p->shift > 1 ? "s" : "", ncs_comm_name(q, comm),
                 (unsigned)own->number, what);
    ncs_say_place(&s, own);
    d->f.why = ncs_str_take(&s);
    ncs_str_add(&s, "leave out the call");
    ncs_say_place(&s, own);
    ncs_str_add(&s, " or make it on every rank");
    if (r->kind == NCS_ROOT_ABSENT)
        say_before_wait(q, r, r->absents > 1, &s);
    d->f.fix = ncs_str_take(&s);
    ncs_free(what);
    ncs_free(p->odd);
    return true;
}

/* What most of those who are there have called. */
static const struct ncs_call *commonest(const struct ncs_need *n)
{
    struct ncs_map votes = { 0 };
    const struct ncs_call *best = n->call;
    size_t most = 0;
    for (int pass = 0; pass < 2; pass++) /* the first of them by rank */
        for (size_t i = 0; i < n->presents; i++) {
            uint64_t key = ncs_call_signature(n->present[i]);
            size_t count = (size_t)(uintptr_t)ncs_map_get(&votes, key);
            if (pass == 0) {
                ncs_map_put(&votes, key, (void *)(uintptr_t)(count + 1));
            } else if (count > most) {
                most = count;
                best = n->present[i];
            }
        }
    ncs_map_free(&votes);
    return best;
}

/* A split and the like: every rank of the parent has to make it. */
static bool missed_meeting(const struct ncs_inquiry *q, const struct ncs_root *r,
                           struct ncs_draft *d)
{
    const struct ncs_need *n = r->need;
    if (!never_called(r) || !ncs_is_meeting(n) || r->absent[0]->rank < 0)
        return false;
    const char *function = ncs_said_function(n->call);
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++) {
        ranks[i] = r->absent[i]->rank;
        if (ranks[i] >= 0)
            ncs_add_culprit(d, ranks[i], 0, n->call->place.line);
    }
    ncs_fill_need(q, d, n, 0);
    struct ncs_str s = { 0 };
    ncs_say_ranks(&s, ranks, r->absents);
    ncs_str_addf(&s, " never called %s on %s,", function, ncs_comm_name(q, n->comm));
    ncs_say_place(&s, n->call);
    ncs_str_addf(&s, " on rank %d: it is for all of its ranks", n->call->rank);
    d->f.why = ncs_str_take(&s);
    ncs_str_add(&s, "let ");
    ncs_say_ranks(&s, ranks, r->absents);
    ncs_str_addf(&s, " call %s", function);
    ncs_say_place(&s, n->call);
    say_before_wait(q, r, r->absents > 1, &s);
    if (n->call->fn == NCS_FN_ncclCommSplit)
        ncs_str_add(&s, ", with NCCL_SPLIT_NOCOLOR where there is no part for it");
    else if (n->call->fn == NCS_FN_ncclCommShrink)
        ncs_str_add(&s, ", or exclude it");
    d->f.fix = ncs_str_take(&s);
    ncs_free(ranks);
    return true;
}

/* Nothing is known but that the ranks did not come. */
static void plain_skip(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    const struct ncs_need *n = r->need;
    const struct ncs_call *call = commonest(n), *other = NULL;
    struct ncs_str s = { 0 };
    for (size_t i = 0; i < r->absents; i++) {
        const struct ncs_absent *a = r->absent[i];
        ncs_add_culprit(d, a->rank, call->number, call->place.line);
        ncs_str_addf(&s, "%srank %d", i ? ", " : "", a->rank);
    }
    ncs_str_addf(&s, " never made call %u on %s,", (unsigned)call->number,
                 ncs_comm_name(q, n->comm));
    ncs_say_place(&s, call);
    ncs_str_addf(&s, " on rank %d", call->rank);
    for (size_t i = 0; i < n->presents && !other; i++)
        if (ncs_call_signature(n->present[i]) != ncs_call_signature(call))
            other = n->present[i];
    if (other) {
        char *what = ncs_describe(other);
        ncs_str_addf(&s, "; those who made it do not agree: it is %s", what);
        ncs_say_place(&s, other);
        ncs_str_addf(&s, " on rank %d", other->rank);
        ncs_free(what);
    }
    d->f.why = ncs_str_take(&s);
    ncs_fill_need(q, d, n, call->number);
    ncs_set_title(q, d, call);
}

static void say_skip(const struct ncs_inquiry *q, int comm, const struct ncs_parting *p,
                     struct ncs_draft *d)
{
    const struct ncs_member *odd = &q->journal->comm[comm]->member[p->odd[0]];
    const struct ncs_member *others = &q->journal->comm[comm]->member[p->model];
    const struct ncs_call *model = at(q, comm, p->model, p->at);
    const struct ncs_call *own = at(q, comm, p->odd[0], p->at);
    struct ncs_str s = { 0 };
    say_odd(q, &s, comm, p);
    if (odd->calls < others->calls)
        ncs_str_addf(&s, " made %u call%s on %s, %s %u: ", (unsigned)odd->calls,
                     odd->calls == 1 ? "" : "s", ncs_comm_name(q, comm),
                     q->journal->comm[comm]->nranks == 2 ? "the other" : "the others",
                     (unsigned)others->calls);
    else
        ncs_str_addf(&s, " left out %u call%s on %s: ", (unsigned)p->shift, p->shift > 1 ? "s" : "",
                     ncs_comm_name(q, comm));
    if (p->how == NCS_PARTING_SKIPPED && own) {
        bool one = p->odds == 1;
        ncs_str_addf(&s, "%s call %u of the others", one ? "it skips" : "they skip",
                     (unsigned)p->number);
        ncs_say_place(&s, model);
        ncs_str_addf(&s, ", %s own call %u is the one", one ? "its" : "their",
                     (unsigned)own->number);
        ncs_say_place(&s, own);
    } else if (p->skipped_line) {
        ncs_str_addf(&s, "line %d is skipped", p->skipped_line);
    } else {
        ncs_str_addf(&s, "call %u is", (unsigned)p->number);
        ncs_say_place(&s, model);
        if (!model->place.line && !model->label)
            ncs_str_add(&s, " missing");
    }
    d->f.why = ncs_str_take(&s);
}

bool ncs_rule_skipped_call(const struct ncs_inquiry *q, const struct ncs_root *r,
                           struct ncs_draft *d)
{
    struct ncs_parting p;
    if (missed_meeting(q, r, d))
        return true;
    bool known = parts(q, r, NCS_PARTING_SKIPPED, &p) || parts(q, r, NCS_PARTING_FEWER, &p);
    if (!known && (!never_called(r) || r->need->kind != NCS_NEED_COLLECTIVE || !r->need->call))
        return false;
    if (known) {
        fill_parting(q, r, comm_of(r), &p, d);
        say_skip(q, comm_of(r), &p, d);
        ncs_free(p.odd);
    } else {
        plain_skip(q, r, d);
    }
    struct ncs_str s = { 0 };
    int line = d->f.culprits ? d->f.culprit[0].line : 0;
    if (line) {
        int *ranks = ncs_new(d->f.culprits * sizeof *ranks);
        for (size_t i = 0; i < d->f.culprits; i++)
            ranks[i] = d->f.culprit[i].rank;
        ncs_str_add(&s, "let ");
        ncs_say_ranks(&s, ranks, d->f.culprits);
        ncs_str_addf(&s, " make the call at line %d", line);
        say_before_wait(q, r, d->f.culprits > 1, &s);
        ncs_str_add(&s, ": ");
        ncs_free(ranks);
    }
    ncs_str_add(&s, "every rank of a communicator makes the same calls in the same order");
    d->f.fix = ncs_str_take(&s);
    return true;
}
