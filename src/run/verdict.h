/* Verdicts: how a run ended, their names and exit codes (documented in --help and docs). */
#ifndef NCS_RUN_VERDICT_H
#define NCS_RUN_VERDICT_H

#include "base/error.h"

enum ncs_verdict {
    NCS_PASS,           /* 0 */
    NCS_WRONG,          /* 1: a result was wrong, or an expectation failed */
    NCS_INVALID,        /* 2: a scenario that does not load */
    NCS_HANG,           /* 3 */
    NCS_ERROR,          /* 4: a rank ended with an error that nothing caught */
    NCS_EMPTY,          /* 5: nothing was executed */
    NCS_LOST,           /* 6: faults stopped every rank */
    NCS_MEMORY,         /* 7: the memory budget is used up, or the host has none */
    NCS_INTERNAL_FAULT, /* 70 */
    NCS_SKIPPED,        /* 77 */
    NCS_TIMEOUT,        /* 124 */
    NCS_INTERRUPTED,    /* 130 */
    NCS_VERDICTS
};

const char *ncs_verdict_name(enum ncs_verdict v); /* "pass" "wrong" ... as in the JSON report */
int ncs_verdict_exit(enum ncs_verdict v);
enum ncs_verdict ncs_status_verdict(enum ncs_status status); /* of a run that could not start */
/* The one of two independent verdicts that a run or a suite reports (sim/README.md, rule 15). By
 * exit code, in this order: 70, 130, 2, 6, 4, 3, 1, 7, 124, 5, 0, 77. */
enum ncs_verdict ncs_verdict_worse(enum ncs_verdict a, enum ncs_verdict b);

#endif
