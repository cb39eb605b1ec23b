/* A run laid out by hand for the tests of the diagnosis: a journal, a snapshot, notices, and what
 * is asserted of the findings. */
#ifndef NCS_TESTS_UNIT_DIAGNOSE_LAB_H
#define NCS_TESTS_UNIT_DIAGNOSE_LAB_H

#include "harness.h"

#include <stdarg.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "diagnose/finding.h"
#include "ncclscript/nccl_abi.h"

enum { MOST = 32, X = 1, Y = 2 };

static struct ncs_journal *journal;
static struct ncs_local locals[MOST];
static int line;
static char handle_memory[4][MOST];
static struct ncs_notice notice[8];
static size_t notices;
static struct ncs_call *noticed[8][MOST];

static struct ncs_snapshot snap;
static struct ncs_snap_context context[MOST];
static struct ncs_snap_wait waiting[MOST];
static struct ncs_snap_op op[MOST];
static int dep[MOST], member[MOST], missing[MOST];
static struct ncs_snap_part part[MOST];
static struct ncs_snap_meeting meeting[MOST];
static struct ncs_snap_job job[MOST];
static struct ncs_snap_gate gate[MOST];

static struct ncs_diagnosis d;

static inline struct ncs_place where(void *arg)
{
    (void)arg;
    return (struct ncs_place){ "t.lua", line };
}

static void *handle(int comm, int rank)
{
    return &handle_memory[comm][rank];
}

static inline struct ncs_call *enter(int rank, enum ncs_fn fn, int at)
{
    line = at;
    ncs_local = &locals[rank];
    return ncs_journal_enter(journal, fn);
}

static inline struct ncs_call *init_call(int rank, int nranks, char id, int as, int at)
{
    static ncclUniqueId ids[MOST];
    struct ncs_call *c = enter(rank, NCS_FN_ncclCommInitRank, at);
    memset(&ids[rank], 0, sizeof ids[rank]);
    ids[rank].internal[0] = id;
    c->arg[1].i = nranks;
    c->arg[2].p = &ids[rank];
    c->arg[3].i = as;
    ncs_journal_begin(journal, c);
    return c;
}

static inline void join_as(int comm, const char *name, int rank, int nranks, int as)
{
    ncclComm_t out = handle(comm, as);
    struct ncs_call *c = init_call(rank, nranks, (char)('a' + comm), as, 1);
    c->arg[0].p = &out;
    ncs_journal_leave(journal, c, ncclSuccess);
    ncs_journal_name(journal, out, name);
}

static inline void make_comm(int comm, const char *name, int nranks)
{
    for (int r = 0; r < nranks; r++)
        join_as(comm, name, r, nranks, r);
}

static inline void begin_run(int ranks)
{
    journal = ncs_journal_open(1 << 20, false);
    for (int r = 0; r < MOST; r++)
        locals[r] = (struct ncs_local){ .rank = r, .where = where };
    make_comm(0, "world", ranks);
    snap = (struct ncs_snapshot){ .stop = NCS_STOP_QUIET,
                                  .context = context,
                                  .wait = waiting,
                                  .op = op,
                                  .dep = dep,
                                  .part = part,
                                  .meeting = meeting,
                                  .member = member,
                                  .job = job,
                                  .missing = missing,
                                  .gate = gate };
    notices = 0;
}

static inline void end_run(void)
{
    ncs_diagnosis_free(&d);
    ncs_journal_close(journal);
}

static inline void set_arg(struct ncs_call *c, enum ncs_kind kind, int64_t value)
{
    for (int i = 0; i < ncs_fn_info[c->fn].nargs; i++)
        if (ncs_fn_info[c->fn].arg[i].kind == kind)
            c->arg[i].i = value;
}

static inline void set_comm(struct ncs_call *c, void *comm)
{
    for (int i = 0; i < ncs_fn_info[c->fn].nargs; i++)
        if (ncs_fn_info[c->fn].arg[i].kind == NCS_ARG_COMM)
            c->arg[i].p = comm;
}

/* The arguments of a counted call. */
struct what {
    enum ncs_fn fn;
    int64_t count, dtype, root, op; /* root: peer too */
    const char *label;
    int comm, rc;
};

static inline struct ncs_call *make(int rank, struct what w, int at)
{
    struct ncs_call *c;
    locals[rank].label = w.label;
    c = enter(rank, w.fn, at);
    set_comm(c, handle(w.comm, rank));
    set_arg(c, NCS_ARG_COUNT, w.count);
    set_arg(c, NCS_ARG_DTYPE, w.dtype);
    set_arg(c, NCS_ARG_ROOT, w.root);
    set_arg(c, NCS_ARG_PEER, w.root);
    set_arg(c, NCS_ARG_REDOP, w.op);
    ncs_journal_begin(journal, c);
    ncs_journal_leave(journal, c, w.rc);
    locals[rank].label = NULL;
    return c;
}

static inline struct what reduce_of(int64_t count)
{
    return (struct what){ .fn = NCS_FN_ncclAllReduce, .count = count, .dtype = ncclFloat32 };
}

