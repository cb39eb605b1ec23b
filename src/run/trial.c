/* A trial: runs the program again with edits, silently, and puts the outcome into words. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"
#include "run/amend.h"
#include "run/private.h"

struct ncs_run *ncs_run_again(const struct ncs_run *run, const struct ncs_amendments *amend, bool trial,
                              const struct ncs_driver *driver)
{
    struct ncs_run_options o = run->options;
    o.repair = false;
    o.amend = amend;
    o.trial = trial;
    o.schedule = NULL; /* its choices are those of the unchanged calls */
    o.look = 0;
    o.timeline = false;
    o.on_log = NULL;
    o.step_limit = 100 * run->result.calls + 100000;
    struct ncs_run *other = ncs_run_make(&o, &run->program, NULL, NULL);
    ncs_run_once(other, driver);
    return other;
}

/* ---- what it comes to ---- */

const struct ncs_finding *ncs_run_repairable(const struct ncs_diagnosis *d)
{
    for (int level = NCS_LEVEL_ERROR; level <= NCS_LEVEL_NOTE; level++)
        for (size_t i = 0; i < d->findings; i++)
            if (d->finding[i].level == (enum ncs_level)level && d->finding[i].repairs)
                return &d->finding[i];
    return NULL;
}

static bool trial_same_text(const char *a, const char *b)
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

/* A finding of the same rule at another call counts as another finding, even with the same words.
 * Exception: behind a call that was left out, the next call has its number. */
static bool trial_is_there(const struct ncs_finding *f, const struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->findings && !only_deletes(f); i++) {
        const struct ncs_finding *o = &d->finding[i];
        if (o->rule == f->rule && o->call == f->call && trial_same_text(o->comm, f->comm) && ncs_sentences_same(o->why, f->why))
            return true;
    }
    return false;
}

struct ncs_trial ncs_trial_make(const struct ncs_finding *f, const struct ncs_run *other)
{
    const struct ncs_result *r = &other->result;
    struct ncs_trial t = {
        .rule = f->rule,
        .comm = ncs_copy_text(f->comm),
        .call = f->call,
        .partial = !ncs_run_amended(other),
        .verdict = r->verdict,
        .diagnosed = !other->options.trial,
        .gone = !trial_is_there(f, &r->diagnosis),
        .edits = f->repairs,
        .edit = ncs_new(f->repairs * sizeof *t.edit),
    };
    for (size_t i = 0; i < f->repairs; i++)
        t.edit[i] = ncs_edit_copy(&f->repair[i]);
    const struct ncs_finding *left = r->verdict == NCS_PASS ? NULL : ncs_first_error(&r->diagnosis);
    t.left = left ? left->rule : NULL;
    t.left_why = left ? ncs_copy_text(ncs_sentence_text(left->why)) : NULL;
    t.left_known = ncs_run_repairable(&r->diagnosis) != NULL;
    if (!left && r->expects)
        t.failure = ncs_copy_text(r->expect[0].message);
    else if (!left && r->errors)
        t.failure = ncs_copy_text(r->error[0].message);
    else if (!left && r->internal.status != NCS_OK)
        t.failure = ncs_copy_text(r->internal.text);
    return t;
}

void ncs_trial_free(struct ncs_trial *t)
{
    for (size_t i = 0; i < t->edits; i++)
        ncs_edit_free(&t->edit[i]);
    ncs_free(t->edit);
    ncs_free(t->comm);
    ncs_free(t->failure);
    ncs_free(t->left_why);
}

bool ncs_trial_has_edits(const struct ncs_trial *t, const struct ncs_finding *f)
{
    return ncs_edits_same(t->edit, t->edits, f->repair, f->repairs);
}

/* ---- words ---- */

static const struct {
    const char *one, *several, *then;
} words[] = {
    [NCS_EDIT_INSERT] = { "call", "calls", "inserted" },
    [NCS_EDIT_DELETE] = { "call", "calls", "left out" },
    [NCS_EDIT_SWAP] = { "pair of calls", "pairs of calls", "exchanged" },
    [NCS_EDIT_GROUP] = { "group", "groups", "made" },
    [NCS_EDIT_ARGUMENT] = { "argument", "arguments", "changed" },
    [NCS_EDIT_SYNC] = { "stream", "streams", "synchronised" },
};

