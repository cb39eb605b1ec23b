/* The frame of a test program: tests written with START_TEST and END_TEST, each run in a process of
 * its own, and a main that fails when a test failed or none ran. */
#ifndef NCS_TESTS_UNIT_HARNESS_H
#define NCS_TESTS_UNIT_HARNESS_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* An assertion that holds writes where it stands to a file, for the report of a crash: loops of them
 * spend most of their time on that, and a sanitizer tells better where a crash was. */
#define _mark_point(file, line) ((void)0)

/* Seconds for one test, for the slowest sanitizer on a busy machine. */
enum { HARNESS_TIMEOUT = 120 };

static inline int harness_run(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, HARNESS_TIMEOUT);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int ran = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (ran == 0)
        fprintf(stderr, "%s: no test ran\n", name);
    return ran > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* NCS_TEST_MAIN("map", test_a, test_b): the program's main. */
#define NCS_TEST_MAIN(name, ...)                                         \
    int main(void)                                                       \
    {                                                                    \
        const TTest *const tests[] = { __VA_ARGS__ };                    \
        return harness_run((name), tests, sizeof tests / sizeof *tests); \
    }

#endif
