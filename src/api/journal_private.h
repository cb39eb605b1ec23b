/* Declarations shared by the journal's files; no other file includes them. */
#ifndef NCS_API_JOURNAL_PRIVATE_H
#define NCS_API_JOURNAL_PRIVATE_H

#include <pthread.h>

#include "api/journal.h"
#include "base/map.h"
#include "base/slab.h"

/* An out-parameter that NCCL fills later: at the end of an open group, or when a split of a
 * non-blocking communicator completes. */
struct ncs_unfilled {
    const ncclComm_t *out; /* NULL: a split without a color, which only waits for its group */
    uint64_t group;
    int comm, comm_rank;          /* of a child: its parent's */
    int rank;                     /* of the run */
    enum ncs_fn fn;               /* of a child: the function that makes it */
    uint64_t child;               /* key of a child; 0 = no child */
    char name[48];                /* of a child, below its parent's */
    int child_rank, child_nranks; /* -1 = to be asked of the driver */
    uint32_t split;               /* as in ncs_comm_info, of a child */
    int color;
};

/* An id with which a communicator grows once. */
struct ncs_growth {
    uint64_t id;  /* its hash */
    uint64_t key; /* of the child */
    int parent;
    uint32_t nth;
    struct ncs_growth *next; /* of the same parent */
};

/* A communicator with the journal's private facts. */
struct comm {
    struct ncs_comm_info info;
    bool named;
    int ended;      /* members that are gone */
    size_t users;   /* its records, its children, and holders by ncs_journal_keep_comm */
    size_t counted; /* bytes of it in ncs_journal.held_comms */
    bool queued;    /* among the dead */
    struct comm *next_dead;
    struct ncs_growth *growth; /* ids made for growing it */
};

struct ncs_journal_private {
    bool locked;
    pthread_mutex_t lock;
    const struct ncs_api *api;                      /* answers cudaGetDevice */
    int (*fault)(void *arg, struct ncs_call *call); /* NULL = no hook */
    void *fault_arg;
    uint64_t groups;                           /* serials of groups given so far */
    uint64_t again_in;                         /* id of the newest launch of a graph */
    struct ncs_map again_calls;                /* in that launch: id of a captured call -> its record, */
    struct ncs_map again_groups;               /* captured group -> group */
    size_t trim_at;                            /* bytes of records at which dropping is tried again */
    struct ncs_slab records[NCS_MAX_ARGS + 1]; /* by number of arguments */
    struct ncs_map handles;                    /* ncclComm_t -> (communicator, rank), gone ones too */
    struct ncs_map keys;                       /* hash of a unique id, or key of a child -> struct ncs_comm_info */
    struct ncs_map growths;                    /* hash of a unique id -> struct ncs_growth */
    struct ncs_map on_stream;                  /* rank and stream -> id of the last counted call << 16 | its thread */
    struct ncs_map texts;                      /* hash -> message of a library about a failed call */
    uint64_t made, children;                   /* communicators so far; of them those named after their parents */
    struct comm *dead_first, *dead_last;       /* communicators whose index is free */
    struct ncs_unfilled *unfilled;
    size_t unfilleds, unfilled_room;
};

/* Before the call is made: resolves communicator, rank in it and operator from the arguments. */
void ncs_journal_resolve(struct ncs_journal *j, struct ncs_call *call, int device);
/* After it has returned: learns new communicators and operators, and the end of old ones. */
void ncs_journal_learn(struct ncs_journal *j, struct ncs_call *call);
/* Call after an outermost ncclGroupEnd. */
void ncs_journal_group_ended(struct ncs_journal *j, uint64_t group, bool ok);
/* Renames a communicator; the first name stays. */
void ncs_journal_rename(struct ncs_journal *j, int number, const char *name);
void ncs_journal_free_comms(struct ncs_journal *j);
void ncs_journal_free_hosts(struct ncs_journal *j);

/* ---- numbers of calls (journal_sequence.c) ---- */

/* Appends the call to its rank's calls on its communicator, and to its sequence. */
void ncs_journal_count_call(struct ncs_journal *j, struct ncs_call *call);
/* Removes a record that the journal drops; the numbers of the other calls stay. */
void ncs_journal_uncount_call(struct ncs_journal *j, struct ncs_call *call);
/* Removes a call without effect from its sequence: later calls move up. */
void ncs_journal_reject(struct ncs_journal *j, struct ncs_call *call);
/* Also takes its number away: later calls move up. */
void ncs_journal_unnumber(struct ncs_journal *j, struct ncs_call *call);
/* Rejects a call whose group has failed. */
void ncs_journal_reject_queued(struct ncs_journal *j, struct ncs_call *call);
/* The caller holds the lock. NULL = there is no such record. */
struct ncs_call *ncs_journal_find_numbered(const struct ncs_journal *j, int comm, int comm_rank, uint32_t number);

/* ---- calls in graphs (journal_again.c) ---- */

/* The call has returned, or its group has ended: what was captured has no place in its sequence. */
void ncs_journal_leave_captured(struct ncs_journal *j, struct ncs_call *call);
/* The record of a captured call in the launch `by`, which is the newest; NULL = none yet. */
struct ncs_call *ncs_journal_find_again(struct ncs_journal *j, const struct ncs_call *captured, const struct ncs_call *by);
/* Completes that record. */
void ncs_journal_fill_again(struct ncs_journal *j, struct ncs_call *call, const struct ncs_call *captured, struct ncs_call *by);

