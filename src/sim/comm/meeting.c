#include "sim/comm/meeting.h"

#include <assert.h>
#include <string.h>

#include "api/journal.h"
#include "api/meeting.h"
#include "api/types.h"
#include "base/budget.h"
#include "base/mem.h"
#include "sim/comm/carry.h"
#include "sim/comm/comm.h"
#include "sim/comm/inject.h"
#include "sim/comm/composed.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/choose.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

static uint64_t meeting_pair_key(int src, int dst, uint64_t sequence)
{
    return (uint64_t)src << 48 | (uint64_t)dst << 32 | (uint32_t)(sequence + 1);
}

struct meeting *sim_meeting_new(struct comm *comm, struct ncs_map *in, uint64_t key)
{
    struct meeting *meeting = sim_new(sizeof *meeting);
    meeting->comm = comm;
    meeting->in = in;
    meeting->key = key;
    meeting->pair = in == &comm->pairs;
    meeting->expected = meeting->pair ? 2 : comm->nranks;
    meeting->part = meeting->pair ? meeting->both : ncs_new((size_t)meeting->expected * sizeof(struct part *));
    LIST_APPEND(comm->meeting_first, comm->meeting_last, meeting);
    ncs_map_put(in, key, meeting);
    return meeting;
}

static struct meeting *find_meeting(const struct part *p)
{
    struct comm *comm = p->cr->comm;
    bool pair = sim_part_is_pair(p);
    int src = p->fn == NCS_FN_ncclSend ? p->cr->rank : p->root;
    int dst = p->fn == NCS_FN_ncclSend ? p->root : p->cr->rank;
    struct ncs_map *map = pair ? &comm->pairs : &comm->collectives;
    uint64_t key = pair ? meeting_pair_key(src, dst, p->sequence) : p->sequence + 1;
    struct meeting *meeting = ncs_map_get(map, key);
    if (meeting)
        return meeting;
    meeting = sim_meeting_new(comm, map, key);
    meeting->src = src;
    meeting->dst = dst;
    return meeting;
}

struct meeting *sim_meeting_of_pair(const struct comm *comm, int src, int dst, uint64_t sequence)
{
    return ncs_map_get(&comm->pairs, meeting_pair_key(src, dst, sequence));
}

void sim_meeting_free(struct meeting *meeting)
{
    struct comm *comm = meeting->comm;
    LIST_REMOVE(comm->meeting_first, comm->meeting_last, meeting);
    ncs_map_remove(meeting->in, meeting->key);
    sim_matrix_free(meeting->matrix);
    ncs_free(meeting->bounce);
    sim_spans_free(&meeting->unwritten);
    if (!meeting->pair)
        ncs_free(meeting->part);
    sim_free(meeting, sizeof *meeting);
}

void sim_meetings_free(struct comm *comm)
{
    while (comm->meeting_first)
        sim_meeting_free(comm->meeting_first);
}

bool sim_meetings_lone_send(const struct comm *comm, uint64_t limit)
{
    for (const struct meeting *meeting = comm->meeting_first; meeting; meeting = meeting->next)
        if (meeting->pair && !meeting->broken && meeting->part[0] && !meeting->part[1] && meeting->src != meeting->dst &&
            meeting->part[0]->bytes <= limit)
            return true;
    return false;
}

static int meeting_place_of(const struct meeting *meeting, const struct part *p)
{
    return meeting->pair ? p->fn == NCS_FN_ncclRecv : p->cr->rank;
}

/* The journalled calls of the parts that have arrived, in order of rank, each once. */
static size_t meeting_calls(const struct meeting *meeting, struct ncs_call ***calls)
{
    size_t count = 0;
    *calls = ncs_new((size_t)meeting->expected * sizeof **calls);
    for (int i = 0; i < meeting->expected; i++)
        if (meeting->part[i] && meeting->part[i]->call && (count == 0 || (*calls)[count - 1] != meeting->part[i]->call))
            (*calls)[count++] = meeting->part[i]->call;
    return count;
}

static void meeting_report(void (*hook)(void *self, struct ncs_call *const *calls, size_t count), const struct meeting *meeting)
{
    if (!hook)
        return;
    struct ncs_call **calls;
    size_t count = meeting_calls(meeting, &calls);
    if (count > 0)
        hook(sim_world.observer.self, calls, count);
    ncs_free(calls);
}

static struct ncs_wanted part_wanted(const struct part *p)
{
    return ncs_wanted(p->fn, p->count, p->dtype, p->premul ? ncclNumOps : p->op, p->root);
}

