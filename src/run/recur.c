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
    return a->kind == b->kind && a->rank == b->rank && a->of_party == b->of_party && (!a->of_party || a->device == b->device) &&
           a->of_host == b->of_host && same_argument(a->argument, b->argument);
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
                                          ? ncs_journal_call(j, e->comm, e->comm_rank, e->call)
                                          : NULL;
        const struct ncs_call *c = last && e->kind == NCS_EDIT_INSERT && !e->of_host ? last->newer : NULL;
        if (!last || (!c && last != j->newest))
            return false;
        for (; c && c != next; c = c->newer)
            if (c->rank == last->rank && c->thread == last->thread && c->number)
                return false;
    }
    return f->repairs > 0;
}

static bool is_rank_alone_at(const struct ncs_journal *j, const struct ncs_call *call)
{
    for (const struct ncs_call *c = j->oldest; c; c = c->newer)
        if (c->fn == call->fn && c->place.line == call->place.line && c->place.file == call->place.file &&
            (c->rank != call->rank || (c->comm == call->comm && c->comm_rank != call->comm_rank)))
            return false;
    return call->place.line > 0;
}

/* Returns the first, or the last, of the calls that the edits leave out, all of one thread;
 * NULL = they do something else. */
static const struct ncs_call *left_out(const struct ncs_journal *j, const struct ncs_finding *f, bool last)
{
    const struct ncs_call *found = NULL;
    for (size_t i = 0; i < f->repairs; i++) {
        const struct ncs_edit *e = &f->repair[i];
        const struct ncs_call *c = e->kind == NCS_EDIT_DELETE && !e->of_host ? ncs_journal_call(j, e->comm, e->comm_rank, e->call)
                                                                             : NULL;
        if (!c || (found && (c->rank != found->rank || c->thread != found->thread)))
            return NULL;
        if (!found || (c->id > found->id) == last)
            found = c;
    }
    return found;
}

static bool is_of_thread(const struct ncs_call *c, const struct ncs_call *other)
{
    return c->number && c->rank == other->rank && c->thread == other->thread;
}

static size_t calls_before(const struct ncs_call *call)
{
    size_t calls = 0;
    for (const struct ncs_call *c = call->older; c; c = c->older)
        calls += is_of_thread(c, call);
    return calls;
}

static bool is_at_place_of(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->place.line == b->place.line && same_argument(a->place.file, b->place.file);
}

/* True if an earlier call like `next` followed an earlier one like `call`: both belong to one round. */
static bool came_behind(const struct ncs_call *call, const struct ncs_call *next)
{
    const struct ncs_call *behind = call;
    for (const struct ncs_call *c = call->older; c && call->place.line; c = c->older) {
        if (!is_of_thread(c, call))
            continue;
        if (is_at_place_of(c, call) && is_at_place_of(behind, next))
            return true;
        behind = c;
    }
    return false;
}

/* True if the next call takes the place of those that were left out, and only this rank makes it or
 * it belongs to the same round. */
static bool leaves_on(const struct ncs_run *before, const struct ncs_run *now, const struct ncs_finding *done,
                      const struct ncs_finding *f)
{
    const struct ncs_call *first = left_out(before->journal, done, false), *next = left_out(now->journal, f, false);
    return first && next && first->rank == next->rank && first->thread == next->thread &&
           calls_before(first) == calls_before(next) &&
           (is_rank_alone_at(now->journal, next) || came_behind(left_out(before->journal, done, true), next));
}

/* True if the same kinds of edits return on the same ranks, at least one at the same line or right
 * behind the last edits, `done`. A round may have more or fewer of them. */
static bool changes_again(const struct ncs_run *before, const struct ncs_run *now, const struct ncs_finding *changed,
                          const struct ncs_finding *done, const struct ncs_finding *f)
{
    bool placed = f && (goes_on(now->journal, done, f) || leaves_on(before, now, done, f));
    for (size_t i = 0; f && i < f->repairs; i++) {
        bool known = false;
        for (size_t k = 0; k < changed->repairs; k++)
            if (same_kind(&changed->repair[k], &f->repair[i])) {
                known = true;
                placed |= f->repair[i].line && changed->repair[k].line == f->repair[i].line;
            }
        if (!known)
            return false;
    }
    return placed;
}

