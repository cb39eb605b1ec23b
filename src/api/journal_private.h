/* What the files of the journal share and nobody else sees. */
#ifndef NCS_API_JOURNAL_PRIVATE_H
#define NCS_API_JOURNAL_PRIVATE_H

#include <pthread.h>

#include "api/journal.h"
#include "base/map.h"
#include "base/slab.h"

/* An out-parameter that is filled later: at the end of an open group, or of a split of a non-blocking
 * communicator. */
struct ncs_unfilled {
    const ncclComm_t *out; /* NULL: of a split without a colour, that only waits for its group */
    uint64_t group;
    int comm, comm_rank; /* of a child: its parent's */
    int rank;            /* of the run */
    enum ncs_fn fn;      /* of a child: what makes it */
    uint64_t child;      /* key of a child; 0 = it is none */
    char name[48];       /* of a child, below its parent's */
    int child_rank, child_nranks; /* -1 = the driver will tell */
    uint32_t split;      /* as in ncs_comm_info, of a child */
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

/* A communicator as the journal has it. */
struct comm {
    struct ncs_comm_info info;
    bool named;
    int ended;                 /* members that are gone */
    size_t users;              /* records of it, children, and who keeps it */
    size_t counted;            /* bytes of it in ncs_journal.held_comms */
    bool queued;               /* among the dead */
    struct comm *next_dead;
    struct ncs_growth *growth; /* ids made to grow it */
};

struct ncs_journal_private {
    bool locked;
    pthread_mutex_t lock;
    const struct ncs_api *api; /* answers cudaGetDevice */
    int (*fault)(void *arg, struct ncs_call *call); /* NULL = nobody does */
    void *fault_arg;
    uint64_t groups;           /* serials of groups given so far */
    size_t trim_at;            /* bytes of records at which dropping is tried again */
    struct ncs_slab records;
    struct ncs_map handles;    /* ncclComm_t -> (communicator, rank), gone ones too */
    struct ncs_map keys;       /* hash of a unique id, or key of a child -> struct ncs_comm_info */
    struct ncs_map growths;    /* hash of a unique id -> struct ncs_growth */
    struct ncs_map on_stream;  /* rank and stream -> id of the last counted call << 16 | its thread */
    struct ncs_map texts;      /* hash -> what libraries said of calls that failed */
    uint64_t made, children;   /* communicators so far, and those that are named after their parents */
    struct comm *dead_first, *dead_last; /* whose places others may take */
    struct ncs_unfilled *unfilled;
    size_t unfilleds, unfilled_room;
};

/* Before the call is made: communicator, rank in it and operator, from the arguments. */
void ncs_journal_resolve(struct ncs_journal *j, struct ncs_call *call, int device);
/* After it has returned: new communicators and operators, and the end of old ones. */
void ncs_journal_learn(struct ncs_journal *j, struct ncs_call *call);
/* After an outermost ncclGroupEnd. */
void ncs_journal_group_ended(struct ncs_journal *j, uint64_t group, bool ok);
/* The first name given stays. */
void ncs_journal_rename(struct ncs_journal *j, int number, const char *name);
void ncs_journal_free_comms(struct ncs_journal *j);
void ncs_journal_free_hosts(struct ncs_journal *j);

/* ---- what a thread met (journal_prior.c) ---- */

void ncs_journal_free_caught(struct ncs_journal *j);
/* A cudaMemcpy that went well has brought this to memory of the script's own. */
void ncs_journal_keep_read(struct ncs_call *call);

/* ---- what libraries say of calls that failed (journal_said.c) ---- */

/* Asks the library; not under the lock. NULL = it says nothing. */
const char *ncs_journal_ask_error(const struct ncs_journal *j, const struct ncs_call *call, int rc);
/* The journal's copy of the text, one for all that are equal; NULL = too many are kept. */
const char *ncs_journal_keep_text(struct ncs_journal *j, const char *text);
void ncs_journal_free_texts(struct ncs_journal *j);

/* ---- windows and waits (journal_window.c) ---- */

#define NCS_MOST_WAITS 4096 /* entries of a list that are kept */

void ncs_journal_add_window(struct ncs_journal *j, const struct ncs_call *call);
/* It has succeeded, outside a group: its handle is there. */
void ncs_journal_learn_window(struct ncs_journal *j, const struct ncs_call *call);
void ncs_journal_drop_window(struct ncs_journal *j, const struct ncs_call *call); /* it failed */
/* What the thread registered in the group that has just failed. */
void ncs_journal_drop_windows(struct ncs_journal *j, const struct ncs_local *local);
void ncs_journal_free_windows(struct ncs_comm_info *info);
bool ncs_call_uses_window(const struct ncs_call *call);
/* The memory behind the window that the call names, from the driver; not under the lock. */
const void *ncs_journal_ask_window(const struct ncs_journal *j, const struct ncs_call *call);
/* Notes the number of the window with that memory in the call. */
void ncs_journal_use_window(struct ncs_journal *j, struct ncs_call *call, const void *base);
void ncs_journal_end_window(struct ncs_journal *j, const struct ncs_call *call);
void ncs_journal_copy_waits(struct ncs_call *call);
void ncs_journal_free_waits(struct ncs_call *call);

/* A communicator and a rank in it as one word, never 0: the value of the map of handles. */
void *ncs_pack_handle(int comm, int comm_rank);
void ncs_unpack_handle(uintptr_t word, int *comm, int *comm_rank);

/* Joins a communicator as a rank that it names. */
static inline bool ncs_call_makes_rank(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].joins == NCS_JOINS_ONE ||
           (call->fn == NCS_FN_ncclCommGrow && !call->arg[0].p);
}

