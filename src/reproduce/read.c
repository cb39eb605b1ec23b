/* Reads a journal: each rank's calls in its order, as far as a scenario can make them. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "reproduce/workload.h"

/* Events that a rank uses at a time. */
#define EVENTS_MOST 64

struct reader {
    struct ncs_workload *job;
    const struct ncs_workload_source *source;
    const struct ncs_journal *journal;
    int *family_of;
    struct ncs_workload_tokens *of; /* by rank */
    struct reader_rank {
        uint64_t group;        /* the open one; 0 = none */
        size_t group_at;       /* its first token */
        const void *stream[64]; /* in the order of their first use */
        int streams;
        int thread;            /* that makes its calls, + 1; 0 = none so far */
        bool threads;          /* several do */
        bool blocked;          /* its newest call has not returned */
        bool has_ended;        /* it has ended a communicator */
        bool failed;           /* its newest step is a call that was refused */
        uint64_t event[EVENTS_MOST]; /* by event of the scenario: id of the last call that waits for it; 0 = it is free */
        int depth;             /* of groups that its main thread has begun and not ended */
        const struct ncs_call *newest; /* of NCCL */
    } *rank;
    struct ncs_map text_of;    /* of places by file and line */
    bool shared;               /* one process has several ranks: a call's rank is that of its communicator, */
    struct ncs_map rank_of;    /* and a stream's the rank + 1 whose calls it has */
    bool hosts;                /* what hosts do besides calls counts: one of them waits for another */
    bool *stuck;               /* by communicator: a rank stands in its init, or failed there */
    bool *has_id;              /* by communicator: its id is in the store */
    bool *used;                /* by communicator: a rank waits in a call that makes something out of it */
    struct ncs_map waited;     /* such calls: by communicator, function and number */
    struct ncs_map last_wait;  /* by id of a call that records an event: id of the last call that waits for this record */
    struct ncs_map recorded;   /* by rank and event: id of the call that has recorded it */
    struct ncs_map event_of;   /* by id of that call: the event of the scenario, + 1 */
    struct ncs_map made;       /* how many of them each rank has made */
    size_t puts;
    size_t left_out;
    const char *first_left_out;
    size_t lost[NCS_FN_COUNT]; /* calls that no step stands for */
    size_t refused;            /* calls that failed because of what is not written */
};

static const char *reader_place(struct reader *r, const struct ncs_call *call)
{
    uint64_t key = ncs_hash(ncs_map_key(call->place.file), (uint64_t)call->place.line);
    const char *known = ncs_map_get(&r->text_of, key);
    if (known || !call->place.line || call->unsaid & NCS_UNSAID_PLACE) /* a line of a log is no place of a program */
        return known;
    char *text = call->label ? ncs_copy_text(call->label) : r->source->place(r->source->arg, call);
    struct ncs_str line = { 0 };
    if (text)
        ncs_workload_add_line(&line, text);
    known = ncs_workload_intern_place(r->job, line.text);
    ncs_free(text);
    ncs_str_free(&line);
    if (!call->label)
        ncs_map_put(&r->text_of, key, (void *)known);
    return known;
}

static int reader_stream(struct reader_rank *rank, const void *stream)
{
    int most = (int)(sizeof rank->stream / sizeof *rank->stream);
    for (int i = 0; i < rank->streams; i++)
        if (rank->stream[i] == stream)
            return i;
    if (rank->streams == most)
        return most - 1;
    rank->stream[rank->streams] = stream;
    return rank->streams++;
}

/* ---- tokens ---- */

/* Each rank of the scenario has one thread. */
static void reader_follow(struct reader *r, const struct ncs_call *call, int rank)
{
    struct reader_rank *own = &r->rank[rank];
    own->threads |= own->thread && own->thread != call->thread + 1 && !r->shared;
    own->thread = call->thread + 1;
}

static void add_token(struct reader *r, int rank, enum ncs_step_kind kind, const struct ncs_workload_call *call)
{
    struct ncs_workload_tokens *t = &r->of[rank];
    const struct ncs_workload_call *c = ncs_workload_intern(r->job, call);
    uint64_t made = ncs_hash(ncs_hash(ncs_hash((uint64_t)kind, (uint64_t)c->fn), (uint64_t)c->family), (uint64_t)c->stream);
    made = kind == NCS_STEP_TEXT ? ncs_hash(made, c->count) : made;
    /* Calls at one place are the same step, whatever their counts and types; without places these decide. */
    struct ncs_step_key key = { .without_place = ncs_hash(ncs_hash(made, c->count), (uint64_t)c->dtype) };
    key.key = c->place ? ncs_hash(made, ncs_map_key(c->place)) : key.without_place;
    if (kind == NCS_STEP_TEXT)
        key.without_place = key.key;
    struct ncs_workload_token token = { kind, c, key };
    NCS_PUSH(t->token, t->count, t->room, token);
}

