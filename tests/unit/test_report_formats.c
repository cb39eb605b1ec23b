/* The formats of a suite's report: what stands before and after the runs, what a run came to, and
 * texts that are not fit for any format. Whether other programs can read them, tests/report asks. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "harness.h"
#include "report/report.h"

#define T(text) ((char *)(text))
#define SENTENCE(words) (&(struct ncs_sentence){ .phrase = NCS_PHRASE_plain, .text = T(words) })

static struct ncs_scenario scenario = { .file = T("scenarios/bugs/a.b.lua") };

static struct ncs_result result_of(enum ncs_verdict verdict)
{
    return (struct ncs_result){ .verdict = verdict, .ranks = 4, .driver = "sim", .nccl = "2.30.7", .seed = 7 };
}

static void begin(struct ncs_report *r, const char *name, struct ncs_str *out)
{
    struct ncs_report_style style = { 0 };
    ncs_report_begin(r, ncs_report_format_of(name), &style, out);
}

static void add(struct ncs_report *r, const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_report_entry entry;
    ncs_report_entry(r, run, &entry);
    ncs_report_add(r, &entry, out);
    ncs_report_entry_free(&entry);
}

/* One run in a format, from the first byte to the last. */
static char *whole(const char *name, const struct ncs_report_run *run)
{
    struct ncs_report r;
    struct ncs_str out = { 0 };
    begin(&r, name, &out);
    add(&r, run, &out);
    ncs_report_end(&r, NULL, &out);
    ncs_report_free(&r);
    return ncs_str_take(&out);
}

static void holds(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "`%s` is not in\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "`%s` is in\n%s", part, text);
}

static struct ncs_report_run run_of(const struct ncs_result *r, bool expected)
{
    return (struct ncs_report_run){ .scenario = &scenario, .result = r, .as_expected = expected };
}

/* ---- how a verdict appears ---- */

static const struct {
    enum ncs_verdict verdict;
    bool expected;
    const char *junit, *tap; /* what must be there */
} looks[] = {
    { NCS_PASS, true, "failures=\"0\" errors=\"0\" skipped=\"0\"", "\nok 1 - scenarios" },
    { NCS_PASS, false, "<failure message=\"pass\" type=\"pass\">", "\nnot ok 1 - " },
    { NCS_HANG, true, "failures=\"0\" errors=\"0\" skipped=\"0\"", "\nok 1 - " },
    { NCS_HANG, false, "<failure message=\"hang\" type=\"hang\">", "  verdict: \"hang\"\n" },
    { NCS_WRONG, false, "type=\"wrong\"", "  verdict: \"wrong\"\n" },
    { NCS_ERROR, false, "type=\"error\"", "  verdict: \"error\"\n" },
    { NCS_LOST, false, "<failure message=\"lost\" type=\"lost\">", "not ok 1" },
    { NCS_INVALID, false, "<error message=\"invalid\" type=\"invalid\">", "not ok 1" },
    { NCS_INTERNAL_FAULT, false, "<error message=\"internal\" type=\"internal\">", "not ok 1" },
    { NCS_TIMEOUT, false, "<error message=\"timeout\" type=\"timeout\">", "not ok 1" },
    { NCS_INTERRUPTED, false, "<error message=\"interrupted\" ", "not ok 1" },
    { NCS_SKIPPED, false, "<skipped message=\"it cannot be run here\"/>",
      "\nok 1 - scenarios/bugs/a.b.lua # SKIP it cannot be run here\n" },
};

START_TEST(test_looks)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct ncs_result r = result_of(looks[i].verdict);
        struct ncs_report_run run = run_of(&r, looks[i].expected);
        char *junit = whole("junit", &run), *tap = whole("tap", &run);
        holds(junit, looks[i].junit);
        holds(tap, looks[i].tap);
        ncs_free(junit);
        ncs_free(tap);
    }
}
END_TEST

