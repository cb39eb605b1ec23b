#include "scenario/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"

#define DEFAULT_RANKS 2

void ncs_scenario_init(struct ncs_scenario *s, const char *file)
{
    *s = (struct ncs_scenario){
        .file = ncs_copy_text(file),
        .ranks = DEFAULT_RANKS,
        .hosts = { .devices = NCS_DEVICES_USUAL },
        .world = true,
        .outcome = { .verdict = NCS_PASS, .comm = ncs_copy_text("world"), .rank = -1 },
        .policy = NCS_POLICY_STRICT,
        .verify = true,
        .sim_eager = UINT64_MAX,
    };
}

void ncs_scenario_free(struct ncs_scenario *s)
{
    for (size_t i = 0; i < s->params; i++)
        ncs_param_free(&s->param[i]);
    NCS_FREE_ALL(s->env, s->envs);
    NCS_FREE_EACH(s->owns.own, s->owns.count, variable);
    ncs_free(s->hosts.first);
    ncs_free(s->hosts.capability);
    ncs_free(s->param);
    ncs_free(s->file);
    ncs_free(s->about);
    ncs_free(s->needs_driver);
    ncs_outcome_free(&s->outcome);
    NCS_FREE_ALL(s->bug.thread, s->bug.threads);
    ncs_free(s->bug.entry);
    ncs_free(s->bug.nccl);
    *s = (struct ncs_scenario){ 0 };
}

void ncs_scenario_add_own(struct ncs_scenario *s, struct ncs_own own)
{
    s->owns.own = ncs_resize(s->owns.own, (s->owns.count + 1) * sizeof *s->owns.own);
    s->owns.own[s->owns.count++] = own;
}

/* ---- parameters ---- */

struct ncs_param ncs_param_copy(const struct ncs_param *p)
{
    struct ncs_param copy = *p;
    copy.name = ncs_copy_text(p->name);
    copy.text = ncs_copy_text(p->text);
    return copy;
}

void ncs_param_free(struct ncs_param *p)
{
    ncs_free(p->name);
    ncs_free(p->text);
    *p = (struct ncs_param){ 0 };
}

bool ncs_param_same(const struct ncs_param *a, const struct ncs_param *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case NCS_PARAM_NUMBER: return a->d == b->d;
    case NCS_PARAM_TEXT: return strcmp(a->text, b->text) == 0;
    default: return a->i == b->i;
    }
}

/* Appends a number with as few digits as identify it. */
static void scenario_add_number(double d, struct ncs_str *out)
{
    char digits[40];
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, d);
        if (strtod(digits, NULL) == d)
            break;
    }
    ncs_str_add(out, digits);
}

void ncs_param_text(const struct ncs_param *p, struct ncs_str *out)
{
    switch (p->kind) {
    case NCS_PARAM_INT: ncs_str_addf(out, "%" PRId64, p->i); break;
    case NCS_PARAM_NUMBER: scenario_add_number(p->d, out); break;
    case NCS_PARAM_TEXT: ncs_str_add(out, p->text); break;
    case NCS_PARAM_BOOL: ncs_str_add(out, p->i ? "true" : "false"); break;
    }
}

static struct ncs_param *find_param(const struct ncs_scenario *s, const char *name)
{
    for (size_t i = 0; i < s->params; i++)
        if (strcmp(s->param[i].name, name) == 0)
            return &s->param[i];
    return NULL;
}

const struct ncs_param *ncs_scenario_param(const struct ncs_scenario *s, const char *name)
{
    return find_param(s, name);
}

