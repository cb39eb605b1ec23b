/* The program with parts of its diagnosis switched off: those that NCCLSCRIPT_WITHOUT names, separated by commas. The
 * linker leads each call of a part's function from another file here (--wrap), so the program itself knows nothing of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/explanation/explain.h"
#include "run/private.h"

enum part {
#define PART(name, function, what) PART_##name,
#include "parts.def"
#undef PART
    PARTS
};

static const char *const names[] = {
#define PART(name, function, what) #name,
#include "parts.def"
#undef PART
};

static bool is_off[PARTS];

__attribute__((constructor)) static void read_parts(void)
{
    const char *given = getenv("NCCLSCRIPT_WITHOUT");
    char *list = strdup(given ? given : ""), *rest = list;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        size_t i = 0;
        while (i < PARTS && strcmp(names[i], name) != 0)
            i++;
        if (i == PARTS) {
            fprintf(stderr, "NCCLSCRIPT_WITHOUT: there is no part %s\n", name);
            _Exit(2);
        }
        is_off[i] = true;
    }
    free(list);
}

/* REPLACE(what it returns, function, (parameters)): declares the function of the program, and begins the one that is
 * called in its place. */
#define REPLACE(type, function, parameters) \
    type __real_##function parameters;      \
    type __wrap_##function parameters;      \
    type __wrap_##function parameters

/* A part without a result: it does nothing. */
#define SKIP(part, function, parameters, arguments) \
    REPLACE(void, function, parameters)             \
    {                                               \
        if (!is_off[PART_##part])                   \
            __real_##function arguments;            \
    }

/* A part that finds something or not: it finds nothing. */
#define FAIL(part, function, parameters, arguments)                 \
    REPLACE(bool, function, parameters)                             \
    {                                                               \
        return !is_off[PART_##part] && __real_##function arguments; \
    }

SKIP(apart, ncs_candidates_apart, (struct ncs_explanations * s), (s))
SKIP(at_once, ncs_candidates_at_once, (struct ncs_explanations * s), (s))
SKIP(missed, ncs_candidates_missed, (struct ncs_explanations * s), (s))
SKIP(hosts, ncs_candidates_hosts, (struct ncs_explanations * s), (s))
SKIP(peers, ncs_candidates_peers, (struct ncs_explanations * s), (s))
SKIP(shifted, ncs_candidates_shifted, (struct ncs_explanations * s), (s))
SKIP(rounds, ncs_candidate_rounds, (struct ncs_explanations * s, size_t way, size_t model, size_t like), (s, way, model, like))
SKIP(lines, ncs_find_by_lines, (struct ncs_analysis * q), (q))
SKIP(beforehand, ncs_format_beforehand, (const struct ncs_analysis *q), (q))
SKIP(groupings, ncs_judge_groupings, (const struct ncs_analysis *q, struct ncs_drafts *all), (q, all))

FAIL(misnamed, ncs_explain_unmatched, (const struct ncs_analysis *q, int comm, int rank, struct ncs_misnamed *out),
     (q, comm, rank, out))
FAIL(misnamed_first, ncs_explain_first, (const struct ncs_analysis *q, size_t unmet, struct ncs_misnamed *out), (q, unmet, out))

REPLACE(struct ncs_explanations *, ncs_explain_hang, (const struct ncs_analysis *q))
{
    if (!is_off[PART_explanations])
        return __real_ncs_explain_hang(q);
    struct ncs_explanations *none = ncs_new(sizeof *none);
    none->q = q;
    none->in_step = true;
    return none;
}

REPLACE(void, ncs_rules, (struct ncs_analysis * q))
{
    __real_ncs_rules(q);
    if (is_off[PART_rules] && q->result->alternatives)
        ncs_diagnosis_prefer(q->result, 0, true, (struct ncs_why){ 0 });
}

/* The rehearsal without a change stays: by it explanations see whether they know all that the run has. */
REPLACE(void, ncs_rehearse,
        (const struct ncs_cast *cast, const struct ncs_change *change, size_t changes, struct ncs_rehearsed *out))
{
    if (is_off[PART_rehearsal] && changes)
        memset(out, 0, sizeof *out);
    else
        __real_ncs_rehearse(cast, change, changes, out);
}

REPLACE(int64_t, ncs_support_further, (const struct ncs_support *s, const struct ncs_change *change, size_t changes))
{
    return is_off[PART_support] ? -1 : __real_ncs_support_further(s, change, changes);
}

REPLACE(struct ncs_siblings, ncs_siblings_of, (struct ncs_sibling_search * s, const struct ncs_call *call, ncs_fact_of *get))
{
    return is_off[PART_siblings] ? (struct ncs_siblings){ 0 } : __real_ncs_siblings_of(s, call, get);
}

/* The calls alone decide, as where a run cannot be repeated. */
REPLACE(void, ncs_run_prove, (struct ncs_run * run, const struct ncs_driver *driver))
{
    if (!is_off[PART_trials])
        __real_ncs_run_prove(run, driver);
    else if (run->result.verdict == NCS_HANG && !run->options.amend)
        ncs_diagnosis_decide(&run->result.diagnosis, run->journal);
}

REPLACE(struct ncs_trial, ncs_run_try,
        (struct ncs_run * run, const struct ncs_finding *f, struct ncs_amendments *amend, const struct ncs_driver *driver))
{
    if (!is_off[PART_returns])
        return __real_ncs_run_try(run, f, amend, driver);
    ncs_run_close_machine(run);
    struct ncs_run *now = ncs_run_again(run, amend, !run->options.prove, driver);
    struct ncs_trial once = ncs_trial_make(f, now);
    ncs_run_free(now);
    return once;
}
