/* The budget of memory: what is counted, what is refused, when a run is told to end, and what of it is
 * there by itself; texts and lines whose length somebody else chooses. */
#include "harness.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/available.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/safe.h"

#define MIB ((size_t)1 << 20)

static int spent;

static void on_spent(void)
{
    spent++;
}

static void limit(size_t more)
{
    spent = 0;
    ncs_budget_spent = on_spent;
    ncs_budget_limit(ncs_budget_used() + more);
}

START_TEST(test_refuses)
{
    ck_assert_uint_eq(ncs_budget(), NCS_BUDGET_NONE);
    ck_assert(ncs_budget_take((size_t)1 << 60));
    ncs_budget_give((size_t)1 << 60);

    size_t before = ncs_budget_used();
    limit(MIB);
    ck_assert(ncs_budget_take(MIB - 10));
    ck_assert_uint_eq(ncs_budget_used(), before + MIB - 10);
    ck_assert(!ncs_budget_take(11));
    ck_assert(!ncs_budget_take(SIZE_MAX));
    ck_assert(ncs_budget_take(10));
    ck_assert(!ncs_budget_take(1));
    ncs_budget_give(MIB);
    ck_assert_uint_eq(ncs_budget_used(), before);
    ck_assert(ncs_budget_take(MIB));
    ck_assert_int_eq(spent, 0); /* whoever asks has been told */
}
END_TEST

START_TEST(test_bookkeeping_is_counted)
{
    size_t before = ncs_budget_used();
    char *p = ncs_new(1000);
    ck_assert_uint_ge(ncs_budget_used(), before + 1000);
    p = ncs_resize(p, 100000);
    ck_assert_uint_ge(ncs_budget_used(), before + 100000);
    p = ncs_resize(p, 10);
    ck_assert_uint_lt(ncs_budget_used(), before + 90000);
    ncs_free(p);
    ncs_free(NULL);
    ck_assert_uint_eq(ncs_budget_used(), before);
}
END_TEST

START_TEST(test_bookkeeping_is_never_refused)
{
    limit(MIB);
    char *p = ncs_new(MIB + 1);
    ck_assert_int_eq(spent, 1);
    char *q = ncs_new(MIB);
    ck_assert_int_eq(spent, 1);
    ncs_budget_rearm();
    ck_assert_ptr_null(ncs_room(1));
    ck_assert_int_eq(spent, 1);
    ncs_budget_stop();
    ncs_budget_stop();
    ck_assert_int_eq(spent, 2);
    ncs_free(p);
    ncs_free(q);
    p = ncs_room(1000);
    ck_assert_ptr_nonnull(p);
    ncs_free(p);
}
END_TEST

static void *take_and_give(void *unused)
{
    for (size_t i = 0; i < 20000; i++) {
        char *p = ncs_new(1 + i * 37 % 5000);
        ncs_free(p);
    }
    return unused;
}

