#include "sim/comm/slot.h"

#include <assert.h>
#include <string.h>

#include "api/journal.h"
#include "api/types.h"
#include "base/budget.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/inject.h"
#include "sim/comm/spread.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/choose.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

static uint64_t pair_key(int src, int dst, uint64_t sequence)
{
    return (uint64_t)src << 48 | (uint64_t)dst << 32 | (uint32_t)(sequence + 1);
}

static struct slot *find_slot(const struct part *p)
{
    struct comm *comm = p->cr->comm;
    bool pair = part_is_pair(p);
    int src = p->fn == NCS_FN_ncclSend ? p->cr->rank : p->root;
    int dst = p->fn == NCS_FN_ncclSend ? p->root : p->cr->rank;
    struct ncs_map *map = pair ? &comm->pairs : &comm->collectives;
    uint64_t key = pair ? pair_key(src, dst, p->sequence) : p->sequence + 1;
    struct slot *slot = ncs_map_get(map, key);
    if (slot)
        return slot;
    slot = sim_new(sizeof *slot);
    slot->comm = comm;
    slot->pair = pair;
    slot->src = src;
    slot->dst = dst;
    slot->sequence = p->sequence;
    slot->expected = pair ? 2 : comm->nranks;
    slot->part = ncs_new((size_t)slot->expected * sizeof(struct part *));
    LIST_APPEND(comm->slot_first, comm->slot_last, slot);
    ncs_map_put(map, key, slot);
    return slot;
}

static void free_slot(struct slot *slot)
{
    struct comm *comm = slot->comm;
    LIST_REMOVE(comm->slot_first, comm->slot_last, slot);
    if (slot->pair)
        ncs_map_remove(&comm->pairs, pair_key(slot->src, slot->dst, slot->sequence));
    else
        ncs_map_remove(&comm->collectives, slot->sequence + 1);
    ncs_free(slot->bounce);
    ncs_free(slot->part);
    sim_free(slot, sizeof *slot);
}

void slots_free(struct comm *comm)
{
    while (comm->slot_first)
        free_slot(comm->slot_first);
}

bool slots_lone_send(const struct comm *comm, uint64_t limit)
{
    for (const struct slot *slot = comm->slot_first; slot; slot = slot->next)
        if (slot->pair && !slot->broken && slot->part[0] && !slot->part[1] &&
            slot->src != slot->dst && part_bytes(slot->part[0]) <= limit)
            return true;
    return false;
}

static int place_in(const struct slot *slot, const struct part *p)
{
    return slot->pair ? p->fn == NCS_FN_ncclRecv : p->cr->rank;
}

/* The journalled calls of the parts that are there, in order of rank, each once. */
static size_t calls_of(const struct slot *slot, struct ncs_call ***calls)
{
    size_t count = 0;
    *calls = ncs_new((size_t)slot->expected * sizeof **calls);
    for (int i = 0; i < slot->expected; i++)
        if (slot->part[i] && slot->part[i]->call &&
            (count == 0 || (*calls)[count - 1] != slot->part[i]->call))
            (*calls)[count++] = slot->part[i]->call;
    return count;
}

static void tell(void (*hook)(void *self, struct ncs_call *const *calls, size_t count),
                 const struct slot *slot)
{
    if (!hook)
        return;
    struct ncs_call **calls;
    size_t count = calls_of(slot, &calls);
    if (count > 0)
        hook(sim_world.observer.self, calls, count);
    ncs_free(calls);
}

/* Heart, rule 9: which disagreement keeps a collective from completing. */
static enum ncs_stuck compare(const struct slot *slot, bool *differs)
{
    const struct part *first = slot->part[0];
    const struct ncs_fn_info *info = &ncs_fn_info[first->fn];
    enum ncs_stuck stuck = NCS_STUCK_NO;
    for (int i = 1; i < slot->expected; i++) {
        const struct part *p = slot->part[i];
        if (p->fn != first->fn)
            return NCS_STUCK_KIND;
        if (part_bytes(p) != part_bytes(first))
            stuck = NCS_STUCK_COUNT;
        else if (!stuck && info->rooted && p->root != first->root)
            stuck = NCS_STUCK_ROOT;
        if (p->dtype != first->dtype ||
            (info->reduces && (p->op != first->op || p->premul != first->premul)))
            *differs = true;
    }
    return stuck;
}

static void match(struct slot *slot, size_t bytes)
{
    int64_t delay = inject_delay(slot);
    if (delay < 0)
        return;
    for (int i = 0; i < slot->expected; i++)
        if (slot->part[i])
            slot->part[i]->state = NCS_PART_MATCHED;
    world_changed();
    agenda_add(world_later(op_cost(bytes) + delay), EVENT_SLOT, slot, 0, &slot->agenda_place);
}

static void match_collective(struct slot *slot)
{
    bool differs = false;
    slot->stuck = compare(slot, &differs);
    if (slot->stuck || differs)
        tell(sim_world.observer.mismatch, slot);
    if (slot->stuck)
        return;
    match(slot, part_moved(slot->part[0]));
}

