/* libncclscript: opens, runs and reports; several runs one after another, and from several threads. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "ncclscript/ncclscript.h"

#define AVERAGE "scenarios/basics/average.lua"

static char hang_file[] = "/tmp/ncclscript-lib-XXXXXX.lua";

static void write_scenario(char *file, const char *text)
{
    strcpy(strrchr(file, '/'), "/ncclscript-lib-XXXXXX.lua");
    int fd = mkstemps(file, 4);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static ncclscript_report *run_one(const char *file, const ncclscript_options *options)
{
    ncclscript_scenario *s;
    ncclscript_report *r = NULL;
    ncclscript_code code = ncclscript_open(file, options, &s);
    ck_assert_msg(code == NCCLSCRIPT_OK, "%s", ncclscript_error(s));
    ck_assert_uint_eq(ncclscript_cases(s), 1);
    ck_assert_str_eq(ncclscript_case_name(s, 0), "");
    ck_assert_ptr_null(ncclscript_case_name(s, 1));
    code = ncclscript_run(s, 0, &r);
    ck_assert_msg(code == NCCLSCRIPT_OK, "%s", ncclscript_error(s));
    ncclscript_close(s);
    return r;
}

START_TEST(pass_is_reported)
{
    ncclscript_report *r = run_one(AVERAGE, NULL);
    ck_assert_str_eq(ncclscript_report_verdict(r), "pass");
    ck_assert_int_eq(ncclscript_report_as_expected(r), 1);
    ck_assert_int_eq(ncclscript_report_exit_status(r), 0);
    ck_assert_ptr_nonnull(strstr(ncclscript_report_json(r), "\"schema\": \"ncclscript.report/1\""));
    ck_assert_ptr_nonnull(strstr(ncclscript_report_text(r), "4 results verified"));
    ncclscript_report_free(r);
}
END_TEST

START_TEST(hang_is_reported)
{
    write_scenario(hang_file, "scenario { ranks = 3 }\nlocal x = cuda.buffer(\"float32\", 8)\n"
                              "if rank ~= 1 then world:all_reduce(x) end\nstream:sync()\n");
    ncclscript_report *r = run_one(hang_file, NULL);
    ck_assert_str_eq(ncclscript_report_verdict(r), "hang");
    ck_assert_int_eq(ncclscript_report_as_expected(r), 0);
    ck_assert_int_eq(ncclscript_report_exit_status(r), 3);
    ck_assert_ptr_nonnull(strstr(ncclscript_report_json(r), "\"skipped-call\""));
    ncclscript_report_free(r);
    unlink(hang_file);
}
END_TEST

START_TEST(options_reach_the_run)
{
    char file[] = "/tmp/ncclscript-lib-XXXXXX.lua";
    write_scenario(file, "scenario { params = { n = 1 } }\nexpect.equal(param.n, 7)\nexpect.equal(nranks, 5)\n");
    static const char *const set[] = { "n=7", NULL };
    ncclscript_options options = NCCLSCRIPT_OPTIONS;
    options.ranks = 5;
    options.set = set;
    ncclscript_report *r = run_one(file, &options);
    ck_assert_str_eq(ncclscript_report_verdict(r), "pass");
    ncclscript_report_free(r);
    r = run_one(file, NULL);
    ck_assert_str_eq(ncclscript_report_verdict(r), "wrong");
    ck_assert_int_eq(ncclscript_report_exit_status(r), 1);
    ncclscript_report_free(r);
    unlink(file);
}
END_TEST

START_TEST(cases_of_a_matrix)
{
    char file[] = "/tmp/ncclscript-lib-XXXXXX.lua";
    ncclscript_scenario *s;
    ncclscript_report *r;
    write_scenario(file, "scenario { matrix = { ranks = { 2, 3 } } }\nexpect.that(nranks >= 2)\n");
    ck_assert_int_eq(ncclscript_open(file, NULL, &s), NCCLSCRIPT_OK);
    ck_assert_uint_eq(ncclscript_cases(s), 2);
    ck_assert_str_eq(ncclscript_case_name(s, 1), "ranks=3");
    ck_assert_int_eq(ncclscript_run(s, 1, &r), NCCLSCRIPT_OK);
    ck_assert_ptr_nonnull(strstr(ncclscript_report_json(r), "\"ranks\": 3"));
    ncclscript_close(s); /* the report stays */
    ck_assert_str_eq(ncclscript_report_verdict(r), "pass");
    ncclscript_report_free(r);
    unlink(file);
}
END_TEST