/* ---- events that a thread met (journal_prior.c) ---- */

void ncs_journal_free_caught(struct ncs_journal *j);
/* After a successful cudaMemcpy to memory of the script's own: samples the copied bytes. */
void ncs_journal_keep_read(struct ncs_call *call);

/* ---- messages of libraries about failed calls (journal_message.c) ---- */

/* Asks the library, outside the lock. NULL = it has no message. */
const char *ncs_journal_ask_error(const struct ncs_journal *j, const struct ncs_call *call, int rc);
/* The journal's copy of the text, one for all equal texts; NULL = too many are kept. */
const char *ncs_journal_keep_text(struct ncs_journal *j, const char *text);
void ncs_journal_free_texts(struct ncs_journal *j);

/* ---- windows and waits (journal_window.c) ---- */

#define NCS_MOST_WAITS 4096 /* entries of a list that are kept */

void ncs_journal_add_window(struct ncs_journal *j, const struct ncs_call *call);
/* Its registration has succeeded, outside a group: learns the handle. */
void ncs_journal_learn_window(struct ncs_journal *j, const struct ncs_call *call);
void ncs_journal_drop_window(struct ncs_journal *j, const struct ncs_call *call); /* failed */
/* Drops the windows that the thread registered in the group that has just failed. */
void ncs_journal_drop_windows(struct ncs_journal *j, const struct ncs_local *local);
void ncs_journal_free_windows(struct ncs_comm_info *info);
bool ncs_call_uses_window(const struct ncs_call *call);
/* Asks the driver, outside the lock, for the memory behind the window that the call names. */
const void *ncs_journal_ask_window(const struct ncs_journal *j, const struct ncs_call *call);
/* Stores in the call the number of the window that has this memory. */
void ncs_journal_use_window(struct ncs_journal *j, struct ncs_call *call, const void *base);
void ncs_journal_end_window(struct ncs_journal *j, const struct ncs_call *call);
void ncs_journal_copy_waits(struct ncs_call *call);
void ncs_journal_free_waits(struct ncs_call *call);

/* Packs a communicator and a rank in it into one word, never 0: the value of the map of handles. */
uint64_t ncs_pack_handle(int comm, int comm_rank);
void ncs_unpack_handle(uint64_t word, int *comm, int *comm_rank);

/* True if the call joins a communicator as a rank that it names. */
static inline bool ncs_call_makes_rank(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].joins == NCS_JOINS_ONE || (call->fn == NCS_FN_ncclCommGrow && !call->arg[0].p);
}

/* ---- lifetime of communicators (journal_ended.c) ---- */

/* Adds a user (1) or removes one (-1); a communicator with users is kept. */
void ncs_journal_use_comm(struct ncs_journal *j, int number, int change);
/* Sets the call's communicator (-1 = none), which is kept as long as the record. */
void ncs_journal_set_comm(struct ncs_journal *j, struct ncs_call *call, int comm);
/* Sets a child's parent, which is kept as long as the child. */
void ncs_journal_set_parent(struct ncs_journal *j, struct ncs_comm_info *child, int parent);
void ncs_journal_add_growth(struct ncs_journal *j, const struct ncs_growth *growth);
/* Call after a rank has ended it or its users have changed: frees its index when nothing needs it. */
void ncs_journal_weigh_comm(struct ncs_journal *j, struct comm *comm);
/* An index for a new communicator: a free one, whose old communicator is forgotten, or the next. */
int ncs_journal_take_place(struct ncs_journal *j);
void ncs_journal_free_comm(struct comm *comm);

/* ---- journal_comm.c ---- */

/* The communicator with that key; if there is none, a new one of nranks ranks. */
struct ncs_comm_info *ncs_journal_add_comm(struct ncs_journal *j, uint64_t key, int nranks);
/* Sets one rank of a communicator, with its handle; `run_rank` is the rank of the run. */
void ncs_journal_set_member(struct ncs_journal *j, struct ncs_comm_info *info, int comm_rank, ncclComm_t handle, int run_rank,
                            int device);

/* ---- communicators made out of others (journal_child.c) ---- */

/* The communicator that a new rank with this id (its hash) joins; NULL = not known. */
struct ncs_comm_info *ncs_journal_growth(struct ncs_journal *j, uint64_t id, int nranks);
/* Learns of a successful split, shrink or grow, or of an id to grow with. */
void ncs_journal_learn_child(struct ncs_journal *j, struct ncs_call *call);
/* Its group has failed: the next call of that kind has the same number again. */
void ncs_journal_uncount_child(struct ncs_journal *j, const struct ncs_unfilled *u);
/* Removes and returns one whose handle has been filled. */
bool ncs_journal_take_filled(struct ncs_journal *j, int rank, struct ncs_unfilled *out);
void ncs_journal_adopt(struct ncs_journal *j, const struct ncs_unfilled *u, int rank, int nranks);
/* NCCL never fills the handles that this rank still waits for on the communicator. */
void ncs_journal_orphan(struct ncs_journal *j, int comm, int comm_rank);

#endif