static size_t sent_bytes(const struct slot *slot)
{
    return slot->part[0] ? part_bytes(slot->part[0]) : slot->bounce_bytes;
}

/* A rank's send to itself: sizes are not compared, the sender's decides. */
static bool is_self(const struct slot *slot)
{
    return slot->pair && slot->src == slot->dst;
}

static size_t moved_bytes(const struct slot *slot)
{
    size_t sent = sent_bytes(slot), wanted = part_bytes(slot->part[1]);
    return is_self(slot) || sent < wanted ? sent : wanted;
}

static void stop_running_ahead(struct slot *slot)
{
    if (!slot->running_ahead)
        return;
    slot->running_ahead = false;
    agenda_forget(&slot->agenda_place);
    comm_peer(slot->comm->member[slot->src], slot->dst)->ahead -= part_bytes(slot->part[0]);
}

static void match_pair(struct slot *slot)
{
    stop_running_ahead(slot);
    size_t sent = sent_bytes(slot), wanted = part_bytes(slot->part[1]);
    const struct part *send = slot->part[0], *recv = slot->part[1];
    bool retyped = send && send->dtype != recv->dtype; /* equal bytes: it completes */
    bool spread_sent = send ? part_is_spread(send) : slot->spread_sent;
    if (sent != wanted && !is_self(slot))
        slot->stuck = NCS_STUCK_P2P_COUNT;
    /* The shares of two calls that are spread out are compared as calls, by spread_arrive. */
    if (spread_sent != part_is_spread(recv) || (!spread_sent && (slot->stuck || retyped)))
        tell(sim_world.observer.mismatch, slot);
    match(slot, moved_bytes(slot));
}

/* A send that fits in what the pair may buffer will be done, receive or not. */
static void run_ahead(struct slot *slot, struct part *p)
{
    struct peer *peer = comm_peer(p->cr, p->root);
    uint64_t budget = sim_world.options.eager;
    size_t bytes = part_bytes(p);
    if (bytes > budget || peer->ahead > budget - bytes || p->cr->rank == p->root)
        return;
    if (choose(CHOOSE_BUFFER, 2) == 1)
        return;
    slot->running_ahead = true;
    peer->ahead += bytes;
    agenda_add(world_later(op_cost(bytes)), EVENT_SLOT, slot, 0, &slot->agenda_place);
}

void slot_arrive(struct part *part)
{
    struct slot *slot = find_slot(part);
    int place = place_in(slot, part);
    assert(!slot->part[place]);
    slot->part[place] = part;
    slot->arrived++;
    part->slot = slot;
    part->state = NCS_PART_AT_SLOT;
    world_changed();
    inject_arrival(part);
    if (part_is_spread(part))
        spread_arrive(part->spread);
    if (slot->broken)
        return;
    if (slot->arrived == slot->expected)
        slot->pair ? match_pair(slot) : match_collective(slot);
    else if (part->fn == NCS_FN_ncclSend && sim_world.options.eager > 0)
        run_ahead(slot, part);
}

void slot_leave(struct part *part)
{
    struct slot *slot = part->slot;
    if (part->fn == NCS_FN_ncclSend)
        stop_running_ahead(slot);
    slot_forget(part);
}

void slot_forget(struct part *part)
{
    struct slot *slot = part->slot;
    slot->part[place_in(slot, part)] = NULL;
    slot->broken = true;
    part->slot = NULL;
}

static void finish_part(struct slot *slot, int i)
{
    struct part *p = slot->part[i];
    if (!p)
        return;
    slot->part[i] = NULL;
    p->slot = NULL;
    p->state = NCS_PART_DONE;
    if (part_is_spread(p))
        spread_moved(p->spread);
    /* Point-to-point parts go on by themselves: only the end of the last one is news. */
    if (--p->launch->open == 0 || !slot->pair)
        op_queue(p->launch->op);
}

static bool spoil_this(void)
{
    struct world *w = &sim_world;
    w->planted++;
    return w->plant.kind != NCS_PLANT_NONE && (w->plant.nth == 0 || w->plant.nth == w->planted);
}

static void move_collective(struct slot *slot)
{
    const struct part *first = slot->part[0];
    struct data_task task = { .fn = first->fn, .nranks = slot->expected,
                              .root = first->root, .count = first->count };
    if (spoil_this())
        task.plant = sim_world.plant;
    task.part = ncs_new((size_t)slot->expected * sizeof *task.part);
    for (int i = 0; i < slot->expected; i++) {
        struct part *p = slot->part[i];
        task.part[i] = (struct data_part){ .send = p->send, .recv = p->recv, .dtype = p->dtype,
                                           .op = p->op, .premul = p->premul };
        if (p->scalar_pointer)
            memcpy(p->scalar, p->scalar_pointer, ncs_dtype_bytes(p->dtype));
        memcpy(task.part[i].scalar, p->scalar, sizeof p->scalar);
    }
    data_move(&task);
    ncs_free(task.part);
}

