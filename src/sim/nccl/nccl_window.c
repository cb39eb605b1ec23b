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
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    if (sim_cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    if (sim_current_gpu(c)->fault)
        return sim_cuda_failed_in_nccl(c, sim_current_gpu(c)->fault);
    if (!ptr)
        return sim_cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    if (size == 0) {
        *ptr = NULL;
        return ncclSuccess;
    }
    int error = sim_memory_new_by_nccl(c->process, c->device, size, ptr);
    return error ? sim_cuda_failed_in_nccl(c, error) : ncclSuccess;
}

/* Memory of cudaMalloc goes back to CUDA. */
static struct allocation *registered_base(const struct context *c, const void *p)
{
    struct allocation *a = sim_memory_at(c->process, p);
    return a && a->kind == MEMORY_DEVICE ? a : NULL;
}

ncclResult_t sim_ncclMemFree(void *ptr)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    if (sim_cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    if (!ptr)
        return ncclSuccess;
    struct allocation *a = registered_base(c, ptr);
    if (!a)
        return sim_cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    struct gpu *gpu = sim_process_gpu(c->process, a->device);
    sim_gpu_wait(c, gpu);
    if (c->cancelled)
        return ncclSuccess;
    a = registered_base(c, ptr); /* another thread may have freed it meanwhile */
    if (!a)
        return sim_cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    sim_memory_free(a);
    return gpu->fault ? sim_cuda_failed_in_nccl(c, gpu->fault) : ncclSuccess;
}

/* ---- registration ---- */

ncclResult_t sim_ncclCommRegister(ncclComm_t comm, void *buff, size_t size, void **handle)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    if (!sim_env_registers()) {
        if (handle)
            *handle = NULL;
        return ncclSuccess;
    }
    int rc = sim_comm_check(comm, "ncclCommRegister", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    if (!handle) {
        sim_crash("it writes to the handle, which is NULL");
        return ncclInvalidArgument;
    }
    rc = sim_cuda_refusal_in_nccl(c);
    if (!rc && cr->checks)
        rc = sim_check_pointers(cr, &(struct check_call){ .name = "ncclCommRegister", .pair = true, .send = buff }, true);
    if (rc)
        return rc;
    const struct allocation *a = sim_memory_find(buff);
    if ((!a || !sim_memory_is_of(c->process, a)) && sim_version_does(DOES_REFUSE_HOST_REGISTER))
        return sim_cuda_failed_in_nccl(c, cudaErrorInvalidValue);
    *handle = sim_registration_take(cr, buff, size);
    return ncclSuccess;
}

ncclResult_t sim_ncclCommDeregister(ncclComm_t comm, void *handle)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, "ncclCommRegister", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = sim_comm_ready(cr);
    if (rc || !handle)
        return rc;
    if (sim_registration_drop(cr, handle))
        return ncclSuccess;
    sim_warn("Deregister: Could not find handle");
    return ncclInvalidUsage;
}

/* ---- windows ---- */

static int bad_extent(const void *buff, size_t size)
{
    sim_warn("%sinvalid pointer %s / size %zu",
             sim_version_does(DOES_CUT_WINDOW_TEXT) ? "" : "ncclCommWindowRegister: ", LOG_POINTER(sim_memory_address(buff)),
             size);
    return ncclInvalidArgument;
}

static int crash_of_window(const char *what)
{
    sim_crash(what);
    return ncclInvalidArgument;
}

/* Up to 2.27 the window is set to NULL before anything is looked at, and a program that switches registration off gets
 * no further (NCCL 2.27.5, src/register/register.cc). */
static int check_old_window(ncclComm_t comm, const void *buff, size_t size, ncclWindow_t *win, bool *done)
{
    static const char no_window[] = "it writes to the window, which is NULL", no_comm[] = "the communicator is NULL";
    *done = true;
    if (sim_version_does(DOES_LEAVE_WINDOW)) {
        if (!buff || size == 0)
            return ncclSuccess; /* *win stays what it was */
        if (!comm || !win)
            return crash_of_window(comm ? no_window : no_comm);
        if (!sim_env_has_windows())
            return ncclSuccess;
    } else {
        if (!win)
            return crash_of_window(no_window);
        *win = NULL;
        if (!sim_env_has_windows())
            return ncclSuccess;
        if (!comm)
            return crash_of_window(no_comm);
        if (!buff || size == 0)
            return ncclSuccess;
    }
    *done = false;
    return ncclSuccess;
}

