/* The configuration of a communicator, as rows of a table of fields. */
#ifndef NCS_NOTATION_SCHEMA_CONFIG_H
#define NCS_NOTATION_SCHEMA_CONFIG_H

#define NCS_SCHEMA_SETTING(name, kind, about)  \
    {                                          \
        name, kind, 0, NULL, about, NULL, NULL \
    }

#define NCS_SCHEMA_CONFIG                                                                                \
    NCS_SCHEMA_SETTING("name", NCS_SCHEMA_TEXT, "its name in reports"),                                  \
        NCS_SCHEMA_SETTING("blocking", NCS_SCHEMA_EXPR, "calls return when they are done"),              \
        NCS_SCHEMA_SETTING("cga_cluster_size", NCS_SCHEMA_EXPR, "NCCL's cgaClusterSize"),                \
        NCS_SCHEMA_SETTING("min_ctas", NCS_SCHEMA_EXPR, "NCCL's minCTAs"),                               \
        NCS_SCHEMA_SETTING("max_ctas", NCS_SCHEMA_EXPR, "NCCL's maxCTAs"),                               \
        NCS_SCHEMA_SETTING("net_name", NCS_SCHEMA_TEXT, "NCCL's netName"),                               \
        NCS_SCHEMA_SETTING("split_share", NCS_SCHEMA_EXPR, "shares resources with its splits"),          \
        NCS_SCHEMA_SETTING("traffic_class", NCS_SCHEMA_EXPR, "NCCL's trafficClass"),                     \
        NCS_SCHEMA_SETTING("comm_name", NCS_SCHEMA_TEXT, "NCCL's commName"),                             \
        NCS_SCHEMA_SETTING("collnet_enable", NCS_SCHEMA_EXPR, "NCCL's collnetEnable"),                   \
        NCS_SCHEMA_SETTING("cta_policy", NCS_SCHEMA_EXPR, "NCCL's CTAPolicy"),                           \
        NCS_SCHEMA_SETTING("shrink_share", NCS_SCHEMA_EXPR, "shares resources with what it shrinks to"), \
        NCS_SCHEMA_SETTING("nvls_ctas", NCS_SCHEMA_EXPR, "NCCL's nvlsCTAs"),                             \
        NCS_SCHEMA_SETTING("n_channels_per_net_peer", NCS_SCHEMA_EXPR, "NCCL's nChannelsPerNetPeer"),    \
        NCS_SCHEMA_SETTING("nvlink_centric_sched", NCS_SCHEMA_EXPR, "NCCL's nvlinkCentricSched"),        \
        NCS_SCHEMA_SETTING("graph_usage_mode", NCS_SCHEMA_EXPR, "NCCL's graphUsageMode"),                \
        NCS_SCHEMA_SETTING("num_rma_ctx", NCS_SCHEMA_EXPR, "NCCL's numRmaCtx"),                          \
        NCS_SCHEMA_SETTING("max_p2p_peers", NCS_SCHEMA_EXPR, "NCCL's maxP2pPeers"),                      \
        NCS_SCHEMA_SETTING("graph_stream_ordering", NCS_SCHEMA_EXPR, "NCCL's graphStreamOrdering"),      \
        NCS_SCHEMA_SETTING("launch_order_implicit", NCS_SCHEMA_EXPR, "NCCL's launchOrderImplicit"),      \
        NCS_SCHEMA_SETTING("num_rma_sig", NCS_SCHEMA_EXPR, "NCCL's numRmaSig"),                          \
        NCS_SCHEMA_SETTING("rma_eager_init", NCS_SCHEMA_EXPR, "NCCL's rmaEagerInit"),                    \
        NCS_SCHEMA_SETTING("host_cft_mode", NCS_SCHEMA_EXPR, "NCCL's hostCftMode"),                      \
        NCS_SCHEMA_SETTING("nvls_host_mode", NCS_SCHEMA_EXPR, "NCCL's nvlsHostMode")

#endif
