/* What a matched meeting does with memory: one fused pass at the instant at which the operation ends,
 * block by block, each input read once and each output written once, on all cores.
 *
 * Reductions combine in ascending order of ranks, in the arithmetic of the element type, rounded at
 * every step. NaN results are canonical, zeros compare -0 < +0, so that no compiler's or vector
 * unit's choice shows in the bytes. A one-rank communicator copies, unless its operator scales. */
#ifndef NCS_SIM_DATA_H
#define NCS_SIM_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "api/gen/api.h"
#include "api/machine.h"

/* One rank's side. With a user operator `op` is not read. */
struct data_part {
    const void *send; /* NULL where the call ignores it; it need not be aligned */
    void *recv;       /* likewise; a NULL one is not written */
    int dtype;        /* ncclDataType_t */
    int op;           /* ncclSum ... ncclAvg */
    bool premul;
    unsigned char scalar[8]; /* with premul, of type dtype */
};

/* Parts may differ in operator, and in type when the bytes are equal: each output of a reduction is
 * then what its own rank's operator and type make of the bits of all inputs, scaled by the scalars
 * of those ranks that brought one for that type. */
struct data_task {
    enum ncs_fn fn;         /* a collective that is not composed */
    int nranks;
    int root;
    size_t count;           /* the call's argument, in elements of part[0].dtype */
    struct data_part *part; /* nranks of them, by rank */
    struct ncs_plant plant; /* NCS_PLANT_NONE, or to be applied to this task whatever `nth` says.
                             * A fault in what its rank sends or writes is none where that rank
                             * sends or writes nothing. */
};

void sim_data_move(const struct data_task *task);

/* memmove, on all cores when it is large. */
void sim_data_copy(void *dst, const void *src, size_t bytes);

/* dst[i] = dst[i] + src[i], as ncclSum adds. */
void sim_data_add(void *dst, const void *src, size_t count, int dtype);

#endif
