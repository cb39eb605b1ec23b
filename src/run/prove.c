/* Tests the explanations of a hang: each change is applied to a silent run of its own. A run that does not go on refutes the
 * change. One that goes on shows that the change is enough, not who is guilty: which of several stays the cause, places
 * decide, and the sizes of changes (diagnose/README.md, rules 22 and 23). */
#include <string.h>

#include "base/mem.h"
#include "run/amend.h"
#include "run/private.h"

enum { MOST_CALLS = 200000 }; /* of a run that is repeated */

static struct ncs_trial *known_trial(const struct ncs_proof *proof, const struct ncs_finding *f)
{
    for (size_t i = 0; i < proof->trials; i++)
        if (ncs_trial_has_edits(&proof->trial[i], f))
            return &proof->trial[i];
    return NULL;
}

/* The trial of the finding's edits. NULL = it shows nothing: there was none, the run came to a part of the edits
 * only, or the host had no memory for it. */
static const struct ncs_trial *trial_shows(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_trial *t = f && f->repairs ? known_trial(&run->result.proof, f) : NULL;
    return t && !t->partial && t->verdict != NCS_MEMORY ? t : NULL;
}

/* True if the run goes on with the finding's edits, even with a wrong result: an inserted call may carry the wrong data
 * (diagnose/README.md, rule 22). */
static bool stood_trial(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_trial *t = trial_shows(run, f);
    return t && ncs_trial_goes_on(t);
}

/* True if the finding's change was tried, and the run did not go on with it: then it is out. */
static bool is_refuted(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_trial *t = trial_shows(run, f);
    return t && !ncs_trial_goes_on(t);
}

/* True if the run still hangs with the finding's change, but ranks without one have gone on: what is left may be a second
 * mistake. */
static bool lets_others_go_on(const struct ncs_run *run, const struct ncs_finding *f)
{
    const struct ncs_trial *t = trial_shows(run, f);
    return t && t->verdict == NCS_HANG && t->moved;
}

/* Gives the finding the outcome of its trial as text. */
static void set_tried(const struct ncs_run *run, struct ncs_finding *f)
{
    const struct ncs_trial *t = trial_shows(run, f);
    if (!t)
        return;
    ncs_free(f->tried);
    f->tried = ncs_trial_format(t, &run->result.diagnosis, run->journal);
}

/* Tries the finding's edits, if they can be tried and were not before. */
static bool try_edits(struct ncs_run *run, struct ncs_finding *f, const struct ncs_driver *driver)
{
    struct ncs_proof *proof = &run->result.proof;
    struct ncs_trial *known;
    struct ncs_amendments *amend = ncs_amend_new();
    if (f && f->repairs && !known_trial(proof, f) && ncs_amend_add(amend, run->journal, f->repair, f->repairs)) {
        struct ncs_trial t = ncs_run_try(run, f, amend, driver);
        NCS_PUSH(proof->trial, proof->trials, proof->room, t);
    }
    ncs_amend_free(amend);
    if (f && f->candidate && (known = known_trial(proof, f)))
        known->candidate = f->candidate;
    set_tried(run, f);
    return stood_trial(run, f);
}

static struct ncs_finding *prove_cause_of(const struct ncs_alternative *a)
{
    return ncs_first_cause(a->finding, a->findings);
}

/* The alternatives of one cost, and which of them stood their trial. */
struct tier {
    size_t from, to;
    const bool *stands;
};

/* True if the alternatives blame different ranks, and the diagnosis, which found calls that
 * disagree, blames all of these ranks. */
static bool names_all(const struct ncs_diagnosis *d, const struct tier *t, struct ncs_why *why)
{
    const struct ncs_finding *first = ncs_first_cause(d->finding, d->findings), *one = NULL;
    bool differ = false;
    for (size_t i = t->from; i < t->to; i++) {
        const struct ncs_finding *f = prove_cause_of(&d->alternative[i]);
        if (!t->stands[i])
            continue;
        if (d->alternative[i].shifted || !first || first->cycles || !ncs_finding_names_all(first, f))
            return false;
        differ |= one && NCS_BY(why, TRIAL_WITHIN, !ncs_finding_names_all(one, f));
        one = f;
    }
    return differ;
}

