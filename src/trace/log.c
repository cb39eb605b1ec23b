/* Reads NCCL's own log: lines of any number of processes and ranks, mixed with other lines. Lines of
 * NCCL_DEBUG_SUBSYS=INIT, or the calls that make communicators, tell which rank of which communicator a
 * process is. Lines of COLL have the calls; lines of CALL have them too, with begin and end of groups. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/safe.h"
#include "trace/lines.h"
#include "trace/log.h"

static struct log_thread *thread_at(struct log *l, const struct log_line *line)
{
    uint64_t key = ncs_log_key(line->process, line->thread);
    size_t at = ncs_map_number(&l->thread_of, key);
    if (!at) {
        struct log_thread t = { 0 };
        NCS_PUSH(l->thread, l->threads, l->thread_room, t);
        ncs_map_put_number(&l->thread_of, key, at = l->threads);
    }
    return &l->thread[at - 1];
}

/* ---- calls ---- */

/* Second pass: adds the call, at the line that first showed it. */
static bool add_join(struct log *l, const struct log_line *line, const struct log_init *i)
{
    size_t at = ncs_map_number(&l->bound_at, ncs_log_key_of_line(line));
    const struct log_bound *parent = i->shrinks && i->complete ? ncs_log_bound(l, line->process, i->parent) : NULL;
    if (parent) /* calls before are over, or were aborted (user guide: NCCL_SHRINK_ABORT) */
        ncs_log_give_up(l, l->entity[parent->entity].rank, parent->comm);
    if (!at)
        return true;
    const struct log_bound *b = &l->bound[at - 1];
    ncs_map_put_number(&l->bound_of, ncs_log_key(line->process, i->handle), at);
    l->bound[at - 1].joined = true;
    struct record_call *c = ncs_record_add(l->record, l->entity[b->entity].rank, l->err);
    if (!c)
        return ncs_fail_at(l->err, line->file, line->number, 0);
    *c = (struct record_call){ .fn = NCS_FN_ncclCommInitRank,
                               .comm = b->comm,
                               .comm_rank = b->comm_rank,
                               .pending = !b->complete,
                               .place = ncs_record_line(l->record, line->file, line->number) };
    return true;
}

