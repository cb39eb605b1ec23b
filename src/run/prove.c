/* Tests the explanations of a hang: each change is applied to a silent run of its own. If that run goes on, the change is
 * proven to be sufficient, and a passing alternative may replace the cause, also one that passes (diagnose/README.md,
 * rules 22 and 23). */
#include <string.h>

#include "base/mem.h"
#include "run/amend.h"
#include "run/private.h"

enum { MOST_CALLS = 200000 }; /* of a run that is repeated */

static const struct ncs_trial *known_trial(const struct ncs_proof *proof, const struct ncs_finding *f)
{
    for (size_t i = 0; i < proof->trials; i++)
        if (ncs_trial_has_edits(&proof->trial[i], f))
            return &proof->trial[i];
    return NULL;
}

/* The trial of the finding's edits; edits that were tried before are not run again. NULL = the
 * finding has no edits that can be tried. */
static const struct ncs_trial *trial_of(struct ncs_run *run, const struct ncs_finding *f, const struct ncs_driver *driver)
{
    struct ncs_proof *proof = &run->result.proof;
    const struct ncs_trial *known = known_trial(proof, f);
    if (known)
        return known;
    struct ncs_amendments *amend = ncs_amend_new();
    bool fits = f->repairs && ncs_amend_add(amend, run->journal, f->repair, f->repairs);
    if (fits) {
        struct ncs_trial t = ncs_run_try(run, f, amend, driver);
        NCS_PUSH(proof->trial, proof->trials, proof->room, t);
    }
    ncs_amend_free(amend);
    return fits ? &proof->trial[proof->trials - 1] : NULL;
}

/* True if the run goes on with the finding's edits, even with a wrong result: an inserted call may
 * carry the wrong data (diagnose/README.md, rule 22). The finding gets the outcome as text. */
static bool stands_trial(struct ncs_run *run, struct ncs_finding *f, const struct ncs_driver *driver)
{
    const struct ncs_trial *t = f ? trial_of(run, f, driver) : NULL;
    if (!t)
        return false;
    ncs_free(f->tried);
    f->tried = ncs_trial_format(t, &run->result.diagnosis, run->journal);
    return ncs_trial_goes_on(t);
}

/* True if the finding's change was tried, and the run did not go on with it: then it is out. */
static bool is_refuted(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_trial *t = f && f->repairs ? known_trial(&run->result.proof, f) : NULL;
    return t && !ncs_trial_goes_on(t);
}

/* True if the run still hangs with the finding's change, but ranks without one have gone on: what is left may be a second
 * mistake. */
static bool lets_others_go_on(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_trial *t = f && f->repairs ? known_trial(&run->result.proof, f) : NULL;
    return t && t->verdict == NCS_HANG && t->moved;
}

static bool alternative_stands(struct ncs_run *run, size_t i, const struct ncs_driver *driver)
{
    struct ncs_alternative *a = &run->result.diagnosis.alternative[i];
    return stands_trial(run, ncs_first_cause(a->finding, a->findings), driver);
}

static const struct ncs_finding *prove_cause_of(const struct ncs_alternative *a)
{
    return ncs_first_cause(a->finding, a->findings);
}

/* The alternatives of one cost, and which of them pass their trial. */
struct tier {
    size_t from, to;
    const bool *stands;
};

/* True if the alternatives blame different ranks, and the diagnosis, which found calls that
 * disagree, blames all of these ranks. */
static bool names_all(const struct ncs_diagnosis *d, const struct tier *t)
{
    const struct ncs_finding *first = ncs_first_cause(d->finding, d->findings), *one = NULL;
    bool differ = false;
    for (size_t i = t->from; i < t->to; i++) {
        const struct ncs_finding *f = prove_cause_of(&d->alternative[i]);
        if (!t->stands[i])
            continue;
        if (d->alternative[i].shifted || !first || first->cycles || !ncs_finding_names_all(first, f))
            return false;
        differ |= one && !ncs_finding_names_all(one, f);
        one = f;
    }
    return differ;
}

