#include "sim/comm/matrix.h"

#include <limits.h>

#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/composed.h"
#include "sim/comm/contact.h"
#include "sim/comm/inject.h"
#include "sim/comm/meeting.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/data/unwritten.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/world.h"

/* Choices, sends that run ahead, and the links of a machine's model distinguish messages; so does memory that ranks share. */
bool sim_matrix_is_possible(const struct part *whole)
{
    const struct ncs_machine_options *o = &sim_world.options;
    const struct comm_rank *cr = whole->cr;
    return sim_composed_is_mutual(whole->fn) && cr->nranks > 1 && !whole->beyond && !whole->stream->capture && !cr->dropped &&
           !cr->comm->paired && !cr->comm->siblings && !sim_contact_each_time(cr) && !sim_inject_any() && o->eager == 0 &&
           o->model == 0 && !o->foreign && !sim_world.choices.asked && sim_world.plant.kind == NCS_PLANT_NONE;
}

static bool is_alike(const struct part *p, const struct part *first)
{
    return p->fn == first->fn && p->dtype == first->dtype && p->bytes == first->bytes;
}

static const struct part *matrix_first(const struct meeting *meeting)
{
    return meeting->part[meeting->matrix->order[0]];
}

bool sim_matrix_admits(const struct part *whole)
{
    struct comm *comm = whole->cr->comm;
    uint64_t sequence = whole->composed->sequence;
    struct meeting *meeting = ncs_map_get(&comm->matrices, sequence);
    const struct matrix *m = meeting ? meeting->matrix : NULL;
    bool fits = sim_matrix_is_possible(whole) && !sim_part_misplaced(whole) &&
                sim_composed_arrivals(comm, sequence) == (meeting ? meeting->arrived : 0);
    if (meeting && fits)
        fits = m->since == sim_world.now && m->events == sim_world.meetings_due && is_alike(whole, matrix_first(meeting));
    if (meeting && !fits)
        sim_matrix_open(meeting);
    return fits;
}

static struct meeting *matrix_of(const struct part *whole)
{
    struct comm *comm = whole->cr->comm;
    uint64_t sequence = whole->composed->sequence;
    struct meeting *meeting = ncs_map_get(&comm->matrices, sequence);
    if (meeting)
        return meeting;
    struct matrix *m = ncs_new(sizeof *m);
    m->since = sim_world.now;
    m->order = ncs_new((size_t)comm->nranks * sizeof *m->order);
    m->place = ncs_new((size_t)comm->nranks * sizeof *m->place);
    for (int r = 0; r < comm->nranks; r++)
        m->place[r] = INT_MAX;
    meeting = sim_meeting_new(comm, &comm->matrices, sequence);
    meeting->matrix = m;
    return meeting;
}

void sim_matrix_free(struct matrix *m)
{
    if (!m)
        return;
    ncs_free(m->order);
    ncs_free(m->place);
    ncs_free(m);
}

static void match_matrix(struct meeting *meeting, int64_t due)
{
    for (int i = 0; i < meeting->expected; i++)
        meeting->part[i]->state = NCS_PART_MATCHED;
    sim_agenda_forget(&meeting->agenda_place);
    sim_agenda_add(due, EVENT_MEETING, meeting, 0, &meeting->agenda_place);
}

/* The first rank's message to itself is due first: by then the meeting is complete, or is opened. */
void sim_matrix_arrive(struct part *whole)
{
    struct comm_rank *cr = whole->cr;
    struct meeting *meeting = matrix_of(whole);
    struct matrix *m = meeting->matrix;
    int64_t due = sim_world_later(sim_comm_message_cost(cr, cr->rank, whole->bytes, true));
    m->place[cr->rank] = meeting->arrived;
    m->order[meeting->arrived++] = cr->rank;
    meeting->part[cr->rank] = whole;
    whole->meeting = meeting;
    whole->state = NCS_PART_AT_MEETING;
    sim_world_changed();
    sim_inject_arrival(whole);
    sim_composed_arrive(whole->composed);
    if (meeting->arrived == 1) {
        sim_agenda_add(due, EVENT_MEETING, meeting, 0, &meeting->agenda_place);
        m->events = sim_world.meetings_due;
    }
    if (meeting->arrived == meeting->expected)
        match_matrix(meeting, due);
}