static uint64_t group_of(struct log *l, const struct log_line *line, struct log_entity *e, int comm, const struct log_call *call)
{
    struct log_thread *t = thread_at(l, line);
    if (t->depth > 0) {
        NCS_PUSH(t->entity, t->entities, t->room, (size_t)(e - l->entity));
        return t->group;
    }
    /* NCCL 2.27 and newer do not count on one node: there all numbers are 0, and tell no group of collectives. */
    if (!call->counted ||
        (!ncs_fn_info[call->fn].pair && !ncs_map_number(&l->numbered, ncs_log_key(line->process, call->handle))))
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

static void remember_call(struct log *l, const struct log_line *line, int rank)
{
    struct log_thread *t = thread_at(l, line);
    struct log_recent own = { rank, l->record->rank[rank].calls - 1 };
    l->groupless |= !line->traced;
    if (t->depth > 0)
        NCS_PUSH(t->group_call, t->group_calls, t->group_room, own);
    ncs_log_remember(l, t, own.rank, own.call);
}

static void see_odd(struct log *l, const struct log_line *line)
{
    if (l->odd++)
        return;
    l->first_odd = line->number;
    l->odd_file = line->file;
}

static bool add_call(struct log *l, const struct log_line *line, const struct log_call *call)
{
    struct log_bound *b = ncs_log_bound(l, line->process, call->handle);
    if (!b) {
        l->unbound++;
        return true;
    }
    if (b->loose && ncs_fn_info[call->fn].pair) {
        l->loose_pairs++; /* the peer is a number of a rank, and those are not known */
        return true;
    }
    if (b->loose && call->counted && call->op_count < b->start)
        return true;
    if (ncs_fn_info[call->fn].pair && (call->root < 0 || call->root >= l->record->comm[b->comm].nranks)) {
        see_odd(l, line); /* NCCL refuses such a peer */
        return true;
    }
    struct log_entity *e = &l->entity[b->entity];
    uint64_t group = group_of(l, line, e, b->comm, call);
    if (call->counted)
        ncs_log_saw(&l->gaps, b->comm, b->comm_rank, e->rank, call->op_count);
    struct record_call *c = ncs_record_add(l->record, e->rank, l->err);
    if (!c)
        return ncs_fail_at(l->err, line->file, line->number, 0);
    *c = (struct record_call){ .fn = call->fn,
                               .comm = b->comm,
                               .comm_rank = b->comm_rank,
                               .count = call->count,
                               .dtype = call->dtype,
                               .op = call->op,
                               .root = call->root,
                               .send = call->send,
                               .recv = call->recv,
                               .stream = call->stream,
                               .group = group,
                               .unsaid = NCS_UNSAID_PLACE,
                               .place = ncs_record_line(l->record, line->file, line->number) };
    b->ended |= ncs_fn_info[call->fn].ends == NCS_ENDS_COMM;
    e->any = true;
    e->comm = b->comm;
    e->op_count = call->op_count;
    e->thread = line->thread;
    if (ncs_fn_info[call->fn].counted)
        remember_call(l, line, e->rank);
    return true;
}

static void edge(struct log *l, const struct log_line *line, bool opens)
{
    struct log_thread *t = thread_at(l, line);
    t->behind = 0;
    l->shows_groups = true;
    if (opens && t->depth > 0 && t->warned)
        ncs_log_failed_group(l, t);
    t->warned = t->warned && t->depth > 0;
    if (opens && t->depth++ == 0) {
        t->group = ++l->groups;
        t->entities = t->group_calls = 0;
    } else if (!opens && t->depth > 0) {
        t->depth--;
    }
    l->nests |= !opens && t->depth == 0 && t->nests;
    t->nests = t->depth > 1 || (t->nests && t->depth > 0);
    if (t->spoilt && !opens && t->depth == 1) { /* its last end has no line */
        t->depth = 0;
        t->spoilt = false;
        t->behind = 1;
    }
}

/* ---- lines ---- */

static bool take(struct log *l, const struct log_line *line)
{
    struct log_init init;
    struct log_call call;
    const struct log_bound *bound;
    if (l->warnings_only)
        return true;
    enum log_kind kind = ncs_log_parse(line, &init, &call);
    switch (kind) {
    case LOG_LINE_INIT:
        if (line->traced && ncs_map_number(&l->has_inits, line->process + 1))
            return true;
        return l->building ? add_join(l, line, &init) : ncs_log_bind(l, line, &init);
    case LOG_LINE_ENDS: return !l->building || add_call(l, line, &call);
    case LOG_LINE_REVOKES:
        bound = l->building ? ncs_log_bound(l, line->process, call.handle) : NULL;
        if (bound)
            ncs_log_give_up(l, l->entity[bound->entity].rank, bound->comm);
        return true;
    case LOG_LINE_CALL:
        if (line->traced && !l->building)
            ncs_map_put_number(&l->has_calls, line->process + 1, 1);
        if (!l->building && call.counted && call.op_count > 0)
            ncs_map_put_number(&l->numbered, ncs_log_key(line->process, call.handle), 1);
        if (!l->building)
            ncs_log_see_loose(l, line, &call);
        if (!l->building || (!line->traced && ncs_map_number(&l->has_calls, line->process + 1)))
            return true;
        return add_call(l, line, &call);
    case LOG_LINE_OPENS:
    case LOG_LINE_CLOSES:
        if (l->building)
            edge(l, line, kind == LOG_LINE_OPENS);
        return true;
    case LOG_LINE_ODD:
        ncs_map_put_number(&l->torn, line->process, 1);
        if (!l->building)
            see_odd(l, line);
        return true;
    case LOG_LINE_OTHER: break;
    }
    return true;
}

static void take_refusal(struct log *l, const struct log_line *line, const char *text)
{
    struct log_line own = *line;
    if (l->warnings_only || !ncs_log_split_warning(text, &own))
        return;
    struct log_thread *t = thread_at(l, &own);
    bool refuses = ncs_log_refuses(own.text);
    if (!l->first_refusal && (refuses || t->depth > 0)) {
        l->first_refusal = line->number;
        l->refusal_file = line->file;
    }
    t->warned |= t->depth > 0;
    if (!refuses)
        return;
    if (strstr(own.text, "communicator was revoked"))
        ncs_log_revoked(l, &own);
    ncs_log_refused(l, t, ncs_map_number(&l->has_calls, own.process + 1) > 0);
}

static void warn(struct log *l, const struct log_line *line, const char *text)
{
    const char *warning = ncs_log_warning(text);
    struct log_line own = *line;
    if (warning && l->left_out.count && ncs_log_split_warning(text, &own) && ncs_map_number(&l->left_out, own.process + 1))
        return;
    if (warning && l->building)
        take_refusal(l, line, text);
    if (!warning || l->building || l->warnings++)
        return;
    ncs_safe_line(&l->warning, warning);
    l->first_warning = line->number;
    l->warning_file = line->file;
}

/* A log is cut off: the ranks in it may have made further calls. */
static void doubt_end(struct log *l, const struct log_line *line)
{
    if (l->building)
        ncs_record_note(l->record, "the log ends in the middle of a line, %s:%d: the rest is lost", line->file, line->number);
    for (size_t i = 0; i < l->entities && l->building; i++)
        if (l->entity[i].process == line->process || l->entity[i].file == line->file)
            ncs_record_doubt(l->record, l->entity[i].rank, false,
                             "it could also be that rank %d made the "
                             "missing calls: its log ends in the middle of a line, %s:%d",
                             l->entity[i].rank, line->file, line->number);
}

/* A line that cuts off another one may have lost the beginning of its own, the name of its host: finds the process
 * whose name the rest ends. False: there is none. */
static bool mend(struct log *l, struct log_line *line)
{
    if (!l->building) {
        ncs_map_put_number(&l->torn, line->torn, 1);
        l->torn_lines++;
        if (l->torn_lines == 1) {
            l->first_torn = line->number;
            l->torn_file = line->file;
        }
    }
    for (size_t skip = 0; skip < line->origin_bytes; skip++) {
        uint64_t process = ncs_hash_bytes(0, line->origin + skip, line->origin_bytes - skip);
        if (!ncs_map_number(&l->process, process))
            continue;
        line->process = process;
        line->origin += skip;
        line->origin_bytes -= skip;
        return true;
    }
    return false;
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
        bool of_nccl = ncs_log_split(text.text, &line) && !ncs_map_number(&l->left_out, line.process + 1);
        if (of_nccl && line.torn)
            of_nccl = mend(l, &line);
        else if (of_nccl && !l->building)
            ncs_map_put_number(&l->process, line.process, 1);
        if (!stop && of_nccl)
            doubt_end(l, &line); /* the line may be incomplete */
        else if (of_nccl)
            ok = take(l, &line);
        at += bytes + 1;
    }
    ncs_str_free(&text);
    return ok;
}