/* A group of one call is no group. Only then the tokens of its beginning is taken back. */
static void reader_close_group(struct reader *r, int rank)
{
    struct reader_rank *own = &r->rank[rank];
    struct ncs_workload_tokens *t = &r->of[rank];
    if (!own->group || own->depth > 0)
        return;
    own->group = 0;
    if (t->count - own->group_at == 2) {
        t->token[own->group_at] = t->token[own->group_at + 1];
        t->count--;
        return;
    }
    struct ncs_workload_call end = *t->token[own->group_at].call;
    end.fn = NCS_FN_ncclGroupEnd;
    add_token(r, rank, NCS_STEP_GROUP_END, &end);
}

static void reader_open_group(struct reader *r, int rank, uint64_t group, const struct ncs_workload_call *first)
{
    struct reader_rank *own = &r->rank[rank];
    if (own->group == group)
        return;
    if (group) { /* the next outermost group: the one before is over */
        int depth = own->depth;
        own->depth = 0;
        reader_close_group(r, rank);
        own->depth = depth;
    } else {
        reader_close_group(r, rank);
        return;
    }
    own->group = group;
    own->group_at = r->of[rank].count;
    /* The place of its first call stands for the group: records have no other. */
    add_token(r, rank, NCS_STEP_GROUP, &(struct ncs_workload_call){ .fn = NCS_FN_ncclGroupStart, .family = -1, .dtype = -1, .op = -1,
                                                              .partner = -1, .place = first->place });
}

/* ---- statements ---- */

/* Takes over the text. call: NULL = a step of the host. */
static void reader_add_text(struct reader *r, int rank, const struct ncs_call *call, char *text, int partner)
{
    const void *stream = call ? ncs_call_stream(call) : NULL;
    struct ncs_workload_call c = { .fn = call ? call->fn : NCS_FN_COUNT, .family = -1, .dtype = -1, .op = -1, .partner = partner };
    if (call && call->comm >= 0)
        c.family = r->family_of[call->comm];
    if (call && ncs_fn_info[call->fn].counted)
        c.stream = reader_stream(&r->rank[rank], stream);
    c.place = ncs_workload_intern_place(r->job, text);
    ncs_free(text);
    if (call)
        reader_follow(r, call, rank);
    reader_open_group(r, rank, call ? call->group : 0, &(struct ncs_workload_call){ .place = call ? reader_place(r, call) : NULL });
    add_token(r, rank, NCS_STEP_TEXT, &c);
}

static void read_host(struct reader *r, const struct ncs_host_step *step)
{
    char *text;
    if (!r->hosts || step->thread != 0 || step->rank < 0 || step->rank >= r->job->ranks || step->in_vain || step->unique_id ||
        !(text = ncs_workload_host_text(step, r->job->ranks)))
        return;
    reader_add_text(r, step->rank, NULL, text, -1);
    r->rank[step->rank].blocked = (step->kind == NCS_HOST_BARRIER || step->kind == NCS_HOST_GET) && !step->over;
}

/* ---- calls ---- */

static bool can_be_made(const struct ncs_call *call)
{
    return ncs_call_is_collective(call) || ncs_call_is_pair(call);
}

static void reader_leave_out(struct reader *r, const struct ncs_call *call)
{
    if (r->left_out++ == 0)
        r->first_left_out = ncs_fn_info[call->fn].name;
    if (call->returned && call->rc != 0 && call->rc != ncclInProgress)
        r->refused++;
    else
        r->lost[call->fn]++;
}

/* The partner of a call, a rank of its communicator, as a rank of the job. */
static int partner_of(const struct reader *r, const struct ncs_call *call)
{
    const struct ncs_comm_info *info = r->journal->comm[call->comm];
    int partner = ncs_call_is_pair(call) ? ncs_call_peer(call) : ncs_call_root(call);
    if (partner < 0 || partner >= info->members)
        return -1;
    return r->shared && ncs_comm_is_shared(info) ? partner : info->member[partner].rank;
}

/* A scenario has to say what the record does not. */
static void invent(struct ncs_workload_call *c)
{
    if (c->dtype < 0)
        c->dtype = ncclFloat32;
    if (c->unsaid & NCS_UNSAID_COUNT && c->count == 0)
        c->count = 16;
    if (c->unsaid & NCS_UNSAID_KIND)
        c->op = ncclSum;
}

