/* NCCL's device API, which needs kernels. Teams are arithmetic on ranks, and are right: all devices of the process are on
 * one host, so every rank reaches every other one by load and store (nccl_device/core.h of NCCL 2.30.7). */
#include "shim/absent.h"
#include "shim/shim.h"

static ncclResult_t refuse_absent(struct ncs_absent *function)
{
    if (!ncs_shim_enter(NCS_FN_ncclGetVersion))
        return (ncclResult_t)ncs_shim_refusal();
    ncs_shim_leave();
    ncs_shim_count_absent(function);
    return ncclInvalidUsage;
}

/* Under its own name and with a p before it, as all functions of NCCL. */
#define REFUSED(function, reason)                                               \
    NCS_SHIM_DEFINE(ncclResult_t, function, void)                               \
    {                                                                           \
        static struct ncs_absent absent = { .name = #function, .why = reason }; \
        return refuse_absent(&absent);                                          \
    }                                                                           \
    extern __typeof__(function) p##function __attribute__((alias(#function)));
#define NEEDS_KERNELS "NCCL's device API needs kernels, which are not run"
#define ABSENT(function) REFUSED(function, NEEDS_KERNELS)

ABSENT(ncclDevCommCreate)
ABSENT(ncclDevCommDestroy)
ABSENT(ncclGetCftDeviceLeInfo)
ABSENT(ncclGetLsaDevicePointer)
ABSENT(ncclGetLsaMultimemDevicePointer)
ABSENT(ncclGetMultimemDeviceLeInfo)
ABSENT(ncclGetMultimemDevicePointer)
ABSENT(ncclGetPeerDeviceLeInfo)
ABSENT(ncclGetPeerDevicePointer)
ABSENT(ncclGinBarrierCreateRequirement)
ABSENT(ncclGinInboxA2ACreateRequirement)
ABSENT(ncclGinOutboxCreateRequirement)
ABSENT(ncclLLA2ACreateRequirement)
ABSENT(ncclLsaBarrierCreateRequirement)

struct team {
    int ranks, rank, stride;
};

static struct team team_of(ncclComm_t comm)
{
    struct team team = { 0, 0, 1 };
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_ncclCommCount);
    if (!api)
        return team;
    if (api->ncclCommCount(comm, &team.ranks) != ncclSuccess || api->ncclCommUserRank(comm, &team.rank) != ncclSuccess)
        team = (struct team){ 0, 0, 1 };
    ncs_shim_leave();
    return team;
}

#define TEAM(result, function, parameters, ...) \
    result function parameters;                 \
    result function parameters                  \
    {                                           \
        __VA_ARGS__                             \
    }                                           \
    extern __typeof__(function) p##function __attribute__((alias(#function)));

TEAM(struct team, ncclTeamWorld, (ncclComm_t comm), return team_of(comm);)
TEAM(struct team, ncclTeamLsa, (ncclComm_t comm), return team_of(comm);)
/* The ranks with the same place on their hosts: this one alone, as there is one host. */
TEAM(struct team, ncclTeamRail, (ncclComm_t comm), return (struct team){ 1, 0, team_of(comm).ranks };)
TEAM(int, ncclTeamRankToWorld, (ncclComm_t comm, struct team team, int rank),
     return team_of(comm).rank + (rank - team.rank) * team.stride;)
TEAM(int, ncclTeamRankToLsa, (ncclComm_t comm, struct team team, int rank),
     return team_of(comm).rank + (rank - team.rank) * team.stride;)

/* A newer kind of team, that a communicator here does not support: the rank is alone in it. */
static struct team team_alone(struct ncs_absent *function)
{
    refuse_absent(function);
    return (struct team){ 1, 0, 1 };
}
#define ALONE(function, parameters)                                                                                        \
    TEAM(struct team, function, parameters, static struct ncs_absent absent = { .name = #function, .why = NEEDS_KERNELS }; \
         (void)comm; return team_alone(&absent);)
ALONE(ncclTeamCft, (ncclComm_t comm))
ALONE(ncclTeamCftMultimem, (ncclComm_t comm))

/* A slot holds 8 bytes of one element (measured on 2.30.7). */
TEAM(int, ncclLLA2ACalcSlots, (int elements, int bytes), return elements * ((bytes + 7) / 8);)

/* NCCL's own tests use it; the simulator reads NCCL_DEBUG at each use. */
NCS_SHIM_DEFINE(void, ncclResetDebugInitInternal, void)
{
}
