/* How the environment overrides a configuration. It wins over the program. A senseless value is logged
 * and ignored; it is never an error. */
#include <string.h>

#include "sim/comm/config.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/log.h"
#include "sim/settings/version.h"

#define MOST_CTAS 64
#define MOST_CGA 8

struct override {
    enum env variable;
    enum config_field field;
    int least, most;
};

static const struct override overrides[] = {
    { ENV_COMM_BLOCKING, CONFIG_BLOCKING, 0, 1 },
    { ENV_CGA_CLUSTER_SIZE, CONFIG_CGA_CLUSTER_SIZE, 0, INT_MAX },
    { ENV_MIN_CTAS, CONFIG_MIN_CTAS, 1, INT_MAX },
    { ENV_MAX_CTAS, CONFIG_MAX_CTAS, 1, INT_MAX },
    { ENV_COMM_SPLIT_SHARE, CONFIG_SPLIT_SHARE, 0, 1 },
    { ENV_COLLNET_ENABLE, CONFIG_COLLNET_ENABLE, 0, 1 },
    { ENV_CTA_POLICY, CONFIG_CTA_POLICY, 0, 3 },
    { ENV_COMM_SHRINK_SHARE, CONFIG_SHRINK_SHARE, 0, 1 },
    { ENV_NVLS_NCHANNELS, CONFIG_NVLS_CTAS, 1, INT_MAX },
    { ENV_NCHANNELS_PER_NET_PEER, CONFIG_CHANNELS_PER_NET_PEER, 1, 64 },
    { ENV_NVLINK_CENTRIC_SCHED, CONFIG_NVLINK_CENTRIC_SCHED, 0, 1 },
    { ENV_GRAPH_MIXING_SUPPORT, CONFIG_GRAPH_USAGE_MODE, 0, 1 },
    { ENV_NUM_RMA_CTX, CONFIG_NUM_RMA_CTX, 0, INT_MAX },
    { ENV_P2P_MAX_PEERS, CONFIG_MAX_P2P_PEERS, 1, INT_MAX },
    { ENV_GRAPH_STREAM_ORDERING, CONFIG_GRAPH_STREAM_ORDERING, 0, 1 },
    { ENV_LAUNCH_ORDER_IMPLICIT, CONFIG_LAUNCH_ORDER_IMPLICIT, 0, 1 },
    { ENV_RMA_EAGER_INIT, CONFIG_RMA_EAGER_INIT, 0, 1 },
};

static void apply(const struct override *o, struct comm_config *config)
{
    int64_t given = sim_env_number(o->variable);
    int most = o->field == CONFIG_CTA_POLICY ? sim_config_most_policy() : o->most;
    if (given == ENV_UNSET) /* also where the version does not know the variable */
        return;
    if (given < o->least || given > most)
        sim_info(LOG_ENV, "%s: %lld is no valid value, leaving it set at %d", sim_env_rows[o->variable].key, (long long)given,
                 config->value[o->field]);
    else if (o->variable == ENV_GRAPH_MIXING_SUPPORT)
        config->value[o->field] = given ? 2 : 0;
    else
        config->value[o->field] = (int)given;
}

static void cap(int *value, int most, const char *name)
{
    if (*value <= most)
        return;
    sim_info(LOG_ENV, "%s %d is larger than the upper limit %d, cap it to %d", name, *value, most, most);
    *value = most;
}

void sim_config_override(struct comm_config *config)
{
    int *value = config->value;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++)
        apply(&overrides[i], config);
    cap(&value[CONFIG_CGA_CLUSTER_SIZE], MOST_CGA, "cgaClusterSize");
    cap(&value[CONFIG_MAX_CTAS], MOST_CTAS, "maxCTAs");
    cap(&value[CONFIG_MIN_CTAS], value[CONFIG_MAX_CTAS], "minCTAs");
    if (value[CONFIG_CTA_POLICY] == 3) {
        sim_info(LOG_INIT, "CTAPolicy 3 asks for efficiency and for no CTAs: no CTAs it is");
        value[CONFIG_CTA_POLICY] = 2;
    }
    if (value[CONFIG_GRAPH_STREAM_ORDERING] == 0 && value[CONFIG_GRAPH_USAGE_MODE] == 2) {
        sim_info(LOG_INIT, "graphStreamOrdering 0 needs a graphUsageMode other than 2: set to 1");
        value[CONFIG_GRAPH_STREAM_ORDERING] = 1;
    }
    const char *net = sim_env_text(ENV_NET);
    if (net) {
        strncpy(config->net_name, net, CONFIG_TEXT - 1);
        config->net_name[CONFIG_TEXT - 1] = '\0';
    }
}
