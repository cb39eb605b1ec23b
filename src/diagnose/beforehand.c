/* What a culprit met just before it went astray: an error that it caught or was given as a code, the end of the
 * communicator, a value that not all ranks have. It is evidence beside the cause, never the cause: nobody knows
 * what the program makes of it. So it is told only where it lies between the last call that the rank made like the
 * others and the first that it did not, where no rank that went right met the same, and where the rank had not met
 * it before and gone right. */
#include "diagnose/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/party.h"
#include "ncclscript/cuda_abi.h"

enum {
    MOST_CULPRITS = 8, /* that are looked at: with more of them it is the program that is wrong, not a few ranks */
    MOST_PRIORS = 3,   /* that are told of a finding */
};

static const struct {
    enum ncs_fn fn;
    const char *verb;
} ends[] = {
    { NCS_FN_ncclCommFinalize, "finalized" },
    { NCS_FN_ncclCommDestroy, "destroyed" },
    { NCS_FN_ncclCommAbort, "aborted" },
    { NCS_FN_ncclCommRevoke, "revoked" },
};

static const char *end_verb(const struct ncs_call *c)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (c->fn == ends[i].fn)
            return ends[i].verb;
    return NULL;
}

/* What the host may branch on then. */
static bool reads_device(const struct ncs_call *c)
{
    bool copy = c->fn == NCS_FN_cudaMemcpy || c->fn == NCS_FN_cudaMemcpyAsync;
    return copy && c->returned && !c->rc && (c->input || c->arg[3].i == cudaMemcpyDeviceToHost);
}

void ncs_see_beforehand(struct ncs_inquiry *q, const struct ncs_call *c)
{
    if (c->rank >= 0 && !c->opening && !c->ending && (reads_device(c) || ncs_call_failed(c)))
        NCS_PUSH(q->prior, q->priors, q->prior_room, c);
}

/* ---- where it went astray ---- */

static bool is_effective(const struct ncs_call *c)
{
    return c->number && c->ordinal;
}

/* The newest effective call of the thread, from this record back, that is not of that group. */
static const struct ncs_call *last_call(const struct ncs_call *c, const struct ncs_stretch *s, uint64_t group)
{
    for (; c && c->id > s->from; c = c->older)
        if (c->rank == s->rank && c->thread == s->thread && is_effective(c) && !(group && c->group == group))
            return c;
    return NULL;
}

static bool is_at_place_of(const struct ncs_call *c, const struct ncs_call *other)
{
    return c->fn == other->fn && c->place.line == other->place.line && c->place.file == other->place.file;
}

static const struct ncs_call *last_on_comm(const struct ncs_inquiry *q, int comm, int comm_rank, uint32_t below)
{
    uint32_t calls = q->journal->comm[comm]->member[comm_rank].calls;
    for (uint32_t n = below && below <= calls ? below - 1 : calls; n > 0; n--) {
        const struct ncs_call *c = ncs_journal_call(q->journal, comm, comm_rank, n);
        if (!c || is_effective(c))
            return c;
    }
    return NULL;
}

static void begin_behind(struct ncs_stretch *s, const struct ncs_call *last)
{
    s->last = last;
    s->from = last ? last->id : 0;
}

/* It begins before this call, which is the rank's own and not like the others'. */
static void end_at(struct ncs_stretch *s, const struct ncs_call *call)
{
    s->thread = call->thread;
    begin_behind(s, last_call(call->older, s, call->group));
    s->to = call->id;
}

/* It ends at the next effective call of the thread, if there is one. */
static void end_behind(const struct ncs_inquiry *q, struct ncs_stretch *s)
{
    for (const struct ncs_call *c = s->last ? s->last->newer : q->journal->oldest; c && c->id < s->to; c = c->newer)
        if (c->rank == s->rank && c->thread == s->thread && is_effective(c) &&
            !(s->last && s->last->group && c->group == s->last->group))
            s->to = c->id;
}

static int thread_of(const struct ncs_inquiry *q, int rank)
{
    int thread = q->parties && rank >= 0 && (size_t)rank < q->parties->count ? q->parties->of[rank].thread : 0;
    return thread < 0 ? 0 : thread;
}

/* A call was left out before call `next` on the communicator: behind what the model made before it. */
static void stretch_of_insert(const struct ncs_inquiry *q, const struct ncs_edit *e, struct ncs_stretch *s)
{
    const struct ncs_call *next = ncs_journal_call(q->journal, e->comm, e->comm_rank, e->call);
    const struct ncs_call *last = last_on_comm(q, e->comm, e->comm_rank, e->call);
    const struct ncs_call *model = e->model_call && e->model_comm_rank >= 0
                                       ? ncs_journal_call(q->journal, e->comm, e->model_comm_rank, e->model_call)
                                       : NULL;
    s->thread = last ? last->thread : next ? next->thread : thread_of(q, e->rank);
    s->to = next ? next->id : UINT64_MAX;
    begin_behind(s, last);
    if (model && !e->answer) {
        struct ncs_stretch there = { .rank = model->rank, .thread = model->thread };
        const struct ncs_call *before = last_call(model->older, &there, model->group);
        const struct ncs_call *c = next ? next->older : q->journal->newest;
        s->missing = model;
        while (before && (c = last_call(c, s, 0)) != NULL && !is_at_place_of(c, before))
            c = c->older;
        if (before && c)
            begin_behind(s, c);
    }
    end_behind(q, s);
}

