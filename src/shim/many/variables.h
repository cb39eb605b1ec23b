/* NCCL's variables of the processes. A list is as in struct wire_hello. */
#ifndef NCS_SHIM_VARIABLES_H
#define NCS_SHIM_VARIABLES_H

#include <stddef.h>

/* Sets the variables of this process to those of the first process. */
void variables_adopt(const char *list);
char *variables_copy(const char *list);
const char *variables_next(const char *at);
/* The value of the variable, of whose name only so many bytes count; NULL = it is not set. */
const char *variables_find(const char *list, const char *name, size_t bytes);

#endif
