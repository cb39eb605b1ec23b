/* NCCL's memory, registrations and windows. */
#include "sim/comm/comm.h"
#include "sim/comm/group.h"
#include "sim/comm/registration.h"
#include "sim/comm/window.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/version.h"

/* ---- memory ---- */

ncclResult_t sim_ncclMemAlloc(void **ptr, size_t size)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    if (cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    if (current_gpu(c)->fault)
        return cuda_failed_in_nccl(c, current_gpu(c)->fault);
    if (!ptr)
        return cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    if (size == 0) {
        *ptr = NULL;
        return ncclSuccess;
    }
    int error = memory_new_by_nccl(c->process, c->device, size, ptr);
    return error ? cuda_failed_in_nccl(c, error) : ncclSuccess;
}

/* Memory of cudaMalloc goes back to CUDA. */
static struct allocation *find_base(const struct context *c, const void *p)
{
    struct allocation *a = memory_at(c->process, p);
    return a && a->kind == MEMORY_DEVICE ? a : NULL;
}

ncclResult_t sim_ncclMemFree(void *ptr)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    if (cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    if (!ptr)
        return ncclSuccess;
    struct allocation *a = find_base(c, ptr);
    if (!a)
        return cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    struct gpu *gpu = process_gpu(c->process, a->device);
    gpu_wait(c, gpu);
    if (c->cancelled)
        return ncclSuccess;
    a = find_base(c, ptr); /* another thread may have freed it meanwhile */
    if (!a)
        return cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    memory_free(a);
    return gpu->fault ? cuda_failed_in_nccl(c, gpu->fault) : ncclSuccess;
}

/* ---- registration ---- */

ncclResult_t sim_ncclCommRegister(ncclComm_t comm, void *buff, size_t size, void **handle)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    if (!env_registers()) {
        if (handle)
            *handle = NULL;
        return ncclSuccess;
    }
    int rc = comm_check(comm, "ncclCommRegister", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = comm_ready(cr);
    if (rc)
        return rc;
    if (!handle) {
        nccl_crash("it writes to the handle, which is NULL");
        return ncclInvalidArgument;
    }
    rc = cuda_refusal_in_nccl(c);
    if (!rc && cr->checks)
        rc = check_pointers(cr, &(struct check_call){ .name = "ncclCommRegister", .pair = true,
                                                      .send = buff }, true);
    if (rc)
        return rc;
    const struct allocation *a = memory_find(buff);
    if ((!a || a->process != c->process) && nccl_does(DOES_REFUSE_HOST_REGISTER))
        return cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    *handle = registration_take(cr, buff, size);
    return ncclSuccess;
}

ncclResult_t sim_ncclCommDeregister(ncclComm_t comm, void *handle)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = comm_check(comm, "ncclCommRegister", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = comm_ready(cr);
    if (rc || !handle)
        return rc;
    if (registration_drop(cr, handle))
        return ncclSuccess;
    nccl_warn("Deregister: Could not find handle");
    return ncclInvalidUsage;
}

/* ---- windows ---- */

static int bad_extent(const void *buff, size_t size)
{
    bool named = sim_world.options.nccl_version < NCCL_VERSION(2, 30, 7);
    nccl_warn("%sinvalid pointer %s / size %zu", named ? "ncclCommWindowRegister: " : "",
              LOG_POINTER(memory_address(buff)), size);
    return ncclInvalidArgument;
}

/* Sets *queue when there is something to register. */
static int check_window(ncclComm_t comm, const void *buff, size_t size, ncclWindow_t *win,
                        struct comm_rank **cr, bool *queue)
{
    bool checks = nccl_does(DOES_CHECK_WINDOW);
    *queue = false;
    if (!checks && (!buff || size == 0))
        return ncclSuccess; /* *win stays what it was */
    if (!checks && (!comm || !win)) {
        nccl_crash(comm ? "it writes to the window, which is NULL" : "the communicator is NULL");
        return ncclInvalidArgument;
    }
    int rc = comm_check(comm, "ncclCommWindowRegister", cr);
    if (rc)
        return rc;
    if (!win) {
        nccl_warn("ncclCommWindowRegister : win argument is NULL");
        return ncclInvalidArgument;
    }
    *win = NULL;
    if (!buff || size == 0)
        return bad_extent(buff, size);
    if (!comm_has_windows(*cr))
        return ncclSuccess;
    *queue = true;
    return ncclSuccess;
}

ncclResult_t sim_ncclCommWindowRegister(ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win,
                                        int winFlags)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    bool queue;
    if (!nccl_does(DOES_CHECK_WINDOW) && cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    int rc = check_window(comm, buff, size, win, &cr, &queue);
    if (rc || !queue)
        return rc; /* not recorded in an open group */
    group_begin(c);
    rc = comm_ready(cr);
    if (!rc)
        rc = group_add_job(c, window_job(cr, buff, size, winFlags, win), cr);
    if (rc && rc != ncclInProgress)
        comm_fail(comm, rc);
    return group_leave(c, rc);
}

ncclResult_t sim_ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t win)
{
    struct context *c = context_enter();
    if (!c || (!nccl_does(DOES_CHECK_WINDOW) && !win))
        return ncclSuccess;
    struct comm_rank *cr;
    if (!nccl_does(DOES_CHECK_WINDOW) && !comm) {
        nccl_crash("the communicator is NULL");
        return ncclInvalidArgument;
    }
    int rc = comm_check(comm, "ncclCommWindowDeregister", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = comm_ready(cr);
    if (rc || !win)
        return rc;
    struct window *w = cr->comm ? window_find(cr, win) : NULL;
    if (!w) {
        nccl_warn("Device object does not exist in shadow pool.");
        nccl_explain("win is no window of this communicator");
        return ncclInternalError;
    }
    window_end(w, cr);
    return ncclSuccess;
}

ncclResult_t sim_ncclWinGetUserPtr(ncclComm_t comm, ncclWindow_t win, void **outUserPtr)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = comm_check(comm, "ncclWinGetUserPtr", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = comm_ready(cr);
    if (rc)
        return rc;
    if (!outUserPtr) {
        nccl_warn("ncclWinGetUserPtr : outUserPtr argument is NULL");
        return ncclInvalidArgument;
    }
    *outUserPtr = NULL;
    if (!comm_has_windows(cr))
        return ncclSuccess;
    if (!win) {
        nccl_warn("ncclWinGetUserPtr : win argument is NULL");
        return ncclInvalidArgument;
    }
    struct window *w = cr->comm ? window_find(cr, win) : NULL;
    if (!w) {
        nccl_warn("Device object does not exist in shadow pool.");
        nccl_explain("win is no window of this communicator");
        return ncclInternalError;
    }
    *outUserPtr = window_base(w, cr);
    return ncclSuccess;
}