static void stretch_of_host(const struct ncs_inquiry *q, const struct ncs_edit *e, struct ncs_stretch *s)
{
    const struct ncs_call *c = q->journal->newest;
    s->thread = e->host_thread;
    s->to = e->before ? e->before : UINT64_MAX;
    while (c && c->id >= s->to)
        c = c->older;
    begin_behind(s, last_call(c, s, 0));
}

static int comm_of(const struct ncs_inquiry *q, const struct ncs_finding *f, int rank, int *comm_rank)
{
    for (size_t i = 0; f->comm && i < q->journal->comms; i++) {
        const struct ncs_comm_info *info = q->journal->comm[i];
        for (int r = 0; strcmp(info->name, f->comm) == 0 && r < info->members; r++)
            if (info->member[r].rank == rank) {
                *comm_rank = r;
                return (int)i;
            }
    }
    return -1;
}

/* Without an edit of its calls: by the call at which the finding says that it parts from the others. */
static void stretch_of_culprit(const struct ncs_inquiry *q, const struct ncs_finding *f, const struct ncs_culprit *who,
                               struct ncs_stretch *s)
{
    int comm_rank, comm = comm_of(q, f, who->rank, &comm_rank);
    uint32_t number = who->call ? who->call : f->call;
    const struct ncs_call *call = comm >= 0 && number ? ncs_journal_call(q->journal, comm, comm_rank, number) : NULL;
    s->thread = thread_of(q, who->rank);
    s->to = UINT64_MAX;
    if (call) {
        end_at(s, call);
        return;
    }
    const struct ncs_call *last = comm >= 0 ? last_on_comm(q, comm, comm_rank, 0) : NULL;
    if (last)
        s->thread = last->thread;
    begin_behind(s, last ? last : last_call(q->journal->newest, s, 0));
    end_behind(q, s);
}

static struct ncs_stretch stretch_of(const struct ncs_inquiry *q, const struct ncs_finding *f,
                                     const struct ncs_culprit *who)
{
    struct ncs_stretch s = { .rank = who->rank };
    const struct ncs_edit *e = f->repair;
    while (e < f->repair + f->repairs && e->rank != who->rank)
        e++;
    const struct ncs_call *call = e < f->repair + f->repairs && !e->of_host && e->call
                                      ? ncs_journal_call(q->journal, e->comm, e->comm_rank, e->call)
                                      : NULL;
    if (e == f->repair + f->repairs)
        stretch_of_culprit(q, f, who, &s);
    else if (e->of_host)
        stretch_of_host(q, e, &s);
    else if (e->kind == NCS_EDIT_INSERT)
        stretch_of_insert(q, e, &s);
    else if (call)
        end_at(&s, call);
    else
        stretch_of_culprit(q, f, who, &s);
    return s;
}

/* By lines: the thread had passed the place of the call that is missing. It goes on from line to line, and back to the
 * beginning of a loop where that call stands before the last one. */
static bool is_past(const struct ncs_stretch *s, struct ncs_place place)
{
    const struct ncs_place *last = s->last ? &s->last->place : NULL, *missing = s->missing ? &s->missing->place : NULL;
    if (!missing || !missing->line || missing->file != place.file || (last && last->file != place.file))
        return false;
    if (!last || last->line < missing->line)
        return place.line > missing->line;
    return place.line > missing->line && place.line < last->line;
}

bool ncs_in_stretch(const struct ncs_stretch *s, int rank, int thread, uint64_t id, struct ncs_place place)
{
    return s->rank == rank && s->thread == thread && s->from <= id && id < s->to && !is_past(s, place);
}

/* ---- what it met there ---- */

struct fact {
    const struct ncs_call *call; /* that failed, ended a communicator or read a value; NULL = an error of the script's */
    const struct ncs_caught *caught;
    int rank, thread;
    uint64_t id;                 /* of the call, or of the newest then */
    struct ncs_place place;
    char *read;                  /* a sentence; NULL = nothing was read */
};

struct facts {
    struct fact *of; /* errors and ends of all ranks */
    size_t count, room;
};