static bool parse_number(const char *text, double *value)
{
    /* strtod would accept leading blanks. */
    if (strchr(" \t\n\v\f\r", text[0]))
        return false;
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

/* Parses an integer, or a float with a whole value. */
static bool parse_whole(const char *text, int64_t *value)
{
    double number;
    if (ncs_parse_int(text, value))
        return true;
    if (!parse_number(text, &number) || number != floor(number) || fabs(number) > 0x1p53)
        return false;
    *value = (int64_t)number;
    return true;
}

static bool parse_bool(const char *text, int64_t *value)
{
    *value = strcmp(text, "true") == 0;
    return *value || strcmp(text, "false") == 0;
}

static const char *const expected_kinds[] = {
    [NCS_PARAM_INT] = "an integer",
    [NCS_PARAM_NUMBER] = "a number",
    [NCS_PARAM_TEXT] = "a text",
    [NCS_PARAM_BOOL] = "true or false",
};

/* Keeps the old value if the text is not a value of the kind. */
static bool scenario_assign(struct ncs_param *p, const char *text)
{
    struct ncs_param new = *p;
    bool done = true;
    switch (p->kind) {
    case NCS_PARAM_INT: done = parse_whole(text, &new.i); break;
    case NCS_PARAM_NUMBER: done = parse_number(text, &new.d); break;
    case NCS_PARAM_BOOL: done = parse_bool(text, &new.i); break;
    case NCS_PARAM_TEXT:
        new.text = ncs_copy_text(text);
        ncs_free(p->text);
        break;
    }
    if (done)
        *p = new;
    return done;
}

static bool unknown_param(const struct ncs_scenario *s, const char *name, struct ncs_error *err)
{
    ncs_fail(err, NCS_BAD_INPUT, "no parameter `%s`", name);
    ncs_fail_at(err, s->file, 0, 0); /* no line of it is wrong */
    if (s->params == 0)
        return ncs_fail_hint(err, "the scenario declares no params");
    const char **names = ncs_new(s->params * sizeof *names);
    for (size_t i = 0; i < s->params; i++)
        names[i] = s->param[i].name;
    const char *near = ncs_nearest(name, names, s->params);
    if (near) {
        ncs_fail_hint(err, "did you mean `%s`?", near);
    } else {
        struct ncs_str list = { 0 };
        for (size_t i = 0; i < s->params; i++)
            ncs_str_addf(&list, "%s`%s`", i ? ", " : "", names[i]);
        ncs_fail_hint(err, "the scenario has %s", list.text);
        ncs_str_free(&list);
    }
    ncs_free(names);
    return false;
}

bool ncs_scenario_set(struct ncs_scenario *s, const char *assignment, struct ncs_error *err)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return ncs_fail(err, NCS_BAD_INPUT, "`%s`: expected name=value", assignment);
    struct ncs_str name = { 0 };
    ncs_str_add_bytes(&name, assignment, (size_t)(equals - assignment));
    struct ncs_param *p = find_param(s, name.text);
    bool done;
    if (!p)
        done = unknown_param(s, name.text, err);
    else if (scenario_assign(p, equals + 1))
        done = true;
    else
        done = ncs_fail(err, NCS_BAD_INPUT, "parameter `%s`: `%s`: expected %s", name.text, equals + 1, expected_kinds[p->kind]);
    ncs_str_free(&name);
    return done;
}

void ncs_scenario_set_value(struct ncs_scenario *s, const struct ncs_param *value)
{
    struct ncs_param *p = find_param(s, value->name);
    if (!p)
        return;
    ncs_param_free(p);
    *p = ncs_param_copy(value);
}

/* ---- needs ---- */

/* GPUs of the simulated machine: whole hosts, as many as the ranks fill. */
static int simulated_gpus(const struct ncs_scenario *s, const struct ncs_run_options *o)
{
    const struct ncs_shape *hosts = o->hosts.devices > 0 ? &o->hosts : &s->hosts;
    int ranks = o->ranks > 0 ? o->ranks : s->ranks, last = ncs_shape_seat(hosts, ranks - 1).host, gpus = 0;
    for (int host = 0; host <= last; host++)
        gpus += ncs_shape_devices(hosts, host);
    return gpus;
}

struct ncs_run_options ncs_scenario_options(const struct ncs_scenario *s)
{
    return (struct ncs_run_options){
        .driver = "sim",
        .ranks = s->ranks,
        .hosts = s->hosts,
        .policy = s->policy,
        .eager = s->sim_eager,
        .kernel_slots = s->sim_lanes,
        .verify = s->verify,
        .timeout = s->timeout,
        .nccl_version = s->sim_nccl,
        .device_memory = s->sim_memory,
        .ready_after = s->sim_ready_after,
        .quirks = s->sim_quirks,
        .model = s->sim_model,
        .needs_nccl = s->needs_nccl,
        .needs_gpus = s->needs_gpus,
        .env = s->env,
        .envs = s->envs,
        .owns = s->owns,
    };
}

bool ncs_scenario_can_run(const struct ncs_scenario *s, const struct ncs_run_options *options, struct ncs_str *reason)
{
    char want[16], have[16];
    if (s->needs_driver && strcmp(s->needs_driver, options->driver) != 0) {
        ncs_str_addf(reason, "needs driver `%s`, this run is on `%s`", s->needs_driver, options->driver);
        return false;
    }
    if (strcmp(options->driver, "sim") != 0)
        return true; /* the library's version and the devices are known once it is open */
    int nccl = options->nccl_version ? options->nccl_version : NCS_NCCL_DEFAULT;
    if (s->needs_nccl > nccl) {
        ncs_str_addf(reason, "needs NCCL %s or newer, this is %s", ncs_nccl_version_text(s->needs_nccl, want, sizeof want),
                     ncs_nccl_version_text(nccl, have, sizeof have));
        return false;
    }
    int gpus = simulated_gpus(s, options);
    if (s->needs_gpus > gpus) {
        ncs_str_addf(reason, "needs %d GPUs, the simulated machine has %d", s->needs_gpus, gpus);
        return false;
    }
    return true;
}
