/* Where each thread was when its recording ended: in a call, polling, at its end, or somewhere in the program's own code. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/recording_play.h"

static void pin_call(const struct ncs_call *call)
{
    ncs_call_pin((struct ncs_call *)call);
}

/* The communicator on which the rank has made most calls, all of them overwritten or left out. */
static const struct ncs_comm_info *comm_of_lost_calls(const struct ncs_journal *j, int rank, uint32_t *calls)
{
    const struct ncs_comm_info *found = NULL;
    *calls = 0;
    for (size_t i = 0; i < j->comms; i++)
        for (int k = 0; k < j->comm[i]->members; k++)
            if (j->comm[i]->member[k].rank == rank && j->comm[i]->member[k].calls > *calls) {
                *calls = j->comm[i]->member[k].calls;
                found = j->comm[i];
            }
    return found;
}

static char *last_words(const struct recorded_play *p, int rank, const struct ncs_call *last)
{
    struct ncs_str text = { 0 };
    uint32_t calls;
    const struct ncs_comm_info *comm = last ? NULL : comm_of_lost_calls(p->journal, rank, &calls);
    if (comm)
        ncs_str_addf(&text, "its recording ends after call %u on %s", (unsigned)calls, comm->name);
    else if (!last)
        ncs_str_add(&text, "its recording has no call");
    else
        ncs_str_addf(&text, "its recording ends after call %u on %s", (unsigned)last->number, p->journal->comm[last->comm]->name);
    return ncs_str_take(&text);
}

/* The query that the thread repeats, as one more call. */
static const struct ncs_call *make_poll(struct recorded_play *p, struct played_thread *t, const struct recorded_call *poll)
{
    ncs_local = &t->local;
    struct ncs_call *call = ncs_journal_enter(p->journal, poll->fn);
    ncs_recorded_set_arguments(p, poll, call);
    ncs_journal_begin(p->journal, call);
    ncs_recorded_set_results(poll, call);
    ncs_journal_leave(p->journal, call, poll->raw.rc);
    return call;
}

/* Where the file's process is, for what the end of a communicator waits for (teardown.c): a process that has come to its end
 * holds nothing, and is none. A rank without a file is taken to be beside the one that its calls were implied from. */
static void seat_context(const struct recording *r, size_t file, struct ncs_snap_context *c)
{
    size_t first = 0;
    while (strncmp(r->file[first].head.host, r->file[file].head.host, sizeof r->file[file].head.host) != 0)
        first++;
    c->process = r->file[file].head.ended ? 0 : (int)file + 1;
    c->host = (int)first + 1;
}

static void add_thread_context(struct recorded_play *p, struct ncs_snapshot *s, size_t file, int thread)
{
    const struct recorded_file *f = &p->r->file[file];
    const struct recorded_thread *of = &f->thread[thread];
    struct played_thread *t = &p->thread[file][thread];
    struct ncs_snap_context *c = &s->context[s->contexts++];
    const struct ncs_call *newest = t->call ? t->call : t->last;
    bool ended = f->head.ended || of->ended;
    *c = (struct ncs_snap_context){ .rank = t->call ? t->call->rank : of->rank,
                                    .thread = of->number,
                                    .state = NCS_CONTEXT_ENDED,
                                    .ending = f->implied ? NCS_END_MISSING
                                              : ended    ? NCS_END_RETURNED
                                                         : NCS_END_SILENT,
                                    .group_depth = t->local.group_depth };
    seat_context(p->r, file, c);
    if (newest)
        c->place = newest->place;
    if (f->implied) {
        c->message = ncs_copy_text("left no recording");
    } else if (t->call && !ended) {
        c->state = NCS_CONTEXT_PARKED;
        c->call = t->call;
    } else if (of->polls && !ended) {
        c->state = NCS_CONTEXT_POLLING;
        c->call = make_poll(p, t, &of->poll);
    } else if (!ended) {
        c->message = last_words(p, of->rank, t->counted);
    }
    pin_call(c->call);
}

/* Other threads only look on (trace/README.md, rule 16). */
static bool thread_takes_part(const struct recorded_play *p, size_t file, int thread)
{
    const struct played_thread *t = &p->thread[file][thread];
    return p->r->file[file].thread[thread].rank >= 0 && !p->r->file[file].left_out && (t->last || t->call);
}

static int compare_contexts(const void *left, const void *right)
{
    const struct ncs_snap_context *a = left, *b = right;
    return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : a->thread - b->thread;
}

static bool has_file(const struct recording *r, int rank)
{
    for (size_t i = 0; i < r->files; i++)
        if (!r->file[i].left_out && !r->file[i].several && r->file[i].rank == rank)
            return true;
    return false;
}

