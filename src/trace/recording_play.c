/* Makes the calls of all processes again, in the order of time, through a journal: what a run of our own leaves. */
#include "trace/recording_play.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/infer.h"

static _Thread_local struct recorded_play *playing; /* whom the journal asks */

static const char play_file[] = "trace";

/* ---- what the journal asks a driver ---- */

static ncclResult_t answer_child(ncclComm_t comm, int word, int *value)
{
    const struct recorded_call *made = ncs_map_get(&playing->made, ncs_map_key(comm));
    int known = made && ncs_fn_info[made->fn].child ? (int)made->raw.arg[NCS_RECORDING_CHILD + word] : -1;
    if (known < 0)
        return ncclInvalidArgument;
    *value = known;
    return ncclSuccess;
}

static ncclResult_t answer_rank(ncclComm_t comm, int *rank)
{
    return answer_child(comm, 0, rank);
}

static ncclResult_t answer_count(ncclComm_t comm, int *count)
{
    return answer_child(comm, 1, count);
}

static cudaError_t answer_device(int *device)
{
    *device = playing->now ? (int)playing->now->raw.arg[NCS_RECORDING_DEVICE] : -1;
    return *device < 0 ? cudaErrorInvalidDevice : cudaSuccess;
}

static const struct ncs_api answers = { .ncclCommUserRank = answer_rank,
                                        .ncclCommCount = answer_count,
                                        .cudaGetDevice = answer_device };

/* ---- one call ---- */

static struct ncs_place recorded_where(void *arg)
{
    return *(const struct ncs_place *)arg;
}

/* The thread becomes the one that the journal asks: as the rank for which it makes the call. */
static struct played_thread *act_as_thread(struct recorded_play *p, const struct recorded_call *c)
{
    const struct recorded_file *f = &p->r->file[c->file];
    struct played_thread *t = &p->thread[c->file][c->raw.thread];
    t->local.rank = f->several && !f->as_one && c->rank >= 0 && !c->raw.device ? c->rank : f->thread[c->raw.thread].rank;
    ncs_local = &t->local;
    p->now = c;
    return t;
}

static void begin_call(struct recorded_play *p, const struct recorded_call *c)
{
    const struct recorded_file *f = &p->r->file[c->file];
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    if (!ncs_recorded_is_sound(p->journal, c)) {
        p->damaged++;
        return;
    }
    if (p->alignment && !p->measures && !ncs_alignment_apply(p->alignment, p->journal, c))
        return;
    int line = ncs_recorded_line(f, c->raw.site);
    struct played_thread *t = act_as_thread(p, c);
    t->place = (struct ncs_place){ line ? play_file : NULL, line };
    t->call = ncs_journal_enter(p->journal, c->fn);
    ncs_recorded_set_arguments(p, c, t->call);
    ncs_journal_begin(p->journal, t->call);
    if (p->measures)
        ncs_alignment_note(p->alignment, p->journal, f, c, t->call);
    if (p->alignment && info->counted && ncs_call_op(t->call) >= ncclNumOps && !t->call->redop)
        t->call->unsaid |= NCS_UNSAID_OP; /* its creation has been overwritten */
    p->strangers += info->counted && t->call->comm < 0;
    if (t->call->comm >= 0)
        t->last = t->call;
    if (t->call->number)
        t->counted = t->call;
    if (c->over && !info->pair) /* a send of too few bytes ends, and its receive does not */
        ncs_map_put(&p->over, t->call->id, t->call);
}

