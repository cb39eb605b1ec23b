/* Configurations of communicators: the options CFG of a script, and C.ncclConfig. */
#include "script/option.h"

#include <string.h>

#define FIELD(script, c, option_kind)                                           \
    {                                                                           \
        { script, option_kind, offsetof(struct ncs_comm_config, config.c) }, #c \
    }

struct field {
    struct ncs_option option;
    const char *c_name;
};

static const struct field fields[] = {
    FIELD("blocking", blocking, NCS_OPTION_SWITCH),
    FIELD("cga_cluster_size", cgaClusterSize, NCS_OPTION_INT),
    FIELD("min_ctas", minCTAs, NCS_OPTION_INT),
    FIELD("max_ctas", maxCTAs, NCS_OPTION_INT),
    FIELD("net_name", netName, NCS_OPTION_TEXT),
    FIELD("split_share", splitShare, NCS_OPTION_SWITCH),
    FIELD("traffic_class", trafficClass, NCS_OPTION_INT),
    FIELD("comm_name", commName, NCS_OPTION_TEXT),
    FIELD("collnet_enable", collnetEnable, NCS_OPTION_SWITCH),
    FIELD("cta_policy", CTAPolicy, NCS_OPTION_INT),
    FIELD("shrink_share", shrinkShare, NCS_OPTION_SWITCH),
    FIELD("nvls_ctas", nvlsCTAs, NCS_OPTION_INT),
    FIELD("n_channels_per_net_peer", nChannelsPerNetPeer, NCS_OPTION_INT),
    FIELD("nvlink_centric_sched", nvlinkCentricSched, NCS_OPTION_SWITCH),
    FIELD("graph_usage_mode", graphUsageMode, NCS_OPTION_INT),
    FIELD("num_rma_ctx", numRmaCtx, NCS_OPTION_INT),
    FIELD("max_p2p_peers", maxP2pPeers, NCS_OPTION_INT),
    FIELD("graph_stream_ordering", graphStreamOrdering, NCS_OPTION_SWITCH),
    FIELD("launch_order_implicit", launchOrderImplicit, NCS_OPTION_SWITCH),
    FIELD("num_rma_sig", numRmaSig, NCS_OPTION_INT),
    FIELD("rma_eager_init", rmaEagerInit, NCS_OPTION_SWITCH),
    FIELD("host_cft_mode", hostCftMode, NCS_OPTION_INT),
    FIELD("nvls_host_mode", nvlsHostMode, NCS_OPTION_INT),
};

#define FIELDS (sizeof fields / sizeof *fields)
#define MOST_MORE 8

void ncs_comm_config_read(lua_State *L, int arg, struct ncs_comm_config *into)
{
    static const struct ncs_option none[] = { { NULL, 0, 0 } };
    ncs_comm_config_read_with(L, arg, into, none);
}

void ncs_comm_config_read_with(lua_State *L, int arg, struct ncs_comm_config *into, const struct ncs_option *more)
{
    struct ncs_option rows[FIELDS + 2 + MOST_MORE] = { { "name", NCS_OPTION_TEXT, offsetof(struct ncs_comm_config, name) } };
    static const ncclConfig_t unset = NCCL_CONFIG_INITIALIZER;
    size_t count = 1;
    for (size_t i = 0; i < FIELDS; i++)
        rows[count++] = fields[i].option;
    for (size_t i = 0; i < MOST_MORE && more[i].name; i++)
        rows[count++] = more[i];
    rows[count] = (struct ncs_option){ NULL, 0, 0 };
    memset(into, 0, sizeof *into);
    into->config = unset;
    ncs_lua_options(L, arg, rows, into);
    if (into->name && !into->config.commName)
        into->config.commName = into->name;
    into->given = memcmp(&into->config, &unset, sizeof unset) != 0;
}

bool ncs_config_set(lua_State *L, ncclConfig_t *config, const char *field, int arg)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (strcmp(fields[i].c_name, field) != 0)
            continue;
        char *at = (char *)config + fields[i].option.offset - offsetof(struct ncs_comm_config, config);
        if (fields[i].option.kind == NCS_OPTION_TEXT)
            *(const char **)at = ncs_script_intern(ncs_lua_rank(L)->script, ncs_lua_string(L, arg, field));
        else
            *(int *)at = lua_isboolean(L, arg) ? lua_toboolean(L, arg) : ncs_lua_int(L, arg, field);
        return true;
    }
    return false;
}

const char *const *ncs_config_fields(void)
{
    /* clang-format off */
    static const char *const names[] = {
        "blocking", "cgaClusterSize", "minCTAs", "maxCTAs", "netName", "splitShare",
        "trafficClass", "commName", "collnetEnable", "CTAPolicy", "shrinkShare", "nvlsCTAs",
        "nChannelsPerNetPeer", "nvlinkCentricSched", "graphUsageMode", "numRmaCtx",
        "maxP2pPeers", "graphStreamOrdering", "launchOrderImplicit", "numRmaSig", "rmaEagerInit",
        "hostCftMode", "nvlsHostMode", NULL };
    _Static_assert(sizeof names / sizeof *names == FIELDS + 1, "a field without a name");
    return names;
}
/* clang-format on */
