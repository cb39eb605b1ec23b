/* Moves the data of a matched meeting: one pass at the instant at which the operation ends
 * (sim/README.md, rule 2), block by block, on all cores. Each input is read once, each output
 * written once.
 *
 * Reductions combine in ascending order of ranks, in the arithmetic of the element type, rounded at
 * every step. NaN results are canonical and -0 is less than +0, so that the bytes depend neither on
 * the compiler nor on the vector unit. A communicator of one rank copies, unless its operator
 * scales. */
#ifndef NCS_SIM_DATA_H
#define NCS_SIM_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "api/gen/api.h"
#include "api/machine.h"

/* One rank's side. With a user operator `op` is not read. */
struct data_part {
    const void *send; /* NULL where the call ignores it; it need not be aligned */
    void *recv;       /* likewise; not written if NULL */
    int dtype;        /* ncclDataType_t */
    int op;           /* ncclSum ... ncclAvg */
    bool premul;
    unsigned char scalar[8]; /* with premul, of type dtype */
};

/* Ranks may disagree on the operator, and on the type if the bytes are equal. Then each rank's output
 * follows its own operator and type, applied to the bits of all inputs. An input is scaled by its rank's
 * scalar if that has the type of the output. */
struct data_task {
    enum ncs_fn fn; /* a collective that is not composed */
    int nranks;
    int root;
    size_t count;                  /* the call's argument, in elements of part[0].dtype */
    struct data_part *part;        /* nranks of them, by rank */
    const struct ncs_watch *watch; /* of a reduction; NULL = nobody */
    struct ncs_plant plant;        /* NCS_PLANT_NONE, or a fault for this task; `nth` is ignored. Nothing
                             * happens if the fault's rank sends or writes nothing in this task. */
};

void sim_data_move(const struct data_task *task);

/* memmove, on all cores when it is large. */
void sim_data_copy(void *dst, const void *src, size_t bytes);

/* dst[i] = dst[i] + src[i], as ncclSum adds. */
void sim_data_add(void *dst, const void *src, size_t count, int dtype);

#endif
