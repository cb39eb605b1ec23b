/* Results made by hand, one of them the hang of the documentation, and their reports: as text, and as
 * JSON read back. */
#ifndef NCS_TESTS_UNIT_REPORT_LAB_H
#define NCS_TESTS_UNIT_REPORT_LAB_H

#include <jansson.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"
#include "diagnose/finding.h"
#include "harness.h"
#include "report/report.h"

#define T(text) ((char *)(text))
#define SENTENCE(words) (&(struct ncs_sentence){ .phrase = NCS_PHRASE_plain, .text = T(words) })

static struct ncs_scenario scenario = { .file = T("scenarios/a.lua") };

static inline struct ncs_result result_of(enum ncs_verdict verdict)
{
    return (struct ncs_result){
        .verdict = verdict, .ranks = 4, .driver = "sim", .nccl = "2.30.7", .checked = 12, .calls = 34, .trace = 0x9f3c
    };
}

static inline char *text_of(const struct ncs_result *result, bool expected, const char *difference, struct ncs_report_style style)
{
    struct ncs_report_run run = { .scenario = &scenario, .result = result, .as_expected = expected, .difference = difference };
    struct ncs_str out = { 0 };
    ncs_report_text(&run, &style, &out);
    return ncs_str_take(&out);
}

static inline void check_text(const struct ncs_result *result, bool expected, const char *want)
{
    char *got = text_of(result, expected, NULL, (struct ncs_report_style){ 0 });
    ck_assert_str_eq(got, want);
    ncs_free(got);
}

static inline json_t *json_of(const struct ncs_result *result, bool expected)
{
    struct ncs_report_run run = { .scenario = &scenario, .result = result, .as_expected = expected };
    struct ncs_str out = { 0 };
    ncs_report_json(&run, &out);
    const char *end = strchr(out.text, '\n');
    ck_assert_ptr_nonnull(end);
    ck_assert_str_eq(end, "\n"); /* one object, one line */
    json_error_t error;
    json_t *o = json_loads(out.text, 0, &error);
    ck_assert_msg(o != NULL, "%s in %s", error.text, out.text);
    ncs_str_free(&out);
    return o;
}

/* The value at `path`: "findings/0/rule". */
static inline json_t *at(json_t *o, const char *path)
{
    while (o && *path) {
        char key[64];
        size_t n = strcspn(path, "/");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        o = json_is_array(o) ? json_array_get(o, (size_t)atoi(key)) : json_object_get(o, key);
        path += n + (path[n] == '/');
    }
    return o;
}

static inline const char *word(json_t *o, const char *path)
{
    const char *s = json_string_value(at(o, path));
    ck_assert_msg(s != NULL, "no text at %s", path);
    return s;
}

static inline long long number(json_t *o, const char *path)
{
    ck_assert_msg(json_is_integer(at(o, path)), "no whole number at %s", path);
    return json_integer_value(at(o, path));
}

/* ---- the skipped call of the documentation ---- */

static struct ncs_culprit skipped_culprit[] = { { .rank = 2, .call = 3, .line = 12 } };
static int skipped_blocked[] = { 0, 1, 3 };
static struct ncs_finding_row skipped_row[] = {
    { .rank = 0, .said = SENTENCE("waits in stream:sync()"), .line = 14 },
    { .rank = 1, .said = SENTENCE("waits in stream:sync()"), .line = 14 },
    { .rank = 2, .said = SENTENCE("never made call 3: finished"), .line = 17 },
    { .rank = 3, .said = SENTENCE("waits in stream:sync()"), .line = 14 },
};
static struct ncs_finding skipped[] = { {
    .rule = "skipped-call",
    .comm = T("world"),
    .call = 3,
    .title = T("communicator world, call 3: AllReduce float32 x 1024 sum"),
    .why = SENTENCE("rank 2 made 2 calls on world, the others 3: line 12 skips it when rank == 2"),
    .fix = SENTENCE("every rank of a communicator makes the same calls in the same order"),
    .culprit = skipped_culprit,
    .culprits = 1,
    .blocked = skipped_blocked,
    .blockeds = 3,
    .row = skipped_row,
    .rows = 4,
} };
static int for_rank_2[] = { 2 };
static struct ncs_wait_line skipped_wait[] = {
    { .rank = 0,
      .in = T("stream:sync"),
      .place = { "a.lua", 14 },
      .comm = T("world"),
      .call = 3,
      .op = T("AllReduce float32 x 1024 sum"),
      .peer = for_rank_2,
      .peers = 1,
      .waiting = true },
    { .rank = 1,
      .in = T("stream:sync"),
      .place = { "a.lua", 14 },
      .comm = T("world"),
      .call = 3,
      .op = T("AllReduce float32 x 1024 sum"),
      .peer = for_rank_2,
      .peers = 1 },
};

static inline struct ncs_result hang(void)
{
    struct ncs_result r = result_of(NCS_HANG);
    r.diagnosis.finding = skipped;
    r.diagnosis.findings = 1;
    r.diagnosis.wait = skipped_wait;
    r.diagnosis.waits = 2;
    return r;
}

#endif
