/* NCCL's environment variables, read in one place: the process's own and those that a scenario
 * declares (which are set while its run lasts; those of one rank only: own.h). One row per variable that NCCL lists as a
 * parameter; all other names that begin with NCCL_ change nothing here. */
#ifndef NCS_SIM_ENVIRONMENT_H
#define NCS_SIM_ENVIRONMENT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/settings/version.h"

/* clang-format off */
enum env {
    ENV_CGA_CLUSTER_SIZE, ENV_CHECK_MODE, ENV_CHECK_POINTERS, ENV_COLLNET_ENABLE,
    ENV_COMM_BLOCKING, ENV_COMM_ID, ENV_COMM_SHRINK_SHARE, ENV_COMM_SPLIT_SHARE, ENV_CTA_POLICY,
    ENV_CUMEM_ENABLE, ENV_DEBUG, ENV_DEBUG_FILE, ENV_DEBUG_SUBSYS, ENV_DISABLE_MEM_MANAGER, ENV_GRAPH_MIXING_SUPPORT,
    ENV_GRAPH_STREAM_ORDERING, ENV_HOSTID, ENV_LAUNCH_MODE, ENV_LAUNCH_ORDER_IMPLICIT,
    ENV_LAUNCH_RACE_FATAL, ENV_LOCAL_REGISTER,
    ENV_MAX_CTAS, ENV_MIN_CTAS, ENV_MULTI_RANK_GPU_ENABLE, ENV_NCHANNELS_PER_NET_PEER, ENV_NET,
    ENV_NUM_RMA_CTX, ENV_NVLINK_CENTRIC_SCHED, ENV_NVLS_ENABLE, ENV_NVLS_NCHANNELS,
    ENV_P2P_MAX_PEERS, ENV_P2P_USE_CUDA_MEMCPY, ENV_PARAM_DUMP_ALL, ENV_RMA_EAGER_INIT, ENV_RUNTIME_CONNECT,
    ENV_SOCKET_IFNAME, ENV_SOCKET_RETRY_CNT, ENV_SOCKET_RETRY_SLEEP_MSEC, ENV_WIN_ENABLE,
    ENV_COUNT
};
/* clang-format on */

#define ENV_UNSET INT_MIN /* the default of a number that overrides a configuration */

struct env_row {
    const char *key;
    bool text;        /* else a whole number */
    bool unpublished; /* listed only with NCCL_PARAM_DUMP_ALL */
    int64_t preset;   /* of a number */
    int since;        /* version that knows it; 0 = all profiles */
};

extern const struct env_row sim_env_rows[ENV_COUNT]; /* in order of key */

/* The variable's current text. NULL if it is unset or empty, which NCCL treats alike, or if the version
 * does not know it. */
const char *sim_env_text(enum env variable);
/* The variable's number, or the default if it has none. */
int64_t sim_env_number(enum env variable);
/* True if the variable is set to that number. */
static inline bool sim_env_is(enum env variable, int64_t value)
{
    return sim_env_number(variable) == value;
}

/* True if symmetric memory exists. Without it, registering a window returns 0 and a NULL handle; up to 2.28 only where
 * local registration is off, whose handle it returns otherwise (NCCL 2.28.9, src/dev_runtime.cc). */
static inline bool sim_env_has_windows(void)
{
    bool symmetric = !sim_env_is(ENV_WIN_ENABLE, 0) && !sim_env_is(ENV_CUMEM_ENABLE, 0);
    if (sim_version_does(DOES_WINDOW_SWITCH))
        return symmetric;
    bool local = !sim_env_is(ENV_LOCAL_REGISTER, 0);
    return sim_version_does(DOES_LEAVE_WINDOW) ? symmetric || local : local && !sim_env_is(ENV_CUMEM_ENABLE, 0);
}

/* True if ncclCommRegister registers anything. If not, it returns a NULL handle
 * before any check. */
static inline bool sim_env_registers(void)
{
    return !sim_env_is(ENV_LOCAL_REGISTER, 0) && !sim_env_is(ENV_P2P_USE_CUDA_MEMCPY, 1);
}

/* Finds a variable by name; -1 = not listed in this version. */
int sim_env_find(const char *key);

#endif