START_TEST(test_junit_of_a_pass)
{
    static struct ncs_param value[] = {
        { .name = T("dtype"), .kind = NCS_PARAM_TEXT, .text = T("float32") },
        { .name = T("scale"), .kind = NCS_PARAM_NUMBER, .d = 0.1 },
        { .name = T("ok"), .kind = NCS_PARAM_BOOL, .i = 1 },
    };
    struct ncs_result r = result_of(NCS_PASS);
    struct ncs_report_run run = run_of(&r, true);
    run.name = "dtype=float32,scale=0.1,ok=true";
    run.value = value;
    run.values = 3;
    run.wall = 1234567890;
    char *got = whole("junit", &run);
    ck_assert_str_eq(got, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<testsuites name=\"ncclscript\">\n"
                          "  <testsuite name=\"scenarios/bugs/a.b.lua\" tests=\"1\" failures=\"0\" errors=\"0\" "
                          "skipped=\"0\" time=\"1.234568\">\n"
                          "    <testcase classname=\"scenarios.bugs.a.b\" name=\"dtype=float32,scale=0.1,ok=true\" "
                          "file=\"scenarios/bugs/a.b.lua\" time=\"1.234568\">\n"
                          "      <properties>\n"
                          "        <property name=\"verdict\" value=\"pass\"/>\n"
                          "        <property name=\"certainty\" value=\"certain\"/>\n"
                          "        <property name=\"ranks\" value=\"4\"/>\n"
                          "        <property name=\"seed\" value=\"7\"/>\n"
                          "        <property name=\"policy\" value=\"strict\"/>\n"
                          "        <property name=\"driver\" value=\"sim\"/>\n"
                          "        <property name=\"nccl\" value=\"2.30.7\"/>\n"
                          "        <property name=\"case.dtype\" value=\"float32\"/>\n"
                          "        <property name=\"case.scale\" value=\"0.1\"/>\n"
                          "        <property name=\"case.ok\" value=\"true\"/>\n"
                          "      </properties>\n"
                          "    </testcase>\n"
                          "  </testsuite>\n"
                          "</testsuites>\n");
    ncs_free(got);
}
END_TEST

START_TEST(test_tap_of_a_failure)
{
    static struct ncs_run_expect expect[] = {
        { .rank = 1, .message = T("element 3: got 2, want 3 (1 of 8 differ)"), .place = { "a.lua", 9 } },
    };
    struct ncs_result r = result_of(NCS_WRONG);
    r.expect = expect;
    r.expects = 1;
    struct ncs_report_run run = run_of(&r, false);
    run.wall = 1234567;
    char *got = whole("tap", &run);
    ck_assert_str_eq(got, "TAP version 13\n"
                          "not ok 1 - scenarios/bugs/a.b.lua\n"
                          "  ---\n"
                          "  message: \"wrong: rank 1: element 3: got 2, want 3 (1 of 8 differ)\"\n"
                          "  verdict: \"wrong\"\n"
                          "  certainty: \"certain\"\n"
                          "  ranks: \"4\"\n"
                          "  seed: \"7\"\n"
                          "  policy: \"strict\"\n"
                          "  driver: \"sim\"\n"
                          "  nccl: \"2.30.7\"\n"
                          "  duration_ms: \"1.234\"\n"
                          "  report: |\n"
                          "    WRONG  scenarios/bugs/a.b.lua  4 ranks, sim, seed 7\n"
                          "      expectation that failed\n"
                          "        rank 1  element 3: got 2, want 3 (1 of 8 differ)    line 9\n"
                          "  ...\n"
                          "1..1\n");
    ncs_free(got);
}
END_TEST

/* ---- JSON ---- */

