#include "sim/check.h"

#include <stddef.h>
#include <strings.h>

#include "sim/comm.h"
#include "sim/environment.h"
#include "sim/memory.h"
#include "sim/version.h"
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