void part_copy(const struct part *p, void *to, const void *from, size_t bytes)
{
    size_t size = ncs_dtype_bytes(p->dtype);
    struct data_part one = { .send = from, .recv = to, .dtype = p->dtype, .op = ncclSum };
    struct data_task task = { .fn = NCS_FN_ncclBroadcast, .nranks = 1, .count = bytes / size,
                              .part = &one };
    if (spoil_this() && bytes > 0 && sim_world.plant.rank == p->cr->rank) {
        task.plant = sim_world.plant;
        task.plant.rank = 0;
        data_move(&task);
    } else {
        data_copy(to, from, bytes);
    }
}

static void move_pair(struct slot *slot)
{
    const struct part *recv = slot->part[1];
    const void *from = slot->part[0] ? slot->part[0]->send : slot->bounce;
    if (from == recv->recv)
        return;
    if (part_is_spread(recv))
        part_copy(recv, recv->recv, from, moved_bytes(slot));
    else
        data_copy(recv->recv, from, moved_bytes(slot));
}

/* False when the host has no memory for what the slot writes: the run is about to end. */
static bool has_room(const struct slot *slot)
{
    if (slot->pair)
        return memory_commit(slot->part[1]->recv, moved_bytes(slot));
    for (int i = 0; i < slot->expected; i++)
        if (!memory_commit(slot->part[i]->recv, part_written(slot->part[i])))
            return false;
    return true;
}

static void spoil(const struct slot *slot)
{
    for (int i = 0; i < slot->expected; i++)
        if (slot->part[i] && slot->part[i]->call)
            inject_spoil(slot->part[i], slot->part[i]->recv,
                         slot->pair && i == 1 ? moved_bytes(slot) : part_written(slot->part[i]));
}

static void move_ahead(struct slot *slot)
{
    struct part *p = slot->part[0];
    uint64_t ahead = comm_peer(p->cr, p->root)->ahead;
    void *bounce = ncs_room(part_bytes(p));
    if (!bounce) {
        ncs_budget_stop();
        return;
    }
    sim_world.went_ahead = true;
    if (ahead > sim_world.buffered)
        sim_world.buffered = ahead;
    slot->running_ahead = false;
    slot->spread_sent = part_is_spread(p);
    slot->bounce_bytes = part_bytes(p);
    slot->bounce = bounce;
    tell(sim_world.observer.before, slot);
    data_copy(slot->bounce, p->send, slot->bounce_bytes);
    tell(sim_world.observer.after, slot);
    finish_part(slot, 0);
}

/* A buffer was freed, or a participant's device died, after the slot had matched: nothing moves. */
static bool any_fault(struct slot *slot)
{
    bool any = false;
    for (int i = slot->bounce ? 1 : 0; i < slot->expected; i++) {
        struct part *p = slot->part[i];
        const char *why = p ? part_misplaced(p) : NULL;
        if (p && !why && is_self(slot) && slot->part[0] && slot->part[1] &&
            !memory_reachable(p->cr->process, slot->part[1]->recv, moved_bytes(slot)))
            why = "the receive buffer has no room for what this rank sends to itself";
        if (why) {
            struct part *guilty = p;
            slot_forget(p);
            guilty->state = NCS_PART_CANCELLED;
            gpu_fault(guilty->launch->op->gpu, guilty->call, why);
        }
        any |= !slot->part[i];
    }
    return any;
}

static void unmatch(struct slot *slot)
{
    for (int i = 0; i < slot->expected; i++)
        if (slot->part[i])
            slot->part[i]->state = NCS_PART_AT_SLOT;
}

/* Of a send and a receive of different length the longer side never ends. */
static bool ends(const struct slot *slot, int i)
{
    if (!slot->pair || slot->stuck == NCS_STUCK_NO)
        return true;
    bool sent_more = sent_bytes(slot) > part_bytes(slot->part[1]);
    return (i == 1) == sent_more;
}

void slot_move(struct slot *slot)
{
    struct world *w = &sim_world;
    world_changed();
    if (slot->running_ahead) {
        struct part *send = slot->part[0];
        const char *why = part_misplaced(send);
        if (why)
            gpu_fault(send->launch->op->gpu, send->call, why);
        else
            move_ahead(slot);
        return;
    }
    if (any_fault(slot)) {
        unmatch(slot);
        return;
    }
    if (!has_room(slot))
        return;
    bool done[2] = { true, true };
    if (slot->pair)
        for (int i = 0; i < 2; i++)
            done[i] = ends(slot, i);
    tell(w->observer.before, slot);
    slot->pair ? move_pair(slot) : move_collective(slot);
    spoil(slot);
    tell(w->observer.after, slot);
    if (slot->bounce)
        comm_peer(slot->comm->member[slot->src], slot->dst)->ahead -= slot->bounce_bytes;
    bool open = false;
    for (int i = 0; i < slot->expected; i++)
        if (!slot->pair || done[i])
            finish_part(slot, i);
        else if (slot->part[i]) {
            slot->part[i]->state = NCS_PART_AT_SLOT;
            open = true;
        }
    if (!open)
        free_slot(slot);
}

void slot_stamp(const struct slot *slot, int64_t time)
{
    for (int i = 0; i < slot->expected; i++)
        if (slot->part[i])
            part_stamp(slot->part[i], time);
}