static void read_counted(struct reader *r, const struct ncs_call *call, int rank)
{
    int op = ncs_call_op(call);
    struct ncs_workload_call c = {
        .fn = call->fn, .family = r->family_of[call->comm], .count = ncs_call_count(call), .dtype = ncs_call_dtype(call),
        .op = op >= ncclNumOps ? ncclSum : op, .partner = partner_of(r, call), .unsaid = call->unsaid,
        .stream = reader_stream(&r->rank[rank], ncs_call_stream(call)), .place = reader_place(r, call) };
    bool paired = ncs_call_is_pair(call) || ncs_call_root(call) >= 0;
    invent(&c);
    if (c.family < 0 || (paired && c.partner < 0)) {
        reader_leave_out(r, call);
        return;
    }
    reader_follow(r, call, rank);
    reader_open_group(r, rank, call->group, &c);
    add_token(r, rank, NCS_STEP_CALL, &c);
    r->rank[rank].newest = call;
}

/* A put, a signal, or a wait for signals. */
static void read_signal(struct reader *r, const struct ncs_call *call, int rank)
{
    const struct ncs_comm_info *info = r->journal->comm[call->comm];
    size_t count = 0;
    const ncclWaitSignalDesc_t *wait = ncs_call_waits(call, &count);
    int peer = wait && count == 1 ? wait->peer : wait ? -1 : ncs_call_peer(call), partner = -1;
    if (peer >= 0 && peer < info->members)
        partner = r->shared && ncs_comm_is_shared(info) ? peer : info->member[peer].rank;
    char *text = r->family_of[call->comm] >= 0 && (partner >= 0 || count > 1)
                     ? ncs_workload_signal_text(call, reader_stream(&r->rank[rank], ncs_call_stream(call)) > 0)
                     : NULL;
    if (!text) {
        reader_leave_out(r, call);
        return;
    }
    r->puts += call->fn == NCS_FN_ncclPutSignal;
    reader_add_text(r, rank, call, text, partner);
    r->rank[rank].newest = call;
}

/* A call that the library refused. The rank may go on. */
static void read_failed(struct reader *r, const struct ncs_call *call, int rank)
{
    bool fits = ncs_fn_info[call->fn].counted && !call->faulted && (call->comm < 0 || r->family_of[call->comm] >= 0);
    int nranks = call->comm >= 0 ? r->journal->comm[call->comm]->nranks : 0;
    char *text = fits ? ncs_workload_failed_text(call, nranks, r->rank[rank].has_ended) : NULL;
    r->rank[rank].failed = text != NULL;
    if (text)
        reader_add_text(r, rank, call, text, -1);
    else
        reader_leave_out(r, call);
}

/* A rank that gets no memory may go another way than the others. */
static void read_failed_of_cuda(struct reader *r, const struct ncs_call *call, int rank)
{
    const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES);
    if (call->fn != NCS_FN_cudaMalloc || call->faulted || !bytes)
        return;
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "pcall(cuda.buffer, \"int8\", %llu)", (unsigned long long)bytes->u);
    reader_add_text(r, rank, NULL, ncs_str_take(&text), -1);
}

static uint64_t event_key(const struct ncs_call *call, int rank)
{
    return ncs_hash(ncs_map_key(ncs_call_arg(call, NCS_ARG_EVENT)->p), (uint64_t)rank);
}

static bool is_of_event(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].records || call->fn == NCS_FN_cudaStreamWaitEvent || call->fn == NCS_FN_cudaEventSynchronize;
}

static void add_event_text(struct reader *r, const struct ncs_call *call, int rank, const char *text, size_t event)
{
    struct ncs_workload_call c = { .fn = call->fn, .family = -1, .count = event, .dtype = -1, .op = -1, .partner = -1,
                                   .place = ncs_workload_intern_place(r->job, text) };
    if (ncs_fn_info[call->fn].at[NCS_ARG_STREAM])
        c.stream = reader_stream(&r->rank[rank], ncs_call_stream(call));
    reader_close_group(r, rank);
    add_token(r, rank, NCS_STEP_TEXT, &c);
}

/* Records for which no call waits are left out. The scenario uses an event again once the last wait for it was made: so rounds of
 * a loop use the same events. */
