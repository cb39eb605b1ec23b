/* Makes a workload smaller while something about it stays. */
#ifndef NCS_REPRODUCE_SHRINK_H
#define NCS_REPRODUCE_SHRINK_H

#include "reproduce/workload.h"

/* A workload of some of the ranks and steps, with its own memory. Ranks are numbered anew; a communicator has the ranks that are
 * left of it; a message whose partner is gone is left out. */
void ncs_workload_subset(const struct ncs_workload *of, const bool *ranks, const bool *steps, struct ncs_workload *out);
/* `count` times true: all ranks, or all steps. */
bool *ncs_workload_all(size_t count);
/* Numbers its different counts 1, 2, 3, ..., in their order. */
void ncs_workload_least_counts(const struct ncs_workload *of, struct ncs_workload *out);

enum { NCS_WITHOUT_HOSTS = 1, /* barriers, keys of the store */ NCS_WITHOUT_EVENTS = 2 };
/* A workload without steps of these kinds (NCS_WITHOUT_...). False if it has none of them, or nothing else. */
bool ncs_workload_without(const struct ncs_workload *of, unsigned kinds, struct ncs_workload *out);

struct ncs_shrink {
    /* True if the whole workload does what it is about, perhaps after a change of the steps; false = it cannot be shrunk. Asked only
     * if half of its ranks do not, because its run takes longest. */
    bool (*stands)(void *arg, struct ncs_workload *workload);
    /* True if the smaller workload still does what it is about. `rank`: by its ranks, the number that the rank had at first. */
    bool (*keeps)(void *arg, const struct ncs_workload *workload, const int *rank);
    /* Called after each trial with the sizes so far; false = stop: the budget is used up. NULL = none. */
    bool (*goes_on)(void *arg, const struct ncs_workload *smallest, size_t trials);
    void *arg;
};

/* Replaces the workload by the smallest one that is found, by leaving out ranks and steps until none can be left out alone. The
 * same workload and the same answers give the same result. False if it cannot be shrunk. */
bool ncs_workload_shrink(struct ncs_workload *workload, const struct ncs_shrink *how);

/* The statements that make calls of NCCL. */
size_t ncs_workload_statements(const struct ncs_workload *workload);

#endif
