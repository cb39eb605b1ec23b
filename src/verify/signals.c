/* Checks waits for signals: none may end before the peer has sent as many signals as it takes. */
#include <stdio.h>

#include "base/mem.h"
#include "verify/private.h"

/* Signals between two ranks of a communicator, in one direction. */
struct signals {
    uint64_t sent, taken;
};

static struct signals *signals_of(struct ncs_verify *v, int comm, int target, int origin)
{
    uint64_t key = v->capture.journal->comm[comm]->serial << 34 | (uint64_t)(target & 0x1ffff) << 17 |
                   (uint64_t)(origin & 0x1ffff);
    struct signals *s = ncs_map_get(&v->signals, key);

    if (!s) {
        s = ncs_new(sizeof *s);
        ncs_map_put(&v->signals, key, s);
    }
    return s;
}

static void report_wait(struct ncs_verify *v, struct ncs_call *call, int peer, const struct signals *s, uint64_t came)
{
    struct ncs_wrong *w = ncs_verify_add_wrong(v, call);

    if (!w)
        return;
    w->first = w->differ = w->total = 1;
    w->which = peer;
    snprintf(w->got, sizeof w->got, "%llu signals", (unsigned long long)came);
    snprintf(w->want, sizeof w->want, "%llu", (unsigned long long)s->taken);
    snprintf(w->text, sizeof w->text, "the wait ended although rank %d had sent only %llu of %llu", peer,
             (unsigned long long)came, (unsigned long long)s->taken);
}

void ncs_verify_count_signals(struct ncs_verify *v, struct ncs_call *call)
{
    size_t count;
    const ncclWaitSignalDesc_t *d = ncs_call_waits(call, &count);

    if (call->comm < 0)
        return;
    if (call->fn != NCS_FN_ncclWaitSignal) {
        signals_of(v, call->comm, ncs_call_peer(call), call->comm_rank)->sent++;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct signals *s = signals_of(v, call->comm, call->comm_rank, d[i].peer);
        s->taken += (uint64_t)d[i].opCnt;
        if (s->taken > s->sent && !call->unverified) {
            report_wait(v, call, d[i].peer, s, s->sent);
            s->taken = s->sent; /* reported once */
        }
    }
}

static void signals_free_one(void *value, void *arg)
{
    (void)arg;
    ncs_free(value);
}

void ncs_verify_free_signals(struct ncs_verify *v)
{
    ncs_map_each(&v->signals, signals_free_one, NULL);
    ncs_map_free(&v->signals);
}
