/* The readings of a run: the findings of the rules alone, and for a hang one reading for each explanation that has words
 * (diagnose/README.md, rules 14 and 18). */
#include "diagnose/explanation/explain.h"
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* Fills all findings; the explanation, if any, replaces the rules' findings about the hang. False =
 * the explanation cannot be put into words. */
static bool read_as(struct ncs_analysis *q, const struct ncs_explanation *e, struct ncs_alternative *out)
{
    struct ncs_drafts all = { 0 };
    size_t room = 0;
    *out = (struct ncs_alternative){ 0 };
    ncs_judge_notices(q, &all);
    bool fine = !e || ncs_explanation_format(e, &all);
    if (fine && !e && q->hung)
        ncs_judge_hang(q, &all);
    if (fine) {
        ncs_judge_rest(q, &all);
        q->journal_silent = !all.journal_speaks; /* the journal is the same in all readings */
        ncs_drafts_sort(&all);
    }
    for (size_t i = 0; i < all.count; i++)
        NCS_PUSH(out->finding, out->findings, room, all.draft[i].f);
    ncs_free(all.draft);
    return fine;
}

static void free_reading(struct ncs_alternative *r)
{
    for (size_t i = 0; i < r->findings; i++)
        ncs_free_finding(&r->finding[i]);
    ncs_free(r->finding);
}

/* A rank that destroys too early also leaves out the calls behind that, and the rule early-destroy
 * says more. */
static bool same_rule(const char *known, const char *own)
{
    return strcmp(known, own) == 0 || (strcmp(known, "early-destroy") == 0 && strcmp(own, "skipped-call") == 0);
}

/* True if both blame the same ranks for the same mistake. The rules' finding is kept: it says
 * more. */
static bool same_cause(const struct ncs_finding *a, const struct ncs_finding *b)
{
    return same_rule(a->rule, b->rule) && ncs_same_culprits(a, b) && !a->comm == !b->comm &&
           (!a->comm || strcmp(a->comm, b->comm) == 0);
}

static bool readings_is_known(const struct ncs_diagnosis *d, const struct ncs_alternative *a)
{
    for (size_t i = 0; i < d->alternatives; i++) {
        const struct ncs_finding *f = d->alternative[i].finding;
        if (same_cause(f, a->finding) && ncs_edits_same(f->repair, f->repairs, a->finding->repair, a->finding->repairs))
            return true;
    }
    return false;
}

/* Rules whose cause is concluded from the waits, or from the first calls that do not fit: a
 * comparison of courses may find what led there. All other rules have a fact of their own: an
 * abort, an error, an open group. */
static const struct {
    const char *rule;
    bool read; /* by comparing calls of several ranks: their order, kinds or peers (ncs_finding_is_read) */
} by_waiting[] = {
    { "comm-order", true },     { "count-mismatch", false },     { "dtype-mismatch", false }, { "early-destroy", true },
    { "extra-call", false },    { "host-wait", false },          { "kind-mismatch", true },   { "one-thread-no-group", true },
    { "op-mismatch", false },   { "p2p-count-mismatch", false }, { "p2p-cycle", true },       { "recv-without-send", false },
    { "root-mismatch", false }, { "send-without-recv", false },  { "signal-cycle", true },    { "signal-missing", false },
    { "skipped-call", false },  { "swapped-calls", true },       { "waiting", true },         { "wrong-comm", true },
    { "wrong-peer", true },
};

bool ncs_finding_is_by_waiting(const struct ncs_finding *f)
{
    for (size_t i = 0; f && i < sizeof by_waiting / sizeof *by_waiting; i++)
        if (strcmp(by_waiting[i].rule, f->rule) == 0)
            return true;
    return false;
}

bool ncs_finding_is_read(const struct ncs_finding *f)
{
    for (size_t i = 0; i < sizeof by_waiting / sizeof *by_waiting; i++)
        if (strcmp(by_waiting[i].rule, f->rule) == 0)
            return by_waiting[i].read;
    return false;
}

