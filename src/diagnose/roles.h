/* The roles of ranks in messages: who sends or receives how far. What the middle of a pipeline does is not to be
 * expected of its ends. Private to this room. */
#ifndef NCS_DIAGNOSE_ROLES_H
#define NCS_DIAGNOSE_ROLES_H

#include "diagnose/course.h"

struct ncs_role {
    uint64_t key;   /* ncs_step.role */
    uint64_t class; /* of the communicator */
    int away;       /* of the peer: its rank there less the own */
    bool regular;   /* (nearly) all ranks have it that can, as far as any has it */
};

struct ncs_roles {
    struct ncs_role *of;
    size_t count, room;
    struct ncs_map number;   /* key -> number + 1 */
    bool *expected;          /* by course and role */
};

void ncs_roles_read(const struct ncs_inquiry *q, const struct ncs_courses *courses, struct ncs_roles *out);
void ncs_roles_free(struct ncs_roles *r);

size_t ncs_role_number(const struct ncs_roles *r, uint64_t key); /* count: of none that any course has */
/* The course has the role, or could have it where all others have that can. */
bool ncs_role_is_expected(const struct ncs_roles *r, size_t course, size_t role);

#endif