/* Bytes that a thread has in hand come back when it ends. */
START_TEST(test_threads)
{
    size_t before = ncs_budget_used();
    for (int round = 0; round < 100; round++) {
        pthread_t thread[4];
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(pthread_create(&thread[i], NULL, take_and_give, NULL), 0);
        for (int i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
        if (round == 0)
            before = ncs_budget_used();
    }
    ck_assert_uint_eq(ncs_budget_used(), before);
}
END_TEST

static int told;

static void on_exhausted(size_t bytes)
{
    (void)bytes;
    _exit(told == 1 ? 0 : 1);
}

static void count_told(void)
{
    told++;
}

/* A run that goes on all the same is ended. */
START_TEST(test_no_more)
{
    ncs_mem_exhausted = on_exhausted;
    ncs_budget_spent = count_told;
    ncs_budget_limit(MIB);
    for (int i = 0; i < 1000; i++)
        ncs_budget_count(MIB);
    ck_abort_msg("1000 MiB were counted with a limit of 1 MiB");
}
END_TEST

/* ---- what is available ---- */

static char root[] = "/tmp/ncs_budget_XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *at = path + sizeof root; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

START_TEST(test_available)
{
    ck_assert_ptr_nonnull(mkdtemp(root));
    put("/proc/meminfo", "MemTotal:       8000 kB\nMemAvailable:   4000 kB\nBuffers: 1 kB\n");
    ck_assert_uint_eq(ncs_available_memory(root), 4000 << 10);

    put("/proc/self/cgroup", "0::/a/b\n");
    ck_assert_uint_eq(ncs_available_memory(root), 4000 << 10); /* no such folder, as in a container */
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put("/sys/fs/cgroup/a/memory.max", "3000000\n"); /* of the group that it is in */
    ck_assert_uint_eq(ncs_available_memory(root), 3000000);
    put("/sys/fs/cgroup/a/b/memory.max", "2000000\n");
    ck_assert_uint_eq(ncs_available_memory(root), 2000000);
    put("/sys/fs/cgroup/memory.max", "1500000\n"); /* the root that a container sees */
    ck_assert_uint_eq(ncs_available_memory(root), 1500000);

    put("/proc/self/cgroup", "9:name=systemd:/x\n5:memoryless:/q\n4:cpu,memory:/p\n0::/\n");
    put("/sys/fs/cgroup/memory/p/memory.limit_in_bytes", "1000000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/q/memory.limit_in_bytes", "1\n");
    ck_assert_uint_eq(ncs_available_memory(root), 1000000);

    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", root);
    ck_assert_int_eq(system(command), 0);
    ck_assert_uint_gt(ncs_available_memory(root), 0); /* nothing is known but the machine itself */
    ck_assert_uint_gt(ncs_available_memory(""), 0);
}
END_TEST

START_TEST(test_words)
{
    char room[NCS_BUDGET_WORDS];
    ck_assert_str_eq(ncs_budget_words(room), "the memory of the host");
    ncs_budget_limit((size_t)3 << 30);
    ck_assert_str_eq(ncs_budget_words(room), "the memory budget of 3 GiB (--memory)");
}
END_TEST

/* ---- texts that somebody else made ---- */

START_TEST(test_long_texts)
{
    static char text[NCS_SAFE_MOST + 100];
    memset(text, 'e', sizeof text - 1);
    char *copy = ncs_safe_copy(text);
    ck_assert_uint_lt(strlen(copy), NCS_SAFE_MOST + 30);
    ck_assert_str_eq(copy + NCS_SAFE_MOST, "... 99 bytes more");
    ncs_free(copy);
    memcpy(text + NCS_SAFE_MOST - 1, "\xc3\xa9", 2); /* no half of a character */
    copy = ncs_safe_copy(text);
    ck_assert_str_eq(copy + NCS_SAFE_MOST - 1, "... 100 bytes more");
    ncs_free(copy);
    text[NCS_SAFE_MOST] = 0;
    copy = ncs_safe_copy(text);
    ck_assert_str_eq(copy, text);
    ncs_free(copy);
    ck_assert_ptr_null(ncs_safe_copy(NULL));
}
END_TEST

START_TEST(test_lines)
{
    FILE *in = tmpfile();
    struct ncs_str line = { 0 };
    ck_assert_ptr_nonnull(in);
    fputs("one\n\n12345\n123456\nlast", in);
    rewind(in);
    ck_assert_int_eq(ncs_file_line(in, 6, &line), NCS_LINE_READ);
    ck_assert_str_eq(line.text, "one");
    ck_assert_int_eq(ncs_file_line(in, 6, &line), NCS_LINE_READ);
    ck_assert_str_eq(line.text, "");
    ck_assert_int_eq(ncs_file_line(in, 6, &line), NCS_LINE_READ);
    ck_assert_str_eq(line.text, "12345");
    ck_assert_int_eq(ncs_file_line(in, 5, &line), NCS_LINE_LONG);
    ck_assert_str_eq(line.text, "12345");
    ck_assert_int_eq(ncs_file_line(in, 5, &line), NCS_LINE_READ);
    ck_assert_str_eq(line.text, "6");
    ck_assert_int_eq(ncs_file_line(in, 6, &line), NCS_LINE_READ);
    ck_assert_str_eq(line.text, "last");
    ck_assert_int_eq(ncs_file_line(in, 6, &line), NCS_LINE_NONE);
    ncs_str_free(&line);
    fclose(in);
    in = fopen("/dev/zero", "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_int_eq(ncs_file_line(in, MIB, &line), NCS_LINE_LONG);
    ck_assert_uint_eq(line.bytes, MIB);
    ncs_str_free(&line);
    fclose(in);
}
END_TEST

NCS_TEST_MAIN("budget", test_refuses, test_bookkeeping_is_counted, test_bookkeeping_is_never_refused, test_threads, test_no_more,
              test_available, test_words, test_long_texts, test_lines)
