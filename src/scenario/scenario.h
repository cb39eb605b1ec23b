/* The declarations of a scenario as data, from either notation: ranks, parameters, outcome and the rest;
 * and the comparison of a result with the declared outcome. */
#ifndef NCS_SCENARIO_SCENARIO_H
#define NCS_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/process.h"
#include "base/error.h"
#include "base/str.h"
#include "run/run.h"

#define NCS_RANKS_MOST 65536 /* of a run */

enum ncs_param_kind { NCS_PARAM_INT, NCS_PARAM_NUMBER, NCS_PARAM_TEXT, NCS_PARAM_BOOL };

struct ncs_param {
    char *name;
    enum ncs_param_kind kind;
    int64_t i;  /* INT, BOOL */
    double d;   /* NUMBER */
    char *text; /* TEXT */
};

struct ncs_param ncs_param_copy(const struct ncs_param *p);
void ncs_param_free(struct ncs_param *p);                                  /* the contents */
bool ncs_param_same(const struct ncs_param *a, const struct ncs_param *b); /* kind and value */
/* Appends the value in the form of --set. */
void ncs_param_text(const struct ncs_param *p, struct ncs_str *out);

/* A finding that must be reported. A field that is not given: 0 or NULL; lists: count 0. */
struct ncs_outcome_finding {
    char *rule; /* its id */
    int *culprit;
    size_t culprits;
    int *waiting;
    size_t waitings;
    int64_t call; /* on comm; if comm is not given, on any */
    char *comm;
    char *certainty; /* of ncs_certainty_names */
};

/* Indexed by their enums, NULL at the end. */
extern const char *const ncs_certainty_names[];
extern const char *const ncs_policy_names[];

/* One form of `outcome`. A field that is not given: -1, 0 or NULL; lists: count 0. */
struct ncs_outcome {
    bool given;               /* declared; otherwise the scenario must pass, and reports do not mention it */
    bool any_verdict;         /* only findings were declared: any verdict is accepted */
    enum ncs_verdict verdict; /* PASS HANG ERROR WRONG LOST */
    int *culprit;
    size_t culprits;
    int *waiting;
    size_t waitings;
    int64_t call; /* of HANG and WRONG */
    char *comm;   /* "world" when not given */
    bool comm_given;
    char *why;          /* rule id */
    char *error_name;   /* ERROR */
    char *error_call;   /* ERROR: C name of the function */
    int rank;           /* ERROR, WRONG, LOST */
    int64_t first;      /* WRONG */
    bool finding_given; /* must be reported too */
    struct ncs_outcome_finding finding;
    bool findings_given; /* how many findings are errors, exactly */
    int64_t findings;
};

/* The bug that a scenario reproduces, for lists of bugs and for scoring tools on them. */
struct ncs_bug {
    char *entry; /* of the catalogue, "A1"; NULL: the scenario reproduces no catalogued bug */
    char *nccl;  /* NCCL's behaviour, one sentence; or NULL */
    char **thread;
    size_t threads; /* public threads about it, "NVIDIA/nccl#296" */
};

struct ncs_scenario {
    char *file;             /* as given on the command line */
    char *about;            /* one line; NULL = not declared */
    int ranks;              /* default 2 */
    struct ncs_shape hosts; /* default NCS_DEVICES_USUAL devices each; owns its lists */
    bool world;             /* default true */
    struct ncs_param *param;
    size_t params;
    struct ncs_outcome outcome;
    struct ncs_bug bug;
    enum ncs_policy policy;
    bool verify;
    int64_t timeout; /* ns; 0 = none */
    char **env;
    size_t envs;          /* "NAME=value" */
    struct ncs_owns owns; /* settings of single ranks; owns its list and texts */
    char *needs_driver;   /* NULL = any */
    int needs_nccl;       /* version code, 0 = any */
    int needs_gpus;       /* 0 = any */
    int sim_nccl;         /* version code, 0 = default */
    uint64_t sim_memory;  /* 0 = default */
    uint64_t sim_eager;   /* UINT64_MAX = default */
    int sim_ready_after;
    int sim_lanes; /* 0 = any number */
    bool sim_quirks;
    int sim_model; /* index in ncs_models (api/model.h) */
};

void ncs_scenario_init(struct ncs_scenario *s, const char *file); /* the defaults */
/* Adds a setting of one rank. Takes the variable. */
void ncs_scenario_add_own(struct ncs_scenario *s, struct ncs_own own);
void ncs_scenario_free(struct ncs_scenario *s); /* the contents */

/* --set name=value: converted to the default's type; for an unknown name, err suggests the nearest. */
bool ncs_scenario_set(struct ncs_scenario *s, const char *assignment, struct ncs_error *err);
/* Sets a parameter to a value of its own kind; no effect if there is no such parameter. */
void ncs_scenario_set_value(struct ncs_scenario *s, const struct ncs_param *value);
const struct ncs_param *ncs_scenario_param(const struct ncs_scenario *s, const char *name);

/* Checks that ranks, devices and the like are in range. If not, *key (unless key is NULL) is the wrong key
 * of the declaration, such as "ranks": static text. */
bool ncs_scenario_check(const struct ncs_scenario *s, const char **key, struct ncs_error *err);

/* The options of its run on the simulator; what the declaration does not say is left 0. Texts are borrowed. */
struct ncs_run_options ncs_scenario_options(const struct ncs_scenario *s);

/* True if it can run here; otherwise appends to `reason` which of its needs is not met. */
bool ncs_scenario_can_run(const struct ncs_scenario *s, const struct ncs_run_options *options, struct ncs_str *reason);

/* True if the result is as declared; otherwise `difference` gets one line with the declared
 * and the actual outcome. */
bool ncs_outcome_holds(const struct ncs_outcome *outcome, const struct ncs_result *result, struct ncs_str *difference);
void ncs_outcome_free(struct ncs_outcome *outcome); /* the contents */

/* The findings that fail a run that passes: none; those of undefined behaviour or luck; all. Each level
 * includes the previous one. */
enum ncs_fail_on { NCS_FAIL_ON_ERROR, NCS_FAIL_ON_UNDEFINED, NCS_FAIL_ON_NOTE };
extern const char *const ncs_fail_on_names[]; /* NULL at the end */

/* The rules of such findings, each once. */
struct ncs_failing {
    enum ncs_fail_on level;
    const char **rule;
    size_t rules; /* ids: static texts */
};

/* The findings of that level that the scenario does not declare, for a result whose outcome holds. */
void ncs_outcome_failing(const struct ncs_outcome *outcome, const struct ncs_result *result, enum ncs_fail_on level,
                         struct ncs_failing *out);
void ncs_failing_free(struct ncs_failing *failing); /* the contents */

/* True if the run ended by itself, as declared, and without findings that count. Fills `failing`, and `difference`
 * if the declaration asks for more than a pass ("declared pass, got hang" would repeat the verdict). */
bool ncs_outcome_judge(const struct ncs_outcome *outcome, const struct ncs_result *result, enum ncs_fail_on level,
                       struct ncs_failing *failing, struct ncs_str *difference);

#endif
