/* The calls of a program as a scenario that ends as the program does: --record. */
#ifndef NCS_EXEC_REPRODUCE_H
#define NCS_EXEC_REPRODUCE_H

#include "base/channel.h"
#include "run/run.h"

/* Writes the file when the run is over, and reports with `tell` that it did. A warning if it cannot be written, or
 * the run has no call that a scenario can make: then false. */
bool ncs_exec_reproduce(const struct ncs_result *result, const char *file, const char *program, ncs_channel_tell *tell);

#endif
