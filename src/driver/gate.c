/* Host conditions of real runs, on which the store, barriers and joins wait. */
#include "base/mem.h"
#include "base/thread.h"
#include "driver/world.h"

struct ncs_gate {
    pthread_cond_t woken;
    uint64_t times;
    struct ncs_gate *next, **link;
};

struct ncs_gate *ncs_real_gate_new(void)
{
    struct ncs_gate *g = ncs_new(sizeof *g);
    ncs_cond_new(&g->woken);
    g->next = ncs_real.gates;
    g->link = &ncs_real.gates;
    if (g->next)
        g->next->link = &g->next;
    ncs_real.gates = g;
    return g;
}

void ncs_real_gate_free(struct ncs_gate *g)
{
    if (!g)
        return;
    *g->link = g->next;
    if (g->next)
        g->next->link = g->link;
    pthread_cond_destroy(&g->woken);
    ncs_free(g);
}

bool ncs_real_gate_wait(struct ncs_gate *g, int64_t deadline, const char *what, const char *key, int owner, int owner_thread)
{
    uint64_t times = g->times;
    bool in_time = true;
    if (ncs_real_self) {
        ncs_free(ncs_real_self->key);
        ncs_real_self->at = AT_GATE;
        ncs_real_self->what = what;
        ncs_real_self->key = ncs_copy_text(key);
        ncs_real_self->owner = owner;
        ncs_real_self->owner_thread = owner_thread;
        ncs_real_self->timed = deadline >= 0;
    }
    int64_t until = deadline < 0 || deadline > INT64_MAX - ncs_real.start ? -1 : ncs_real.start + deadline;
    while ((g->times == times || ncs_real.stopped) && !ncs_real.cancelled && in_time && !ncs_real_is_dead())
        in_time = ncs_real_wait(&g->woken, until) || ncs_real.stopped;
    ncs_real_stop_dead();
    if (ncs_real_self)
        ncs_real_self->at = AT_WORK;
    return in_time && !ncs_real.cancelled;
}

void ncs_real_gate_wake(struct ncs_gate *g)
{
    g->times++;
    ncs_real.progress = ncs_clock();
    pthread_cond_broadcast(&g->woken);
}

void ncs_real_gates_wake(void)
{
    for (struct ncs_gate *g = ncs_real.gates; g; g = g->next)
        pthread_cond_broadcast(&g->woken);
}
