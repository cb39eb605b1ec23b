/* Queries of a program from outside about its devices and their objects. */
#ifndef NCS_SIM_OUTSIDE_H
#define NCS_SIM_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "ncclscript/cuda_abi.h"

/* False for a stream without any operation: frameworks keep a pool of such streams. */
bool sim_outside_stream_is_used(const void *stream);
/* True if the process of this number has ended. */
bool sim_outside_process_is_gone(int number);

/* The device that the object was made on; -1 = none, or unknown. */
int sim_outside_device_of_memory(const void *p);
int sim_outside_device_of_stream(cudaStream_t stream);
int sim_outside_device_of_event(cudaEvent_t event);

/* Reads CUDA_VISIBLE_DEVICES for a machine with so many devices: fills `number` with the devices that
 * the program sees and returns how many. 0 for a list that is empty, names a device twice or begins with
 * an unknown one. */
int sim_outside_visible(const char *text, int devices, int *number);

/* The program has launched a kernel: what the calling thread's process can reach may be written. */
void sim_outside_kernel(void);

/* Refuses a call that the machine does not have: sets CUDA's last error and returns it. It is `error`,
 * or the error with which all calls of CUDA fail here. */
cudaError_t sim_outside_refuse(int error);

#endif