/* ---- messages ---- */

/* Sets the place to a message: of the ranks that have come, the later one posts its send first, then its receive. */
static bool next_message(struct matrix *m, int ranks)
{
    for (; m->row < ranks; m->row++, m->peer = 0)
        for (; m->peer < ranks; m->peer++)
            if (m->place[m->peer] <= m->row)
                return true;
    return false;
}

static void pass_message(struct matrix *m)
{
    m->back = !m->back && m->peer != m->order[m->row];
    m->peer += !m->back;
}

static bool is_moved(const struct matrix *m, int src, int dst)
{
    bool back = m->place[src] < m->place[dst];
    int row = m->place[back ? dst : src], peer = back ? src : dst;
    if (row != m->row)
        return row < m->row;
    return peer != m->peer ? peer < m->peer : back < m->back;
}

static void *matrix_block_of(const void *base, size_t bytes, int rank)
{
    return (char *)base + bytes * (size_t)rank;
}

/* The rank has sent or received one message more. True: it was the last. */
static bool message_over(struct meeting *meeting, int rank)
{
    struct part *p = meeting->part[rank];
    if (p->composed->open > 1) {
        p->composed->open--;
        return false;
    }
    meeting->part[rank] = NULL;
    p->meeting = NULL;
    p->state = NCS_PART_DONE;
    if (meeting->matrix->written)
        sim_unwritten_write(p->recv, p->writes);
    sim_composed_moved(p->composed);
    p->launch->open--;
    sim_op_queue(p->launch->op);
    return true;
}

/* Inputs are captured before the first message, and the last ones show who came last. */
static void matrix_report(void (*hook)(void *self, struct ncs_call *const *calls, size_t count), const struct meeting *meeting,
                          const int *rank, int ranks)
{
    struct ncs_call **calls = ncs_new((size_t)ranks * sizeof *calls);
    size_t count = 0;
    for (int i = 0; i < ranks; i++)
        if (meeting->part[rank[i]]->call)
            calls[count++] = meeting->part[rank[i]]->call;
    if (hook && count > 0)
        hook(sim_world.observer.self, calls, count);
    ncs_free(calls);
}

/* True if it ends an operation. */
static bool move_message(struct meeting *meeting, int src, int dst)
{
    const struct matrix *m = meeting->matrix;
    const struct part *send = meeting->part[src], *recv = meeting->part[dst];
    const void *from = matrix_block_of(send->send, send->bytes, dst);
    void *to = matrix_block_of(recv->recv, recv->bytes, src);
    if (to != from) {
        sim_data_copy(to, from, recv->bytes);
        if (!m->written && sim_unwritten_any())
            sim_unwritten_copy(to, from, recv->bytes, send->call);
    }
    if (m->row == meeting->expected - 1)
        matrix_report(sim_world.observer.after, meeting, (int[]){ src, dst }, src == dst ? 1 : 2);
    bool ends = message_over(meeting, src);
    return message_over(meeting, dst) || ends;
}

/* ---- opening ---- */

static void open_part(struct part *p, const struct matrix *m)
{
    int rank = p->cr->rank;
    bool sends = p->fn == NCS_FN_ncclSend;
    if (!is_moved(m, sends ? rank : p->root, sends ? p->root : rank)) {
        sim_meeting_arrive(p, m->since);
        return;
    }
    p->state = NCS_PART_DONE;
    if (m->written && !sends)
        sim_unwritten_write(p->recv, p->writes);
    p->launch->open--;
    p->composed->open--;
}

