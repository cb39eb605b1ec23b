/* Reads NCCL's own log: lines of any number of processes and ranks, mixed with other lines. Lines of
 * NCCL_DEBUG_SUBSYS=INIT, or the calls that make communicators, tell which rank of which communicator a
 * process is. Lines of COLL have the calls; lines of CALL have them too, with begin and end of groups. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/safe.h"
#include "trace/log_gaps.h"
#include "trace/log_line.h"
#include "trace/reader.h"

struct bound { /* a communicator's handle in a process */
    int comm, comm_rank;
    size_t entity;
    bool complete, traced;
};

struct entity { /* a rank of the run: a device in a process */
    uint64_t process;
    int rank;        /* of the run; -1 = not known so far */
    const char *file;
    /* The last call, to recognise calls of one group if no line marks the group. */
    int comm;
    uint64_t op_count, thread;
    bool any;
};

struct thread {
    int depth;
    uint64_t group;
    size_t *entity; size_t entities, room; /* ranks with calls in the log */
};

struct log {
    struct record *record;
    struct trace_file *kept; size_t kepts, kept_room;
    struct bound *bound; size_t bounds, bound_room;
    struct ncs_map bound_of;  /* process and handle -> bound + 1 */
    struct ncs_map bound_at;  /* line that first showed it -> bound + 1 */
    struct ncs_map parts;     /* how many parts of a colour a rank has made */
    struct ncs_map comm_of;   /* key of a communicator -> comm + 1 */
    struct entity *entity; size_t entities, entity_room;
    struct ncs_map entity_of; /* process and device -> entity + 1 */
    struct thread *thread; size_t threads, thread_room;
    struct ncs_map thread_of;
    struct ncs_map has_calls; /* processes with calls in lines of CALL: lines of COLL repeat them */
    uint64_t groups;
    struct log_gaps gaps;
    size_t unbound, odd, warnings;
    int first_odd, first_warning;
    const char *odd_file, *warning_file;
    struct ncs_str warning;   /* the first one */
    bool building;            /* the second time through: calls are made */
    bool warnings_only;       /* another source has the calls */
    bool any_call;            /* there may be lines of calls */
    struct ncs_error *err;
};

static uint64_t key_of(uint64_t a, uint64_t b)
{
    return ncs_hash(ncs_hash(1, a), b);
}

static uint64_t key_of_line(const struct log_line *line)
{
    return key_of(ncs_map_key(line->file), (uint64_t)line->number);
}

static size_t entity_at(struct log *l, const struct log_line *line, int device)
{
    uint64_t key = key_of(line->process, (uint64_t)device);
    size_t at = ncs_map_number(&l->entity_of, key);
    if (!at) {
        struct entity e = { .process = line->process, .rank = -1, .file = line->file };
        NCS_PUSH(l->entity, l->entities, l->entity_room, e);
        ncs_map_put_number(&l->entity_of, key, at = l->entities);
    }
    return at - 1;
}

static struct thread *thread_at(struct log *l, const struct log_line *line)
{
    uint64_t key = key_of(line->process, line->thread);
    size_t at = ncs_map_number(&l->thread_of, key);
    if (!at) {
        struct thread t = { 0 };
        NCS_PUSH(l->thread, l->threads, l->thread_room, t);
        ncs_map_put_number(&l->thread_of, key, at = l->threads);
    }
    return &l->thread[at - 1];
}

/* ---- communicators ---- */

static struct bound *bound_to(struct log *l, uint64_t process, uint64_t handle)
{
    size_t at = ncs_map_number(&l->bound_of, key_of(process, handle));
    return at ? &l->bound[at - 1] : NULL;
}

/* A key that is equal on all ranks of the new communicator. A line of CALL lacks the number of earlier
 * splits of its parent; splits with the same color are counted here instead. */
static uint64_t key_of_comm(struct log *l, const struct log_line *line, const struct log_init *i)
{
    if (!i->parent)
        return key_of(3, i->id);
    const struct bound *parent = bound_to(l, line->process, i->parent);
    uint64_t key = ncs_hash(key_of(7, parent ? (uint64_t)parent->comm : i->parent), (uint64_t)i->color);
    if (i->counted)
        return ncs_hash(key, i->child);
    uint64_t own = ncs_hash(key, parent ? (uint64_t)parent->comm_rank + 1 : line->process);
    size_t nth = ncs_map_number(&l->parts, own) + 1;
    ncs_map_put_number(&l->parts, own, nth);
    return ncs_hash(ncs_hash(key, nth), 1);
}

