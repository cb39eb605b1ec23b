/* Scripts written to a file, loaded, and run on the simulator: what the tests of room script assert
 * of them. */
#ifndef NCS_TESTS_UNIT_SCRIPT_LAB_H
#define NCS_TESTS_UNIT_SCRIPT_LAB_H

#include "harness.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "script/script.h"
#include "script/state.h"

static char path[64];
static struct ncs_error err;
static struct ncs_scenario scenario;
static struct ncs_script_settings settings = { .policy = -1 };

static inline struct ncs_script *load_bytes(const char *text, size_t bytes)
{
    char folder[] = "/tmp/ncs_script_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.lua", folder);
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text, 1, bytes, out), bytes);
    fclose(out);
    ncs_scenario_init(&scenario, path);
    struct ncs_script *s = ncs_script_load(path, &settings, &scenario, &err);
    remove(path);
    rmdir(folder);
    return s;
}

static inline struct ncs_script *load(const char *text)
{
    return load_bytes(text, strlen(text));
}

static inline void loads(const char *text)
{
    struct ncs_script *s = load(text);
    ck_assert_msg(s != NULL, "%s:%d: %s", err.file, err.line, err.text);
    ncs_script_free(s);
}

static inline void refuses(const char *text, int line, const char *message)
{
    struct ncs_script *s = load(text);
    ck_assert_msg(s == NULL, "loaded: %s", text);
    ck_assert_int_eq(err.status, NCS_BAD_INPUT);
    char said[sizeof err.text + sizeof err.hint + 2];
    snprintf(said, sizeof said, "%s%s%s", err.text, err.hint[0] ? ": " : "", err.hint);
    ck_assert_msg(strstr(said, message) != NULL, "got: %s, want: %s", said, message);
    ck_assert_int_eq(err.line, line);
    ck_assert_str_eq(err.file, path);
    ncs_scenario_free(&scenario);
}

/* ---- running ---- */

static struct ncs_run *run;
static struct ncs_script *script;

static inline const struct ncs_result *execute(const char *text, bool threads)
{
    script = load(text);
    ck_assert_msg(script != NULL, "%s:%d: %s", err.file, err.line, err.text);
    struct ncs_run_options o = {
        .driver = "sim",
        .ranks = scenario.ranks,
        .hosts = scenario.hosts,
        .policy = scenario.policy,
        .eager = UINT64_MAX,
        .verify = scenario.verify,
        .own_threads = threads,
    };
    struct ncs_program p = ncs_script_program(script, &scenario);
    run = ncs_run_new(&o, &p, NULL, NULL);
    return ncs_run_execute(run);
}

static inline void finish(void)
{
    ncs_run_free(run);
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
}

static inline const char *first_failure(const struct ncs_result *r)
{
    if (r->errors)
        return r->error[0].message;
    return r->expects ? r->expect[0].message : r->internal.text;
}

static inline void passes(const char *text)
{
    const struct ncs_result *r = execute(text, false);
    ck_assert_msg(r->verdict == NCS_PASS, "%s: %s", ncs_verdict_name(r->verdict), first_failure(r));
    finish();
}

/* The printed text, with "s.lua" for the path of the file. */
static inline char *shown(const struct ncs_result *r)
{
    struct ncs_str out = { 0 };
    const char *text = r->output.text ? r->output.text : "";
    for (const char *at; (at = strstr(text, path)) != NULL; text = at + strlen(path)) {
        ncs_str_add_bytes(&out, text, (size_t)(at - text));
        ncs_str_add(&out, "s.lua");
    }
    ncs_str_add(&out, text);
    return ncs_str_take(&out);
}

static inline void prints(const char *text, const char *output)
{
    const struct ncs_result *r = execute(text, false);
    ck_assert_msg(r->verdict == NCS_PASS, "%s: %s", ncs_verdict_name(r->verdict), first_failure(r));
    char *got = shown(r);
    ck_assert_str_eq(got, output);
    ncs_free(got);
    finish();
}

/* One rank; the error's message without the place. */
static inline void fails_with(const char *statement, const char *message)
{
    char text[1024];
    snprintf(text, sizeof text, "scenario { ranks = 1 }\nlocal x = cuda.buffer('int32', 16):fill(1)\n%s", statement);
    const struct ncs_result *r = execute(text, false);
    ck_assert_msg(r->errors == 1, "no error: %s", statement);
    ck_assert_msg(strstr(r->error[0].message, message) != NULL, "got: %s\nwant: %s", r->error[0].message, message);
    ck_assert_int_eq(r->error[0].place.line, 3);
    finish();
}

static inline void verdict_of(const char *text, enum ncs_verdict verdict)
{
    for (int threads = 0; threads < 2; threads++) {
        const struct ncs_result *r = execute(text, threads);
        ck_assert_msg(r->verdict == verdict, "%s: %s (%s)", ncs_verdict_name(r->verdict), first_failure(r), text);
        finish();
    }
}

#endif
