/* Versions of NCCL, what the simulator does by them, and the table of its environment. */
#include <string.h>

#include "api/driver.h"
#include "api/environment.h"
#include "api/version.h"
#include "harness.h"
#include "sim/comm/bootstrap.h"
#include "sim/comm/check.h"
#include "sim/comm/config.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/version.h"

START_TEST(test_codes)
{
    char text[16];
    ck_assert_int_eq(ncs_nccl_version_code("2.30.7"), 23007);
    ck_assert_int_eq(ncs_nccl_version_code("2.29"), 22900);
    ck_assert_int_eq(ncs_nccl_version_code("2.7.8"), 2708);
    ck_assert_str_eq(ncs_nccl_version_text(2708, text, sizeof text), "2.7.8");
    ck_assert_str_eq(ncs_nccl_version_text(0, text, sizeof text), NCS_NCCL_DEFAULT_TEXT);
    static const char *const none[] = { "", "2", "2.", "2.x", "2.30.7.1", "2.30.x", "-2.3", "2.100.1", "2.30.7 " };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(ncs_nccl_version_code(none[i]) == 0, "`%s`", none[i]);
}
END_TEST

START_TEST(test_profiles)
{
    int last = 0;
    for (const char *const *p = ncs_nccl_profiles; *p; p++) {
        int code = ncs_nccl_version_code(*p);
        ck_assert_int_gt(code, last);
        ck_assert(ncs_nccl_is_profile(code));
        last = code;
    }
    ck_assert(ncs_nccl_is_profile(NCS_NCCL_DEFAULT));
    ck_assert_int_eq(last, ncs_nccl_version_code(NCS_NCCL_NEWEST));
    ck_assert(!ncs_nccl_is_profile(22903));
    ck_assert(!ncs_nccl_is_profile(0));
    ck_assert_ptr_null(ncs_nccl_profile_before(22505));
    ck_assert_str_eq(ncs_nccl_profile_before(22602), NCS_NCCL_OLDEST);
    ck_assert_str_eq(ncs_nccl_profile_before(22808), "2.27.5");
    ck_assert_str_eq(ncs_nccl_profile_before(23203), "2.32.3");
    ck_assert_str_eq(ncs_nccl_profile_before(23300), NCS_NCCL_NEWEST);
}
END_TEST

/* The oldest profile does nothing of what later ones do differently, the newest all of it. */
START_TEST(test_differences)
{
    for (int what = 0; what < DOES_COUNT; what++) {
        sim_world.options.nccl_version = ncs_nccl_version_code(NCS_NCCL_OLDEST);
        ck_assert(!sim_version_does((enum nccl_does)what));
        sim_world.options.nccl_version = ncs_nccl_version_code(NCS_NCCL_NEWEST);
        ck_assert(sim_version_does((enum nccl_does)what));
    }
    sim_world.options.nccl_version = 22907;
    ck_assert(sim_version_does(DOES_CHECK_MODE) && !sim_version_does(DOES_SHARE_GPU));
}
END_TEST

/* Every function is there exactly when the version has it. */
START_TEST(test_functions)
{
    struct ncs_error err;
    for (const char *const *p = ncs_nccl_profiles; *p; p++) {
        int version = ncs_nccl_version_code(*p);
        const struct ncs_machine *m = ncs_driver_sim.machine;
        ck_assert(m->open(&(struct ncs_machine_options){ .nccl_version = version }, &err));
        ck_assert(ncs_api_has(ncs_driver_sim.api, NCS_FN_ncclAllReduce));
        ck_assert_int_eq(ncs_api_has(ncs_driver_sim.api, NCS_FN_ncclParamBind), version >= 23004);
        for (int fn = 0; fn < NCS_FN_COUNT; fn++)
            if (ncs_api_has(ncs_driver_sim.api, (enum ncs_fn)fn))
                ck_assert_msg(ncs_fn_info[fn].since <= version, "%s", ncs_fn_info[fn].name);
        m->close();
    }
}
END_TEST

