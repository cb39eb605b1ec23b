/* The state of one thread of control of the run: a rank's main thread or one that it spawned. `ncs_local`
 * points to the state of the running thread. A scheduler that switches contexts on one OS thread (the
 * simulator's fibers) saves and restores the pointer; OS threads each have their own. */
#ifndef NCS_API_LOCAL_H
#define NCS_API_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ncs_call;

struct ncs_place {
    const char *file; /* interned for the length of the run; NULL = unknown */
    int line;         /* from 1; 0 = unknown */
};

/* Memory of the caller, not of the driver. */
struct ncs_range {
    const void *from;
    size_t bytes;
    int dtype; /* ncclDataType_t of what a script reads into it; ncclInt8 if it is not known */
};

#define NCS_RANGES 4

/* The driver's thread that runs the host functions in streams of a device. */
#define NCS_THREAD_OF_DEVICE(device) (-1 - (device))

struct ncs_local {
    int rank;   /* of the run; -1 = the runner itself */
    int thread; /* 0: the rank's main thread; 1 and up: spawned, in order of creation; below 0: the
                 * driver's own thread for the host functions of a device */

    bool named;  /* a thread from outside, known by the rank as which it joined */
    int process; /* of a thread from outside: the number of its process in the machine */
    int64_t ran; /* of a thread of another process: its processor time at its last query, ns */

    /* Returns the script's current place; NULL when there is no script. */
    struct ncs_place (*where)(void *where_arg);
    void *where_arg;
    const char *label; /* of the call about to be made, interned; NULL = none */
    bool unverified;   /* the call about to be made is not to be verified */
    int declared;      /* 1 + the type of the buffer that the call about to be made reads; 0 = it is not known */
    bool by_c_name;    /* the call about to be made is written by its C name: C.ncclAllReduce */
    bool opening;      /* before the script's first statement: ready-made objects are being created */
    int amended;       /* rounds of edits that the call about to be made comes from; see run */
    bool ending;       /* past the script's last statement: objects that it left are being released */

    /* A script makes the calls. The call about to be made may touch memory that the driver did not
     * allocate only in these ranges. */
    bool guarded;
    int ranges;
    struct ncs_range range[NCS_RANGES];

    /* A wait of this thread ended because NCCL reported an error on a communicator of its rank:
     * the ncclResult_t, and the handle. The code that waited reports the error and sets
     * async_error to 0. */
    int async_error;
    const void *async_comm;

    /* True if the journal hears of every wait of this thread for another: by ncs_journal_heard,
     * or because it is a call of the driver. */
    bool journals_waits;
    struct ncs_place slept; /* place of its last sleep in the script */

    bool again; /* the function of the host that runs here is in a graph: the next launch calls it again */

    /* The journal maintains these. */
    uint64_t hosts;        /* its steps outside NCCL and CUDA (ncs_host_step) */
    uint64_t heard;        /* id of the newest call when this thread last may have learned of other threads' progress */
    struct ncs_call *call; /* the journalled call in flight, NULL outside of one */
    const char *said;      /* message about the last call; owned by the journal, as ncs_call's */
    struct ncs_place last; /* of the script's last call */
    int group_depth;
    uint64_t group;           /* serial of the open outermost group, from 1; 0 = none */
    struct ncs_call *grouped; /* the newest numbered call in it, linked to the others; NULL = none */
    uint64_t failed_group;    /* serial of the last outermost group that failed; 0 = none so far */
};

extern _Thread_local struct ncs_local *ncs_local; /* NULL on threads that the run does not know */

#endif