/* Whether lines tell if it lies behind the place of the missing call: they are of one function. */
static struct ncs_place place_in(const struct ncs_stretch *s, const struct fact *fact)
{
    const struct ncs_caught *c = fact->caught;
    const struct ncs_call *of[] = { s->last, s->missing };
    for (size_t i = 0; c && i < sizeof of / sizeof *of; i++)
        if (of[i] && (of[i]->place.line < c->first || of[i]->place.line > c->last))
            return (struct ncs_place){ 0 };
    return c ? c->at : fact->place;
}

static struct fact fact_of_call(const struct ncs_call *c)
{
    return (struct fact){ .call = c, .rank = c->rank, .thread = c->thread, .id = c->id, .place = c->place };
}

/* A thread that drives several parties met it as each of them. */
static void add_caught(const struct ncs_inquiry *q, const struct ncs_caught *c, struct facts *all)
{
    const struct ncs_driver *d = q->parties ? ncs_driver_of(q->parties, c->rank, c->thread) : NULL;
    struct fact f = { .caught = c, .rank = c->rank, .thread = c->thread, .id = c->after, .place = c->place };
    for (size_t i = 0; d && i < d->mades; i++) {
        f.rank = d->made[i];
        NCS_PUSH(all->of, all->count, all->room, f);
    }
    if (!q->parties)
        NCS_PUSH(all->of, all->count, all->room, f);
}

static void gather(const struct ncs_inquiry *q, struct facts *all)
{
    for (size_t i = 0; i < q->priors; i++)
        if (ncs_call_failed(q->prior[i]))
            NCS_PUSH(all->of, all->count, all->room, fact_of_call(q->prior[i]));
    for (size_t i = 0; i < q->rares; i++)
        if (end_verb(q->rare[i]) && !q->rare[i]->ending && !ncs_failed(q->rare[i]))
            NCS_PUSH(all->of, all->count, all->room, fact_of_call(q->rare[i]));
    for (const struct ncs_caught *c = q->journal->caught_lost ? NULL : q->journal->oldest_caught; c; c = c->newer)
        add_caught(q, c, all);
}

static bool is_same(const struct fact *a, const struct fact *b)
{
    if (!a->call != !b->call || a->place.line != b->place.line || a->place.file != b->place.file)
        return false;
    return a->call ? a->call->fn == b->call->fn && a->call->rc == b->call->rc
                   : strcmp(a->caught->text, b->caught->text) == 0;
}

static bool is_culprit(const struct ncs_finding *f, int rank)
{
    for (size_t i = 0; i < f->culprits; i++)
        if (f->culprit[i].rank == rank)
            return true;
    return false;
}

/* A rank that went right met the same, all did, or this one had met it before. What one thread met as several parties
 * it met once. */
static bool is_usual(const struct ncs_inquiry *q, const struct facts *all, const struct ncs_finding *f,
                     const struct ncs_stretch *s, const struct fact *fact)
{
    int others = 0, last = -1;
    for (size_t i = 0; i < all->count; i++) {
        const struct fact *o = &all->of[i];
        if (!is_same(o, fact))
            continue;
        bool copy = o->rank != fact->rank && o->id == fact->id && o->thread == fact->thread &&
                    ncs_parties_share(q->parties, o->rank, fact->rank);
        if (o->rank == fact->rank ? o->id < s->from : !copy && !is_culprit(f, o->rank))
            return true;
        others += o->rank != fact->rank && o->rank != last && !copy;
        last = o->rank;
    }
    return others > 0 && others + 1 >= q->ranks;
}

static bool is_told(const struct ncs_finding *f, const struct fact *fact)
{
    const char *words = !fact->call ? NULL : ncs_call_failed(fact->call) ? "failed with" : end_verb(fact->call);
    return words && f->why && strstr(f->why, words);
}

/* Of another communicator than the finding's it ends nothing that is missed. */
static bool is_of_matter(const struct ncs_inquiry *q, const struct ncs_finding *f, const struct fact *fact)
{
    bool end = fact->call && !ncs_call_failed(fact->call);
    return !end || (f->comm && strcmp(ncs_comm_name(q, fact->call->comm), f->comm) == 0);
}

/* ---- in words ---- */

static char *say_fact(const struct ncs_inquiry *q, const struct fact *fact, const struct ncs_prior *p)
{
    struct ncs_str s = { 0 };
    if (fact->call && ncs_call_failed(fact->call)) {
        char *what = ncs_describe(fact->call);
        ncs_str_add(&s, "on ");
        ncs_say_ranks(&s, p->rank, p->ranks);
        ncs_str_addf(&s, " %s", what);
        ncs_say_place(&s, fact->call);
        ncs_str_add(&s, " ");
        ncs_say_result(fact->call, &s);
        ncs_free(what);
    } else if (fact->call) {
        ncs_say_ranks(&s, p->rank, p->ranks);
        ncs_str_addf(&s, " %s %s", end_verb(fact->call), ncs_comm_name(q, fact->call->comm));
        ncs_say_place(&s, fact->call);
    } else {
        ncs_say_ranks(&s, p->rank, p->ranks);
        ncs_str_add(&s, fact->place.line ? " caught the error" : " caught an error");
        if (fact->place.line)
            ncs_str_addf(&s, " that line %d raised", fact->place.line);
        ncs_str_addf(&s, ": %s", fact->caught->text);
    }
    return ncs_str_take(&s);
}

