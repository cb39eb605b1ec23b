#include "sim/settings/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/gen/versions.h"
#include "sim/kernel/world.h"
#include "sim/settings/log.h"
#include "sim/settings/own.h"

#define NUMBER(name, preset_)                    \
    {                                            \
        .key = "NCCL_" name, .preset = (preset_) \
    }
#define NEWER(name, preset_)                                                      \
    {                                                                             \
        .key = "NCCL_" #name, .preset = (preset_), .since = NCS_SINCE_NCCL_##name \
    }
#define TEXT(name)                        \
    {                                     \
        .key = "NCCL_" name, .text = true \
    }

const struct env_row sim_env_rows[ENV_COUNT] = {
    [ENV_CGA_CLUSTER_SIZE] = NUMBER("CGA_CLUSTER_SIZE", ENV_UNSET),
    [ENV_CHECK_MODE] = { "NCCL_CHECK_MODE", true, false, 0, NCS_SINCE_NCCL_CHECK_MODE },
    [ENV_CHECK_POINTERS] = NUMBER("CHECK_POINTERS", 0),
    [ENV_COLLNET_ENABLE] = NUMBER("COLLNET_ENABLE", ENV_UNSET),
    [ENV_COMM_BLOCKING] = NUMBER("COMM_BLOCKING", ENV_UNSET),
    [ENV_COMM_ID] = TEXT("COMM_ID"),
    [ENV_COMM_SHRINK_SHARE] = NEWER(COMM_SHRINK_SHARE_RESOURCES, ENV_UNSET),
    [ENV_COMM_SPLIT_SHARE] = NUMBER("COMM_SPLIT_SHARE_RESOURCES", ENV_UNSET),
    [ENV_CTA_POLICY] = NEWER(CTA_POLICY, ENV_UNSET),
    [ENV_CUMEM_ENABLE] = NUMBER("CUMEM_ENABLE", -2),
    [ENV_DEBUG] = TEXT("DEBUG"),
    [ENV_DEBUG_FILE] = TEXT("DEBUG_FILE"),
    [ENV_DEBUG_SUBSYS] = TEXT("DEBUG_SUBSYS"),
    [ENV_DISABLE_MEM_MANAGER] = { "NCCL_DISABLE_MEM_MANAGER", false, true, 0, NCS_SINCE_NCCL_DISABLE_MEM_MANAGER },
    [ENV_GRAPH_MIXING_SUPPORT] = NEWER(GRAPH_MIXING_SUPPORT, ENV_UNSET),
    [ENV_GRAPH_STREAM_ORDERING] = NEWER(GRAPH_STREAM_ORDERING, ENV_UNSET),
    [ENV_HOSTID] = TEXT("HOSTID"),
    [ENV_LAUNCH_MODE] = TEXT("LAUNCH_MODE"),
    [ENV_LAUNCH_ORDER_IMPLICIT] = NUMBER("LAUNCH_ORDER_IMPLICIT", ENV_UNSET),
    [ENV_LAUNCH_RACE_FATAL] = NUMBER("LAUNCH_RACE_FATAL", 1),
    [ENV_LOCAL_REGISTER] = NUMBER("LOCAL_REGISTER", 1),
    [ENV_MAX_CTAS] = NUMBER("MAX_CTAS", ENV_UNSET),
    [ENV_MIN_CTAS] = NUMBER("MIN_CTAS", ENV_UNSET),
    [ENV_MULTI_RANK_GPU_ENABLE] = NEWER(MULTI_RANK_GPU_ENABLE, 0),
    [ENV_NCHANNELS_PER_NET_PEER] = NUMBER("NCHANNELS_PER_NET_PEER", ENV_UNSET),
    [ENV_NET] = TEXT("NET"),
    [ENV_NUM_RMA_CTX] = NEWER(NUM_RMA_CTX, ENV_UNSET),
    [ENV_NVLINK_CENTRIC_SCHED] = NEWER(NVLINK_UTIL_CENTRIC_SCHED_ENABLE, ENV_UNSET),
    [ENV_NVLS_ENABLE] = NUMBER("NVLS_ENABLE", 2),
    [ENV_NVLS_NCHANNELS] = NUMBER("NVLS_NCHANNELS", ENV_UNSET),
    [ENV_P2P_MAX_PEERS] = { "NCCL_P2P_MAX_PEERS", false, true, ENV_UNSET, NCS_SINCE_NCCL_P2P_MAX_PEERS },
    [ENV_P2P_USE_CUDA_MEMCPY] = { "NCCL_P2P_USE_CUDA_MEMCPY", false, true, 0, 0 },
    [ENV_PARAM_DUMP_ALL] = { "NCCL_PARAM_DUMP_ALL", false, true, 0, NCS_SINCE_NCCL_PARAM_DUMP_ALL },
    [ENV_RMA_EAGER_INIT] = NEWER(RMA_EAGER_INIT, ENV_UNSET),
    [ENV_RUNTIME_CONNECT] = NUMBER("RUNTIME_CONNECT", 1),
    [ENV_SOCKET_IFNAME] = TEXT("SOCKET_IFNAME"),
    [ENV_SOCKET_RETRY_CNT] = NUMBER("SOCKET_RETRY_CNT", 34),
    [ENV_SOCKET_RETRY_SLEEP_MSEC] = NUMBER("SOCKET_RETRY_SLEEP_MSEC", 100),
    [ENV_WIN_ENABLE] = NEWER(WIN_ENABLE, 1),
};

_Static_assert(ENV_COUNT <= 64, "struct process has a bit for each");

/* Each variable is logged once per process, as in NCCL. */
static bool is_news(enum env variable)
{
    struct context *c = sim_context_self();
    uint64_t bit = (uint64_t)1 << variable;
    if (!c || !c->process || (c->process->env_said & bit))
        return false;
    c->process->env_said |= bit;
    return true;
}

const char *sim_env_text(enum env variable)
{
    const struct env_row *row = &sim_env_rows[variable];
    if (row->since > sim_version_now())
        return NULL;
    const struct settings *own = sim_own_settings();
    const char *text = own && own->text[variable] ? own->text[variable] : getenv(row->key);
    if (!text || !*text)
        return NULL;
    bool of_log = variable == ENV_DEBUG || variable == ENV_DEBUG_FILE || variable == ENV_DEBUG_SUBSYS;
    if (row->text && !of_log && is_news(variable))
        sim_info(LOG_ENV, "%s set by environment to %s", row->key, text);
    return text;
}

int64_t sim_env_number(enum env variable)
{
    const struct env_row *row = &sim_env_rows[variable];
    const char *text = sim_env_text(variable);
    if (!text)
        return row->preset;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    bool fine = !errno && end != text && !*end;
    if (is_news(variable)) {
        if (fine)
            sim_info(LOG_ENV, "%s set by environment to %lld.", row->key, value);
        else
            sim_info(LOG_ENV, "Invalid value %s for %s, using default %" PRId64 ".", text, row->key, row->preset);
    }
    return fine ? value : row->preset;
}

int sim_env_find(const char *key)
{
    for (int i = 0; i < ENV_COUNT; i++)
        if (strcmp(sim_env_rows[i].key, key) == 0)
            return sim_env_rows[i].since <= sim_version_now() ? i : -1;
    return -1;
}
