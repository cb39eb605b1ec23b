/* Every statement of NCCL's and the CUDA runtime's documented behaviour that names a result code, as a
 * row: what is called, and what the simulator must answer as NCCL 2.30.7 and as 2.28.9. Each row runs
 * under both policies and both kinds of contexts, in a machine of its own. The rows are rows/NAME.def:
 *
 *   ROW(id, "what", ncclFunction, RANKS, CODE_2_30_7, CODE_2_28_9, "last error", (options), { body })
 *
 * Every rank runs the body, which returns the code, or SILENT where the statement is about other ranks.
 * A text other than "" must be what ncclGetLastError says afterwards (cudaGetErrorString of the code for a
 * function of CUDA's). ABSENT: the version lacks the function, and the body is not run. HANGS: the ranks
 * that have returned nothing wait for ever. Options: members of struct row_options. */
#include <stdio.h>

#include "../kernel/kernel.h"
#include "api/local.h"

enum { ABSENT = -1, HANGS = -2, SILENT = -3, NOTHING = -4 };

struct row_options {
    bool bare;                 /* no world, stream and x: only the body */
    bool no_driver;            /* a host without a driver of CUDA's */
    const char *env[4];        /* NAME=VALUE */
    int capability, devices, ready_after;
};

struct row {
    const char *id, *what, *function;
    size_t member;             /* of the function in struct ncs_api */
    int ranks;
    int want[2];
    const char *text;
    struct row_options options;
    int (*body)(struct kernel_rank *r);
};

#define ROW(id, what, fn, ranks, new, old, text, options, ...) \
    static int body_##id(struct kernel_rank *r) { (void)r; __VA_ARGS__ }
#include "rows.def"
#undef ROW

#define UNWRAP(...) __VA_ARGS__
#define ROW(id, what, fn, ranks, new, old, text, options, ...)                              \
    { #id, what, #fn, offsetof(struct ncs_api, fn), ranks, { new, old }, text,        \
      { UNWRAP options }, body_##id },
static const struct row rows[] = {
#include "rows.def"
};
#undef ROW

static const int profile[] = { NCCL_VERSION(2, 30, 7), NCCL_VERSION(2, 28, 9) };

struct answer {
    int code;
    char text[256];
};

static const struct row *row;
static struct answer answer[KERNEL_RANKS_MAX];

static void answered(struct kernel_rank *r)
{
    struct answer *a = &answer[r->rank];
    int code = row->body(r);
    bool cuda = strncmp(row->function, "cuda", 4) == 0;
    snprintf(a->text, sizeof a->text, "%s",
             cuda ? api->cudaGetErrorString(code) : api->ncclGetLastError(NULL));
    a->code = code;
}

static void bare_main(void *arg)
{
    answered(arg);
}

static void set_env(bool on)
{
    for (int i = 0; i < 4 && row->options.env[i]; i++) {
        const char *pair = row->options.env[i], *value = strchr(pair, '=');
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(value - pair), pair);
        if (on)
            setenv(name, value + 1, 1);
        else
            unsetenv(name);
    }
}

static void run_ranks(void)
{
    for (int i = 0; i < row->ranks; i++)
        answer[i] = (struct answer){ .code = HANGS };
    if (!row->options.bare) {
        kernel_run(row->ranks, answered);
        return;
    }
    for (int i = 0; i < row->ranks; i++) {
        kernel_rank[i] = (struct kernel_rank){ .rank = i, .nranks = row->ranks, .local = { .rank = i } };
        struct ncs_context_options options = { .process = i, .local = &kernel_rank[i].local,
                                               .main = bare_main, .arg = &kernel_rank[i] };
        struct ncs_error err;
        ck_assert_msg(machine->spawn(&options, &err), "%s", err.text);
    }
    kernel_gate = machine->gate_new();
    machine->run();
}

/* What contradicts the row, in words; "" if nothing does. */
static void judge(int want, char *why, size_t size)
{
    bool seen = false;
    *why = '\0';
    for (int i = 0; i < row->ranks; i++) {
        const struct answer *a = &answer[i];
        if (a->code == SILENT)
            continue;
        if (a->code != want)
            snprintf(why, size, "rank %d: code %d, not %d", i, a->code, want);
        else if (row->text[0] && strcmp(a->text, row->text) != 0)
            snprintf(why, size, "rank %d: \"%s\", not \"%s\"", i, a->text, row->text);
        seen = true;
    }
    if (!seen)
        snprintf(why, size, "no rank gave a code");
}

static bool provided(void)
{
    void (*function)(void);
    memcpy(&function, (const char *)api + row->member, sizeof function);
    return function != NULL;
}

static void try_row(int version, int way, char *why, size_t size)
{
    struct ncs_machine_options options = {
        .nccl_version = profile[version], .own_threads = way & 1, .eager = way & 2 ? 4 << 20 : 0,
        .capability = row->options.capability, .devices = row->options.devices,
        .ready_after = row->options.ready_after,
    };
    int want = row->want[version];
    set_env(true);
    kernel_open(&options);
    if (provided() != (want != ABSENT)) {
        snprintf(why, size, "the version %s it", want == ABSENT ? "has" : "lacks");
    } else if (want != ABSENT) {
        run_ranks();
        judge(want, why, size);
        machine->abandon();
        machine->gate_free(kernel_gate);
    }
    machine->close();
    set_env(false);
}

START_TEST(holds)
{
    char all[8 * 640] = "";
    row = &rows[_i];
    for (int version = 0; version < 2; version++)
        for (int way = 0; way < 4; way++) {
            char why[640] = "";
            try_row(version, way, why, sizeof why);
            size_t used = strlen(all);
            if (*why)
                snprintf(all + used, sizeof all - used, "\n  as %d, way %d: %s", profile[version], way,
                         why);
        }
    ck_assert_msg(!*all, "%s: %s%s", row->id, row->what, all);
}
END_TEST

/* codes [ID]: all rows, or one. */
int main(int argc, char **argv)
{
    int count = sizeof rows / sizeof *rows, first = 0, end = count;
    for (int i = 0; i < count && argc > 1; i++)
        if (strcmp(argv[1], rows[i].id) == 0)
            first = i, end = i + 1;
    Suite *suite = suite_create("codes");
    TCase *tcase = tcase_create("rows");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, holds, first, end);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    printf("%d rows x 2 versions x 2 policies x 2 kinds of contexts: %d wrong\n", end - first, failed);
    return failed != 0;
}
