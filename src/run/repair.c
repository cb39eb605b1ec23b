/* Tests whether the repair of a finding repairs the program: its edits are applied to a silent run,
 * then the edits of the finding in that run, and so on. */
#include "base/mem.h"
#include "run/amend.h"
#include "run/private.h"

enum {
    MOST_ROUNDS = 48,
    MOST_PROVEN = 1000, /* without the budget; edits that repeat in a circle must end, too */
};

static bool may_be_repaired(const struct ncs_run *run)
{
    enum ncs_verdict v = run->result.verdict;
    return run->options.repair && !run->options.once && (v == NCS_HANG || v == NCS_WRONG || v == NCS_ERROR);
}

/* *choice: in some round the other way to take would have chosen otherwise. */
static void repair_by(struct ncs_run *run, struct ncs_repair *repair, enum ncs_taken taken, bool *choice,
                      const struct ncs_driver *driver)
{
    size_t room = 0, most = run->options.prove ? MOST_PROVEN : MOST_ROUNDS;
    struct ncs_amendments *amend = ncs_amend_new();
    struct ncs_run *now = run;
    const struct ncs_finding *f = ncs_run_repairable(&run->result.diagnosis);
    while (f && repair->rounds < most && ncs_amend_add(amend, now->journal, f->repair, f->repairs)) {
        ncs_run_close_machine(now);
        struct ncs_run *other = ncs_run_again(run, amend, false, driver);
        NCS_PUSH(repair->round, repair->rounds, room, ncs_trial_make(f, other));
        repair->repaired = other->result.verdict == NCS_PASS;
        bool goes_on = !repair->repaired && repair->round[repair->rounds - 1].gone && ncs_run_leave(other);
        const struct ncs_finding *again = goes_on ? ncs_run_recurrence(now, other, f, f, taken) : NULL;
        *choice |= goes_on && again != ncs_run_recurrence(now, other, f, f, NCS_TAKE_FEWEST);
        f = again || !goes_on ? again : ncs_run_repairable(&other->result.diagnosis);
        if (now != run)
            ncs_run_free(now);
        now = other;
    }
    if (now != run)
        ncs_run_free(now);
    ncs_amend_free(amend);
}

void ncs_run_repair(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_repair *repair = &run->result.repair, other = { 0 };
    bool choice = false;
    if (!may_be_repaired(run) || !ncs_run_leave(run))
        return;
    repair_by(run, repair, NCS_TAKE_CHEAPEST, &choice, driver);
    if (choice && !repair->repaired)
        repair_by(run, &other, NCS_TAKE_FEWEST, &choice, driver);
    if (other.repaired) {
        struct ncs_repair swap = *repair;
        *repair = other;
        other = swap;
    }
    ncs_run_repair_free(&other);
    repair->tried = true;
}

void ncs_run_repair_free(struct ncs_repair *repair)
{
    for (size_t i = 0; i < repair->rounds; i++)
        ncs_trial_free(&repair->round[i]);
    ncs_free(repair->round);
}
