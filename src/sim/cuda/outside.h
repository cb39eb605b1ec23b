/* What a program from outside may ask about its devices and their objects. */
#ifndef NCS_SIM_OUTSIDE_H
#define NCS_SIM_OUTSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "ncclscript/cuda_abi.h"

/* What the program has not given back. */
struct outside_left {
    size_t device_blocks, pinned_blocks, streams, events;
    size_t unused_streams; /* of the streams, those that had no operation: a framework's store of them */
    uint64_t device_bytes;
};
void sim_outside_count_left(struct outside_left *left);

/* The device that it was made on; -1 = it is none's, or not known. */
int sim_outside_device_of_memory(const void *p);
int sim_outside_device_of_stream(cudaStream_t stream);
int sim_outside_device_of_event(cudaEvent_t event);

/* What CUDA_VISIBLE_DEVICES makes of a machine of so many devices: how many the program sees, 0 for a list
 * that is empty, names one twice or begins with none, and which they are. */
int sim_outside_visible(const char *text, int devices, int *number);

/* What a call that the machine does not have returns, which becomes CUDA's last error: this one, or
 * what all calls of CUDA fail with here. */
cudaError_t sim_outside_refuse(int error);

#endif
