/* Events that a culprit met just before it diverged: an error that it caught or got as a code, the end of the
 * communicator, a value that not all ranks have. An event is evidence beside the cause, never the cause, because the
 * program's reaction to it is unknown (diagnose/README.md, rule 25). So an event is reported only
 * - if it lies between the culprit's last call like the others' and its first call that differs,
 * - if no rank that is not to blame met the same event,
 * - and if the culprit had not met the same event earlier without diverging. */
#include "diagnose/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/party.h"
#include "ncclscript/cuda_abi.h"

enum {
    MOST_CULPRITS = 8, /* are looked at: with more culprits the program is wrong, not a few ranks */
    MOST_FACTS = 16,   /* are looked at for each culprit: a program may retry a call for long */
    MOST_PRIORS = 3,   /* are reported with a finding */
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

/* True if the copy brings a value to the host, which may branch on it. */
static bool reads_device(const struct ncs_call *c)
{
    bool copy = c->fn == NCS_FN_cudaMemcpy || c->fn == NCS_FN_cudaMemcpyAsync;
    return copy && c->returned && !c->rc && (ncs_call_rare(c)->input || c->arg[3].i == cudaMemcpyDeviceToHost);
}

void ncs_see_beforehand(struct ncs_analysis *q, const struct ncs_call *c)
{
    if (c->rank >= 0 && !c->opening && !c->ending && (reads_device(c) || ncs_call_failed(c)))
        NCS_PUSH(q->prior, q->priors, q->prior_room, c);
}

/* ---- what the culprit met ---- */

struct fact {
    const struct ncs_call *call; /* that failed, ended a communicator or read a value; NULL = an error of the script's */
    const struct ncs_caught *caught;
    int rank, thread;
    uint64_t id; /* of the call, or of the newest call when the error was caught */
    size_t nth;  /* in the order of gathering; breaks ties of id */
    struct ncs_place place;
    char *read; /* a sentence; NULL = nothing was read */
};

struct facts {
    struct fact *of; /* errors and ends of all ranks, in order */
    size_t count, room;
};

/* The place of the fact. No place (line 0) if the last or the missing call is outside the function that caught the
 * error: line numbers of two functions do not show which comes first. */
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

/* An error that a thread caught is a fact of each party that the thread makes calls for. */
static void add_caught(const struct ncs_analysis *q, const struct ncs_caught *c, struct facts *all)
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

static int compare_facts(const void *x, const void *y)
{
    const struct fact *a = x, *b = y;
    return a->id != b->id ? (a->id > b->id) - (a->id < b->id) : (a->nth > b->nth) - (a->nth < b->nth);
}

static void gather(const struct ncs_analysis *q, struct facts *all)
{
    for (size_t i = 0; i < q->priors; i++)
        if (ncs_call_failed(q->prior[i]))
            NCS_PUSH(all->of, all->count, all->room, fact_of_call(q->prior[i]));
    for (size_t i = 0; i < q->rares; i++)
        if (end_verb(q->rare[i]) && !q->rare[i]->ending && !ncs_failed(q->rare[i]))
            NCS_PUSH(all->of, all->count, all->room, fact_of_call(q->rare[i]));
    for (const struct ncs_caught *c = q->journal->caught_lost ? NULL : q->journal->oldest_caught; c; c = c->newer)
        add_caught(q, c, all);
    for (size_t i = 0; i < all->count; i++)
        all->of[i].nth = i;
    if (all->count)
        qsort(all->of, all->count, sizeof *all->of, compare_facts);
}

static bool is_same(const struct fact *a, const struct fact *b)
{
    if (!a->call != !b->call || a->place.line != b->place.line || a->place.file != b->place.file)
        return false;
    return a->call ? a->call->fn == b->call->fn && a->call->rc == b->call->rc : strcmp(a->caught->text, b->caught->text) == 0;
}

/* True if a rank that is not to blame met the same event, if all ranks met it, or if the culprit had met it before the
 * stretch. Copies of one thread's event for its other parties do not count. */
static bool is_usual(const struct ncs_analysis *q, const struct facts *all, const struct ncs_finding *f,
                     const struct ncs_stretch *s, const struct fact *fact)
{
    int others = 0, last = -1;
    for (size_t i = 0; i < all->count; i++) {
        const struct fact *o = &all->of[i];
        if (!is_same(o, fact))
            continue;
        bool copy = o->rank != fact->rank && o->id == fact->id && o->thread == fact->thread &&
                    ncs_parties_share(q->parties, o->rank, fact->rank);
        if (o->rank == fact->rank ? o->id < s->from : !copy && !ncs_finding_blames(f, o->rank))
            return true;
        others += o->rank != fact->rank && o->rank != last && !copy;
        last = o->rank;
    }
    return others > 0 && others + 1 >= q->ranks;
}

static bool is_in_reason(const struct ncs_finding *f, const struct fact *fact)
{
    const char *words = !fact->call ? NULL : ncs_call_failed(fact->call) ? "failed with" : end_verb(fact->call);
    return words && f->why && strstr(ncs_sentence_text(f->why), words);
}

/* False for the end of another communicator than the finding's: that end cannot be why a call on this one is missing. */
static bool is_of_matter(const struct ncs_analysis *q, const struct ncs_finding *f, const struct fact *fact)
{
    bool end = fact->call && !ncs_call_failed(fact->call);
    return !end || (f->comm && strcmp(ncs_comm_name(q, fact->call->comm), f->comm) == 0);
}

/* ---- in words ---- */

static char *beforehand_format_fact(const struct ncs_analysis *q, const struct fact *fact, const struct ncs_prior *p)
{
    struct ncs_str s = { 0 };
    if (fact->call && ncs_call_failed(fact->call)) {
        char *what = ncs_describe(fact->call);
        ncs_str_add(&s, "on ");
        ncs_format_ranks(&s, p->rank, p->ranks);
        ncs_str_addf(&s, " %s", what);
        ncs_format_place(&s, fact->call);
        ncs_str_add(&s, " ");
        ncs_format_result(fact->call, &s);
        ncs_free(what);
    } else if (fact->call) {
        ncs_format_ranks(&s, p->rank, p->ranks);
        ncs_str_addf(&s, " %s %s", end_verb(fact->call), ncs_comm_name(q, fact->call->comm));
        ncs_format_place(&s, fact->call);
    } else {
        ncs_format_ranks(&s, p->rank, p->ranks);
        ncs_str_add(&s, fact->place.line ? " caught the error" : " caught an error");
        if (fact->place.line)
            ncs_str_addf(&s, " that line %d raised", fact->place.line);
        ncs_str_addf(&s, ": %s", fact->caught->text);
    }
    return ncs_str_take(&s);
}

/* ---- to a finding ---- */

struct prior_event {
    struct fact fact;
    int *rank;
    size_t ranks, room;
};

struct prior_events {
    struct prior_event *of;
    size_t count, room;
};

static void beforehand_add(struct prior_events *t, const struct fact *fact)
{
    size_t i = 0;
    while (i < t->count && (t->of[i].fact.read ? !fact->read || strcmp(t->of[i].fact.read, fact->read) != 0
                                               : fact->read || !is_same(&t->of[i].fact, fact)))
        i++;
    if (i == t->count) {
        struct prior_event fresh = { .fact = *fact };
        NCS_PUSH(t->of, t->count, t->room, fresh);
    } else {
        ncs_free(fact->read);
    }
    struct prior_event *own = &t->of[i];
    if (!own->ranks || own->rank[own->ranks - 1] != fact->rank)
        NCS_PUSH(own->rank, own->ranks, own->room, fact->rank);
}

/* True if a newer event of the same place is there already (events come from the newest to the oldest): one is enough. */
static bool is_repeated(const struct prior_events *t, const struct fact *fact)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct prior_event *event = &t->of[i];
        if (event->rank[event->ranks - 1] == fact->rank && !event->fact.call == !fact->call &&
            event->fact.place.line == fact->place.line && event->fact.place.file == fact->place.file)
            return true;
    }
    return false;
}