static inline struct what labelled(const char *label)
{
    struct what w = reduce_of(8);
    w.label = label;
    return w;
}

static inline struct what bcast_of(int64_t count, int root)
{
    return (struct what){ .fn = NCS_FN_ncclBroadcast, .count = count, .dtype = ncclFloat32, .root = root };
}

static inline struct what to(int peer, int64_t count)
{
    return (struct what){ .fn = NCS_FN_ncclSend, .count = count, .dtype = ncclFloat32, .root = peer };
}

static inline struct what from(int peer, int64_t count)
{
    struct what w = to(peer, count);
    w.fn = NCS_FN_ncclRecv;
    return w;
}

static inline struct what on(int comm, struct what w)
{
    w.comm = comm;
    return w;
}

static inline struct ncs_call *plain(int rank, enum ncs_fn fn, int comm, int at)
{
    struct ncs_call *c = enter(rank, fn, at);
    set_comm(c, handle(comm, rank));
    ncs_journal_begin(journal, c);
    return c;
}

static inline void finish(struct ncs_call *c)
{
    ncs_local = &locals[c->rank];
    ncs_journal_leave(journal, c, 0);
}

/* ---- snapshot ---- */

static inline int add_context(int rank, enum ncs_context_state state, int at)
{
    context[snap.contexts] =
        (struct ncs_snap_context){ .rank = rank, .state = state, .place = { "t.lua", at }, .wait = snap.waits };
    return (int)snap.contexts++;
}

static inline int ended(int rank, int at)
{
    return add_context(rank, NCS_CONTEXT_ENDED, at);
}

static inline void failed(int rank, int at, const char *message)
{
    int c = ended(rank, at);
    context[c].ending = NCS_END_ERROR;
    context[c].message = (char *)message;
}

static inline int parked(int rank, int at, enum ncs_wait_kind kind, int index)
{
    int c = add_context(rank, NCS_CONTEXT_PARKED, at);
    waiting[snap.waits++] = (struct ncs_snap_wait){ kind, index };
    context[c].waits = 1;
    return c;
}

static inline int syncs(int rank, int at, int index)
{
    int c = parked(rank, at, NCS_WAIT_OP, index);
    context[c].call = enter(rank, NCS_FN_cudaStreamSynchronize, at);
    return c;
}

/* A launch of one call that waits for others at a meeting. */
static inline int launched(const struct ncs_call *c, int at_slot)
{
    part[snap.parts] = (struct ncs_snap_part){ c, at_slot < 0 ? NCS_PART_WAITING : NCS_PART_AT_MEETING, (int)snap.ops, at_slot };
    op[snap.ops] = (struct ncs_snap_op){ .kind = "launch",
                                         .context = -1,
                                         .rank = c->rank,
                                         .call = c,
                                         .state = at_slot < 0 ? NCS_OP_BLOCKED : NCS_OP_ACTIVE,
                                         .part = snap.parts++,
                                         .parts = 1,
                                         .dep = snap.deps };
    return (int)snap.ops++;
}

static inline int behind(const struct ncs_call *c, int before)
{
    int o = launched(c, -1);
    dep[snap.deps++] = before;
    op[o].deps = 1;
    return o;
}

static inline int add_slot(int nranks, bool pair, int src, int dst, enum ncs_stuck stuck)
{
    meeting[snap.meetings] = (struct ncs_snap_meeting){
        .pair = pair, .nranks = nranks, .src = src, .dst = dst, .stuck = stuck, .member = snap.members
    };
    return (int)snap.meetings++;
}

/* The calls meet; returns the operation of the first. */
static inline int meet(int nranks, enum ncs_stuck stuck, size_t calls, struct ncs_call *const *c)
{
    bool pair = c[0]->fn == NCS_FN_ncclSend || c[0]->fn == NCS_FN_ncclRecv;
    bool send = c[0]->fn == NCS_FN_ncclSend;
    int me = c[0]->comm_rank, peer = ncs_call_peer(c[0]);
    int s = add_slot(nranks, pair, send ? me : peer, send ? peer : me, stuck), first = -1;
    for (size_t i = 0; i < calls; i++) {
        int o = launched(c[i], s);
        first = first < 0 ? o : first;
        member[snap.members++] = op[o].part < snap.parts ? (int)op[o].part : 0;
        meeting[s].members++;
    }
    return first;
}

static inline int alone(int nranks, struct ncs_call *c)
{
    return meet(nranks, NCS_STUCK_NO, 1, &c);
}

/* A host that waits for ranks of its communicator, -1 at the end. */
static inline int add_job(enum ncs_job_kind kind, const struct ncs_call *c, int nranks, ...)
{
    va_list list;
    struct ncs_snap_job *j = &job[snap.jobs];
    *j = (struct ncs_snap_job){
        .kind = kind, .call = c, .rank = c->rank, .nranks = nranks, .comm_rank = c->comm_rank, .miss = snap.missings, .peer = -1
    };
    va_start(list, nranks);
    for (int r = va_arg(list, int); r >= 0; r = va_arg(list, int)) {
        missing[snap.missings++] = r;
        j->misses++;
    }
    va_end(list);
    if (kind == NCS_JOB_CONTACT && (c->fn == NCS_FN_ncclSend || c->fn == NCS_FN_ncclRecv)) {
        j->pair = true;
        j->peer = ncs_call_peer(c);
        j->sending = c->fn == NCS_FN_ncclSend;
    }
    if (kind == NCS_JOB_CONTACT)
        part[snap.parts++] = (struct ncs_snap_part){ c, NCS_PART_WAITING, -1, -1 };
    return (int)snap.jobs++;
}

