#include "api/environment.h"

#include <string.h>

#include "base/near.h"

#define PREFIX_BYTES 5 /* "NCCL_", "CUDA_" */

/* Switches, numbers and names: the variables that NCCL's user guide documents (env, 2.30.7),
 * others that NCCL reads as whole numbers, and those of CUDA's programming guide (13, section
 * 5.2). Left out are
 * - libraries to load: *_PLUGIN, NCCL_IBVERBS_LIB, CUDA_INJECTION*_PATH,
 *   CUDA_FORCE_PRELOAD_LIBRARIES;
 * - files and folders: *_FILE, CUDA_CACHE_PATH, CUDA_COREDUMP_*, CUDA_MPS_*_DIRECTORY, and
 *   switches that make CUDA write a file (CUDA_ENABLE_*COREDUMP*);
 * - NCCL_RAS_ADDR, which opens a port to others; NCCL_*_DUMP_SIGNAL, which takes a signal away;
 *   CUDA_DEVICE_WAITS_ON_EXCEPTION, which stops the process for a debugger.
 * NCCL_NET selects by name among networks that are loaded already (NCCL 2.30.7, src/plugin/net.cc). */
/* clang-format off */
static const char *const allowed[] = {
    "CUDA_AUTO_BOOST", "CUDA_BINARY_LOADER_THREAD_COUNT", "CUDA_CACHE_DISABLE",
    "CUDA_CACHE_MAXSIZE", "CUDA_DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT",
    "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_MAX_COPY_CONNECTIONS", "CUDA_DEVICE_ORDER",
    "CUDA_DISABLE_JIT", "CUDA_DISABLE_PTX_JIT", "CUDA_FORCE_JIT", "CUDA_FORCE_PTX_JIT",
    "CUDA_GRAPHS_USE_NODE_PRIORITY", "CUDA_LAUNCH_BLOCKING", "CUDA_MANAGED_FORCE_DEVICE_ALLOC",
    "CUDA_MODULE_DATA_LOADING", "CUDA_MODULE_LOADING", "CUDA_SCALE_LAUNCH_QUEUES",
    "CUDA_VISIBLE_DEVICES", "NCCL_ALGO", "NCCL_ALLOC_P2P_NET_LL_BUFFERS", "NCCL_BUFFSIZE",
    "NCCL_CGA_CLUSTER_SIZE", "NCCL_CHECKS_DISABLE", "NCCL_CHECK_MODE", "NCCL_CHECK_POINTERS",
    "NCCL_CHUNK_SIZE", "NCCL_COLLNET_ENABLE", "NCCL_COLLNET_NODE_THRESHOLD",
    "NCCL_COMM_BLOCKING", "NCCL_COMM_ID", "NCCL_COMM_SHRINK_SHARE_RESOURCES",
    "NCCL_COMM_SPLIT_SHARE_RESOURCES", "NCCL_CONNECT_ROUND_MAX_PEERS", "NCCL_CROSS_NIC",
    "NCCL_CTA_POLICY", "NCCL_CUMEM_ENABLE", "NCCL_CUMEM_HOST_ENABLE", "NCCL_DEBUG",
    "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_TIMESTAMP_FORMAT", "NCCL_DEBUG_TIMESTAMP_LEVELS",
    "NCCL_DISABLE_MEM_MANAGER", "NCCL_DMABUF_ENABLE", "NCCL_GDRCOPY_ENABLE", "NCCL_GIN_ENABLE",
    "NCCL_GIN_TYPE", "NCCL_GRAPH_MIXING_SUPPORT", "NCCL_GRAPH_REGISTER",
    "NCCL_GRAPH_STREAM_ORDERING", "NCCL_GROUP_CUDA_STREAM", "NCCL_HOSTID",
    "NCCL_IB_ADAPTIVE_ROUTING", "NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE",
    "NCCL_IB_AR_THRESHOLD", "NCCL_IB_CUDA_SUPPORT", "NCCL_IB_DISABLE", "NCCL_IB_ECE_ENABLE",
    "NCCL_IB_FIFO_TC", "NCCL_IB_GDR_LEVEL", "NCCL_IB_GID_INDEX", "NCCL_IB_HCA",
    "NCCL_IB_MERGE_NICS", "NCCL_IB_OOO_RQ", "NCCL_IB_PCI_RELAXED_ORDERING", "NCCL_IB_PKEY",
    "NCCL_IB_QPS_PER_CONNECTION", "NCCL_IB_RETRY_CNT", "NCCL_IB_RETURN_ASYNC_EVENTS",
    "NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_SL", "NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_TC",
    "NCCL_IB_TIMEOUT", "NCCL_IGNORE_COLLNET_MISMATCH", "NCCL_IGNORE_CPU_AFFINITY",
    "NCCL_IGNORE_NET_MISMATCH", "NCCL_IPC_USE_ABSTRACT_SOCKET", "NCCL_LAUNCH_MODE",
    "NCCL_LAUNCH_ORDER_IMPLICIT", "NCCL_LAUNCH_RACE_FATAL", "NCCL_LEGACY_CUDA_REGISTER",
    "NCCL_LL128_BUFFSIZE", "NCCL_LL128_NTHREADS", "NCCL_LL_BUFFSIZE", "NCCL_LL_THRESHOLD",
    "NCCL_LOCAL_REGISTER", "NCCL_MAX_CTAS", "NCCL_MAX_NCHANNELS", "NCCL_MAX_NRINGS",
    "NCCL_MAX_P2P_NCHANNELS", "NCCL_MEM_SYNC_DOMAIN", "NCCL_MIN_CTAS", "NCCL_MIN_NCHANNELS",
    "NCCL_MIN_NRINGS", "NCCL_MIN_P2P_NCHANNELS", "NCCL_MNNVL_CLIQUE_ID", "NCCL_MNNVL_ENABLE",
    "NCCL_MNNVL_UUID", "NCCL_MULTI_RANK_GPU_ENABLE", "NCCL_NCHANNELS_PER_NET_PEER", "NCCL_NET",
    "NCCL_NETDEVS_POLICY", "NCCL_NET_DISABLE_INTRA", "NCCL_NET_FORCE_FLUSH", "NCCL_NET_GDR_C2C",
    "NCCL_NET_GDR_LEVEL", "NCCL_NET_GDR_READ", "NCCL_NET_MERGE_POLICY",
    "NCCL_NET_SHARED_BUFFERS", "NCCL_NET_SHARED_COMMS", "NCCL_NSOCKS_PERTHREAD",
    "NCCL_NTHREADS", "NCCL_NUM_RMA_CTX", "NCCL_NVB_DISABLE", "NCCL_NVB_PRECONNECT",
    "NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", "NCCL_NVLSTREE_MAX_CHUNKSIZE",
    "NCCL_NVLS_CHUNKSIZE", "NCCL_NVLS_ENABLE", "NCCL_NVLS_NCHANNELS", "NCCL_NVTX_DISABLE",
    "NCCL_OOB_NET_ENABLE", "NCCL_OOB_NET_IFNAME", "NCCL_P2P_DIRECT_DISABLE", "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL", "NCCL_P2P_LL_THRESHOLD", "NCCL_P2P_MAX_PEERS", "NCCL_P2P_NET_CHUNKSIZE",
    "NCCL_P2P_NVL_CHUNKSIZE", "NCCL_P2P_PCI_CHUNKSIZE", "NCCL_P2P_PXN_LEVEL",
    "NCCL_P2P_READ_ENABLE", "NCCL_P2P_USE_CUDA_MEMCPY", "NCCL_PARAM_DUMP_ALL",
    "NCCL_PAT_ENABLE", "NCCL_PROGRESS_APPENDOP_FREQ", "NCCL_PROTO", "NCCL_PXN_C2C",
    "NCCL_PXN_DISABLE", "NCCL_RAS_ENABLE", "NCCL_RAS_TIMEOUT_FACTOR",
    "NCCL_REPORT_CONNECT_PROGRESS", "NCCL_RMA_DISABLE", "NCCL_RMA_EAGER_INIT", "NCCL_RUNTIME_CONNECT",
    "NCCL_SET_STACK_SIZE", "NCCL_SET_THREAD_NAME", "NCCL_SHM_DISABLE",
    "NCCL_SINGLE_RING_THRESHOLD", "NCCL_SOCKET_FAMILY", "NCCL_SOCKET_IFNAME",
    "NCCL_SOCKET_MAGIC", "NCCL_SOCKET_NTHREADS", "NCCL_SOCKET_POLL_TIMEOUT_MSEC",
    "NCCL_SOCKET_RETRY_CNT", "NCCL_SOCKET_RETRY_SLEEP_MSEC", "NCCL_SYM_CTAS",
    "NCCL_SYM_GIN_KERNELS_ENABLE", "NCCL_TREE_THRESHOLD", "NCCL_UID_STAGGER_RATE",
    "NCCL_UID_STAGGER_THRESHOLD", "NCCL_WIN_ENABLE", "NCCL_WORK_ARGS_BYTES",
    "NCCL_WORK_FIFO_BYTES",
};
/* clang-format on */

