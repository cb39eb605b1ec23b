/* Shared by the files that make edits. Private to them. */
#ifndef NCS_DIAGNOSE_REPAIR_REPAIR_H
#define NCS_DIAGNOSE_REPAIR_REPAIR_H

#include "base/map.h"
#include "diagnose/rules/rule.h"

struct ncs_repairing {
    const struct ncs_analysis *q;
    const struct ncs_cause *r; /* NULL: a rule adds its edits itself */
    struct ncs_draft *d;
    struct ncs_map known; /* hash of an edit -> its place in the draft, from 1 */
};

/* ---- edits (repair/repair.c); known or inexpressible edits are not added ---- */

struct ncs_edit ncs_edit_of(const struct ncs_repairing *p, enum ncs_edit_kind kind, const struct ncs_call *c);
void ncs_add_edit(struct ncs_repairing *p, struct ncs_edit e);
/* Inserts a call like the model's before `call` of that rank. answer: the counterpart of a send or
 * a receive. */
void ncs_add_insert(struct ncs_repairing *p, int comm_rank, uint32_t call, const struct ncs_call *model, bool answer);
void ncs_add_argument(struct ncs_repairing *p, const struct ncs_call *c, const char *argument, int64_t value);
/* An edit of two calls of one rank: `first`, and number `other` on a communicator. */
void ncs_add_pair(struct ncs_repairing *p, enum ncs_edit_kind kind, const struct ncs_call *first, int comm, int comm_rank,
                  uint32_t other);
bool ncs_known_member(const struct ncs_repairing *p, int comm, int comm_rank);
/* The number that the rank's next call on the communicator will have. */
uint32_t ncs_next_of(const struct ncs_repairing *p, int comm, int comm_rank);

/* ---- by rule ---- */

typedef void ncs_repair_rule(struct ncs_repairing *p);

/* repair/order.c */
ncs_repair_rule ncs_repair_absent, ncs_repair_skipped, ncs_repair_extra, ncs_repair_swapped;
/* repair/arguments.c */
ncs_repair_rule ncs_repair_arguments, ncs_repair_refused, ncs_repair_kind, ncs_repair_zero;
/* repair/groups.c */
ncs_repair_rule ncs_repair_group_end;
/* repair/pairs.c */
ncs_repair_rule ncs_repair_alone, ncs_repair_p2p_count;
/* repair/cycles.c */
ncs_repair_rule ncs_repair_p2p_cycle, ncs_repair_one_thread, ncs_repair_comm_order;

#endif
