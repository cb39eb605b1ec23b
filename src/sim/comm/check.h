/* NCCL's checking modes: NCCL_CHECK_POINTERS, and NCCL_CHECK_MODE where the version has it. */
#ifndef NCS_SIM_CHECK_H
#define NCS_SIM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct comm;
struct comm_rank;
struct part;

enum check_mode {
    CHECK_NONE,
    CHECK_LOCAL,  /* every buffer must be memory that the communicator's device can use */
    CHECK_GLOBAL, /* as LOCAL; at each group end ranks exchange facts about buffers */
};

/* The mode that the environment sets now. A communicator keeps the mode of its creation. */
enum check_mode sim_check_mode_now(void);

/* The buffers of one call before it is queued. As NCCL does, only their first addresses are checked,
 * whatever the count is, including buffers that the call ignores. */
struct check_call {
    const char *name;        /* "AllReduce" */
    bool pair;               /* send, receive */
    bool broadcast, reduce;  /* one of their buffers is used on the root only */
    const void *send, *recv; /* a pair has one of them */
};

/* CHECK_GLOBAL. tell: records where the buffers of this rank's nth collective lie in symmetric
 * windows. alike: once all ranks have told, whether their buffers lie alike. */
void sim_check_tell(const struct part *p, uint32_t nth);
bool sim_check_alike(const struct part *p, uint32_t nth);
void sim_checks_free(struct comm *comm);

int sim_check_pointers(const struct comm_rank *cr, const struct check_call *call, bool root);

#endif
