/* How data move from a call's inputs to its outputs, according to verification. */
#ifndef NCS_VERIFY_MOVEMENT_H
#define NCS_VERIFY_MOVEMENT_H

#include <stdbool.h>

#include "api/journal.h"

enum ncs_movement_kind {
    NCS_MOVE_NONE, /* a call without an output to check */
    NCS_MOVE_COLLECTIVE,
    NCS_MOVE_SEND,
    NCS_MOVE_RECV,
    NCS_MOVE_PUT,
};

struct ncs_movement {
    enum ncs_movement_kind kind;
    bool reduces;
    bool from_root, to_root;  /* the root alone has an input, an output */
    bool parts_in, parts_out; /* the input, the output has a block for each rank */
    bool steps;               /* moves pair by pair: the output is checked when its rank has finished */
};

extern const struct ncs_movement ncs_movements[NCS_FN_COUNT];

static inline const struct ncs_movement *ncs_movement_of(enum ncs_fn fn)
{
    return &ncs_movements[fn];
}

#endif
