/* What the files of the journal share and nobody else sees. */
#ifndef NCS_API_JOURNAL_PRIVATE_H
#define NCS_API_JOURNAL_PRIVATE_H

#include <pthread.h>

#include "api/journal.h"
#include "base/map.h"

/* An init in an open group may fill its out-parameter as late as the group's end. */
struct ncs_unfilled {
    const ncclComm_t *out;
    uint64_t group;
    int comm, comm_rank;
};

struct ncs_journal_private {
    bool locked;
    pthread_mutex_t lock;
    const struct ncs_api *api; /* answers cudaGetDevice */
    uint64_t groups;           /* serials of groups given so far */
    size_t trim_at;            /* bytes of records at which dropping is tried again */
    struct ncs_map numbered;   /* (communicator, rank, number) -> counted call held */
    struct ncs_map handles;    /* ncclComm_t -> (communicator, rank), gone ones too */
    struct ncs_map keys;       /* hash of a unique id -> struct ncs_comm_info */
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

/* What a value of the map of handles stands for. */
void ncs_unpack_handle(uintptr_t word, int *comm, int *comm_rank);

static inline bool ncs_call_makes_rank(const struct ncs_call *call)
{
    return call->fn == NCS_FN_ncclCommInitRank || call->fn == NCS_FN_ncclCommInitRankConfig;
}

/* The argument of that kind, NULL if the function has none. */
static inline const union ncs_arg *ncs_call_arg(const struct ncs_call *call, enum ncs_kind kind)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];

    for (int i = 0; i < info->nargs; i++)
        if (info->arg[i].kind == kind)
            return &call->arg[i];
    return NULL;
}

#endif
