/* The functions of libncclscript, over the rooms that `ncclscript run` uses. */
#include "ncclscript/ncclscript.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api/version.h"
#include "base/available.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/safe.h"
#include "report/report.h"
#include "script/script.h"

struct ncclscript_scenario {
    char *file;
    ncclscript_options options;
    struct ncs_script_settings settings;
    size_t sets;
    struct ncs_reading reading; /* the complaints about a file in YAML */
    struct ncs_script *script;  /* NULL: it does not load */
    struct ncs_cases cases;
    struct ncs_str error;
};

struct ncclscript_report {
    enum ncs_verdict verdict;
    bool as_expected;
    struct ncs_str json, text;
};

/* A process has one machine: whoever holds this has it. */
static pthread_mutex_t machine = PTHREAD_MUTEX_INITIALIZER;

const char *ncclscript_version(void)
{
    return NCCLSCRIPT_VERSION;
}

/* ---- errors ---- */

static ncclscript_code lib_code(const struct ncs_error *err)
{
    switch (err->status) {
    case NCS_OK: return NCCLSCRIPT_OK;
    case NCS_BAD_INPUT:
    case NCS_NO_DEVICE: return NCCLSCRIPT_INVALID;
    case NCS_NO_MEMORY: return NCCLSCRIPT_MEMORY;
    default: return NCCLSCRIPT_INTERNAL;
    }
}

static ncclscript_code lib_fail(ncclscript_scenario *s, const struct ncs_error *err)
{
    ncs_str_clear(&s->error);
    if (s->reading.complaints.errors) {
        ncs_complaints_text(&s->reading.complaints, &s->error);
    } else {
        ncs_safe_line(&s->error, err->file[0] ? err->file : "ncclscript");
        if (err->file[0] && err->line > 0)
            ncs_str_addf(&s->error, ":%d", err->line);
        if (err->file[0] && err->line > 0 && err->column > 0)
            ncs_str_addf(&s->error, ":%d", err->column);
        ncs_str_add(&s->error, ": error: ");
        ncs_safe_line(&s->error, err->text);
        if (err->hint[0]) {
            ncs_str_add(&s->error, "\n  hint: ");
            ncs_safe_line(&s->error, err->hint);
        }
    }
    while (s->error.bytes && s->error.text[s->error.bytes - 1] == '\n')
        s->error.text[--s->error.bytes] = 0;
    return lib_code(err);
}

const char *ncclscript_error(const ncclscript_scenario *scenario)
{
    return scenario && scenario->error.text ? scenario->error.text : "";
}

/* ---- options ---- */

