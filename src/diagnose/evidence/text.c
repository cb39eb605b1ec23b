/* Sentences about evidence, for the finding's `evidence`. */
#include "diagnose/analysis.h"

static void text_format_change(struct ncs_str *s, enum ncs_divergence_how how, unsigned first, unsigned other,
                            unsigned shift)
{
    const char *what = how == NCS_DIVERGENCE_SKIPPED ? "put in" : "taken out";
    if (how == NCS_DIVERGENCE_SWAPPED)
        ncs_str_addf(s, "calls %u and %u exchanged on ", first, other);
    else if (shift == 1)
        ncs_str_addf(s, "call %u %s on ", first, what);
    else
        ncs_str_addf(s, "calls %u to %u %s on ", first, first + shift - 1, what);
}

/* "they would have come out with calls 2 and 3 exchanged on rank 3" */
static void text_format_results(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p,
                        struct ncs_str *s)
{
    const struct ncs_divergence_alternative *alternative = &p->alternative;
    ncs_str_add(s, "they would have come out with ");
    text_format_change(s, p->how, p->number, p->other, p->shift);
    if (alternative->how) {
        ncs_str_addf(s, "rank %d, and as well with ", ncs_run_rank(q, comm, p->minority[0]));
        text_format_change(s, alternative->how, alternative->number, alternative->other, alternative->shift);
        ncs_str_addf(s, "rank %d", ncs_run_rank(q, comm, alternative->minority));
    } else if (p->tied) {
        ncs_str_add(s, "one of the two ranks");
    } else {
        ncs_format_minority(q, s, comm, p);
    }
    if (p->earliest)
        ncs_str_addf(s, ", as with any of calls %u to %u", (unsigned)p->earliest, (unsigned)p->number);
}

void ncs_format_evidence(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, struct ncs_str *s)
{
    static const char *const by[] = {
        [NCS_EVIDENCE_LINE] = "by script lines: ", [NCS_EVIDENCE_BUFFER] = "by buffers: ",
        [NCS_EVIDENCE_BETWEEN] = "by what comes between the calls: ",
        [NCS_EVIDENCE_INPUT] = "by the data that is put in: ",
        [NCS_EVIDENCE_RESULT] = "by the results that were expected: ",
    };
    bool skipped = p->how == NCS_DIVERGENCE_SKIPPED;
    ncs_str_add(s, by[p->evidence]);
    if (p->evidence == NCS_EVIDENCE_RESULT) {
        text_format_results(q, comm, p, s);
        return;
    }
    if (p->how == NCS_DIVERGENCE_SWAPPED) {
        ncs_str_addf(s, "with calls %u and %u exchanged ", (unsigned)p->number, (unsigned)p->other);
        if (p->tied) {
            ncs_str_add(s, "the two ranks agree");
            return;
        }
        ncs_format_minority(q, s, comm, p);
        ncs_str_add(s, p->minority_size == 1 ? " agrees with the others" : " agree with the others");
        return;
    }
    if (p->gaps.count) {
        ncs_str_addf(s, "with these %zu calls %s ", p->gaps.count, skipped ? "put in" : "taken out");
        ncs_format_minority(q, s, comm, p);
        ncs_str_add(s, p->minority_size == 1 ? " agrees with the others" : " agree with the others");
        return;
    }
    ncs_str_addf(s, "from call %u on ", (unsigned)p->number);
    ncs_format_minority(q, s, comm, p);
    ncs_str_addf(s, " agree%s with what the others do %u call%s %s", p->minority_size == 1 ? "s" : "",
                 (unsigned)p->shift, p->shift == 1 ? "" : "s", skipped ? "later" : "earlier");
    if (p->earliest)
        ncs_str_addf(s, "; calls %u to %u are alike, and any of them may be the one",
                     (unsigned)p->earliest, (unsigned)p->number);
}
