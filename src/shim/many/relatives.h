/* The other processes of the program that `exec` has started. */
#ifndef NCS_SHIM_RELATIVES_H
#define NCS_SHIM_RELATIVES_H

#include <stdbool.h>

/* True if another process of the program runs the same file as this one: it was forked or started as often as there are
 * ranks, or this process has forked others. */
bool relatives_are_there(void);

#endif
