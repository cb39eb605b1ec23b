/* The roles of ranks in messages: which ranks send to, or receive from, the rank at some distance. The first and the
 * last rank of a pipeline lack roles that the ranks between them have, and that is no mistake. Private to this room. */
#ifndef NCS_DIAGNOSE_COURSE_ROLES_H
#define NCS_DIAGNOSE_COURSE_ROLES_H

#include "diagnose/course/course.h"

struct ncs_role {
    uint64_t key;   /* ncs_step.role */
    uint64_t class; /* of the communicator */
    int away;       /* distance to the peer: its rank less the own one */
    int nranks;     /* of the communicator */
    bool regular;   /* nearly all ranks have it, from the first that does to the last (is_regular) */
};

struct ncs_roles {
    struct ncs_role *of;
    size_t count, room;
    struct ncs_map number; /* key -> number + 1 */
    bool *expected;        /* by course and role */
    struct ncs_map spot;   /* site at which somebody sends or receives -> number + 1 */
    size_t spots;
    struct ncs_map had; /* spot and role that somebody has there -> 1 */
    bool *passed;       /* by course and spot: see ncs_spot_is_expected */
};

void ncs_roles_read(const struct ncs_analysis *q, const struct ncs_courses *courses, struct ncs_roles *out);
void ncs_roles_free(struct ncs_roles *r);

size_t ncs_spot_number(const struct ncs_roles *r, uint64_t site); /* r->spots = no course has a role there */
/* True if the course has a role that ranks have at the spot, or should have such a role because all other ranks that
 * can have it do. In a ring of ranks the last one sends to the first at the spot where all others send to the next. */
bool ncs_spot_is_expected(const struct ncs_roles *r, size_t course, size_t spot);
/* True if both peers are equally far away on the ring of all ranks. */
bool ncs_roles_alike(const struct ncs_roles *r, uint64_t a, uint64_t b);
/* The peer that a rank with this role names, on the ring of ranks; -1 = the role is not known. */
int ncs_role_peer(const struct ncs_roles *r, uint64_t key, int comm_rank);

#endif
