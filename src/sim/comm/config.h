/* The configuration of a communicator: the checked ncclConfig_t, with defaults and
 * overrides applied. */
#ifndef NCS_SIM_CONFIG_H
#define NCS_SIM_CONFIG_H

#include "ncclscript/nccl_abi.h"

enum config_field {
    CONFIG_BLOCKING,
    CONFIG_CGA_CLUSTER_SIZE,
    CONFIG_MIN_CTAS,
    CONFIG_MAX_CTAS,
    CONFIG_SPLIT_SHARE,
    CONFIG_COLLNET_ENABLE,
    CONFIG_CTA_POLICY,
    CONFIG_SHRINK_SHARE,
    CONFIG_NVLS_CTAS,
    CONFIG_CHANNELS_PER_NET_PEER,
    CONFIG_NVLINK_CENTRIC_SCHED,
    CONFIG_GRAPH_USAGE_MODE,
    CONFIG_NUM_RMA_CTX,
    CONFIG_NUM_RMA_SIG,
    CONFIG_MAX_P2P_PEERS,
    CONFIG_GRAPH_STREAM_ORDERING,
    CONFIG_LAUNCH_ORDER_IMPLICIT,
    CONFIG_RMA_EAGER_INIT,
    CONFIG_HOST_CFT_MODE,
    CONFIG_NVLS_HOST_MODE,
    CONFIG_TRAFFIC_CLASS,
    CONFIG_FIELDS
};

#define CONFIG_TEXT 64 /* bytes kept of a name */

struct comm_config {
    int value[CONFIG_FIELDS];                           /* a default, or NCCL_CONFIG_UNDEF_INT where NCCL has none */
    char net_name[CONFIG_TEXT], comm_name[CONFIG_TEXT]; /* "" = not given */
};

/* Checks in NCCL's order. If given is NULL, the parent's configuration holds, or the defaults if there
 * is no parent. The environment overrides it last. */
int sim_config_read(const ncclConfig_t *given, const struct comm_config *parent, struct comm_config *out);

/* The largest CTAPolicy that the version takes. */
int sim_config_most_policy(void);

/* Applies the environment variables. */
void sim_config_override(struct comm_config *config);

#endif
