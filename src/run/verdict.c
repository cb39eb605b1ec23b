#include "run/verdict.h"

/* rank: the smaller of two independent verdicts is reported. A skipped scenario says nothing about
 * the others; one that executed nothing is worse than a pass. */
static const struct {
    const char *name;
    int exit;
    int rank;
} verdicts[NCS_VERDICTS] = {
    [NCS_PASS] = { "pass", 0, 10 },        [NCS_WRONG] = { "wrong", 1, 6 },       [NCS_INVALID] = { "invalid", 2, 2 },
    [NCS_HANG] = { "hang", 3, 5 },         [NCS_ERROR] = { "error", 4, 4 },       [NCS_EMPTY] = { "empty", 5, 9 },
    [NCS_LOST] = { "lost", 6, 3 },         [NCS_MEMORY] = { "memory", 7, 7 },     [NCS_INTERNAL_FAULT] = { "internal", 70, 0 },
    [NCS_SKIPPED] = { "skipped", 77, 11 }, [NCS_TIMEOUT] = { "timeout", 124, 8 }, [NCS_INTERRUPTED] = { "interrupted", 130, 1 },
};

const char *ncs_verdict_name(enum ncs_verdict v)
{
    return verdicts[v].name;
}

int ncs_verdict_exit(enum ncs_verdict v)
{
    return verdicts[v].exit;
}

enum ncs_verdict ncs_verdict_worse(enum ncs_verdict a, enum ncs_verdict b)
{
    return verdicts[b].rank < verdicts[a].rank ? b : a;
}

enum ncs_verdict ncs_status_verdict(enum ncs_status status)
{
    switch (status) {
    case NCS_OK: return NCS_PASS;
    case NCS_BAD_INPUT: return NCS_INVALID;
    case NCS_NO_DEVICE: return NCS_SKIPPED;
    case NCS_NO_MEMORY: return NCS_MEMORY;
    default: return NCS_INTERNAL_FAULT;
    }
}
