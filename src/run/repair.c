/* Whether what a finding says would repair the program does: its edits are applied to a run of their
 * own, unheard, then those of what is found there, and so on. */
#include <string.h>

#include "base/mem.h"
#include "run/amend.h"
#include "run/private.h"

enum { MOST_ROUNDS = 8 };

static bool may_be_repaired(const struct ncs_run *run)
{
    enum ncs_verdict v = run->result.verdict;
    return run->options.repair && !run->options.once &&
           (v == NCS_HANG || v == NCS_WRONG || v == NCS_ERROR);
}

static const struct ncs_finding *cause(const struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->findings; i++)
        if (d->finding[i].level == NCS_LEVEL_ERROR)
            return &d->finding[i];
    return NULL;
}

/* The first that has edits; of a run that is wrong a note may tell why. */
static const struct ncs_finding *next(const struct ncs_diagnosis *d)
{
    for (int level = NCS_LEVEL_ERROR; level <= NCS_LEVEL_NOTE; level++)
        for (size_t i = 0; i < d->findings; i++)
            if (d->finding[i].level == (enum ncs_level)level && d->finding[i].repairs)
                return &d->finding[i];
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool only_deletes(const struct ncs_finding *f)
{
    for (size_t i = 0; i < f->repairs; i++)
        if (f->repair[i].kind != NCS_EDIT_DELETE)
            return false;
    return true;
}

/* A finding of the same kind at another call is another one, though it be said in the same words; behind a call
 * that is left out the next one has its number. */
static bool is_there(const struct ncs_finding *f, const struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->findings && !only_deletes(f); i++) {
        const struct ncs_finding *o = &d->finding[i];
        if (o->rule == f->rule && o->call == f->call && same_text(o->comm, f->comm) && same_text(o->why, f->why))
            return true;
    }
    return false;
}

static void add_round(struct ncs_repair *repair, size_t *room, const struct ncs_finding *f,
                      const struct ncs_result *r)
{
    struct ncs_repair_round round = {
        .rule = f->rule, .comm = ncs_copy_text(f->comm), .call = f->call, .verdict = r->verdict,
        .gone = !is_there(f, &r->diagnosis), .edits = f->repairs,
        .edit = ncs_new(f->repairs * sizeof *round.edit),
    };
    for (size_t i = 0; i < f->repairs; i++)
        round.edit[i] = ncs_edit_copy(&f->repair[i]);
    const struct ncs_finding *left = r->verdict == NCS_PASS ? NULL : cause(&r->diagnosis);
    round.left = left ? left->rule : NULL;
    round.left_why = left ? ncs_copy_text(left->why) : NULL;
    round.left_known = next(&r->diagnosis) != NULL;
    if (!left && r->expects)
        round.failure = ncs_copy_text(r->expect[0].message);
    else if (!left && r->errors)
        round.failure = ncs_copy_text(r->error[0].message);
    else if (!left && r->internal.status != NCS_OK)
        round.failure = ncs_copy_text(r->internal.text);
    NCS_PUSH(repair->round, repair->rounds, *room, round);
}

void ncs_run_repair(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_repair *repair = &run->result.repair;
    size_t room = 0;
    if (!may_be_repaired(run) || !ncs_run_leave(run))
        return;
    repair->tried = true;
    struct ncs_amendments *amend = ncs_amend_new();
    struct ncs_run *now = run;
    bool goes_on = true;
    while (goes_on && repair->rounds < MOST_ROUNDS) {
        const struct ncs_finding *f = next(&now->result.diagnosis);
        if (!f || !ncs_amend_add(amend, now->journal, f->repair, f->repairs))
            break;
        ncs_run_close_machine(now);
        struct ncs_run *other = ncs_run_again(run, amend, false, driver);
        add_round(repair, &room, f, &other->result);
        if (now != run)
            ncs_run_free(now);
        now = other;
        repair->repaired = other->result.verdict == NCS_PASS;
        goes_on = !repair->repaired && repair->round[repair->rounds - 1].gone &&
                  ncs_run_leave(other);
    }
    if (now != run)
        ncs_run_free(now);
    ncs_amend_free(amend);
}

void ncs_run_repair_free(struct ncs_repair *repair)
{
    for (size_t i = 0; i < repair->rounds; i++) {
        struct ncs_repair_round *round = &repair->round[i];
        for (size_t k = 0; k < round->edits; k++)
            ncs_edit_free(&round->edit[k]);
        ncs_free(round->edit);
        ncs_free(round->comm);
        ncs_free(round->failure);
        ncs_free(round->left_why);
    }
    ncs_free(repair->round);
}
