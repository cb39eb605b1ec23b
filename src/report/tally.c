/* Several runs together: how many were as expected, and the exit code of them all. */
#include "report/report.h"

void ncs_tally_add(struct ncs_tally *tally, enum ncs_verdict verdict, bool as_expected)
{
    tally->runs++;
    if (verdict == NCS_SKIPPED) {
        tally->skipped++;
    } else if (as_expected) {
        tally->expected++;
    } else {
        /* A pass where something else was declared is a failed check. */
        enum ncs_verdict counts_as = verdict == NCS_PASS ? NCS_WRONG : verdict;
        tally->worst = tally->worst == NCS_PASS ? counts_as
                                                : ncs_verdict_worse(tally->worst, counts_as);
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

void ncs_tally_text(const struct ncs_tally *tally, struct ncs_str *out)
{
    size_t all = tally->runs + tally->not_run;
    ncs_str_addf(out, "%zu scenario%s: %zu as expected", all, all == 1 ? "" : "s",
                 tally->expected);
    size_t not = tally->runs - tally->expected - tally->skipped;
    if (not) {
        ncs_str_addf(out, ", %zu unexpected (", not);
        const char *comma = "";
        for (int v = 0; v < NCS_VERDICTS; v++) {
            if (!tally->unexpected[v])
                continue;
            ncs_str_addf(out, "%s%zu %s", comma, tally->unexpected[v],
                         v == NCS_PASS ? "passed" : ncs_verdict_name((enum ncs_verdict)v));
            comma = ", ";
        }
        ncs_str_add(out, ")");
    }
    if (tally->skipped)
        ncs_str_addf(out, ", %zu skipped", tally->skipped);
    if (tally->not_run)
        ncs_str_addf(out, ", %zu not run", tally->not_run);
    ncs_str_add(out, "\n");
}
