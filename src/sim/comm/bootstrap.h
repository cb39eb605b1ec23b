/* The environment variables that decide how processes find each other before they
 * have a communicator. */
#ifndef NCS_SIM_BOOTSTRAP_H
#define NCS_SIM_BOOTSTRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "ncclscript/nccl_abi.h"

/* Checks NCCL_COMM_ID and NCCL_SOCKET_IFNAME: a result code if processes cannot find each other,
 * else 0. */
int sim_bootstrap_check(void);

/* NCCL_COMM_ID: every call returns this id, and rank 0 serves it for one communicator after the other.
 * False = the variable is not set. */
bool sim_bootstrap_fixed_id(ncclUniqueId *id);

/* How long a rank tries to connect to a rendezvous that nobody serves before init fails, in ns. */
int64_t sim_bootstrap_retry_time(void);

#endif
