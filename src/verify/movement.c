#include "verify/movement.h"

/* Not derived from the rows of the API's functions, by which the simulator moves data: verification would
 * repeat an error in a row and miss it. unit/test_verify_movement compares the two. */
const struct ncs_movement ncs_movements[NCS_FN_COUNT] = {
    [NCS_FN_ncclAllReduce] = { .kind = NCS_MOVE_COLLECTIVE, .reduces = true },
    [NCS_FN_ncclReduce] = { .kind = NCS_MOVE_COLLECTIVE, .reduces = true, .to_root = true },
    [NCS_FN_ncclReduceScatter] = { .kind = NCS_MOVE_COLLECTIVE, .reduces = true, .parts_in = true },
    [NCS_FN_ncclAllGather] = { .kind = NCS_MOVE_COLLECTIVE, .parts_out = true },
    [NCS_FN_ncclBroadcast] = { .kind = NCS_MOVE_COLLECTIVE, .from_root = true },
    [NCS_FN_ncclBcast] = { .kind = NCS_MOVE_COLLECTIVE, .from_root = true },
    [NCS_FN_ncclAlltoAll] = { .kind = NCS_MOVE_COLLECTIVE, .parts_in = true, .parts_out = true, .steps = true },
    [NCS_FN_ncclGather] = { .kind = NCS_MOVE_COLLECTIVE, .to_root = true, .parts_out = true, .steps = true },
    [NCS_FN_ncclScatter] = { .kind = NCS_MOVE_COLLECTIVE, .from_root = true, .parts_in = true, .steps = true },
    [NCS_FN_ncclSend] = { .kind = NCS_MOVE_SEND },
    [NCS_FN_ncclRecv] = { .kind = NCS_MOVE_RECV },
    [NCS_FN_ncclPutSignal] = { .kind = NCS_MOVE_PUT },
};
