/* Hazards: two uses of one rank's memory that nothing orders, one of which writes. They follow from
 * the order that the program guarantees, not from the timing of a run: only streams, events, waits
 * of the host and the order that NCCL itself keeps count. And reads of memory that a call leaves without
 * a result, whatever the order (hollow.c).
 *
 * The analysis reads only records of the journal, so it serves the simulator, the real driver and
 * journals of earlier runs alike. The threads of a rank count as one host, and any order among them
 * is assumed to exist; so do all threads of one process. It does not see order that exists only through
 * another process, nor memory that no call of the journal allocated, nor memory in a window, to which
 * others put. */
#ifndef NCS_DIAGNOSE_HAZARD_HAZARD_H
#define NCS_DIAGNOSE_HAZARD_HAZARD_H

#include "api/journal.h"

enum ncs_hazard_kind {
    NCS_HAZARD_READ_EARLY,    /* read while the operation that writes it has not ended */
    NCS_HAZARD_INPUT,         /* an operation reads what another stream may still write */
    NCS_HAZARD_REUSED,        /* overwritten or freed while an operation still uses it */
    NCS_HAZARD_SCALAR,        /* the same for an operator's scalar, which the device reads */
    NCS_HAZARD_OVERLAP,       /* two operations in flight use one memory, and one writes */
    NCS_HAZARD_GROUP_SYNC,    /* used after a wait in a group, which does not cover the group */
    NCS_HAZARD_PROGRESS_SYNC, /* used after a wait that came before the operation was enqueued */
    NCS_HAZARD_GROUP_EARLY,   /* work enqueued in an open group runs before the group's calls */
    NCS_HAZARD_OFF_ROOT,      /* read as a call's result on a rank that is not its root, and has none */
    NCS_HAZARD_CUT_SHORT,     /* read as the result of a call that an error or an abort (`sync`) has cut short */
};

/* The uses of memory by a call. */
enum ncs_touch { NCS_TOUCH_READ = 1, NCS_TOUCH_WRITE = 2, NCS_TOUCH_FREE = 4, NCS_TOUCH_SCALAR = 8 };

/* An asynchronous error of a communicator, and where it came about. */
struct ncs_broken {
    struct ncs_place place;
    int code; /* ncclResult_t */
};

struct ncs_hazard_at {
    int rank;               /* of the run */
    int comm, comm_rank;    /* of the communication call, the earlier if both are; -1 = none */
    uint32_t call;          /* its number */
    struct ncs_call *named; /* pinned, so that the communicator stays known; NULL = none */
};

struct ncs_hazard {
    enum ncs_hazard_kind kind;
    struct ncs_call *earlier, *later, *sync; /* of the first time; sync: the wait in vain, or NULL */
    unsigned earlier_does, later_does;       /* bits of ncs_touch */
    bool host;                               /* the later use has ended when its call returns */
    bool same_launch;                        /* both are in one group, which runs them in no
                                              * order */
    struct ncs_hazard_at *at;
    size_t ats; /* the ranks that have the hazard, ascending */
    uint64_t times;
    struct ncs_broken broken; /* CUT_SHORT without `sync`: the error that nobody asked for */
    uint64_t meant;           /* OFF_ROOT: times at which the rank expected what it read */
    bool kept;                /* OFF_ROOT: in place, so that what is read is the rank's own input */
    bool felt;                /* a wrong value depends on one of the two uses */
    size_t room;              /* for entries of `at` */
};

struct ncs_hazards;

struct ncs_hazards_options {
    /* Returns the calling thread's device before it has chosen one; NULL = device 0. */
    int (*device)(void *arg);
    void *device_arg;
    /* All ranks are threads of one process, which share memory, streams and what they know. Then the threads may also
     * learn of each other's work by ways that the journal does not see, and any such way is assumed. */
    bool one_process;
    int (*process)(void); /* with one_process: that of the calling thread, if the calls of many processes, each with memory of its
                           * own, are in one journal; NULL = there is one */
};

struct ncs_hazards *ncs_hazards_open(const struct ncs_journal *journal, const struct ncs_hazards_options *options);
void ncs_hazards_close(struct ncs_hazards *h); /* NULL is a no-op */

/* A call has returned. Report calls in the order of their return. */
void ncs_hazards_call(struct ncs_hazards *h, struct ncs_call *call);
/* A thread of the rank has waited for, or looked at, something that the journal does not see: host
 * functions in streams may have signaled it. */
void ncs_hazards_waited(struct ncs_hazards *h, int rank);
/* The calling thread's process, with one_process, launches a kernel, which may write any of its memory. */
void ncs_hazards_kernel(struct ncs_hazards *h);

/* From now on ncclCommGetAsyncError reports the error of the rank's communicator, if it is called. */
void ncs_hazards_broken(struct ncs_hazards *h, int rank, int comm, int comm_rank, struct ncs_broken error);

/* The rank has compared the values that it read since its last comparison. */
void ncs_hazards_compared(struct ncs_hazards *h, int rank, bool held);
/* A result that is wrong. */
void ncs_hazards_wrong(struct ncs_hazards *h, const struct ncs_call *call);

/* The hazards in the order of detection; `felt` is set. */
const struct ncs_hazard *ncs_hazards_found(struct ncs_hazards *h, size_t *count);

#endif