static struct ncs_finding *prove_first_of(struct ncs_run *run)
{
    return ncs_first_cause(run->result.diagnosis.finding, run->result.diagnosis.findings);
}

/* True if the change that the rules propose does not repair the run, or is larger than this one. */
static bool is_smaller(struct ncs_run *run, const struct ncs_finding *f, const struct ncs_driver *driver)
{
    struct ncs_finding *first = prove_first_of(run);
    return !first || f->repairs < first->repairs || !stands_trial(run, first, driver);
}

/* How many changes a passing trial of the finding needed; SIZE_MAX = it has none. */
static size_t changes_made(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_trial *t = f ? known_trial(&run->result.proof, f) : NULL;
    return t && ncs_trial_goes_on(t) ? t->edits * (1 + t->returns) + t->behind : SIZE_MAX;
}

/* True if the finding leaves out a call at a place where another rank makes as many. */
static bool leaves_out_usual(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_edit *e = f->repairs == 1 ? &f->repair[0] : NULL;
    const struct ncs_call *own = e && e->kind == NCS_EDIT_DELETE && e->comm >= 0
                                     ? ncs_journal_call(run->journal, e->comm, e->comm_rank, e->call)
                                     : NULL;
    size_t *made = ncs_new((size_t)run->options.ranks * sizeof *made);
    bool usual = false;
    for (const struct ncs_call *c = own ? run->journal->oldest : NULL; c; c = c->newer)
        if (c->fn == own->fn && c->place.line == own->place.line && c->place.file == own->place.file)
            made[c->rank]++;
    for (int r = 0; r < run->options.ranks && own; r++)
        usual |= r != own->rank && made[r] >= made[own->rank];
    ncs_free(made);
    return usual;
}

enum takes { NO, LIKELY, SURELY };

/* Decides if an alternative that passes its trial becomes the diagnosis. SURELY or LIKELY: places
 * in the program speak for it, or it blames the same ranks with a closer explanation. NO: the first
 * finding explains the waits as well, so the alternative is only reported as equally likely. *why: by which comparison. */
static enum takes takes_over(struct ncs_run *run, const struct ncs_alternative *a, const struct ncs_driver *driver,
                             struct ncs_why *why)
{
    const struct ncs_diagnosis *d = &run->result.diagnosis;
    const struct ncs_finding *first = ncs_first_cause(d->finding, d->findings), *f = prove_cause_of(a);
    bool within = first && ncs_finding_names_all(first, f), same = within && ncs_finding_names_all(f, first);
    bool known = first && strcmp(first->rule, "waiting") != 0;
    bool message = strcmp(f->rule, "recv-without-send") == 0 || strcmp(f->rule, "send-without-recv") == 0;
    *why = NCS_WHY(TRIAL_CHANGES);
    if (a->shifted) /* either the argument is wrong, or the calls are out of step: trials show which */
        return within && changes_made(run, f) < changes_made(run, first) ? SURELY : NO;
    *why = NCS_WHY(TRIAL_OTHER_END);
    if (message && !same && a->fits && leaves_out_usual(run, f) && stands_trial(run, prove_first_of(run), driver))
        return LIKELY; /* either end of the message may be wrong */
    *why = NCS_WHY(TRIAL_PLACES);
    if (a->fits && (a->sure || same))
        return SURELY;
    *why = NCS_WHY(TRIAL_UNPLACED);
    if (!a->sure && !(a->placed && (within || !known)))
        return NO;
    *why = NCS_WHY(TRIAL_LARGER);
    if (!is_smaller(run, f, driver))
        return NO;
    /* The first finding, often a cycle of waits, blames fewer ranks. Against a sure alternative
     * this counts only if its own change passes a trial. */
    *why = NCS_WHY(TRIAL_MORE_RANKS);
    if (first && f->culprits > first->culprits && (!a->sure || stands_trial(run, prove_first_of(run), driver)))
        return NO;
    *why = NCS_WHY(TRIAL_SMALLER);
    return a->sure ? SURELY : LIKELY;
}