/* Ranks of which no thread takes part. */
static void add_absent_ranks(struct recorded_play *p, struct ncs_snapshot *s, const bool *there)
{
    for (int rank = 0; rank < p->r->ranks; rank++) {
        bool file = has_file(p->r, rank) || p->r->threads;
        if (there[rank] || (!file && p->r->record->rank[rank].source)) /* a thread may act for several ranks */
            continue;
        s->context[s->contexts++] = (struct ncs_snap_context){ .rank = rank,
                                                               .state = NCS_CONTEXT_ENDED,
                                                               .ending = file ? NCS_END_SILENT : NCS_END_MISSING,
                                                               .message = ncs_copy_text(file ? "its recording has no call"
                                                                                             : "left no recording") };
    }
}

void ncs_recorded_contexts(struct recorded_play *p, struct ncs_snapshot *s)
{
    size_t threads = 0;
    bool *there = ncs_new(((size_t)p->r->ranks + 1) * sizeof *there);
    for (size_t i = 0; i < p->r->files; i++)
        threads += (size_t)p->r->file[i].threads;
    s->context = ncs_new((threads + (size_t)p->r->ranks + 1) * sizeof *s->context);
    for (size_t i = 0; i < p->r->files; i++)
        for (int k = 0; k < p->r->file[i].threads; k++)
            if (thread_takes_part(p, i, k)) {
                there[p->r->file[i].thread[k].rank] = true;
                add_thread_context(p, s, i, k);
            }
    add_absent_ranks(p, s, there);
    qsort(s->context, s->contexts, sizeof *s->context, compare_contexts);
    ncs_free(there);
}

/* ---- waits ---- */

/* The contexts of a rank are neighbours. */
static bool waits_elsewhere(const struct ncs_snapshot *s, const struct ncs_snap_context *c)
{
    const struct ncs_snap_context *at = c;
    while (at > s->context && at[-1].rank == c->rank)
        at--;
    for (; at < s->context + s->contexts && at->rank == c->rank; at++)
        if (at != c && at->state == NCS_CONTEXT_PARKED)
            return true;
    return false;
}

static void park_context(struct ncs_snapshot *s, struct ncs_snap_context *c, size_t *room)
{
    size_t wait = s->waits;
    for (size_t k = 0; k < s->ops; k++) {
        const struct ncs_call *call = s->op[k].call;
        if (s->op[k].rank != c->rank || !call || call->thread != c->thread)
            continue;
        struct ncs_snap_wait one = { NCS_WAIT_OP, (int)k };
        NCS_PUSH(s->wait, s->waits, *room, one);
    }
    if (s->waits == wait)
        return;
    c->wait = wait;
    c->waits = s->waits - wait;
    c->state = NCS_CONTEXT_PARKED;
    c->place = (struct ncs_place){ 0 };
    c->call = s->op[s->wait[wait].index].call;
    pin_call(c->call);
}

static bool waits_in_cuda(const struct ncs_snap_context *c)
{
    return (c->state == NCS_CONTEXT_PARKED || c->state == NCS_CONTEXT_POLLING) && !c->waits && c->call &&
           ncs_fn_info[c->call->fn].lib == NCS_LIB_CUDA;
}

/* All of NCCL's work that the call waits for is done. */
static void set_aside(struct recorded_play *p, struct ncs_snap_context *c)
{
    const char *name = ncs_fn_info[c->call->fn].name;
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "it is in %s(), for work that is none of NCCL's", name);
    c->place = c->call->place;
    c->message = ncs_str_take(&text);
    c->state = NCS_CONTEXT_ENDED;
    c->ending = NCS_END_SILENT;
    ncs_call_unpin((struct ncs_call *)c->call);
    c->call = NULL;
    ncs_record_doubt(p->r->record, c->rank, false,
                     "it could also be that rank %d is slow: it is in %s() and no call of NCCL "
                     "holds it there",
                     c->rank, name);
}

static void note_idle(const struct recorded_play *p, const int *rank, size_t ranks)
{
    struct ncs_str who = { 0 };
    ncs_str_add_many_ranks(&who, rank, ranks);
    ncs_record_note(p->r->record,
                    "rank%s %s wait%s in the CUDA runtime although every rank has made the calls that %s of; no "
                    "call tells why: it may be slow, or a link, or other work of the GPU",
                    ranks == 1 ? "" : "s", who.text, ranks == 1 ? "s" : "",
                    ranks == 1 ? "it waits for the end" : "they wait for the end");
    ncs_str_free(&who);
}

/* The recorder sees waits only in calls of the shared CUDA runtime. A rank whose work is not done waits for it somewhere. */
void ncs_recorded_park(struct recorded_play *p, struct ncs_snapshot *s)
{
    size_t room = s->waits; /* the array has no more than that */
    int *rank = NULL;
    size_t ranks = 0, rank_room = 0;
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (waits_in_cuda(c)) {
            set_aside(p, c);
            NCS_PUSH(rank, ranks, rank_room, c->rank);
        } else if (c->state == NCS_CONTEXT_ENDED && c->ending == NCS_END_SILENT && !waits_elsewhere(s, c))
            park_context(s, c, &room);
    }
    if (ranks && !s->ops)
        note_idle(p, rank, ranks);
    ncs_free(rank);
}