/* ---- journal_ended.c: how long communicators are kept ---- */

/* One user more, or less (-1), that needs it. */
void ncs_journal_use_comm(struct ncs_journal *j, int number, int more);
/* The call is of that communicator, which is kept as long as the record is; -1 = of none. */
void ncs_journal_set_comm(struct ncs_journal *j, struct ncs_call *call, int comm);
/* A child's parent is kept as long as the child. */
void ncs_journal_set_parent(struct ncs_journal *j, struct ncs_comm_info *child, int parent);
void ncs_journal_add_growth(struct ncs_journal *j, const struct ncs_growth *growth);
/* One more of its ranks has ended it, or its users have changed. */
void ncs_journal_weigh_comm(struct ncs_journal *j, struct comm *comm);
/* A number for a new one: that of one nobody asks for any more, which is forgotten, or the next. */
int ncs_journal_take_place(struct ncs_journal *j);
void ncs_journal_free_comm(struct comm *comm);

/* ---- journal_comm.c ---- */

/* The communicator with that key; one of nranks is made if there is none. */
struct ncs_comm_info *ncs_journal_add_comm(struct ncs_journal *j, uint64_t key, int nranks);
/* One rank of it, with its handle; who is of the run. */
void ncs_journal_set_member(struct ncs_journal *j, struct ncs_comm_info *info, int comm_rank,
                            ncclComm_t handle, int who, int device);

/* ---- journal_child.c: communicators made out of others ---- */

/* The communicator that a newcomer with this id (its hash) joins; NULL = not known. */
struct ncs_comm_info *ncs_journal_growth(struct ncs_journal *j, uint64_t id, int nranks);
/* Learns of a split, a shrink, a growth or an id to grow with, which has succeeded. */
void ncs_journal_learn_child(struct ncs_journal *j, struct ncs_call *call);
/* Its group has failed: the next call of its kind is the same one over again. */
void ncs_journal_uncount_child(struct ncs_journal *j, const struct ncs_unfilled *u);
/* Takes one whose handle has been filled. */
bool ncs_journal_take_filled(struct ncs_journal *j, int rank, struct ncs_unfilled *out);
void ncs_journal_adopt(struct ncs_journal *j, const struct ncs_unfilled *u, int rank, int nranks);
/* Nobody fills the handles that this rank still waits for on a communicator. */
void ncs_journal_orphan(struct ncs_journal *j, int comm, int comm_rank);

#endif