static void beforehand_look_at(const struct ncs_analysis *q, const struct facts *all, const struct ncs_finding *f,
                               const struct ncs_culprit *who, struct prior_events *t)
{
    struct ncs_stretch s = ncs_stretch_of(q, f, who);
    size_t facts = 0;
    for (size_t i = all->count; i-- > 0 && facts < MOST_FACTS;) {
        const struct fact *fact = &all->of[i];
        bool at_end = fact->call && fact->id == s.from; /* the fact is the last call like the others' */
        if (at_end || !ncs_in_stretch(&s, fact->rank, fact->thread, fact->id, place_in(&s, fact)))
            continue;
        facts++;
        if (!is_repeated(t, fact) && !is_in_reason(f, fact) && is_of_matter(q, f, fact) && !is_usual(q, all, f, &s, fact))
            beforehand_add(t, fact);
    }
    const struct ncs_call *read;
    char *text = ncs_format_read(q, f, &s, &read);
    if (text) {
        struct fact fact = fact_of_call(read);
        fact.read = text;
        beforehand_add(t, &fact);
    }
}

/* By rank first: the order of one thread's events is the same under every schedule, the order between ranks is not. */
static int compare_told(const void *x, const void *y)
{
    const struct prior_event *a = x, *b = y;
    if (a->rank[0] != b->rank[0])
        return a->rank[0] < b->rank[0] ? -1 : 1;
    return compare_facts(&a->fact, &b->fact);
}

