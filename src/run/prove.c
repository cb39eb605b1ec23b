/* Whether what is said of a hang is true: the calls that ought to have been made otherwise are made so in
 * a run of its own, unheard. If it goes on then, that is proof that this change is enough; where a first
 * explanation does not stand the trial and another does, the other is told. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "run/amend.h"
#include "run/private.h"

enum { MOST_CALLS = 200000 }; /* of a run that is made once more */

struct ncs_run *ncs_run_again(const struct ncs_run *run, const struct ncs_amendments *amend, bool trial,
                              const struct ncs_driver *driver)
{
    struct ncs_run_options o = run->options;
    o.repair = false;
    o.amend = amend;
    o.trial = trial;
    o.schedule = NULL; /* its choices are of the calls as they were */
    o.look = 0;
    o.timeline = false;
    o.on_log = NULL;
    o.step_limit = 100 * run->result.calls + 100000;
    struct ncs_run *other = ncs_run_make(&o, &run->program, NULL, NULL);
    ncs_run_once(other, driver);
    return other;
}

/* What was never sent before may well be wrong: that it goes on is all that is asked. */
static bool goes_on(const struct ncs_result *r)
{
    return r->verdict == NCS_PASS || r->verdict == NCS_WRONG;
}

static bool stands_trial(struct ncs_run *run, const struct ncs_finding *f, const struct ncs_driver *driver)
{
    struct ncs_amendments *amend = ncs_amend_new();
    bool proven = false;
    if (f && f->repairs && ncs_amend_add(amend, run->journal, f->repair, f->repairs)) {
        ncs_run_close_machine(run);
        struct ncs_run *other = ncs_run_again(run, amend, true, driver);
        proven = goes_on(&other->result);
        ncs_run_free(other);
    }
    ncs_amend_free(amend);
    return proven;
}

/* What the finding says now is true of the run, and of this program. */
static void say_tried(struct ncs_finding *f)
{
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "%s%stried on the run: with this change nobody waits any more",
                 f->evidence ? f->evidence : "", f->evidence ? "; " : "");
    ncs_free(f->evidence);
    f->evidence = ncs_str_take(&s);
}

static bool alternative_stands(struct ncs_run *run, size_t i, const struct ncs_driver *driver)
{
    struct ncs_alternative *a = &run->result.diagnosis.alternative[i];
    return stands_trial(run, ncs_first_cause(a->finding, a->findings), driver);
}

static const struct ncs_finding *cause_of(const struct ncs_alternative *a)
{
    return ncs_first_cause(a->finding, a->findings);
}

/* Those that stand a trial and cost the same. */
struct tier {
    size_t from, to;
    const bool *stands;
};

/* They blame different ranks, and the diagnosis, which knows of calls that disagree, blames all of these. */
static bool names_all(const struct ncs_diagnosis *d, const struct tier *t)
{
    const struct ncs_finding *first = ncs_first_cause(d->finding, d->findings), *one = NULL;
    bool differ = false;
    for (size_t i = t->from; i < t->to; i++) {
        const struct ncs_finding *f = cause_of(&d->alternative[i]);
        if (!t->stands[i])
            continue;
        if (!first || first->cycles || !ncs_finding_names_all(first, f))
            return false;
        differ |= one && !ncs_finding_names_all(one, f);
        one = f;
    }
    return differ;
}

/* What the rules say would mend the run does not, or takes more changes than one that does. */
static bool is_smaller(struct ncs_run *run, const struct ncs_finding *f, const struct ncs_driver *driver)
{
    const struct ncs_finding *first = ncs_first_cause(run->result.diagnosis.finding, run->result.diagnosis.findings);
    return !first || f->repairs < first->repairs || !stands_trial(run, first, driver);
}

enum takes { NO, LIKELY, SURELY };

/* Whether one that stands its trial becomes the diagnosis: places speak for it, or it says of the same ranks what is
 * closer to the truth. Where they do not, and who waits is not told of in another way that goes, it is as likely. */
static enum takes takes_over(struct ncs_run *run, const struct ncs_alternative *a, const struct ncs_driver *driver)
{
    const struct ncs_diagnosis *d = &run->result.diagnosis;
    const struct ncs_finding *first = ncs_first_cause(d->finding, d->findings), *f = cause_of(a);
    bool within = first && ncs_finding_names_all(first, f), same = within && ncs_finding_names_all(f, first);
    bool known = first && strcmp(first->rule, "waiting") != 0;
    if (a->fits && (a->sure || same))
        return SURELY;
    bool may = a->sure || (a->placed && (within || !known));
    if (!may || (first && f->culprits > first->culprits) || !is_smaller(run, f, driver))
        return NO;
    return a->sure ? SURELY : LIKELY;
}

/* Who waits for whom says what is wrong, not which change mends it, and where; this one has been tried. */
static void take_repair(struct ncs_finding *f, struct ncs_finding *from)
{
    for (size_t i = 0; i < f->repairs; i++)
        ncs_edit_free(&f->repair[i]);
    ncs_free(f->repair);
    f->repair = from->repair;
    f->repairs = from->repairs;
    from->repair = NULL;
    from->repairs = 0;
    for (size_t i = 0; i < f->culprits && i < from->culprits; i++)
        if (!f->culprit[i].line)
            f->culprit[i].line = from->culprit[i].line;
}

/* The first of them becomes the diagnosis if none is that already; the others it could be as well. */
static void settle(struct ncs_run *run, const struct tier *t, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    size_t best = t->to;
    for (size_t i = t->to; i-- > t->from;)
        if (t->stands[i] && (best == t->to || d->alternative[i].told || !d->alternative[best].told))
            best = i;
    if (names_all(d, t))
        return;
    struct ncs_finding *first = ncs_first_cause(d->finding, d->findings);
    bool told = d->alternative[best].told && first;
    enum takes takes = told ? NO : takes_over(run, &d->alternative[best], driver);
    if (told)
        take_repair(first, ncs_first_cause(d->alternative[best].finding, d->alternative[best].findings));
    else if (takes != NO)
        ncs_diagnosis_prefer(d, best, takes == SURELY);
    else
        ncs_diagnosis_add_other(d, run->journal, best);
    if (told || takes != NO)
        say_tried(ncs_first_cause(d->finding, d->findings));
    for (size_t i = t->from; i < t->to; i++)
        if (t->stands[i] && i != best)
            ncs_diagnosis_add_other(d, run->journal, i);
}

/* The cheapest that stand their trial. */
static bool prove_cheapest(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    bool *stands = ncs_new((d->alternatives + 1) * sizeof *stands), any = false;
    for (size_t from = 0, to; from < d->alternatives && !any; from = to) {
        for (to = from; to < d->alternatives && d->alternative[to].tier == d->alternative[from].tier; to++)
            any |= stands[to] = alternative_stands(run, to, driver);
        if (any)
            settle(run, &(struct tier){ from, to, stands }, driver);
    }
    ncs_free(stands);
    return any;
}

void ncs_run_prove(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    if (run->result.verdict != NCS_HANG || run->options.amend)
        return;
    if (run->real || run->options.untried || run->result.calls > MOST_CALLS)
        ncs_diagnosis_decide(d, run->journal);
    else if (!prove_cheapest(run, driver)) {
        ncs_diagnosis_doubt(d, run->journal);
        ncs_diagnosis_doubt_odd(d, run->journal);
    }
}