START_TEST(test_rows)
{
    sim_world.options.nccl_version = ncs_nccl_version_code(NCS_NCCL_NEWEST);
    for (int i = 0; i < ENV_COUNT; i++) {
        ck_assert_msg(sim_env_rows[i].key != NULL, "row %d", i);
        ck_assert(strncmp(sim_env_rows[i].key, "NCCL_", 5) == 0);
        ck_assert_int_eq(sim_env_find(sim_env_rows[i].key), i);
        if (i > 0)
            ck_assert_str_lt(sim_env_rows[i - 1].key, sim_env_rows[i].key);
        bool open = ncs_environment_allows(sim_env_rows[i].key, strlen(sim_env_rows[i].key), false, NULL);
        ck_assert_msg(open == (i != ENV_DEBUG_FILE), "%s: a scenario may set it", sim_env_rows[i].key);
    }
    ck_assert_int_eq(sim_env_find("NCCL_NO_SUCH"), -1);
    sim_world.options.nccl_version = 22809;
    ck_assert_int_eq(sim_env_find("NCCL_CHECK_MODE"), -1);
}
END_TEST

START_TEST(test_values)
{
    sim_world.options.nccl_version = 23007;
    unsetenv("NCCL_NVLS_ENABLE");
    ck_assert_int_eq(sim_env_number(ENV_NVLS_ENABLE), 2);
    static const struct {
        const char *text;
        int64_t value;
    } table[] = { { "1", 1 }, { "0x10", 16 }, { "-3", -3 }, { "", 2 }, { "on", 2 }, { "1x", 2 }, { "99999999999999999999", 2 } };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        setenv("NCCL_NVLS_ENABLE", table[i].text, 1);
        ck_assert_msg(sim_env_number(ENV_NVLS_ENABLE) == table[i].value, "`%s`", table[i].text);
    }
    /* A version does not know what came later. */
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
    ck_assert_int_eq(sim_env_number(ENV_MULTI_RANK_GPU_ENABLE), 1);
    sim_world.options.nccl_version = 22809;
    ck_assert_int_eq(sim_env_number(ENV_MULTI_RANK_GPU_ENABLE), 0);
}
END_TEST

/* The environment wins over a configuration; what makes no sense is left out or capped. */
START_TEST(test_overrides)
{
    static const struct {
        const char *name, *value;
        int version;
        enum config_field field;
        int is;
    } table[] = {
        { "COMM_BLOCKING", "0", 23007, CONFIG_BLOCKING, 0 },
        { "COMM_BLOCKING", "2", 23007, CONFIG_BLOCKING, 1 },
        { "MAX_CTAS", "1000", 23007, CONFIG_MAX_CTAS, 64 },
        { "MAX_CTAS", "0", 23007, CONFIG_MAX_CTAS, 64 },
        { "MIN_CTAS", "100", 23007, CONFIG_MIN_CTAS, 64 },
        { "CGA_CLUSTER_SIZE", "99", 23007, CONFIG_CGA_CLUSTER_SIZE, 8 },
        { "COMM_SPLIT_SHARE_RESOURCES", "1", 23007, CONFIG_SPLIT_SHARE, 1 },
        { "CTA_POLICY", "3", 23007, CONFIG_CTA_POLICY, 2 },
        { "CTA_POLICY", "3", 22809, CONFIG_CTA_POLICY, 0 },
        { "GRAPH_MIXING_SUPPORT", "0", 23007, CONFIG_GRAPH_USAGE_MODE, 0 },
        { "GRAPH_MIXING_SUPPORT", "1", 23007, CONFIG_GRAPH_USAGE_MODE, 2 },
        { "GRAPH_STREAM_ORDERING", "0", 23007, CONFIG_GRAPH_STREAM_ORDERING, 1 },
        { "NUM_RMA_CTX", "4", 23007, CONFIG_NUM_RMA_CTX, 4 },
        { "NUM_RMA_CTX", "4", 22809, CONFIG_NUM_RMA_CTX, 1 },
        { "P2P_MAX_PEERS", "4", 22907, CONFIG_MAX_P2P_PEERS, NCCL_CONFIG_UNDEF_INT },
    };
    struct comm_config config;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char name[64];
        snprintf(name, sizeof name, "NCCL_%s", table[i].name);
        setenv(name, table[i].value, 1);
        sim_world.options.nccl_version = table[i].version;
        ck_assert_int_eq(sim_config_read(NULL, NULL, &config), 0);
        ck_assert_msg(config.value[table[i].field] == table[i].is, "%s=%s: %d", name, table[i].value,
                      config.value[table[i].field]);
        unsetenv(name);
    }
    setenv("NCCL_NET", "Socket", 1);
    ck_assert_int_eq(sim_config_read(NULL, NULL, &config), 0);
    ck_assert_str_eq(config.net_name, "Socket");
}
END_TEST