static inline int host_waits(const struct ncs_call *c, int index)
{
    int k = parked(c->rank, c->place.line, NCS_WAIT_JOB, index);
    context[k].call = c;
    return k;
}

static inline int at_gate(int rank, int at, const char *what, const char *key)
{
    gate[snap.gates] = (struct ncs_snap_gate){ what, (char *)key, -1, 0 };
    return parked(rank, at, NCS_WAIT_GATE, (int)snap.gates++);
}

static inline void notify(enum ncs_notice_kind kind, size_t calls, struct ncs_call *const *c, const char *why)
{
    memcpy(noticed[notices], c, calls * sizeof *c);
    notice[notices] = (struct ncs_notice){ .kind = kind, .call = noticed[notices], .calls = calls, .why = (char *)why };
    notices++;
}

/* ---- what is asserted ---- */

static inline const struct ncs_finding *diagnose(void)
{
    ncs_diagnose(journal, &snap, notice, notices, &d);
    for (size_t i = 0; i < d.findings; i++) {
        const struct ncs_finding *f = &d.finding[i];
        bool known = false;
        for (size_t k = 0; ncs_rule_ids[k]; k++)
            known |= strcmp(ncs_rule_ids[k], f->rule) == 0;
        ck_assert_msg(known, "%s is not in ncs_rule_ids", f->rule);
        ck_assert_ptr_nonnull(f->title);
        ck_assert_msg(ncs_sentence_text(f->why) && *ncs_sentence_text(f->why) && ncs_sentence_text(f->fix) &&
                          *ncs_sentence_text(f->fix),
                      "%s: no words", f->rule);
    }
    return d.findings ? d.finding : NULL;
}

static inline bool reported(const char *rule)
{
    for (size_t i = 0; i < d.findings; i++)
        if (strcmp(d.finding[i].rule, rule) == 0)
            return true;
    return false;
}

static inline void same_ranks(const char *what, const int *got, size_t count, va_list list)
{
    size_t i = 0;
    for (int r = va_arg(list, int); r >= 0; r = va_arg(list, int), i++) {
        ck_assert_msg(i < count, "%s: rank %d is missing", what, r);
        ck_assert_msg(got[i] == r, "%s: rank %d where %d is due", what, got[i], r);
    }
    ck_assert_msg(i == count, "%s: %zu ranks too many", what, count - i);
}

static inline void blocked(const struct ncs_finding *f, ...)
{
    va_list list;
    va_start(list, f);
    same_ranks("blocked", f->blocked, f->blockeds, list);
    va_end(list);
}

static inline void bystanders(const struct ncs_finding *f, ...)
{
    va_list list;
    va_start(list, f);
    same_ranks("bystanders", f->bystander, f->bystanders, list);
    va_end(list);
}

static inline void culprits(const struct ncs_finding *f, ...)
{
    va_list list;
    int ranks[MOST];
    for (size_t i = 0; i < f->culprits && i < MOST; i++)
        ranks[i] = f->culprit[i].rank;
    va_start(list, f);
    same_ranks("culprits", ranks, f->culprits, list);
    va_end(list);
}

static inline const struct ncs_finding *only(const char *rule)
{
    const struct ncs_finding *f = diagnose();
    ck_assert_ptr_nonnull(f);
    ck_assert_str_eq(f->rule, rule);
    ck_assert_msg(d.findings == 1, "%zu findings, the second is %s", d.findings, d.findings > 1 ? d.finding[1].rule : "-");
    ck_assert(d.explained);
    return f;
}

static inline bool says(const char *text, const char *part_of_it)
{
    return strstr(text, part_of_it) != NULL;
}

/* Everybody makes `calls` like calls, but `skip` leaves out number `skipped`; the calls that nobody
 * answers meet and their ranks wait. */
static inline void skip_one(int nranks, int calls, int skip, int skipped, const char *const *labels)
{
    struct ncs_call *last[MOST];
    size_t n = 0;
    for (int i = 1; i <= calls; i++)
        for (int r = 0; r < nranks; r++) {
            struct what w = reduce_of(1024);
            w.label = labels ? labels[i - 1] : NULL;
            if (r == skip && i == skipped)
                continue;
            struct ncs_call *c = make(r, w, labels ? 12 : 10 + i);
            if (i == calls && r != skip)
                last[n++] = c;
        }
    meet(nranks, NCS_STUCK_NO, n, last);
    for (int r = 0, o = 0; r < nranks; r++) {
        if (r == skip)
            ended(r, 17);
        else
            syncs(r, 14, o++);
    }
}

#endif
