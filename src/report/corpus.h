/* Labelled scenarios, as JSON: the known truth of each case, and a score of how well a tool's
 * reports agree with it. */
#ifndef NCS_REPORT_CORPUS_H
#define NCS_REPORT_CORPUS_H

#include "base/error.h"
#include "base/str.h"
#include "scenario/scenario.h"
#include "scenario/truth.h"

/* One case of a scenario under one policy. */
struct ncs_labelled {
    const char *file;
    const char *name; /* "ranks=4,who=1"; NULL = the file is one case */
    const struct ncs_param *value;
    size_t values;
    const struct ncs_scenario *scenario;
    const struct ncs_truth *truth;
    enum ncs_policy policy;
    const char *group; /* the class of the bug */
    const char *entry; /* of the catalogue; NULL = none */
    const char *twin;  /* NULL = none */
    bool correct;      /* a bug's correct twin */
};

/* Appends one JSON object (schema ncclscript.bug/1) and a newline. */
void ncs_report_labelled(const struct ncs_labelled *l, struct ncs_str *out);

/* ---- what a tool claims ---- */

struct ncs_claim_finding {
    char *rule; /* NULL = no rule */
    bool error; /* not a note */
    struct ncs_rank_set culprit, cycle;
};

struct ncs_claim {
    char *scenario, *name; /* the case as in ncs_labelled; "" = the file is one case */
    enum ncs_policy policy;
    char *seed; /* NULL = none */
    enum ncs_verdict verdict;
    struct ncs_claim_finding *finding;
    size_t findings, findings_room;
    struct ncs_rank_set failed; /* ranks that an error ended */
};

/* Reads a line of JSON, either `run --format json` or the minimal form. On malformed input returns
 * false and fills err (without a place). Free the claim in both cases. */
bool ncs_claim_read(const char *line, size_t bytes, struct ncs_claim *claim, struct ncs_error *err);
void ncs_claim_free(struct ncs_claim *claim); /* the contents */

/* ---- how well it agrees ---- */

struct ncs_share {
    size_t right, of;
};

struct ncs_score_entry {
    char *id;               /* "A1", or the class if there is no entry */
    size_t reports, missed; /* reports with some error */
    char *first;            /* the first of them, and its error */
};

struct ncs_score {
    size_t reports, skipped, missing; /* missing: cases of the corpus without a report */
    size_t bugs, twins, others;       /* cases, under any policy and seed; others: declared to pass */
    struct ncs_share verdict, rule, culprit, recall;
    struct ncs_share silent; /* reports of twins without a finding */
    size_t extra;            /* findings beyond those declared */
    struct ncs_score_entry *entry;
    size_t entries, entries_room;
};

/* "FILE[CASE] POLICY seed SEED" */
void ncs_score_format_case(const struct ncs_labelled *l, const char *seed, struct ncs_str *out);
void ncs_score_add(struct ncs_score *s, const struct ncs_labelled *l, const struct ncs_claim *c);
/* Counts a case of the corpus that has no report: wrong in every respect. */
void ncs_score_miss(struct ncs_score *s, const struct ncs_labelled *l);
bool ncs_score_met(const struct ncs_score *s); /* the project's bar */
void ncs_score_text(const struct ncs_score *s, struct ncs_str *out);
/* Appends one JSON object (schema ncclscript.score/1) and a newline. */
void ncs_score_json(const struct ncs_score *s, struct ncs_str *out);
void ncs_score_free(struct ncs_score *s); /* the contents */

#endif