/* A field counts when the caller's header, the struct's size and the library all have it. */
START_TEST(test_masks)
{
    static const struct {
        int as;
        unsigned header;
        size_t size;
        int rc;
    } table[] = {
        { 23007, 23007, 96, 4 },
        { 22809, 23007, 96, 0 },
        { 23007, 22809, 96, 0 },
        { 23007, 23007, 80, 0 },
    };
    struct comm_config out;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ncclConfig_t config;
        ncclConfig_t *c = &config;
        memset(c, 0, sizeof *c);
        *c = (ncclConfig_t){ .size = table[i].size,
                             .magic = NCCL_CONFIG_MAGIC,
                             .version = table[i].header,
                             .blocking = 1,
                             .cgaClusterSize = 4,
                             .minCTAs = 1,
                             .maxCTAs = 2,
                             .nvlsCTAs = 1,
                             .nChannelsPerNetPeer = 1,
                             .graphUsageMode = 3 /* no such mode: wrong where the field counts */,
                             .maxP2pPeers = 1 };
        sim_world.options.nccl_version = table[i].as;
        ck_assert_msg(sim_config_read(c, NULL, &out) == table[i].rc, "row %zu", i);
    }
}
END_TEST

/* What a version says of a field's value: nothing, or that it refuses it. */
START_TEST(test_config_values)
{
    static const struct {
        int version;
        size_t offset;
        int value;
        const char *text;
    } table[] = {
#define VALUE(version, field, value, text) { version, offsetof(ncclConfig_t, field), value, text }
        VALUE(22602, CTAPolicy, 7, ""),
        VALUE(22703, CTAPolicy, 1, ""),
        VALUE(22705, CTAPolicy, 2, "Invalid config policy attribute value 2"),
        VALUE(22809, CTAPolicy, 2, ""),
        VALUE(22809, CTAPolicy, 3, "Invalid config policy attribute value 3"),
        VALUE(22902, CTAPolicy, 3, ""),
        VALUE(22705, nvlinkCentricSched, 7, ""),
        VALUE(22809, nvlinkCentricSched, 7, "Invalid config nvlinkCentricSched attribute value 7"),
        VALUE(23007, graphUsageMode, 3, "Invalig config graphUsageMode attribute value 3"),
        VALUE(23102, graphUsageMode, 3, "Invalid config graphUsageMode attribute value 3"),
        VALUE(23007, minCTAs, 4, "Invalid config min/max channels attribute value 4/-2147483648"),
        VALUE(23102, minCTAs, 4, ""),
        VALUE(23203, minCTAs, 0, "Invalid config min/max channels attribute value 0/-2147483648"),
        VALUE(23007, launchOrderImplicit, 7, ""),
        VALUE(23102, launchOrderImplicit, 2, "Invalid config launchOrderImplicit attribute value 2"),
        VALUE(23102, numRmaSig, 0, ""),
        VALUE(23102, numRmaSig, -1, "Invalid config numRmaSig attribute value -1"),
        VALUE(23102, rmaEagerInit, 2, "Invalid config rmaEagerInit attribute value 2"),
        VALUE(23102, hostCftMode, 0, "Invalid config hostCftMode attribute value 0"),
        VALUE(23102, hostCftMode, 3, ""),
        VALUE(23102, hostCftMode, 4, "Invalid config hostCftMode attribute value 4"),
        VALUE(23102, nvlsHostMode, 4, ""),
        VALUE(23203, nvlsHostMode, 3, ""),
        VALUE(23203, nvlsHostMode, INT_MAX, ""),
        VALUE(23203, nvlsHostMode, 4, "Invalid config nvlsHostMode attribute value 4"),
#undef VALUE
    };
    struct comm_config out;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        memcpy((char *)&config + table[i].offset, &table[i].value, sizeof(int));
        sim_world.options.nccl_version = table[i].version;
        int rc = sim_config_read(&config, NULL, &out);
        ck_assert_msg(rc == (*table[i].text ? 4 : 0), "row %zu: %d", i, rc);
    }
}
END_TEST

