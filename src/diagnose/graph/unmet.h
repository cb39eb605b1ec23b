/* Unmet waits as the graph of waiting needs them. Private to these files. */
#ifndef NCS_DIAGNOSE_GRAPH_UNMET_H
#define NCS_DIAGNOSE_GRAPH_UNMET_H

#include "diagnose/analysis.h"

void ncs_reserve_nodes(struct ncs_analysis *q, size_t count); /* graph.c: grows the graph to so many nodes */

/* Each returns the index of an unmet wait, which is made if there is none yet. Making one moves q->unmet: a
 * pointer to another unmet wait is stale then. */
size_t ncs_unmet_at_meeting(struct ncs_analysis *q, int meeting);
size_t ncs_unmet_of_job(struct ncs_analysis *q, int job);
size_t ncs_unmet_at_gate(struct ncs_analysis *q, int gate);
/* For the peer whose signals are missing in a wait for signals. Always a new one. */
size_t ncs_unmet_signal(struct ncs_analysis *q, const struct ncs_snap_lack *lack, const struct ncs_call *wait);

/* False if the journal has dropped the records of all calls at the meeting. */
bool ncs_meeting_is_recorded(const struct ncs_analysis *q, int meeting);
/* True if the context, or the one as which its thread waits, waits at a gate that opens with this one. */
bool ncs_waits_at_gate(const struct ncs_analysis *q, const struct ncs_snap_context *c, const struct ncs_snap_gate *gate);

#endif
