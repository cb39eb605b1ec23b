/* Calls of a log that has no lines of INIT: handles are addresses in a process, so what tells which belong together is
 * how many ranks their communicator has, and how many handles of that kind each process uses. Ranks are numbered by
 * host and device; numbers of operations, which are equal on all ranks, tell where the logs overlap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/log.h"

void ncs_log_see_loose(struct log *l, const struct log_line *line, const struct log_call *call)
{
    uint64_t key = ncs_log_key(line->process, call->handle);
    if (ncs_log_bound(l, line->process, call->handle) || ncs_map_number(&l->loose_of, key))
        return;
    struct log_loose fresh = { .process = line->process,
                               .handle = call->handle,
                               .nranks = call->nranks,
                               .entity = ncs_log_entity(l, line, line->device),
                               .comm = -1,
                               .first = call->counted ? call->op_count : 0 };
    NCS_PUSH(l->loose, l->looses, l->loose_room, fresh);
    ncs_map_put_number(&l->loose_of, key, l->looses);
}

/* Handles of one communicator: each of another rank. */
struct loose_comm {
    int nranks; /* 0 = not said: those that are seen */
    size_t *member;
    size_t members, room;
    uint64_t start; /* the first operation that all have */
};

struct loose_comms {
    struct loose_comm *of;
    size_t count, room;
    struct ncs_map at;  /* ranks and how many of that kind -> index + 1 */
    struct ncs_map nth; /* rank of the run and ranks -> how many of that kind it has */
};

static void collect_loose(const struct log *l, struct loose_comms *all)
{
    for (size_t i = 0; i < l->looses; i++) {
        const struct log_loose *h = &l->loose[i];
        uint64_t own = ncs_log_key(h->entity, (uint64_t)h->nranks);
        size_t nth = ncs_map_number(&all->nth, own) + 1;
        uint64_t key = ncs_log_key((uint64_t)h->nranks, nth);
        size_t at = ncs_map_number(&all->at, key);
        ncs_map_put_number(&all->nth, own, nth);
        if (!at) {
            struct loose_comm fresh = { .nranks = h->nranks };
            NCS_PUSH(all->of, all->count, all->room, fresh);
            ncs_map_put_number(&all->at, key, at = all->count);
        }
        struct loose_comm *c = &all->of[at - 1];
        NCS_PUSH(c->member, c->members, c->room, i);
        c->start = h->first > c->start ? h->first : c->start;
    }
}

struct loose_name {
    const char *name; /* "node0:4711 [2]" */
    size_t member;
};

/* By host, then by device, as launchers number ranks. */
static int compare_loose(const void *a, const void *b)
{
    const char *x = ((const struct loose_name *)a)->name, *y = ((const struct loose_name *)b)->name;
    size_t host_x = strcspn(x, ":"), host_y = strcspn(y, ":");
    int order = strncmp(x, y, host_x < host_y ? host_x : host_y);
    const char *device_x = strchr(x, '['), *device_y = strchr(y, '[');
    if (order || host_x != host_y)
        return order ? order : host_x < host_y ? -1 : 1;
    int n = device_x ? atoi(device_x + 1) : -1, m = device_y ? atoi(device_y + 1) : -1;
    return n != m ? (n > m) - (n < m) : strcmp(x, y);
}

static void sort_loose(const struct log *l, struct loose_comm *c)
{
    struct loose_name *name = ncs_new(c->members * sizeof *name);
    for (size_t k = 0; k < c->members; k++)
        name[k] = (struct loose_name){ l->entity[l->loose[c->member[k]].entity].name, c->member[k] };
    qsort(name, c->members, sizeof *name, compare_loose);
    for (size_t k = 0; k < c->members; k++)
        c->member[k] = name[k].member;
    ncs_free(name);
}

static bool bind_members(struct log *l, struct loose_comm *c, size_t number)
{
    sort_loose(l, c);
    char name[48];
    snprintf(name, sizeof name, "comm%zu", number);
    int comm = ncs_record_add_comm(l->record, c->nranks ? c->nranks : (int)c->members, name, l->err);
    if (comm < 0)
        return ncs_fail_at(l->err, l->kept[0].path, 0, 0);
    for (size_t k = 0; k < c->members; k++) {
        struct log_loose *h = &l->loose[c->member[k]];
        struct log_bound b = {
            .comm = comm, .comm_rank = (int)k, .entity = h->entity, .complete = true, .loose = true, .start = c->start
        };
        l->record->comm[comm].rank[k] = (int)h->entity; /* numbered later */
        NCS_PUSH(l->bound, l->bounds, l->bound_room, b);
        h->comm = comm;
        h->bound = l->bounds;
    }
    for (int k = 0; k < l->record->comm[comm].nranks; k++)
        l->record->comm[comm].before[k] = c->start < UINT32_MAX / 2 ? (uint32_t)c->start : 0;
    return true;
}

/* The largest communicator has all ranks. Another one is told apart only if every rank is in the log, and no more have
 * such a handle than it has ranks: more are several communicators of one size, whose members nothing tells. Where the
 * size is not said, each process must have one handle only. */
static bool is_told(const struct log *l, const struct loose_comms *all, const struct loose_comm *c, int largest)
{
    if (c->members < 2 || c->nranks == 0)
        return c->members > 1 && all->count == 1;
    return c->members <= (size_t)c->nranks && (c->nranks == largest || l->entities >= (size_t)largest);
}

static bool make_loose(struct log *l)
{
    struct loose_comms all = { 0 };
    size_t told = 0;
    int largest = 0;
    bool ok = true;
    collect_loose(l, &all);
    for (size_t i = 0; i < all.count; i++)
        largest = all.of[i].nranks > largest ? all.of[i].nranks : largest;
    for (size_t i = 0; i < all.count && ok; i++) {
        struct loose_comm *c = &all.of[i];
        ok = !is_told(l, &all, c, largest) || bind_members(l, c, ++told);
    }
    NCS_FREE_EACH(all.of, all.count, member);
    ncs_map_free(&all.at);
    ncs_map_free(&all.nth);
    l->loose_comms = told;
    if (told && !l->record->trace->doubt)
        l->record->trace->doubt = ncs_copy_text(l->numbered.count
                                                    ? "it could also be that other handles belong together: the log has no "
                                                      "lines of INIT"
                                                    : "it could also be that the ranks' lines begin at different calls: the "
                                                      "log has no lines of INIT, and its operations have no numbers");
    return ok;
}

bool ncs_log_bind_loose(struct log *l)
{
    if (!l->building && !make_loose(l))
        return false;
    for (size_t i = 0; i < l->looses; i++)
        if (l->loose[i].bound)
            ncs_map_put_number(&l->bound_of, ncs_log_key(l->loose[i].process, l->loose[i].handle), l->loose[i].bound);
    return true;
}

void ncs_log_note_loose(const struct log *l)
{
    enum { SHOWN = 8 };
    struct ncs_str who = { 0 };
    int shown = 0;
    if (!l->loose_comms)
        return;
    for (int rank = 0; rank < SHOWN; rank++)
        for (size_t i = 0; i < l->entities && i < 4096; i++)
            if (l->entity[i].rank == rank)
                ncs_str_addf(&who, "%srank %d is %s", shown++ ? ", " : ": ", rank, l->entity[i].name);
    ncs_record_note(l->record, "the log has no lines of INIT: ranks are numbered by host and device%s%s",
                    who.text ? who.text : "", l->entities > (size_t)shown ? " and so on" : "");
    ncs_str_free(&who);
}
