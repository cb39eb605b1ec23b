/* ncclscript compare: runs every scenario on the simulator and on real NCCL, and reports the differences. */
#include <stdio.h>
#include <string.h>

#include "api/version.h"
#include "base/safe.h"
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/run_options.h"
#include "cli/twin.h"

enum { RANKS, NCCL_LIB, CUDART_LIB, TIMEOUT, MEMORY, SET, VERBOSE, QUIET, HELP };

static const struct ncs_option options[] = {
    [RANKS] = NCS_ROW_NUMBER("ranks", 'n', "RANKS", "as declared", "Running", "ranks of the runs", 1, NCS_RANKS_MOST),
    [NCCL_LIB] = NCS_ROW_TEXTS("nccl-lib", 0, "PATH", "libnccl.so.2", "Running", "the NCCL library"),
    [CUDART_LIB] = NCS_ROW_TEXTS("cudart-lib", 0, "PATH", "libcudart.so.13", "Running", "the CUDA runtime library"),
    [TIMEOUT] = NCS_ROW_TIME("timeout", 0, "as declared, or 10s", "Running", "limit of each run; on NCCL, time without progress"),
    [MEMORY] = NCS_OPTION_MEMORY("Running"),
    [SET] = NCS_ROW_TEXTS("set", 0, "NAME=VALUE", NULL, "Running", "set a parameter; may be given again"),
    [VERBOSE] = NCS_ROW_FLAG("verbose", 'v', "Output", "print every difference, not only three of each kind"),
    [QUIET] = NCS_ROW_FLAG("quiet", 'q', "Output", "print only differences and the summary"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

enum { SHOWN = 3 }; /* differences of a kind */

static const struct {
    const char *one, *many;
} kinds[] = {
    [NCS_TWIN_FINDING] = { "finding", "findings" },
    [NCS_TWIN_ERROR] = { "error", "errors" },
    [NCS_TWIN_EXPECTATION] = { "expectation", "expectations" },
    [NCS_TWIN_WRONG] = { "result", "results" },
    [NCS_TWIN_VALUE] = { "value", "values" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct comparison {
    struct ncs_option_value value[NCS_RUN_HELP + 1]; /* as of `run` */
    struct ncs_selection selection;
    bool verbose, quiet;
    size_t same, differ, skipped, unloaded;
};

/* The lines in which one scenario's two runs agree and differ. */
struct difference {
    struct ncs_str text; /* lines */
    size_t values, bits; /* compared, and of these bit by bit */
    size_t of_kind[KINDS];
};

/* ---- two runs ---- */

static void add_difference(const struct comparison *c, struct difference *d, enum ncs_twin_kind kind, const char *key,
                           const char *sim, const char *nccl)
{
    if (d->of_kind[kind]++ >= SHOWN && !c->verbose)
        return;
    ncs_str_addf(&d->text, "  %s  ", kinds[kind].one);
    ncs_safe_line(&d->text, key);
    ncs_str_add(&d->text, ": sim ");
    ncs_safe_line(&d->text, sim);
    ncs_str_add(&d->text, ", nccl ");
    ncs_safe_line(&d->text, nccl);
    ncs_str_add(&d->text, "\n");
}

static void add_unshown(const struct comparison *c, struct difference *d)
{
    for (int k = 0; k < KINDS && !c->verbose; k++)
        if (d->of_kind[k] > SHOWN)
            ncs_str_addf(&d->text, "  and %zu more %s\n", d->of_kind[k] - SHOWN, kinds[k].many);
}

/* The number of lines from `at` on that have the kind and key of line `at`. */
static size_t count_equal_keys(const struct ncs_twin *t, size_t at)
{
    size_t end = at;
    while (end < t->lines && t->line[end].kind == t->line[at].kind && strcmp(t->line[end].key, t->line[at].key) == 0)
        end++;
    return end - at;
}

static int order_twin_lines(const struct ncs_twin_line *a, const struct ncs_twin_line *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return strcmp(a->key, b->key);
}

static void compare_stretch(const struct comparison *c, struct difference *d, const struct ncs_twin_line *sim,
                            const struct ncs_twin_line *nccl, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool value = sim[i].kind == NCS_TWIN_VALUE;
        bool bound = value && (strcmp(sim[i].text, "bound") == 0 || strcmp(nccl[i].text, "bound") == 0);
        d->values += value;
        d->bits += value && !bound;
        if (!bound && strcmp(sim[i].text, nccl[i].text) != 0)
            add_difference(c, d, sim[i].kind, sim[i].key, sim[i].text, nccl[i].text);
    }
}

static void compare_twin_lines(const struct comparison *c, struct difference *d, const struct ncs_twin *sim,
                               const struct ncs_twin *nccl)
{
    for (size_t a = 0, b = 0; a < sim->lines || b < nccl->lines;) {
        const struct ncs_twin_line *x = a < sim->lines ? &sim->line[a] : NULL;
        const struct ncs_twin_line *y = b < nccl->lines ? &nccl->line[b] : NULL;
        int side = !x ? 1 : !y ? -1 : order_twin_lines(x, y);
        size_t of_sim = side <= 0 ? count_equal_keys(sim, a) : 0, of_nccl = side >= 0 ? count_equal_keys(nccl, b) : 0;
        size_t both = of_sim < of_nccl ? of_sim : of_nccl;
        bool value = (side <= 0 ? x : y)->kind == NCS_TWIN_VALUE;
        if (both && (!value || of_sim == of_nccl))
            compare_stretch(c, d, x, y, both);
        for (size_t i = both; i < of_sim && !value; i++)
            add_difference(c, d, x[i].kind, x[i].key, x[i].text, "none");
        for (size_t i = both; i < of_nccl && !value; i++)
            add_difference(c, d, y[i].kind, y[i].key, "none", y[i].text);
        a += of_sim;
        b += of_nccl;
    }
}

static void add_verdict(struct ncs_str *out, const char *driver, const struct ncs_twin *t)
{
    ncs_str_addf(out, "%s %s", driver, ncs_verdict_name(t->verdict));
    if (t->reason) {
        ncs_str_add(out, " (");
        ncs_safe_line(out, t->reason);
        ncs_str_add(out, ")");
    }
}

static void compare_verdicts(const struct comparison *c, struct difference *d, const struct ncs_twin *sim,
                             const struct ncs_twin *nccl)
{
    if (sim->verdict != nccl->verdict) {
        ncs_str_add(&d->text, "  verdict  ");
        add_verdict(&d->text, "sim", sim);
        ncs_str_add(&d->text, ", ");
        add_verdict(&d->text, "nccl", nccl);
        ncs_str_add(&d->text, "\n");
    }
    if (sim->verdict == nccl->verdict && sim->verdict == NCS_PASS && sim->expectations != nccl->expectations)
        ncs_str_addf(&d->text, "  expectations  sim %llu, nccl %llu\n", (unsigned long long)sim->expectations,
                     (unsigned long long)nccl->expectations);
    compare_twin_lines(c, d, sim, nccl);
    add_unshown(c, d);
}

/* ---- output ---- */

static void print_comparison(const char *word, const char *file, const struct ncs_str *rest)
{
    struct ncs_str out = { 0 };
    ncs_str_addf(&out, "%-7s  ", word);
    ncs_safe_line(&out, file);
    ncs_str_add(&out, rest->text ? rest->text : "");
    ncs_str_add(&out, "\n");
    ncs_out(out.text);
    ncs_out_flush();
    ncs_str_free(&out);
}

static void print_skipped(struct comparison *c, const char *file, const struct ncs_twin *t)
{
    struct ncs_str rest = { 0 };
    c->skipped++;
    ncs_str_add(&rest, ": ");
    ncs_safe_line(&rest, t->reason ? t->reason : "no reason is known");
    if (!c->quiet)
        print_comparison("SKIPPED", file, &rest);
    ncs_str_free(&rest);
}

static void print_same(struct comparison *c, const char *file, const struct ncs_twin *t, const struct difference *d)
{
    struct ncs_str rest = { 0 };
    c->same++;
    ncs_str_addf(&rest, ": %s, %zu result%s compared", ncs_verdict_name(t->verdict), d->values, d->values == 1 ? "" : "s");
    if (d->bits < d->values)
        ncs_str_addf(&rest, ", %zu of them by their bounds", d->values - d->bits);
    if (!c->quiet)
        print_comparison("SAME", file, &rest);
    ncs_str_free(&rest);
}

static void twin_on(struct comparison *c, const char *driver, size_t run, struct ncs_twin *out)
{
    struct ncs_option_value *v = &c->value[NCS_RUN_DRIVER];
    for (v->number = 0; strcmp(ncs_run_option[NCS_RUN_DRIVER].choices[v->number], driver) != 0;)
        v->number++;
    ncs_twin_run(&c->selection, run, c->value, out);
}

/* The simulator gets the version of the library, or the next older one that it knows: a newer one differs
 * from it by right. */
static void simulate_version(struct comparison *c, const struct ncs_twin *nccl)
{
    const char *profile = ncs_nccl_profile_before(ncs_nccl_version_code(nccl->nccl));
    struct ncs_option_value *v = &c->value[NCS_RUN_NCCL];
    for (int i = 0; profile && ncs_nccl_profiles[i]; i++)
        if (ncs_nccl_profiles[i] == profile)
            *v = (struct ncs_option_value){ .given = true, .number = i };
}

static void compare_run(struct comparison *c, size_t run, const char *file)
{
    struct ncs_twin sim = { 0 }, nccl = { 0 };
    struct difference d = { 0 };
    twin_on(c, "nccl", run, &nccl);
    if (nccl.loaded && nccl.verdict != NCS_SKIPPED) {
        simulate_version(c, &nccl);
        twin_on(c, "sim", run, &sim);
    }
    if (!nccl.loaded || (nccl.verdict != NCS_SKIPPED && !sim.loaded)) {
        c->unloaded++;
    } else if (nccl.verdict == NCS_SKIPPED || sim.verdict == NCS_SKIPPED) {
        print_skipped(c, file, nccl.verdict == NCS_SKIPPED ? &nccl : &sim);
    } else {
        compare_verdicts(c, &d, &sim, &nccl);
        if (!d.text.bytes) {
            print_same(c, file, &sim, &d);
        } else {
            c->differ++;
            d.text.text[--d.text.bytes] = '\0';
            struct ncs_str rest = { 0 };
            ncs_str_addf(&rest, "\n%s", d.text.text);
            print_comparison("DIFFERS", file, &rest);
            ncs_str_free(&rest);
        }
    }
    ncs_str_free(&d.text);
    ncs_twin_free(&sim);
    ncs_twin_free(&nccl);
}

static int summarize(const struct comparison *c)
{
    size_t all = c->same + c->differ + c->skipped + c->unloaded;
    struct ncs_str out = { 0 };
    ncs_str_addf(&out, "%zu scenario%s: %zu the same, %zu differ%s", all, all == 1 ? "" : "s", c->same, c->differ,
                 c->differ == 1 ? "s" : "");
    if (c->skipped)
        ncs_str_addf(&out, ", %zu skipped", c->skipped);
    if (c->unloaded)
        ncs_str_addf(&out, ", %zu not loaded", c->unloaded);
    ncs_str_add(&out, "\n");
    ncs_out(out.text);
    ncs_str_free(&out);
    if (c->unloaded)
        return ncs_verdict_exit(NCS_INVALID);
    if (c->differ)
        return ncs_verdict_exit(NCS_WRONG);
    return ncs_verdict_exit(c->same ? NCS_PASS : NCS_SKIPPED);
}

/* ---- the command ---- */

static void compare_all(struct comparison *c)
{
    for (size_t i = 0; i < c->selection.runs; i++) {
        struct ncs_str name = { 0 };
        ncs_selection_add_full_name(&c->selection, i, &name);
        if (ncs_selection_case(&c->selection, i)) {
            compare_run(c, i, name.text);
        } else {
            ncs_selection_print_error(&c->selection.file[c->selection.run[i].file]);
            c->unloaded++;
        }
        ncs_str_free(&name);
    }
}

static int compare_operands(struct comparison *c, const struct ncs_parsed *parsed)
{
    struct ncs_error err = { 0 };
    bool ok = true;
    c->selection.settings = ncs_run_settings(c->value);
    c->selection.repeats = 1;
    for (size_t i = 0; i < parsed->operands && ok; i++)
        ok = ncs_selection_add(&c->selection, parsed->operand[i], &err);
    if (!ok || !ncs_selection_close(&c->selection, &err)) {
        ncs_print_error(&err);
        return ncs_verdict_exit(NCS_INVALID);
    }
    if (!c->selection.runs) {
        fprintf(stderr, "ncclscript compare: nothing was executed: no scenarios there\n");
        return ncs_verdict_exit(NCS_EMPTY);
    }
    int status = ncs_twin_libraries(ncs_option_last(&c->value[NCS_RUN_NCCL_LIB]), ncs_option_last(&c->value[NCS_RUN_CUDART_LIB]));
    if (status != 0)
        return status;
    compare_all(c);
    return summarize(c);
}

static int compare_main(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    struct comparison c = { .verbose = v[VERBOSE].given, .quiet = v[QUIET].given };
    c.value[NCS_RUN_RANKS] = v[RANKS];
    c.value[NCS_RUN_NCCL_LIB] = v[NCCL_LIB];
    c.value[NCS_RUN_CUDART_LIB] = v[CUDART_LIB];
    c.value[NCS_RUN_TIMEOUT] = v[TIMEOUT];
    c.value[NCS_RUN_MEMORY] = v[MEMORY];
    c.value[NCS_RUN_SET] = v[SET];
    ncs_memory_limit("compare", &v[MEMORY], 1);
    int status = compare_operands(&c, parsed);
    ncs_selection_free(&c.selection);
    return status;
}

const struct ncs_command ncs_cmd_compare = {
    .name = "compare",
    .operands = "FILE|DIR...",
    .summary = "run scenarios on the simulator and on NCCL, and report differences",
    .about = "compare runs each scenario on the simulator (driver sim) and on NCCL (driver nccl), each time\n"
             "in a process of its own. The simulator has the version of the NCCL that is here, or the next older\n"
             "one that it knows. compare compares\n"
             "\n"
             "  the verdicts,\n"
             "  the first findings with their culprits,\n"
             "  the first error that ended a rank,\n"
             "  the failed expectations, by rank and line,\n"
             "  every result that both runs have verified.\n"
             "\n"
             "Results are compared bit by bit. Sums and products of floating-point numbers may differ within\n"
             "bounds, and memory that nothing has written may differ. compare skips a scenario that needs one\n"
             "of the drivers.\n"
             "\n"
             "Exit status: 0 no difference, 1 some scenarios differ, 2 some scenarios do not load, 5 no\n"
             "scenario there, 77 all were skipped, or NCCL is missing.\n",
    .option = options,
    .missing = "no scenario was given",
    .main = compare_main,
};
