/* Whether what is said of a hang is true: the calls that ought to have been made otherwise are made so in
 * a run of its own, unheard. If it goes on then, that is proof that this change is enough; where a first
 * explanation does not stand the trial and another does, the other is told. */
#include "base/mem.h"
#include "base/str.h"
#include "run/amend.h"
#include "run/private.h"

enum { MOST_CALLS = 200000 }; /* of a run that is made once more */

static struct ncs_run *again(const struct ncs_run *run, const struct ncs_amendments *amend,
                             const struct ncs_driver *driver)
{
    struct ncs_run_options o = run->options;
    o.repair = false;
    o.amend = amend;
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
        struct ncs_run *other = again(run, amend, driver);
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

/* The cheapest that stands its trial is the cause, unless another fits as well. */
static bool prove_alone(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    for (size_t i = 0; i < d->alternatives; i++)
        if (d->alternative[i].alone && alternative_stands(run, i, driver)) {
            ncs_diagnosis_prefer(d, i);
            say_tried(ncs_first_cause(d->finding, d->findings));
            return true;
        }
    return false;
}

void ncs_run_prove(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_diagnosis *d = &run->result.diagnosis;
    if (run->result.verdict != NCS_HANG || run->options.amend)
        return;
    if (run->real || run->result.calls > MOST_CALLS)
        ncs_diagnosis_decide(d, run->journal);
    else if (!prove_alone(run, driver))
        ncs_diagnosis_doubt(d, run->journal);
}
