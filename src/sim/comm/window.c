#include "sim/comm/window.h"

#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/snapshot.h"
#include "sim/data/memory.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/log.h"
#include "sim/settings/version.h"

#define WINDOW_PAGE (2 * 1024 * 1024)

/* One rank's memory in a window; its address is the rank's handle. */
struct side {
    char *base;
    size_t bytes;
    int flags;
    bool arrived;           /* its rank has called */
    bool live;              /* registered, and not yet deregistered */
    struct window_job *job; /* the job that waits; NULL = none */
};

struct window {
    struct comm *comm;
    uint64_t number;
    int arrived, ended; /* sides that have arrived; that have ended */
    size_t puts;        /* on their way */
    struct side side[];
};

struct window_job {
    struct job job;
    struct side wanted; /* base, bytes and flags of the call */
    ncclWindow_t *out;
    struct window *window; /* NULL until it has checked in */
};

bool sim_comm_has_windows(const struct comm_rank *cr)
{
    (void)cr; /* every GPU of the machine has symmetric memory */
    return sim_env_has_windows();
}

bool sim_comm_has_rma(const struct comm_rank *cr)
{
    return sim_comm_has_windows(cr) && cr->config.value[CONFIG_NUM_RMA_CTX] > 0;
}

static size_t window_bytes(const struct comm *comm)
{
    return sizeof(struct window) + (size_t)comm->nranks * sizeof(struct side);
}

/* The n-th window of a rank, from 1, is the n-th window of all others. */
static struct window *find_or_make(struct comm *comm, uint64_t n)
{
    struct window *w = ncs_map_get(&comm->windows, n);
    if (!w) {
        w = sim_new(window_bytes(comm));
        w->comm = comm;
        w->number = n;
        ncs_map_put(&comm->windows, n, w);
    }
    return w;
}

/* The errors that NCCL finds on its own rank when it looks up the physical memory
 * behind the buffer. */
