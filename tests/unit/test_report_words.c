/* Tallies, what is told once, texts from outside, and the topics of explain. */
#include "report_lab.h"

#include "report/page.h"

static void check_tally(const struct ncs_tally *tally, int status, const char *want)
{
    struct ncs_str out = { 0 };
    ncs_tally_text(tally, &out);
    ck_assert_str_eq(out.text, want);
    ck_assert_int_eq(ncs_tally_exit(tally), status);
    ncs_str_free(&out);
}

START_TEST(test_tally)
{
    struct ncs_tally tally = { 0 };
    ck_assert_int_eq(ncs_tally_exit(&tally), 5);
    ncs_tally_add(&tally, NCS_SKIPPED, false);
    check_tally(&tally, 77, "1 scenario: 0 as expected, 1 skipped\n");
    ncs_tally_add(&tally, NCS_HANG, true);
    check_tally(&tally, 0, "2 scenarios: 1 as expected, 1 skipped\n");
    ncs_tally_add(&tally, NCS_PASS, false);
    check_tally(&tally, 1, "3 scenarios: 1 as expected, 1 unexpected (1 passed), 1 skipped\n");
    ncs_tally_add(&tally, NCS_HANG, false);
    ncs_tally_add(&tally, NCS_WRONG, false);
    check_tally(&tally, 3, "5 scenarios: 1 as expected, 3 unexpected (1 passed, 1 wrong, 1 hang), 1 skipped\n");
    tally.not_run = 2;
    check_tally(&tally, 3,
                "7 scenarios: 1 as expected, 3 unexpected (1 passed, 1 wrong, 1 hang), 1 skipped, "
                "2 not run\n");
    ncs_tally_add(&tally, NCS_PASS, false);
    tally.by_findings++;
    check_tally(&tally, 3,
                "8 scenarios: 1 as expected, 4 unexpected (1 passed, 1 wrong, 1 hang, 1 by --fail-on), "
                "1 skipped, 2 not run\n");
}
END_TEST

START_TEST(test_tally_of_cases)
{
    struct ncs_tally tally = { .scenarios = 2, .cases = 2 };
    ncs_tally_add(&tally, NCS_PASS, true);
    ncs_tally_add(&tally, NCS_PASS, true);
    check_tally(&tally, 0, "2 scenarios: 2 as expected\n");
    tally.scenarios = 1;
    check_tally(&tally, 0, "2 cases of 1 scenario: 2 as expected\n");
    tally.not_run = 2;
    check_tally(&tally, 0, "4 runs of 2 cases of 1 scenario: 2 as expected, 2 not run\n");
    tally.cases = 1;
    check_tally(&tally, 0, "4 runs of 1 scenario: 2 as expected, 2 not run\n");
    tally.scenarios = tally.cases = tally.not_run = 0;
    for (int i = 0; i < 7; i++)
        ncs_tally_add(&tally, NCS_SKIPPED, false);
    ncs_tally_skip(&tally, "no\nGPU");
    ncs_tally_skip(&tally, "no\nGPU");
    check_tally(&tally, 0, "9 scenarios: 2 as expected, 7 skipped (2: no GPU; 5: other reasons)\n");
    ncs_tally_skip(&tally, "b");
    ncs_tally_skip(&tally, "c");
    ncs_tally_skip(&tally, "d");
    ncs_tally_skip(&tally, "e");
    check_tally(&tally, 0,
                "9 scenarios: 2 as expected, 7 skipped (2: no GPU; 1: b; 1: c; 1: d; "
                "2: other reasons)\n");
    ncs_tally_free(&tally);
}
END_TEST

static void check_repeated(const struct ncs_repeated *r, const char *want)
{
    struct ncs_report_style plain = { 0 };
    struct ncs_str out = { 0 };
    ncs_repeated_text(r, "a.lua", &plain, &out);
    ck_assert_str_eq(out.text, want);
    ncs_str_free(&out);
}

START_TEST(test_repeated)
{
    struct ncs_repeated r = { .first = 5 };
    struct ncs_report_entry fine = { .as_expected = true }, hang = { .verdict = NCS_HANG }, wrong = { .verdict = NCS_WRONG };
    ncs_repeated_add(&r, &fine);
    check_repeated(&r, "PASS  a.lua  1 run, seeds 5..5: 1 as expected\n");
    for (int i = 0; i < 3; i++)
        ncs_repeated_add(&r, &hang);
    ncs_repeated_add(&r, &wrong);
    ncs_repeated_add(&r, &wrong);
    ncs_repeated_add(&r, &hang);
    check_repeated(&r, "FAIL  a.lua  7 runs, seeds 5..11: 1 as expected, 6 unexpected (2 wrong, 4 hang)\n"
                       "  wrong  seeds 9, 10\n  hang  seeds 6..8, 11\n");
    for (int i = 0; i < 40; i++)
        ncs_repeated_add(&r, i % 2 ? &hang : &fine);
    check_repeated(&r, "FAIL  a.lua  47 runs, seeds 5..51: 21 as expected, 26 unexpected (2 wrong, 24 hang)\n"
                       "  wrong  seeds 9, 10\n"
                       "  hang  seeds 6..8, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31 and 10 more\n");
    ncs_repeated_free(&r);
}
END_TEST

