#include "shim/exec/exec.h"

#include <stdlib.h>

#include "api/journal.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "shim/exec/places.h"
#include "shim/many/job.h"
#include "shim/shim.h"
#include "sim/kernel/foreign.h"

/* True if the thread is neither in a call that waits nor in a loop of polls: it runs the program's own code. */
static bool is_outside(const struct ncs_snapshot *s, const struct ncs_snap_context *c)
{
    bool asks = s->stop == NCS_STOP_STALLED || s->stop == NCS_STOP_INTERRUPTED;
    return c->state == NCS_CONTEXT_READY || (c->state == NCS_CONTEXT_POLLING && !asks);
}

static void end_context(struct ncs_snap_context *c)
{
    c->state = NCS_CONTEXT_ENDED;
    c->ending = NCS_END_RETURNED;
}

/* True if the exit of another thread cuts the thread off: it was on its way, perhaps to the end of its group. In a job of many
 * processes, the thread that ends a process is not known. */
static bool is_cut_off(const struct ncs_snap_context *c)
{
    return !server_is_open() && (!ncs_local || ncs_local->rank != c->rank || ncs_local->thread != c->thread);
}

static bool is_known(const struct ncs_snapshot *s, int rank)
{
    for (size_t i = 0; i < s->contexts; i++)
        if (s->context[i].rank == rank && s->context[i].thread == 0)
            return true;
    return false;
}

/* A thread of the same process that is in a call: the engine of a framework, for which its caller waits. NULL = there is none. */
static const struct ncs_snap_context *find_engine(const struct ncs_snapshot *s, const struct ncs_snap_context *c)
{
    for (size_t i = 0; server_is_open() && i < s->contexts; i++)
        if (s->context[i].rank == c->rank && s->context[i].thread != c->thread && s->context[i].call &&
            s->context[i].state == NCS_CONTEXT_PARKED)
            return &s->context[i];
    return NULL;
}

const char *ncs_settle_doing(int rank, int thread)
{
    const char *doing = job_doing(sim_foreign_number(rank, thread));
    return *doing ? doing : "runs (computes or spins)";
}

static void add_gate(struct ncs_snapshot *s, struct ncs_snap_context *c)
{
    const struct ncs_snap_context *engine = find_engine(s, c);
    s->gate = ncs_resize(s->gate, (s->gates + 1) * sizeof *s->gate);
    s->wait = ncs_resize(s->wait, (s->waits + 1) * sizeof *s->wait);
    s->gate[s->gates] = (struct ncs_snap_gate){ .owner = -1, .what = ncs_settle_doing(c->rank, c->thread) };
    if (engine)
        s->gate[s->gates] =
            (struct ncs_snap_gate){ .owner = engine->rank, .owner_thread = engine->thread, .what = "join in its own code" };
    s->wait[s->waits] = (struct ncs_snap_wait){ NCS_WAIT_GATE, (int)s->gates++ };
    c->state = NCS_CONTEXT_PARKED;
    c->wait = s->waits++;
    c->waits = 1;
}

/* At the end of the process no thread is inside a call any more. In a hang, a rank that is in no call
 * waits in the program's own code. A thread that stands for no rank, such as one that joins the
 * others, is left out. */
void ncs_settle_contexts(struct ncs_snapshot *s)
{
    bool hangs = s->stop == NCS_STOP_QUIET || s->stop == NCS_STOP_STALLED;
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (!is_outside(s, c))
            continue;
        if (s->stop == NCS_STOP_DONE && is_cut_off(c))
            c->group_depth = 0;
        if (s->stop == NCS_STOP_DONE || (c->thread != 0 && is_known(s, c->rank)))
            end_context(c);
        else if (hangs)
            add_gate(s, c);
    }
}

void ncs_settle_polls(const struct ncs_journal *journal, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (c->state != NCS_CONTEXT_POLLING || !c->call)
            continue;
        int asked = c->thread == 0 ? -1 : ncs_exec_rank_asked(journal, c->call);
        c->place = c->call->place;
        c->rank = asked >= 0 ? asked : c->rank;
    }
}

/* A thread that polls. */
struct poller {
    const struct ncs_call *query;
    bool other; /* it is no rank's main thread */
    int rank;   /* its own, else the one it polls for; -1 = unknown */
};

/* A thread that has joined no communicator has the number of rank 0, which says nothing. */
static bool read_poller(const struct ncs_journal *journal, const struct ncs_snap_context *c, struct poller *p)
{
    if (c->state != NCS_CONTEXT_POLLING || !c->call)
        return false;
    *p = (struct poller){ .query = c->call, .other = c->thread != 0, .rank = c->rank };
    if (p->other) {
        int asked = ncs_exec_rank_asked(journal, c->call);
        p->rank = asked >= 0 || c->rank == 0 ? asked : c->rank;
    }
    return true;
}

