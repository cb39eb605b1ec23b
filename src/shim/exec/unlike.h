/* Variables of NCCL that the processes of a job do not share. */
#ifndef NCS_SHIM_UNLIKE_H
#define NCS_SHIM_UNLIKE_H

#include "run/notices.h"

/* Adds a notice for each that NCCL needs alike on all ranks. With the token. */
void ncs_exec_unlike(struct ncs_notices *notices);

#endif