/* The size that an application's header of a version gives the configuration. */
START_TEST(test_config_sizes)
{
    static const struct {
        int version;
        size_t size;
    } table[] = { { 22602, 48 }, { 22703, 72 }, { 22705, 72 }, { 22809, 80 }, { 23007, 96 }, { 23102, 112 }, { 23203, 120 } };
    ck_assert_uint_eq(sizeof(ncclConfig_t), 120);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t as = 0; as < sizeof table / sizeof *table; as++) {
            struct comm_config out;
            ncclConfig_t config;
            memset(&config, 0x80, sizeof config); /* behind its size there may be anything */
            ncclConfig_t unset = NCCL_CONFIG_INITIALIZER;
            memcpy(&config, &unset, table[i].size);
            config.size = table[i].size;
            config.version = (unsigned)table[i].version;
            sim_world.options.nccl_version = table[as].version;
            ck_assert_int_eq(sim_config_read(&config, NULL, &out), 0);
            ck_assert_int_eq(out.value[CONFIG_HOST_CFT_MODE], 2);
        }
}
END_TEST

START_TEST(test_check_mode)
{
    static const struct {
        int version;
        const char *pointers, *mode;
        enum check_mode is;
    } table[] = {
        { 22809, "1", "DEFAULT", CHECK_LOCAL },
        { 22809, "0", "DEBUG_LOCAL", CHECK_NONE },
        { 22907, "1", "DEFAULT", CHECK_NONE },
        { 22907, "0", "debug_local", CHECK_LOCAL },
        { 23007, "0", "DEBUG_GLOBAL", CHECK_GLOBAL },
        { 23007, "1", "", CHECK_LOCAL },
        { 23007, "0", "", CHECK_NONE },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sim_world.options.nccl_version = table[i].version;
        setenv("NCCL_CHECK_POINTERS", table[i].pointers, 1);
        setenv("NCCL_CHECK_MODE", table[i].mode, 1);
        ck_assert_msg(sim_check_mode_now() == table[i].is, "row %zu", i);
    }
}
END_TEST

START_TEST(test_bootstrap)
{
    static const struct {
        const char *address, *names;
        int rc;
    } table[] = {
        { "", "", 0 },       { "", "eth", 0 },        { "", "ib0", 5 },     { "", "ib,lo", 0 },     { "", "=eth", 5 },
        { "", "=eth0", 0 },  { "", "^eth", 0 },       { "", "^eth,lo", 5 }, { "head:1234", "", 0 }, { "head:1234", "ib0", 0 },
        { "head", "", 4 },   { ":1234", "", 4 },      { "head:", "", 4 },   { "head:x", "", 4 },    { "[::1]:80", "", 0 },
        { "::1:80", "", 4 }, { "head:70000", "", 4 },
    };
    sim_world.options.nccl_version = 23007;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        setenv("NCCL_COMM_ID", table[i].address, 1);
        setenv("NCCL_SOCKET_IFNAME", table[i].names, 1);
        ck_assert_msg(sim_bootstrap_check() == table[i].rc, "row %zu", i);
    }
    unsetenv("NCCL_SOCKET_RETRY_CNT");
    unsetenv("NCCL_SOCKET_RETRY_SLEEP_MSEC");
    ck_assert_int_eq(sim_bootstrap_retry_time() / 1000000000, 59);
    setenv("NCCL_SOCKET_RETRY_CNT", "1000000", 1);
    setenv("NCCL_SOCKET_RETRY_SLEEP_MSEC", "1000000", 1);
    ck_assert_int_gt(sim_bootstrap_retry_time(), 1000000000);
}
END_TEST

NCS_TEST_MAIN("version", test_codes, test_profiles, test_differences, test_functions, test_rows, test_values, test_overrides,
              test_masks, test_config_values, test_config_sizes, test_check_mode, test_bootstrap)