static void free_line(struct ncs_wait_line *w)
{
    ncs_free(w->in);
    ncs_free(w->comm);
    ncs_free(w->op);
    ncs_free(w->what);
    ncs_free(w->peer);
}

/* Lines are sorted by ranks and threads. */
static void insert_line(struct ncs_wait_line *line, size_t at, struct ncs_wait_line w)
{
    for (; at > 0 && (line[at - 1].rank > w.rank || (line[at - 1].rank == w.rank && line[at - 1].thread > w.thread)); at--)
        line[at] = line[at - 1];
    line[at] = w;
}

void ncs_settle_lines(const struct ncs_journal *journal, const struct ncs_snapshot *s, struct ncs_diagnosis *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->waits; i++) {
        struct ncs_wait_line w = d->wait[i];
        struct poller p = { .rank = w.rank };
        for (size_t k = 0; k < s->contexts; k++)
            if (s->context[k].rank == w.rank && s->context[k].thread == w.thread && w.thread != 0)
                read_poller(journal, &s->context[k], &p);
        w.rank = p.rank;
        if (p.rank >= 0)
            insert_line(d->wait, kept++, w);
        else
            free_line(&w);
    }
    d->waits = kept;
}

static bool is_same_poll(const struct poller *a, const struct poller *b)
{
    return a->other == b->other && a->query->fn == b->query->fn && a->query->place.line == b->query->place.line;
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* " (rank 0)", " (ranks 0, 2)", " (another thread, for rank 1)", " (3 other threads, for ranks 0-2)" */
static void add_who_polls(struct ncs_str *out, const struct poller *first, size_t count, int *rank, size_t ranks)
{
    ncs_str_add(out, " (");
    if (first->other && count == 1)
        ncs_str_add(out, "another thread");
    else if (first->other)
        ncs_str_addf(out, "%zu other threads", count);
    if (ranks > 0) {
        qsort(rank, ranks, sizeof *rank, compare_ranks);
        size_t kept = 0;
        for (size_t i = 0; i < ranks; i++)
            if (kept == 0 || rank[kept - 1] != rank[i])
                rank[kept++] = rank[i];
        ncs_str_addf(out, "%srank%s ", first->other ? ", for " : "", kept == 1 ? "" : "s");
        ncs_str_add_ranks(out, rank, kept);
    }
    ncs_str_add(out, ")");
}

void ncs_settle_list_pollers(const struct ncs_journal *journal, const struct ncs_snapshot *s, bool unknown, struct ncs_str *out)
{
    struct poller *poller = ncs_new((s->contexts + 1) * sizeof *poller);
    int *rank = ncs_new((s->contexts + 1) * sizeof *rank);
    size_t pollers = 0;
    for (size_t i = 0; i < s->contexts; i++)
        if (read_poller(journal, &s->context[i], &poller[pollers]) && (poller[pollers].rank < 0 || !unknown))
            pollers++;
    for (size_t i = 0; i < pollers; i++) {
        size_t count = 0, ranks = 0;
        bool told = false;
        for (size_t k = 0; k < i; k++)
            told |= is_same_poll(&poller[k], &poller[i]);
        for (size_t k = i; k < pollers && !told; k++)
            if (is_same_poll(&poller[k], &poller[i])) {
                count++;
                if (poller[k].rank >= 0)
                    rank[ranks++] = poller[k].rank;
            }
        if (told)
            continue;
        ncs_str_addf(out, "%s%s", out->bytes ? ", " : "", ncs_fn_info[poller[i].query->fn].name);
        ncs_places_add(out, poller[i].query->place.line);
        add_who_polls(out, &poller[i], count, rank, ranks);
    }
    ncs_free(rank);
    ncs_free(poller);
}

void ncs_settle_add_pollers(const struct ncs_journal *journal, const struct ncs_snapshot *s, int64_t patience,
                            struct ncs_str *note)
{
    struct ncs_str who = { 0 };
    char time[32];
    ncs_settle_list_pollers(journal, s, false, &who);
    ncs_format_duration(patience, time, sizeof time);
    ncs_str_addf(note, "all threads wait%s, and nothing has changed for %s (--patience)", who.bytes ? " or poll" : "", time);
    if (who.bytes)
        ncs_str_addf(note, "; threads poll in %s", who.text);
    if (ncs_shim_helpers_wait())
        ncs_str_add(note, "; other threads, which have used no communicator, sleep or wait");
    else if (!who.bytes)
        ncs_str_add(note, "; threads of a framework that watch others do not count");
    ncs_str_free(&who);
}