/* Every field that is promised is there, of its type, whatever a run came to. */
static const struct {
    const char *name;
    json_type type;
    bool or_null;
} fields[] = {
    { "schema", JSON_STRING, false },   { "scenario", JSON_STRING, false },   { "name", JSON_STRING, true },
    { "case", JSON_OBJECT, false },     { "ranks", JSON_INTEGER, false },     { "driver", JSON_STRING, true },
    { "nccl", JSON_STRING, true },      { "policy", JSON_STRING, false },     { "seed", JSON_INTEGER, false },
    { "verdict", JSON_STRING, false },  { "certainty", JSON_STRING, false },  { "as_expected", JSON_TRUE, false },
    { "exit", JSON_INTEGER, false },    { "message", JSON_STRING, false },    { "findings", JSON_ARRAY, false },
    { "waits", JSON_ARRAY, false },     { "wrong", JSON_ARRAY, false },       { "errors", JSON_ARRAY, false },
    { "checked", JSON_INTEGER, false }, { "unchecked", JSON_INTEGER, false }, { "calls", JSON_INTEGER, false },
    { "trace", JSON_STRING, false },    { "reason", JSON_STRING, true },      { "virtual_ns", JSON_INTEGER, false },
    { "wall_ns", JSON_INTEGER, true },  { "output", JSON_ARRAY, false },      { "unverified", JSON_ARRAY, false },
};

static json_t *json_of(const struct ncs_report_run *run)
{
    char *text = whole("json", run);
    json_error_t error;
    json_t *o = json_loads(text, 0, &error);
    ck_assert_msg(o != NULL, "%s in %s", error.text, text);
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1); /* one object, one line */
    ncs_free(text);
    return o;
}

START_TEST(test_json_of_every_verdict)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct ncs_result r = result_of(looks[i].verdict);
        struct ncs_report_run run = run_of(&r, looks[i].expected);
        json_t *o = json_of(&run);
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            json_t *value = json_object_get(o, fields[k].name);
            bool fits = value && (json_typeof(value) == fields[k].type || (json_is_null(value) && fields[k].or_null) ||
                                  (json_is_boolean(value) && fields[k].type == JSON_TRUE));
            ck_assert_msg(fits, "%s: field %s", ncs_verdict_name(r.verdict), fields[k].name);
        }
        json_decref(o);
    }
}
END_TEST

START_TEST(test_json_of_a_case)
{
    static struct ncs_param value[] = {
        { .name = T("count"), .kind = NCS_PARAM_INT, .i = -5 },
        { .name = T("dtype"), .kind = NCS_PARAM_TEXT, .text = T("a\xff\1") },
        { .name = T("scale"), .kind = NCS_PARAM_NUMBER, .d = 0.1 },
        { .name = T("limit"), .kind = NCS_PARAM_NUMBER, .d = HUGE_VAL },
        { .name = T("deep"), .kind = NCS_PARAM_BOOL, .i = 0 },
    };
    struct ncs_result r = result_of(NCS_PASS);
    struct ncs_report_run run = run_of(&r, true);
    run.name = "count=-5";
    run.value = value;
    run.values = 5;
    run.wall = 1500;
    json_t *o = json_of(&run), *values = json_object_get(o, "case");
    ck_assert_int_eq(json_integer_value(json_object_get(values, "count")), -5);
    ck_assert_str_eq(json_string_value(json_object_get(values, "dtype")), "a\xef\xbf\xbd\1");
    ck_assert(json_real_value(json_object_get(values, "scale")) == 0.1);
    ck_assert_str_eq(json_string_value(json_object_get(values, "limit")), "inf");
    ck_assert(json_is_false(json_object_get(values, "deep")));
    ck_assert_str_eq(json_string_value(json_object_get(o, "name")), "count=-5");
    ck_assert_int_eq(json_integer_value(json_object_get(o, "wall_ns")), 1500);
    json_decref(o);
}
END_TEST

/* ---- several ---- */

