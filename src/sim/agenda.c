#include "sim/agenda.h"

#include "base/mem.h"
#include "sim/op.h"
#include "sim/sched.h"
#include "sim/slot.h"
#include "sim/world.h"

static const struct process *process_of(const struct event_entry *entry)
{
    return ((const struct op *)entry->object)->gpu->process;
}

/* Of two operations of a process that end at one instant the one issued later goes first: had they
 * to be ordered, they would not end together, and so a missing edge shows every time. */
static bool before(const struct event_entry *a, const struct event_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->kind != EVENT_OP)
        return a->order < b->order;
    int p = process_of(a)->number, q = process_of(b)->number;
    return p != q ? p < q : a->serial > b->serial;
}

static bool on_device(enum event_kind kind)
{
    return kind == EVENT_OP || kind == EVENT_SLOT;
}

static void swap_entries(size_t i, size_t j)
{
    struct event_entry entry = sim_world.agenda[i];
    sim_world.agenda[i] = sim_world.agenda[j];
    sim_world.agenda[j] = entry;
}

static void sift_up(size_t i)
{
    while (i > 0 && before(&sim_world.agenda[i], &sim_world.agenda[(i - 1) / 2])) {
        swap_entries(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
}

static void sift_down(size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < sim_world.agenda_count &&
                before(&sim_world.agenda[child], &sim_world.agenda[least]))
                least = child;
        if (least == i)
            return;
        swap_entries(i, least);
        i = least;
    }
}

static void insert(struct event_entry entry)
{
    NCS_PUSH(sim_world.agenda, sim_world.agenda_count, sim_world.agenda_room, entry);
    sift_up(sim_world.agenda_count - 1);
}

static struct event_entry remove_at(size_t i)
{
    struct event_entry entry = sim_world.agenda[i];
    sim_world.agenda[i] = sim_world.agenda[--sim_world.agenda_count];
    if (i < sim_world.agenda_count) {
        sift_up(i);
        sift_down(i);
    }
    return entry;
}

void agenda_add(int64_t time, enum event_kind kind, void *object, uint64_t serial)
{
    insert((struct event_entry){ .time = time, .order = ++sim_world.agenda_serial, .kind = kind,
                                 .object = object, .serial = serial });
    sim_world.device_events += on_device(kind);
    sim_world.slot_events += kind == EVENT_SLOT;
}

static bool is_stale(const struct event_entry *entry)
{
    const struct context *c = entry->object;
    return entry->kind == EVENT_DEADLINE &&
           (c->state != CONTEXT_PARKED || c->wait.serial != entry->serial);
}

const struct event_entry *agenda_peek(void)
{
    while (sim_world.agenda_count > 0 && is_stale(&sim_world.agenda[0]))
        remove_at(0);
    return sim_world.agenda_count > 0 ? &sim_world.agenda[0] : NULL;
}

/* The same between operations and the collectives due with them: an operation that one of its
 * process's launches was issued after has to let that collective go first. Index of what goes. */
static size_t pick_tie(void)
{
    const struct world *w = &sim_world;
    const struct event_entry *top = &w->agenda[0];
    size_t collective = w->agenda_count, simple = w->agenda_count;
    if (top->kind != EVENT_OP || w->slot_events == 0)
        return 0;
    for (size_t i = 0; i < w->agenda_count; i++)
        if (w->agenda[i].time == top->time && w->agenda[i].kind == EVENT_SLOT) {
            slot_stamp(w->agenda[i].object, top->time);
            if (collective == w->agenda_count || before(&w->agenda[i], &w->agenda[collective]))
                collective = i;
        }
    if (collective == w->agenda_count)
        return 0;
    for (size_t i = 0; i < w->agenda_count; i++) {
        const struct event_entry *e = &w->agenda[i];
        if (e->time != top->time || e->kind != EVENT_OP)
            continue;
        const struct process *p = process_of(e);
        bool yields = p->stamped == top->time && e->serial < p->launched;
        if (!yields && (simple == w->agenda_count || before(e, &w->agenda[simple])))
            simple = i;
    }
    return simple < w->agenda_count ? simple : collective;
}

struct event_entry agenda_take(void)
{
    struct event_entry taken = remove_at(sim_world.options.seeded ? 0 : pick_tie());
    if (sim_world.options.seeded) {
        /* Entries of one instant may end in any order: one of them is drawn, the rest go back. */
        struct event_entry *tie = NULL;
        size_t ties = 0, room = 0;
        NCS_PUSH(tie, ties, room, taken);
        while (agenda_peek() && sim_world.agenda[0].time == taken.time)
            NCS_PUSH(tie, ties, room, remove_at(0));
        size_t pick = choose(CHOOSE_EVENT, ties);
        taken = tie[pick];
        for (size_t i = 0; i < ties; i++)
            if (i != pick)
                insert(tie[i]);
        ncs_free(tie);
    }
    sim_world.device_events -= on_device(taken.kind);
    sim_world.slot_events -= taken.kind == EVENT_SLOT;
    return taken;
}

void agenda_forget(enum event_kind kind, const void *object)
{
    for (size_t i = 0; i < sim_world.agenda_count;)
        if (sim_world.agenda[i].kind == kind && sim_world.agenda[i].object == object) {
            sim_world.device_events -= on_device(kind);
            sim_world.slot_events -= kind == EVENT_SLOT;
            remove_at(i);
        } else {
            i++;
        }
}
