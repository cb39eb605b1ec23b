#define _GNU_SOURCE /* environ */
#include "shim/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/version.h"
#include "base/launcher.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/str.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"

#define DEVICES 8
#define DEVICES_MOST 1024
#define STALL ((int64_t)2 * 1000000000)
#define PATIENCE ((int64_t)30 * 1000000000)

/* ---- the variables of exec ---- */

/* Each returns the expected form; NULL = the text is valid. */

static const char *read_devices(struct ncs_shim_settings *s, const char *text)
{
    int64_t n;
    if (!ncs_parse_int(text, &n) || n < 1 || n > DEVICES_MOST)
        return "a number of devices from 1 to 1024";
    s->devices = (int)n;
    return NULL;
}

static const char *read_version(struct ncs_shim_settings *s, const char *text)
{
    int code = ncs_nccl_version_code(text);
    if (!ncs_nccl_is_profile(code))
        return "one of " NCS_NCCL_ONE_OF;
    s->nccl_version = code;
    return NULL;
}

static const char *read_policy(struct ncs_shim_settings *s, const char *text)
{
    s->typical = strcmp(text, "typical") == 0;
    return s->typical || strcmp(text, "strict") == 0 ? NULL : "strict or typical";
}

static const char *read_timeout(struct ncs_shim_settings *s, const char *text)
{
    return ncs_parse_duration(text, &s->timeout) ? NULL : "a time, as 10s";
}

static const char *read_stall(struct ncs_shim_settings *s, const char *text)
{
    return ncs_parse_duration(text, &s->stall) ? NULL : "a time, as 2s";
}

static const char *read_patience(struct ncs_shim_settings *s, const char *text)
{
    int64_t patience;
    if (!ncs_parse_duration(text, &patience) || patience == 0)
        return "a time, as 30s";
    s->patience = patience;
    return NULL;
}

/* The library above reads what most of these say. */
static const char *read_format(struct ncs_shim_settings *s, const char *text)
{
    s->format = text;
    return NULL;
}

static const char *read_report(struct ncs_shim_settings *s, const char *text)
{
    s->report = text;
    return NULL;
}

static const char *read_debug(struct ncs_shim_settings *s, const char *text)
{
    s->debug = strcmp(text, "diagnosis") == 0;
    return s->debug ? NULL : "diagnosis";
}

static const char *read_kernels(struct ncs_shim_settings *s, const char *text)
{
    s->skips_kernels = strcmp(text, "skip") == 0;
    return s->skips_kernels || strcmp(text, "fail") == 0 ? NULL : "fail or skip";
}

static bool is_switched_on(const char *text)
{
    return strcmp(text, "") != 0 && strcmp(text, "0") != 0;
}

static const char *read_shim_verify(struct ncs_shim_settings *s, const char *text)
{
    s->verify = is_switched_on(text);
    return NULL;
}

static const char *read_shim_seed(struct ncs_shim_settings *s, const char *text)
{
    int64_t seed;
    if (!ncs_parse_int(text, &seed) || seed < 0)
        return "a number from 0";
    s->seed = (uint64_t)seed;
    return NULL;
}

static const char *read_faults(struct ncs_shim_settings *s, const char *text)
{
    s->faults = text;
    return NULL;
}

static const char *read_fail_on(struct ncs_shim_settings *s, const char *text)
{
    s->fail_on = text;
    return NULL;
}

static const char *read_html(struct ncs_shim_settings *s, const char *text)
{
    s->html = text[0] ? text : NULL;
    return NULL;
}

static const char *read_trace(struct ncs_shim_settings *s, const char *text)
{
    s->trace = text[0] ? text : NULL;
    return NULL;
}

static const char *read_scenario_file(struct ncs_shim_settings *s, const char *text)
{
    s->scenario = text[0] ? text : NULL;
    return NULL;
}

