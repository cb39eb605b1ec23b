#include "sim/comm/registration.h"

#include "sim/comm/comm.h"
#include "sim/kernel/world.h"

#define PAGE ((uintptr_t)4096)

struct registration *sim_registration_take(struct comm_rank *cr, const void *p, size_t bytes)
{
    uintptr_t first = (uintptr_t)p / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)p + bytes + PAGE - 1) / PAGE * PAGE;
    struct registration *r = cr->registration;
    while (r && (first < r->first || end > r->end))
        r = r->next;
    if (!r) {
        r = sim_new(sizeof *r);
        *r = (struct registration){ .first = first, .end = end, .next = cr->registration };
        cr->registration = r;
    }
    r->users++;
    return r;
}

bool sim_registration_drop(struct comm_rank *cr, const struct registration *r)
{
    struct registration **at = &cr->registration;
    while (*at && *at != r)
        at = &(*at)->next;
    struct registration *found = *at;
    if (!found)
        return false;
    if (--found->users == 0) {
        *at = found->next;
        sim_free(found, sizeof *found);
    }
    return true;
}

void sim_registrations_free(struct comm_rank *cr)
{
    while (cr->registration) {
        struct registration *r = cr->registration;
        cr->registration = r->next;
        sim_free(r, sizeof *r);
    }
}