static void read_event(struct reader *r, const struct ncs_call *call, int rank)
{
    struct reader_rank *own = &r->rank[rank];
    uint64_t key = event_key(call, rank);
    if (ncs_fn_info[call->fn].records) {
        size_t event = 0, last = ncs_map_number(&r->last_wait, call->id);
        ncs_map_put_number(&r->recorded, key, (size_t)call->id);
        while (event < EVENTS_MOST && own->event[event])
            event++;
        if (last && event < EVENTS_MOST) {
            own->event[event] = last;
            ncs_map_put_number(&r->event_of, call->id, event + 1);
            add_event_text(r, call, rank, NCS_TEXT_EVENT ":record(" NCS_TEXT_STREAM ")", event);
        } else if (last) {
            r->lost[call->fn]++;
        }
        return;
    }
    size_t record = ncs_map_number(&r->recorded, key), event = record ? ncs_map_number(&r->event_of, record) : 0;
    if (event == 0)
        return;
    bool of_stream = call->fn == NCS_FN_cudaStreamWaitEvent;
    add_event_text(r, call, rank, of_stream ? NCS_TEXT_STREAM ":wait(" NCS_TEXT_EVENT ")" : NCS_TEXT_EVENT ":sync()", event - 1);
    if (own->event[event - 1] == call->id)
        own->event[event - 1] = 0;
}

/* Joins that clash with earlier ones came last. */
static bool init_clashes(struct reader *r, const struct ncs_call *call)
{
    const union ncs_arg *nranks = ncs_call_arg(call, NCS_ARG_NRANKS), *own = ncs_call_arg(call, NCS_ARG_RANK);
    uint64_t key = ncs_hash(ncs_hash((uint64_t)call->comm + 1, 0), own ? (uint64_t)own->i : 0);
    bool again = ncs_map_number(&r->made, key) > 0;
    ncs_map_put_number(&r->made, key, 1);
    return again || (nranks && nranks->i != r->journal->comm[call->comm]->nranks);
}

static void read_init(struct reader *r, const struct ncs_call *call, int rank)
{
    char *text = ncs_workload_init_text(call, rank, r->job->ranks);
    if (text && !r->has_id[call->comm]) {
        struct ncs_str set = { 0 };
        ncs_str_addf(&set, "store:set(\"id %d\", nccl.unique_id())", call->comm + 1);
        r->has_id[call->comm] = true;
        reader_add_text(r, rank, NULL, ncs_str_take(&set), -1);
    }
    if (text && init_clashes(r, call))
        reader_add_text(r, rank, NULL, ncs_copy_text("sleep(1)"), -1);
    if (text)
        reader_add_text(r, rank, call, text, -1);
    else
        reader_leave_out(r, call);
}

static void reader_wait(struct reader *r, const struct ncs_call *call, int rank)
{
    bool of_stream = call->fn == NCS_FN_cudaStreamSynchronize;
    reader_follow(r, call, rank);
    reader_close_group(r, rank);
    add_token(r, rank, NCS_STEP_SYNC, &(struct ncs_workload_call){
        .fn = of_stream ? call->fn : NCS_FN_cudaDeviceSynchronize, .family = -1, .dtype = -1, .op = -1, .partner = -1,
        .stream = of_stream ? reader_stream(&r->rank[rank], ncs_call_stream(call)) : 0,
        .place = reader_place(r, call) });
}

/* A call that frees a communicator, if the program makes it before its end. */
static void read_end(struct reader *r, const struct ncs_call *call, int rank)
{
    struct ncs_workload_call c = { .fn = call->fn, .family = r->family_of[call->comm], .dtype = -1, .op = -1, .partner = -1,
                              .place = reader_place(r, call) };
    reader_close_group(r, rank);
    r->rank[rank].has_ended |= c.family >= 0;
    if (c.family >= 0)
        add_token(r, rank, NCS_STEP_CALL, &c);
}

static bool reader_ends_comm(const struct ncs_call *call)
{
    return call->comm >= 0 && (ncs_fn_info[call->fn].ends == NCS_ENDS_COMM || call->fn == NCS_FN_ncclCommFinalize);
}

/* The rank that has the communicator's handle: a helper thread of a program, such as a watchdog, may be of no rank. */
static int rank_of_handle(const struct reader *r, const struct ncs_call *call)
{
    const struct ncs_comm_info *info = call->comm >= 0 ? r->journal->comm[call->comm] : NULL;
    bool known = info && call->comm_rank >= 0 && call->comm_rank < info->members && info->member[call->comm_rank].rank >= 0;
    return known ? info->member[call->comm_rank].rank : call->rank;
}

