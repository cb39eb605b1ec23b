/* Work spread over the cores: every element exactly once, in pieces of a grain or more. */
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/sanitizer.h"
#include "harness.h"

enum { MOST = 100000 };

struct tally {
    unsigned char seen[MOST];
    atomic_size_t calls, shortest;
};

static void mark(size_t begin, size_t end, void *arg)
{
    struct tally *t = arg;
    atomic_fetch_add(&t->calls, 1);
    size_t shortest = atomic_load(&t->shortest);
    while (end - begin < shortest && !atomic_compare_exchange_weak(&t->shortest, &shortest, end - begin))
        ;
    for (size_t i = begin; i < end; i++)
        t->seen[i]++;
}

static void check_range(size_t count, size_t grain)
{
    static struct tally t;
    memset(t.seen, 0, sizeof t.seen);
    t.calls = 0;
    t.shortest = SIZE_MAX;
    ncs_parallel(count, grain, mark, &t);
    size_t wrong = 0;
    for (size_t i = 0; i < MOST; i++)
        wrong += t.seen[i] != (i < count);
    ck_assert_uint_eq(wrong, 0);
    size_t least = grain ? grain : 1;
    if (count < 2 * least)
        ck_assert_uint_eq(t.calls, count > 0);
    if (count >= least)
        ck_assert_uint_ge(t.shortest, least);
}

START_TEST(each_element_once)
{
    static const size_t counts[] = { 0, 1, 2, 3, 63, 64, 1000, 65537, MOST };
    static const size_t grains[] = { 0, 1, 2, 7, 1000, MOST, SIZE_MAX };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof grains / sizeof *grains; j++)
            check_range(counts[i], grains[j]);
}
END_TEST

START_TEST(many_small_jobs)
{
    for (int i = 0; i < 300; i++)
        check_range(64, 1);
}
END_TEST

static void nest(size_t begin, size_t end, void *arg)
{
    struct tally *tallies = arg;
    for (size_t i = begin; i < end; i++)
        ncs_parallel(1000, 1, mark, &tallies[i]);
}

START_TEST(a_call_inside_a_call_stays_on_its_thread)
{
    static struct tally tallies[16];
    ncs_parallel(16, 1, nest, tallies);
    for (int i = 0; i < 16; i++) {
        ck_assert_uint_eq(tallies[i].calls, 1);
        ck_assert_int_eq(tallies[i].seen[0], 1);
        ck_assert_int_eq(tallies[i].seen[999], 1);
    }
}
END_TEST

#if !NCS_TSAN /* which refuses threads after a fork */
START_TEST(works_in_a_child_process)
{
    check_range(MOST, 1);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        static struct tally t;
        ncs_parallel(MOST, 1, mark, &t);
        _exit(t.seen[0] == 1 && t.seen[MOST - 1] == 1 ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

#define IN_CHILD works_in_a_child_process
#else
#define IN_CHILD
#endif

NCS_TEST_MAIN("parallel", each_element_once, many_small_jobs, a_call_inside_a_call_stays_on_its_thread, IN_CHILD)
