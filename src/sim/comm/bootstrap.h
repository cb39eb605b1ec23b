/* How processes find each other before a communicator is there: what the environment says of it. */
#ifndef NCS_SIM_BOOTSTRAP_H
#define NCS_SIM_BOOTSTRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "ncclscript/nccl_abi.h"

/* Whether they can at all: NCCL_COMM_ID and NCCL_SOCKET_IFNAME. */
int sim_bootstrap_check(void);

/* NCCL_COMM_ID: the id that every call gives, and that rank 0 serves for one communicator after the
 * other; false = it is not set. */
bool sim_bootstrap_fixed_id(ncclUniqueId *id);

/* How long a connection to a rendezvous that does not serve is tried before it fails, in ns. */
int64_t sim_bootstrap_retry_time(void);

#endif