START_TEST(test_alone)
{
    struct ncs_result r = result_of(NCS_TIMEOUT);
    struct ncs_report_style plain = { 0 };
    struct ncs_report_run run = {
        .scenario = &scenario, .result = &r, .name = "n=1", .command = "ncclscript run 'scenarios/a.lua[n=1]'"
    };
    struct ncs_str out = { 0 };
    ncs_report_text(&run, &plain, &out);
    ck_assert_str_eq(out.text, "TIMEOUT  scenarios/a.lua[n=1]  4 ranks, sim, seed 0: no verdict within "
                               "the time limit\n  alone ncclscript run 'scenarios/a.lua[n=1]'\n");
    ncs_str_free(&out);
    run.as_expected = true;
    ncs_report_text(&run, &plain, &out);
    ck_assert_ptr_null(strstr(out.text, "alone"));
    ncs_str_free(&out);
}
END_TEST

START_TEST(test_about)
{
    struct ncs_report_style verbose = { .verbose = true };
    struct ncs_result r = result_of(NCS_PASS);
    char *about = scenario.about;
    scenario.about = T("gradients\nof a layer");
    check_text(&r, true, "PASS  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 34 calls\n");
    char *got = text_of(&r, true, NULL, verbose);
    ck_assert_ptr_nonnull(strstr(got, "34 calls\n  about gradients of a layer\n"));
    ncs_free(got);
    json_t *o = json_of(&r, true);
    ck_assert_str_eq(word(o, "about"), "gradients\nof a layer");
    json_decref(o);
    scenario.about = NULL;
    got = text_of(&r, true, NULL, verbose);
    ck_assert_ptr_null(strstr(got, "about"));
    ncs_free(got);
    o = json_of(&r, true);
    ck_assert(json_is_null(json_object_get(o, "about")));
    json_decref(o);
    scenario.about = about;
}
END_TEST

START_TEST(test_safe_line)
{
    struct ncs_str out = { 0 };
    ncs_safe_line(&out, "a\tb\nc\033[0m\x7f \xc3\xa4 \xff \xc2\x9b");
    ck_assert_str_eq(out.text, "a b c\\x1b[0m\\x7f \xc3\xa4 \\xff \\xc2\\x9b");
    ck_assert_uint_eq(ncs_safe_width("\xc3\xa4x"), 2);
    ncs_str_clear(&out);
    /* Direction: marks, embeddings, isolates; their neighbours stay as they are. */
    ncs_safe_line(&out, "\u200e\u200f\u202a\u202e\u2066\u2069\u061c|\u200d\u2010\u2027\u202f\u2065\u206a");
    ck_assert_str_eq(out.text, "\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xe2\\x80\\xaa\\xe2\\x80\\xae"
                               "\\xe2\\x81\\xa6\\xe2\\x81\\xa9\\xd8\\x9c|"
                               "\u200d\u2010\u2027\u202f\u2065\u206a");
    ncs_str_clear(&out);
    /* What ends lines, or is nothing, to some readers only. */
    ncs_safe_line(&out, "a\u2028b\u2029c\ufeff"
                        "d\xef\xbf\xbf");
    ck_assert_str_eq(out.text, "a\\xe2\\x80\\xa8b\\xe2\\x80\\xa9c\\xef\\xbb\\xbfd\\xef\\xbf\\xbf");
    ncs_str_clear(&out);
    /* A format that escapes control bytes itself gets one character for each. */
    static const char text[] = "a\u202e\xc2\x9b\u2028\xff\033\u200d";
    ncs_safe_utf8(&out, text, strlen(text));
    ck_assert_str_eq(out.text, "a\ufffd\ufffd\ufffd\ufffd\033\u200d");
    ncs_str_free(&out);
}
END_TEST

static void all_have_pages(const char *id, const char *list)
{
    char name[80];
    struct ncs_named named;
    while ((list = ncs_list_next(list, name, sizeof name)))
        ck_assert_msg(ncs_page_find(name, &named), "%s names %s, which has no page", id, name);
}

/* No other page is found by the name. */
static void all_are_new(const char *id, const char *list)
{
    char name[80];
    while ((list = ncs_list_next(list, name, sizeof name)))
        for (const struct ncs_page *p = ncs_pages(); p->id; p++)
            ck_assert_msg(p->kind == NCS_PAGE_FUNCTIONS || strcmp(p->id, id) == 0 ||
                              (strcmp(p->id, name) != 0 && !ncs_list_has(p->names, name)),
                          "%s and %s have the name %s", id, p->id, name);
}