static void end_call(struct recorded_play *p, const struct recorded_call *c)
{
    struct played_thread *t = act_as_thread(p, c);
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    if (!t->call || t->call->fn != c->fn)
        return; /* it was left out */
    ncs_recorded_set_results(c, t->call);
    if (info->at[NCS_ARG_COMM_OUT] && c->raw.arg[info->at[NCS_ARG_COMM_OUT] - 1])
        ncs_map_put(&p->made, ncs_map_key(ncs_recorded_pointer(c->file, c->raw.arg[info->at[NCS_ARG_COMM_OUT] - 1])),
                    (void *)(uintptr_t)c);
    ncs_journal_leave(p->journal, t->call, c->raw.rc);
    if (t->call->comm >= 0)
        t->last = t->call;
    if (info->joins == NCS_JOINS_ALL && t->call->comm >= 0 && !p->r->file[c->file].as_one)
        for (int k = 0; k < p->journal->comm[t->call->comm]->members; k++)
            p->journal->comm[t->call->comm]->member[k].rank = k; /* each rank has threads of its own */
    t->call = NULL;
}

/* ---- all calls ---- */

struct recorded_event {
    uint64_t at;
    const struct recorded_call *call;
    bool ends;
};

static int compare_events(const void *left, const void *right)
{
    const struct recorded_event *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->call->file != b->call->file)
        return a->call->file < b->call->file ? -1 : 1;
    if (a->ends != b->ends)
        return a->ends ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

static struct recorded_event *list_events(const struct recording *r, size_t *count)
{
    size_t calls = 0, n = 0;
    for (size_t i = 0; i < r->files; i++)
        calls += r->file[i].calls;
    struct recorded_event *event = ncs_new((2 * calls + 1) * sizeof *event);
    for (size_t i = 0; i < r->files; i++) {
        const struct recorded_file *f = &r->file[i];
        for (size_t k = 0; k < f->calls && !f->left_out; k++) {
            if (f->call[k].left_out)
                continue;
            event[n++] = (struct recorded_event){ f->call[k].begin, &f->call[k], false };
            if (f->call[k].end != UINT64_MAX)
                event[n++] = (struct recorded_event){ f->call[k].end, &f->call[k], true };
        }
    }
    qsort(event, n, sizeof *event, compare_events);
    *count = n;
    return event;
}

static bool members_fit(struct recorded_play *p, struct ncs_error *err)
{
    for (; p->known_comms < p->journal->comms; p->known_comms++)
        p->members += (size_t)p->journal->comm[p->known_comms]->members;
    return p->members <= NCS_RECORD_MEMBERS ||
           ncs_fail(err, NCS_BAD_INPUT, "more communicators than can be held: %zu of %zu ranks together", p->known_comms,
                    p->members);
}

static bool replay_calls(struct recorded_play *p, struct ncs_error *err)
{
    size_t events;
    bool ok = true;
    struct recorded_event *event = list_events(p->r, &events);
    for (size_t i = 0; i < events && ok; i++) {
        (event[i].ends ? end_call : begin_call)(p, event[i].call);
        ok = members_fit(p, err);
    }
    ncs_free(event);
    return ok;
}

/* ---- what follows ---- */

static bool recorded_is_over(void *arg, const struct ncs_call *call)
{
    const struct recorded_play *p = arg;
    return ncs_map_get(&p->over, call->id) != NULL;
}

static void recorded_met(void *arg, struct ncs_call *const *calls, size_t count)
{
    struct recorded_play *p = arg;
    ncs_trace_look_at_meeting(p->r->record->trace, calls, count);
}

static void infer_waits(struct recorded_play *p)
{
    struct ncs_snapshot *s = &p->r->record->trace->snapshot;
    const struct ncs_local **local = NULL;
    size_t locals = 0, room = 0;
    for (size_t i = 0; i < p->r->files; i++)
        for (int k = 0; k < p->r->file[i].threads; k++)
            if (p->thread[i][k].local.group_depth > 0)
                NCS_PUSH(local, locals, room, &p->thread[i][k].local);
    struct ncs_known known = { .local = local, .locals = locals, .is_over = recorded_is_over, .met = recorded_met, .arg = p };
    ncs_recorded_contexts(p, s);
    ncs_infer(p->journal, &known, s);
    ncs_recorded_park(p, s);
    s->recorded = true;
    bool waits = false, polls = false;
    for (size_t i = 0; i < s->contexts; i++) {
        waits |= s->context[i].state == NCS_CONTEXT_PARKED || s->context[i].group_depth > 0;
        polls |= s->context[i].state == NCS_CONTEXT_POLLING && s->context[i].waits;
    }
    s->stop = waits || polls ? NCS_STOP_STALLED : NCS_STOP_DONE;
    ncs_free(local);
}

