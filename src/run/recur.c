/* A bug in a loop returns in each round: with one change the run goes on until the same
 * change is missing again. A trial therefore repeats the change, so that it tests the bug
 * and not one round. */
#include <string.h>

#include "run/amend.h"
#include "run/private.h"

static bool same_argument(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_kind(const struct ncs_edit *a, const struct ncs_edit *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->of_party == b->of_party &&
           (!a->of_party || a->device == b->device) && a->of_host == b->of_host &&
           same_argument(a->argument, b->argument);
}

/* The last call of the thread that the edits inserted. NULL = they inserted none, or also did
 * something else. */
static const struct ncs_call *last_put_in(const struct ncs_journal *j, const struct ncs_finding *done, int rank)
{
    const struct ncs_call *last = NULL;
    for (size_t i = 0; i < done->repairs; i++) {
        const struct ncs_edit *e = &done->repair[i];
        if (e->kind != NCS_EDIT_INSERT || e->of_host)
            return NULL;
        uint32_t number = e->call;
        for (size_t k = 0; k < i; k++)
            number += done->repair[k].comm == e->comm && done->repair[k].comm_rank == e->comm_rank &&
                      done->repair[k].call == e->call;
        const struct ncs_call *c = e->rank == rank ? ncs_journal_call(j, e->comm, e->comm_rank, number) : NULL;
        last = c && (!last || c->id > last->id) ? c : last;
    }
    return last;
}

/* True if each insertion follows right behind the previous one: a rank that left a loop early lacks
 * all calls that the others still make there. */
static bool goes_on(const struct ncs_journal *j, const struct ncs_finding *done, const struct ncs_finding *f)
{
    for (size_t i = 0; i < f->repairs; i++) {
        const struct ncs_edit *e = &f->repair[i];
        const struct ncs_call *last = last_put_in(j, done, e->rank);
        const struct ncs_call *next = last && e->kind == NCS_EDIT_INSERT && !e->of_host
                                          ? ncs_journal_call(j, e->comm, e->comm_rank, e->call) : NULL;
        const struct ncs_call *c = last && e->kind == NCS_EDIT_INSERT && !e->of_host ? last->newer : NULL;
        if (!last || (!c && last != j->newest))
            return false;
        for (; c && c != next; c = c->newer)
            if (c->rank == last->rank && c->thread == last->thread && c->number)
                return false;
    }
    return f->repairs > 0;
}

static bool is_alone(const struct ncs_journal *j, const struct ncs_call *call)
{
    for (const struct ncs_call *c = j->oldest; c; c = c->newer)
        if (c->fn == call->fn && c->place.line == call->place.line && c->place.file == call->place.file &&
            (c->rank != call->rank || (c->comm == call->comm && c->comm_rank != call->comm_rank)))
            return false;
    return call->place.line > 0;
}

/* True if another call that only this rank makes follows right behind the call that was left out;
 * it then has the number of the latter. */
static bool leaves_on(const struct ncs_journal *j, const struct ncs_finding *done, const struct ncs_finding *f)
{
    const struct ncs_edit *a = done->repairs == 1 ? &done->repair[0] : NULL;
    const struct ncs_edit *b = f && f->repairs == 1 ? &f->repair[0] : NULL;
    if (!a || !b || a->kind != NCS_EDIT_DELETE || b->kind != NCS_EDIT_DELETE || a->of_host || b->of_host ||
        a->comm != b->comm || a->comm_rank != b->comm_rank || a->call != b->call)
        return false;
    const struct ncs_call *call = ncs_journal_call(j, b->comm, b->comm_rank, b->call);
    return call && is_alone(j, call);
}

/* True if the same kinds of edits return on the same ranks, at least one at the same line or right
 * behind the last edits, `done`. A round may have more or fewer of them. */
static bool changes_again(const struct ncs_journal *j, const struct ncs_finding *before, const struct ncs_finding *done,
                          const struct ncs_finding *f)
{
    bool placed = f && (goes_on(j, done, f) || leaves_on(j, done, f));
    for (size_t i = 0; f && i < f->repairs; i++) {
        bool known = false;
        for (size_t k = 0; k < before->repairs; k++)
            if (same_kind(&before->repair[k], &f->repair[i])) {
                known = true;
                placed |= f->repair[i].line && before->repair[k].line == f->repair[i].line;
            }
        if (!known)
            return false;
    }
    return placed;
}

static bool recur_is_changed(const struct ncs_finding *f, int comm, int comm_rank)
{
    for (size_t i = 0; i < f->repairs; i++)
        if (f->repair[i].comm == comm && f->repair[i].comm_rank == comm_rank)
            return true;
    return false;
}

/* Counts calls on unchanged ranks. Only if there are more of them did the waiting ranks go on. */
static uint64_t calls_of_others(const struct ncs_journal *j, const struct ncs_finding *f)
{
    uint64_t calls = 0;
    for (size_t c = 0; c < j->comms; c++)
        for (int m = 0; m < j->comm[c]->members; m++)
            calls += recur_is_changed(f, (int)c, m) ? 0 : j->comm[c]->member[m].calls;
    return calls;
}

static bool have_gone_on(const struct ncs_run *before, const struct ncs_run *now, const struct ncs_finding *f)
{
    return calls_of_others(now->journal, f) > calls_of_others(before->journal, f);
}

/* Counts the ranks of the earlier edits that f changes again. If several ranks have the bug, each
 * must be repaired. */
static size_t ranks_again(const struct ncs_finding *before, const struct ncs_finding *f)
{
    size_t again = 0;
    for (size_t i = 0; i < before->repairs; i++) {
        const struct ncs_edit *e = &before->repair[i];
        bool first = true, known = false;
        for (size_t k = 0; k < i && first; k++)
            first = !same_kind(&before->repair[k], e);
        for (size_t k = 0; k < f->repairs && first && !known; k++)
            known = same_kind(e, &f->repair[k]);
        again += known;
    }
    return again;
}

const struct ncs_finding *ncs_run_recurrence(const struct ncs_run *before, const struct ncs_run *now,
                                             const struct ncs_finding *changed, const struct ncs_finding *done)
{
    const struct ncs_diagnosis *d = &now->result.diagnosis;
    const struct ncs_finding *best = NULL;
    for (size_t i = 0; i <= d->alternatives; i++) {
        const struct ncs_finding *f = i ? ncs_first_cause(d->alternative[i - 1].finding, d->alternative[i - 1].findings)
                                        : ncs_first_cause(d->finding, d->findings);
        if (changes_again(now->journal, changed, done, f) && (!best || ranks_again(changed, f) > ranks_again(changed, best)))
            best = f;
    }
    return best && (have_gone_on(before, now, best) || leaves_on(now->journal, done, best)) ? best : NULL;
}

struct ncs_run *ncs_run_follow(struct ncs_run *run, struct ncs_run *now, struct ncs_amendments *amend,
                               const struct ncs_finding *f, const struct ncs_driver *driver, size_t *returns)
{
    struct ncs_run *before = run;
    const struct ncs_finding *done = f;
    *returns = 0;
    bool leaves_out = f->repairs == 1 && f->repair[0].kind == NCS_EDIT_DELETE && !f->repair[0].of_host;
    if (now->result.verdict != NCS_HANG || (!leaves_out && !have_gone_on(run, now, f)))
        return now;
    if (now->options.trial) {
        ncs_run_free(now);
        now = ncs_run_again(run, amend, false, driver);
    }
    while (now->result.verdict == NCS_HANG && *returns < NCS_MOST_RETURNS) {
        const struct ncs_finding *next = ncs_run_recurrence(before, now, f, done);
        if (!next || !ncs_amend_add(amend, now->journal, next->repair, next->repairs))
            break;
        ncs_run_close_machine(now);
        if (before != run)
            ncs_run_free(before);
        before = now;
        done = next;
        now = ncs_run_again(run, amend, false, driver);
        ++*returns;
    }
    if (before != run)
        ncs_run_free(before);
    return now;
}