START_TEST(test_suites)
{
    struct ncs_scenario other = { .file = T("b.lua") };
    struct ncs_result pass = result_of(NCS_PASS), hang = result_of(NCS_HANG);
    struct ncs_report_run first = run_of(&pass, true), second = run_of(&hang, false);
    struct ncs_report_run third = { .scenario = &other, .result = &pass, .as_expected = true };
    struct ncs_report r;
    struct ncs_str out = { 0 };
    begin(&r, "junit", &out);
    add(&r, &first, &out);
    add(&r, &second, &out);
    lacks(out.text, "<testsuite name"); /* not before it is known how they came out */
    add(&r, &third, &out);
    holds(out.text, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"");
    lacks(out.text, "\"b.lua\"");
    ncs_report_end(&r, NULL, &out);
    holds(out.text, "<testsuite name=\"b.lua\" tests=\"1\" failures=\"0\"");
    ck_assert_uint_eq(r.tally.runs, 3);
    ck_assert_int_eq(ncs_tally_exit(&r.tally), 3);
    ncs_report_free(&r);
    ncs_str_free(&out);
}
END_TEST

START_TEST(test_cut_short)
{
    struct ncs_result pass = result_of(NCS_PASS);
    struct ncs_report_run run = run_of(&pass, true);
    for (const char *const *name = (const char *const[]){ "junit", "tap", NULL }; *name; name++) {
        struct ncs_report r;
        struct ncs_str out = { 0 };
        begin(&r, *name, &out);
        add(&r, &run, &out);
        r.tally.not_run = 5;
        ncs_report_end(&r, "interrupted # <at 5>", &out);
        holds(out.text, strcmp(*name, "tap") == 0 ? "ok 1 - scenarios/bugs/a.b.lua\n"
                                                    "Bail out! interrupted \\# <at 5>, not run: 5\n"
                                                  : "<error message=\"interrupted # &lt;at 5&gt;; not run: 5\"");
        lacks(out.text, "1..");
        ncs_report_free(&r);
        ncs_str_free(&out);
    }
}
END_TEST

START_TEST(test_nothing)
{
    static const struct {
        const char *name, *want;
    } empty[] = {
        { "text", "" },
        { "json", "" },
        { "junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ncclscript\">\n"
                   "</testsuites>\n" },
        { "tap", "TAP version 13\n1..0 # SKIP nothing was executed\n" },
    };
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        struct ncs_report r;
        struct ncs_str out = { 0 };
        begin(&r, empty[i].name, &out);
        ncs_report_end(&r, NULL, &out);
        ck_assert_str_eq(out.text ? out.text : "", empty[i].want);
        ncs_report_free(&r);
        ncs_str_free(&out);
    }
}
END_TEST

START_TEST(test_text_is_quiet_when_asked)
{
    struct ncs_result pass = result_of(NCS_PASS), hang = result_of(NCS_HANG);
    struct ncs_report_run fine = run_of(&pass, true), bad = run_of(&hang, false);
    struct ncs_report_style style = { .quiet = true };
    struct ncs_report r;
    struct ncs_str out = { 0 };
    ncs_report_begin(&r, ncs_report_format_of("text"), &style, &out);
    add(&r, &fine, &out);
    ck_assert_uint_eq(out.bytes, 0);
    add(&r, &bad, &out);
    ncs_report_end(&r, NULL, &out);
    ck_assert_str_eq(out.text, "HANG  scenarios/bugs/a.b.lua  4 ranks, sim, seed 7\n"
                               "2 scenarios: 1 as expected, 1 unexpected (1 hang)\n");
    ncs_report_free(&r);
    ncs_str_free(&out);
}
END_TEST

/* ---- texts that are not fit ---- */

static const char nasty[] = "a <b> & \"c\" 'd' ]]> # \\ \x1b[31m\x01\x7f \xff\xc0\x80 \xed\xa0\x80 "
                            "\xef\xbf\xbe \xe2\x80\xae \xc2\x85 \xf0\x9f\x98\x80\r\ttab";

