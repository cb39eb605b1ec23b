/* Which rank of which communicator a process is, by the lines of INIT. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/log.h"

size_t ncs_log_entity(struct log *l, const struct log_line *line, int device)
{
    uint64_t key = ncs_log_key(line->process, (uint64_t)device);
    size_t at = ncs_map_number(&l->entity_of, key);
    if (!at) {
        struct log_entity e = { .process = line->process, .rank = -1, .file = line->file };
        snprintf(e.name, sizeof e.name, device < 0 ? "%.*s" : "%.*s [%d]", line->origin_bytes < 48 ? (int)line->origin_bytes : 48,
                 line->origin, device);
        NCS_PUSH(l->entity, l->entities, l->entity_room, e);
        ncs_map_put_number(&l->entity_of, key, at = l->entities);
    }
    return at - 1;
}

/* ---- communicators ---- */

struct log_bound *ncs_log_bound(struct log *l, uint64_t process, uint64_t handle)
{
    size_t at = ncs_map_number(&l->bound_of, ncs_log_key(process, handle));
    return at ? &l->bound[at - 1] : NULL;
}

/* A key that is equal on all ranks of the new communicator. Without the number of earlier splits of its parent,
 * splits with the same color are counted instead. */
static uint64_t key_of_comm(struct log *l, const struct log_line *line, const struct log_init *i)
{
    if (!i->parent)
        return ncs_log_key(3, i->id);
    const struct log_bound *parent = ncs_log_bound(l, line->process, i->parent);
    uint64_t key = ncs_hash(ncs_log_key(7, parent ? (uint64_t)parent->comm : i->parent), (uint64_t)i->color);
    if (i->counted)
        return ncs_hash(key, i->child);
    uint64_t own = ncs_hash(key, parent ? (uint64_t)parent->comm_rank + 1 : line->process);
    size_t nth = ncs_map_number(&l->unnumbered, own) + 1;
    ncs_map_put_number(&l->unnumbered, own, nth);
    return ncs_hash(ncs_hash(key, nth), 1);
}

static void name_comm(struct log *l, const struct log_line *line, const struct log_init *i, int comm)
{
    const struct log_bound *parent = i->parent ? ncs_log_bound(l, line->process, i->parent) : NULL;
    struct record_comm *info = &l->record->comm[comm];
    struct ncs_str name = { 0 };
    if (parent && i->counted)
        ncs_str_addf(&name, "%s/split%" PRIu64 ".%d", l->record->comm[parent->comm].name, i->child, i->color);
    else if (parent)
        ncs_str_addf(&name, "%s/split.%d", l->record->comm[parent->comm].name, i->color);
    else
        ncs_str_addf(&name, "comm 0x%" PRIx64, i->parent ? i->parent : i->id);
    info->made = true;
    if (parent &&
        i->counted) /* ranks have logs of their own: their lines are in no common order, but the parent numbers its splits */
        info->serial = (int64_t)i->child;
    info->split_from = parent ? parent->comm : -1;
    info->name = ncs_str_take(&name);
}

/* Lines of RCCL and of old versions have no id: the oldest communicator of that size which lacks this rank. */
static int anonymous_comm(struct log *l, const struct log_line *line, const struct log_init *i)
{
    enum { MOST_BACK = 4096 };
    struct record *r = l->record;
    size_t entity = ncs_log_entity(l, line, i->device), from = l->anonymouses > MOST_BACK ? l->anonymouses - MOST_BACK : 0;
    char name[48];
    bool several = false;
    for (size_t n = from; n < l->anonymouses; n++) {
        const struct record_comm *comm = &r->comm[l->anonymous[n]];
        if (comm->nranks != i->nranks)
            continue;
        several = true;
        if (comm->rank[i->rank] < 0 && !ncs_map_number(&l->member, ncs_log_key((uint64_t)l->anonymous[n], entity)))
            return l->anonymous[n];
    }
    if (several && !r->trace->doubt)
        r->trace->doubt = ncs_copy_text("it could also be that other ranks belong together: the lines of INIT have no ids "
                                        "of communicators");
    snprintf(name, sizeof name, "comm%zu", l->anonymouses + 1);
    int comm = ncs_record_add_comm(r, i->nranks, name, l->err);
    if (comm >= 0) {
        r->comm[comm].made = true;
        NCS_PUSH(l->anonymous, l->anonymouses, l->anonymous_room, comm);
    }
    return comm;
}

