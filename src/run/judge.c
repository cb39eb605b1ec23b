/* Derives the verdict (sim/README.md, rule 15). The earliest cause wins: after a wrong value or
 * another rank's error, a rank's later failures may be consequences. Causes that have no place in
 * that order (a hang that no failed rank explains, the time limit, an interrupt) are independent,
 * and ncs_verdict_worse ranks them. */
#include "base/budget.h"
#include "base/mem.h"
#include "run/private.h"

/* Once a rank executes statements, its errors are bugs of the program under test. Only an error
 * that scenario{} itself raises on a rank makes the scenario invalid, and only the host's memory
 * budget gives MEMORY. */
static const struct {
    const char *name;
    enum ncs_verdict verdict;
} error_kinds[NCS_KINDS] = {
    [NCS_KIND_NCCL] = { "nccl", NCS_ERROR },       [NCS_KIND_CUDA] = { "cuda", NCS_ERROR },
    [NCS_KIND_USAGE] = { "usage", NCS_ERROR },     [NCS_KIND_EXPECT] = { "expect", NCS_WRONG },
    [NCS_KIND_LUA] = { "lua", NCS_ERROR },         [NCS_KIND_SCENARIO] = { "scenario", NCS_INVALID },
    [NCS_KIND_PROCESS] = { "process", NCS_ERROR }, [NCS_KIND_MEMORY] = { "memory", NCS_MEMORY },
};

enum ncs_verdict ncs_error_verdict(enum ncs_error_kind kind)
{
    return error_kinds[kind].verdict;
}

const char *ncs_error_kind_name(enum ncs_error_kind kind)
{
    return error_kinds[kind].name;
}

struct cause {
    enum ncs_verdict verdict;
    uint64_t order;
};

static void consider(struct cause *cause, enum ncs_verdict verdict, uint64_t order)
{
    if (order < cause->order)
        *cause = (struct cause){ verdict, order };
    else if (order == cause->order)
        cause->verdict = ncs_verdict_worse(cause->verdict, verdict);
}

/* The earliest cause among the ranks' own actions; PASS if there is none. */
static struct cause earliest_cause(const struct ncs_run *run)
{
    const struct ncs_result *r = &run->result;
    struct cause cause = { NCS_PASS, UINT64_MAX };
    for (size_t i = 0; i < r->errors; i++)
        consider(&cause, ncs_error_verdict(r->error[i].kind), r->error[i].order);
    for (size_t i = 0; i < r->expects; i++)
        consider(&cause, NCS_WRONG, r->expect[i].order);
    if (r->wrong_count > 0)
        consider(&cause, NCS_WRONG, run->wrong_order);
    /* A rank that did not get its memory is not blamed for its later failures. */
    if (r->refused > 0 && cause.verdict != NCS_PASS && run->refused_order <= cause.order)
        cause.verdict = NCS_MEMORY;
    if (run->skipped && run->skip_order <= cause.order)
        cause = (struct cause){ NCS_SKIPPED, run->skip_order };
    return cause;
}

bool ncs_has_failed(const struct ncs_result *r, int rank)
{
    for (size_t i = 0; i < r->errors; i++)
        if (ncs_is_thread_of(&r->diagnosis, rank, r->error[i].rank, r->error[i].thread))
            return true;
    return false;
}

struct ncs_finding *ncs_first_error(const struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->findings; i++)
        if (d->finding[i].level == NCS_LEVEL_ERROR)
            return &d->finding[i];
    return NULL;
}

static bool waits_because(const struct ncs_result *r, const struct ncs_wait_line *wait, const bool *because)
{
    for (size_t k = 0; k < wait->peers; k++) {
        if (ncs_has_failed(r, wait->peer[k]))
            return true;
        for (size_t i = 0; i < r->diagnosis.waits; i++)
            if (because[i] && r->diagnosis.wait[i].rank == wait->peer[k])
                return true;
    }
    return wait->peers == 0; /* a wait without peers: the failed rank might have ended it */
}

/* True if every waiting rank waits, directly or through others, for a rank that an
 * error has ended. */
static bool all_wait_for_failed(const struct ncs_result *r)
{
    size_t waits = r->diagnosis.waits, count = 0;
    bool *because = ncs_new(waits * sizeof *because), changed = r->errors > 0;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < waits; i++)
            if (!because[i] && waits_because(r, &r->diagnosis.wait[i], because)) {
                because[i] = changed = true;
                count++;
            }
    }
    ncs_free(because);
    return r->errors > 0 && count == waits;
}

static bool blames_failed(const struct ncs_result *r, const struct ncs_finding *finding)
{
    for (size_t i = 0; i < finding->culprits; i++)
        if (ncs_has_failed(r, finding->culprit[i].rank))
            return true;
    return false;
}