static void refuses(const char *file, const ncclscript_options *options, const char *why)
{
    ncclscript_scenario *s;
    ncclscript_report *r;
    ck_assert_int_eq(ncclscript_open(file, options, &s), NCCLSCRIPT_INVALID);
    ck_assert_msg(strstr(ncclscript_error(s), why) != NULL, "%s", ncclscript_error(s));
    ck_assert_uint_eq(ncclscript_cases(s), 0);
    ck_assert_int_eq(ncclscript_run(s, 0, &r), NCCLSCRIPT_INVALID);
    ck_assert_ptr_null(r);
    ncclscript_close(s);
}

START_TEST(errors_are_told)
{
    char lua[] = "/tmp/ncclscript-lib-XXXXXX.lua";
    ncclscript_options options = NCCLSCRIPT_OPTIONS;
    refuses("/nonexistent.lua", NULL, "/nonexistent.lua: error: cannot be opened");
    write_scenario(lua, "scenario { ranks = 2 }\nlocal x = )\n");
    refuses(lua, NULL, ".lua:2");
    unlink(lua);
    options.policy = "lenient";
    refuses(AVERAGE, &options, "no policy \"lenient\"");
    options.policy = NULL;
    options.driver = "cuda";
    refuses(AVERAGE, &options, "no driver \"cuda\"");
    options.driver = NULL;
    options.ranks = -1;
    refuses(AVERAGE, &options, "out of range");
    options.ranks = 0;
    options.size = 3;
    refuses(AVERAGE, &options, "NCCLSCRIPT_OPTIONS");
    ncclscript_close(NULL);
    ncclscript_report_free(NULL);
    ck_assert_str_eq(ncclscript_error(NULL), "");
}
END_TEST

static void count_line(void *arg, const char *line)
{
    int *lines = arg;
    ck_assert_ptr_null(strchr(line, '\n'));
    *lines += strstr(line, "hello") != NULL;
}

START_TEST(output_is_passed_on)
{
    char file[] = "/tmp/ncclscript-lib-XXXXXX.lua";
    int lines = 0;
    ncclscript_options options = NCCLSCRIPT_OPTIONS;
    write_scenario(file, "scenario { ranks = 3 }\nprint(\"hello\")\n");
    options.on_output = count_line;
    options.output_arg = &lines;
    ncclscript_report_free(run_one(file, &options));
    ck_assert_int_eq(lines, 3);
    unlink(file);
}
END_TEST

static void *interrupt(void *unused)
{
    (void)unused;
    usleep(200000);
    ncclscript_interrupt();
    return NULL;
}

START_TEST(run_after_an_interrupt)
{
    char file[] = "/tmp/ncclscript-lib-XXXXXX.lua";
    pthread_t thread;
    write_scenario(file, "scenario { ranks = 1 }\nwhile true do end\n");
    ck_assert_int_eq(pthread_create(&thread, NULL, interrupt, NULL), 0);
    ncclscript_report *r = run_one(file, NULL);
    pthread_join(thread, NULL);
    ck_assert_str_eq(ncclscript_report_verdict(r), "interrupted");
    ncclscript_report_free(r);
    unlink(file);
    r = run_one(AVERAGE, NULL);
    ck_assert_str_eq(ncclscript_report_verdict(r), "pass");
    ncclscript_report_free(r);
}
END_TEST

static void *run_often(void *arg)
{
    int *wrong = arg;
    for (int i = 0; i < 5; i++) {
        ncclscript_report *r = run_one(i % 2 ? AVERAGE : hang_file, NULL);
        *wrong += strcmp(ncclscript_report_verdict(r), i % 2 ? "pass" : "hang") != 0;
        ncclscript_report_free(r);
    }
    return NULL;
}

START_TEST(threads_take_turns)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = { 0 };
    write_scenario(hang_file, "scenario { ranks = 2 }\nif rank == 0 then store:get(\"never\") end\n");
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_often, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(wrong[i], 0);
    }
    unlink(hang_file);
}
END_TEST

NCS_TEST_MAIN("lib", pass_is_reported, hang_is_reported, options_reach_the_run, cases_of_a_matrix, errors_are_told,
              output_is_passed_on, run_after_an_interrupt, threads_take_turns)
