/* The other processes of the program that `exec` has started. */
#ifndef NCS_SHIM_RELATIVES_H
#define NCS_SHIM_RELATIVES_H

#include <stdbool.h>

/* True if this process may be one of many: another one started it, and may start more, or it has forked others that run the same
 * file. */
bool relatives_are_there(void);

#endif