static int comm_for(struct log *l, const struct log_line *line, const struct log_init *i)
{
    struct record *r = l->record;
    if (i->anonymous)
        return anonymous_comm(l, line, i);
    /* A shrink does not raise the number of its parent's children (NCCL 2.30.7, src/init.cc): two may have one number. */
    const struct log_bound *parent = i->parent && (!i->counted || i->shrinks) ? ncs_log_bound(l, line->process, i->parent) : NULL;
    if (parent && parent->comm_rank >= 0) {
        bool fresh;
        int part = ncs_log_part(l, i, parent, &fresh);
        if (part >= 0 && fresh)
            name_comm(l, line, i, part);
        return part;
    }
    uint64_t key = key_of_comm(l, line, i);
    int comm = (int)ncs_map_number(&l->comm_of, key) - 1;
    if (comm >= 0 && i->rank < r->comm[comm].nranks && r->comm[comm].rank[i->rank] < 0)
        return comm;
    comm = ncs_record_add_comm(r, i->nranks, NULL, l->err); /* new, even if its id was used before */
    if (comm >= 0) {
        name_comm(l, line, i, comm);
        ncs_map_put_number(&l->comm_of, key, (size_t)comm + 1);
    }
    return comm;
}

/* True if another line has reported the same before. */
static bool log_repeats_init(struct log *l, const struct log_line *line, const struct log_init *i)
{
    struct log_bound *known = ncs_log_bound(l, line->process, i->handle);
    if (!known || !i->complete || known->comm_rank != i->rank || l->record->comm[known->comm].nranks != i->nranks)
        return false;
    bool same = i->anonymous ? true
                : i->id      ? ncs_map_number(&l->comm_of, ncs_log_key(3, i->id)) == (size_t)known->comm + 1
                             : !known->traced || !line->traced;
    known->complete |= same;
    return same;
}

/* First pass: learns which communicator each handle is. */
bool ncs_log_bind(struct log *l, const struct log_line *line, const struct log_init *i)
{
    if (log_repeats_init(l, line, i))
        return true;
    int comm = comm_for(l, line, i);
    if (comm < 0)
        return ncs_fail_at(l->err, line->file, line->number, 0);
    /* A line of CALL about a split lacks the device: it is the parent's. */
    const struct log_bound *from = i->device < 0 && i->parent ? ncs_log_bound(l, line->process, i->parent) : NULL;
    size_t entity = from ? from->entity : ncs_log_entity(l, line, i->device);
    struct log_bound b = {
        .comm = comm, .comm_rank = i->rank, .entity = entity, .complete = i->complete, .traced = line->traced
    };
    NCS_PUSH(l->bound, l->bounds, l->bound_room, b);
    ncs_map_put_number(&l->bound_of, ncs_log_key(line->process, i->handle), l->bounds);
    ncs_map_put_number(&l->bound_at, ncs_log_key_of_line(line), l->bounds);
    l->record->comm[comm].rank[i->rank] = (int)entity; /* numbered later */
    if (i->anonymous)
        ncs_map_put_number(&l->member, ncs_log_key((uint64_t)comm, entity), 1);
    return true;
}

/* Renames the largest communicator to "world", and its children accordingly. */
static void name_world(struct record *r, int world)
{
    char *old = r->comm[world].name;
    size_t bytes = strlen(old);
    r->comm[world].name = ncs_copy_text("world");
    for (size_t i = 0; i < r->comms; i++) {
        char *name = r->comm[i].name;
        if (strncmp(name, old, bytes) != 0 || name[bytes] != '/')
            continue;
        struct ncs_str own = { 0 };
        ncs_str_addf(&own, "world%s", name + bytes);
        ncs_free(name);
        r->comm[i].name = ncs_str_take(&own);
    }
    ncs_free(old);
}

/* The ranks of the largest communicator number the ranks of the run. */
bool ncs_log_number_ranks(struct log *l)
{
    struct record *r = l->record;
    int world = -1, next = 0;
    for (size_t i = l->first_comm; i < r->comms; i++)
        if (world < 0 || r->comm[i].nranks > r->comm[world].nranks)
            world = (int)i;
    if (world < 0)
        return true;
    name_world(r, world);
    for (int k = 0; k < r->comm[world].nranks; k++)
        if (r->comm[world].rank[k] >= 0)
            l->entity[r->comm[world].rank[k]].rank = k;
    next = r->comm[world].nranks;
    for (size_t e = 0; e < l->entities; e++) {
        if (l->entity[e].rank < 0)
            l->entity[e].rank = next++;
        if (!ncs_record_has_rank(r, l->entity[e].rank, l->err))
            return false;
        r->rank[l->entity[e].rank].source = l->entity[e].file;
    }
    if (!ncs_record_has_rank(r, r->comm[world].nranks - 1, l->err))
        return false;
    for (size_t i = l->first_comm; i < r->comms; i++)
        for (int k = 0; k < r->comm[i].nranks; k++)
            if (r->comm[i].rank[k] >= 0)
                r->comm[i].rank[k] = l->entity[r->comm[i].rank[k]].rank;
            else if ((int)i == world)
                r->comm[i].rank[k] = k;
    return true;
}