/* In which facts of api/agreement.def the calls of a collective differ. */
static unsigned meeting_differences(const struct meeting *meeting)
{
    struct ncs_wanted first = part_wanted(meeting->part[0]);
    unsigned differ = 0;
    for (int i = 1; i < meeting->expected; i++) {
        struct ncs_wanted wanted = part_wanted(meeting->part[i]);
        differ |= ncs_wanted_differ(&first, &wanted);
    }
    return differ;
}

static void meeting_match(struct meeting *meeting, int64_t at, int64_t cost)
{
    int64_t delay = sim_inject_delay(meeting);
    if (delay < 0)
        return;
    for (int i = 0; i < meeting->expected; i++)
        if (meeting->part[i])
            meeting->part[i]->state = NCS_PART_MATCHED;
    sim_world_changed();
    sim_agenda_add(sim_world_later(cost + delay) - (sim_world.now - at), EVENT_MEETING, meeting, 0, &meeting->agenda_place);
}

static void match_collective(struct meeting *meeting, int64_t at)
{
    unsigned differ = meeting_differences(meeting);
    meeting->stuck = ncs_wanted_stuck(differ, false);
    if (differ)
        meeting_report(sim_world.observer.mismatch, meeting);
    if (meeting->stuck)
        return;
    const struct part *first = meeting->part[0];
    meeting_match(meeting, at, sim_comm_collective_cost(first->cr, first->fn, sim_part_moved(first)));
}

static size_t sent_bytes(const struct meeting *meeting)
{
    return meeting->part[0] ? meeting->part[0]->bytes : meeting->bounce_bytes;
}

/* True for a rank's send to itself: its size is not compared with the receive; the
 * sender's size counts. */
static bool is_self(const struct meeting *meeting)
{
    return meeting->pair && meeting->src == meeting->dst;
}

static size_t moved_bytes(const struct meeting *meeting)
{
    size_t sent = sent_bytes(meeting), wanted = meeting->part[1]->bytes;
    return is_self(meeting) || sent < wanted ? sent : wanted;
}

static void stop_running_ahead(struct meeting *meeting)
{
    if (!meeting->running_ahead)
        return;
    meeting->running_ahead = false;
    sim_agenda_forget(&meeting->agenda_place);
    sim_comm_peer(meeting->comm->member[meeting->src], meeting->dst)->ahead -= meeting->part[0]->bytes;
}

/* By bytes and type alone: a send that ran ahead has left no more than its bytes. */
static void match_pair(struct meeting *meeting, int64_t at)
{
    stop_running_ahead(meeting);
    size_t sent = sent_bytes(meeting), wanted = meeting->part[1]->bytes;
    const struct part *send = meeting->part[0], *recv = meeting->part[1];
    bool retyped = send && send->dtype != recv->dtype; /* equal bytes: it completes */
    bool composed_sent = send ? sim_part_is_composed(send) : meeting->composed_sent;
    if (sent != wanted && !is_self(meeting))
        meeting->stuck = NCS_STUCK_P2P_COUNT;
    /* The shares of two calls made of sends and receives are compared as calls, by sim_composed_arrive. */
    if (composed_sent != sim_part_is_composed(recv) || (!composed_sent && (meeting->stuck || retyped)))
        meeting_report(sim_world.observer.mismatch, meeting);
    meeting_match(meeting, at,
                  sim_comm_message_cost(meeting->comm->member[meeting->src], meeting->dst, moved_bytes(meeting),
                                        sim_part_is_composed(recv)));
}

/* A send that fits in the pair's buffer budget completes without its receive. */
static void run_ahead(struct meeting *meeting, struct part *p)
{
    struct peer *peer = sim_comm_peer(p->cr, p->root);
    uint64_t budget = sim_world.options.eager;
    size_t bytes = p->bytes;
    if (bytes > budget || peer->ahead > budget - bytes || p->cr->rank == p->root)
        return;
    if (sim_choose(CHOOSE_BUFFER, 2) == 1)
        return;
    meeting->running_ahead = true;
    peer->ahead += bytes;
    sim_agenda_add(sim_world_later(sim_comm_message_cost(p->cr, p->root, bytes, sim_part_is_composed(p))), EVENT_MEETING, meeting,
                   0, &meeting->agenda_place);
}

