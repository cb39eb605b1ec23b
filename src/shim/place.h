/* What a program says of its own calls (include/ncclscript/place.h). */
#ifndef NCS_SHIM_PLACE_H
#define NCS_SHIM_PLACE_H

#include "shim/shim.h"

/* The number of the place of a call of this thread: as the program has named it, else by the address
 * that the call returns to. Without the token. */
int ncs_shim_site(const struct ncs_shim_above *above, void *caller);

/* The rank that the program has given the thread; -1 = none. */
int ncs_shim_named_rank(void);

#endif
