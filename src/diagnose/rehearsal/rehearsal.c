/* The trial as a whole: hosts and devices go on in turns until nothing moves any more. */
#include "diagnose/rehearsal/rehearsal.h"

#include <string.h>

#include "base/mem.h"

static void rehearsal_begin(struct ncs_rehearsal *p)
{
    ncs_hosts_open(p->q, &p->hosts);
    ncs_rehearsal_cast(p);
    p->free = ncs_new(((size_t)p->hosts.processes + 1) * sizeof *p->free);
    p->undone = ncs_new(((size_t)p->cast->ranks + 1) * sizeof *p->undone);
}

/* Courses that passed all their barriers in the run go first. Once nothing moves any more, the other courses may visit
 * barriers, too (late): otherwise they would take the places of those that passed. */
static void play(struct ncs_rehearsal *p)
{
    for (bool again = true; again;) {
        p->moved = false;
        for (size_t i = 0; i < p->players; i++)
            ncs_rehearsal_play_course(p, &p->player[i]);
        ncs_rehearsal_play_launches(p);
        again = p->moved || !p->late;
        p->late = !p->moved;
    }
}

static void sum_up(const struct ncs_rehearsal *p, struct ncs_rehearsed *out)
{
    memset(out, 0, sizeof *out);
    out->waits = ncs_new(p->courses->count * sizeof *out->waits);
    for (size_t i = 0; i < p->courses->count; i++) {
        out->waits[i] = !p->player_of[i]->ended;
        out->blocked += out->waits[i];
    }
    for (size_t i = 0; i < p->launches; i++)
        out->blocked += !p->launch[i].done;
    for (size_t i = 0; i < p->meetings; i++)
        out->supposed += p->meeting[i].supposed;
}

static void end(struct ncs_rehearsal *p)
{
    for (size_t i = 0; i < p->players; i++)
        ncs_free(p->player[i].deed);
    for (size_t i = 0; i < p->troupes; i++)
        ncs_free(p->troupe[i].rank);
    for (size_t i = 0; i < p->meetings; i++)
        ncs_free(p->meeting[i].part);
    ncs_free(p->player);
    ncs_free(p->player_of);
    ncs_free(p->troupe);
    ncs_free(p->troupe_of);
    ncs_free(p->free);
    ncs_free(p->part);
    ncs_free(p->launch);
    ncs_free(p->front);
    ncs_free(p->later);
    ncs_free(p->undone);
    ncs_free(p->meeting);
    ncs_map_free(&p->tail);
    ncs_map_free(&p->event);
    ncs_map_free(&p->meeting_at);
    ncs_map_free(&p->count);
    ncs_map_free(&p->sent);
    ncs_map_free(&p->entered);
    ncs_map_free(&p->splits);
    ncs_hosts_close(&p->hosts);
}

void ncs_rehearse(const struct ncs_cast *cast, const struct ncs_change *change, size_t changes, struct ncs_rehearsed *out)
{
    struct ncs_rehearsal p = { .cast = cast, .q = cast->q, .courses = cast->courses, .change = change, .changes = changes };
    rehearsal_begin(&p);
    play(&p);
    sum_up(&p, out);
    end(&p);
}
