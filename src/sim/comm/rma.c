#include "sim/comm/rma.h"

#include "api/journal.h"
#include "base/mem.h"
#include "sim/comm/carry.h"
#include "sim/comm/comm.h"
#include "sim/comm/inject.h"
#include "sim/comm/launch.h"
#include "sim/comm/meeting.h"
#include "sim/comm/window.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/world.h"
#include "sim/settings/cost.h"

static size_t rma_bytes(size_t waits)
{
    return sizeof(struct rma) + waits * sizeof(struct rma_wait);
}

struct rma *sim_rma_new(size_t waits)
{
    struct rma *rma = sim_new(rma_bytes(waits));
    rma->waits = waits;
    return rma;
}

void sim_rma_free(struct rma *rma)
{
    if (rma && rma->window)
        sim_window_unref(rma->window);
    sim_free(rma, rma ? rma_bytes(rma->waits) : 0);
}

static void end_later(struct part *part, int64_t time)
{
    part->state = NCS_PART_MATCHED;
    sim_world_changed();
    sim_agenda_add(sim_world_later(time), EVENT_RMA, part, 0, &part->agenda_place);
}

/* Over a cut link a part never completes. */
static void set_out(struct part *part)
{
    int64_t delay = sim_inject_delay_one_sided(part);
    if (delay >= 0) {
        end_later(part, sim_comm_message_cost(part->cr, part->root, part->bytes, false) + delay);
        return;
    }
    part->cut = true;
    part->state = NCS_PART_AT_MEETING;
    sim_world_changed();
}

/* Signals are counted per peer and never expire: a late wait finds earlier ones. */
static bool rma_take_signals(struct part *part)
{
    const struct rma *rma = part->rma;
    for (size_t i = 0; i < rma->waits; i++) {
        const struct peer *peer = sim_comm_peer(part->cr, rma->wait[i].peer);
        if (peer->signals - peer->signals_taken < rma->wait[i].signals)
            return false;
    }
    for (size_t i = 0; i < rma->waits; i++)
        sim_comm_peer(part->cr, rma->wait[i].peer)->signals_taken += rma->wait[i].signals;
    return true;
}

void sim_rma_arrive(struct part *part)
{
    if (part->fn != NCS_FN_ncclWaitSignal) {
        set_out(part);
    } else if (rma_take_signals(part)) {
        end_later(part, sim_cost_step());
    } else {
        /* Only one wait can be due at a time: the launches of a rank go one after the other, and so do
         * the one-sided parts in a launch. */
        part->cr->waiting = part;
        part->state = NCS_PART_AT_MEETING;
        sim_world_changed();
    }
}

static void rma_report(void (*hook)(void *self, struct ncs_call *const *calls, size_t count), const struct part *part)
{
    if (hook && part->call)
        hook(sim_world.observer.self, &part->call, 1);
}

static void count_signal(const struct part *part)
{
    struct comm_rank *target = part->cr->comm->member[part->root];
    sim_comm_peer(target, part->cr->rank)->signals++;
    if (target->waiting && rma_take_signals(target->waiting)) {
        end_later(target->waiting, sim_cost_step());
        target->waiting = NULL;
    }
}

void sim_rma_move(struct part *part)
{
    struct launch *launch = part->launch;
    void *to = NULL;
    const char *why = NULL;
    sim_world_changed();
    if (part->fn == NCS_FN_ncclPutSignal && part->count > 0) {
        why = sim_part_misplaced(part);
        if (!why)
            why = sim_window_target(part->rma->window, part->root, part->rma->offset, part->bytes, &to);
    }
    if (why) {
        part->state = NCS_PART_CANCELLED;
        sim_gpu_fault(launch->op->gpu, part->call, why); /* ends this launch */
        return;
    }
    if (to && !sim_memory_commit(to, part->bytes))
        return;
    rma_report(sim_world.observer.before, part);
    if (to) {
        sim_part_copy(part, to, part->send, part->bytes);
        sim_inject_spoil(part, to, part->call ? part->bytes : 0);
    }
    if (part->fn != NCS_FN_ncclWaitSignal)
        count_signal(part);
    rma_report(sim_world.observer.after, part);
    if (to)
        sim_carry_put(part, to);
    part->state = NCS_PART_DONE;
    launch->open--;
    sim_op_queue(launch->op);
}

void sim_rma_leave(struct part *part)
{
    if (part->cr->waiting == part)
        part->cr->waiting = NULL;
    sim_agenda_forget(&part->agenda_place);
}
