/* Totals of several runs: how many were as expected, and the exit code of all. */
#include "report/text.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

void ncs_tally_add(struct ncs_tally *tally, enum ncs_verdict verdict, bool as_expected)
{
    tally->runs++;
    if (verdict == NCS_SKIPPED) {
        tally->skipped++;
    } else if (as_expected) {
        tally->expected++;
    } else {
        /* A pass counts as a failed check if another outcome was declared. */
        enum ncs_verdict counts_as = verdict == NCS_PASS ? NCS_WRONG : verdict;
        tally->worst = tally->worst == NCS_PASS ? counts_as : ncs_verdict_worse(tally->worst, counts_as);
        tally->unexpected[verdict]++;
    }
}

int ncs_tally_exit(const struct ncs_tally *tally)
{
    if (tally->worst != NCS_PASS)
        return ncs_verdict_exit(tally->worst);
    if (tally->expected)
        return 0;
    return ncs_verdict_exit(tally->skipped ? NCS_SKIPPED : NCS_EMPTY);
}

void ncs_tally_skip(struct ncs_tally *tally, const char *reason)
{
    for (size_t i = 0; i < tally->reasons; i++)
        if (strcmp(tally->reason[i].text, reason) == 0) {
            tally->reason[i].count++;
            return;
        }
    NCS_PUSH(tally->reason, tally->reasons, tally->reasons_room, ((struct ncs_tally_reason){ ncs_copy_text(reason), 1 }));
}

void ncs_tally_free(struct ncs_tally *tally)
{
    NCS_FREE_EACH(tally->reason, tally->reasons, text);
    *tally = (struct ncs_tally){ 0 };
}

static const char *tally_plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Adds "200 runs of 12 cases of 7 scenarios", without parts whose number equals the next. */
static void tally_add_sizes(const struct ncs_tally *t, struct ncs_str *out)
{
    size_t runs = t->runs + t->not_run, cases = t->cases ? t->cases : runs, scenarios = t->scenarios ? t->scenarios : cases;
    if (runs != cases)
        ncs_str_addf(out, "%zu run%s of ", runs, tally_plural(runs));
    if (cases != scenarios)
        ncs_str_addf(out, "%zu case%s of ", cases, tally_plural(cases));
    ncs_str_addf(out, "%zu scenario%s", scenarios, tally_plural(scenarios));
}

/* Adds " (needs 8 GPUs, the simulated machine has 2)", or several reasons with their counts. */
static void add_reasons(const struct ncs_tally *t, struct ncs_str *out)
{
    enum { SHOWN = 4 };
    size_t told = 0;
    for (size_t i = 0; i < t->reasons && i < SHOWN; i++) {
        ncs_str_add(out, i ? "; " : " (");
        if (t->reasons > 1 || t->reason[i].count < t->skipped)
            ncs_str_addf(out, "%zu: ", t->reason[i].count);
        ncs_safe_line(out, t->reason[i].text);
        told += t->reason[i].count;
    }
    if (told && told < t->skipped)
        ncs_str_addf(out, "; %zu: other reasons", t->skipped - told);
    ncs_str_add(out, told ? ")" : "");
}

/* ": 6 as expected, 1 unexpected (1 hang)" and the rest. */
static void tally_add_counts(const struct ncs_tally *t, struct ncs_str *out)
{
    ncs_str_addf(out, ": %zu as expected", t->expected);
    size_t not = t->runs - t->expected - t->skipped;
    if (not ) {
        ncs_str_addf(out, ", %zu unexpected (", not );
        const char *comma = "";
        for (int v = 0; v < NCS_VERDICTS; v++) {
            size_t count = t->unexpected[v] - (v == NCS_PASS ? t->by_findings : 0);
            if (!count)
                continue;
            ncs_str_addf(out, "%s%zu %s", comma, count, v == NCS_PASS ? "passed" : ncs_verdict_name((enum ncs_verdict)v));
            comma = ", ";
        }
        if (t->by_findings)
            ncs_str_addf(out, "%s%zu by --fail-on", comma, t->by_findings);
        ncs_str_add(out, ")");
    }
    if (t->skipped) {
        ncs_str_addf(out, ", %zu skipped", t->skipped);
        add_reasons(t, out);
    }
    if (t->not_run)
        ncs_str_addf(out, ", %zu not run", t->not_run);
    ncs_str_add(out, "\n");
}

void ncs_tally_text(const struct ncs_tally *tally, struct ncs_str *out)
{
    tally_add_sizes(tally, out);
    tally_add_counts(tally, out);
}

/* ---- the runs of one case ---- */

void ncs_repeated_add(struct ncs_repeated *r, const struct ncs_report_entry *entry)
{
    uint64_t seed = r->first + r->tally.runs;
    ncs_tally_add(&r->tally, entry->verdict, entry->as_expected);
    r->tally.by_findings += entry->by_findings;
    if (entry->reason.bytes)
        ncs_tally_skip(&r->tally, entry->reason.text);
    if (!entry->as_expected && entry->verdict != NCS_SKIPPED)
        NCS_PUSH(r->unexpected[entry->verdict].seed, r->unexpected[entry->verdict].count, r->unexpected[entry->verdict].room,
                 seed);
}

void ncs_repeated_free(struct ncs_repeated *r)
{
    for (int v = 0; v < NCS_VERDICTS; v++)
        ncs_free(r->unexpected[v].seed);
    ncs_tally_free(&r->tally);
    *r = (struct ncs_repeated){ 0 };
}

/* Adds "3, 7..19, 44", and the number of omitted seeds. */
static void add_seeds(const uint64_t *seed, size_t count, struct ncs_str *out)
{
    enum { SHOWN = 12 };
    size_t shown = 0;
    for (size_t i = 0; i < count; shown++) {
        size_t last = i;
        while (last + 1 < count && seed[last + 1] == seed[last] + 1)
            last++;
        if (shown == SHOWN) {
            ncs_str_addf(out, " and %zu more", count - i);
            return;
        }
        ncs_str_addf(out, "%s%" PRIu64, shown ? ", " : "", seed[i]);
        if (last > i)
            ncs_str_addf(out, "%s%" PRIu64, last == i + 1 ? ", " : "..", seed[last]);
        i = last + 1;
    }
}

void ncs_repeated_text(const struct ncs_repeated *r, const char *name, const struct ncs_report_style *style, struct ncs_str *out)
{
    const struct ncs_tally *t = &r->tally;
    bool fine = t->runs == t->expected, ran = t->runs > t->skipped;
    const char *word = fine ? "PASS" : ran ? "FAIL" : "SKIPPED";
    const char *color = fine ? NCS_GREEN : ran ? NCS_RED : NCS_YELLOW;
    if (style->color)
        ncs_str_addf(out, "\033[%sm%s\033[0m  ", color, word);
    else
        ncs_str_addf(out, "%s  ", word);
    ncs_safe_line(out, name);
    ncs_str_addf(out, "  %zu run%s, seeds %" PRIu64 "..%" PRIu64, t->runs, tally_plural(t->runs), r->first,
                 r->first + t->runs - 1);
    tally_add_counts(t, out);
    for (int v = 0; v < NCS_VERDICTS; v++) {
        if (!r->unexpected[v].count)
            continue;
        ncs_str_addf(out, "  %s  seed%s ", ncs_verdict_name((enum ncs_verdict)v), tally_plural(r->unexpected[v].count));
        add_seeds(r->unexpected[v].seed, r->unexpected[v].count, out);
        ncs_str_add(out, "\n");
    }
}
