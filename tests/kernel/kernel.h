/* Runs C functions as the ranks of a machine: the simulator's kernel without Lua, journal or runner. */
#ifndef NCS_TEST_KERNEL_H
#define NCS_TEST_KERNEL_H

#include "harness.h"
#include <stdlib.h>
#include <string.h>

#include "api/driver.h"

#define KERNEL_RANKS_MAX 2048

static const struct ncs_machine *machine;
static const struct ncs_api *api;

struct kernel_rank {
    int rank, nranks;
    ncclComm_t world;
    cudaStream_t stream;
    float *x;      /* device, 16 elements */
    bool finished; /* its function returned */
    void (*body)(struct kernel_rank *r);
    struct ncs_local local;
};

static struct kernel_rank kernel_rank[KERNEL_RANKS_MAX];
static ncclUniqueId kernel_id;
static struct ncs_gate *kernel_gate;
static bool kernel_id_known;

#define OK(call) ck_assert_int_eq((call), 0)

static inline void kernel_main(void *arg)
{
    struct kernel_rank *r = arg;
    if (r->rank == 0) {
        OK(api->ncclGetUniqueId(&kernel_id));
        kernel_id_known = true;
        machine->gate_wake(kernel_gate);
    }
    while (!kernel_id_known)
        if (!machine->gate_wait(kernel_gate, -1, "id", "id", -1, -1))
            return;
    OK(api->cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    OK(api->cudaMalloc((void **)&r->x, 16 * sizeof(float)));
    for (int i = 0; i < 16; i++)
        r->x[i] = (float)(r->rank + 1);
    OK(api->ncclCommInitRank(&r->world, r->nranks, kernel_id, r->rank));
    if (!machine->cancelled())
        r->body(r);
    r->finished = !machine->cancelled();
}

static inline void kernel_open(const struct ncs_machine_options *options)
{
    machine = ncs_driver_sim.machine;
    api = ncs_driver_sim.api;
    struct ncs_error err;
    ck_assert_msg(machine->open(options, &err), "%s", err.text);
}

/* Spawns and runs ranks on an open machine; a world communicator is ready before body begins. */
static inline enum ncs_stop kernel_run(int ranks, void (*body)(struct kernel_rank *r))
{
    kernel_id_known = false;
    kernel_gate = machine->gate_new();
    for (int i = 0; i < ranks; i++) {
        kernel_rank[i] = (struct kernel_rank){ .rank = i, .nranks = ranks, .body = body, .local = { .rank = i } };
        struct ncs_context_options options = {
            .process = i, .local = &kernel_rank[i].local, .main = kernel_main, .arg = &kernel_rank[i]
        };
        struct ncs_error err;
        ck_assert_msg(machine->spawn(&options, &err), "%s", err.text);
    }
    enum ncs_stop stop = machine->run();
    return stop;
}

static inline void kernel_end(void)
{
    machine->abandon();
    machine->gate_free(kernel_gate);
    machine->close();
}

/* All-reduce of the rank's 16 elements in place, not waited for. */
static inline ncclResult_t kernel_reduce(struct kernel_rank *r)
{
    return api->ncclAllReduce(r->x, r->x, 16, ncclFloat32, ncclSum, r->world, r->stream);
}

static inline uint64_t kernel_trace(void)
{
    uint64_t objects, bytes, trace;
    machine->stats(&objects, &bytes, &trace);
    return trace;
}

#endif