/* Learns which processes have lines of INIT, which say more about communicators than those of CALL. */
static void find_inits(struct log *l)
{
    struct log_line line = { 0 };
    struct log_init init;
    for (size_t i = 0; i < l->kepts && l->any_init && l->any_made; i++) {
        struct ncs_lines lines = ncs_lines_of(&l->kept[i].text);
        while (ncs_lines_next(&lines))
            if (strstr(lines.text.text, " - Init ") && ncs_log_split(lines.text.text, &line) && !line.traced && !line.torn &&
                ncs_log_parse(&line, &init, &(struct log_call){ 0 }) == LOG_LINE_INIT)
                ncs_map_put_number(&l->has_inits, line.process + 1, 1);
    }
}

static bool read_all(struct log *l)
{
    bool ok = true;
    for (size_t i = 0; i < l->kepts && ok; i++)
        ok = read_file(l, &l->kept[i]);
    return ok;
}

/* ---- the whole log ---- */

/* What stood in a line that is cut off, its rank may have called. */
static void doubt_torn(struct log *l)
{
    for (size_t i = 0; i < l->entities; i++)
        if (ncs_map_number(&l->torn, l->entity[i].process))
            ncs_record_doubt(l->record, l->entity[i].rank, true,
                             "it could also be that rank %d made the missing calls: "
                             "lines of its log are cut off",
                             l->entity[i].rank);
}