void sim_meeting_arrive(struct part *part, int64_t at)
{
    if (sim_part_is_composed(part) && !part->composed->arrived)
        sim_matrix_open_call(part);
    struct meeting *meeting = find_meeting(part);
    int place = meeting_place_of(meeting, part);
    assert(!meeting->part[place]);
    meeting->part[place] = part;
    meeting->arrived++;
    part->meeting = meeting;
    part->state = NCS_PART_AT_MEETING;
    sim_world_changed();
    sim_inject_arrival(part);
    if (sim_part_is_composed(part))
        sim_composed_arrive(part->composed);
    if (meeting->broken)
        return;
    if (meeting->arrived == meeting->expected)
        meeting->pair ? match_pair(meeting, at) : match_collective(meeting, at);
    else if (part->fn == NCS_FN_ncclSend && sim_world.options.eager > 0)
        run_ahead(meeting, part);
}

void sim_meeting_leave(struct part *part)
{
    struct meeting *meeting = part->meeting;
    if (part->fn == NCS_FN_ncclSend)
        stop_running_ahead(meeting);
    sim_meeting_forget(part);
}

void sim_meeting_forget(struct part *part)
{
    struct meeting *meeting = part->meeting;
    meeting->part[meeting_place_of(meeting, part)] = NULL;
    meeting->broken = true;
    part->meeting = NULL;
}

static void finish_part(struct meeting *meeting, int i)
{
    struct part *p = meeting->part[i];
    if (!p)
        return;
    meeting->part[i] = NULL;
    p->meeting = NULL;
    p->state = NCS_PART_DONE;
    if (sim_part_is_composed(p))
        sim_composed_moved(p->composed);
    /* Sends and receives of a launch complete on their own; only the last one ends the operation. */
    if (--p->launch->open == 0 || !meeting->pair)
        sim_op_queue(p->launch->op);
}

static bool spoil_this(void)
{
    struct world *w = &sim_world;
    w->planted++;
    return w->plant.kind != NCS_PLANT_NONE && (w->plant.nth == 0 || w->plant.nth == w->planted);
}

static void move_collective(struct meeting *meeting)
{
    const struct part *first = meeting->part[0];
    struct data_task task = { .fn = first->fn, .nranks = meeting->expected, .root = first->root, .count = first->count };
    if (spoil_this())
        task.plant = sim_world.plant;
    else if (sim_world.observer.watch)
        task.watch = sim_world.observer.watch(sim_world.observer.self);
    task.part = ncs_new((size_t)meeting->expected * sizeof *task.part);
    for (int i = 0; i < meeting->expected; i++) {
        struct part *p = meeting->part[i];
        task.part[i] =
            (struct data_part){ .send = p->send, .recv = p->recv, .dtype = p->dtype, .op = p->op, .premul = p->premul };
        if (p->scalar_pointer)
            memcpy(p->scalar, p->scalar_pointer, ncs_dtype_bytes(p->dtype));
        memcpy(task.part[i].scalar, p->scalar, sizeof p->scalar);
    }
    sim_data_move(&task);
    ncs_free(task.part);
}

void sim_part_copy(const struct part *p, void *to, const void *from, size_t bytes)
{
    size_t size = ncs_dtype_bytes(p->dtype);
    struct data_part one = { .send = from, .recv = to, .dtype = p->dtype, .op = ncclSum };
    struct data_task task = { .fn = NCS_FN_ncclBroadcast, .nranks = 1, .count = bytes / size, .part = &one };
    if (spoil_this() && bytes > 0 && sim_world.plant.rank == p->cr->rank) {
        task.plant = sim_world.plant;
        task.plant.rank = 0;
        sim_data_move(&task);
    } else {
        sim_data_copy(to, from, bytes);
    }
}

static void move_pair(struct meeting *meeting)
{
    const struct part *recv = meeting->part[1];
    const void *from = meeting->part[0] ? meeting->part[0]->send : meeting->bounce;
    if (from == recv->recv)
        return;
    if (sim_part_is_composed(recv))
        sim_part_copy(recv, recv->recv, from, moved_bytes(meeting));
    else
        sim_data_copy(recv->recv, from, moved_bytes(meeting));
}

/* False when the host has no memory for what the meeting writes: the run is about to end. */
static bool has_room(const struct meeting *meeting)
{
    if (meeting->pair)
        return sim_memory_commit(meeting->part[1]->recv, moved_bytes(meeting));
    for (int i = 0; i < meeting->expected; i++)
        if (!sim_memory_commit(meeting->part[i]->recv, meeting->part[i]->writes))
            return false;
    return true;
}

