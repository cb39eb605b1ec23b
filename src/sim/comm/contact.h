/* Contact: the first communication of a rank with another, or with all, which hosts wait for
 * (sim/README.md, rule 1). It compares no arguments. */
#ifndef NCS_SIM_CONTACT_H
#define NCS_SIM_CONTACT_H

#include <stdbool.h>
#include <stddef.h>

struct comm_rank;
struct part;
struct waitable;

/* Tells every peer that this rank has entered communication. All parts are of one rank. */
void sim_contact_enter(struct part *const *parts, size_t count);

/* True if the partners have entered too: for a collective or a one-sided call every rank, for a
 * send or receive the peer in the opposite direction. If every launch waits, they must have entered
 * as often as this rank. */
bool sim_contact_is_met(const struct part *p);
/* The same of one rank, for an all-to-all that is whole. */
bool sim_contact_is_met_by(const struct part *whole, int rank);
/* Fires when sim_contact_is_met may have changed. */
struct waitable *sim_contact_gate(const struct part *p);

/* NCCL sets a connection up with the group that holds the first send, or receive, of a peer. It
 * remembers that it was asked when the call is queued, so a dropped group leaves a peer that is
 * never connected (NCCL 2.30.7: hasSeen in src/enqueue.cc, groupCleanup in src/group.cc). */
void sim_contact_drop(const struct part *p);
void sim_contact_connect(const struct part *p);
/* A pair whose connection was asked for in a dropped group: the launch fails. */
bool sim_contact_is_lost(const struct part *p);

/* True if all ranks of the communicator have connections to each other, or these two have. */
bool sim_contact_of_all(const struct comm_rank *cr);
bool sim_contact_of_pair(const struct comm_rank *cr, int rank);

/* True if every launch of this rank waits for its partners' hosts, not only the first. */
bool sim_contact_each_time(const struct comm_rank *cr);

#endif