static const char *const steps[] = {
    [NCS_HOST_BARRIER] = "barrier", [NCS_HOST_SET] = "store:set", [NCS_HOST_ADD] = "store:add",
    [NCS_HOST_GET] = "store:get",   [NCS_HOST_SPAWN] = "spawn",
};

/* The rank in the numbers of the diagnosis. */
static int trial_rank_of(const struct ncs_diagnosis *d, const struct ncs_journal *j, const struct ncs_edit *e)
{
    if (e->of_host)
        return ncs_number_of_thread(d, e->rank, e->host_thread);
    bool known = e->comm >= 0 && (size_t)e->comm < j->comms && e->comm_rank >= 0;
    return known ? ncs_number_of(d, &j->comm[e->comm]->member[e->comm_rank]) : e->rank;
}

/* "rank 2", "ranks 0, 2-5" */
static void trial_add_ranks(const struct ncs_diagnosis *d, const struct ncs_journal *j, const struct ncs_trial *t,
                            struct ncs_str *s)
{
    int *rank = ncs_new((t->edits + 1) * sizeof *rank);
    size_t ranks = 0;
    for (size_t i = 0; i < t->edits; i++)
        rank[i] = trial_rank_of(d, j, &t->edit[i]);
    qsort(rank, t->edits, sizeof *rank, ncs_order_ints);
    for (size_t i = 0; i < t->edits; i++)
        if (!ranks || rank[ranks - 1] != rank[i])
            rank[ranks++] = rank[i];
    ncs_str_add(s, ranks == 1 ? " on rank " : " on ranks ");
    ncs_str_add_many_ranks(s, rank, ranks);
    ncs_free(rank);
}

/* "with this one call inserted", "with these 3 calls left out" */
static void format_edits(const struct ncs_trial *t, struct ncs_str *s)
{
    const struct ncs_edit *first = &t->edit[0];
    bool alike = true;
    for (size_t i = 1; i < t->edits; i++)
        alike &= t->edit[i].kind == first->kind && t->edit[i].of_host == first->of_host;
    if (!alike)
        ncs_str_addf(s, "with these %zu changes", t->edits);
    else if (t->edits == 1)
        ncs_str_addf(s, "with this one %s %s", first->of_host ? steps[first->host] : words[first->kind].one,
                     words[first->kind].then);
    else
        ncs_str_addf(s, "with these %zu %s %s", t->edits, first->of_host ? "steps" : words[first->kind].several,
                     words[first->kind].then);
}

char *ncs_trial_format(const struct ncs_trial *t, const struct ncs_diagnosis *d, const struct ncs_journal *j)
{
    struct ncs_str s = { 0 };
    format_edits(t, &s);
    trial_add_ranks(d, j, t, &s);
    if (t->behind)
        ncs_str_addf(&s, ", and %s right behind %s", t->behind == 1 ? "the one" : "those", t->edits == 1 ? "it" : "them");
    if (t->returns)
        ncs_str_addf(&s, ", and the same %s", t->returns == 1 ? "once more" : "each time it is missing again");
    ncs_str_add(&s, t->behind || t->returns ? "," : "");
    if (t->verdict == NCS_HANG && ncs_trial_goes_on(t))
        ncs_str_addf(&s, " the run went on %d times", NCS_MOST_RETURNS);
    else if (t->verdict == NCS_PASS)
        ncs_str_add(&s, " the run passes");
    else if (t->verdict == NCS_WRONG)
        ncs_str_add(&s, " no rank waits any more, but a result is wrong");
    else if (t->verdict == NCS_HANG)
        ncs_str_add(&s, t->one_of_several ? " other ranks go on, and the run hangs elsewhere: there may be another mistake"
                                          : " the run still hangs");
    else
        ncs_str_addf(&s, " the run ends as %s", ncs_verdict_name(t->verdict));
    return ncs_str_take(&s);
}