static void spoil(const struct meeting *meeting)
{
    for (int i = 0; i < meeting->expected; i++)
        if (meeting->part[i] && meeting->part[i]->call)
            sim_inject_spoil(meeting->part[i], meeting->part[i]->recv,
                             meeting->pair && i == 1 ? moved_bytes(meeting) : meeting->part[i]->writes);
}

static void move_ahead(struct meeting *meeting)
{
    struct part *p = meeting->part[0];
    uint64_t ahead = sim_comm_peer(p->cr, p->root)->ahead;
    void *bounce = ncs_room(p->bytes);
    if (!bounce) {
        ncs_budget_stop();
        return;
    }
    sim_world.went_ahead = true;
    if (ahead > sim_world.buffered)
        sim_world.buffered = ahead;
    meeting->running_ahead = false;
    meeting->composed_sent = sim_part_is_composed(p);
    meeting->bounce_bytes = p->bytes;
    meeting->bounce = bounce;
    meeting_report(sim_world.observer.before, meeting);
    sim_data_copy(meeting->bounce, p->send, meeting->bounce_bytes);
    meeting_report(sim_world.observer.after, meeting);
    sim_carry_ahead(meeting);
    finish_part(meeting, 0);
}

/* A buffer was freed, or a participant's device died, after the meeting had matched: nothing moves. */
static bool any_fault(struct meeting *meeting)
{
    bool any = false;
    for (int i = meeting->bounce ? 1 : 0; i < meeting->expected; i++) {
        struct part *p = meeting->part[i];
        const char *why = p ? sim_part_misplaced(p) : NULL;
        if (p && !why && is_self(meeting) && meeting->part[0] && meeting->part[1] &&
            !sim_memory_reachable(p->cr->process, meeting->part[1]->recv, moved_bytes(meeting)))
            why = "the receive buffer has no room for what this rank sends to itself";
        if (why) {
            struct part *guilty = p;
            sim_meeting_forget(p);
            guilty->state = NCS_PART_CANCELLED;
            sim_gpu_fault(guilty->launch->op->gpu, guilty->call, why);
        }
        any |= !meeting->part[i];
    }
    return any;
}

static void unmatch(struct meeting *meeting)
{
    for (int i = 0; i < meeting->expected; i++)
        if (meeting->part[i])
            meeting->part[i]->state = NCS_PART_AT_MEETING;
}

/* If a send and its receive differ in length, the longer side never ends (sim/README.md, rule 9). */
static bool meeting_ends(const struct meeting *meeting, int i)
{
    if (!meeting->pair || meeting->stuck == NCS_STUCK_NO)
        return true;
    bool sent_more = sent_bytes(meeting) > meeting->part[1]->bytes;
    return (i == 1) == sent_more;
}

bool sim_meeting_move(struct meeting *meeting)
{
    struct world *w = &sim_world;
    sim_world_changed();
    if (meeting->matrix)
        return sim_matrix_move(meeting);
    if (meeting->running_ahead) {
        struct part *send = meeting->part[0];
        const char *why = sim_part_misplaced(send);
        if (why)
            sim_gpu_fault(send->launch->op->gpu, send->call, why);
        else
            move_ahead(meeting);
        return false;
    }
    if (any_fault(meeting)) {
        unmatch(meeting);
        return false;
    }
    if (!has_room(meeting))
        return false;
    bool done[2] = { true, true };
    if (meeting->pair)
        for (int i = 0; i < 2; i++)
            done[i] = meeting_ends(meeting, i);
    meeting_report(w->observer.before, meeting);
    sim_carry_check(meeting);
    meeting->pair ? move_pair(meeting) : move_collective(meeting);
    spoil(meeting);
    meeting_report(w->observer.after, meeting);
    meeting->pair ? sim_carry_pair(meeting, moved_bytes(meeting)) : sim_carry_collective(meeting);
    if (meeting->bounce)
        sim_comm_peer(meeting->comm->member[meeting->src], meeting->dst)->ahead -= meeting->bounce_bytes;
    bool open = false;
    for (int i = 0; i < meeting->expected; i++)
        if (!meeting->pair || done[i])
            finish_part(meeting, i);
        else if (meeting->part[i]) {
            meeting->part[i]->state = NCS_PART_AT_MEETING;
            open = true;
        }
    if (!open)
        sim_meeting_free(meeting);
    return false;
}

void sim_meeting_stamp(const struct meeting *meeting, int64_t time)
{
    for (int i = 0; i < meeting->expected; i++)
        if (meeting->part[i])
            sim_part_stamp(meeting->part[i], time);
}
