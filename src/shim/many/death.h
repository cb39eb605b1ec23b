/* How a process ended. */
#ifndef NCS_SHIM_DEATH_H
#define NCS_SHIM_DEATH_H

#include <stdbool.h>

#include "base/str.h"

/* Appends what ended the process behind the descriptor: "signal 11 (Segmentation fault)", "its exit with status 1". Returns
 * false if the process has ended by itself, with status 0 as far as that is known. pid: its number, which may be another's by
 * now. exits: it has said that it ends by itself. */
bool death_of(int pidfd, int pid, bool exits, struct ncs_str *out);

#endif
