#define _GNU_SOURCE /* syscall */
/* Writes a call into the rings: one entry, taken by one addition, so that threads do not wait for each other. */
#include "shim/record/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { JOINS = 64, LIST_MOST = 1024 };

/* A call whose new communicator is known only later: at the end of its group, or when its parent has no work left that was
 * started without waiting for it. NCCL writes through the pointer until then, so it is valid until then. */
struct recorder_join {
    struct ncs_recording_call *slot;
    uint64_t seq;
    enum ncs_fn fn;
    bool grouped;
    const void *parent; /* NULL = it has none */
    union ncs_arg arg[NCS_RECORDING_ARGS];
};

/* The thread's own state. The initial-exec model is allowed: a preloaded library has its room from the start on. */
static __thread struct {
    struct recorder_file *file; /* that `thread` is in */
    struct ncs_recording_thread *thread;
    uint64_t last;     /* time of its latest record */
    void *caller;      /* where its latest call returns to */
    int inside, depth; /* calls that have not returned; open groups */
    unsigned lost;     /* calls of a thread that has no entry */
    int joins;
    struct recorder_join *join;
} self __attribute__((tls_model("initial-exec")));

static struct recorder_plan recorder_plans[NCS_FN_COUNT];
static pthread_once_t recorder_once = PTHREAD_ONCE_INIT;
static pthread_key_t recorder_key;

/* Successive records of a thread differ in time, so that their order is known. */
static uint64_t next_time(void)
{
    uint64_t now = ncs_recorder_ticks();
    return self.last = now > self.last ? now : self.last + 1;
}

/* ---- threads ---- */

static void thread_ends(void *thread)
{
    __atomic_store_n(&((struct ncs_recording_thread *)thread)->state, 2, __ATOMIC_RELEASE);
    self.thread = NULL;
    free(self.join);
    self.join = NULL;
    self.joins = 0;
    ncs_recorder_end_lines();
}

static void recorder_prepare(void)
{
    pthread_key_create(&recorder_key, thread_ends);
    for (int i = 0; i < NCS_FN_COUNT; i++)
        ncs_recorder_plan(&recorder_plans[i], (enum ncs_fn)i);
}

