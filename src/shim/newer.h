/* Functions of NCCL 2.31 and 2.32 that the table of functions lacks: what the versions check. */
#ifndef NCS_SHIM_NEWER_H
#define NCS_SHIM_NEWER_H

#include <stdbool.h>

#include "ncclscript/nccl_abi.h"

/* True if the version that is simulated is this one or newer. After the first call. */
bool ncs_shim_is_since(int version);

/* With the token; NULL is a configuration in which nothing is set. */
ncclResult_t ncs_shim_check_coll_config(const ncclCollConfig_t *config);
ncclResult_t ncs_shim_check_encryption(const ncclEncryptionConfig_t *config);
/* The event that the collective's launch completes, or NULL. Of a configuration that was checked. */
cudaEvent_t ncs_shim_launch_event(const ncclCollConfig_t *config);

#endif
