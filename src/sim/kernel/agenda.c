#include "sim/kernel/agenda.h"

#include "base/mem.h"
#include "sim/kernel/above.h"
#include "sim/kernel/world.h"

/* The order of entries of one instant: by kind. But an operation that yields to collectives
 * (begin_instant) comes after the meetings and the one-sided parts. */
static int standing(const struct event_entry *entry)
{
    return entry->yields ? 2 * EVENT_RMA + 1 : 2 * (int)entry->kind;
}

/* If two operations of a process end at one instant, the one issued later goes first. If they needed an
 * order, an edge would keep them from ending together; so a missing edge shows every time. */
static bool entry_before(const struct event_entry *a, const struct event_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (standing(a) != standing(b))
        return standing(a) < standing(b);
    if (a->kind != EVENT_OP)
        return a->order < b->order;
    int p = sim_op_process(a->object)->number, q = sim_op_process(b->object)->number;
    return p != q ? p < q : a->serial > b->serial;
}

/* Kinds that end parts of launches, as opposed to whole operations. */
static bool ends_parts(enum event_kind kind)
{
    return kind == EVENT_MEETING || kind == EVENT_RMA;
}

static bool on_device(enum event_kind kind)
{
    return kind == EVENT_OP || ends_parts(kind);
}

static void note_place(const struct event_entry *entry, size_t place)
{
    if (entry->place)
        *entry->place = place;
}

static void put_entry(size_t i, struct event_entry entry)
{
    sim_world.agenda[i] = entry;
    note_place(&entry, i + 1);
}

/* Puts an entry to place i, or to where it belongs above or below it: those on the way make room. */
static void entry_settle(size_t i, struct event_entry entry)
{
    const struct event_entry *all = sim_world.agenda;
    for (; i > 0 && entry_before(&entry, &all[(i - 1) / 2]); i = (i - 1) / 2)
        put_entry(i, all[(i - 1) / 2]);
    for (size_t child; (child = 2 * i + 1) < sim_world.agenda_count; i = child) {
        child += child + 1 < sim_world.agenda_count && entry_before(&all[child + 1], &all[child]);
        if (!entry_before(&all[child], &entry))
            break;
        put_entry(i, all[child]);
    }
    put_entry(i, entry);
}

static void entry_insert(struct event_entry entry)
{
    NCS_PUSH(sim_world.agenda, sim_world.agenda_count, sim_world.agenda_room, entry);
    entry_settle(sim_world.agenda_count - 1, entry);
}

static struct event_entry remove_at(size_t i)
{
    struct event_entry entry = sim_world.agenda[i];
    note_place(&entry, 0);
    if (i < --sim_world.agenda_count)
        entry_settle(i, sim_world.agenda[sim_world.agenda_count]);
    return entry;
}

void sim_agenda_add(int64_t time, enum event_kind kind, void *object, uint64_t serial, size_t *place)
{
    sim_agenda_put_back((struct event_entry){
        .time = time, .order = ++sim_world.agenda_serial, .kind = kind, .object = object, .serial = serial, .place = place });
    sim_world.meetings_due += ends_parts(kind);
}

void sim_agenda_put_back(struct event_entry entry)
{
    entry_insert(entry);
    sim_world.device_events += on_device(entry.kind);
    sim_world.meeting_events += ends_parts(entry.kind);
}

void sim_agenda_trace(int64_t time, enum event_kind kind)
{
    sim_world_trace((uint64_t)time * 8 + kind);
}

static bool is_stale(const struct event_entry *entry)
{
    const struct context *c = entry->object;
    return entry->kind == EVENT_DEADLINE && (c->state != CONTEXT_PARKED || c->wait.serial != entry->serial);
}

const struct event_entry *sim_agenda_peek(void)
{
    while (sim_world.agenda_count > 0 && is_stale(&sim_world.agenda[0]))
        remove_at(0);
    return sim_world.agenda_count > 0 ? &sim_world.agenda[0] : NULL;
}

/* Orders operations and the collectives that are due with them: an operation that was issued before one
 * of its process's launches lets that launch's collectives go first. Decided once per instant: every
 * cost is positive, so nothing can become due at this instant later. */
static void begin_instant(void)
{
    struct world *w = &sim_world;
    int64_t now = w->agenda[0].time;
    if (w->agenda[0].kind != EVENT_OP || w->meeting_events == 0 || w->stamped == now)
        return;
    w->stamped = now;
    struct event_entry *due = NULL;
    size_t count = 0, room = 0, ops = 0;
    while (w->agenda_count > 0 && w->agenda[0].time == now && on_device(w->agenda[0].kind)) {
        struct event_entry entry = remove_at(0);
        NCS_PUSH(due, count, room, entry);
        ops += entry.kind == EVENT_OP;
    }
    for (size_t i = ops; i < count; i++)
        if (due[i].kind == EVENT_MEETING)
            sim_meeting_stamp(due[i].object, now);
        else
            sim_part_stamp(due[i].object, now);
    for (size_t i = 0; i < count; i++) {
        const struct process *p = i < ops ? sim_op_process(due[i].object) : NULL;
        due[i].yields = p && p->stamped == now && due[i].serial < p->launched;
        entry_insert(due[i]);
    }
    ncs_free(due);
}

/* With a seed or a schedule, entries of one instant end in any order: one is chosen, the rest go back. */
static struct event_entry take_any(void)
{
    struct event_entry *tie = NULL, taken = remove_at(0);
    size_t ties = 0, room = 0;
    NCS_PUSH(tie, ties, room, taken);
    while (sim_agenda_peek() && sim_world.agenda[0].time == taken.time)
        NCS_PUSH(tie, ties, room, remove_at(0));
    size_t pick = sim_choose(CHOOSE_EVENT, ties);
    taken = tie[pick];
    for (size_t i = 0; i < ties; i++)
        if (i != pick)
            entry_insert(tie[i]);
    ncs_free(tie);
    return taken;
}

struct event_entry sim_agenda_take(void)
{
    begin_instant();
    struct event_entry taken = sim_world.choices.asked ? take_any() : remove_at(0);
    sim_world.device_events -= on_device(taken.kind);
    sim_world.meeting_events -= ends_parts(taken.kind);
    return taken;
}

void sim_agenda_forget(const size_t *place)
{
    if (*place == 0)
        return;
    struct event_entry entry = remove_at(*place - 1);
    sim_world.device_events -= on_device(entry.kind);
    sim_world.meeting_events -= ends_parts(entry.kind);
}
