#include "sim/comm/sharing.h"

#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/kernel/world.h"
#include "sim/settings/own.h"
#include "sim/settings/version.h"

/* The GPU of each rank of the run's machine; never 0. */
static uint64_t gpu_key(const struct comm_rank *cr)
{
    return ncs_hash(sim_comm_host(cr), (uint64_t)cr->gpu->device) | 1;
}

/* By rank: the lowest other rank on its GPU, -1 = the rank is alone on it. NULL: no two ranks share
 * a GPU. */
static int *find_sharers(struct comm_rank *const *member, int nranks)
{
    struct ncs_map first = { 0 };
    int *sharer = ncs_new((size_t)nranks * sizeof *sharer);
    bool any = false;
    for (int i = 0; i < nranks; i++) {
        uint64_t key = gpu_key(member[i]);
        int lowest = (int)(intptr_t)ncs_map_get(&first, key) - 1;
        sharer[i] = lowest;
        if (lowest < 0)
            ncs_map_put(&first, key, (void *)(intptr_t)(i + 1));
        else if (sharer[lowest] < 0)
            sharer[lowest] = i;
        any |= lowest >= 0;
    }
    ncs_map_free(&first);
    if (any)
        return sharer;
    ncs_free(sharer);
    return NULL;
}

static bool leads_sharing_host(struct comm_rank *const *member, int nranks, const int *sharer, int rank)
{
    uint64_t host = sim_comm_host(member[rank]);
    bool any = false;
    for (int i = 0; i < nranks; i++) {
        if (sim_comm_host(member[i]) != host)
            continue;
        if (i < rank)
            return false;
        any |= sharer[i] >= 0;
    }
    return any;
}

/* True if this rank refuses the communicator. Until 2.29 each rank looks for others on its own GPU.
 * In 2.30.3 and 2.30.4 the first rank of a host checks all of that host. From 2.30.7 on each rank
 * checks all ranks. A rank that refuses nothing waits for those that left. */
static bool refuses(struct comm_rank *const *member, int nranks, const int *sharer, int rank)
{
    const struct comm_rank *cr = member[rank];
    if (sim_env_is(ENV_MULTI_RANK_GPU_ENABLE, 1)) {
        if (!sim_env_is(ENV_NVLS_ENABLE, 1))
            return false;
        sim_warn_on(cr->gpu, "%s",
                    sim_version_does(DOES_CHECK_ALL_GPUS)
                        ? "NCCL_NVLS_ENABLE has been set to \"1\" and communicator has multiple ranks using "
                          "the same NVML device. This is not compatible with NCCL_NVLS_ENABLE=1."
                        : "Multiple ranks detected using the same GPU on this node and NCCL_NVLS_ENABLE has "
                          "been set to \"1\". At this time multiple ranks per gpu is incompatible with NVLS.");
        return true;
    }
    if (sim_version_does(DOES_CHECK_ALL_GPUS)) {
        sim_warn_on(cr->gpu, "Multiple Ranks are using the same GPU/Partition. Set "
                             "NCCL_MULTI_RANK_GPU_ENABLE=1 to enable this configuration.");
        return true;
    }
    if (sim_version_does(DOES_SHARE_GPU)) {
        bool leads = leads_sharing_host(member, nranks, sharer, rank);
        if (leads)
            sim_warn_on(cr->gpu, "Multiple ranks detected using the same GPU on this node. Set "
                                 "NCCL_MULTI_RANK_GPU_ENABLE=1 to enable this configuration.");
        return leads;
    }
    if (sharer[rank] >= 0)
        sim_warn_on(cr->gpu, "Duplicate GPU detected : rank %d and rank %d both on CUDA device %x", rank, sharer[rank],
                    sim_gpu_bus_id(cr->gpu));
    return sharer[rank] >= 0;
}

bool *sim_sharing_refused(struct comm_rank *const *member, int nranks)
{
    int *sharer = find_sharers(member, nranks);
    if (!sharer)
        return NULL;
    bool *refused = ncs_new((size_t)nranks * sizeof *refused), any = false;
    for (int i = 0; i < nranks; i++) {
        const struct process *before = sim_own_act(member[i]->process);
        any |= refused[i] = refuses(member, nranks, sharer, i);
        sim_own_act(before);
    }
    ncs_free(sharer);
    if (any)
        return refused;
    ncs_free(refused);
    return NULL;
}

static int version_of(const struct comm_rank *cr)
{
    return cr->process->settings ? cr->process->settings->nccl_version : sim_world.options.nccl_version;
}

/* Each rank compares all with its own and names the first that differs, so all of them fail (NCCL 2.30.7, src/init.cc). The
 * library compares what the bootstrap has carried over: versions that carry other structures fail there, with other words. */
bool *sim_versions_refused(struct comm_rank *const *member, int nranks)
{
    int other = 0;
    while (other < nranks && version_of(member[other]) == version_of(member[0]))
        other++;
    if (other == nranks)
        return NULL;
    bool *refused = ncs_new((size_t)nranks * sizeof *refused);
    for (int i = 0; i < nranks; i++) {
        const struct comm_rank *self = member[i];
        int differs = version_of(self) == version_of(member[0]) ? other : 0;
        sim_warn_on(self->gpu, "Mismatched NCCL version detected : rank %d version %d rank %d version %d", differs,
                    version_of(member[differs]), i, version_of(self));
        refused[i] = true;
    }
    return refused;
}
