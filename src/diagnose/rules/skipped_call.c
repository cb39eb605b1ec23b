/* Some ranks left out calls that the others made. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "api/meeting.h"
#include "base/mem.h"

/* A call that most of the present ranks have made; of several such the first by rank. */
static const struct ncs_call *skipped_call_commonest(const struct ncs_unmet *n)
{
    struct ncs_map votes = { 0 };
    const struct ncs_call *best = n->call;
    size_t most = 0;
    for (int pass = 0; pass < 2; pass++) /* count, then choose: so the first by rank wins a tie */
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

/* The ranks wait in a collective of the communicator that the others did not make: it may as well be one too many. */
static void doubt_missed(const struct ncs_analysis *q, const struct ncs_cause *r, const int *rank, struct ncs_draft *d)
{
    const struct ncs_unmet *own = ncs_own_other(q, r->unmet, r->absent[0]);
    if (!own || !own->call || own->presents != r->absents || own->kind != NCS_UNMET_COLLECTIVE || ncs_is_meeting(own))
        return;
    struct ncs_str s = { 0 };
    char *what = ncs_describe(own->call);
    ncs_format_ranks(&s, rank, r->absents);
    ncs_str_addf(&s, " made %s too many", what);
    ncs_format_place(&s, own->call);
    ncs_free(what);
    ncs_add_reading(d, "extra-call", rank, r->absents, ncs_str_take(&s));
}

/* A split, shrink or the like that the absent ranks never called. */
static bool missed_meeting(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    if (!ncs_never_called(r) || !ncs_is_meeting(n) || r->absent[0]->rank < 0)
        return false;
    const char *function = ncs_function_name(n->call);
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++) {
        ranks[i] = r->absent[i]->rank;
        if (ranks[i] >= 0)
            ncs_add_culprit(d, ranks[i], 0, n->call->place.line);
    }
    ncs_fill_unmet(q, d, n, 0);
    struct ncs_str s = { 0 };
    ncs_format_ranks(&s, ranks, r->absents);
    ncs_str_addf(&s, " never called %s on %s,", function, ncs_comm_name(q, n->comm));
    ncs_format_place(&s, n->call);
    ncs_str_addf(&s, " on rank %d: it is for all of its ranks", n->call->rank);
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "let ");
    ncs_format_ranks(&s, ranks, r->absents);
    ncs_str_addf(&s, " call %s", function);
    ncs_format_place(&s, n->call);
    ncs_format_before_wait(q, r, r->absents > 1, &s);
    if (n->call->fn == NCS_FN_ncclCommSplit)
        ncs_str_add(&s, ", with NCCL_SPLIT_NOCOLOR where there is no part for it");
    else if (n->call->fn == NCS_FN_ncclCommShrink)
        ncs_str_add(&s, ", or exclude it");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    doubt_missed(q, r, ranks, d);
    ncs_free(ranks);
    return true;
}

/* Only the absence of the ranks is known, not what they did instead. */
static void plain_skip(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    const struct ncs_call *call = skipped_call_commonest(n), *other = NULL;
    struct ncs_str s = { 0 };
    for (size_t i = 0; i < r->absents; i++) {
        const struct ncs_absent *a = r->absent[i];
        ncs_add_culprit(d, a->rank, call->number, call->place.line);
        ncs_str_addf(&s, "%srank %d", i ? ", " : "", a->rank);
    }
    ncs_str_addf(&s, " never made call %u on %s,", (unsigned)call->number, ncs_comm_name(q, n->comm));
    ncs_format_place(&s, call);
    ncs_str_addf(&s, " on rank %d", call->rank);
    for (size_t i = 0; i < n->presents && !other; i++)
        if (!ncs_calls_are_alike(n->present[i], call))
            other = n->present[i];
    if (other) {
        char *what = ncs_describe(other);
        ncs_str_addf(&s, "; the ranks that made this call passed different arguments: it is %s", what);
        ncs_format_place(&s, other);
        ncs_str_addf(&s, " on rank %d", other->rank);
        ncs_free(what);
    }
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_fill_unmet(q, d, n, call->number);
    ncs_set_title(q, d, call);
}

/* The place of a call without "at": "line 3". */
static void format_bare_place(struct ncs_str *s, const struct ncs_call *call)
{
    struct ncs_str place = { 0 };
    ncs_format_place(&place, call);
    const char *text = place.text ? place.text : "";
    ncs_str_add(s, strncmp(text, " at ", 4) == 0 ? text + 4 : text);
    ncs_str_free(&place);
}

/* Adds from which call on the labels of the minority and of its model differ: then a call before that may be the one
 * that is missing. False = they do not differ. */
static bool format_labels(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, struct ncs_str *s)
{
    const struct ncs_sequence *minority = &q->comm[comm].seq[p->minority[0]], *model = &q->comm[comm].seq[p->model];
    for (uint32_t at = minority->base; at < p->at; at++) {
        const struct ncs_call *own = ncs_sequence_at(minority, at), *other = ncs_sequence_at(model, at);
        if (!own || !other || !own->label || !other->label || strcmp(own->label, other->label) == 0)
            continue;
        ncs_str_addf(s, "the labels differ from call %u on (%s, not %s)", (unsigned)own->number, own->label, other->label);
        return true;
    }
    return false;
}

/* The call of the others that the minority left out, in words, if the minority's own call is another one of the same place: then
 * the place tells nothing. NULL = places tell them apart. The caller frees it. */