static struct ncs_finding *prove_first_of(const struct ncs_run *run)
{
    return ncs_first_cause(run->result.diagnosis.finding, run->result.diagnosis.findings);
}

enum takes { NO, LIKELY, SURELY };

/* Decides if an alternative that stood its trial becomes the diagnosis. These decide: what ranks did at the places of the program, and
 * the size of the changes; of the trials only that the first finding's own change was tried in vain.
 * NO: the first finding explains the waits as well, so the alternative is only reported as equally likely. *why: by which
 * comparison. */
static enum takes takes_over(const struct ncs_run *run, const struct ncs_alternative *a, struct ncs_why *why)
{
    const struct ncs_finding *first = prove_first_of(run), *f = prove_cause_of(a);
    bool within = first && ncs_finding_names_all(first, f), same = within && ncs_finding_names_all(f, first);
    bool known = first && strcmp(first->rule, "waiting") != 0;
    struct ncs_why size;
    bool smaller = NCS_BY(&size, TRIAL_SMALLER, !stood_trial(run, first) || f->repairs < first->repairs);
    if (a->shifted) /* either the argument is wrong, or the calls are out of step */
        return NCS_AT(why, TRIAL_CHANGES) && within && smaller ? SURELY : NO;
    if (NCS_BY(why, TRIAL_PLACES, a->fits && (a->sure || same)))
        return SURELY;
    if (NCS_BY(why, TRIAL_UNPLACED, !a->sure && !(a->placed && (within || !known))))
        return NO;
    if (NCS_BY(why, TRIAL_LARGER, !smaller))
        return NO;
    *why = size;
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

/* Makes the first alternative that stood its trial the diagnosis, unless the diagnosis names one of them already or places do
 * not speak for it; the others become alternatives in the report. */
static void prove_settle(struct ncs_run *run, const struct tier *t)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    size_t best = t->to;
    for (size_t i = t->from; i < t->to; i++)
        if (t->stands[i] && (best == t->to || d->alternative[i].known > d->alternative[best].known))
            best = i;
    struct ncs_finding *first = prove_first_of(run),
                       *f = ncs_first_cause(d->alternative[best].finding, d->alternative[best].findings);
    struct ncs_why why, refutes;
    struct ncs_str name = { 0 };
    ncs_format_candidate(&name, f);
    if (names_all(d, t, &why)) {
        ncs_kept(first, why, "and not %s or others", name.text);
        ncs_str_free(&name);
        return;
    }
    bool told = NCS_BY(&why, TRIAL_CONFIRMS, first && d->alternative[best].known);
    enum takes takes = told ? NO : takes_over(run, &d->alternative[best], &why);
    bool refuted = first && first->repairs && !stood_trial(run, first);
    bool beaten = NCS_BY(&refutes, TRIAL_REFUTES, refuted && f->culprits <= first->culprits);
    bool takes_place = !told && (takes != NO || beaten);
    why = !told && takes == NO && beaten ? refutes : why;
    if (takes_place)
        ncs_decided(f, why, "%s instead of %s", name.text, first ? first->rule : "no cause");
    else if (first)
        ncs_kept(first, why, "%s %s", told ? "with the edits of" : "and not", name.text);
    ncs_str_free(&name);
    if (told)
        take_repair(first, f);
    else if (takes_place)
        ncs_diagnosis_prefer(d, best, takes == SURELY || beaten, why);
    else
        ncs_diagnosis_add_other(d, run->journal, best);
    if (!told && takes != SURELY && beaten)
        prove_first_of(run)->certainty = NCS_LIKELY; /* it is left over, and no place speaks for it */
    for (size_t i = t->from; i < t->to; i++)
        if (t->stands[i] && i != best)
            ncs_diagnosis_add_other(d, run->journal, i);
}

/* Tries the tiers from the cheapest on; the first tier of which one stands decides the diagnosis. `all`: tries the
 * more expensive tiers, too. */
