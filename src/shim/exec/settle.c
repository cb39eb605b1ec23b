#include "shim/exec/settle.h"

#include "api/journal.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "shim/exec/places.h"

/* True if the thread is neither in a call that waits nor in a loop of polls: it runs the program's own code. */
static bool is_outside(const struct ncs_snapshot *s, const struct ncs_snap_context *c)
{
    bool asks = s->stop == NCS_STOP_STALLED || s->stop == NCS_STOP_INTERRUPTED;
    return c->state == NCS_CONTEXT_READY || (c->state == NCS_CONTEXT_POLLING && !asks);
}

static void end_context(struct ncs_snap_context *c)
{
    c->state = NCS_CONTEXT_ENDED;
    c->ending = NCS_END_RETURNED;
}

static bool is_known(const struct ncs_snapshot *s, int rank)
{
    for (size_t i = 0; i < s->contexts; i++)
        if (s->context[i].rank == rank && s->context[i].thread == 0)
            return true;
    return false;
}

static void add_gate(struct ncs_snapshot *s, struct ncs_snap_context *c)
{
    s->gate = ncs_resize(s->gate, (s->gates + 1) * sizeof *s->gate);
    s->wait = ncs_resize(s->wait, (s->waits + 1) * sizeof *s->wait);
    s->gate[s->gates] = (struct ncs_snap_gate){ .what = "lock or join in its own code", .owner = -1 };
    s->wait[s->waits] = (struct ncs_snap_wait){ NCS_WAIT_GATE, (int)s->gates++ };
    c->state = NCS_CONTEXT_PARKED;
    c->wait = s->waits++;
    c->waits = 1;
}

/* At the end of the process no thread is inside a call any more. In a hang, a rank that is in no call
 * waits in the program's own code. A thread that stands for no rank, such as one that joins the
 * others, is left out. */
void ncs_settle_contexts(struct ncs_snapshot *s)
{
    bool hangs = s->stop == NCS_STOP_QUIET || s->stop == NCS_STOP_STALLED;
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (!is_outside(s, c))
            continue;
        if (s->stop == NCS_STOP_DONE || (c->thread != 0 && is_known(s, c->rank)))
            end_context(c);
        else if (hangs)
            add_gate(s, c);
    }
}

/* Notes the threads that could still end a likely hang: "cudaEventQuery at watch+0xae (rank 0, another thread)". */
void ncs_settle_add_pollers(const struct ncs_snapshot *s, int64_t patience, struct ncs_str *note)
{
    struct ncs_str who = { 0 };
    char time[32];
    for (size_t i = 0; i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        if (c->state != NCS_CONTEXT_POLLING || !c->call)
            continue;
        ncs_str_addf(&who, "%s%s", who.bytes ? ", " : "", ncs_fn_info[c->call->fn].name);
        ncs_places_add(&who, c->call->place.line);
        ncs_str_addf(&who, " (rank %d%s)", c->rank, c->thread ? ", another thread" : "");
    }
    ncs_str_addf(note, "all threads wait, except %s%s; nothing has changed for %s (--patience)",
                 who.bytes ? "those that poll in vain, in " : "threads of a framework that watch others",
                 who.bytes ? who.text : "", ncs_format_duration(patience, time, sizeof time));
    ncs_str_free(&who);
}