/* Every rule has a page and every class is a rule; every function has one; no name leads astray. */
START_TEST(test_pages)
{
    size_t rules = 0, classes = 0;
    for (; ncs_rule_ids[rules]; rules++)
        ck_assert_msg(ncs_page(ncs_rule_ids[rules]) != NULL, "no page explains %s", ncs_rule_ids[rules]);
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        classes += p->kind == NCS_PAGE_CLASS;
    ck_assert_msg(classes == rules, "%zu pages for %zu rules", classes, rules);
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        ck_assert_msg(ncs_page_of_function(fn) != NULL, "no page has %s", ncs_fn_info[fn].name);
    for (const struct ncs_page *p = ncs_pages(); p->id; p++) {
        ck_assert_msg(p->what != NULL, "%s says nothing", p->id);
        ck_assert_msg(!p->scenario == !p->ends, "%s: scenario and ends go together", p->id);
        ck_assert_msg(!p->finding || ncs_page(p->finding), "%s ends with %s", p->id, p->finding);
        all_have_pages(p->id, p->also);
        all_have_pages(p->id, p->findings);
        all_are_new(p->id, p->kind == NCS_PAGE_FUNCTIONS ? NULL : p->id);
        all_are_new(p->id, p->names);
        if (p->kind == NCS_PAGE_RESULT || p->kind == NCS_PAGE_ERROR)
            ck_assert_msg(ncs_result_from_name(p->id) >= 0, "%s is no result", p->id);
    }
}
END_TEST

static int function_named(const char *name)
{
    struct ncs_named named;
    ck_assert_msg(ncs_page_find(name, &named), "%s leads nowhere", name);
    return named.fn;
}

START_TEST(test_page_names)
{
    static const char *const reduce[] = { "ncclAllReduce",   "all_reduce",         "world:all_reduce",
                                          "C.ncclAllReduce", "my.comm:all-reduce", "NCCLALLREDUCE" };
    for (size_t i = 0; i < sizeof reduce / sizeof *reduce; i++)
        ck_assert_int_eq(function_named(reduce[i]), NCS_FN_ncclAllReduce);
    ck_assert_int_eq(function_named("stream:sync"), NCS_FN_cudaStreamSynchronize);
    ck_assert_int_eq(function_named("event:sync"), NCS_FN_cudaEventSynchronize);
    ck_assert_int_eq(function_named("cuda.sync"), NCS_FN_cudaDeviceSynchronize);
    ck_assert_int_eq(function_named("world:abort"), NCS_FN_ncclCommAbort);
    struct ncs_named named;
    ck_assert(ncs_page_find("abort", &named) && named.group); /* the classes of findings */
    ck_assert(ncs_page_find("5", &named));
    ck_assert_str_eq(named.page->id, "ncclInvalidUsage");
    ck_assert(ncs_page_find("700", &named));
    ck_assert_str_eq(named.page->id, "cudaErrorIllegalAddress");
    ck_assert(ncs_page_find("First contact", &named));
    ck_assert_str_eq(named.page->id, "first-contact");
    ck_assert(ncs_page_find("strict", &named));
    ck_assert_str_eq(named.page->id, "policy");
    static const char *const none[] = { "", "-", "x", "-1", "4711", "nccl.", "cuda.all_reduce" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(!ncs_page_find(none[i], &named), "`%s` leads to a page", none[i]);
}
END_TEST

/* The page lists the reasons that there are, and no other. */
START_TEST(test_reasons)
{
    const struct ncs_page *page = ncs_page("unverified");
    size_t listed = 0;
    ck_assert_ptr_nonnull(page);
    for (const char *at = page->what; (at = strstr(at, "\n  ")); at++)
        listed += at[3] >= 'a' && at[3] <= 'z';
    for (int why = 1; why < NCS_UNVERIFIED_REASONS; why++) {
        char line[64];
        const char *name = ncs_unverified_name(why);
        ck_assert_ptr_nonnull(name);
        ck_assert_uint_gt(strlen(ncs_unverified_text(why)), 10);
        snprintf(line, sizeof line, "\n  %s ", name);
        ck_assert_msg(strstr(page->what, line), "the page has no line for %s", name);
        ck_assert_msg(ncs_list_has(page->names, name), "explain %s does not lead to the page", name);
    }
    ck_assert_uint_eq(listed, NCS_UNVERIFIED_REASONS - 1);
}
END_TEST

NCS_TEST_MAIN("report_words", test_tally, test_tally_of_cases, test_repeated, test_alone, test_about, test_safe_line, test_pages,
              test_page_names, test_reasons)
