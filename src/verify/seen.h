/* Samples of operations for display: every rank's input and output, and the ranks that have not come.
 * Plain data. Only the beginning of each part of a buffer is kept. */
#ifndef NCS_VERIFY_SEEN_H
#define NCS_VERIFY_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/gen/api.h"

/* A sample of a buffer of `count` elements: the first `each` elements of every `part`. */
struct ncs_sample {
    uint64_t count;       /* 0: the rank has no such buffer */
    uint64_t part;        /* elements; the last one may be shorter */
    uint64_t each;        /* not more than `part` */
    unsigned char *bytes; /* part after part; NULL = not kept */
    bool *wrong;          /* of each kept element; NULL = none is wrong */
};

enum ncs_presence {
    NCS_ABSENT,  /* has not made the call */
    NCS_CALLED,  /* has made it; earlier work on its GPU is not over */
    NCS_PRESENT, /* has come, and waits for the others */
    NCS_OVER,    /* the data has moved */
};

struct ncs_seen_rank {
    int rank; /* of the run, or see shared; -1 = unknown */
    enum ncs_presence presence;
    uint32_t number; /* of its call on the communicator; of an absent rank: of its last call */
    int line;        /* 0 = unknown */
    bool in_place;
    bool unchecked;  /* its output was not compared */
    uint64_t wrongs; /* wrong elements of its output */
    char *call;      /* a description of its call if it differs from the others'; else NULL */
    struct ncs_sample before, after;
    unsigned char scalar[8]; /* of a pre-mul-sum: one element */
};

struct ncs_seen {
    char *comm; /* name of the communicator */
    int comm_number;
    uint32_t number;  /* number of the call on comm, on the lowest rank that made it */
    uint64_t ordinal; /* of a collective: its position among those that NCCL accepted */
    uint64_t signature;
    enum ncs_fn fn;      /* ncclSend for a pair, ncclPutSignal for a put: see src and dst */
    char *call;          /* a description: "AllReduce float32 x 4 sum" */
    int dtype, op, root; /* -1 = none */
    uint64_t count;      /* the argument */
    bool scaled;         /* a pre-mul-sum */
    int src, dst;        /* of a pair or a put: ranks of the communicator; otherwise -1 */
    bool shared;         /* a process has several ranks of the communicator: displays name ranks, not processes */
    bool over;           /* on all ranks */
    bool passing;        /* known only from ncs_verify_unfinished */
    const char *unfit;   /* why its values are missing; NULL = they are there */
    int nranks;          /* of the communicator */
    int ranks;           /* of a pair and of a put 2, src and dst; otherwise nranks */
    struct ncs_seen_rank rank[];
};

/* The element, if it was kept; else NULL. */
const void *ncs_sample_at(const struct ncs_sample *s, size_t bytes, uint64_t element);
bool ncs_sample_is_wrong(const struct ncs_sample *s, uint64_t element);

struct ncs_seen *ncs_seen_new(int ranks);
void ncs_seen_free(struct ncs_seen *seen); /* NULL is a no-op */

#endif
