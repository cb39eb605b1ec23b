/* Hazards: two uses of one rank's memory that nothing orders, one of which writes. Found by what
 * happens before what, never by what a run happened to do: streams, events, waits of the host and
 * the order that NCCL itself keeps are all that counts.
 *
 * All that is looked at are the records of the journal, so that the simulator, the real driver and
 * journals of earlier runs are served alike. The threads of a rank count as one host: whatever order
 * they may have made among themselves is taken to be there. Order that comes about only by way of
 * another rank is not seen, nor is memory that was not allocated by a call of the journal, or that is
 * registered in a window, where others put. */
#ifndef NCS_DIAGNOSE_HAZARD_HAZARD_H
#define NCS_DIAGNOSE_HAZARD_HAZARD_H

#include "api/journal.h"

enum ncs_hazard_kind {
    NCS_HAZARD_READ_EARLY,    /* read while what writes it has not ended */
    NCS_HAZARD_INPUT,         /* an operation reads what another stream may still write */
    NCS_HAZARD_REUSED,        /* overwritten or freed while an operation still uses it */
    NCS_HAZARD_SCALAR,        /* the same of the scalar of an operator, which is read on the device */
    NCS_HAZARD_OVERLAP,       /* two operations in flight use the same memory, one of them writes */
    NCS_HAZARD_GROUP_SYNC,    /* used after a wait in a group, which covers nothing of the group */
    NCS_HAZARD_PROGRESS_SYNC, /* used after a wait that came before the operation was enqueued */
    NCS_HAZARD_GROUP_EARLY,   /* an operation of the stream in an open group comes before its calls */
};

/* The uses of memory by a call. */
enum ncs_touch { NCS_TOUCH_READ = 1, NCS_TOUCH_WRITE = 2, NCS_TOUCH_FREE = 4, NCS_TOUCH_SCALAR = 8 };

struct ncs_hazard_at {
    int rank;            /* of the run */
    int comm, comm_rank; /* of the communication call concerned, the earlier if both are; -1 = none */
    uint32_t call;       /* its number */
    struct ncs_call *named; /* pinned, so that the communicator stays known; NULL = none */
};

struct ncs_hazard {
    enum ncs_hazard_kind kind;
    struct ncs_call *earlier, *later, *sync; /* of the first time; sync: the wait in vain, or NULL */
    unsigned earlier_does, later_does;       /* bits of ncs_touch */
    bool host;                               /* the later one is done by the time that its call returns */
    bool same_launch;                        /* both are of one group, which carries them out in no order */
    struct ncs_hazard_at *at; size_t ats;    /* every rank that it befell, ascending */
    uint64_t times;
    bool felt;                               /* a value that came out wrong goes back to it */
    size_t room;                             /* for entries of `at` */
};

struct ncs_hazards;

/* `device` says which device is the calling thread's, before it has chosen one; NULL: 0 is. */
struct ncs_hazards *ncs_hazards_open(const struct ncs_journal *journal, int (*device)(void *arg),
                                     void *arg);
void ncs_hazards_close(struct ncs_hazards *h); /* NULL is a no-op */

/* A call that has returned. Calls are told in the order of their return. */
void ncs_hazards_call(struct ncs_hazards *h, struct ncs_call *call);
/* A thread of the rank has waited for something, or looked at something, that the journal does not
 * see: host functions in streams may have told it that they have run. */
void ncs_hazards_waited(struct ncs_hazards *h, int rank);

/* A comparison that the rank has made of what it read since the one before. */
void ncs_hazards_compared(struct ncs_hazards *h, int rank, bool held);
/* A result that is wrong. */
void ncs_hazards_wrong(struct ncs_hazards *h, const struct ncs_call *call);

/* The hazards in the order of detection; `felt` is set. */
const struct ncs_hazard *ncs_hazards_found(struct ncs_hazards *h, size_t *count);

#endif