static char *nasty_in(const char *name)
{
    static struct ncs_scenario odd = { .file = T("x<&>\"\xff\x01.lua") };
    static struct ncs_run_error error[] = {
        { .kind = NCS_KIND_NCCL,
          .rank = 0,
          .name = T("ncclInternalError"),
          .code = 3,
          .call = T("ncclAllReduce"),
          .message = T(nasty),
          .detail = T("line one\n\n  \x02 two") },
    };
    struct ncs_result r = result_of(NCS_ERROR);
    r.error = error;
    r.errors = 1;
    ncs_str_add_bytes(&r.output, "[0] one\n[0] \0\xff ]]> \x1b[2J\n", 24);
    struct ncs_report_run run = { .scenario = &odd, .result = &r, .name = nasty, .difference = "declared <pass>" };
    char *text = whole(name, &run);
    ncs_str_free(&r.output);
    return text;
}

/* No control characters, no broken UTF-8, nothing that XML 1.0 has no place for. */
static void check_bytes(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        ck_assert_msg((*c >= 0x20 && *c != 0x7f && *c != 0xff && *c != 0xc0) || *c == '\n', "byte %02x at %td", *c,
                      (const char *)c - text);
    lacks(text, "\xef\xbf\xbe");
    lacks(text, "\xed\xa0\x80");
    lacks(text, "\xe2\x80\xae");
}

START_TEST(test_nasty_junit)
{
    char *got = nasty_in("junit");
    check_bytes(got);
    lacks(got, "]]>");
    lacks(got, "<b>");
    holds(got, "file=\"x&lt;&amp;&gt;&quot;\\xff\\x01.lua\"");
    holds(got, "a &lt;b&gt; &amp; &quot;c&quot; 'd' ]]&gt;");
    holds(got, "<system-out>[0] one\n[0] \\x00\xef\xbf\xbd ]]&gt; \\x1b[2J\n</system-out>");
    ncs_free(got);
}
END_TEST

START_TEST(test_nasty_tap)
{
    char *got = nasty_in("tap");
    check_bytes(got);
    holds(got, "\nnot ok 1 - x<&>\"\\\\xff\\\\x01.lua[a <b> & \"c\" 'd' ]]> \\# \\\\ \\\\x1b[31m");
    holds(got, "    [0] \\x00\\xff ]]> \\x1b[2J\n  ...\n");
    /* Every line of the block is deeper than its key, so that no text can end it. */
    const char *block = strstr(got, "  ---\n"), *end = strstr(got, "  ...\n");
    ck_assert(block && end && block < end);
    for (const char *line = block; line < end; line = strchr(line, '\n') + 1)
        ck_assert_msg(line[0] == ' ' && line[1] == ' ', "%.20s", line);
    ncs_free(got);
}
END_TEST

/* ---- one line ---- */

static void check_message(struct ncs_result *r, const char *difference, const char *want)
{
    struct ncs_report_run run = run_of(r, false);
    struct ncs_str out = { 0 };
    run.difference = difference;
    ncs_report_message(&run, &out);
    ck_assert_str_eq(out.text, want);
    ncs_str_free(&out);
}