/* Variables whose values may contain '/' without being paths. */
static const char *const slashed[] = {
    "CUDA_VISIBLE_DEVICES",        /* MIG-GPU-UUID/1/0 */
    "NCCL_DEBUG_TIMESTAMP_FORMAT", /* %Y/%m/%d */
    "NCCL_IB_ADDR_RANGE",          /* 10.0.0.0/8 */
    NULL,
};

const char *const *ncs_environment_names(size_t *count)
{
    *count = sizeof allowed / sizeof *allowed;
    return allowed;
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; count ? i < count : names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* True if NCCL or CUDA could read the variable, and setenv cannot take the name for another one. */
static bool is_theirs(const char *name, size_t bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    return bytes > PREFIX_BYTES && strspn(name, letters) == bytes &&
           (strncmp(name, "NCCL_", PREFIX_BYTES) == 0 || strncmp(name, "CUDA_", PREFIX_BYTES) == 0);
}

bool ncs_environment_allows(const char *name, size_t bytes, bool unsafe, struct ncs_error *err)
{
    size_t count;
    const char *const *names = ncs_environment_names(&count);
    if (is_theirs(name, bytes) && (unsafe || is_among(names, count, name)))
        return true;
    if (!is_theirs(name, bytes))
        ncs_fail(err, NCS_BAD_INPUT, "'%.60s': expected a name that begins with NCCL_ or CUDA_", name);
    else
        ncs_fail(err, NCS_BAD_INPUT,
                 "'%.60s' needs --unsafe: without it only numbers, switches "
                 "and names that NCCL and CUDA document are allowed",
                 name);
    ncs_fail_near(err, name, names, count);
    return false;
}

bool ncs_environment_takes(const char *name, const char *value, bool unsafe, struct ncs_error *err)
{
    if (unsafe || !strchr(value, '/') || is_among(slashed, 0, name))
        return true;
    return ncs_fail(err, NCS_BAD_INPUT, "'%.60s' = \"%.60s\" needs --unsafe: the value is a path", name, value);
}
