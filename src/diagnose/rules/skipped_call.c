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
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++) {
        ranks[i] = r->absent[i]->rank;
        if (ranks[i] >= 0)
            ncs_add_culprit(d, ranks[i], 0, n->call->place.line);
    }
    ncs_fill_unmet(q, d, n, 0);
    d->f.why = ncs_say(never_called_why, ncs_fact_absent(r), ncs_fact_call("call", q->journal, n->call));
    d->f.fix = ncs_say(never_called_fix, ncs_fact_absent(r), ncs_fact_call("call", q->journal, n->call),
                       ncs_fact_before_wait(q, r, r->absents > 1), ncs_fact_is("split", n->call->fn == NCS_FN_ncclCommSplit),
                       ncs_fact_is("shrink", n->call->fn == NCS_FN_ncclCommShrink));
    doubt_missed(q, r, ranks, d);
    ncs_free(ranks);
    return true;
}

/* Only the absence of the ranks is known, not what they did instead. */
static void plain_skip(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    const struct ncs_call *call = skipped_call_commonest(n), *other = NULL;
    for (size_t i = 0; i < r->absents; i++)
        ncs_add_culprit(d, r->absent[i]->rank, call->number, call->place.line);
    for (size_t i = 0; i < n->presents && !other; i++)
        if (!ncs_calls_are_alike(n->present[i], call))
            other = n->present[i];
    d->f.why = ncs_say(plain_skip_why, ncs_fact_absent(r), ncs_fact_call("call", q->journal, call),
                       ncs_fact_call("other", q->journal, other));
    ncs_fill_unmet(q, d, n, call->number);
    ncs_set_title(q, d, call);
}

/* From which call on the labels of the minority and of its model differ: then a call before that may be the one that is missing.
 * NULL = they do not differ. */
static struct ncs_sentence *say_labels(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    const struct ncs_sequence *minority = &q->comm[comm].seq[p->minority[0]], *model = &q->comm[comm].seq[p->model];
    for (uint32_t at = minority->base; at < p->at; at++) {
        const struct ncs_call *own = ncs_sequence_at(minority, at), *other = ncs_sequence_at(model, at);
        if (own && other && own->label && other->label && strcmp(own->label, other->label) != 0)
            return ncs_say(labels_differ, ncs_fact_call("own", q->journal, own), ncs_fact_call("other", q->journal, other));
    }
    return NULL;
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

/* Which call the minority left out: by its line, or by its number and what the minority made instead. `named`: the sentence has
 * just named the minority. */
static struct ncs_sentence *say_skipped(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, bool named)
{
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at);
    const struct ncs_call *own = ncs_call_at(q, comm, p->minority[0], p->at);
    bool gaps = p->gaps.count, call = !gaps && p->how == NCS_DIVERGENCE_SKIPPED && own, line = !gaps && !call && p->skipped_line;
    bool same_line = call && p->by_line && own->place.line == model->place.line;
    char *left_out = call ? call_of_one_place(q, comm, p, false) : NULL,
         *there = call ? call_of_one_place(q, comm, p, true) : NULL;
    char *made = !call || there || own->place.line || own->label ? NULL : ncs_describe(own);
    struct ncs_sentence *labels = gaps || call || line ? NULL : say_labels(q, comm, p);
    struct ncs_sentence *s = ncs_say(
        skipped, ncs_fact_is("by_gaps", gaps), ncs_fact_is("by_call", call), ncs_fact_sentence("labels", labels),
        ncs_fact_line("line", line ? p->skipped_line : 0), ncs_fact_is("by_number", !gaps && !call && !line && !labels),
        ncs_fact_sentence("named", named ? NULL : ncs_say(who_skips, ncs_fact_minority(q, comm, p))),
        ncs_fact_minority(q, comm, p), ncs_fact_gaps(q, comm, p->model, p), ncs_fact_number("number", p->number),
        ncs_fact_text("what", left_out), ncs_fact_call("model", q->journal, model),
        ncs_fact_call("own", q->journal, same_line ? NULL : own), ncs_fact_number("owners", (int64_t)p->minority_size),
        ncs_fact_text("there", there), ncs_fact_text("made", made),
        ncs_fact_is("missing", model && !model->place.line && !model->label));
    ncs_free(left_out);
    ncs_free(there);
    ncs_free(made);
    return s;
}

/* Which calls the minority left out, and what it made instead. */
static struct ncs_sentence *say_skip(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p)
{
    const struct ncs_member *minority = &q->journal->comm[comm]->member[p->minority[0]];
    const struct ncs_member *others = &q->journal->comm[comm]->member[p->model];
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at);
    bool fewer = minority->calls < others->calls;
    bool only = others->calls == 1 && model->place.line && !model->label && !p->skipped_line;
    return ncs_say(skip, ncs_fact_minority(q, comm, p), ncs_fact_sentence("counts", fewer ? ncs_say_counts(q, comm, p) : NULL),
                   ncs_fact_number("left_out", p->shift), ncs_fact_comm(q, comm),
                   ncs_fact_line("only", only ? model->place.line : 0),
                   ncs_fact_sentence("skipped", only ? NULL : say_skipped(q, comm, p, !fewer)));
}

/* That the rank has not spawned the thread in which the others make the call. */
static struct ncs_fact fact_spawns(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    if (r->unmet && d->f.culprits == 1)
        ncs_format_spawns(q, r->unmet, d->f.culprit[0].rank, &s);
    struct ncs_fact fact = ncs_fact_text("spawns", s.text);
    ncs_str_free(&s);
    return fact;
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
        d->f.why = say_skip(q, ncs_divergence_comm(r), &p);
        left_out = call_of_one_place(q, ncs_divergence_comm(r), &p, false);
        ncs_free(p.minority);
    } else {
        plain_skip(q, r, d);
    }
    d->f.why = ncs_say(skipped_call_why, ncs_fact_sentence("skip", d->f.why), fact_spawns(q, r, d));
    d->f.fix = ncs_say(skipped_call_fix, ncs_fact_line("line", d->f.culprits ? d->f.culprit[0].line : 0),
                       ncs_fact_culprits("who", d), ncs_fact_text("left_out", left_out), ncs_fact_number("call", d->f.call),
                       ncs_fact_before_wait(q, r, d->f.culprits > 1));
    ncs_free(left_out);
    return true;
}

const struct ncs_rule ncs_rule_skipped_call = { .match = skipped_call_match, .ground = NCS_GROUND_FEWER };
