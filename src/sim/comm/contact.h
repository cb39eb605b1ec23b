/* Contact: the first communication of a rank with another, or with all, for which hosts wait. It
 * compares nothing. */
#ifndef NCS_SIM_CONTACT_H
#define NCS_SIM_CONTACT_H

#include <stdbool.h>
#include <stddef.h>

struct comm_rank;
struct part;
struct waitable;

/* Tells every peer that this rank has entered communication. All parts are of one rank. */
void contact_enter(struct part *const *parts, size_t count);

/* Every rank has entered some collective, or made some one-sided call, the peer some call of the
 * opposite direction; where launches exchange, as many as this rank has. */
bool contact_is_met(const struct part *p);
/* Fires when that may have changed. */
struct waitable *contact_gate(const struct part *p);

/* Whether every launch of this rank waits for its partners' hosts, not only the first. */
bool contact_each_time(const struct comm_rank *cr);

#endif