/* The rank of the job that makes the call; -1 = it is not known. */
static int reader_rank(struct reader *r, const struct ncs_call *call)
{
    if (!r->shared) /* who joins may pass the number of another */
        return ncs_fn_info[call->fn].joins == NCS_JOINS_ONE ? call->rank : rank_of_handle(r, call);
    const void *stream = ncs_call_stream(call);
    if (call->comm < 0)
        return stream ? (int)ncs_map_number(&r->rank_of, ncs_map_key(stream)) - 1 : -1;
    int rank = ncs_journal_rank_of(r->journal, call);
    if (ncs_fn_info[call->fn].counted && stream && rank >= 0)
        ncs_map_put_number(&r->rank_of, ncs_map_key(stream), (size_t)rank + 1);
    return rank;
}

/* ---- what ranks wait in besides calls with data ---- */

static bool makes_of_comm(const struct ncs_call *call)
{
    return call->comm >= 0 && (call->fn == NCS_FN_ncclCommSplit || call->fn == NCS_FN_ncclCommWindowRegister);
}

/* Calls of several ranks that are one: the first of each, the second, .... */
static uint64_t waited_key(struct ncs_map *made, const struct ncs_call *call)
{
    uint64_t of_comm = ncs_hash((uint64_t)call->comm + 1, (uint64_t)call->fn), of_rank = ncs_hash(of_comm, (uint64_t)call->comm_rank + 1);
    size_t nth = ncs_map_number(made, of_rank) + 1;
    ncs_map_put_number(made, of_rank, nth);
    return ncs_hash(of_comm, nth);
}

/* Calls after which a communicator is another. */
static bool changes_comm(const struct ncs_call *call)
{
    return call->fn == NCS_FN_ncclCommRevoke || call->fn == NCS_FN_ncclCommSuspend || call->fn == NCS_FN_ncclCommResume;
}

static bool call_has_ended_well(const struct ncs_call *call)
{
    return call->returned && (call->rc == 0 || call->rc == ncclInProgress);
}

static bool comm_is_whole(const struct ncs_comm_info *info)
{
    for (int i = 0; i < info->members; i++)
        if (info->member[i].rank < 0 || info->nranks != info->members)
            return false;
    return true;
}

/* Finds the last wait for each record of an event, and numbers the streams: those of calls of NCCL come first. */
static void find_event(struct reader *r, const struct ncs_call *call)
{
    int rank = rank_of_handle(r, call);
    bool known = rank >= 0 && rank < r->job->ranks && !call->opening && !call->ending && !r->shared;
    if (known && ((ncs_fn_info[call->fn].counted && call->comm >= 0) || call->fn == NCS_FN_cudaStreamSynchronize))
        reader_stream(&r->rank[rank], ncs_call_stream(call));
    if (!known || !is_of_event(call) || !call->returned || call->rc != 0)
        return;
    uint64_t key = event_key(call, rank);
    if (ncs_fn_info[call->fn].records)
        ncs_map_put_number(&r->recorded, key, (size_t)call->id);
    else if (ncs_map_number(&r->recorded, key))
        ncs_map_put_number(&r->last_wait, ncs_map_number(&r->recorded, key), (size_t)call->id);
}

/* Finds the calls that make communicators and windows and in which a rank stands: these become steps; all others are made at the
 * begin of the scenario. */
static void find_waits(struct reader *r)
{
    const struct ncs_journal *journal = r->journal;
    struct ncs_map made = { 0 };
    r->stuck = ncs_new((journal->comms + 1) * sizeof *r->stuck);
    r->has_id = ncs_new((journal->comms + 1) * sizeof *r->has_id);
    r->used = ncs_new((journal->comms + 1) * sizeof *r->used);
    for (const struct ncs_call *call = journal->oldest; call; call = call->newer)
        find_event(r, call);
    for (const struct ncs_call *call = journal->oldest; call; call = call->newer) {
        if (call->opening || call->ending || call->withdrawn || call->comm < 0 || r->shared)
            continue;
        bool well = call_has_ended_well(call);
        if (makes_of_comm(call)) {
            uint64_t key = waited_key(&made, call);
            if (!well)
                ncs_map_put_number(&r->waited, key, 1);
            r->used[call->comm] |= !well;
        } else if (ncs_fn_info[call->fn].joins == NCS_JOINS_ONE && (!well || (call->rc && !comm_is_whole(journal->comm[call->comm])))) {
            r->stuck[call->comm] = true;
        }
    }
    ncs_map_free(&made);
    ncs_map_free(&r->recorded);
    for (const struct ncs_host_step *step = journal->oldest_host; step; step = step->newer)
        r->hosts |= step->thread == 0 && !step->over && (step->kind == NCS_HOST_BARRIER || step->kind == NCS_HOST_GET);
}

