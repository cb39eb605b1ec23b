/* Communicators: what all ranks share, and one rank's handle. A handle is a number that is given once,
 * not an address, so a stale handle is an error and never names another communicator. The latest ended
 * ones stay as tombstones, which know how they ended. */
#ifndef NCS_SIM_COMM_H
#define NCS_SIM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "ncclscript/nccl_abi.h"
#include "sim/comm/check.h"
#include "sim/comm/config.h"
#include "sim/kernel/above.h"
#include "sim/kernel/wait.h"
#include "sim/settings/log.h"

struct context;
struct gpu;
struct job_meeting;
struct op;
struct part;
struct process;
struct registration;
struct rendezvous;
struct meeting;
struct home;

/* Beyond this a communicator is refused. */
#define COMM_RANKS_MAX 65536

enum comm_state {
    COMM_INIT, /* its init has not completed */
    COMM_READY,
    COMM_FINAL, /* finalized */
    COMM_REVOKED,
    COMM_ABORTED, /* tombstones */
    COMM_GONE,
};

struct redop {
    bool live;
    size_t next_free; /* of a destroyed one: index + 1; 0 = last */
    int dtype;
    bool on_device;
    const void *pointer;     /* device */
    unsigned char scalar[8]; /* host */
};

/* The state that a rank keeps about one peer. */
struct peer {
    int rank;
    uint32_t entered_sends, entered_recvs; /* by which contact is judged, with all-to-alls that are whole */
    uint64_t sends, recvs;                 /* launched so far, without those of all-to-alls */
    uint64_t ahead;                        /* bytes of sends that run ahead of their receives */
    uint64_t signals, signals_taken;       /* sent by the peer; consumed by waits */
    struct connection {
        bool asked, made; /* by a queued call; by a group that was not dropped */
    } sending, receiving;
};

struct comm_rank {
    struct comm *comm; /* NULL until the rendezvous is complete */
    struct process *process;
    struct gpu *gpu;
    unsigned resets;  /* of its device when it was made; a later reset ends the handle */
    uint64_t handle;  /* its name in the log */
    uint64_t log_id;  /* what the log calls commId; equal on all ranks */
    unsigned holders; /* jobs, groups, parts and children that point to it */
    int rank, nranks;
    enum check_mode checks;
    bool ordered; /* NCCL_LAUNCH_ORDER_IMPLICIT */
    enum comm_state state;
    struct comm_config config;
    bool blocking;
    bool finalizing;     /* ncclCommFinalize was called */
    bool destroying;     /* ncclCommDestroy or ncclCommAbort was called */
    bool released;       /* it holds no peer any more (teardown.c) */
    bool last_of_family; /* and was the last handle of its family to let go */
    bool suspended;
    bool lost_peer;             /* a neighbour on another host has died */
    struct comm_rank *family;   /* owns the resources it uses: itself, or an ancestor */
    int sharers;                /* head of a family: others that use its resources */
    int handles_released;       /* head of a family: of all its handles */
    struct waitable parted;     /* head of a family: fires when all are */
    struct comm_rank *next_kin; /* head of a family: the others, newest first */
    struct comm_rank *next_of_process, *previous_of_process;
    bool cut;                                    /* head of a family: aborted, nothing can run */
    const struct context *launcher;              /* head of a family: the context that began a launch last */
    uint64_t splits, shrinks, suspends, resumes; /* calls so far */
    int async;                                   /* non-blocking only: 0, 7, or an error for ever */
    int ready_polls;                             /* polls that still get 7 after the end */
    struct job *job;                             /* non-blocking: in progress */
    uint64_t collectives;                        /* launched so far: the next sequence number */
    uint64_t composed;                           /* all-to-alls, gathers and scatters launched so far */
    uint64_t matrices;                           /* all-to-alls among them: each is a message to every rank, and one from it */
    uint32_t entered_matrices;                   /* whole ones that its host has entered */
    bool connected;                              /* to all ranks, by a whole one */
    bool dropped;                                /* a dropped group has asked for connections that do not exist */
    uint64_t windows;                            /* window registrations so far */
    bool one_sided;                              /* its host has made a one-sided call */
    struct part *waiting;                        /* the wait for signals that is due; NULL = none */
    uint32_t entered;                            /* collectives that its host has entered */
    struct waitable met;                         /* fires when a peer enters point-to-point with this rank */
    struct ncs_map peers;                        /* rank -> struct peer, made at first use */
    uint64_t launches;                           /* so far */
    size_t graphs;                               /* launches in graphs that exist */
    struct waitable forgotten;                   /* fires when that becomes 0 */
    bool rounds_meet;                            /* NCCL_LAUNCH_MODE=GROUP, */
    uint32_t rounds;                             /* and the launches that its host has begun */
    struct op *last_launch;                      /* referenced */
    struct op *last_of_kin;                      /* head of a sharing family: of all its handles; referenced */
    struct redop *redop;
    size_t redops, redops_room;
    size_t free_redop;                 /* destroyed last: index + 1; 0 = none */
    struct registration *registration; /* newest first */
    size_t queued;                     /* while a group is sorted: this rank's parts in it, */
    struct part **share;               /* the place of the next one, */
    int to_self;                       /* and how many more sends than receives go to itself */
};