/* A group was begun in this one, as in no group that ended: the end of this one was forgotten. */
static void end_open_group(struct log *l, int rank, const struct log_thread *t)
{
    l->record->rank[rank].open = t->nests && !l->nests ? GROUP_LEFT_OPEN : GROUP_MAY_WAIT;
    if (t->warned)
        ncs_record_doubt(l->record, rank, true,
                         "it could also be that the group of rank %d failed: NCCL warned in it, and "
                         "logs no end of a group that fails",
                         rank);
}

static void end_groups(struct log *l)
{
    for (size_t i = 0; i < l->entities && l->groupless && !l->shows_groups; i++)
        l->record->rank[l->entity[i].rank].open = GROUP_UNSEEN;
    for (size_t i = 0; i < l->threads; i++)
        for (size_t k = 0; k < l->thread[i].entities && l->thread[i].depth > 0; k++)
            end_open_group(l, l->entity[l->thread[i].entity[k]].rank, &l->thread[i]);
}

static bool has_calls(struct log *l)
{
    struct ncs_error *err = l->err;
    if (l->bounds || !l->unbound)
        return true;
    ncs_fail(err, NCS_BAD_INPUT, "%zu calls, but no line says which rank of which communicator made them", l->unbound);
    ncs_fail_hint(err, "record with NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=INIT,DESTROY,CALL, from the start of the job");
    return ncs_fail_at(err, l->kept[0].path, 0, 0);
}

static void note_lines(struct log *l)
{
    if (l->warnings)
        ncs_record_note(l->record, "NCCL warned %zu time%s, first at %s:%d: %.200s", l->warnings, l->warnings == 1 ? "" : "s",
                        l->warning_file, l->first_warning, l->warning.text);
    ncs_log_note_loose(l);
    if (l->loose_pairs)
        ncs_record_note(l->record,
                        "%zu send%s or receive%s left out: without lines of INIT, nothing tells which ranks "
                        "they name",
                        l->loose_pairs, l->loose_pairs == 1 ? "" : "s", l->loose_pairs == 1 ? " is" : "s are");
    if (l->torn_lines)
        ncs_record_note(l->record, "%zu line%s cut off by another one, the first at %s:%d", l->torn_lines,
                        l->torn_lines == 1 ? " is" : "s are", l->torn_file, l->first_torn);
    if (l->bounds && l->unbound)
        ncs_record_note(l->record, "%zu call%s on communicators of which no line tells the ranks %s left out", l->unbound,
                        l->unbound == 1 ? "" : "s", l->unbound == 1 ? "is" : "are");
    if (l->warnings_only) {
        if (l->any_call)
            ncs_record_note(l->record, "the calls of NCCL's log are not used: the dumps have them");
        return;
    }
    if (l->odd)
        ncs_record_note(l->record, "%zu line%s of NCCL's %s not understood, the first is %s:%d", l->odd, l->odd == 1 ? "" : "s",
                        l->odd == 1 ? "is" : "are", l->odd_file, l->first_odd);
    ncs_record_note(l->record, "NCCL's log does not show which calls have completed: a rank is assumed to wait if "
                               "another one has not made its call");
}

