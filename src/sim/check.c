#include "sim/check.h"

#include <stddef.h>
#include <strings.h>

#include "base/mem.h"
#include "sim/comm.h"
#include "sim/environment.h"
#include "sim/launch.h"
#include "sim/memory.h"
#include "sim/version.h"
#include "sim/window.h"
#include "sim/world.h"

enum check_mode check_mode_now(void)
{
    const char *mode = nccl_does(DOES_CHECK_MODE) ? env_text(ENV_CHECK_MODE) : NULL;
    if (mode)
        return strcasecmp(mode, "DEBUG_GLOBAL") == 0  ? CHECK_GLOBAL
               : strcasecmp(mode, "DEBUG_LOCAL") == 0 ? CHECK_LOCAL
                                                      : CHECK_NONE;
    return env_is(ENV_CHECK_POINTERS, 1) ? CHECK_LOCAL : CHECK_NONE;
}

static int check_pointer(const struct comm_rank *cr, const void *p, const char *what,
                         const char *name)
{
    const struct allocation *a = p ? memory_find(p) : NULL;
    if (!a || a->process != cr->process) {
        nccl_warn("%s : %s is not a valid pointer", name, what);
        return ncclInvalidArgument;
    }
    if (a->kind == MEMORY_DEVICE && a->device != cr->gpu->device) {
        nccl_warn("%s : %s allocated on device %d mismatchs with NCCL device %d", name, what,
                  a->device, cr->gpu->device); /* NCCL's spelling */
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

int check_pointers(const struct comm_rank *cr, const struct check_call *call, bool root)
{
    if (call->pair)
        return check_pointer(cr, call->send ? call->send : call->recv, "buff", call->name);
    int rc = call->broadcast && !root ? ncclSuccess
                                      : check_pointer(cr, call->send, "sendbuff", call->name);
    if (!rc && !(call->reduce && !root))
        rc = check_pointer(cr, call->recv, "recvbuff", call->name);
    return rc;
}

struct exchange {
    uint32_t nth;
    int told, asked;
    bool differs;
    struct window_place send, recv; /* as the first one told */
};

static struct exchange *find_exchange(struct comm *comm, uint32_t nth)
{
    for (size_t i = 0; i < comm->exchanges; i++)
        if (comm->exchange[i].nth == nth)
            return &comm->exchange[i];
    NCS_PUSH(comm->exchange, comm->exchanges, comm->exchanges_room, (struct exchange){ .nth = nth });
    return &comm->exchange[comm->exchanges - 1];
}

static bool same_place(struct window_place a, struct window_place b)
{
    return a.window == b.window && a.offset == b.offset;
}

void check_tell(const struct part *p, uint32_t nth)
{
    struct window_place send = window_place(p->cr, p->send), recv = window_place(p->cr, p->recv);
    struct exchange *e = find_exchange(p->cr->comm, nth);
    if (e->told++ == 0) {
        e->send = send;
        e->recv = recv;
    }
    e->differs |= !same_place(e->send, send) || !same_place(e->recv, recv);
}

bool check_alike(const struct part *p, uint32_t nth)
{
    struct comm *comm = p->cr->comm;
    struct exchange *e = find_exchange(comm, nth);
    bool alike = !e->differs;
    if (++e->asked == p->cr->nranks)
        *e = comm->exchange[--comm->exchanges];
    return alike;
}