/* The place of a word in a list; -1 = it is not there. */
static int lib_index(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

static bool read_options(ncclscript_scenario *s, const ncclscript_options *given, struct ncs_error *err)
{
    const ncclscript_options preset = NCCLSCRIPT_OPTIONS;
    ncclscript_options *o = &s->options;
    *o = preset;
    if (given && given->size < offsetof(ncclscript_options, memory))
        return ncs_fail(err, NCS_BAD_INPUT, "options.size is %zu: initialize with NCCLSCRIPT_OPTIONS", given->size);
    if (given)
        memcpy(o, given, given->size < sizeof *o ? given->size : sizeof *o);
    int policy = o->policy ? lib_index(ncs_policy_names, o->policy) : -1;
    int profile = o->nccl_version ? lib_index(ncs_nccl_profiles, o->nccl_version) : -1;
    if (o->policy && policy < 0)
        return ncs_fail(err, NCS_BAD_INPUT, "no policy \"%.60s\", expected strict or typical", o->policy);
    if (o->nccl_version && profile < 0)
        return ncs_fail(err, NCS_BAD_INPUT, "no NCCL \"%.60s\" is simulated", o->nccl_version);
    if (o->driver && strcmp(o->driver, "sim") != 0 && strcmp(o->driver, "nccl") != 0)
        return ncs_fail(err, NCS_BAD_INPUT, "no driver \"%.60s\", expected sim or nccl", o->driver);
    if (o->ranks < 0 || o->ranks > NCS_RANKS_MOST || o->seed < -1 || !(o->timeout >= 0) || o->timeout > 1e9)
        return ncs_fail(err, NCS_BAD_INPUT, "ranks, seed or timeout is out of range");
    while (o->set && o->set[s->sets])
        s->sets++;
    s->settings = (struct ncs_script_settings){
        .set = o->set,
        .sets = s->sets,
        .ranks = o->ranks,
        .seeded = o->seed >= 0,
        .seed = o->seed < 0 ? 0 : o->seed,
        .policy = policy,
        .nccl_version = profile < 0 ? 0 : ncs_nccl_version_code(o->nccl_version),
        .driver = o->driver ? o->driver : "sim",
        .unsafe = o->unsafe != 0,
        .reading = &s->reading,
    };
    return true;
}

static void limit_memory(const ncclscript_scenario *s)
{
    size_t bytes = s->options.memory ? (size_t)s->options.memory : ncs_available_memory("") / 2;
    ncs_budget_limit(bytes < NCS_BUDGET_LEAST ? NCS_BUDGET_LEAST : bytes);
}

/* ---- scenarios ---- */

ncclscript_code ncclscript_open(const char *file, const ncclscript_options *options, ncclscript_scenario **scenario)
{
    struct ncs_error err = { 0 };
    ncclscript_scenario *s = ncs_new(sizeof *s);
    *scenario = s;
    s->file = ncs_copy_text(file);
    pthread_mutex_lock(&machine);
    bool ok = read_options(s, options, &err);
    if (ok) {
        limit_memory(s);
        s->script = ncs_script_open(s->file, &s->settings, &err);
        ok = s->script && ncs_script_cases(s->script, &s->settings, &s->cases, &err);
    }
    ncclscript_code code = ok ? NCCLSCRIPT_OK : lib_fail(s, &err);
    if (!ok) {
        ncs_script_free(s->script);
        s->script = NULL;
    }
    pthread_mutex_unlock(&machine);
    return code;
}

void ncclscript_close(ncclscript_scenario *s)
{
    if (!s)
        return;
    ncs_script_free(s->script);
    ncs_cases_free(&s->cases);
    ncs_reading_close(&s->reading);
    ncs_str_free(&s->error);
    ncs_free(s->file);
    ncs_free(s);
}

size_t ncclscript_cases(const ncclscript_scenario *s)
{
    return s->script ? s->cases.count : 0;
}

const char *ncclscript_case_name(const ncclscript_scenario *s, size_t number)
{
    if (number >= ncclscript_cases(s))
        return NULL;
    return s->cases.item[number].name ? s->cases.item[number].name : "";
}

/* ---- a run ---- */

struct lib_lines {
    void (*on_output)(void *arg, const char *line);
    void *arg;
};

static void lib_on_output(void *arg, const char *line)
{
    const struct lib_lines *lines = arg;
    struct ncs_str own = { 0 };
    ncs_str_add(&own, line);
    while (own.bytes && own.text[own.bytes - 1] == '\n')
        own.text[--own.bytes] = 0;
    lines->on_output(lines->arg, own.text);
    ncs_str_free(&own);
}

static void lib_on_log(void *arg, const char *file, const char *line)
{
    (void)file;
    lib_on_output(arg, line);
}

static struct ncs_run_options lib_run_options(const ncclscript_scenario *s, const struct ncs_scenario *declared,
                                              const struct ncs_case *c, struct lib_lines *lines)
{
    struct ncs_run_options o = ncs_scenario_options(declared);
    int64_t seed = s->options.seed >= 0 ? s->options.seed : c->seeded ? c->seed : 0;
    o.driver = s->settings.driver;
    if (s->settings.policy >= 0)
        o.policy = (enum ncs_policy)s->settings.policy;
    o.seeded = seed != 0;
    o.seed = (uint64_t)seed;
    o.verify = o.verify && !s->options.no_verify;
    if (s->options.timeout > 0)
        o.timeout = (int64_t)ceil(s->options.timeout * 1e9);
    o.once = s->settings.unsafe;
    o.on_log = lines->on_output ? lib_on_log : NULL;
    o.log_arg = lines;
    return o;
}

static ncclscript_report *make_report(const ncclscript_scenario *s, const struct ncs_scenario *declared, const struct ncs_case *c,
                                      const struct ncs_result *result)
{
    ncclscript_report *r = ncs_new(sizeof *r);
    struct ncs_report_run run = {
        .scenario = declared, .result = result, .name = c->name, .value = c->value, .values = c->values
    };
    struct ncs_str difference = { 0 };
    (void)s;
    run.as_expected = ncs_outcome_judge(&declared->outcome, result, NCS_FAIL_ON_ERROR, &run.failing, &difference);
    run.difference = difference.text;
    r->verdict = result->verdict;
    r->as_expected = run.as_expected || result->verdict == NCS_SKIPPED;
    ncs_report_json(&run, &r->json);
    ncs_report_text(&run, &(struct ncs_report_style){ 0 }, &r->text);
    ncs_failing_free(&run.failing);
    ncs_str_free(&difference);
    return r;
}

static ncclscript_report *report_of_skipped(const ncclscript_scenario *s, const struct ncs_scenario *declared,
                                            const struct ncs_case *c, const struct ncs_run_options *o, char *reason)
{
    struct ncs_result result = { .verdict = NCS_SKIPPED,
                                 .ranks = o->ranks,
                                 .driver = o->driver,
                                 .policy = o->policy,
                                 .seed = o->seed,
                                 .skip_reason = reason };
    ncs_nccl_version_text(o->nccl_version, result.nccl, sizeof result.nccl);
    return make_report(s, declared, c, &result);
}

static ncclscript_report *run_case(ncclscript_scenario *s, const struct ncs_scenario *declared, const struct ncs_case *c)
{
    struct lib_lines lines = { s->options.on_output, s->options.output_arg };
    struct ncs_run_options o = lib_run_options(s, declared, c, &lines);
    struct ncs_str reason = { 0 };
    ncclscript_report *report;
    if (ncs_scenario_can_run(declared, &o, &reason)) {
        struct ncs_program program = ncs_script_program(s->script, declared);
        ncs_run_rearm();
        struct ncs_run *run = ncs_run_new(&o, &program, lines.on_output ? lib_on_output : NULL, &lines);
        report = make_report(s, declared, c, ncs_run_execute(run));
        if (ncs_run_leave(run)) /* else a rank is inside a call of the real library, and may use this memory */
            ncs_run_free(run);
    } else {
        report = report_of_skipped(s, declared, c, &o, reason.text);
    }
    ncs_str_free(&reason);
    return report;
}

ncclscript_code ncclscript_run(ncclscript_scenario *s, size_t number, ncclscript_report **report)
{
    struct ncs_error err = { 0 };
    struct ncs_scenario declared;
    ncclscript_code code = NCCLSCRIPT_OK;
    *report = NULL;
    if (number >= ncclscript_cases(s)) {
        ncs_fail(&err, NCS_BAD_INPUT, "there is no case %zu, but %zu in all", number, ncclscript_cases(s));
        return lib_fail(s, &err);
    }
    pthread_mutex_lock(&machine);
    const struct ncs_case *c = &s->cases.item[number];
    struct ncs_script_settings settings = s->settings;
    settings.value = c->value;
    settings.values = c->values;
    if (c->ranks > 0)
        settings.ranks = c->ranks;
    limit_memory(s);
    ncs_scenario_init(&declared, s->file);
    if (ncs_script_declare(s->script, &settings, &declared, &err))
        *report = run_case(s, &declared, c);
    else
        code = lib_fail(s, &err);
    ncs_scenario_free(&declared);
    pthread_mutex_unlock(&machine);
    return code;
}

void ncclscript_interrupt(void)
{
    ncs_run_interrupt();
}

/* ---- reports ---- */

void ncclscript_report_free(ncclscript_report *r)
{
    if (!r)
        return;
    ncs_str_free(&r->json);
    ncs_str_free(&r->text);
    ncs_free(r);
}

const char *ncclscript_report_verdict(const ncclscript_report *r)
{
    return ncs_verdict_name(r->verdict);
}

int ncclscript_report_as_expected(const ncclscript_report *r)
{
    return r->as_expected;
}

int ncclscript_report_exit_status(const ncclscript_report *r)
{
    struct ncs_tally tally = { 0 };
    ncs_tally_add(&tally, r->verdict, r->as_expected && r->verdict != NCS_SKIPPED);
    int status = ncs_tally_exit(&tally);
    ncs_tally_free(&tally);
    return status;
}

const char *ncclscript_report_json(const ncclscript_report *r)
{
    return r->json.text ? r->json.text : "{}";
}

const char *ncclscript_report_text(const ncclscript_report *r)
{
    return r->text.text ? r->text.text : "";
}