/* A cycle need not be any single rank's fault, because all may do alike, and in an unmatched
 * message either side may be wrong: there the explanation has to bring its ranks closer to the
 * others, too. */
static bool may_replace(const struct ncs_analysis *q, const struct ncs_explanation *e, const struct ncs_finding *own,
                        const struct ncs_finding *known)
{
    bool either = known->cycles || ncs_explanation_is_of_messages(e);
    return (!either || ncs_explanation_brings_closer(e)) && ncs_finding_is_likelier(q->journal, own, known);
}

static void rate(const struct ncs_analysis *q, const struct ncs_explanation *e, const struct ncs_finding *known,
                 struct ncs_alternative *a)
{
    const struct ncs_finding *own = ncs_first_cause(a->finding, a->findings);
    a->tier = ncs_explanation_tier(e);
    a->known = known && own && same_cause(known, own);
    a->fits = known && own && may_replace(q, e, own, known);
    a->sure = ncs_explanation_is_sure(e);
    a->placed = ncs_explanation_is_placed(e);
    a->likelier = NCS_BY(&a->likelier_by, LIKELIER, a->fits && ncs_explanation_is_likelier(e));
    a->as_good = ncs_explanation_is_as_good(e);
    a->shifted = e->shifted;
}

/* Notes an explanation that all ranks go on with, and what speaks for it. */
static void weigh_alternative(const struct ncs_alternative *a, bool dropped, struct ncs_str *out)
{
    const struct {
        bool is;
        const char *name;
    } facts[] = {
        { a->known, "known to the rules" },
        { a->fits, "fits" },
        { a->sure, "sure" },
        { a->placed, "placed" },
        { a->likelier, "likelier" },
        { a->as_good, "as good as the cheapest" },
        { a->shifted, "shifted" },
    };
    const struct ncs_finding *f = &a->finding[0];
    ncs_str_add(out, "alternative: ");
    ncs_format_candidate(out, f);
    ncs_str_addf(out, ": %s: tier %zu", ncs_sentence_text(f->why), a->tier);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        ncs_str_addf(out, "%s%s", facts[i].is ? ", " : "", facts[i].is ? facts[i].name : "");
    ncs_str_add(out, dropped ? "; dropped: an earlier one has the same words and edits\n" : "\n");
}

static void add_alternatives(struct ncs_analysis *q, struct ncs_diagnosis *d)
{
    struct ncs_explanations *all = ncs_explain_hang(q);
    size_t room = 0;
    d->in_step = all->in_step;
    for (size_t i = 0; i < ncs_explanations_count(all); i++) {
        const struct ncs_explanation *e = ncs_explanation_at(all, i);
        struct ncs_alternative a;
        bool fine = read_as(q, e, &a) && a.findings;
        struct ncs_finding *own = fine ? ncs_first_cause(a.finding, a.findings) : NULL;
        if (own)
            own->candidate = e->number;
        if (fine)
            rate(q, e, ncs_first_cause(d->finding, d->findings), &a);
        bool dropped = fine && readings_is_known(d, &a);
        if (fine && ncs_decisions_kept)
            weigh_alternative(&a, dropped, &d->weighed);
        if (fine && !dropped)
            NCS_PUSH(d->alternative, d->alternatives, room, a);
        else
            free_reading(&a);
    }
    d->of_two = all->courses.count == 2;
    ncs_explanations_free(all);
}

void ncs_rules(struct ncs_analysis *q)
{
    struct ncs_alternative r;
    read_as(q, NULL, &r);
    q->result->finding = r.finding;
    q->result->findings = r.findings;
    if (!q->hung)
        return;
    struct ncs_why why;
    if (!NCS_BY(&why, NOTHING, !ncs_finding_is_by_waiting(ncs_first_cause(r.finding, r.findings))))
        add_alternatives(q, q->result);
    else
        ncs_weighed(q->result, why, "none is looked for: the cause is a fact of its own, which no comparison of courses made");
}