static void count_calls(struct recorded_play *p)
{
    for (const struct ncs_call *c = p->journal->oldest; c; c = c->newer)
        p->r->record->trace->calls += c->number > 0;
    if (p->damaged)
        ncs_record_note(p->r->record, "%zu call%s with impossible arguments left out: a file is damaged", p->damaged,
                        p->damaged == 1 ? " is" : "s are");
    if (p->strangers)
        ncs_record_note(p->r->record, "%zu call%s on communicators that the recording does not know", p->strangers,
                        p->strangers == 1 ? " is" : "s are");
}

static void open_threads(struct recorded_play *p)
{
    p->thread = ncs_new((p->r->files + 1) * sizeof *p->thread);
    for (size_t i = 0; i < p->r->files; i++) {
        const struct recorded_file *f = &p->r->file[i];
        p->thread[i] = ncs_new(((size_t)f->threads + 1) * sizeof **p->thread);
        for (int k = 0; k < f->threads; k++) {
            struct played_thread *t = &p->thread[i][k];
            t->local = (struct ncs_local){ .rank = f->thread[k].rank,
                                           .thread = f->thread[k].number,
                                           .where = recorded_where,
                                           .where_arg = &t->place,
                                           .by_c_name = true };
        }
    }
}

static void close_play(struct recorded_play *p)
{
    NCS_FREE_ALL(p->thread, p->r->files);
    ncs_map_free(&p->made);
    ncs_map_free(&p->over);
}

static void open_play(struct recorded_play *p, struct recording *r, struct alignment *alignment)
{
    *p = (struct recorded_play){ .r = r, .journal = ncs_journal_open(SIZE_MAX, false), .alignment = alignment };
    playing = p;
    ncs_journal_ask(p->journal, &answers);
    open_threads(p);
}

/* Makes all calls once to find where the ranks can be compared from. */
static bool measure_start(struct recording *r, struct alignment *alignment, struct ncs_error *err)
{
    struct recorded_play p;
    open_play(&p, r, alignment);
    p.measures = true;
    bool ok = replay_calls(&p, err);
    ncs_alignment_close(alignment, p.journal, r);
    close_play(&p);
    ncs_journal_close(p.journal);
    return ok;
}

static bool play_once(struct recording *r, struct alignment *alignment, struct ncs_error *err)
{
    struct recorded_play p;
    open_play(&p, r, alignment);
    r->record->trace->journal = p.journal;
    r->record->trace->ranks = r->ranks;
    bool ok = replay_calls(&p, err);
    if (ok && alignment)
        ncs_alignment_finish(p.journal, r);
    if (ok) {
        ncs_recorded_find_members(&p);
        infer_waits(&p);
        count_calls(&p);
    }
    ncs_journal_ask(p.journal, NULL);
    close_play(&p);
    return ok;
}

bool ncs_recorded_play(struct recording *r, struct ncs_error *err)
{
    struct ncs_local *outer = ncs_local;
    struct recorded_play *before = playing;
    struct alignment alignment = { 0 };
    size_t cut = 0;
    for (size_t i = 0; i < r->files; i++)
        cut += r->file[i].cut && !r->file[i].left_out;
    bool ok = (!cut || measure_start(r, &alignment, err)) && play_once(r, cut ? &alignment : NULL, err);
    if (ok && cut)
        ncs_record_note(r->record,
                        "%zu recording%s overwritten %s oldest calls: the ranks are compared from the first calls on "
                        "that all of them have",
                        cut, cut == 1 ? " has" : "s have", cut == 1 ? "its" : "their");
    r->record->trace->late |= cut > 0;
    ncs_alignment_free(&alignment);
    playing = before;
    ncs_local = outer;
    return ok;
}