static bool waited_for(struct reader *r, const struct ncs_call *call)
{
    return makes_of_comm(call) && !r->shared && ncs_map_number(&r->waited, waited_key(&r->made, call)) > 0 &&
           r->family_of[call->comm] >= 0;
}

/* Calls without a step on which an ending may depend. */
static bool may_matter(const struct ncs_call *call)
{
    static const enum ncs_fn those[] = {
        NCS_FN_cudaStreamWaitEvent, NCS_FN_cudaStreamAddCallback, NCS_FN_cudaLaunchHostFunc, NCS_FN_cudaEventSynchronize,
        NCS_FN_cudaStreamEndCapture, NCS_FN_cudaDeviceReset, NCS_FN_ncclCommShrink, NCS_FN_ncclCommGrow, NCS_FN_ncclCommInitAll,
        NCS_FN_ncclCommRevoke, NCS_FN_ncclCommSuspend, NCS_FN_ncclCommResume, NCS_FN_ncclRedOpCreatePreMulSum };
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if (those[i] == call->fn)
            return true;
    return false;
}

static void read_call(struct reader *r, const struct ncs_call *call)
{
    int rank = reader_rank(r, call);
    if (rank < 0 || rank >= r->job->ranks || call->opening || call->ending || call->withdrawn)
        return;
    r->rank[rank].blocked = !call->returned;
    r->rank[rank].failed &= !ncs_fn_info[call->fn].counted;
    bool of_nccl = ncs_fn_info[call->fn].lib == NCS_LIB_NCCL; /* a query of CUDA's that finds nothing is no loss */
    bool failed = call->returned && call->rc != 0 && !(of_nccl && call->rc == ncclInProgress);
    if (call->thread == 0 && call->fn == NCS_FN_ncclGroupStart)
        r->rank[rank].depth++;
    else if (call->thread == 0 && call->fn == NCS_FN_ncclGroupEnd && r->rank[rank].depth > 0)
        r->rank[rank].depth--;
    else if (call->comm >= 0 && r->stuck[call->comm] && ncs_fn_info[call->fn].joins == NCS_JOINS_ONE)
        read_init(r, call, rank);
    else if (waited_for(r, call) || (!failed && changes_comm(call) && call->comm >= 0 && r->family_of[call->comm] >= 0))
        reader_add_text(r, rank, call, ncs_workload_collective_text(call), -1);
    else if (failed && of_nccl)
        read_failed(r, call, rank);
    else if (failed)
        read_failed_of_cuda(r, call, rank);
    else if (ncs_fn_info[call->fn].counted && call->comm >= 0 && ncs_call_is_one_sided(call))
        read_signal(r, call, rank);
    else if (ncs_fn_info[call->fn].counted && call->comm >= 0)
        can_be_made(call) ? read_counted(r, call, rank) : reader_leave_out(r, call);
    else if (call->fn == NCS_FN_cudaStreamSynchronize || call->fn == NCS_FN_cudaDeviceSynchronize)
        reader_wait(r, call, rank);
    else if (is_of_event(call) && call->returned && !r->shared)
        read_event(r, call, rank);
    else if (ncs_fn_info[call->fn].lib == NCS_LIB_CUDA && !call->returned)
        reader_wait(r, call, rank); /* cudaFree, say: the host waits for the device */
    else if (reader_ends_comm(call))
        read_end(r, call, rank);
    else if (may_matter(call))
        r->lost[call->fn]++;
}

static bool has_shared(const struct ncs_journal *journal)
{
    for (size_t i = 0; i < journal->comms; i++)
        if (ncs_comm_is_shared(journal->comm[i]))
            return true;
    return false;
}

/* ---- the whole ---- */

static bool waits_at_its_end(const struct ncs_workload_tokens *t)
{
    return t->count > 0 && t->token[t->count - 1].kind == NCS_STEP_SYNC;
}

/* The rank's newest call with data; SIZE_MAX = none. */
static size_t newest_counted(const struct ncs_workload_tokens *t)
{
    size_t at = t->count;
    while (at > 0 && (t->token[at - 1].kind != NCS_STEP_CALL || t->token[at - 1].call->dtype < 0))
        at--;
    return at ? at - 1 : SIZE_MAX;
}

static void add_statement(struct reader *r, int rank, enum ncs_step_kind kind, const char *text)
{
    add_token(r, rank, kind, &(struct ncs_workload_call){ .fn = NCS_FN_COUNT, .family = -1, .dtype = -1, .op = -1, .partner = -1,
                                                          .place = ncs_workload_intern_place(r->job, text) });
}

