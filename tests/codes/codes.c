/* Every statement of NCCL's and the CUDA runtime's documented behaviour that names a result code, as a
 * row: what is called, and what the simulator must answer as NCCL 2.32.3 and as 2.28.9. Each row runs
 * under both policies and both kinds of contexts, in a machine of its own. The rows are rows/NAME.def:
 *
 *   ROW(id, "what", function, RANKS, CODE_2_32_3, CODE_2_28_9, "last error", (options), { body })
 *
 * Every rank runs the body, which returns the code, or SILENT where the statement is about other ranks.
 * A text other than "" must be what ncclGetLastError says afterwards (cudaGetErrorString of the code for a
 * function of CUDA's); * in it is anything. ABSENT: the version lacks the function, and the body is not
 * run. HANGS: the ranks wait for ever. After a function of NCCL's no group may be left open. Options:
 * members of struct row_options. */
#include "row.h"

#define ROW(id, what, fn, ranks, new, old, text, options, ...) \
    static int body_##id(struct kernel_rank *r)                \
    {                                                          \
        ROW_WORDS;                                             \
        __VA_ARGS__                                            \
    }
#include "rows.def"
#undef ROW

#define UNWRAP(...) __VA_ARGS__
#define ROW(id, what, fn, ranks, new, old, text, options, ...) \
    { #id, what, #fn, offsetof(struct ncs_api, fn), ranks, { new, old }, text, { UNWRAP options }, body_##id },
static const struct row rows[] = {
#include "rows.def"
};
#undef ROW

enum { ROWS = sizeof rows / sizeof *rows, VERSIONS = 2, WAYS = 4 };
static const int profile[VERSIONS] = { NCCL_VERSION(2, 32, 3), NCCL_VERSION(2, 28, 9) };

struct answer {
    int code, ended; /* ended: the code of ncclGroupEnd afterwards */
    char text[1024];
};

static const struct row *row;
static struct answer answer[KERNEL_RANKS_MAX];

static bool of_cuda(const struct row *of)
{
    return strncmp(of->function, "cuda", 4) == 0;
}

static void answered(struct kernel_rank *r)
{
    struct answer *a = &answer[r->rank];
    if (!row->options.late)
        enter_group();
    int code = row->body(r);
    if (machine->cancelled())
        return;
    snprintf(a->text, sizeof a->text, "%s", of_cuda(row) ? api->cudaGetErrorString(code) : api->ncclGetLastError(NULL));
    int ended = api->ncclGroupEnd();
    if (machine->cancelled())
        return;
    a->ended = ended;
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
    memset(row_id_known, 0, sizeof row_id_known);
    memset(garbage_memory, 0, sizeof garbage_memory);
    for (int i = 0; i < row->ranks; i++)
        answer[i] = (struct answer){ .code = HANGS };
    if (!row->options.bare) {
        kernel_run(row->ranks, answered);
        return;
    }
    for (int i = 0; i < row->ranks; i++) {
        kernel_rank[i] = (struct kernel_rank){ .rank = i, .nranks = row->ranks, .local = { .rank = i } };
        struct ncs_context_options options = {
            .process = i, .local = &kernel_rank[i].local, .main = bare_main, .arg = &kernel_rank[i]
        };
        struct ncs_error err;
        ck_assert_msg(machine->spawn(&options, &err), "%s", err.text);
    }
    kernel_gate = machine->gate_new();
    machine->run();
}

/* Whether it is the text; * is anything. */
static bool text_is(const char *is, const char *want)
{
    if (strcmp(want, UNTOUCHED) == 0)
        return !*is;
    while (*want && *want != '*')
        if (*is++ != *want++)
            return false;
    if (!*want)
        return !*is;
    for (;; is++)
        if (text_is(is, want + 1))
            return true;
        else if (!*is)
            return false;
}

static int want_of(int rank, int version)
{
    if (row->options.hang >> rank & 1)
        return HANGS;
    return in_group && row->options.group == DEFERRED ? 0 : row->want[version];
}

/* The code of the ncclGroupEnd after the body. */
static int want_end(int version)
{
    if (row->options.open)
        return 0;
    if (!in_group)
        return ncclInvalidUsage;
    return row->options.group == APART ? 0 : row->want[version];
}

/* What contradicts the row, in words; "" if nothing does. */
static void judge(int version, char *why, size_t size)
{
    bool seen = false;
    const char *text = version && row->options.old_text ? row->options.old_text : row->text;
    for (int i = 0; i < row->ranks; i++) {
        const struct answer *a = &answer[i];
        if (a->code == SILENT)
            continue;
        int want = want_of(i, version);
        if (a->code != want)
            snprintf(why, size, "rank %d: code %d, not %d (%s)", i, a->code, want, a->text);
        else if (a->code != HANGS && !(in_group && row->options.group == DEFERRED) && *text && !text_is(a->text, text))
            snprintf(why, size, "rank %d: \"%s\", not \"%s\"", i, a->text, text);
        else if (a->code != HANGS && !of_cuda(row) && a->ended != want_end(version))
            snprintf(why, size, "rank %d: then ncclGroupEnd gives %d, not %d", i, a->ended, want_end(version));
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
        .nccl_version = profile[version],
        .own_threads = way & 1,
        .eager = way & 2 ? 4 << 20 : 0,
        .hosts = { .devices = row->options.devices,
                   .capability = (int[]){ row->options.capability },
                   .capabilities = row->options.capability > 0 },
        .ready_after = row->options.ready_after,
        .device_memory = row->options.device_memory,
        .lack = row->options.lack,
        .no_peer_access = row->options.no_peer_access,
        .quirks = row->options.quirks,
    };
    int want = row->want[version];
    *why = '\0';
    set_env(true);
    kernel_open(&options);
    if (provided() != (want != ABSENT)) {
        snprintf(why, size, "the version %s it", want == ABSENT ? "has" : "lacks");
    } else if (want != ABSENT) {
        run_ranks();
        judge(version, why, size);
        machine->abandon();
        machine->gate_free(kernel_gate);
    }
    machine->close();
    set_env(false);
}

START_TEST(holds)
{
    char all[2 * VERSIONS * WAYS * 640] = "";
    row = &rows[_i];
    for (int i = 0; i < 2 * VERSIONS * WAYS; i++) {
        int version = i / WAYS % VERSIONS;
        char why[640];
        in_group = i / WAYS / VERSIONS;
        if (in_group && row->options.group == ALONE)
            break;
        if (row->options.strict && i & 2)
            continue;
        try_row(version, i % WAYS, why, sizeof why);
        size_t used = strlen(all);
        if (*why)
            snprintf(all + used, sizeof all - used, "\n  as %d, way %d%s: %s", profile[version], i % WAYS,
                     in_group ? ", in a group" : "", why);
    }
    ck_assert_msg(!*all, "%s: %s%s", row->id, row->what, all);
}
END_TEST

static bool is_about(const struct row *of, const char *function)
{
    bool is = strcmp(of->function, function) == 0;
    for (int i = 0; i < 8 && of->options.also[i]; i++)
        is |= strcmp(of->options.also[i], function) == 0;
    return is;
}

/* Names the functions that no row is about; how many there are. */
static int uncovered(int *covered)
{
    int missing = 0;
    *covered = 0;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        bool found = ncs_fn_info[fn].lib == NCS_LIB_EXT;
        for (int i = 0; i < ROWS && !found; i++)
            found = is_about(&rows[i], ncs_fn_info[fn].name);
        *covered += found && ncs_fn_info[fn].lib != NCS_LIB_EXT;
        missing += !found;
        if (!found)
            printf("no row: %s\n", ncs_fn_info[fn].name);
    }
    return missing;
}

/* codes [PREFIX]: all rows, or those whose id begins with it. */
int main(int argc, char **argv)
{
    Suite *suite = suite_create("codes");
    TCase *tcase = tcase_create("rows");
    tcase_set_timeout(tcase, 120);
    int count = 0, covered;
    for (int i = 0; i < ROWS; i++)
        if (argc < 2 || strncmp(rows[i].id, argv[1], strlen(argv[1])) == 0) {
            tcase_add_loop_test(tcase, holds, i, i + 1);
            count++;
        }
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    int missing = uncovered(&covered);
    printf("%d rows x %d versions x 2 policies x 2 kinds of contexts: %d wrong; %d functions have rows, "
           "%d have none\n",
           count, VERSIONS, failed, covered, missing);
    return count == 0 || failed != 0 || missing != 0;
}