static int window_check_memory(const struct comm_rank *cr, const char *p, size_t bytes)
{
    const struct allocation *a = sim_memory_find(p);
    bool found = a && a->process == cr->process && a->by_nccl;
    /* The mapping of an allocation fills whole pages (NCCL 2.30.7, ncclCuMemGetAddressRange in src/include/alloc.h). */
    size_t mapped = found ? (a->bytes + WINDOW_PAGE - 1) / WINDOW_PAGE * WINDOW_PAGE : 0;
    if (!found || (size_t)(p - a->base) + bytes > mapped) {
        sim_warn_on(cr->gpu, "Cuda failure 1 'invalid argument'"); /* of the driver API */
        return ncclUnhandledCudaError;
    }
    if ((size_t)(p - a->base) % NCCL_WIN_REQUIRED_ALIGNMENT != 0 && sim_version_does(DOES_ALIGN_WINDOW)) {
        sim_warn_on(cr->gpu, "Window address must be suitably aligned.");
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

/* Up to 2.27 memory of cudaMalloc that does not fill whole pages of 2 MiB is left out without an error, and without a word
 * to the other ranks (NCCL 2.27.5, src/register/register.cc). Memory of ncclMemAlloc fills them. */
static bool window_is_left_out(const struct window_job *j)
{
    const struct comm_rank *cr = j->job.about;
    const char *p = j->wanted.base;
    const struct allocation *a = sim_memory_find(p);
    if (sim_version_does(DOES_ALIGN_WINDOW) || !a || a->process != cr->process || a->by_nccl || a->bytes % WINDOW_PAGE == 0)
        return false;
    sim_warn_on(cr->gpu,
                "buffer %s (baseAddr %s align 1) size %zu (baseSize %zu align 0) does not satisfy symmetric "
                "registration requirements",
                LOG_POINTER(sim_memory_address(p)), LOG_POINTER(sim_memory_address(a->base)), j->wanted.bytes, a->bytes);
    *j->out = NULL;
    return true;
}

static void window_complete(struct window *w)
{
    w->comm->windowed = true;
    for (int i = 0; i < w->comm->nranks; i++) {
        w->side[i].live = true;
        if (w->side[i].job)
            sim_job_mark(&w->side[i].job->job);
    }
}

static void window_check_in(struct window_job *j)
{
    struct comm_rank *cr = j->job.about;
    struct window *w = j->window = find_or_make(cr->comm, ++cr->windows);
    w->side[cr->rank] =
        (struct side){ .base = j->wanted.base, .bytes = j->wanted.bytes, .flags = j->wanted.flags, .arrived = true, .job = j };
    if (++w->arrived == cr->nranks)
        window_complete(w);
}

/* Detaches the job from its window, which may be freed before the job. */
static void window_leave(struct window_job *j)
{
    if (j->window)
        j->window->side[j->job.about->rank].job = NULL;
    j->window = NULL;
}

static bool step_window(struct job *job)
{
    struct window_job *j = (struct window_job *)job;
    struct comm_rank *cr = job->about;
    if (cr->state >= COMM_ABORTED) {
        job->rc = ncclInvalidArgument;
        return true;
    }
    if (!j->window && window_is_left_out(j))
        return true;
    if (!j->window) {
        job->rc = window_check_memory(cr, j->wanted.base, j->wanted.bytes);
        if (job->rc)
            return true; /* the others wait for this rank for ever */
        window_check_in(j);
    }
    if (j->window->arrived < cr->nranks)
        return false;
    *j->out = (ncclWindow_t)(void *)&j->window->side[cr->rank];
    window_leave(j);
    return true;
}

static void free_job(struct job *job)
{
    window_leave((struct window_job *)job);
}

static void describe_window(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    const struct window_job *j = (const struct window_job *)job;
    out->comm_rank = job->about->rank;
    out->nranks = job->about->nranks;
    for (int i = 0; j->window && i < out->nranks; i++)
        if (!j->window->side[i].arrived)
            sim_snapshot_missing(out, snapshot, i);
}

static const struct job_type window_type = {
    .kind = NCS_JOB_WINDOW,
    .bytes = sizeof(struct window_job),
    .step = step_window,
    .free = free_job,
    .describe = describe_window,
};

struct job *sim_job_window(struct comm_rank *cr, void *base, size_t bytes, int flags, ncclWindow_t *out)
{
    struct window_job *j = (struct window_job *)sim_job_about(&window_type, cr);
    j->wanted = (struct side){ .base = base, .bytes = bytes, .flags = flags };
    j->out = out;
    return &j->job;
}

/* ---- registered windows ---- */

/* Walks the list of handles, which are few, so that a wrong handle is never dereferenced. */
struct search {
    const struct comm_rank *cr;
    ncclWindow_t handle;
    const char *p;
    struct window *found;
};

static void match_handle(void *value, void *arg)
{
    struct search *s = arg;
    struct window *w = value;
    const struct side *side = &w->side[s->cr->rank];
    if (side->live && (const void *)s->handle == side)
        s->found = w;
}

static void match_memory(void *value, void *arg)
{
    struct search *s = arg;
    struct window *w = value;
    const struct side *side = &w->side[s->cr->rank];
    if (side->live && side->flags & NCCL_WIN_COLL_SYMMETRIC && s->p >= side->base && (size_t)(s->p - side->base) < side->bytes)
        s->found = w;
}

struct window *sim_window_find(const struct comm_rank *cr, ncclWindow_t handle)
{
    struct search s = { .cr = cr, .handle = handle };
    ncs_map_each(&cr->comm->windows, match_handle, &s);
    return s.found;
}

struct window_place sim_window_place(const struct comm_rank *cr, const void *p)
{
    struct search s = { .cr = cr, .p = p };
    ncs_map_each(&cr->comm->windows, match_memory, &s);
    if (!s.found)
        return (struct window_place){ 0 };
    const struct side *side = &s.found->side[cr->rank];
    return (struct window_place){ s.found->number + 1, (size_t)(s.p - (const char *)side->base) };
}

void *sim_window_base(const struct window *w, const struct comm_rank *cr)
{
    return w->side[cr->rank].base;
}

static void free_unused(struct window *w)
{
    struct comm *comm = w->comm;
    if (w->ended < comm->nranks || w->puts > 0)
        return;
    ncs_map_remove(&comm->windows, w->number);
    sim_free(w, window_bytes(comm));
}

void sim_window_end(struct window *w, const struct comm_rank *cr)
{
    w->side[cr->rank].live = false;
    w->ended++;
    free_unused(w);
}

void sim_window_ref(struct window *w)
{
    w->puts++;
}

void sim_window_unref(struct window *w)
{
    w->puts--;
    free_unused(w);
}

const char *sim_window_target(const struct window *w, int rank, size_t offset, size_t bytes, void **to)
{
    const struct side *side = &w->side[rank];
    if (!side->live)
        return "the peer has deregistered the window that it puts into";
    if (bytes > side->bytes || offset > side->bytes - bytes)
        return "it puts beyond the end of the peer's window";
    if (!sim_memory_reachable(w->comm->member[rank]->process, side->base + offset, bytes))
        return "the peer's window is memory that has been freed";
    *to = side->base + offset;
    return NULL;
}

static void free_window(void *value, void *arg)
{
    sim_free(value, window_bytes(arg));
}

void sim_windows_free(struct comm *comm)
{
    ncs_map_each(&comm->windows, free_window, comm);
    ncs_map_free(&comm->windows);
}
