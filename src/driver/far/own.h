/* Addresses of memory and handles that this process has given out to the one that leads. A request may use no others. */
#ifndef NCS_DRIVER_OWN_H
#define NCS_DRIVER_OWN_H

#include "api/carry.h"

/* Notes what a call has made, and forgets memory that it has freed. */
void own_note_results(const struct ncs_carry_call *c);
void own_note_handle(const void *handle);

/* True if these bytes lie in memory of the host or a device that was given out as a whole. */
bool own_has(const void *p, size_t bytes);
/* See ncs_carry_owns. api: the libraries', which know memory of devices that another process has made. */
bool own_allows(const struct ncs_carry_call *c, int at, size_t bytes);
void own_open(const struct ncs_api *api);

/* How many ranges were looked at so far. For tests: a call must not look at all that there are. */
size_t own_looks(void);

#endif