/* ---- to a finding ---- */

struct told {
    struct fact fact;
    int *rank;
    size_t ranks, room;
};

struct tellings {
    struct told *of;
    size_t count, room;
};

static void tell(struct tellings *t, const struct fact *fact)
{
    size_t i = 0;
    while (i < t->count && (t->of[i].fact.read ? !fact->read || strcmp(t->of[i].fact.read, fact->read) != 0
                                               : fact->read || !is_same(&t->of[i].fact, fact)))
        i++;
    if (i == t->count) {
        struct told fresh = { .fact = *fact };
        NCS_PUSH(t->of, t->count, t->room, fresh);
    } else {
        ncs_free(fact->read);
    }
    struct told *own = &t->of[i];
    if (!own->ranks || own->rank[own->ranks - 1] != fact->rank)
        NCS_PUSH(own->rank, own->ranks, own->room, fact->rank);
}

static void look_at(const struct ncs_inquiry *q, const struct facts *all, const struct ncs_finding *f,
                    const struct ncs_culprit *who, struct tellings *t)
{
    struct ncs_stretch s = stretch_of(q, f, who);
    for (size_t i = 0; i < all->count; i++) {
        const struct fact *fact = &all->of[i];
        bool at_end = fact->call && fact->id == s.from; /* is the last call itself */
        if (ncs_in_stretch(&s, fact->rank, fact->thread, fact->id, place_in(&s, fact)) && !at_end && !is_told(f, fact) &&
            is_of_matter(q, f, fact) && !is_usual(q, all, f, &s, fact))
            tell(t, fact);
    }
    const struct ncs_call *read;
    char *text = ncs_say_read(q, f, &s, &read);
    if (text) {
        struct fact fact = fact_of_call(read);
        fact.read = text;
        tell(t, &fact);
    }
}

/* A thread's own order is the same whatever the schedule was; that between ranks is not. */
static int compare(const void *x, const void *y)
{
    const struct told *a = x, *b = y;
    if (a->rank[0] != b->rank[0])
        return a->rank[0] < b->rank[0] ? -1 : 1;
    return (a->fact.id > b->fact.id) - (a->fact.id < b->fact.id);
}

static void give(const struct ncs_inquiry *q, struct ncs_finding *f, struct tellings *t)
{
    size_t room = 0;
    if (t->count)
        qsort(t->of, t->count, sizeof *t->of, compare);
    for (size_t i = 0; i < t->count; i++) {
        struct told *told = &t->of[i];
        struct ncs_prior p = { .rank = told->rank, .ranks = told->ranks, .line = told->fact.place.line };
        if (i + MOST_PRIORS < t->count) { /* the last ones are the closest */
            ncs_free(told->rank);
            ncs_free(told->fact.read);
            continue;
        }
        p.text = told->fact.read ? told->fact.read : say_fact(q, &told->fact, &p);
        NCS_PUSH(f->prior, f->priors, room, p);
    }
    ncs_free(t->of);
}

/* Of who left out, added or changed a call, or left; other causes are facts of their own. */
static bool is_apt(const struct ncs_finding *f)
{
    static const char *const more[] = { "abort-one-rank", "init-missing-rank", "missing-group-end" };
    bool apt = ncs_finding_is_by_waiting(f);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        apt |= strcmp(f->rule, more[i]) == 0;
    return apt && f->level == NCS_LEVEL_ERROR;
}

static void tell_all(const struct ncs_inquiry *q, const struct facts *all, struct ncs_finding *f, size_t findings)
{
    for (size_t i = 0; i < findings; i++) {
        struct tellings t = { 0 };
        for (size_t k = 0; is_apt(&f[i]) && k < f[i].culprits && k < MOST_CULPRITS; k++)
            look_at(q, all, &f[i], &f[i].culprit[k], &t);
        give(q, &f[i], &t);
    }
}

void ncs_tell_beforehand(const struct ncs_inquiry *q)
{
    struct facts all = { 0 };
    struct ncs_diagnosis *d = q->result;
    gather(q, &all);
    if (all.count || q->priors) {
        tell_all(q, &all, d->finding, d->findings);
        for (size_t i = 0; i < d->alternatives; i++)
            tell_all(q, &all, d->alternative[i].finding, d->alternative[i].findings);
    }
    ncs_free(all.of);
}