/* A thread's entry. Once all are used, those of threads that have ended serve again. */
static struct ncs_recording_thread *take_thread(struct recorder_file *f)
{
    uint32_t room = f->head->area[NCS_RECORDING_THREADS].entries;
    uint32_t at = __atomic_fetch_add(&f->head->threads, 1, __ATOMIC_RELAXED);
    if (at < room)
        return &f->thread[at];
    for (uint32_t i = 0; i < room; i++) {
        uint32_t ended = 2;
        if (__atomic_compare_exchange_n(&f->thread[i].state, &ended, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return &f->thread[i];
    }
    return NULL;
}

static bool recorder_attach(struct recorder_file *f)
{
    if (self.file == f && self.lost && ++self.lost % 1024) /* a look for a free entry costs more than a call may */
        return false;
    pthread_once(&recorder_once, recorder_prepare);
    self.file = f;
    self.depth = self.joins = 0;
    self.thread = take_thread(f);
    if (!self.thread) {
        if (!self.lost)
            __atomic_fetch_add(&f->head->threads_lost, 1, __ATOMIC_RELAXED);
        self.lost += !self.lost;
        return false;
    }
    self.lost = 0;
    self.thread->tid = (uint32_t)syscall(SYS_gettid);
    self.thread->polls = 0;
    self.thread->state = 1;
    pthread_setspecific(recorder_key, self.thread);
    return true;
}

void ncs_recorder_forget_thread(void)
{
    if (self.thread)
        pthread_setspecific(recorder_key, NULL); /* the entry is mapped no more */
    self.thread = NULL;
    self.lost = 0;
}

/* ---- one entry ---- */

static struct ncs_recording_call *recorder_append(struct recorder_file *f, int which, const struct ncs_recording_call *from,
                                                  uint64_t *seq)
{
    uint64_t at = __atomic_fetch_add(&f->head->next[which], 1, __ATOMIC_RELAXED);
    struct ncs_recording_call *slot = &f->ring[which][at & f->mask[which]];
    __atomic_store_n(&slot->seq, 0, __ATOMIC_RELAXED); /* torn, should the process die here */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy((char *)slot + sizeof slot->seq, (const char *)from + sizeof slot->seq, sizeof *slot - sizeof slot->seq);
    __atomic_store_n(&slot->seq, at + 1, __ATOMIC_RELEASE);
    *seq = at + 1;
    return slot;
}

/* Writes a list among the arguments into entries of its own. */
static void append_list(const struct recorder_call *c, int which, bool ended)
{
    uint64_t word[LIST_MOST], seq;
    uint8_t list = 0;
    int words = ncs_recorder_list(c->fn, c->arg, ended, word, LIST_MOST, &list);
    struct ncs_recording_call more = c->thread->now;
    more.kind = NCS_RECORDING_MORE;
    more.list = list;
    for (int from = 0; from < words; from += NCS_RECORDING_ARGS) {
        int part = words - from < NCS_RECORDING_ARGS ? words - from : NCS_RECORDING_ARGS;
        more.number = (uint32_t)(from / NCS_RECORDING_ARGS);
        more.ordinal = (uint32_t)part;
        memcpy(more.arg, word + from, (size_t)part * sizeof *word);
        recorder_append(self.file, which, &more, &seq);
    }
    for (int i = 0; ended && i < words; i++)
        ncs_recorder_new_comm(self.file, word[i]);
}

/* ---- numbers ---- */

static void recorder_count(struct recorder_call *c, const struct recorder_plan *plan, struct ncs_recording_call *now)
{
    c->comm = ncs_recorder_comm(self.file, (uint64_t)(uintptr_t)c->arg[plan->comm].p);
    if (!c->comm)
        return;
    now->number = __atomic_add_fetch(&c->comm->calls, 1, __ATOMIC_RELAXED);
    if (plan->pair)
        c->pair = ncs_recorder_pair(self.file, c->comm, (int)c->arg[plan->peer].i, plan->receives);
    else
        c->collective = plan->count >= 0 && c->arg[plan->count].u > 0;
    if (c->pair)
        now->ordinal = (uint32_t)__atomic_add_fetch(c->pair, 1, __ATOMIC_RELAXED);
    else if (c->collective)
        now->ordinal = __atomic_add_fetch(&c->comm->collectives, 1, __ATOMIC_RELAXED);
}

/* NCCL has refused the call: it keeps its number, and has no place in the sequence. */
static void recorder_reject(const struct recorder_call *c, struct ncs_recording_call *now)
{
    if (c->pair)
        __atomic_sub_fetch(c->pair, 1, __ATOMIC_RELAXED);
    else if (c->collective)
        __atomic_sub_fetch(&c->comm->collectives, 1, __ATOMIC_RELAXED);
    now->ordinal = 0;
}

/* ---- communicators that come later ---- */

static void keep_join(const struct recorder_call *c)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    bool none = info->at[NCS_ARG_COLOR] && c->arg[info->at[NCS_ARG_COLOR] - 1].i == NCCL_SPLIT_NOCOLOR;
    if (!self.join)
        self.join = calloc(JOINS, sizeof *self.join);
    if (!self.join || self.joins == JOINS || none || !c->arg[info->at[NCS_ARG_COMM_OUT] - 1].p)
        return;
    struct recorder_join *join = &self.join[self.joins++];
    *join = (struct recorder_join){ .slot = c->slot, .seq = c->slot->seq, .fn = c->fn, .grouped = self.depth > 0 };
    if (info->at[NCS_ARG_COMM])
        join->parent = c->arg[info->at[NCS_ARG_COMM] - 1].p;
    memcpy(join->arg, c->arg, recorder_plans[c->fn].nargs * sizeof *join->arg);
    if (info->at[NCS_ARG_ID]) /* on the stack of a wrapper that has returned; its hash is written already */
        join->arg[info->at[NCS_ARG_ID] - 1].p = NULL;
}

/* Returns false if the communicator is not there yet. */
static bool fill_join(const struct recorder_join *join, int rc)
{
    int out = ncs_fn_info[join->fn].at[NCS_ARG_COMM_OUT] - 1;
    if (!*(void *const *)join->arg[out].p)
        return false;
    if (join->slot->seq == join->seq) {
        ncs_recorder_take_out(join->slot, join->fn, join->arg, rc);
        ncs_recorder_new_comm(self.file, join->slot->arg[out]);
    }
    return true;
}

/* The outermost group has ended: communicators that are not there yet come with their parents' next success. */
static void fill_group(int rc)
{
    bool ok = rc == ncclSuccess || rc == ncclInProgress;
    int kept = 0;
    for (int i = 0; i < self.joins; i++) {
        struct recorder_join *join = &self.join[i];
        if (join->grouped && (!ok || fill_join(join, rc) || !join->parent))
            continue;
        join->grouped = false;
        self.join[kept++] = *join;
    }
    self.joins = kept;
}

/* NCCL says that nothing is in progress on this communicator. */
static void fill_children(const void *parent)
{
    int kept = 0;
    for (int i = 0; i < self.joins; i++) {
        if (!self.join[i].grouped && self.join[i].parent == parent)
            fill_join(&self.join[i], ncclSuccess);
        else
            self.join[kept++] = self.join[i];
    }
    self.joins = kept;
}

/* ---- groups ---- */

static void follow_group(const struct recorder_call *c, const struct recorder_plan *plan, int rc)
{
    if (c->fn == NCS_FN_ncclGroupStart && rc == ncclSuccess)
        self.depth++;
    else if (plan->closes_group && self.depth > 0 && --self.depth == 0)
        fill_group(rc);
}

/* ---- the two ends ---- */

void ncs_recorder_begin(struct recorder_call *c, enum ncs_fn fn, const union ncs_arg *arg, void *site)
{
    self.caller = site;
    struct recorder_file *f = self.inside++ ? NULL : ncs_recorder_file();
    *c = (struct recorder_call){ .fn = fn, .arg = arg };
    if (!f || ((self.file != f || !self.thread) && !recorder_attach(f)))
        return;
    const struct recorder_plan *plan = &recorder_plans[fn];
    c->thread = self.thread;
    struct ncs_recording_call *now = &self.thread->now;
    uint64_t seq = 0;
    __atomic_store_n(&now->seq, 0, __ATOMIC_RELAXED);
    now->begin = next_time();
    ncs_recorder_keep_time(f->head, now->begin);
    now->ticks = 0;
    now->fn = (uint16_t)fn;
    now->thread = (uint16_t)(self.thread - f->thread);
    now->site = ncs_recorder_site(f, site);
    now->rc = 0;
    now->number = now->ordinal = 0;
    now->kind = NCS_RECORDING_CALL;
    now->depth = self.depth > 255 ? 255 : (uint8_t)self.depth;
    now->list = 0;
    now->device = 0;
    if (plan->stream >= 0 && arg[plan->stream].u <= (uint64_t)(uintptr_t)cudaStreamPerThread)
        now->device = (uint8_t)(ncs_recorder_device() + 1);
    memcpy(now->arg, arg, plan->nargs * sizeof *arg);
    if (plan->special)
        ncs_recorder_take_in(now, fn, arg);
    if (plan->counted)
        recorder_count(c, plan, now);
    if (!plan->looks)
        c->slot = recorder_append(f, !plan->lasting, now, &seq);
    __atomic_store_n(&now->seq, plan->looks ? UINT64_MAX : seq, __ATOMIC_RELEASE);
    if (plan->special)
        append_list(c, !plan->lasting, false);
}

void *ncclscriptRecordCaller(void)
{
    return self.caller;
}

/* True if a query says something that the record does not hold yet: work is done, or NCCL has failed. */
static bool has_news(const struct recorder_call *c, int rc)
{
    if (c->fn != NCS_FN_ncclCommGetAsyncError)
        return rc == 0;
    const ncclResult_t *state = c->arg[1].p;
    return rc == ncclSuccess && state && *state != ncclSuccess && *state != ncclInProgress;
}

static void recorder_finish(struct recorder_call *c, int rc)
{
    const struct recorder_plan *plan = &recorder_plans[c->fn];
    struct ncs_recording_call *now = &c->thread->now;
    bool failed = rc != ncclSuccess && rc != ncclInProgress;
    uint64_t seq = now->seq, end = next_time();
    if (plan->special)
        ncs_recorder_take_out(now, c->fn, c->arg, rc);
    if (plan->counted && failed)
        recorder_reject(c, now);
    now->rc = (int16_t)rc;
    now->ticks = (float)(end - now->begin);
    if (plan->looks && !has_news(c, rc)) {
        c->thread->polls++;
    } else if (plan->looks) {
        recorder_append(self.file, 1, now, &seq);
    } else if (__atomic_load_n(&c->slot->seq, __ATOMIC_ACQUIRE) == seq) { /* not overwritten meanwhile */
        if (plan->special || failed)
            memcpy((char *)c->slot + sizeof seq, (char *)now + sizeof seq, sizeof *now - sizeof seq);
        c->slot->rc = now->rc;
        c->slot->ticks = now->ticks;
    }
    if (plan->special)
        append_list(c, !plan->lasting, true);
    if (plan->lasting && !failed && ncs_fn_info[c->fn].at[NCS_ARG_COMM_OUT]) {
        uint64_t made = now->arg[ncs_fn_info[c->fn].at[NCS_ARG_COMM_OUT] - 1];
        if (made)
            ncs_recorder_new_comm(self.file, made);
        else
            keep_join(c);
    }
    if (self.joins && c->fn == NCS_FN_ncclCommGetAsyncError && rc == ncclSuccess && c->arg[1].p &&
        *(const ncclResult_t *)c->arg[1].p == ncclSuccess)
        fill_children(c->arg[0].p);
    const unsigned char *at = ncs_fn_info[c->fn].at;
    if (!failed && plan->lasting && at[NCS_ARG_RANK] && at[NCS_ARG_ID])
        ncs_recorder_name_file(self.file->head, now->arg[at[NCS_ARG_ID] - 1], (int)c->arg[at[NCS_ARG_RANK] - 1].i);
    follow_group(c, plan, rc);
}

void ncs_recorder_end(struct recorder_call *c, int rc)
{
    if (c->thread && c->thread == self.thread) /* in a child after fork() it is not */
        recorder_finish(c, rc);
    self.inside--;
}