/* Puts the newest token before the one at `at`. */
static void move_token(struct ncs_workload_tokens *t, size_t at)
{
    struct ncs_workload_token token = t->token[t->count - 1];
    memmove(&t->token[at + 1], &t->token[at], (t->count - 1 - at) * sizeof token);
    t->token[at] = token;
}

/* The newest call is made on memory that is too small: then its wait fails. */
static void end_by_illegal_access(struct reader *r, int rank)
{
    struct ncs_workload_tokens *t = &r->of[rank];
    size_t at = newest_counted(t);
    if (at == SIZE_MAX)
        return;
    struct ncs_workload_call c = *t->token[at].call;
    char *text = ncs_workload_illegal_text(&c);
    c.place = ncs_workload_intern_place(r->job, text);
    c.dtype = c.op = -1;
    ncs_free(text);
    add_token(r, rank, NCS_STEP_TEXT, &c);
    t->token[at] = t->token[--t->count];
}

/* The rank aborts while its newest call, for which it has not waited, may be in progress. */
static bool stands_before_abort(const struct ncs_workload_tokens *t)
{
    size_t at = newest_counted(t);
    return at != SIZE_MAX && at + 1 < t->count && t->token[at + 1].call->fn == NCS_FN_ncclCommAbort;
}

/* The host of a rank that has made calls waits for them; a record of NCCL's calls alone does not show it. */
static void end_rank(struct reader *r, int rank)
{
    struct ncs_workload_tokens *t = &r->of[rank];
    const char *last = r->source->last ? r->source->last[rank] : NULL;
    bool illegal = last && strcmp(last, NCS_LAST_ILLEGAL_ACCESS) == 0;
    bool fault = last && strncmp(last, NCS_LAST_FAULT, strlen(NCS_LAST_FAULT)) == 0;
    bool refused = last && r->rank[rank].failed && t->count > 0 && strncmp(last, "error(", 6) == 0;
    reader_close_group(r, rank);
    if (illegal)
        end_by_illegal_access(r, rank);
    if (fault && newest_counted(t) != SIZE_MAX) {
        size_t at = newest_counted(t);
        add_statement(r, rank, NCS_STEP_TEXT, last);
        move_token(t, at);
    }
    if (stands_before_abort(t)) {
        size_t at = newest_counted(t);
        struct ncs_workload_call c = { .fn = t->token[at].call->fn, .family = -1, .dtype = -1, .op = -1, .partner = -1,
                                       .stream = t->token[at].call->stream,
                                       .place = ncs_workload_intern_place(r->job, NCS_TEXT_STREAM ":delay(60)") };
        add_token(r, rank, NCS_STEP_TEXT, &c);
        move_token(t, at);
    }
    if (refused && t->token[t->count - 1].kind == NCS_STEP_TEXT) {
        struct ncs_str checked = { 0 };
        struct ncs_workload_call c = *t->token[t->count - 1].call;
        ncs_str_addf(&checked, "C.check(%s)", c.place);
        c.place = ncs_workload_intern_place(r->job, checked.text);
        t->count--;
        add_token(r, rank, NCS_STEP_TEXT, &c);
        ncs_str_free(&checked);
    } else if (last && !illegal && !fault) {
        add_statement(r, rank, NCS_STEP_LAST, last);
    } else if (t->count > 0 && !waits_at_its_end(t) && (illegal || t->token[t->count - 1].call->dtype >= 0)) {
        add_token(r, rank, NCS_STEP_SYNC, &(struct ncs_workload_call){ .fn = NCS_FN_cudaDeviceSynchronize, .family = -1, .dtype = -1,
                                                                .op = -1, .partner = -1 });
    }
}

/* The arguments with which the rank would make the step as others do; NULL = it would not. */
static const struct ncs_workload_call *as_others(const struct ncs_workload *job, const struct ncs_workload_step *step, int rank)
{
    for (int r = 0; r < job->ranks; r++) {
        const struct ncs_workload_call *c = step->of[r];
        if (!c || step->kind == NCS_STEP_LAST || step->kind == NCS_STEP_TEXT || step->kind == NCS_STEP_GROUP || step->kind == NCS_STEP_GROUP_END)
            continue;
        if (c->family < 0 || (!ncs_fn_info[c->fn].pair && job->family[c->family].comm[rank] >= 0 &&
                              job->family[c->family].comm[rank] == job->family[c->family].comm[r]))
            return c;
    }
    return NULL;
}

