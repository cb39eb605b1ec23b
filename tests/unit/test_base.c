/* Room base: texts, near names, quantities, hashes, maps, errors, growing arrays. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/interpreter.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"
#include "base/slab.h"
#include "base/sorted.h"
#include "base/str.h"
#include "harness.h"

/* ---- the script of an interpreter ---- */

/* The words of the command line, with blanks between them. */
static const char *script_of(const char *line)
{
    static char text[256], *word[32];
    size_t words = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *at = strtok(text, " "); at; at = strtok(NULL, " "))
        word[words++] = at;
    word[words] = NULL;
    return ncs_interpreter_script(word);
}

START_TEST(interpreter_names_its_script)
{
    ck_assert_str_eq(script_of("./train -x"), "./train");
    ck_assert_str_eq(script_of("python3 train.py --lr 1"), "train.py");
    ck_assert_str_eq(script_of("/usr/bin/python3.12 -u -W ignore -Xdev src/train.py"), "src/train.py");
    ck_assert_str_eq(script_of("python -um pkg.train a"), "pkg.train");
    ck_assert_str_eq(script_of("bash -e -o pipefail run.sh"), "run.sh");
    ck_assert_str_eq(script_of("/opt/torchrun --standalone --nproc-per-node 8 --nnodes=1 train.py"), "train.py");
    ck_assert_str_eq(script_of("python3 /opt/torchrun --nproc-per-node=8 -m pkg.train"), "pkg.train");
    ck_assert_str_eq(script_of("python3 -m torch.distributed.run --nproc_per_node 2 train.py"), "train.py");
}
END_TEST

START_TEST(interpreter_without_a_script_names_itself)
{
    char *none[] = { NULL };
    ck_assert_str_eq(ncs_interpreter_script(none), "");
    ck_assert_str_eq(script_of("python3"), "python3");
    ck_assert_str_eq(script_of("python3 -"), "python3");
    ck_assert_str_eq(script_of("python3 -c pass train.py"), "python3");
    ck_assert_str_eq(script_of("bash -lc ./train"), "bash");
    ck_assert_str_eq(script_of("python3 -m"), "python3");
    ck_assert_str_eq(script_of("pythonic train.py"), "pythonic");
    ck_assert_str_eq(script_of("torchrun --nproc-per-node"), "torchrun");
}
END_TEST

/* ---- str ---- */

START_TEST(str_grows_and_ends_in_zero)
{
    struct ncs_str s = { 0 };
    for (int i = 0; i < 1000; i++)
        ncs_str_addf(&s, "%d,", i);
    ck_assert_uint_eq(s.bytes, 10 * 2 + 90 * 3 + 900 * 4);
    ck_assert_uint_eq(strlen(s.text), s.bytes);
    ck_assert_str_eq(s.text + s.bytes - 8, "998,999,");
    ncs_str_free(&s);
    ck_assert_ptr_null(s.text);
}
END_TEST

START_TEST(str_keeps_zero_bytes)
{
    struct ncs_str s = { 0 };
    ncs_str_add_bytes(&s, "a\0b", 3);
    ncs_str_add_bytes(&s, "", 0);
    ncs_str_add(&s, "c");
    ck_assert_uint_eq(s.bytes, 4);
    ck_assert_mem_eq(s.text, "a\0bc", 5);
    ncs_str_free(&s);
}
END_TEST

START_TEST(str_add_of_nothing_makes_a_text)
{
    struct ncs_str s = { 0 };
    ncs_str_add(&s, "");
    ck_assert_str_eq(s.text, "");
    ncs_str_free(&s);
}
END_TEST

