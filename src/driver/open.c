/* Opens a driver by name. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "driver/dry_run.h"
#include "driver/far/far.h"
#include "driver/real.h"

static const char *const names[] = { "sim", "nccl", NULL };

static struct ncs_library library[2];
static struct ncs_api functions;
static bool opened;

const struct ncs_library *ncs_driver_libraries(void)
{
    return library;
}

int ncs_driver_devices(const struct ncs_api *api, const char **why)
{
    int count = 0;
    cudaError_t rc = api->cudaGetDeviceCount(&count);
    *why = NULL;
    if (rc == cudaSuccess)
        return count;
    if (api->cudaGetLastError)
        api->cudaGetLastError(); /* the script starts without an error */
    /* The CUDA runtime returns cudaErrorInsufficientDriver both for a missing and for an outdated driver. */
    int driver = 1;
    if (rc == cudaErrorInsufficientDriver && api->cudaDriverGetVersion && api->cudaDriverGetVersion(&driver) == cudaSuccess &&
        driver == 0)
        *why = "no CUDA driver is installed";
    else if (api->cudaGetErrorString)
        *why = api->cudaGetErrorString(rc);
    if (!*why)
        *why = "cudaGetDeviceCount fails";
    return -1;
}

const struct ncs_api *ncs_driver_real_api(void)
{
    return &functions;
}

bool ncs_driver_load(const struct ncs_driver_choice *choice, struct ncs_error *err)
{
    for (int i = 0; i < 2; i++)
        ncs_library_forget(&library[i]);
    functions = (struct ncs_api){ 0 };
    return ncs_library_open(&library[0], NCS_LIB_NCCL, choice->nccl_lib, &functions, err) &&
           ncs_library_open(&library[1], NCS_LIB_CUDA, choice->cudart_lib, &functions, err);
}

static bool has_devices(struct ncs_error *err)
{
    const char *why;
    char nccl[24], cuda[24];
    int devices = ncs_driver_devices(&functions, &why);
    if (devices > 0)
        return true;
    ncs_library_version(&library[0], nccl, sizeof nccl);
    ncs_library_version(&library[1], cuda, sizeof cuda);
    ncs_fail(err, NCS_NO_DEVICE, "driver nccl: NCCL %s and CUDA runtime %s are here, but no GPU: %s", nccl, cuda,
             why ? why : "no CUDA-capable device is detected");
    return ncs_fail_hint(err, "see `ncclscript doctor`; --driver sim needs no GPU");
}

/* Ranks that share a GPU wait for each other inside kernels, so their kernels must run side by side. Each
 * stream needs a queue of its own, and no kernel may be loaded at its first launch, because loading waits
 * for running kernels. With CUDA's defaults a ring of five ranks on one H100 hangs (measured: NCCL 2.30.7,
 * CUDA 13.0). CUDA reads these variables when it starts; values that the user has set stay. */
static void let_kernels_run_together(void)
{
    const char *shares = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    if (opened || !shares || strcmp(shares, "1") != 0)
        return;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

static const struct ncs_driver *open_nccl(const struct ncs_driver_choice *choice, struct ncs_error *err)
{
    let_kernels_run_together();
    if (!opened && !(ncs_driver_load(choice, err) && has_devices(err)))
        return NULL;
    opened = true;
    return ncs_driver_real(&functions);
}

bool ncs_driver_lead(const struct ncs_driver_job *job, struct ncs_error *err)
{
    if (job->ranks > 0 && job->place[job->ranks - 1].process > FAR_PROCESSES_MOST)
        return ncs_fail(err, NCS_BAD_INPUT, "a run has at most %d processes", FAR_PROCESSES_MOST + 1);
    far_set_places(job);
    return ncs_real_lead(job->team, err);
}

void ncs_driver_follow(const void *handle)
{
    far_at(far_process_of(handle));
}

bool ncs_driver_fetch(void *to, const void *from, size_t bytes)
{
    if (far_process_of(from) == 0)
        return false;
    if (!far_read(from, to, bytes))
        memset(to, 0, bytes);
    return true;
}

int ncs_driver_all_devices(int here)
{
    return far_is_on() ? far_places.gpus : here;
}

int ncs_driver_serve(struct ncs_team *team, struct ncs_error *err)
{
    return ncs_real_serve(&functions, team, err);
}

const struct ncs_driver *ncs_driver_open(const struct ncs_driver_choice *choice, struct ncs_error *err)
{
    if (strcmp(choice->name, "sim") == 0)
        return &ncs_driver_sim;
    if (strcmp(choice->name, "dry-run") == 0)
        return ncs_driver_dry_run();
    if (strcmp(choice->name, "nccl") == 0)
        return open_nccl(choice, err);
    ncs_fail(err, NCS_BAD_INPUT, "no driver \"%s\": expected sim or nccl", choice->name);
    ncs_fail_near(err, choice->name, names, 0);
    return NULL;
}
