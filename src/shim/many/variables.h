/* NCCL's variables of the processes: the first one's are those of the job. */
#ifndef NCS_SHIM_VARIABLES_H
#define NCS_SHIM_VARIABLES_H

#include <sys/types.h>

/* A list is as in struct wire_hello. Sets the variables of this process to those of the first process. */
void variables_adopt(pid_t pid, const char *list);

/* Prints in which variables another process differs from the first, each variable once. */
void variables_compare(pid_t pid, const char *list);

#endif