static bool log_is(const struct trace_file *file)
{
    const char *text = file->text.text;
    return strstr(text, " NCCL INFO ") || strstr(text, " NCCL CALL ") || strstr(text, " NCCL WARN ") ||
           (strncmp(text, "NCCL version ", 13) == 0 && !strstr(text, "CUDA runtime version ")); /* which is of RAS */
}

/* Keeps a copy of the text: it is read twice, once all are there. */
enum trace_taken ncs_log_take(void *state, struct trace_file *file)
{
    struct log *l = state;
    l->any_init |= strstr(file->text.text, " - Init ") != NULL;
    l->any_made |= strstr(file->text.text, " NCCL CALL ncclComm") != NULL;
    l->any_call |= strstr(file->text.text, ": opCount ") || strstr(file->text.text, " NCCL CALL nccl");
    struct trace_file own = { .path = file->path };
    ncs_str_add_bytes(&own.text, file->text.text, file->text.bytes); /* other readers read it, too */
    NCS_PUSH(l->kept, l->kepts, l->kept_room, own);
    return TRACE_TAKEN;
}

bool ncs_log_finish(void *state)
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
    l->first_comm = r->comms;
    ncs_log_find_starts(l);
    find_inits(l);
    bool ok = read_all(l) && ncs_log_bind_loose(l);
    ncs_log_doubt_parts(l);
    ok = ok && ncs_log_number_ranks(l);
    l->building = true;
    ncs_map_free(&l->bound_of);
    l->bound_of = (struct ncs_map){ 0 };
    ok = ok && ncs_log_bind_loose(l) && read_all(l) && has_calls(l);
    if (ok) {
        doubt_torn(l);
        ncs_log_note_gaps(&l->gaps, r);
        ncs_log_mark_given_up(l);
        ncs_log_drop_refused(l);
    }
    ok = ok && ncs_log_align(r, l->warnings > 0, l->err);
    if (ok) {
        ncs_log_doubt_unseen(l);
        end_groups(l);
        note_lines(l);
    }
    return ok;
}

void ncs_log_end(void *state)
{
    struct log *l = state;
    for (size_t i = 0; i < l->threads; i++) {
        ncs_free(l->thread[i].entity);
        ncs_free(l->thread[i].group_call);
        ncs_free(l->thread[i].recent);
    }
    for (size_t i = 0; i < l->kepts; i++)
        ncs_str_free(&l->kept[i].text);
    ncs_free(l->kept);
    ncs_free(l->thread);
    ncs_str_free(&l->warning);
    ncs_free(l->bound);
    ncs_free(l->entity);
    ncs_free(l->loose);
    ncs_free(l->anonymous);
    ncs_map_free(&l->loose_of);
    ncs_map_free(&l->process);
    ncs_map_free(&l->torn);
    ncs_map_free(&l->left_out);
    ncs_map_free(&l->numbered);
    ncs_map_free(&l->member);
    ncs_map_free(&l->bound_of);
    ncs_map_free(&l->bound_at);
    ncs_log_free_parts(l);
    ncs_free(l->suspect);
    ncs_map_free(&l->unnumbered);
    ncs_map_free(&l->given_up);
    ncs_map_free(&l->has_inits);
    ncs_map_free(&l->comm_of);
    ncs_map_free(&l->entity_of);
    ncs_map_free(&l->thread_of);
    ncs_map_free(&l->has_calls);
    ncs_log_gaps_free(&l->gaps);
}

const struct trace_reader ncs_reader_log = {
    .kind = "NCCL log",
    .word = "log",
    .next = "next: the whole log of all ranks (NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=INIT,DESTROY,CALL), and what shows who waits: "
            "stacks (py-spy dump, gdb), ncclras, dumps of PyTorch's Flight Recorder",
    .is = log_is,
    .bytes = sizeof(struct log),
    .take = ncs_log_take,
    .finish = ncs_log_finish,
    .end = ncs_log_end,
};