struct comm {
    uint64_t serial; /* order of creation, equal for all ranks */
    int nranks;
    int hosts;      /* that its ranks are on; 0 = not counted yet */
    bool connected; /* at init: no collective waits for the first contact */
    struct comm_rank **member;
    bool siblings;                    /* one process has several of its ranks */
    int least_capability;             /* of its ranks' devices */
    struct job_meeting *job_meetings; /* open ones */
    struct rendezvous *made_by;       /* NULL: by a split or shrink */
    struct waitable coordinated;      /* fires when a member has made an id to grow with */
    uint32_t least;                   /* collectives that all ranks' hosts have entered */
    int behind;                       /* ranks that have entered no more */
    int ended;                        /* ranks that are tombstones */
    int in_matrices;                  /* ranks whose hosts have entered a whole all-to-all */
    bool pairs_entered;               /* some host has entered other sends or receives */
    bool paired;                      /* some rank has launched sends or receives that are not of an all-to-all */
    int ids;                          /* ids for a growth that no rank has used */
    int one_sided;                    /* ranks that have made a one-sided call */
    bool windowed;                    /* all ranks have registered a window */
    struct home *home;                /* its ranks by host; NULL = not needed yet */
    int *home_of;                     /* by rank */
    int homes;
    struct waitable met;                          /* fires when contact may have progressed */
    struct meeting *meeting_first, *meeting_last; /* open ones, in order of creation */
    struct ncs_map collectives, pairs;            /* the same by sequence number, by (src, dst, number) */
    struct ncs_map matrices;                      /* all-to-alls that are whole, by sequence number */
    struct ncs_map musters;                       /* of composed.c, by sequence number */
    struct ncs_map windows;                       /* by sequence number */
    struct exchange *exchange;                    /* of check.c: for collectives that some rank has not passed */
    size_t exchanges, exchanges_room;
    struct comm *previous, *next; /* in order of creation */
    struct comm *next_ended;      /* in order of their ends */
};

/* How long a collective takes, and a message from the rank to a peer; `composed`: the message is a part of an
 * all-to-all, gather or scatter, whose messages share the links. In nanoseconds (settings/cost.h). */
int64_t sim_comm_collective_cost(const struct comm_rank *cr, enum ncs_fn fn, size_t bytes);
int64_t sim_comm_message_cost(const struct comm_rank *cr, int peer, size_t bytes, bool composed);

/* The handle that a scenario gets. */
ncclComm_t sim_comm_handle(const struct comm_rank *cr);

/* " commId 0x12" for the log of versions that say it, or "". */
struct comm_log_id {
    char text[32];
};
struct comm_log_id sim_comm_log_id(const struct comm_rank *cr);

/* NULL: the handle is no communicator of this process. */
struct comm_rank *sim_comm_find(ncclComm_t handle);

/* The checks that nearly every call makes: NULL or unknown or gone -> 4, in progress -> 4, an error
 * state -> that error. `what` is the function's name as NCCL writes it, `argument` "comm". */
int sim_comm_check(ncclComm_t handle, const char *what, struct comm_rank **out);
int sim_comm_ready(struct comm_rank *cr);
/* A call on a destroyed or aborted handle: ncclInvalidArgument. The words differ for destroy. */
int sim_comm_refuse_ended(const struct comm_rank *cr, bool destroys);

/* True if both use the same resources: the same handle, or handles of one family. */
static inline bool sim_comm_is_kin(const struct comm_rank *a, const struct comm_rank *b)
{
    return a && b && a->family == b->family;
}

struct peer *sim_comm_peer(struct comm_rank *cr, int rank);
uint64_t sim_comm_host(const struct comm_rank *cr); /* the host that NCCL takes its process to be on; never 0 */

/* A handle of the calling process on that device. */
struct comm_rank *sim_comm_rank_new(int rank, int nranks, struct gpu *gpu, const struct comm_config *config);
/* The child uses the resources of its parent. */
void sim_comm_share(struct comm_rank *child, struct comm_rank *parent);
struct comm *sim_comm_new(struct comm_rank *const *members, int nranks);
void sim_comms_free(void);

/* Sets the result of a non-blocking operation on its communicator. Does nothing on a blocking one. */
void sim_comm_settle(struct comm_rank *cr, int rc);

/* The handle becomes a tombstone. */
void sim_comm_bury(struct comm_rank *cr, enum comm_state state);

/* Sets the error state of a non-blocking communicator after a failed call. The
 * state is permanent. */
void sim_comm_fail(ncclComm_t handle, int rc);

#endif