static void beforehand_format(const struct ncs_analysis *q, struct ncs_finding *f, struct prior_events *t)
{
    size_t room = 0;
    if (t->count)
        qsort(t->of, t->count, sizeof *t->of, compare_told);
    for (size_t i = 0; i < t->count; i++) {
        struct prior_event *event = &t->of[i];
        struct ncs_prior p = { .rank = event->rank, .ranks = event->ranks, .line = event->fact.place.line };
        if (i + MOST_PRIORS < t->count) { /* the last ones are the closest */
            ncs_free(event->rank);
            ncs_free(event->fact.read);
            continue;
        }
        p.text = event->fact.read ? event->fact.read : beforehand_format_fact(q, &event->fact, &p);
        NCS_PUSH(f->prior, f->priors, room, p);
    }
    ncs_free(t->of);
}

/* True for findings that blame a rank for a call left out, added or changed, or for leaving. Other causes need no
 * event to explain them. */
static bool is_apt(const struct ncs_finding *f)
{
    static const char *const more[] = { "abort-one-rank", "init-missing-rank", "missing-group-end" };
    bool apt = ncs_finding_is_by_waiting(f);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        apt |= strcmp(f->rule, more[i]) == 0;
    return apt && f->level == NCS_LEVEL_ERROR;
}

static void beforehand_add_all(const struct ncs_analysis *q, const struct facts *all, struct ncs_finding *f, size_t findings)
{
    for (size_t i = 0; i < findings; i++) {
        struct prior_events t = { 0 };
        for (size_t k = 0; is_apt(&f[i]) && k < f[i].culprits && k < MOST_CULPRITS; k++)
            beforehand_look_at(q, all, &f[i], &f[i].culprit[k], &t);
        beforehand_format(q, &f[i], &t);
    }
}

void ncs_format_beforehand(const struct ncs_analysis *q)
{
    struct facts all = { 0 };
    struct ncs_diagnosis *d = q->result;
    gather(q, &all);
    if (all.count || q->priors) {
        beforehand_add_all(q, &all, d->finding, d->findings);
        for (size_t i = 0; i < d->alternatives; i++)
            beforehand_add_all(q, &all, d->alternative[i].finding, d->alternative[i].findings);
    }
    ncs_free(all.of);
}