static bool prove_alternatives(struct ncs_run *run, bool all, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    bool *stood = ncs_new((d->alternatives + 1) * sizeof *stood);
    struct tier best = { 0, 0, stood };
    for (size_t from = 0, to; from < d->alternatives && (all || best.from == best.to); from = to) {
        bool any = false;
        for (to = from; to < d->alternatives && d->alternative[to].tier == d->alternative[from].tier; to++)
            any |= stood[to] = try_edits(run, prove_cause_of(&d->alternative[to]), driver);
        if (any && best.from == best.to)
            best = (struct tier){ from, to, stood };
    }
    struct ncs_why why;
    if (NCS_BY(&why, NOTHING, best.from < best.to && best.to < d->alternatives && !all))
        ncs_weighed(d, why, "one of the first %zu of %zu alternatives stands, so no further one is tried for it", best.to,
                    d->alternatives);
    if (best.from < best.to)
        prove_settle(run, &best);
    ncs_free(stood);
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

/* Why a certain finding is so no more (diagnose/README.md, rule 23). */
struct fall {
    bool is;
    struct ncs_why why;
    const char *weighed;
    const char *doubt; /* what else it could be; NULL = nothing is known of that */
    bool in_vain;      /* its own change was tried, and the run does not pass */
};

/* The first that is; none: it stays certain. */
static struct fall fall_of(const struct ncs_run *run, const struct ncs_finding *first, bool another_stands)
{
    const struct ncs_trial *t = trial_shows(run, first), *known = first->repairs ? known_trial(&run->result.proof, first) : NULL;
    bool cycle = first->cycles && !prove_is_of_all(run, first), on = t && t->verdict == NCS_HANG && ncs_trial_goes_on(t);
    const struct fall falls[] = {
        { t && t->verdict != NCS_PASS && !on, NCS_WHY(NOTHING), "its own change fails the trial",
          t && t->one_of_several        ? "it could also be something else: with this change the run hangs elsewhere"
          : t && t->verdict == NCS_HANG ? "it could also be something else: the run still hangs with this change"
                                        : "it could also be something else: the run does not pass with this change",
          true },
        { known && known->verdict == NCS_MEMORY, NCS_WHY(NOTHING), "there was no memory for its trial",
          "it could also be something else: there was no memory to try this change", false },
        { known && !t, NCS_WHY(NOTHING), "its trial came to a part of its change only",
          "it could also be something else: a trial came to a part of this change only", false },
        { cycle && !t && another_stands, NCS_WHY(NOTHING), "another change passes its trial", NULL, false },
        { cycle && !t, NCS_WHY(NOTHING), "no change of the cycle was tried", NULL, false },
        { on && (cycle || t->behind), NCS_WHY(NOTHING), "with its change the run only goes on", NULL, false },
        { cycle && t && !changes_all(first), NCS_WHY(NOTHING), "a change of another rank of the cycle may do as well",
          "it could also be that only one of these ranks is wrong: a change of its calls alone is enough", false },
    };
    size_t i = 0;
    while (i < sizeof falls / sizeof *falls && !falls[i].is)
        i++;
    return i < sizeof falls / sizeof *falls ? falls[i] : (struct fall){ .is = false };
}

/* Lowers a certain finding to likely. The waits are then known, but not their cause: there may be a second mistake, or another
 * one. A change that was tried in vain is no fix, unless it is one of several. */
static void doubt_fallen(struct ncs_run *run, bool another_stands, bool several)
{
    struct ncs_finding *first = prove_first_of(run);
    if (is_refuted(run, first) && changes_all(first) && !several) {
        ncs_sentence_free(first->fix);
        first->fix = NULL;
    }
    struct fall fall = { .is = false };
    if (first && first->certainty == NCS_CERTAIN)
        fall = fall_of(run, first, another_stands);
    if (!fall.is)
        return;
    if (fall.in_vain && ncs_diagnosis_may_be_shifted(&run->result.diagnosis, run->journal, first))
        ncs_finding_doubt_step(first);
    else if (fall.doubt)
        ncs_finding_doubt(first, fall.doubt);
    first->certainty = NCS_LIKELY;
    ncs_weighed(first, fall.why, "certain no more: %s", fall.weighed);
}

/* True if one leaves out the message for which the other inserts the counterpart: either end may be wrong. */
static bool are_twins(const struct ncs_finding *a, const struct ncs_finding *b)
{
    const struct ncs_edit *in = a->repairs == 1 ? a->repair : NULL, *out = b->repairs == 1 ? b->repair : NULL;
    if (!in || !out || in->of_host || out->of_host)
        return false;
    if (in->kind != NCS_EDIT_INSERT)
        return out->kind == NCS_EDIT_INSERT && are_twins(b, a);
    return in->answer && out->kind == NCS_EDIT_DELETE && in->comm == out->comm && in->model_comm_rank == out->comm_rank &&
           in->model_call == out->call;
}

static bool is_of_message(const struct ncs_finding *f)
{
    return strcmp(f->rule, "recv-without-send") == 0 || strcmp(f->rule, "send-without-recv") == 0;
}

/* A message has two ends, and the run passes with a change of either. Places make one of them likelier, and prove nothing: a
 * certain cause that leaves out a message, or puts one in, is likely, and its twins are named. That a twin fails its trial is no
 * proof if it inserts a message: it may belong elsewhere. */
static void doubt_message(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    struct ncs_finding *first = prove_first_of(run);
    struct ncs_why why;
    if (!first || !NCS_BY(&why, NOTHING, first->certainty == NCS_CERTAIN && is_of_message(first)))
        return;
    for (size_t i = 0; i < d->alternatives; i++) {
        struct ncs_finding *f = prove_cause_of(&d->alternative[i]);
        if (f && are_twins(first, f) && (try_edits(run, f, driver) || f->repair[0].kind == NCS_EDIT_INSERT))
            ncs_diagnosis_add_other(d, run->journal, i);
    }
    first->certainty = NCS_LIKELY;
    ncs_weighed(first, why, "certain no more: the other end of the message may be wrong");
}

/* True if the cause is not proven: its change was tried in vain, or no trial shows anything of it. */
static bool may_be_of_several(const struct ncs_run *run, const struct ncs_finding *first)
{
    bool untried = first && first->certainty == NCS_LIKELY && !trial_shows(run, first);
    return first && (untried || is_refuted(run, first)) && !prove_is_of_all(run, first);
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

/* The cause is not proven. One that places speak for and that lets other ranks go on, to what else is wrong,
 * is the likelier of several mistakes. Returns true if it has become the cause. */
static bool take_first_of_several(struct ncs_run *run)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    const struct ncs_finding *first = prove_first_of(run);
    for (size_t i = 0; i < d->alternatives && first; i++) {
        struct ncs_finding *f = prove_cause_of(&d->alternative[i]);
        bool like = f && (ncs_finding_names_all(first, f) || ncs_finding_names_all(f, first)) && !leaves_out_usual(run, f) &&
                    !ncs_edits_same(f->repair, f->repairs, first->repair, first->repairs);
        struct ncs_why why;
        if (!NCS_BY(&why, TRIAL_SEVERAL, like && d->alternative[i].sure && lets_others_go_on(run, f)))
            continue;
        ncs_decided(f, why, "candidate %zu instead of %s", f->candidate, first->rule);
        f->certainty = NCS_LIKELY;
        known_trial(&run->result.proof, f)->one_of_several = true;
        set_tried(run, f);
        ncs_diagnosis_prefer(d, i, false, why);
        return true;
    }
    return false;
}

/* The cause's own change lets other ranks go on, and then something else hangs: it may be one of several mistakes. */
static bool keep_as_one_of_several(struct ncs_run *run)
{
    struct ncs_finding *first = prove_first_of(run);
    if (!first || !lets_others_go_on(run, first) || !trial_shows(run, first)->gone)
        return false;
    known_trial(&run->result.proof, first)->one_of_several = true;
    set_tried(run, first);
    return true;
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
    try_edits(run, prove_first_of(run), driver);
    bool another_stands = prove_alternatives(run, all, driver);
    bool several = !another_stands && may_be_of_several(run, prove_first_of(run));
    for (size_t i = 0; i < d->alternatives; i++)
        if (is_refuted(run, prove_cause_of(&d->alternative[i])) &&
            !(several && lets_others_go_on(run, prove_cause_of(&d->alternative[i]))))
            d->alternative[i].as_good = d->alternative[i].sure = false;
    several = several && (take_first_of_several(run) || keep_as_one_of_several(run));
    if (!another_stands)
        ncs_diagnosis_doubt(d, run->journal);
    doubt_fallen(run, another_stands, several);
    doubt_message(run, driver);
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