/* For those who look on, nothing has changed. */
void sim_matrix_open(struct meeting *meeting)
{
    struct matrix m = *meeting->matrix;
    uint64_t epoch = sim_world.epoch;
    int64_t time = sim_world.epoch_time;
    struct part **part = ncs_new((size_t)meeting->expected * sizeof *part);
    int count = meeting->arrived;
    for (int i = 0; i < count; i++)
        part[i] = meeting->part[m.order[i]];
    meeting->matrix->order = meeting->matrix->place = NULL;
    sim_agenda_forget(&meeting->agenda_place);
    sim_meeting_free(meeting);
    for (int i = 0; i < count; i++) {
        struct launch *launch = part[i] ? part[i]->launch : NULL;
        if (!launch)
            continue; /* all of its messages have been moved */
        sim_launch_open(launch);
        for (size_t k = 0; k < launch->parts; k++)
            open_part(launch->part[k], &m);
    }
    ncs_free(part);
    ncs_free(m.order);
    ncs_free(m.place);
    sim_world.epoch = epoch;
    sim_world.epoch_time = time;
}

void sim_matrix_open_call(const struct part *p)
{
    struct meeting *meeting = ncs_map_get(&p->cr->comm->matrices, p->composed->sequence);
    if (meeting)
        sim_matrix_open(meeting);
}

void sim_matrices_open(struct comm *comm)
{
    for (struct meeting *meeting = comm->meeting_first, *next; meeting; meeting = next) {
        next = meeting->next;
        if (meeting->matrix)
            sim_matrix_open(meeting);
    }
}

void sim_matrices_open_all(void)
{
    for (struct comm *comm = sim_world.comm_first; comm; comm = comm->next)
        sim_matrices_open(comm);
}

/* ---- movement ---- */

static bool begin_moving(struct meeting *meeting)
{
    struct matrix *m = meeting->matrix;
    for (int i = 0; i < meeting->expected; i++)
        if (!meeting->part[i] || sim_part_misplaced(meeting->part[i]) ||
            !sim_memory_commit(meeting->part[i]->recv, meeting->part[i]->writes))
            return false;
    m->moving = true;
    m->written = true;
    for (int i = 0; i < meeting->expected && m->written && sim_unwritten_any(); i++) {
        struct spans unwritten = { 0 };
        sim_unwritten_find(meeting->part[i]->send, meeting->part[i]->reads, 0, &unwritten);
        m->written = unwritten.count == 0;
        sim_spans_free(&unwritten);
    }
    matrix_report(sim_world.observer.before, meeting, m->order, meeting->expected);
    return true;
}

/* Opens the meeting, and moves the message that is next by itself. */
static void matrix_move_alone(struct meeting *meeting, int src, int dst)
{
    struct comm *comm = meeting->comm;
    uint64_t sequence = meeting->part[src]->sequence;
    sim_matrix_open(meeting);
    struct meeting *next = sim_meeting_of_pair(comm, src, dst, sequence);
    sim_agenda_forget(&next->agenda_place);
    sim_meeting_move(next);
}

/* True if nobody can act between two events of this instant: they go on as one. Counts the second. */
static bool goes_on(void)
{
    struct world *w = &sim_world;
    if (w->polling.first || w->holds || w->interrupted || (w->options.step_limit && w->steps >= w->options.step_limit))
        return false;
    w->steps++;
    sim_agenda_trace(w->now, EVENT_MEETING);
    sim_world_changed();
    return true;
}

bool sim_matrix_move(struct meeting *meeting)
{
    struct matrix *m = meeting->matrix;
    bool fresh = !m->moving;
    next_message(m, meeting->expected);
    for (;;) {
        int one = m->order[m->row], src = m->back ? m->peer : one, dst = m->back ? one : m->peer;
        bool lost = !fresh && (sim_part_misplaced(meeting->part[src]) || sim_part_misplaced(meeting->part[dst]));
        if (lost || (!m->moving && !begin_moving(meeting))) {
            matrix_move_alone(meeting, src, dst);
            return false;
        }
        bool ends = move_message(meeting, src, dst);
        pass_message(m);
        if (!next_message(m, meeting->expected)) {
            sim_meeting_free(meeting);
            return false;
        }
        if (ends || !goes_on())
            return true;
    }
}
