#include "sim/comm/check.h"

#include <inttypes.h>
#include <stddef.h>
#include <strings.h>

#include "api/types.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/launch.h"
#include "sim/comm/window.h"
#include "sim/data/memory.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/version.h"

enum check_mode sim_check_mode_now(void)
{
    const char *mode = sim_version_does(DOES_CHECK_MODE) ? sim_env_text(ENV_CHECK_MODE) : NULL;
    if (mode)
        return strcasecmp(mode, "DEBUG_GLOBAL") == 0  ? CHECK_GLOBAL
               : strcasecmp(mode, "DEBUG_LOCAL") == 0 ? CHECK_LOCAL
                                                      : CHECK_NONE;
    return sim_env_is(ENV_CHECK_POINTERS, 1) ? CHECK_LOCAL : CHECK_NONE;
}

static int check_pointer(const struct comm_rank *cr, const void *p, const char *what, const char *name)
{
    const struct allocation *a = p ? sim_memory_find(p) : NULL;
    if (!a || !sim_memory_is_of(cr->process, a)) {
        sim_warn("%s : %s %s is not a valid pointer", name, what, LOG_POINTER(sim_memory_address(p)));
        return ncclInvalidArgument;
    }
    if (a->kind == MEMORY_DEVICE && a->device != cr->gpu->device) {
        sim_warn("%s : %s allocated on device %d mismatchs with NCCL device %d", name, what, a->device,
                 cr->gpu->device); /* NCCL's spelling */
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

int sim_check_pointers(const struct comm_rank *cr, const struct check_call *call, bool root)
{
    if (call->pair)
        return check_pointer(cr, call->send ? call->send : call->recv, "buff", call->name);
    int rc = call->broadcast && !root ? ncclSuccess : check_pointer(cr, call->send, "sendbuff", call->name);
    if (!rc && !(call->reduce && !root))
        rc = check_pointer(cr, call->recv, "recvbuff", call->name);
    return rc;
}

struct exchange {
    uint32_t nth;
    int told, asked;
    struct window_place *send, *recv; /* by rank; owned */
};

static struct exchange *exchange_of(struct comm *comm, uint32_t nth)
{
    for (size_t i = 0; i < comm->exchanges; i++)
        if (comm->exchange[i].nth == nth)
            return &comm->exchange[i];
    NCS_PUSH(comm->exchange, comm->exchanges, comm->exchanges_room, (struct exchange){ .nth = nth });
    return &comm->exchange[comm->exchanges - 1];
}

void sim_check_tell(const struct part *p, uint32_t nth)
{
    struct exchange *e = exchange_of(p->cr->comm, nth);
    size_t ranks = (size_t)p->cr->nranks;
    if (e->told++ == 0) {
        e->send = ncs_new(ranks * sizeof *e->send);
        e->recv = ncs_new(ranks * sizeof *e->recv);
    }
    e->send[p->cr->rank] = sim_window_place(p->cr, p->send);
    e->recv[p->cr->rank] = sim_window_place(p->cr, p->recv);
}

static void free_exchange(struct exchange *e)
{
    ncs_free(e->send);
    ncs_free(e->recv);
}

void sim_checks_free(struct comm *comm)
{
    for (size_t i = 0; i < comm->exchanges; i++)
        free_exchange(&comm->exchange[i]);
    ncs_free(comm->exchange);
}

/* The collective in NCCL's warnings: its name and its size on rank 0. */
struct symmetric {
    const struct part *part;
    const char *name;
    size_t bytes;
};

static void warn_unregistered(const struct symmetric *s, const struct exchange *e, int rank)
{
    if (s->part->cr->rank == 0)
        sim_warn_on(s->part->cr->gpu,
                    "Coll %s size %zu symmetric registration check failed on rank %d: sendReg %d "
                    "recvReg %d mismatch with rank 0 sendReg %d recvReg %d",
                    s->name, s->bytes, rank, e->send[rank].window != 0, e->recv[rank].window != 0, e->send[0].window != 0,
                    e->recv[0].window != 0);
}

/* Finds the last rank whose buffer lies elsewhere than rank 0's. NCCL names a different window before a
 * different offset. */
static bool side_agrees(const struct symmetric *s, const struct window_place *at, const char *side)
{
    int window = 0, offset = 0;
    for (int r = 1; r < s->part->cr->nranks; r++) {
        window = at[r].window != at[0].window ? r : window;
        offset = at[r].offset != at[0].offset ? r : offset;
    }
    int rank = window ? window : offset;
    if (rank && s->part->cr->rank == 0)
        sim_warn_on(s->part->cr->gpu,
                    "Coll %s size %zu symmetric registration check failed on rank %d: %s buffer %s "
                    "(0x%" PRIx64 ") mismatch with rank 0 (0x%" PRIx64 ")",
                    s->name, s->bytes, rank, side, window ? "window" : "user offset",
                    window ? at[rank].window : (uint64_t)at[rank].offset, window ? at[0].window : (uint64_t)at[0].offset);
    return !rank;
}

/* The checks of each collective, in NCCL's order (NCCL 2.30.7, src/misc/argcheck.cc). */
static bool sides_agree(const struct symmetric *s, const struct exchange *e)
{
    const struct ncs_fn_info *info = &ncs_fn_info[s->part->fn];
    bool sends = info->reduces && !info->rooted;
    bool receives = !info->rooted && info->reads == NCS_BLOCKS_ONE;
    for (int r = 1; r < s->part->cr->nranks; r++)
        if (!e->send[r].window != !e->send[0].window || !e->recv[r].window != !e->recv[0].window) {
            warn_unregistered(s, e, r);
            return false;
        }
    if (sends && e->send[0].window && !side_agrees(s, e->send, "send"))
        return false;
    return !receives || !e->recv[0].window || side_agrees(s, e->recv, "recv");
}

bool sim_check_alike(const struct part *p, uint32_t nth)
{
    struct comm *comm = p->cr->comm;
    struct exchange *e = exchange_of(comm, nth);
    struct symmetric s = { p, sim_request_name(p->fn), p->count * ncs_dtype_bytes(p->dtype) };
    bool alike = sides_agree(&s, e);
    if (++e->asked == p->cr->nranks) {
        free_exchange(e);
        *e = comm->exchange[--comm->exchanges];
    }
    return alike;
}
