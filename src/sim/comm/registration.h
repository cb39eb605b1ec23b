/* The registrations of ncclCommRegister: ranges of whole pages, each with a count of users. */
#ifndef NCS_SIM_REGISTRATION_H
#define NCS_SIM_REGISTRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comm_rank;

struct registration {
    uintptr_t first, end; /* multiples of the page */
    unsigned users;
    struct registration *next;
};

/* Finds or makes the registration that contains the range, and adds one user. */
struct registration *sim_registration_take(struct comm_rank *cr, const void *p, size_t bytes);
/* False = not a registration of this communicator. */
bool sim_registration_drop(struct comm_rank *cr, const struct registration *r);
void sim_registrations_free(struct comm_rank *cr);

#endif