static char *call_of_one_place(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, bool own)
{
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at), *other = ncs_call_at(q, comm, p->minority[0], p->at);
    bool one_place = p->how == NCS_DIVERGENCE_SKIPPED && !p->gaps.count && !p->by_line && model && other && model->place.line &&
                     !model->label && !other->label && ncs_at_same_place(model, other) && !ncs_same_call(model, other);
    return one_place ? ncs_describe(own ? other : model) : NULL;
}

/* Adds which call the minority left out: by its line, or by its number and what the minority made instead. `named`:
 * the sentence has just named the minority. */
static void format_skipped(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, bool named,
                           struct ncs_str *s)
{
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at);
    const struct ncs_call *own = ncs_call_at(q, comm, p->minority[0], p->at);
    bool one = p->minority_size == 1;
    if (p->gaps.count) {
        if (!named)
            ncs_format_minority(q, s, comm, p);
        ncs_str_add(s, named ? "" : one ? " skips " : " skip ");
        ncs_format_gaps(q, comm, p->model, p, s);
    } else if (p->how == NCS_DIVERGENCE_SKIPPED && own) {
        if (!named)
            ncs_format_minority(q, s, comm, p);
        char *left_out = call_of_one_place(q, comm, p, false);
        ncs_str_addf(s, "%scall %u of the others", named ? "" : one ? " skips " : " skip ", (unsigned)p->number);
        if (left_out)
            ncs_str_addf(s, ", %s", left_out);
        ncs_format_place(s, model);
        if (p->by_line && own->place.line == model->place.line)
            return;
        char *what = left_out ? call_of_one_place(q, comm, p, true) : own->place.line || own->label ? NULL : ncs_describe(own);
        ncs_str_addf(s, ", %s own call %u %s %s", one ? "its" : "their", (unsigned)own->number, left_out ? "there is" : "is",
                     what ? what : "the one");
        if (!left_out)
            ncs_format_place(s, own);
        ncs_free(what);
        ncs_free(left_out);
    } else if (p->skipped_line) {
        ncs_format_minority(q, s, comm, p);
        ncs_str_addf(s, " skipped line %d", p->skipped_line);
    } else if (!format_labels(q, comm, p, s)) {
        ncs_str_addf(s, "call %u is", (unsigned)p->number);
        ncs_format_place(s, model);
        if (!model->place.line && !model->label)
            ncs_str_add(s, " missing");
    }
}

/* Fills why: which calls the minority left out, and what it made instead. */
static void format_skip(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, struct ncs_draft *d)
{
    const struct ncs_member *minority = &q->journal->comm[comm]->member[p->minority[0]];
    const struct ncs_member *others = &q->journal->comm[comm]->member[p->model];
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at);
    struct ncs_str s = { 0 };
    if (minority->calls < others->calls) {
        ncs_format_counts(q, &s, comm, p);
    } else {
        ncs_format_minority(q, &s, comm, p);
        ncs_str_add(&s, " left out ");
        ncs_format_call_count(&s, (unsigned)p->shift);
        ncs_str_addf(&s, " on %s", ncs_comm_name(q, comm));
    }
    if (others->calls == 1 && model->place.line && !model->label && !p->skipped_line) {
        ncs_str_add(&s, " (");
        format_bare_place(&s, model);
        ncs_str_add(&s, ")");
    } else {
        ncs_str_add(&s, ": ");
        format_skipped(q, comm, p, minority->calls >= others->calls, &s);
    }
    d->f.why = ncs_plain(ncs_str_take(&s));
}

/* Adds to why that the rank has not spawned the thread in which the others make the call. */
static void add_spawns(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    if (!r->unmet || d->f.culprits != 1 || !ncs_format_spawns(q, r->unmet, d->f.culprit[0].rank, &s))
        return;
    char *more = ncs_str_take(&s);
    struct ncs_sentence *why = d->f.why;
    d->f.why = ncs_plain(ncs_text("%s%s", ncs_sentence_text(why), more));
    ncs_sentence_free(why);
    ncs_free(more);
}

static bool skipped_call_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_call_divergence p;
    char *left_out = NULL;
    if (ncs_fill_hosts(q, r, d) || missed_meeting(q, r, d))
        return true;
    bool known = ncs_is_divergence(q, r, NCS_DIVERGENCE_SKIPPED, &p) || ncs_is_divergence(q, r, NCS_DIVERGENCE_FEWER, &p);
    if (!known && (!ncs_never_called(r) || r->unmet->kind != NCS_UNMET_COLLECTIVE || !r->unmet->call))
        return false;
    if (known) {
        ncs_fill_divergence(q, r, ncs_divergence_comm(r), &p, d);
        format_skip(q, ncs_divergence_comm(r), &p, d);
        left_out = call_of_one_place(q, ncs_divergence_comm(r), &p, false);
        ncs_free(p.minority);
    } else {
        plain_skip(q, r, d);
    }
    add_spawns(q, r, d);
    struct ncs_str s = { 0 };
    int line = d->f.culprits ? d->f.culprit[0].line : 0;
    if (line) {
        ncs_str_add(&s, "let ");
        ncs_format_culprits(&s, d);
        if (left_out)
            ncs_str_addf(&s, " make call %u, %s, at line %d", (unsigned)d->f.call, left_out, line);
        else
            ncs_str_addf(&s, " make the call at line %d", line);
        ncs_format_before_wait(q, r, d->f.culprits > 1, &s);
        ncs_str_add(&s, ": ");
    }
    ncs_str_add(&s, "every rank of a communicator makes the same calls in the same order");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_free(left_out);
    return true;
}

const struct ncs_rule ncs_rule_skipped_call = { .match = skipped_call_match, .ground = NCS_GROUND_FEWER };