/* The graph of waits shows the problem, but neither the change nor its place. The alternative's
 * repair, which passed its trial, replaces the finding's. */
static void take_repair(struct ncs_finding *f, struct ncs_finding *from)
{
    if (ncs_edits_same(f->repair, f->repairs, from->repair, from->repairs))
        return; /* one trial was made for both, with the finding's own */
    for (size_t i = 0; i < f->repairs; i++)
        ncs_edit_free(&f->repair[i]);
    ncs_free(f->repair);
    ncs_free(f->tried);
    f->repair = from->repair;
    f->repairs = from->repairs;
    f->tried = from->tried;
    from->repair = NULL;
    from->repairs = 0;
    from->tried = NULL;
    for (size_t i = 0; i < f->culprits && i < from->culprits; i++)
        if (!f->culprit[i].line)
            f->culprit[i].line = from->culprit[i].line;
}

/* True if the trial of the one applied its edits less often than that of the other. */
static bool returns_less(const struct ncs_run *run, size_t alternative, size_t than)
{
    const struct ncs_diagnosis *d = &run->result.diagnosis;
    const struct ncs_trial *a = known_trial(&run->result.proof, prove_cause_of(&d->alternative[alternative])),
                           *b = known_trial(&run->result.proof, prove_cause_of(&d->alternative[than]));
    return a && b && a->returns + a->behind < b->returns + b->behind;
}

/* Makes one passing alternative the diagnosis, unless the diagnosis names it already; the other
 * passing ones become alternatives in the report. */
static void prove_settle(struct ncs_run *run, const struct tier *t, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    size_t best = t->to;
    for (size_t i = t->from; i < t->to; i++) {
        bool told = best < t->to && d->alternative[best].known, more = d->alternative[i].known > told;
        if (t->stands[i] && (best == t->to || more || (d->alternative[i].known == told && returns_less(run, i, best))))
            best = i;
    }
    struct ncs_finding *first = prove_first_of(run),
                       *f = ncs_first_cause(d->alternative[best].finding, d->alternative[best].findings);
    if (names_all(d, t)) {
        ncs_decided(first, NCS_WHY(TRIAL_WITHIN), "%s and others", f->rule);
        return;
    }
    bool told = d->alternative[best].known && first;
    bool refuted = is_refuted(run, first) && f->culprits <= first->culprits;
    struct ncs_why why = NCS_WHY(TRIAL_CONFIRMS);
    enum takes takes = told ? NO : takes_over(run, &d->alternative[best], driver, &why);
    if (!told && takes == NO && refuted)
        why = NCS_WHY(TRIAL_REFUTES);
    if (takes != NO || (refuted && !told))
        ncs_decided(f, why, "instead of %s", first ? first->rule : "no cause");
    else if (first)
        ncs_decided(first, why, "%s %s", told ? "with the edits of" : "and not", f->rule);
    if (told)
        take_repair(first, f);
    else if (takes != NO || refuted)
        ncs_diagnosis_prefer(d, best, takes == SURELY || refuted);
    else
        ncs_diagnosis_add_other(d, run->journal, best);
    if (!told && takes != SURELY && refuted)
        prove_first_of(run)->certainty = NCS_LIKELY; /* it is left over, and no place speaks for it */
    for (size_t i = t->from; i < t->to; i++)
        if (t->stands[i] && i != best)
            ncs_diagnosis_add_other(d, run->journal, i);
}

static bool alternative_is_followed(const struct ncs_run *run, size_t i)
{
    const struct ncs_trial *t = known_trial(&run->result.proof, prove_cause_of(&run->result.diagnosis.alternative[i]));
    return t && t->behind > 0;
}

/* A trial that passes with its own edits counts more than one that was followed further and
 * further, unless it blames more ranks. */