START_TEST(str_take_and_clear)
{
    struct ncs_str s = { 0 };
    char *empty = ncs_str_take(&s);
    ck_assert_str_eq(empty, "");
    ncs_free(empty);

    ncs_str_clear(&s);
    ncs_str_add(&s, "one");
    ncs_str_clear(&s);
    ck_assert_uint_eq(s.bytes, 0);
    ck_assert_str_eq(s.text, "");
    ncs_str_add(&s, "two");
    char *text = ncs_str_take(&s);
    ck_assert_str_eq(text, "two");
    ck_assert_ptr_null(s.text);
    ck_assert_uint_eq(s.bytes, 0);
    ncs_free(text);
}
END_TEST

START_TEST(str_lists_ranks)
{
    static const struct {
        const char *text;
        int ranks[10];
        size_t count;
    } cases[] = {
        { "", { 0 }, 0 },
        { "7", { 7 }, 1 },
        { "0, 1, 3", { 0, 1, 3 }, 3 },
        { "0, 1, 2", { 0, 1, 2 }, 3 },
        { "0..3", { 0, 1, 2, 3 }, 4 },
        { "0, 1, 4..9", { 0, 1, 4, 5, 6, 7, 8, 9 }, 8 },
        { "0..3, 5, 6, 8", { 0, 1, 2, 3, 5, 6, 8 }, 7 },
        { "3, 2, 1, 0", { 3, 2, 1, 0 }, 4 },
        { "2147483647, -2147483648", { INT_MAX, INT_MIN }, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ncs_str s = { 0 };
        ncs_str_add_ranks(&s, cases[i].ranks, cases[i].count);
        ck_assert_str_eq(s.text, cases[i].text);
        ncs_str_free(&s);
    }
}
END_TEST

START_TEST(many_ranks_fit_a_line)
{
    static const struct {
        const char *text;
        int first, step, count;
    } cases[] = {
        { "", 0, 1, 0 },
        { "5", 5, 1, 1 },
        { "0..1023", 0, 1, 1024 },
        { "0, 2, 4, 6, 8", 0, 2, 5 },
        { "0, 2, 4, ..., 10", 0, 2, 6 },
        { "1, 4, 7, ..., 1021", 1, 3, 341 },
        { "9, 8, 7, ..., 0", 9, -1, 10 },
    };
    int ranks[1024];
    struct ncs_str s = { 0 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int k = 0; k < cases[i].count; k++)
            ranks[k] = cases[i].first + k * cases[i].step;
        ncs_str_add_many_ranks(&s, ranks, (size_t)cases[i].count);
        ck_assert_str_eq(s.text, cases[i].text);
        ncs_str_free(&s);
    }
    int count = 0;
    for (int r = 0; count < 600; r++) /* all but every third */
        if (r % 3 != 1)
            ranks[count++] = r;
    ncs_str_add_many_ranks(&s, ranks, 600);
    ck_assert_str_eq(s.text, "0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17 and 588 more");
    ncs_str_free(&s);
    ncs_str_add_many_ranks(&s, ranks, 13); /* the last takes no more room than the words */
    ck_assert_str_eq(s.text, "0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18");
    ncs_str_free(&s);
    static const int mixed[] = { 0, 1, 2, 3, 7, 10, 13, 16, 19, 22, 40 };
    ncs_str_add_many_ranks(&s, mixed, sizeof mixed / sizeof *mixed);
    ck_assert_str_eq(s.text, "0..3, 7, 10, 13, ..., 22, 40");
    ncs_str_free(&s);
}
END_TEST

/* ---- near ---- */

static const char *const names[] = {
    "all_reduce", "all_gather", "broadcast", "reduce", "reduce_scatter", "sum", "min", "max", "ranks", "op", NULL,
};

