#include "reproduce/ending.h"

#include <string.h>

#include "base/mem.h"
#include "reproduce/workload.h"
#include "scenario/outcome.h"

static void add_culprit(struct ncs_reproduced *out, int rank)
{
    size_t room = out->ranks;
    for (size_t i = 0; i < out->ranks; i++)
        if (out->rank[i] == rank)
            return;
    NCS_PUSH(out->rank, out->ranks, room, rank);
}

void ncs_reproduced_of(const struct ncs_result *r, struct ncs_reproduced *out)
{
    /* An outcome "hang" is compared with the first error, any other with what makes ranks wait. */
    const struct ncs_finding *f = r->verdict == NCS_HANG ? ncs_first_error(&r->diagnosis)
                                                         : ncs_first_cause(r->diagnosis.finding, r->diagnosis.findings);
    *out = (struct ncs_reproduced){ .verdict = r->verdict };
    if (r->errors)
        out->error = ncs_copy_text(r->error[0].name);
    if (!f)
        return;
    out->why = ncs_copy_text(f->rule);
    for (size_t i = 0; i < f->culprits; i++)
        if (f->culprit[i].rank >= 0)
            add_culprit(out, f->culprit[i].rank);
}

/* A text of Lua without what a message may contain. A false assertion is a wrong result, not an error. */
static char *error_statement(const struct ncs_run_error *error)
{
    struct ncs_str out = { 0 };
    const char *message = error->message;
    ncs_str_add(&out, error->kind == NCS_KIND_EXPECT ? "assert(false, \"" : "error(\"");
    for (const char *c = message ? message : "failed"; *c && out.bytes < 100; c++)
        ncs_str_addf(&out, "%c", (unsigned char)*c < ' ' || strchr("\"\\", *c) || (unsigned char)*c > '~' ? '.' : *c);
    ncs_str_add(&out, "\")");
    return ncs_str_take(&out);
}

char **ncs_reproduced_last(const struct ncs_result *r, const struct ncs_reproduced *of)
{
    char **last = ncs_new((size_t)(r->ranks + 1) * sizeof *last);
    bool illegal = of->why && strcmp(of->why, "illegal-access") == 0, cut = of->why && strcmp(of->why, "link-cut") == 0;
    for (size_t i = 0; illegal && i < of->ranks; i++)
        if (of->rank[i] >= 0 && of->rank[i] < r->ranks)
            last[of->rank[i]] = ncs_copy_text(NCS_LAST_ILLEGAL_ACCESS);
    if (cut && of->ranks == 2 && of->rank[0] < r->ranks && of->rank[1] < r->ranks) {
        struct ncs_str fault = { 0 };
        ncs_str_addf(&fault, "%s { rank = %d, peer = %d }", NCS_LAST_FAULT, of->rank[0], of->rank[1]);
        last[of->rank[0]] = ncs_str_take(&fault);
    }
    for (size_t i = 0; i < r->errors; i++) {
        int rank = r->error[i].rank;
        if (rank >= 0 && rank < r->ranks && r->error[i].thread == 0 && !last[rank])
            last[rank] = error_statement(&r->error[i]);
    }
    for (size_t i = 0; of->why && strcmp(of->why, "rank-lost") == 0 && i < of->ranks; i++)
        if (of->rank[i] >= 0 && of->rank[i] < r->ranks && !last[of->rank[i]])
            last[of->rank[i]] = ncs_copy_text("fault.kill()");
    return last;
}

void ncs_reproduced_free_last(char **last, const struct ncs_result *r)
{
    NCS_FREE_ALL(last, r->ranks);
}

void ncs_reproduced_free(struct ncs_reproduced *r)
{
    ncs_free(r->error);
    ncs_free(r->why);
    ncs_free(r->rank);
    *r = (struct ncs_reproduced){ 0 };
}

static bool same_culprits(const struct ncs_reproduced *a, const struct ncs_reproduced *b)
{
    if (a->ranks != b->ranks)
        return false;
    for (size_t i = 0; i < a->ranks; i++) {
        bool found = false;
        for (size_t k = 0; k < b->ranks && !found; k++)
            found = a->rank[i] == b->rank[k];
        if (!found)
            return false;
    }
    return true;
}

bool ncs_reproduced_equal(const struct ncs_reproduced *a, const struct ncs_reproduced *b)
{
    bool same_why = a->why && b->why ? strcmp(a->why, b->why) == 0 : a->why == b->why;
    return a->verdict == b->verdict && same_why && same_culprits(a, b);
}

/* Appends "skipped-call, rank 2"; nothing if the cause is unknown. */
static void ending_add_cause(const struct ncs_reproduced *r, struct ncs_str *out)
{
    if (r->why)
        ncs_str_add(out, r->why);
    if (r->ranks) {
        ncs_str_add(out, r->why ? ", " : "");
        ncs_str_add(out, r->ranks == 1 ? "rank " : "ranks ");
        ncs_str_add_many_ranks(out, r->rank, r->ranks);
    }
}

void ncs_reproduced_add(const struct ncs_reproduced *r, struct ncs_str *out)
{
    ncs_str_addf(out, "%s%s", ncs_verdict_name(r->verdict), r->why ? ": " : r->ranks ? ", " : "");
    ending_add_cause(r, out);
}

void ncs_reproduced_add_clause(const struct ncs_reproduced *r, struct ncs_str *out)
{
    static const char *const clauses[NCS_VERDICTS] = {
        [NCS_PASS] = "passes",
        [NCS_WRONG] = "ends with a wrong result",
        [NCS_INVALID] = "cannot be loaded",
        [NCS_HANG] = "hangs",
        [NCS_ERROR] = "ends with an error",
        [NCS_EMPTY] = "makes no call",
        [NCS_LOST] = "loses all its ranks",
        [NCS_MEMORY] = "uses up its memory",
        [NCS_INTERNAL_FAULT] = "meets a fault of ncclscript",
        [NCS_SKIPPED] = "is skipped",
        [NCS_TIMEOUT] = "reaches its time limit",
        [NCS_INTERRUPTED] = "is interrupted",
    };
    ncs_str_add(out, clauses[r->verdict]);
    if (r->why || r->ranks) {
        ncs_str_add(out, " (");
        ending_add_cause(r, out);
        ncs_str_add(out, ")");
    }
}

void ncs_reproduced_add_difference(const struct ncs_reproduced *now, const struct ncs_reproduced *recorded, struct ncs_str *out)
{
    ncs_reproduced_add_clause(now, out);
    ncs_str_add(out, ", where the record ");
    ncs_reproduced_add_clause(recorded, out);
}