static bool prefers_followed(const struct ncs_run *run, const struct tier *followed, const struct tier *t)
{
    const struct ncs_alternative *a = run->result.diagnosis.alternative;
    size_t i = followed->from, k = t->from;
    while (i < followed->to && !followed->stands[i])
        i++;
    while (k < t->to && !t->stands[k])
        k++;
    return i < followed->to && prove_cause_of(&a[i])->culprits < prove_cause_of(&a[k])->culprits;
}

/* Tries the tiers from the cheapest on; the first tier with a passing trial decides the diagnosis.
 * `all`: tries the more expensive tiers, too. */
static bool prove_alternatives(struct ncs_run *run, bool all, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    bool *stands = ncs_new((d->alternatives + 1) * sizeof *stands);
    struct tier followed = { 0, 0, stands }, best = followed;
    for (size_t from = 0, to; from < d->alternatives && (all || best.from == best.to); from = to) {
        bool any = false, direct = false;
        for (to = from; to < d->alternatives && d->alternative[to].tier == d->alternative[from].tier; to++) {
            any |= stands[to] = alternative_stands(run, to, driver);
            direct |= stands[to] && !alternative_is_followed(run, to);
        }
        const struct tier own = { from, to, stands };
        if (direct && best.from == best.to)
            best = prefers_followed(run, &followed, &own) ? followed : own;
        if (any && followed.from == followed.to)
            followed = own;
    }
    best = best.from == best.to ? followed : best;
    if (best.from < best.to)
        prove_settle(run, &best, driver);
    ncs_free(stands);
    return best.from < best.to;
}

/* The call in which the step waits; NULL = unknown. */
static const struct ncs_call *call_of_step(const struct ncs_journal *j, const struct ncs_cycle_step *s)
{
    const struct ncs_call *c = j->newest;
    while (c && (c->number != s->call || c->place.line != s->line || !ncs_fn_info[c->fn].counted))
        c = c->older;
    return c;
}

/* True if all ranks are culprits and wait in one cycle, each in its call of the same number, all in messages
 * or all in collectives: such a finding blames nobody in particular, so a failed trial does not weaken it. */
static bool prove_is_of_all(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_diagnosis *d = &run->result.diagnosis;
    for (size_t i = 1; i < f->cycles; i++)
        if (f->cycle[i].call != f->cycle[0].call)
            return false;
    for (size_t i = 1; i < f->cycles; i++) {
        const struct ncs_call *a = call_of_step(run->journal, &f->cycle[0]), *b = call_of_step(run->journal, &f->cycle[i]);
        if (a && b && ncs_call_is_pair(a) != ncs_call_is_pair(b))
            return false;
    }
    return f->cycles && f->culprits == (d->parties ? d->parties : (size_t)run->options.ranks);
}

/* True if each culprit has a change: the fix is that, and no general advice. */
static bool changes_all(const struct ncs_finding *f)
{
    for (size_t i = 0; i < f->culprits; i++) {
        bool changes = false;
        for (size_t k = 0; k < f->repairs && !changes; k++)
            changes = f->repair[k].rank == f->culprit[i].rank;
        if (!changes)
            return false;
    }
    return true;
}

/* Lowers a certain finding to likely (diagnose/README.md, rule 23). The waits are then known, but not their cause: there may
 * be a second mistake, or another one. A change that was tried in vain is no fix, unless it is one of several. */