START_TEST(near_finds_what_was_meant)
{
    static const char *const cases[][2] = {
        { "allreduce", "all_reduce" },
        { "AllReduce", "all_reduce" },
        { "all_reudce", "all_reduce" },
        { "brodcast", "broadcast" },
        { "redcue", "reduce" },
        { "reduce_scater", "reduce_scatter" },
        { "rank", "ranks" },
        { "sun", "sum" },
        { "mxa", "max" },
        { "OP", "op" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_pstr_eq(ncs_nearest(cases[i][0], names, 0), cases[i][1]);
}
END_TEST

START_TEST(near_words)
{
    static const char *const ops[] = { "sum", "prod", NULL };
    char hint[NCS_NEAR_ROOM];
    ck_assert_str_eq(ncs_near_hint(hint, '"', "smu", ops, 0, "!"), ": did you mean \"sum\"?");
    ck_assert_str_eq(ncs_near_hint(hint, '\'', "prd", ops, 2, "!"), ": did you mean 'prod'?");
    ck_assert_str_eq(ncs_near_hint(hint, '"', "average", ops, 0, ", expected sum"), ", expected sum");
    struct ncs_error err = { 0 };
    ck_assert(!ncs_fail_near(&err, "average", ops, 0));
    ck_assert_str_eq(err.hint, "");
    ck_assert(!ncs_fail_near(&err, "pord", ops, 0));
    ck_assert_str_eq(err.hint, "did you mean `prod`?");
}
END_TEST

START_TEST(near_is_silent_when_nothing_is_meant)
{
    static const char *const cases[] = { "", "_", "x", "pq", "median", "banana", "barrier" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_pstr_eq(ncs_nearest(cases[i], names, 0), NULL);
    char endless[1000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ck_assert_pstr_eq(ncs_nearest(endless, names, 0), NULL);
}
END_TEST

START_TEST(near_keeps_to_the_count)
{
    ck_assert_pstr_eq(ncs_nearest("brodcast", names, 2), NULL);
    ck_assert_pstr_eq(ncs_nearest("brodcast", names, 3), "broadcast");
    ck_assert_pstr_eq(ncs_nearest("brodcast", names + 10, 0), NULL);
}
END_TEST

/* ---- quantity ---- */

START_TEST(size_parses)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        { "0", 0 },
        { "007", 7 },
        { "1024", 1024 },
        { "64K", 65536 },
        { "64KB", 65536 },
        { "64KiB", 65536 },
        { "8M", 8388608 },
        { "8m", 8388608 },
        { "3G", UINT64_C(3221225472) },
        { "2TiB", UINT64_C(2199023255552) },
        { "18446744073709551615", UINT64_MAX },
        { "16777215T", UINT64_C(16777215) << 40 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes = 1;
        ck_assert_msg(ncs_parse_size(cases[i].text, &bytes), "%s", cases[i].text);
        ck_assert_uint_eq(bytes, cases[i].bytes);
    }
}
END_TEST

START_TEST(size_refuses)
{
    static const char *const cases[] = {
        "",
        " ",
        "K",
        "8MX",
        "8 M",
        " 8",
        "8 ",
        "-1",
        "+1",
        "1.5K",
        "0x10",
        "8Ki",
        "8KBB",
        "1e3",
        "18446744073709551616",
        "16777216T",
        "99999999999999999999999",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes = 42;
        ck_assert_msg(!ncs_parse_size(cases[i], &bytes), "\"%s\" gave %llu", cases[i], (unsigned long long)bytes);
        ck_assert_uint_eq(bytes, 42);
    }
}
END_TEST

START_TEST(duration_parses)
{
    static const struct {
        const char *text;
        int64_t nanoseconds;
    } cases[] = {
        { "0", 0 },
        { "10s", INT64_C(10000000000) },
        { "10", INT64_C(10000000000) },
        { "1.5ms", 1500000 },
        { "250us", 250000 },
        { "7ns", 7 },
        { "0.4ns", 0 },
        { "0.5ns", 1 },
        { "2m", INT64_C(120000000000) },
        { "0.25h", INT64_C(900000000000) },
        { "0.1", 100000000 },
        { "1.0000000000000000000000000009", INT64_C(1000000000) },
        { "9223372036.854775807", INT64_MAX },
        { "9223372036854775807ns", INT64_MAX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = -1;
        ck_assert_msg(ncs_parse_duration(cases[i].text, &ns), "%s", cases[i].text);
        ck_assert_int_eq(ns, cases[i].nanoseconds);
    }
}
END_TEST

START_TEST(duration_refuses)
{
    static const char *const cases[] = {
        "",
        "s",
        "-1s",
        "+1s",
        "1.",
        ".5",
        "1..5",
        "1 s",
        "1s ",
        "1S",
        "10sec",
        "1e3",
        "nan",
        "inf",
        "9223372036.854775808",
        "9223372036854775808ns",
        "293y",
        "2562048h",
        "99999999999999999999999999s",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = 42;
        ck_assert_msg(!ncs_parse_duration(cases[i], &ns), "\"%s\" gave %lld", cases[i], (long long)ns);
        ck_assert_int_eq(ns, 42);
    }
}
END_TEST

START_TEST(int_parses)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        { "0", 0 },
        { "-0", 0 },
        { "017", 17 },
        { "-12", -12 },
        { "0x1F", 31 },
        { "0Xff", 255 },
        { "-0x10", -16 },
        { "9223372036854775807", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "0x7fffffffffffffff", INT64_MAX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 42;
        ck_assert_msg(ncs_parse_int(cases[i].text, &value), "%s", cases[i].text);
        ck_assert_int_eq(value, cases[i].value);
    }
}
END_TEST

START_TEST(int_refuses)
{
    static const char *const cases[] = {
        "",
        "-",
        "--1",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "0x",
        "0xg",
        "x10",
        "1K",
        "-0x",
        "9223372036854775808",
        "-9223372036854775809",
        "0x8000000000000000",
        "0x10000000000000000",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 42;
        ck_assert_msg(!ncs_parse_int(cases[i], &value), "\"%s\" gave %lld", cases[i], (long long)value);
        ck_assert_int_eq(value, 42);
    }
}
END_TEST

START_TEST(duration_formats)
{
    static const struct {
        int64_t nanoseconds;
        const char *text;
    } cases[] = {
        { 0, "0 s" },
        { 1, "1 ns" },
        { 999, "999 ns" },
        { 1000, "1 us" },
        { 1500000, "1.5 ms" },
        { 1234567, "1.23 ms" },
        { 12345678, "12.3 ms" },
        { 123456789, "123 ms" },
        { 999949999, "1 s" },
        { 1050000000, "1.05 s" },
        { INT64_C(59990000000), "1 m" },
        { INT64_C(90000000000), "1.5 m" },
        { INT64_C(7200000000000), "2 h" },
        { INT64_MAX, "2560000 h" },
        { -1500, "-1.5 us" },
        { INT64_MIN, "-2560000 h" },
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(ncs_format_duration(cases[i].nanoseconds, buffer, sizeof buffer), cases[i].text);
}
END_TEST

START_TEST(size_formats)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        { 0, "0 B" },
        { 1, "1 B" },
        { 4096, "4096 B" },
        { 9999, "9999 B" },
        { 10240, "10 KiB" },
        { 65536, "64 KiB" },
        { 1048575, "1020 KiB" },
        { 1048576, "1 MiB" },
        { UINT64_C(1610612736), "1.5 GiB" },
        { UINT64_C(141) << 30, "141 GiB" },
        { UINT64_MAX, "16800000 TiB" },
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(ncs_format_size(cases[i].bytes, buffer, sizeof buffer), cases[i].text);
}
END_TEST

START_TEST(formats_stay_in_their_buffer)
{
    char exact[7] = "zzzzzz", small[3] = "zz", none[1] = { 'z' };
    ck_assert_str_eq(ncs_format_duration(1500000, exact, sizeof exact), "1.5 ms");
    ncs_format_duration(123456789, small, sizeof small);
    ck_assert_int_eq(small[2], '\0');
    ncs_format_size(65536, none, sizeof none);
    ck_assert_int_eq(none[0], '\0');
}
END_TEST

/* ---- hash ---- */

START_TEST(hash_of_bytes_sees_order_count_and_each_byte)
{
    unsigned char bytes[40];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t count = 0; count < sizeof bytes; count++) {
        uint64_t hash = ncs_hash_bytes(0, bytes, count);
        ck_assert_uint_eq(hash, ncs_hash_bytes(0, bytes, count));
        ck_assert_uint_ne(hash, ncs_hash_bytes(1, bytes, count));
        ck_assert_uint_ne(hash, ncs_hash_bytes(0, bytes, count + 1));
        for (size_t i = 0; i < count; i++) {
            bytes[i] ^= 0x80;
            ck_assert_uint_ne(hash, ncs_hash_bytes(0, bytes, count));
            bytes[i] ^= 0x80;
        }
    }
    ck_assert_uint_ne(ncs_hash_bytes(0, "ab", 2), ncs_hash_bytes(0, "ba", 2));
    ck_assert_uint_ne(ncs_hash_bytes(0, "a", 1), ncs_hash_bytes(0, "a\0", 2));
}
END_TEST

/* Reports quote these: they must be the same on every machine and in every version. */
START_TEST(hash_and_random_values_are_fixed)
{
    struct ncs_random r = { 0 };
    ck_assert_uint_eq(ncs_random_next(&r), UINT64_C(0xe220a8397b1dcdaf));
    ck_assert_uint_eq(ncs_random_next(&r), UINT64_C(0x6e789e6aa1b965f4));
    ck_assert_uint_eq(ncs_hash_bytes(0, "ncclscript", 10), UINT64_C(0xb5e46d4ebf886b34));
}
END_TEST

START_TEST(random_below_stays_below)
{
    struct ncs_random r = { 7 };
    int seen[6] = { 0 };
    for (int i = 0; i < 6000; i++) {
        uint64_t n = ncs_random_below(&r, 6);
        ck_assert_uint_lt(n, 6);
        seen[n]++;
    }
    for (int i = 0; i < 6; i++)
        ck_assert_int_gt(seen[i], 800);
    ck_assert_uint_eq(ncs_random_below(&r, 1), 0);
}
END_TEST

/* ---- map ---- */

START_TEST(map_holds_any_key)
{
    struct ncs_map m = { 0 };
    int a, b, c;
    ck_assert_ptr_null(ncs_map_get(&m, 0));
    ck_assert_ptr_null(ncs_map_remove(&m, 0));
    ncs_map_put(&m, 0, &a);
    ncs_map_put(&m, UINT64_MAX, &b);
    ck_assert_ptr_eq(ncs_map_get(&m, 0), &a);
    ck_assert_ptr_eq(ncs_map_get(&m, UINT64_MAX), &b);
    ck_assert_ptr_null(ncs_map_get(&m, 1));
    ncs_map_put(&m, 0, &c);
    ck_assert_ptr_eq(ncs_map_get(&m, 0), &c);
    ck_assert_uint_eq(m.count, 2);
    ncs_map_free(&m);
    ck_assert_uint_eq(m.count, 0);
    ck_assert_ptr_null(ncs_map_get(&m, 0));
}
END_TEST

/* Against an array as the model, with puts, replacements and erasures mixed. */
START_TEST(map_agrees_with_a_model)
{
    enum { KEYS = 257 };
    static char values[2][KEYS];
    void *model[KEYS] = { 0 };
    size_t live = 0;
    struct ncs_map m = { 0 };
    struct ncs_random r = { 1 };
    for (int step = 0; step < 20000; step++) {
        size_t k = ncs_random_below(&r, KEYS);
        if (ncs_random_below(&r, 2)) {
            void *value = &values[ncs_random_below(&r, 2)][k];
            live += !model[k];
            model[k] = value;
            ncs_map_put(&m, k * 8, value);
        } else {
            ck_assert_ptr_eq(ncs_map_remove(&m, k * 8), model[k]);
            live -= model[k] != NULL;
            model[k] = NULL;
        }
        ck_assert_uint_eq(m.count, live);
    }
    for (size_t k = 0; k < KEYS; k++)
        ck_assert_ptr_eq(ncs_map_get(&m, k * 8), model[k]);
    ncs_map_free(&m);
}
END_TEST

START_TEST(map_reuses_erased_slots)
{
    struct ncs_map m = { 0 };
    int value;
    for (uint64_t key = 0; key < 100000; key++) {
        ncs_map_put(&m, key, &value);
        ck_assert_ptr_eq(ncs_map_remove(&m, key), &value);
    }
    ck_assert_uint_eq(m.count, 0);
    ck_assert_uint_le(m.room, 16);
    ck_assert_ptr_null(ncs_map_get(&m, 5));
    ncs_map_free(&m);
}
END_TEST

START_TEST(a_number_of_zero_leaves_the_others_to_be_found)
{
    struct ncs_map m = { 0 };
    for (uint64_t k = 1; k <= 12; k++)
        ncs_map_put_number(&m, k, (size_t)k);
    for (uint64_t k = 1; k <= 12; k += 2)
        ncs_map_put_number(&m, k, 0);
    for (uint64_t k = 1; k <= 12; k++)
        ck_assert_uint_eq(ncs_map_number(&m, k), k % 2 ? 0 : k);
    ncs_map_free(&m);
}
END_TEST

static void add_up(void *value, void *arg)
{
    *(int *)arg += *(int *)value;
}

START_TEST(map_visits_each_value_once)
{
    static int values[100];
    struct ncs_map m = { 0 };
    int sum = 0;
    ncs_map_each(&m, add_up, &sum);
    ck_assert_int_eq(sum, 0);
    for (int i = 0; i < 100; i++) {
        values[i] = i;
        ncs_map_put(&m, ncs_map_key(&values[i]), &values[i]);
    }
    ncs_map_remove(&m, ncs_map_key(&values[50]));
    ncs_map_each(&m, add_up, &sum);
    ck_assert_int_eq(sum, 4950 - 50);
    ncs_map_free(&m);
}
END_TEST

/* Against an array as the model: keys that come and go in any order, with more and with fewer of them at once. */
START_TEST(sorted_agrees_with_a_model)
{
    enum { KEYS = 1500 };
    static char values[KEYS];
    bool in[KEYS] = { false };
    struct ncs_sorted s = { 0 };
    struct ncs_random r = { 3 };
    ck_assert_ptr_null(ncs_sorted_at(&s, UINT64_MAX));
    ck_assert_ptr_null(ncs_sorted_beyond(&s, 0));
    ck_assert_ptr_null(ncs_sorted_remove(&s, 5));
    for (int step = 0; step < 40000; step++) {
        size_t k = ncs_random_below(&r, KEYS);
        if (in[k] ? ncs_random_below(&r, 10) < (step < 20000 ? 2 : 8) : ncs_random_below(&r, 2)) {
            if (in[k])
                ck_assert_ptr_eq(ncs_sorted_remove(&s, k * 4 + 1), &values[k]);
            else
                ncs_sorted_put(&s, k * 4 + 1, &values[k]);
            in[k] = !in[k];
        }
        ck_assert_ptr_null(ncs_sorted_remove(&s, k * 4 + 2));
        size_t at = k, beyond = k + 1;
        while (at && !in[at])
            at--;
        while (beyond < KEYS && !in[beyond])
            beyond++;
        ck_assert_ptr_eq(ncs_sorted_at(&s, k * 4 + 3), in[at] ? &values[at] : NULL);
        ck_assert_ptr_eq(ncs_sorted_beyond(&s, k * 4 + 1), beyond < KEYS ? &values[beyond] : NULL);
    }
    for (char *v; (v = ncs_sorted_beyond(&s, 0));)
        ck_assert_ptr_eq(ncs_sorted_remove(&s, (uint64_t)(v - values) * 4 + 1), v);
    ck_assert_uint_eq(s.pages, 0);
    ncs_sorted_free(&s);
}
END_TEST

START_TEST(slab_gives_what_it_was_given_back)
{
    enum { LIVE = 300 };
    struct ncs_slab slab = { .bytes = 40 };
    uint64_t *object[LIVE];
    for (int round = 0; round < 100; round++) {
        for (uint64_t i = 0; i < LIVE; i++) {
            object[i] = ncs_slab_take(&slab);
            for (int w = 0; w < 5; w++)
                ck_assert_uint_eq(object[i][w], 0);
            for (int w = 0; w < 5; w++)
                object[i][w] = i + 1;
        }
        for (uint64_t i = 0; i < LIVE; i++)
            ck_assert_uint_eq(object[i][4], i + 1);
        for (int i = 0; i < LIVE; i++)
            ncs_slab_give(&slab, object[i]);
    }
    ck_assert_uint_lt(slab.blocks, 10);
    ncs_slab_free(&slab);
    ncs_slab_give(&slab, ncs_slab_take(&slab));
    ncs_slab_free(&slab);
    ck_assert_uint_eq(slab.blocks, 0);
}
END_TEST

/* ---- error, mem ---- */

START_TEST(error_is_filled_once_and_cut_to_size)
{
    struct ncs_error err = { .line = 9, .hint = "old" };
    ck_assert(!ncs_fail(&err, NCS_BAD_INPUT, "no %s", "ranks"));
    ck_assert_int_eq(err.status, NCS_BAD_INPUT);
    ck_assert_str_eq(err.text, "no ranks");
    ck_assert_int_eq(err.line, 0);
    ck_assert_str_eq(err.hint, "");
    ck_assert(!ncs_fail_at(&err, "a.lua", 3, 7));
    ck_assert(!ncs_fail_hint(&err, "say %d", 4));
    ck_assert_str_eq(err.file, "a.lua");
    ck_assert_int_eq(err.line, 3);
    ck_assert_int_eq(err.column, 7);
    ck_assert_str_eq(err.hint, "say 4");
    ck_assert_str_eq(err.text, "no ranks");

    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ncs_fail(&err, NCS_INTERNAL, "%s", text);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    ck_assert(!ncs_fail(NULL, NCS_INTERNAL, "nobody asks"));
}
END_TEST

START_TEST(arrays_grow)
{
    int *items = NULL;
    size_t count = 0, room = 0;
    for (int i = 0; i < 1000; i++)
        NCS_PUSH(items, count, room, i * i);
    ck_assert_uint_eq(count, 1000);
    ck_assert_uint_ge(room, 1000);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(items[i], i * i);
    ncs_free(items);

    unsigned char *zeroed = ncs_new(64);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(zeroed[i], 0);
    ncs_free(zeroed);
    ck_assert_ptr_null(ncs_copy_text(NULL));
}
END_TEST

NCS_TEST_MAIN("base", interpreter_names_its_script, interpreter_without_a_script_names_itself, str_grows_and_ends_in_zero,
              str_keeps_zero_bytes, str_add_of_nothing_makes_a_text, str_take_and_clear, str_lists_ranks, many_ranks_fit_a_line,
              near_finds_what_was_meant, near_words, near_is_silent_when_nothing_is_meant, near_keeps_to_the_count, size_parses,
              size_refuses, duration_parses, duration_refuses, int_parses, int_refuses, duration_formats, size_formats,
              formats_stay_in_their_buffer, hash_of_bytes_sees_order_count_and_each_byte, hash_and_random_values_are_fixed,
              random_below_stays_below, map_holds_any_key, map_agrees_with_a_model, map_reuses_erased_slots,
              a_number_of_zero_leaves_the_others_to_be_found, map_visits_each_value_once, sorted_agrees_with_a_model,
              slab_gives_what_it_was_given_back, error_is_filled_once_and_cut_to_size, arrays_grow)