/* In a record all calls have returned: a rank whose newest call is not over waits for it. */
static void find_blocked(struct reader *r)
{
    const struct ncs_snapshot *s = r->source->snapshot;
    for (size_t i = 0; s && i < s->parts; i++) {
        const struct ncs_call *call = s->part[i].call;
        if (call && s->part[i].state <= NCS_PART_MATCHED && call->rank >= 0 && call->rank < r->job->ranks &&
            r->rank[call->rank].newest == call)
            r->rank[call->rank].blocked = true;
    }
}

/* What a rank would do behind the call in which it waits is in no record: it does as the others. The run does not come so far,
 * but a trial of a repair does. */
static void go_on_as_others(struct reader *r)
{
    struct ncs_workload *job = r->job;
    for (int rank = 0; rank < job->ranks; rank++) {
        size_t last = job->steps;
        while (last > 0 && !job->step[last - 1]->of[rank])
            last--;
        for (size_t i = last; r->rank[rank].blocked && i < job->steps; i++)
            job->step[i]->of[rank] = as_others(job, job->step[i], rank);
    }
}

static void note_losses(struct reader *r, int threads)
{
    if (r->shared)
        ncs_workload_lose(r->job, "the process that has several devices: each device is a rank");
    if (threads)
        ncs_workload_lose(r->job, "the threads of a rank: one thread makes its calls");
    if (r->refused)
        ncs_workload_lose(r->job, "%zu call%s that NCCL refused", r->refused, r->refused == 1 ? "" : "s");
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (r->lost[fn])
            ncs_workload_lose(r->job, "%zu call%s of %s", r->lost[fn], r->lost[fn] == 1 ? "" : "s", ncs_fn_info[fn].name);
}

static void note_limits(struct reader *r)
{
    int threads = 0;
    for (int i = 0; i < r->job->ranks; i++)
        threads += r->rank[i].threads;
    if (r->left_out)
        ncs_workload_note(r->job, "%zu call%s left out, the first is %s: only collectives, sends, receives and waits are kept",
                     r->left_out, r->left_out == 1 ? " is" : "s are", r->first_left_out);
    if (r->puts)
        ncs_workload_note(r->job, "%zu put%s written as signals: the data that puts move are not kept", r->puts, r->puts == 1 ? " is" : "s are");
    if (threads)
        ncs_workload_note(r->job, "the calls of all threads of a rank are made by one thread, in the order of the record");
    note_losses(r, threads);
    if (r->journal->dropped)
        ncs_workload_lose(r->job, "the first %llu calls", (unsigned long long)r->journal->dropped);
    if (r->journal->dropped)
        ncs_workload_note(r->job, "the first %llu calls are missing: the record was too long to be kept",
                     (unsigned long long)r->journal->dropped);
}

static bool workload_has_calls(const struct ncs_workload *job)
{
    for (size_t i = 0; i < job->steps; i++)
        if (job->step[i]->kind == NCS_STEP_CALL || job->step[i]->kind == NCS_STEP_TEXT)
            return true;
    return false;
}

bool ncs_workload_read(struct ncs_workload *job, const struct ncs_workload_source *source)
{
    struct reader r = { .job = job, .source = source, .journal = source->journal };
    const struct ncs_journal *journal = source->journal;
    int ranks = source->ranks;
    *job = (struct ncs_workload){ .ranks = ranks };
    r.of = ncs_new((size_t)ranks * sizeof *r.of);
    r.rank = ncs_new((size_t)ranks * sizeof *r.rank);
    r.shared = has_shared(journal);
    find_waits(&r);
    ncs_workload_read_comms(job, journal, r.used, &r.family_of);
    const struct ncs_host_step *host = journal->oldest_host;
    for (const struct ncs_call *call = journal->oldest; call; call = call->newer) {
        for (; host && host->after < call->id; host = host->newer)
            read_host(&r, host);
        read_call(&r, call);
    }
    for (; host; host = host->newer)
        read_host(&r, host);
    for (int i = 0; i < ranks; i++)
        end_rank(&r, i);
    ncs_workload_merge(job, r.of);
    find_blocked(&r);
    go_on_as_others(&r);
    note_limits(&r);
    for (int i = 0; i < ranks; i++)
        ncs_free(r.of[i].token);
    ncs_free(r.of);
    ncs_free(r.rank);
    ncs_free(r.family_of);
    ncs_free(r.stuck);
    ncs_free(r.has_id);
    ncs_free(r.used);
    ncs_map_free(&r.waited);
    ncs_map_free(&r.made);
    ncs_map_free(&r.last_wait);
    ncs_map_free(&r.recorded);
    ncs_map_free(&r.event_of);
    ncs_map_free(&r.text_of);
    ncs_map_free(&r.rank_of);
    return workload_has_calls(job);
}
