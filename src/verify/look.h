/* Keeps samples of operations for reports (ncs_verify_look). */
#ifndef NCS_VERIFY_LOOK_H
#define NCS_VERIFY_LOOK_H

#include "verify/operation.h"
#include "verify/reduce.h"
#include "verify/seen.h"

struct ncs_look {
    const struct ncs_journal *journal; /* borrowed */
    size_t most, held;                 /* operations kept at most; bytes of samples */
    struct ncs_seen **seen;
    size_t count, room;
    uint64_t more; /* not kept */
};

/* A compared output: the number of its wrong elements, and the arithmetic of the comparison. */
struct ncs_looked {
    bool checked;
    bool gone; /* the output has been freed */
    size_t differ;
    enum ncs_arithmetic arithmetic;
    struct ncs_expected *scratch;
};

/* The share's data have moved. No effect if no samples were asked for or too many are kept. */
void ncs_look_at(struct ncs_look *l, struct ncs_operation *op, int share, const struct ncs_looked *how);
/* The operation is over on all ranks. */
void ncs_look_over(struct ncs_operation *op);
void ncs_look_unfinished(struct ncs_look *l, const struct ncs_call *call, bool present);
void ncs_look_forget_passing(struct ncs_look *l);
void ncs_look_free(struct ncs_look *l);

#endif