static void name_comm(struct log *l, const struct log_line *line, const struct log_init *i, int comm)
{
    const struct bound *parent = i->parent ? bound_to(l, line->process, i->parent) : NULL;
    struct record_comm *info = &l->record->comm[comm];
    struct ncs_str name = { 0 };
    if (parent && i->counted)
        ncs_str_addf(&name, "%s/split%" PRIu64 ".%d", l->record->comm[parent->comm].name, i->child, i->color);
    else if (parent)
        ncs_str_addf(&name, "%s/split.%d", l->record->comm[parent->comm].name, i->color);
    else
        ncs_str_addf(&name, "comm 0x%" PRIx64, i->parent ? i->parent : i->id);
    info->made = true;
    info->split_from = parent ? parent->comm : -1;
    info->name = ncs_str_take(&name);
}

static int comm_for(struct log *l, const struct log_line *line, const struct log_init *i)
{
    struct record *r = l->record;
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
    struct bound *known = bound_to(l, line->process, i->handle);
    if (!known || !i->complete || known->comm_rank != i->rank ||
        l->record->comm[known->comm].nranks != i->nranks)
        return false;
    bool same = i->id ? ncs_map_number(&l->comm_of, key_of(3, i->id)) == (size_t)known->comm + 1
                      : !known->traced || !line->traced;
    known->complete |= same;
    return same;
}