/* A group makes no call more or less, and in a cycle of messages each rank may get one. */
static bool recur_is_changed(const struct ncs_finding *f, int comm, int comm_rank)
{
    for (size_t i = 0; i < f->repairs; i++)
        if (f->repair[i].kind != NCS_EDIT_GROUP && f->repair[i].comm == comm && f->repair[i].comm_rank == comm_rank)
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

/* True if the ranks part at a later call: what was missing is there. The others may have launched
 * that call before they waited. */
static bool parts_later(const struct ncs_finding *done, const struct ncs_finding *f)
{
    return done->call && f->call > done->call && same_argument(done->comm, f->comm);
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

static bool is_better(const struct ncs_finding *changed, const struct ncs_finding *f, const struct ncs_finding *than,
                      enum ncs_taken taken)
{
    size_t ranks = than ? ranks_again(changed, f) : 1, before = than ? ranks_again(changed, than) : 0;
    return ranks != before ? ranks > before : taken == NCS_TAKE_FEWEST && f->repairs < than->repairs;
}

const struct ncs_finding *ncs_run_recurrence(const struct ncs_run *before, const struct ncs_run *now,
                                             const struct ncs_finding *changed, const struct ncs_finding *done,
                                             enum ncs_taken taken)
{
    const struct ncs_diagnosis *d = &now->result.diagnosis;
    const struct ncs_finding *best = NULL;
    for (size_t i = 0; i <= d->alternatives; i++) {
        const struct ncs_finding *f = i ? ncs_first_cause(d->alternative[i - 1].finding, d->alternative[i - 1].findings)
                                        : ncs_first_cause(d->finding, d->findings);
        if (changes_again(before, now, changed, done, f) && is_better(changed, f, best, taken))
            best = f;
    }
    bool moved = best && (have_gone_on(before, now, best) || parts_later(done, best));
    return moved || (best && leaves_on(before, now, done, best)) ? best : NULL;
}

/* ---- a trial with all its returns ---- */

/* True if the edits only leave out or insert calls: others may have launched what follows before they waited. */
static bool moves_calls(const struct ncs_finding *f)
{
    for (size_t i = 0; i < f->repairs; i++)
        if ((f->repair[i].kind != NCS_EDIT_DELETE && f->repair[i].kind != NCS_EDIT_INSERT) || f->repair[i].of_host)
            return false;
    return f->repairs > 0;
}

static bool is_of_edit(const struct ncs_edit *e, const struct ncs_member *m)
{
    return m->rank == e->rank && (!e->of_party || m->device == e->device);
}

static uint64_t calls_of(const struct ncs_journal *j, const struct ncs_edit *e)
{
    uint64_t calls = 0;
    for (size_t c = 0; c < j->comms; c++)
        for (int m = 0; m < j->comm[c]->members; m++)
            calls += is_of_edit(e, &j->comm[c]->member[m]) ? j->comm[c]->member[m].calls : 0;
    return calls;
}

/* True if the calls are inserted right behind those that were inserted last, while the rank makes none of its
 * own. All that the others do can be inserted like that: that they go on is no proof. */
static bool puts_on(const struct ncs_run *before, const struct ncs_run *now, const struct ncs_finding *done,
                    const struct ncs_finding *f)
{
    for (size_t i = 0; i < f->repairs; i++) {
        const struct ncs_edit *e = &f->repair[i];
        const struct ncs_call *last = last_put_in(now->journal, done, e->rank);
        uint64_t put_in = 0;
        for (size_t k = 0; k < done->repairs; k++)
            put_in += same_kind(&done->repair[k], e);
        if (!last || calls_of(now->journal, e) > calls_of(before->journal, e) + put_in ||
            (last->comm == e->comm && last->comm_rank == e->comm_rank && last->number + 1 != e->call))
            return false;
    }
    return f->repairs > 0;
}

/* *choice: at some return the other way to take would have chosen otherwise. */
static struct ncs_run *follow_by(struct ncs_run *run, struct ncs_run *now, struct ncs_amendments *amend, struct ncs_trial *t,
                                 const struct ncs_finding *f, enum ncs_taken taken, bool *choice, const struct ncs_driver *driver)
{
    enum { MOST_BEHIND = 40 };
    struct ncs_run *before = run;
    const struct ncs_finding *done = f;
    t->returns = t->behind = 0;
    while (now->result.verdict == NCS_HANG && t->returns < NCS_MOST_RETURNS && t->behind < MOST_BEHIND) {
        const struct ncs_finding *next = ncs_run_recurrence(before, now, f, done, taken);
        *choice |= next != ncs_run_recurrence(before, now, f, done, NCS_TAKE_FEWEST);
        if (!next || !ncs_amend_add(amend, now->journal, next->repair, next->repairs))
            break;
        bool behind = leaves_on(before, now, done, next) || puts_on(before, now, done, next);
        t->returns += !behind;
        t->behind += behind;
        ncs_run_close_machine(now);
        if (before != run)
            ncs_run_free(before);
        before = now;
        done = next;
        now = ncs_run_again(run, amend, false, driver);
    }
    if (before != run)
        ncs_run_free(before);
    return now;
}

static struct ncs_run *diagnosed(struct ncs_run *run, struct ncs_run *now, const struct ncs_amendments *amend,
                                 const struct ncs_driver *driver)
{
    if (!now->options.trial)
        return now;
    ncs_run_free(now);
    return ncs_run_again(run, amend, false, driver);
}

struct ncs_trial ncs_run_try(struct ncs_run *run, const struct ncs_finding *f, struct ncs_amendments *amend,
                             const struct ncs_driver *driver)
{
    struct ncs_trial counts = { 0 };
    bool choice = false;
    ncs_run_close_machine(run);
    struct ncs_run *now = ncs_run_again(run, amend, !run->options.prove, driver);
    if (now->result.verdict == NCS_HANG && (moves_calls(f) || have_gone_on(run, now, f)))
        now = follow_by(run, diagnosed(run, now, amend, driver), amend, &counts, f, NCS_TAKE_CHEAPEST, &choice, driver);
    struct ncs_trial t = ncs_trial_make(f, now);
    t.returns = counts.returns;
    t.behind = counts.behind;
    t.moved = have_gone_on(run, now, f);
    ncs_run_free(now);
    struct ncs_amendments *fresh = choice && !ncs_trial_goes_on(&t) ? ncs_amend_new() : NULL;
    if (fresh && ncs_amend_add(fresh, run->journal, f->repair, f->repairs)) {
        ncs_trial_free(&t);
        now = ncs_run_again(run, fresh, false, driver);
        now = follow_by(run, now, fresh, &counts, f, NCS_TAKE_FEWEST, &choice, driver);
        t = ncs_trial_make(f, now);
        t.returns = counts.returns;
        t.behind = counts.behind;
        t.moved = have_gone_on(run, now, f);
        ncs_run_free(now);
    }
    ncs_amend_free(fresh);
    return t;
}
