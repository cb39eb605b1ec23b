/* Shared by the files that recast a run for its parties. Private to these files. */
#ifndef NCS_DIAGNOSE_COURSE_RECAST_H
#define NCS_DIAGNOSE_COURSE_RECAST_H

#include "diagnose/party.h"

struct ncs_recast_private {
    struct ncs_parties *p;
    struct ncs_call *call; /* in order of id; copies of one for several parties stand side by side */
    size_t calls, room;
    struct ncs_host_step *host; /* in order */
    size_t hosts, host_room;
    struct ncs_map at;    /* record -> first copy + 1 */
    struct ncs_map queue; /* stream or event -> party that last used it, + 1 */
    const void **stream;  /* by party: the stream of its newest call of NCCL */
    size_t wait_room, context_room;
    int *first_context; /* by context of the run: the index of its copy, the one that waits if there are several */
};

/* The copy of a call for the party or, if there is none, its first copy. A call without a copy, which the journal has
 * dropped, is returned as it is. */
struct ncs_call *ncs_recast_call_for(const struct ncs_recast_private *o, const struct ncs_call *c, int party);
struct ncs_call *ncs_recast_call(const struct ncs_recast_private *o, const struct ncs_call *c); /* the first copy */

void ncs_recast_journal(struct ncs_recast_private *o, struct ncs_journal *out);
/* Needs the journal: contexts and operations point to copies of calls. */
void ncs_recast_snapshot(struct ncs_recast *r);

#endif
