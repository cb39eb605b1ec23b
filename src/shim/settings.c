#define _GNU_SOURCE /* environ */
#include "shim/settings.h"

#include <stddef.h>
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

/* Readers of those whose form no other has: each returns the expected form; NULL = the text is valid. */

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

static const char *read_patience(struct ncs_shim_settings *s, const char *text)
{
    int64_t patience;
    if (!ncs_parse_duration(text, &patience) || patience == 0)
        return "a time, as 30s";
    s->patience = patience;
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

static const char *read_shim_seed(struct ncs_shim_settings *s, const char *text)
{
    int64_t seed;
    if (!ncs_parse_int(text, &seed) || seed < 0)
        return "a number from 0";
    s->seed = (uint64_t)seed;
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

/* A text is for the library above to read; a file's name that is empty is none; 0 switches off; a duration may be 0. */
enum variable_kind { OF_ITS_OWN, TEXT, FILE_NAME, SWITCH, DURATION };

static const struct {
    const char *name;
    enum variable_kind kind;
    size_t at; /* in the settings */
    const char *(*read)(struct ncs_shim_settings *s, const char *text);
} variables[] = {
#define AT(member) offsetof(struct ncs_shim_settings, member)
    { "NCCLSCRIPT_GPUS", OF_ITS_OWN, 0, read_devices },       { "NCCLSCRIPT_NCCL_VERSION", OF_ITS_OWN, 0, read_version },
    { "NCCLSCRIPT_POLICY", OF_ITS_OWN, 0, read_policy },      { "NCCLSCRIPT_TIMEOUT", DURATION, AT(timeout), NULL },
    { "NCCLSCRIPT_STALL", DURATION, AT(stall), NULL },        { "NCCLSCRIPT_PATIENCE", OF_ITS_OWN, 0, read_patience },
    { "NCCLSCRIPT_FORMAT", TEXT, AT(format), NULL },          { "NCCLSCRIPT_REPORT", TEXT, AT(report), NULL },
    { "NCCLSCRIPT_DEBUG", OF_ITS_OWN, 0, read_debug },        { "NCCLSCRIPT_QUIET", SWITCH, AT(quiet), NULL },
    { "NCCLSCRIPT_KERNELS", OF_ITS_OWN, 0, read_kernels },    { "NCCLSCRIPT_VERIFY", SWITCH, AT(verify), NULL },
    { "NCCLSCRIPT_SEED", OF_ITS_OWN, 0, read_shim_seed },     { "NCCLSCRIPT_FAULTS", TEXT, AT(faults), NULL },
    { "NCCLSCRIPT_SITES", OF_ITS_OWN, 0, read_sites },        { "NCCLSCRIPT_FAIL_ON", TEXT, AT(fail_on), NULL },
    { "NCCLSCRIPT_HTML", FILE_NAME, AT(html), NULL },         { "NCCLSCRIPT_TRACE", FILE_NAME, AT(trace), NULL },
    { "NCCLSCRIPT_SCENARIO", FILE_NAME, AT(scenario), NULL },
#undef AT
};

/* The expected form; NULL = the text is valid. */
static const char *read_member(enum variable_kind kind, void *member, const char *text)
{
    switch (kind) {
    case FILE_NAME: *(const char **)member = text[0] ? text : NULL; return NULL;
    case SWITCH: *(bool *)member = text[0] && strcmp(text, "0") != 0; return NULL;
    case DURATION: return ncs_parse_duration(text, member) ? NULL : "a time, as 10s";
    default: *(const char **)member = text; return NULL;
    }
}

static void read_variables(struct ncs_shim_settings *s)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i].name), *expected = NULL;
        if (text)
            expected = variables[i].read ? variables[i].read(s, text)
                                         : read_member(variables[i].kind, (char *)s + variables[i].at, text);
        if (expected)
            ncs_shim_warn("%s=%s is ignored: expected %s", variables[i].name, text, expected);
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
