/* How a process ended. */
#ifndef NCS_SHIM_DEATH_H
#define NCS_SHIM_DEATH_H

#include <stdbool.h>

#include "base/str.h"

/* Appends what ended the process behind the descriptor: "signal 11 (Segmentation fault)", "its exit with status 1". Returns
 * false if the process has ended by itself, with status 0. pid: its number, which may be another's by now. */
bool death_of(int pidfd, int pid, struct ncs_str *out);

#endif
