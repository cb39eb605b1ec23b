/* Findings: what the diagnosis has to say, as data. Text and JSON are renderings (room report). */
#ifndef NCS_DIAGNOSE_FINDING_H
#define NCS_DIAGNOSE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/snapshot.h"

enum ncs_level { NCS_LEVEL_ERROR, NCS_LEVEL_NOTE };
/* "certain" "luck" "undefined" "likely"; the last of a hang on real hardware, where all that is known
 * is that nothing has come about for long. */
enum ncs_certainty { NCS_CERTAIN, NCS_LUCK, NCS_UNDEFINED, NCS_LIKELY };

struct ncs_culprit {
    int rank;          /* of the run */
    uint32_t call;     /* on the finding's communicator; 0 = none */
    int line;          /* 0 = unknown */
};

struct ncs_cycle_step { /* waits for the next step's rank, the last for the first's */
    int rank;
    char *comm;
    uint32_t call;
    int line;
    int waits_for;
};

struct ncs_finding_row { /* one line of the table in the text: "rank 2  never made call 3 ... line 17" */
    int rank;
    char *text;
    int line;
    bool behind;                 /* waits only because of the others; these rows come last */
};

struct ncs_finding {
    const char *rule;  /* id: "skipped-call", "count-mismatch" ...; also the topic to explain */
    enum ncs_level level;
    enum ncs_certainty certainty;
    char *comm;        /* name; NULL = of no communicator */
    uint32_t call;     /* first number at which the ranks part; 0 = none */
    char *title;       /* "communicator world, call 3: AllReduce float32 x 1024 sum" */
    char *why, *fix;   /* one sentence each */
    struct ncs_culprit *culprit; size_t culprits;
    int *blocked;      size_t blockeds;     /* every rank of the run that cannot go on */
    int *bystander;    size_t bystanders;   /* those of them that wait only because of others */
    struct ncs_cycle_step *cycle; size_t cycles;
    struct ncs_finding_row *row;  size_t rows;
};

struct ncs_wait_line { /* who waits in which call for whom */
    int rank, thread;
    char *in;          /* "cudaStreamSynchronize", "ncclCommInitRank", "store:get" */
    struct ncs_place place;
    char *comm;        /* NULL = none */
    uint32_t call;     /* the operation that it waits for; 0 = none */
    char *op;          /* "AllReduce float32 x 1024 sum"; NULL */
    int *peer; size_t peers; /* ranks of the run that it waits for */
};

/* Something that the machine noticed while it ran (api/machine.h, observer). */
enum ncs_notice_kind { NCS_NOTICE_MISMATCH, NCS_NOTICE_CRASH, NCS_NOTICE_FAULT };

struct ncs_notice {
    enum ncs_notice_kind kind;
    struct ncs_call **call; size_t calls; /* pinned by who keeps the notice */
    char *why;                            /* of CRASH and FAULT */
};

struct ncs_diagnosis {
    struct ncs_finding *finding; size_t findings; /* the cause first */
    struct ncs_wait_line *wait;  size_t waits;    /* by rank and thread */
    bool explained;     /* every waiter has an edge to somebody (heart, invariant 9) */
};

/* The diagnosis: a pure function. snapshot may be NULL (a run that ended, or real hardware without
 * a machine). Findings of a run that was not quiet are mismatches, crashes, faults and left-overs. */
void ncs_diagnose(const struct ncs_journal *journal, const struct ncs_snapshot *snapshot,
                  const struct ncs_notice *notices, size_t count, struct ncs_diagnosis *out);
void ncs_diagnosis_free(struct ncs_diagnosis *d); /* the contents */

/* The rules by id, NULL at the end: for outcome's `why` and `finding`, and for suggestions. */
extern const char *const ncs_rule_ids[];

#endif