/* Sets *queue when there is something to register. */
static int check_window(ncclComm_t comm, const void *buff, size_t size, ncclWindow_t *win, struct comm_rank **cr, bool *queue)
{
    bool done = false;
    *queue = false;
    int rc = sim_version_does(DOES_CHECK_WINDOW) ? ncclSuccess : check_old_window(comm, buff, size, win, &done);
    if (done)
        return rc;
    rc = sim_comm_check(comm, "ncclCommWindowRegister", cr);
    if (rc)
        return rc;
    if (!win) {
        sim_warn("ncclCommWindowRegister : win argument is NULL");
        return ncclInvalidArgument;
    }
    *win = NULL;
    if (!buff || size == 0)
        return bad_extent(buff, size);
    if (!sim_comm_has_windows(*cr))
        return ncclSuccess;
    *queue = true;
    return ncclSuccess;
}

ncclResult_t sim_ncclCommWindowRegister(ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win, int winFlags)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    bool queue;
    if (!sim_version_does(DOES_CHECK_WINDOW) && sim_cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    int rc = check_window(comm, buff, size, win, &cr, &queue);
    if (rc || !queue)
        return rc; /* not recorded in an open group */
    sim_group_begin(c);
    rc = sim_comm_ready(cr);
    if (!rc)
        rc = sim_group_add_job(c, sim_job_window(cr, buff, size, winFlags, win), cr);
    if (rc && rc != ncclInProgress)
        sim_comm_fail(comm, rc);
    return sim_group_leave(c, rc);
}

ncclResult_t sim_ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t win)
{
    struct context *c = sim_context_enter();
    if (c && !sim_version_does(DOES_END_NO_WINDOW) && sim_cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    if (!c || (!sim_version_does(DOES_CHECK_WINDOW) && !win))
        return ncclSuccess;
    struct comm_rank *cr;
    if (!sim_version_does(DOES_CHECK_WINDOW) && !comm) {
        sim_crash("the communicator is NULL");
        return ncclInvalidArgument;
    }
    int rc = sim_comm_check(comm, "ncclCommWindowDeregister", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = sim_comm_ready(cr);
    if (rc || !win)
        return rc;
    struct window *w = cr->comm ? sim_window_find(cr, win) : NULL;
    if (!w && !sim_version_does(DOES_END_NO_WINDOW)) /* the handle is an address of the host's (NCCL 2.27.5) */
        return crash_of_window("the window is not one of this communicator's");
    if (!w) {
        sim_warn("Device object does not exist in shadow pool.");
        sim_explain("win is not a window of this communicator");
        return ncclInternalError;
    }
    sim_window_end(w, cr);
    return ncclSuccess;
}

ncclResult_t sim_ncclWinGetUserPtr(ncclComm_t comm, ncclWindow_t win, void **outUserPtr)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, "ncclWinGetUserPtr", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    if (!outUserPtr) {
        sim_warn("ncclWinGetUserPtr : outUserPtr argument is NULL");
        return ncclInvalidArgument;
    }
    *outUserPtr = NULL;
    if (!sim_comm_has_windows(cr))
        return ncclSuccess;
    if (!win) {
        sim_warn("ncclWinGetUserPtr : win argument is NULL");
        return ncclInvalidArgument;
    }
    struct window *w = cr->comm ? sim_window_find(cr, win) : NULL;
    if (!w) {
        sim_warn("Device object does not exist in shadow pool.");
        sim_explain("win is not a window of this communicator");
        return ncclInternalError;
    }
    *outUserPtr = sim_window_base(w, cr);
    return ncclSuccess;
}