static const char *read_sites(struct ncs_shim_settings *s, const char *text)
{
    int64_t rank;
    if (!ncs_parse_int(text, &rank) || rank < 0 || rank > INT32_MAX)
        return "a rank";
    s->sites = (int)rank;
    return NULL;
}

static const char *read_quiet(struct ncs_shim_settings *s, const char *text)
{
    s->quiet = is_switched_on(text);
    return NULL;
}

static const struct {
    const char *name;
    const char *(*read)(struct ncs_shim_settings *s, const char *text);
} variables[] = {
    { "NCCLSCRIPT_GPUS", read_devices },
    { "NCCLSCRIPT_NCCL_VERSION", read_version },
    { "NCCLSCRIPT_POLICY", read_policy },
    { "NCCLSCRIPT_TIMEOUT", read_timeout },
    { "NCCLSCRIPT_STALL", read_stall },
    { "NCCLSCRIPT_PATIENCE", read_patience },
    { "NCCLSCRIPT_FORMAT", read_format },
    { "NCCLSCRIPT_REPORT", read_report },
    { "NCCLSCRIPT_DEBUG", read_debug },
    { "NCCLSCRIPT_QUIET", read_quiet },
    { "NCCLSCRIPT_KERNELS", read_kernels },
    { "NCCLSCRIPT_VERIFY", read_shim_verify },
    { "NCCLSCRIPT_SEED", read_shim_seed },
    { "NCCLSCRIPT_FAULTS", read_faults },
    { "NCCLSCRIPT_SITES", read_sites },
    { "NCCLSCRIPT_FAIL_ON", read_fail_on },
    { "NCCLSCRIPT_HTML", read_html },
    { "NCCLSCRIPT_TRACE", read_trace },
    { "NCCLSCRIPT_SCENARIO", read_scenario_file },
};

static void read_variables(struct ncs_shim_settings *s)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = variables[i].name, *text = getenv(name);
        const char *expected = text ? variables[i].read(s, text) : NULL;
        if (expected)
            ncs_shim_warn("%s=%s is ignored: expected %s", name, text, expected);
    }
}

/* ---- variables of CUDA, NCCL and launchers ---- */

/* The simulator has as many devices as exec's option says; CUDA_VISIBLE_DEVICES selects those
 * that the program sees. */
static void choose_devices(struct ncs_shim_settings *s)
{
    static int number[DEVICES_MOST];
    const char *text = getenv("CUDA_VISIBLE_DEVICES");
    s->visible = text ? sim_outside_visible(text, s->devices, number) : s->devices;
    s->number = text ? number : NULL;
}

/* True for a variable such as NCCL_NET_PLUGIN whose value names a plugin. */
static bool names_plugin(const char *variable)
{
    static const char begin[] = "NCCL_", end[] = "_PLUGIN=";
    const char *value = strstr(variable, end);
    if (!value || strncmp(variable, begin, strlen(begin)) != 0)
        return false;
    value += strlen(end);
    return value[0] && strcmp(value, "none") != 0;
}

void ncs_shim_warn_of_plugins(void)
{
    struct ncs_str names = { 0 };
    int count = 0;
    for (char **variable = environ; variable && *variable; variable++)
        if (names_plugin(*variable)) {
            ncs_str_add(&names, count++ ? ", " : "");
            ncs_str_add_bytes(&names, *variable, strcspn(*variable, "="));
        }
    if (count)
        ncs_shim_warn("%s: ignored, because the simulator loads no plugins", names.text);
    ncs_str_free(&names);
}

void ncs_shim_read_settings(struct ncs_shim_settings *s)
{
    *s = (struct ncs_shim_settings){
        .devices = DEVICES, .nccl_version = NCS_NCCL_DEFAULT, .stall = STALL, .patience = PATIENCE, .sites = -1, .format = "text"
    };
    read_variables(s);
    choose_devices(s);
    s->launcher = ncs_launcher_variable(&s->single);
}