static void doubt_fallen(struct ncs_run *run, bool another_stands, bool several)
{
    struct ncs_finding *first = prove_first_of(run);
    const struct ncs_trial *t = first && first->repairs ? known_trial(&run->result.proof, first) : NULL;
    bool fallen = t && t->verdict != NCS_PASS && !(t->verdict == NCS_HANG && ncs_trial_goes_on(t));
    bool unproven = another_stands && first && first->cycles && (!t || !ncs_trial_goes_on(t));
    bool untried = first && first->comm && first->cycles && !first->repairs;
    bool only_goes_on = first && first->comm && first->cycles && t && t->verdict == NCS_HANG;
    if (is_refuted(run, first) && changes_all(first) && !several) {
        ncs_free(first->fix);
        first->fix = NULL;
    }
    if (!first || first->certainty != NCS_CERTAIN ||
        !(fallen || ((unproven || untried || only_goes_on) && !prove_is_of_all(run, first))))
        return;
    if (fallen && ncs_diagnosis_may_be_shifted(&run->result.diagnosis, run->journal, first))
        ncs_finding_doubt_step(first);
    else if (fallen)
        ncs_finding_doubt(first, t->verdict == NCS_HANG
                                     ? "it could also be something else: the run still hangs with this change"
                                     : "it could also be something else: the run does not pass with this change");
    first->certainty = NCS_LIKELY;
    ncs_weighed(first, "certain no more: %s",
                fallen         ? "its own change fails the trial"
                : unproven     ? "another change passes its trial"
                : only_goes_on ? "with its change the run only goes on"
                               : "no change of the cycle was tried");
}

/* True if the cause is not proven: its change was tried in vain, or it has none. */
static bool may_be_of_several(const struct ncs_run *run, const struct ncs_finding *first)
{
    bool untried = first && first->certainty == NCS_LIKELY && !first->repairs;
    return first && (untried || is_refuted(run, first)) && !prove_is_of_all(run, first);
}

/* The cause is not proven. One that places speak for and that lets other ranks go on, to what else is wrong,
 * is the likelier of several mistakes. Returns true if it has become the cause. */
static bool take_first_of_several(struct ncs_run *run)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    const struct ncs_finding *first = prove_first_of(run);
    for (size_t i = 0; i < d->alternatives && first; i++) {
        struct ncs_finding *f = ncs_first_cause(d->alternative[i].finding, d->alternative[i].findings);
        if (!d->alternative[i].sure || !lets_others_go_on(run, f) || !ncs_finding_names_all(first, f) ||
            leaves_out_usual(run, f) || ncs_edits_same(f->repair, f->repairs, first->repair, first->repairs))
            continue;
        ncs_decided(f, NCS_WHY(TRIAL_SEVERAL), "instead of %s", first->rule);
        f->certainty = NCS_LIKELY;
        ncs_diagnosis_prefer(d, i, false);
        return true;
    }
    return false;
}

void ncs_run_prove(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    bool all = run->options.prove;
    if (run->result.verdict != NCS_HANG || run->options.amend)
        return;
    if (run->real || run->options.once || (run->result.calls > MOST_CALLS && !all)) {
        ncs_diagnosis_decide(d, run->journal);
        return;
    }
    run->result.proof.complete = all;
    const struct ncs_finding *before = prove_first_of(run);
    stands_trial(run, prove_first_of(run), driver);
    bool another_stands = prove_alternatives(run, all, driver);
    bool several = !another_stands && may_be_of_several(run, prove_first_of(run));
    for (size_t i = 0; i < d->alternatives; i++)
        if (is_refuted(run, prove_cause_of(&d->alternative[i])) &&
            !(several && lets_others_go_on(run, prove_cause_of(&d->alternative[i]))))
            d->alternative[i].as_good = d->alternative[i].sure = false;
    several = several && take_first_of_several(run);
    if (!another_stands)
        ncs_diagnosis_doubt(d, run->journal);
    doubt_fallen(run, another_stands, several);
    const struct ncs_finding *first = prove_first_of(run);
    ncs_diagnosis_doubt_launched(d, run->journal);
    bool likely = first && first->certainty == NCS_LIKELY;
    if (likely || (first && first == before && first->either && first->certainty == NCS_CERTAIN))
        ncs_diagnosis_turn_round(d, run->journal);
}

void ncs_run_proof_free(struct ncs_proof *proof)
{
    for (size_t i = 0; i < proof->trials; i++)
        ncs_trial_free(&proof->trial[i]);
    ncs_free(proof->trial);
}
