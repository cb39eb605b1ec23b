#include "sim/comm/config.h"

#include <stdio.h>
#include <string.h>

#include "sim/kernel/world.h"
#include "sim/settings/log.h"
#include "sim/settings/version.h"

#define MOST_CTAS 64

struct rule {
    const char *name;
    size_t offset;
    int least, most;
    int since; /* the header of a program from which on the library reads the field */
    int fallback;
};

#define RULE(field, least, most, fallback)                                                      \
    {                                                                                           \
        .name = #field, offsetof(ncclConfig_t, field), least, most, NCS_SINCE_##field, fallback \
    }
#define UNSET NCCL_CONFIG_UNDEF_INT

/* In the order in which NCCL looks at them. */
static const struct rule rules[CONFIG_FIELDS] = {
    [CONFIG_BLOCKING] = RULE(blocking, 0, 1, 1),
    [CONFIG_CGA_CLUSTER_SIZE] = RULE(cgaClusterSize, 0, INT_MAX, 4),
    [CONFIG_MIN_CTAS] = RULE(minCTAs, 1, INT_MAX, 1),
    [CONFIG_MAX_CTAS] = RULE(maxCTAs, 1, INT_MAX, MOST_CTAS),
    [CONFIG_SPLIT_SHARE] = RULE(splitShare, 0, 1, 0),
    [CONFIG_COLLNET_ENABLE] = RULE(collnetEnable, 0, 1, 0),
    [CONFIG_CTA_POLICY] = { "policy", offsetof(ncclConfig_t, CTAPolicy), 0, 3, NCS_SINCE_CTAPolicy, 0 },
    [CONFIG_SHRINK_SHARE] = RULE(shrinkShare, 0, 1, 0),
    [CONFIG_NVLS_CTAS] = RULE(nvlsCTAs, 1, INT_MAX, UNSET),
    [CONFIG_CHANNELS_PER_NET_PEER] = RULE(nChannelsPerNetPeer, 1, 64, UNSET),
    [CONFIG_NVLINK_CENTRIC_SCHED] = RULE(nvlinkCentricSched, 0, 1, 0),
    [CONFIG_GRAPH_USAGE_MODE] = RULE(graphUsageMode, 0, 2, 2),
    [CONFIG_NUM_RMA_CTX] = RULE(numRmaCtx, 0, INT_MAX, 1),
    [CONFIG_NUM_RMA_SIG] = RULE(numRmaSig, 0, INT_MAX, 1),
    [CONFIG_MAX_P2P_PEERS] = RULE(maxP2pPeers, 1, INT_MAX, UNSET),
    [CONFIG_GRAPH_STREAM_ORDERING] = RULE(graphStreamOrdering, 0, 1, 1),
    [CONFIG_LAUNCH_ORDER_IMPLICIT] = RULE(launchOrderImplicit, 0, 1, 0),
    [CONFIG_RMA_EAGER_INIT] = RULE(rmaEagerInit, 0, 1, 0),
    [CONFIG_HOST_CFT_MODE] = RULE(hostCftMode, 1, 3, 2),
    [CONFIG_NVLS_HOST_MODE] = RULE(nvlsHostMode, 0, 3, 0),
    [CONFIG_TRAFFIC_CLASS] = RULE(trafficClass, INT_MIN, INT_MAX, UNSET),
};

/* The library knows a field when it and the application's header are new enough and the struct is
 * long enough. */
static bool config_is_known(const ncclConfig_t *config, size_t offset, size_t bytes, int since)
{
    return (int)config->version >= since && config->size >= offset + bytes && sim_version_now() >= since;
}

static int given_value(const ncclConfig_t *config, const struct rule *rule)
{
    int value = UNSET;
    if (config_is_known(config, rule->offset, sizeof value, rule->since))
        memcpy(&value, (const char *)config + rule->offset, sizeof value);
    return value;
}

static void given_text(const ncclConfig_t *config, size_t offset, int since, char *out)
{
    const char *text = NULL;
    if (config_is_known(config, offset, sizeof text, since))
        memcpy(&text, (const char *)config + offset, sizeof text);
    snprintf(out, CONFIG_TEXT, "%s", text ? text : "");
}

static int most_of(enum config_field field)
{
    return field == CONFIG_CTA_POLICY ? sim_config_most_policy() : rules[field].most;
}

int sim_config_most_policy(void)
{
    return sim_version_does(DOES_CTA_POLICY_BOTH) ? 3 : sim_version_does(DOES_CTA_POLICY_ZERO) ? 2 : 1;
}

/* Every bit of nvlsHostMode stands for a component to switch off; INT_MAX is all of them. */
static bool is_in_range(enum config_field field, int value)
{
    return (value >= rules[field].least && value <= most_of(field)) || value == UNSET ||
           (field == CONFIG_NVLS_HOST_MODE && value == INT_MAX);
}

/* Checked before defaults are filled in, so up to 2.30 a minimum is above a maximum that is not set. */
static bool fits_ctas(int least, int most)
{
    if ((least != UNSET && least <= 0) || (most != UNSET && most <= 0))
        return false;
    return least <= most || (most == UNSET && sim_version_does(DOES_MIN_ALONE));
}

static int check_values(const int *value)
{
    for (int i = 0; i < CONFIG_FIELDS; i++) {
        if (i == CONFIG_MIN_CTAS) {
            int least = value[i], most = value[++i];
            if (!fits_ctas(least, most)) {
                sim_warn("Invalid config min/max channels attribute value %d/%d", least, most);
                return ncclInvalidArgument;
            }
            continue;
        }
        if (!is_in_range((enum config_field)i, value[i])) {
            bool odd = i == CONFIG_GRAPH_USAGE_MODE && !sim_version_does(DOES_SPELL_INVALID); /* NCCL's spelling */
            sim_warn("%s config %s attribute value %d", odd ? "Invalig" : "Invalid", rules[i].name, value[i]);
            return ncclInvalidArgument;
        }
    }
    return ncclSuccess;
}

static int read_given(const ncclConfig_t *given, struct comm_config *out)
{
    if (given->magic != NCCL_CONFIG_MAGIC) {
        sim_warn("ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
        return ncclInvalidArgument;
    }
    for (int i = 0; i < CONFIG_FIELDS; i++)
        out->value[i] = given_value(given, &rules[i]);
    given_text(given, offsetof(ncclConfig_t, netName), rules[CONFIG_MIN_CTAS].since, out->net_name);
    given_text(given, offsetof(ncclConfig_t, commName), rules[CONFIG_CTA_POLICY].since, out->comm_name);
    return check_values(out->value);
}

int sim_config_read(const ncclConfig_t *given, const struct comm_config *parent, struct comm_config *out)
{
    *out = (struct comm_config){ 0 };
    if (given) {
        int rc = read_given(given, out);
        if (rc)
            return rc;
    } else if (parent) {
        *out = *parent;
    } else {
        for (int i = 0; i < CONFIG_FIELDS; i++)
            out->value[i] = UNSET;
    }
    for (int i = 0; i < CONFIG_FIELDS; i++)
        if (out->value[i] == UNSET)
            out->value[i] = rules[i].fallback;
    sim_config_override(out);
    return ncclSuccess;
}