START_TEST(test_messages)
{
    struct ncs_finding finding[] = {
        { .rule = "launch-order", .level = NCS_LEVEL_NOTE, .why = SENTENCE("a hazard") },
        { .rule = "skipped-call", .why = SENTENCE("rank 2 made 2 calls, the others 3") },
    };
    struct ncs_result r = result_of(NCS_HANG);
    r.diagnosis.finding = finding;
    r.diagnosis.findings = 2;
    check_message(&r, NULL, "hang: rank 2 made 2 calls, the others 3");
    check_message(&r, "declared culprit 1, came 2",
                  "hang: rank 2 made 2 calls, the others 3; not as declared: declared culprit 1, "
                  "came 2");

    static struct ncs_wrong wrong[] = { { .rank = 3,
                                          .comm = -1,
                                          .number = 2,
                                          .first = 5,
                                          .differ = 12,
                                          .total = 1024,
                                          .got = "1",
                                          .want = "2",
                                          .text = "rank 2's contribution is missing" } };
    r = result_of(NCS_WRONG);
    r.wrong = wrong;
    r.wrongs = 1;
    check_message(&r, NULL,
                  "wrong: rank 3: communicator ?, call 2: : element 5: got 1, want 2; "
                  "12 of 1024 differ: rank 2's contribution is missing");

    static struct ncs_run_error error[] = { { .kind = NCS_KIND_NCCL,
                                              .rank = 1,
                                              .name = T("ncclInvalidArgument"),
                                              .call = T("ncclReduce"),
                                              .message = T("root 9\nis no rank") } };
    r = result_of(NCS_ERROR);
    r.error = error;
    r.errors = 1;
    check_message(&r, NULL,
                  "error: rank 1: ncclReduce returned ncclInvalidArgument: root 9 is no "
                  "rank");

    r = result_of(NCS_INVALID);
    r.internal = (struct ncs_error){ .status = NCS_BAD_INPUT, .line = 3, .file = "a.lua", .text = "unknown key `rank`" };
    check_message(&r, NULL, "invalid: a.lua:3: unknown key `rank`");

    r = result_of(NCS_SKIPPED);
    r.skip_reason = T("needs 4 GPUs");
    check_message(&r, NULL, "skipped: needs 4 GPUs");

    r = result_of(NCS_PASS);
    check_message(&r, "declared hang, came pass", "pass; not as declared: declared hang, came pass");
}
END_TEST

START_TEST(test_complaints_of_a_file)
{
    static const char text[] = "steps:\n  - barrier: true\nrnks: 4\n";
    struct ncs_source source;
    struct ncs_complaints c = { .source = &source };
    struct ncs_result r = { .verdict = NCS_INVALID,
                            .internal = { .status = NCS_BAD_INPUT, .line = 2, .file = "a.yaml", .text = "no <steps>" } };
    struct ncs_report_run run = run_of(&r, false);
    ncs_source_init(&source, "a.yaml", text, strlen(text));
    ncs_complain(&c, (struct ncs_span){ 25, 4 }, "unknown key `rnks`");
    ncs_complain_hint(&c, "did you mean 'ranks'?");
    ncs_complain(&c, (struct ncs_span){ 11, 7 }, "no <steps>");
    run.complaints = &c;
    char *junit = whole("junit", &run), *tap = whole("tap", &run), *json = whole("json", &run);
    holds(junit, "a.yaml:2:5: error: no &lt;steps&gt;\n    2 |   - barrier: true\n      |     ^^^^^^^\n"
                 "a.yaml:3:1: error: unknown key `rnks`\n");
    holds(junit, " line=\"2\"");
    holds(tap, "\n    a.yaml:3:1: error: unknown key `rnks`\n");
    lacks(junit, "\"ranks\""); /* it did not come to a run */
    holds(json, "\"line\": 2, \"label\": null, \"message\": \"no <steps>\", \"detail\": null, "
                "\"file\": \"a.yaml\", \"column\": 5}, {");
    holds(json, "\"line\": 3, \"label\": null, \"message\": \"unknown key `rnks`\", "
                "\"detail\": \"did you mean 'ranks'?\", \"file\": \"a.yaml\", \"column\": 1}]");
    ncs_free(junit);
    ncs_free(tap);
    ncs_free(json);
    ncs_complaints_free(&c);
    ncs_source_free(&source);
}
END_TEST

NCS_TEST_MAIN("report formats", test_looks, test_junit_of_a_pass, test_tap_of_a_failure, test_json_of_every_verdict,
              test_json_of_a_case, test_suites, test_cut_short, test_nothing, test_text_is_quiet_when_asked, test_nasty_junit,
              test_nasty_tap, test_messages, test_complaints_of_a_file)
