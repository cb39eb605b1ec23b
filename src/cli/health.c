/* Examines this machine: tries the simulator, opens the libraries of real runs, asks for the GPUs. */
#define _GNU_SOURCE /* environ */
#include "cli/health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/environ.h"

static bool reduced;

/* One rank makes a communicator, sums a value and checks the sum. */
static void try_simulator(void *arg)
{
    const struct ncs_api *api = arg;
    ncclComm_t comm = NULL;
    float *x = NULL, two = 2, got = 0;
    reduced = api->ncclCommInitAll(&comm, 1, NULL) == ncclSuccess && api->cudaMalloc((void **)&x, sizeof *x) == cudaSuccess &&
              api->cudaMemcpy(x, &two, sizeof two, cudaMemcpyHostToDevice) == cudaSuccess &&
              api->ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, comm, NULL) == ncclSuccess &&
              api->cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess && api->cudaFree(x) == cudaSuccess &&
              api->ncclCommDestroy(comm) == ncclSuccess && got == 2;
}

static const char *simulator_fault(void)
{
    static struct ncs_error err;
    const struct ncs_machine *m = ncs_driver_sim.machine;
    struct ncs_machine_options machine = { .hosts.devices = 1 };
    struct ncs_local local = { .rank = 0 };
    struct ncs_context_options context = {
        .local = &local,
        .main = try_simulator,
        .arg = (void *)ncs_driver_sim.api,
    };
    reduced = false;
    if (!m->open(&machine, &err))
        return err.text;
    const char *fault = NULL;
    if (!m->spawn(&context, &err))
        fault = err.text;
    else if (m->run() != NCS_STOP_DONE || !reduced)
        fault = "an all-reduce of one rank goes wrong";
    m->abandon();
    m->close();
    return fault;
}

/* The user's variables of NCCL are for real runs: one that names an interface of another host fails here, too, and is no fault of
 * the simulator's. */
static const char *simulator_fault_without_variables(void)
{
    char **name = NULL;
    size_t count = 0, room = 0;
    struct run_environ before;
    for (char **v = environ; v && *v; v++)
        if (strncmp(*v, "NCCL_", strlen("NCCL_")) == 0) {
            char *copy = ncs_copy_text(*v);
            copy[strcspn(copy, "=")] = '\0';
            NCS_PUSH(name, count, room, copy);
        }
    run_environ_set(&before, name, count);
    const char *fault = simulator_fault();
    run_environ_restore(&before);
    NCS_FREE_ALL(name, count);
    return fault;
}

/* The id is made of uuid and place: the driver of a virtual machine may leave one of them empty. */
static void health_name_device(struct ncs_health_device *d, const struct cudaDeviceProp *p)
{
    unsigned char uuid[16];
    char *at = d->id;
    memcpy(uuid, &p->uuid, sizeof uuid);
    for (size_t i = 0; i < sizeof uuid; i++)
        at += sprintf(at, "%02x", uuid[i]);
    snprintf(at, sizeof d->id - 2 * sizeof uuid, ".%x:%x:%x", (unsigned)p->pciDomainID, (unsigned)p->pciBusID,
             (unsigned)p->pciDeviceID);
    snprintf(d->name, sizeof d->name, "%s", p->name);
}

static void health_look_at_devices(struct ncs_health *h)
{
    h->devices = ncs_driver_devices(&h->api, &h->why);
    if (h->api.cudaDriverGetVersion)
        h->api.cudaDriverGetVersion(&h->driver);
    for (int i = 0; i < h->devices && i < NCS_HEALTH_DEVICES; i++) {
        struct ncs_health_device *d = &h->device[i];
        struct cudaDeviceProp p = { .name = "" }; /* CUDA 12 fills less of it */
        if (h->api.cudaGetDeviceProperties && h->api.cudaGetDeviceProperties(&p, i) == cudaSuccess)
            health_name_device(d, &p);
        if (h->api.cudaDeviceGetAttribute) {
            h->api.cudaDeviceGetAttribute(&d->major, cudaDevAttrComputeCapabilityMajor, i);
            h->api.cudaDeviceGetAttribute(&d->minor, cudaDevAttrComputeCapabilityMinor, i);
        }
    }
}

static void health_advise(struct ncs_health *h)
{
    const char *several = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    struct ncs_str *todo = &h->todo;
    for (int i = 0; i < 2; i++)
        if (!h->lib[i].handle)
            ncs_str_addf(todo, "install %s, or give its path: %s\n", i ? "the CUDA runtime" : "NCCL",
                         i ? "--cudart-lib PATH" : "--nccl-lib PATH");
    if (h->lib[1].handle && h->devices <= 0) {
        if (h->driver == 0)
            ncs_str_add(todo, "install NVIDIA's driver for the GPUs of this machine\n");
        else if (h->driver < h->lib[1].version)
            ncs_str_addf(todo, "install a newer driver: it is for CUDA %d.%d, the runtime is newer\n", h->driver / 1000,
                         h->driver % 1000 / 10);
        else
            ncs_str_add(todo, "make a GPU visible: look at CUDA_VISIBLE_DEVICES, nvidia-smi and "
                              "/dev/nvidia*\n");
    }
    h->several = several && strcmp(several, "1") == 0;
}

void ncs_health_examine(struct ncs_health *h, const char *const given[2])
{
    *h = (struct ncs_health){ .devices = -1 };
    for (int i = 0; i < 2; i++)
        ncs_library_open(&h->lib[i], i ? NCS_LIB_CUDA : NCS_LIB_NCCL, given[i], &h->api, &h->lack[i]);
    if (h->lib[1].handle)
        health_look_at_devices(h);
    health_advise(h);
    h->sim_fault = simulator_fault_without_variables();
}

void ncs_health_free(struct ncs_health *h)
{
    for (int i = 0; i < 2; i++)
        ncs_library_forget(&h->lib[i]);
    ncs_str_free(&h->todo);
}

const struct ncs_error *ncs_health_misnamed(const struct ncs_health *h)
{
    for (int i = 0; i < 2; i++)
        if (!h->lib[i].handle && h->lack[i].status == NCS_BAD_INPUT)
            return &h->lack[i];
    return NULL;
}

bool ncs_health_can_run(const struct ncs_health *h)
{
    return h->lib[0].handle && h->lib[1].handle && h->devices > 0;
}

bool ncs_health_can_share(const struct ncs_health *h)
{
    return h->lib[0].version >= NCCL_VERSION(2, 30, 3);
}
