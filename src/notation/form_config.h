/* The configuration of a communicator, as rows of a table of fields. */
#ifndef NCS_NOTATION_FORM_CONFIG_H
#define NCS_NOTATION_FORM_CONFIG_H

#define NCS_FORM_SETTING(name, kind, about) { name, kind, 0, NULL, about, NULL, NULL }

#define NCS_FORM_CONFIG                                                                            \
    NCS_FORM_SETTING("name", NCS_FORM_TEXT, "its name in reports"),                                \
    NCS_FORM_SETTING("blocking", NCS_FORM_EXPR, "calls return when they are done"),                \
    NCS_FORM_SETTING("cga_cluster_size", NCS_FORM_EXPR, "NCCL's cgaClusterSize"),                  \
    NCS_FORM_SETTING("min_ctas", NCS_FORM_EXPR, "NCCL's minCTAs"),                                 \
    NCS_FORM_SETTING("max_ctas", NCS_FORM_EXPR, "NCCL's maxCTAs"),                                 \
    NCS_FORM_SETTING("net_name", NCS_FORM_TEXT, "NCCL's netName"),                                 \
    NCS_FORM_SETTING("split_share", NCS_FORM_EXPR, "shares resources with its splits"),            \
    NCS_FORM_SETTING("traffic_class", NCS_FORM_EXPR, "NCCL's trafficClass"),                       \
    NCS_FORM_SETTING("comm_name", NCS_FORM_TEXT, "NCCL's commName"),                               \
    NCS_FORM_SETTING("collnet_enable", NCS_FORM_EXPR, "NCCL's collnetEnable"),                     \
    NCS_FORM_SETTING("cta_policy", NCS_FORM_EXPR, "NCCL's CTAPolicy"),                             \
    NCS_FORM_SETTING("shrink_share", NCS_FORM_EXPR, "shares resources with what it shrinks to"),   \
    NCS_FORM_SETTING("nvls_ctas", NCS_FORM_EXPR, "NCCL's nvlsCTAs"),                               \
    NCS_FORM_SETTING("n_channels_per_net_peer", NCS_FORM_EXPR, "NCCL's nChannelsPerNetPeer"),      \
    NCS_FORM_SETTING("nvlink_centric_sched", NCS_FORM_EXPR, "NCCL's nvlinkCentricSched"),          \
    NCS_FORM_SETTING("graph_usage_mode", NCS_FORM_EXPR, "NCCL's graphUsageMode"),                  \
    NCS_FORM_SETTING("num_rma_ctx", NCS_FORM_EXPR, "NCCL's numRmaCtx"),                            \
    NCS_FORM_SETTING("max_p2p_peers", NCS_FORM_EXPR, "NCCL's maxP2pPeers"),                        \
    NCS_FORM_SETTING("graph_stream_ordering", NCS_FORM_EXPR, "NCCL's graphStreamOrdering")

#endif