/* True if every cause that the diagnosis finds is a rank that an error has ended. */
static bool all_blame_failed(const struct ncs_result *r)
{
    size_t findings = 0;
    for (size_t i = 0; i < r->diagnosis.findings; i++) {
        const struct ncs_finding *finding = &r->diagnosis.finding[i];
        if (finding->level != NCS_LEVEL_ERROR)
            continue;
        findings++;
        if (!blames_failed(r, finding))
            return false;
    }
    return findings > 0;
}

/* Judges events outside the ranks: a scenario that does not load, a missing device,
 * a fault of ours. */
static bool judge_internal(struct ncs_result *r)
{
    switch (r->internal.status) {
    case NCS_OK: return false;
    case NCS_BAD_INPUT: r->verdict = NCS_INVALID; return true;
    case NCS_NO_DEVICE:
        r->verdict = NCS_SKIPPED;
        if (!r->skip_reason)
            r->skip_reason = ncs_copy_text(r->internal.text);
        return true;
    case NCS_NO_MEMORY: r->verdict = NCS_MEMORY; return true;
    case NCS_INTERNAL: break;
    }
    r->verdict = NCS_INTERNAL_FAULT;
    return true;
}

/* True if ranks disagreed and yet went on. The outcome is then undefined, even if no single result
 * is known to be wrong. */
static bool disagreed(const struct ncs_result *r)
{
    const struct ncs_finding *finding = ncs_first_error(&r->diagnosis);
    return finding && finding->certainty != NCS_POLICY_DEPENDENT;
}

static enum ncs_verdict judge_stop(const struct ncs_run *run, enum ncs_verdict cause)
{
    const struct ncs_result *r = &run->result;
    if (cause == NCS_SKIPPED)
        return cause;
    switch (r->stop) {
    case NCS_STOP_DONE:
        if (run->started == 0 || (run->program.blank && cause == NCS_PASS))
            return NCS_EMPTY;
        if (cause == NCS_PASS && ncs_run_lost(run))
            return NCS_LOST; /* no rank is left to confirm the result */
        return cause == NCS_PASS && disagreed(r) ? NCS_WRONG : cause;
    case NCS_STOP_QUIET:
    case NCS_STOP_LIVELOCK:
    case NCS_STOP_STALLED: return all_wait_for_failed(r) || all_blame_failed(r) ? cause : ncs_verdict_worse(cause, NCS_HANG);
    case NCS_STOP_BUDGET: return ncs_verdict_worse(cause, NCS_TIMEOUT);
    case NCS_STOP_HELD:
    case NCS_STOP_INTERRUPTED: break;
    }
    if (atomic_load(&run->spent))
        return ncs_verdict_worse(cause, NCS_MEMORY);
    if (atomic_load(&run->watch.expired) || r->endless)
        return ncs_verdict_worse(cause, NCS_TIMEOUT);
    bool by_skip = run->skipped && !run->interrupted;
    return by_skip ? cause : NCS_INTERRUPTED;
}

/* The certainty of the first finding, where the verdict follows from it. "By luck" applies only to
 * runs that pass or hang; a wrong value had no luck. */
enum ncs_certainty ncs_run_certainty(const struct ncs_result *r)
{
    const struct ncs_finding *finding = ncs_first_error(&r->diagnosis);
    if (r->stop == NCS_STOP_STALLED)
        return NCS_LIKELY; /* it may only be slow */
    if (!finding)
        return NCS_CERTAIN;
    if (r->verdict == NCS_HANG || r->verdict == NCS_PASS)
        return finding->certainty;
    return r->verdict == NCS_WRONG && finding->certainty != NCS_POLICY_DEPENDENT ? finding->certainty : NCS_CERTAIN;
}

static void explain_memory(struct ncs_result *r)
{
    char budget[NCS_BUDGET_WORDS];
    struct ncs_str reason = { 0 };
    ncs_str_addf(&reason, "%s is used up", ncs_budget_words(budget));
    if (r->refused > 0 && r->refused_at.line > 0)
        ncs_str_addf(&reason, " at line %d", r->refused_at.line);
    ncs_free(r->skip_reason);
    r->skip_reason = ncs_str_take(&reason);
}

void ncs_run_judge(struct ncs_run *run)
{
    struct ncs_result *r = &run->result;
    r->certainty = NCS_CERTAIN;
    if (judge_internal(r))
        return;
    if (r->stop == NCS_STOP_QUIET && !r->diagnosis.explained && !r->refused) {
        ncs_fail(&r->internal, NCS_INTERNAL, "a rank waits, and the diagnosis found no reason");
        r->verdict = NCS_INTERNAL_FAULT;
        return;
    }
    enum ncs_verdict cause = earliest_cause(run).verdict;
    r->verdict = r->stop == NCS_STOP_QUIET && !r->diagnosis.explained ? NCS_MEMORY : judge_stop(run, cause);
    if (r->verdict == NCS_MEMORY)
        explain_memory(r);
    r->certainty = ncs_run_certainty(r);
}