/* First pass: learns which communicator each handle is. */
static bool bind(struct log *l, const struct log_line *line, const struct log_init *i)
{
    if (log_repeats_init(l, line, i))
        return true;
    int comm = comm_for(l, line, i);
    if (comm < 0)
        return ncs_fail_at(l->err, line->file, line->number, 0);
    /* A line of CALL about a split lacks the device: it is the parent's. */
    const struct bound *from = i->device < 0 && i->parent ? bound_to(l, line->process, i->parent) : NULL;
    size_t entity = from ? from->entity : entity_at(l, line, i->device);
    struct bound b = { .comm = comm, .comm_rank = i->rank, .entity = entity, .complete = i->complete,
                       .traced = line->traced };
    NCS_PUSH(l->bound, l->bounds, l->bound_room, b);
    ncs_map_put_number(&l->bound_of, key_of(line->process, i->handle), l->bounds);
    ncs_map_put_number(&l->bound_at, key_of_line(line), l->bounds);
    l->record->comm[comm].rank[i->rank] = (int)entity; /* numbered later */
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
static bool number_ranks(struct log *l)
{
    struct record *r = l->record;
    int world = -1, next = 0;
    for (size_t i = 0; i < r->comms; i++)
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
    for (size_t i = 0; i < r->comms; i++)
        for (int k = 0; k < r->comm[i].nranks; k++)
            if (r->comm[i].rank[k] >= 0)
                r->comm[i].rank[k] = l->entity[r->comm[i].rank[k]].rank;
            else if ((int)i == world)
                r->comm[i].rank[k] = k;
    return true;
}

/* ---- calls ---- */

/* Second pass: adds the call, at the line that first showed it. */
static bool add_join(struct log *l, const struct log_line *line, const struct log_init *i)
{
    size_t at = ncs_map_number(&l->bound_at, key_of_line(line));
    if (!at)
        return true;
    const struct bound *b = &l->bound[at - 1];
    ncs_map_put_number(&l->bound_of, key_of(line->process, i->handle), at);
    struct record_call *c = ncs_record_add(l->record, l->entity[b->entity].rank, l->err);
    if (!c)
        return ncs_fail_at(l->err, line->file, line->number, 0);
    *c = (struct record_call){ .fn = NCS_FN_ncclCommInitRank, .comm = b->comm, .comm_rank = b->comm_rank,
                               .pending = !b->complete,
                               .place = ncs_record_place(l->record, line->file, line->number) };
    return true;
}

static uint64_t group_of(struct log *l, const struct log_line *line, struct entity *e, int comm,
                         const struct log_call *call)
{
    struct thread *t = thread_at(l, line);
    if (t->depth > 0) {
        NCS_PUSH(t->entity, t->entities, t->room, (size_t)(e - l->entity));
        return t->group;
    }
    if (!call->counted)
        return 0;
    struct record_rank *k = &l->record->rank[e->rank];
    struct record_call *last = k->calls ? &k->call[k->calls - 1] : NULL;
    bool same = e->any && last && last->comm == comm && e->comm == comm && e->op_count == call->op_count &&
                e->thread == line->thread && ncs_fn_info[last->fn].counted;
    if (!same)
        return 0;
    if (!last->group)
        last->group = ++l->groups;
    return last->group;
}

static bool add_call(struct log *l, const struct log_line *line, const struct log_call *call)
{
    struct bound *b = bound_to(l, line->process, call->handle);
    if (!b) {
        l->unbound++;
        return true;
    }
    struct entity *e = &l->entity[b->entity];
    uint64_t group = group_of(l, line, e, b->comm, call);
    if (call->counted)
        ncs_log_saw(&l->gaps, b->comm, b->comm_rank, e->rank, call->op_count);
    struct record_call *c = ncs_record_add(l->record, e->rank, l->err);
    if (!c)
        return ncs_fail_at(l->err, line->file, line->number, 0);
    *c = (struct record_call){ .fn = call->fn, .comm = b->comm, .comm_rank = b->comm_rank, .count = call->count,
                               .dtype = call->dtype, .op = call->op, .root = call->root, .send = call->send,
                               .recv = call->recv, .stream = call->stream, .group = group, .unsaid = NCS_UNSAID_PLACE,
                               .place = ncs_record_place(l->record, line->file, line->number) };
    e->any = true;
    e->comm = b->comm;
    e->op_count = call->op_count;
    e->thread = line->thread;
    return true;
}

static void edge(struct log *l, const struct log_line *line, bool opens)
{
    struct thread *t = thread_at(l, line);
    if (opens && t->depth++ == 0) {
        t->group = ++l->groups;
        t->entities = 0;
    } else if (!opens && t->depth > 0) {
        t->depth--;
    }
}

/* ---- lines ---- */

static bool take(struct log *l, const struct log_line *line)
{
    struct log_init init;
    struct log_call call;
    if (l->warnings_only)
        return true;
    enum log_kind kind = ncs_log_parse(line, &init, &call);
    switch (kind) {
    case LOG_LINE_INIT:
        return l->building ? add_join(l, line, &init) : bind(l, line, &init);
    case LOG_LINE_ENDS:
        return !l->building || add_call(l, line, &call);
    case LOG_LINE_CALL:
        if (line->traced && !l->building)
            ncs_map_put_number(&l->has_calls, line->process + 1, 1);
        if (!l->building || (!line->traced && ncs_map_number(&l->has_calls, line->process + 1)))
            return true;
        return add_call(l, line, &call);
    case LOG_LINE_OPENS:
    case LOG_LINE_CLOSES:
        if (l->building)
            edge(l, line, kind == LOG_LINE_OPENS);
        return true;
    case LOG_LINE_ODD:
        if (!l->building && !l->odd++) {
            l->first_odd = line->number;
            l->odd_file = line->file;
        }
        return true;
    case LOG_LINE_OTHER:
        break;
    }
    return true;
}

static void warn(struct log *l, const struct log_line *line, const char *text)
{
    const char *warning = l->building ? NULL : ncs_log_warning(text);
    if (!warning || l->warnings++)
        return;
    ncs_safe_line(&l->warning, warning);
    l->first_warning = line->number;
    l->warning_file = line->file;
}

/* The log of a process is cut off: its ranks may have made further calls. */
static void doubt_end(struct log *l, const struct log_line *line)
{
    if (l->building)
        ncs_record_note(l->record, "the log ends in the middle of a line, %s:%d: the rest is lost", line->file, line->number);
    for (size_t i = 0; i < l->entities && l->building; i++)
        if (l->entity[i].process == line->process)
            ncs_record_doubt(l->record, l->entity[i].rank, false, "it could also be that rank %d made the "
                             "missing calls: its log ends in the middle of a line, %s:%d", l->entity[i].rank, line->file,
                             line->number);
}

static bool read_file(struct log *l, const struct trace_file *file)
{
    struct log_line line = { .file = file->path };
    struct ncs_str text = { 0 };
    const char *at = file->text.text, *end = at + file->text.bytes;
    bool ok = true;
    while (ok && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((stop ? stop : end) - at);
        line.number++;
        ncs_str_clear(&text);
        ncs_str_add_bytes(&text, at, bytes < LOG_LINE_MOST ? bytes : LOG_LINE_MOST);
        warn(l, &line, text.text);
        bool of_nccl = ncs_log_split(text.text, &line);
        if (!stop && of_nccl)
            doubt_end(l, &line); /* the line may be incomplete */
        else if (of_nccl)
            ok = take(l, &line);
        at += bytes + 1;
    }
    ncs_str_free(&text);
    return ok;
}

static bool read_all(struct log *l)
{
    bool ok = true;
    for (size_t i = 0; i < l->kepts && ok; i++)
        ok = read_file(l, &l->kept[i]);
    return ok;
}

/* ---- the whole log ---- */

static void end_groups(struct log *l)
{
    for (size_t i = 0; i < l->threads; i++)
        for (size_t k = 0; k < l->thread[i].entities && l->thread[i].depth > 0; k++)
            l->record->rank[l->entity[l->thread[i].entity[k]].rank].open = true;
}

static bool has_calls(struct log *l)
{
    struct ncs_error *err = l->err;
    if (l->bounds || !l->unbound)
        return true;
    ncs_fail(err, NCS_BAD_INPUT, "%zu calls, but no line says which rank of which communicator made them",
             l->unbound);
    ncs_fail_hint(err, "record with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL, from the start of the job");
    return ncs_fail_at(err, l->kept[0].path, 0, 0);
}

static void note_lines(struct log *l)
{
    if (l->warnings)
        ncs_record_note(l->record, "NCCL warned %zu time%s, first at %s:%d: %.200s", l->warnings,
                        l->warnings == 1 ? "" : "s", l->warning_file, l->first_warning, l->warning.text);
    if (l->bounds && l->unbound)
        ncs_record_note(l->record, "%zu call%s on communicators of which no line tells the ranks %s left out",
                    l->unbound, l->unbound == 1 ? "" : "s", l->unbound == 1 ? "is" : "are");
    if (l->warnings_only) {
        if (l->any_call)
            ncs_record_note(l->record, "the calls of NCCL's log are not used: the dumps have them");
        return;
    }
    if (l->odd)
        ncs_record_note(l->record, "%zu line%s of NCCL's %s not understood, the first is %s:%d", l->odd,
                    l->odd == 1 ? "" : "s", l->odd == 1 ? "is" : "are", l->odd_file, l->first_odd);
    ncs_record_note(l->record, "a log does not say which calls came to an end: who waits is told from what the "
                "others have not called");
}

static bool log_is(const struct trace_file *file)
{
    const char *text = file->text.text;
    return strstr(text, " NCCL INFO ") || strstr(text, " NCCL CALL ") || strstr(text, " NCCL WARN ") ||
           strncmp(text, "NCCL version ", 13) == 0;
}

static void *log_begin(struct record *r, struct ncs_error *err)
{
    struct log *l = ncs_new(sizeof *l);
    *l = (struct log){ .record = r, .err = err };
    return l;
}

/* Keeps a copy of the text: it is read twice, once all are there. */
static enum trace_taken log_take(void *state, struct trace_file *file)
{
    struct log *l = state;
    l->any_call |= strstr(file->text.text, ": opCount ") || strstr(file->text.text, " NCCL CALL nccl");
    struct trace_file own = { .path = file->path };
    ncs_str_add_bytes(&own.text, file->text.text, file->text.bytes); /* other readers read it, too */
    NCS_PUSH(l->kept, l->kepts, l->kept_room, own);
    return TRACE_TAKEN;
}

static bool log_finish(void *state)
{
    struct log *l = state;
    struct record *r = l->record;
    if (!r->trace->nccl[0])
        ncs_log_version(&l->kept[0], r->trace->nccl, sizeof r->trace->nccl);
    l->warnings_only = (r->numbered && r->calls) || (r->follows && !l->any_call);
    if (l->warnings_only) {
        read_all(l);
        note_lines(l);
        return true;
    }
    bool ok = read_all(l) && number_ranks(l);
    l->building = true;
    ncs_map_free(&l->bound_of);
    l->bound_of = (struct ncs_map){ 0 };
    ok = ok && read_all(l) && has_calls(l);
    if (ok)
        ncs_log_note_gaps(&l->gaps, r);
    ok = ok && ncs_log_align(r, l->err);
    if (ok) {
        end_groups(l);
        note_lines(l);
    }
    return ok;
}

static void log_end(void *state)
{
    struct log *l = state;
    for (size_t i = 0; i < l->threads; i++)
        ncs_free(l->thread[i].entity);
    for (size_t i = 0; i < l->kepts; i++)
        ncs_str_free(&l->kept[i].text);
    ncs_free(l->kept);
    ncs_free(l->thread);
    ncs_str_free(&l->warning);
    ncs_free(l->bound);
    ncs_free(l->entity);
    ncs_map_free(&l->bound_of);
    ncs_map_free(&l->bound_at);
    ncs_map_free(&l->parts);
    ncs_map_free(&l->comm_of);
    ncs_map_free(&l->entity_of);
    ncs_map_free(&l->thread_of);
    ncs_map_free(&l->has_calls);
    ncs_log_gaps_free(&l->gaps);
    ncs_free(l);
}

const struct trace_reader ncs_reader_log = {
    "NCCL log", "log", log_is, log_begin, log_take, log_finish, log_end,
};
