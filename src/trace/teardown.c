/* What the end of a communicator waits for on real hardware, by the journal: first for the rank's own work on it, then for
 * the ranks of other processes of the host that have not ended it, then for all work of the devices whose memory it frees.
 * The last rank of a process ends for all of its ranks, and the others return at once (NCCL 2.30.7: commReclaim in
 * src/init.cc; sim/comm/teardown.c). NCCL reports none of this: what a rank waits for is concluded
 * (trace/README.md, rule 13). */
#include "base/mem.h"
#include "trace/replay.h"

static void teardown_find_seats(struct played *p, const struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->contexts; i++)
        if (s->context[i].rank >= 0 && (size_t)s->context[i].rank >= p->seats)
            p->seats = (size_t)s->context[i].rank + 1;
    p->seat = ncs_new(p->seats * sizeof *p->seat);
    for (size_t i = 0; i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        if (c->rank < 0)
            continue;
        p->seat[c->rank].process = c->process;
        p->seat[c->rank].host = c->host;
        p->seat[c->rank].lost |= c->ending == NCS_END_LOST;
    }
}

static struct played_seat teardown_seat(const struct played *p, int rank)
{
    return rank >= 0 && (size_t)rank < p->seats ? p->seat[rank] : (struct played_seat){ 0 };
}

static bool lets_go(const struct ncs_call *c)
{
    bool failed = c->returned && c->rc != ncclSuccess && c->rc != ncclInProgress;
    return !failed &&
           (ncs_fn_info[c->fn].ends == NCS_ENDS_COMM || c->fn == NCS_FN_ncclCommFinalize || c->fn == NCS_FN_ncclCommRevoke);
}

/* By rank of the communicator: true if it has ended it, or has begun to, which closes its connections. The caller frees
 * the array. */
static bool *teardown_ended(const struct ncs_journal *j, const struct ncs_comm_info *info)
{
    bool *ended = ncs_new((size_t)info->members * sizeof *ended);
    for (int r = 0; r < info->members; r++)
        ended[r] = info->member[r].gone != 0;
    for (const struct ncs_call *c = j->oldest; c; c = c->newer)
        if (c->comm == info->number && c->comm_rank >= 0 && c->comm_rank < info->members && lets_go(c))
            ended[c->comm_rank] = true;
    return ended;
}

/* A revoke has joined the thread that a destroy waits for otherwise. */
static bool teardown_is_revoked(const struct ncs_journal *j, const struct ncs_call *call)
{
    const struct ncs_call *c = j->oldest;
    while (c && !(c->fn == NCS_FN_ncclCommRevoke && c->comm == call->comm && c->comm_rank == call->comm_rank && lets_go(c)))
        c = c->newer;
    return c != NULL;
}

static bool has_own_work(const struct played *p, const struct ncs_call *call)
{
    for (size_t i = 0; i < p->launches; i++) {
        const struct ncs_call *of = p->launch[i].call;
        if (!p->launch[i].done && of->comm == call->comm && of->comm_rank == call->comm_rank)
            return true;
    }
    return false;
}

/* True if the call is the last one of its process that ends the communicator: only this one waits. */
static bool is_last_of_process(const struct played *p, const struct ncs_comm_info *info, const bool *ended, int process)
{
    for (int r = 0; r < info->members; r++)
        if (!ended[r] && teardown_seat(p, info->member[r].rank).process == process)
            return false;
    return true;
}

static void teardown_add_missing(const struct played *p, struct ncs_snapshot *s, const struct ncs_comm_info *info,
                                 const bool *ended, struct played_seat here, struct ncs_snap_job *job)
{
    s->missing = ncs_resize(s->missing, (s->missings + (size_t)info->members) * sizeof *s->missing);
    for (int r = 0; r < info->members; r++) {
        struct played_seat seat = teardown_seat(p, info->member[r].rank);
        if (!ended[r] && seat.host == here.host && seat.process && seat.process != here.process && !seat.lost)
            s->missing[s->missings++] = r;
    }
    job->misses = s->missings - job->miss;
}

static bool frees_on(const struct played *p, const struct ncs_comm_info *info, int process, int device)
{
    for (int r = 0; r < info->members; r++)
        if (info->member[r].device == device && teardown_seat(p, info->member[r].rank).process == process)
            return true;
    return false;
}

/* Work behind other work is not what holds the device, nor is what an abort ends. */
static void teardown_add_work(struct played *p, struct ncs_snapshot *s, const struct ncs_comm_info *info, int process,
                              struct ncs_snap_job *job)
{
    for (size_t i = 0; i < p->launches; i++) {
        const struct played_launch *l = &p->launch[i];
        if (l->done || l->device < 0 || (job->kind == NCS_JOB_ABORT && l->call->comm == info->number) ||
            !ncs_replay_is_reached(p, l) || teardown_seat(p, l->call->rank).process != process ||
            !frees_on(p, info, process, l->device))
            continue;
        struct ncs_snap_wait wait = { NCS_WAIT_OP, (int)l->shown - 1 };
        NCS_PUSH(s->wait, s->waits, p->wait_room, wait);
        job->waits++;
    }
}

static bool add_teardown(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s, const struct ncs_snap_context *c,
                         const struct ncs_call *call)
{
    bool destroys = call->fn == NCS_FN_ncclCommDestroy;
    if ((!destroys && call->fn != NCS_FN_ncclCommAbort) || call->comm < 0 || call->comm_rank < 0 || call->ending ||
        (destroys && has_own_work(p, call)))
        return false;
    const struct ncs_comm_info *info = j->comm[call->comm];
    struct played_seat here = teardown_seat(p, c->rank);
    struct ncs_snap_job job = { .kind = destroys ? NCS_JOB_DESTROY : NCS_JOB_ABORT,
                                .call = call,
                                .rank = c->rank,
                                .comm_rank = call->comm_rank,
                                .nranks = info->nranks,
                                .miss = s->missings,
                                .peer = -1,
                                .wait = s->waits,
                                .concluded = true };
    bool *ended = teardown_ended(j, info);
    bool last = is_last_of_process(p, info, ended, here.process);
    if (last && destroys && !teardown_is_revoked(j, call))
        teardown_add_missing(p, s, info, ended, here, &job);
    if (last && !job.misses)
        teardown_add_work(p, s, info, here.process, &job);
    ncs_free(ended);
    if (!job.misses && !job.waits)
        return false;
    ncs_call_pin((struct ncs_call *)call);
    s->job[s->jobs++] = job;
    return true;
}

bool ncs_infer_teardown(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s, const struct ncs_snap_context *c,
                        const struct ncs_call *call)
{
    if (!c->process || j->dropped > 0)
        return false;
    if (!p->seat)
        teardown_find_seats(p, s);
    return add_teardown(p, j, s, c, call);
}
