/* A log may hold several starts of a job: a launcher has started its processes anew, and NCCL appends to its file. The newest
 * start counts. Processes that share a communicator, by the id that NCCL draws, are of one start. A process is of a later
 * start than another one if it is the same rank of a communicator of the same size on the same GPU, and its lines come
 * behind all lines of the other one in a file. */
#include <string.h>

#include "trace/lines.h"
#include "trace/log.h"

struct start_process {
    uint64_t process;
    size_t unit;   /* union-find: index of another one of its start, or its own */
    char name[64]; /* "node0:4711" */
    const char *file;
    int line; /* its first line */
    bool old;
};

struct start_span { /* the lines of a process in a file */
    int first, last;
};

struct start_join {                /* a rank of a communicator */
    size_t process, span, earlier; /* earlier: index + 1 of the one before on that GPU, in the file */
    const char *file;
    int line, rank;
};

struct log_starts {
    struct log *log;
    struct start_process *of;
    size_t count, room;
    struct start_span *span;
    size_t spans, span_room;
    struct start_join *join;
    size_t joins, join_room;
    struct ncs_map process_of, span_of, first_of_id, newest; /* -> index + 1; turns of ranks */
};

static size_t start_root(const struct log_starts *s, size_t at)
{
    while (s->of[at].unit != at)
        at = s->of[at].unit;
    return at;
}

static size_t start_process(struct log_starts *s, const struct log_line *line)
{
    size_t at = ncs_map_number(&s->process_of, line->process + 1);
    if (!at) {
        struct start_process fresh = { .process = line->process, .unit = s->count, .file = line->file, .line = line->number };
        size_t bytes = line->origin_bytes < sizeof fresh.name ? line->origin_bytes : sizeof fresh.name - 1;
        memcpy(fresh.name, line->origin, bytes);
        NCS_PUSH(s->of, s->count, s->room, fresh);
        ncs_map_put_number(&s->process_of, line->process + 1, at = s->count);
    }
    return at - 1;
}

static size_t start_span(struct log_starts *s, const struct log_line *line)
{
    uint64_t key = ncs_log_key(ncs_map_key(line->file), line->process);
    size_t at = ncs_map_number(&s->span_of, key);
    if (!at) {
        struct start_span fresh = { .first = line->number };
        NCS_PUSH(s->span, s->spans, s->span_room, fresh);
        ncs_map_put_number(&s->span_of, key, at = s->spans);
    }
    s->span[at - 1].last = line->number;
    return at - 1;
}

/* With NCCL_COMM_ID all starts have one id: the nth processes of its ranks are of one start. */
static void join_start(struct log_starts *s, const struct log_init *init, size_t process)
{
    uint64_t own = ncs_hash(ncs_log_key(5, init->id), (uint64_t)init->rank), turns = ncs_hash(own, 1);
    size_t turn = ncs_map_number(&s->first_of_id, turns);
    if (ncs_map_number(&s->first_of_id, own) != process + 1)
        ncs_map_put_number(&s->first_of_id, turns, ++turn);
    ncs_map_put_number(&s->first_of_id, own, process + 1);
    uint64_t start = ncs_hash(ncs_log_key(6, init->id), turn);
    size_t other = ncs_map_number(&s->first_of_id, start);
    if (other)
        s->of[start_root(s, process)].unit = start_root(s, other - 1);
    else
        ncs_map_put_number(&s->first_of_id, start, process + 1);
}

static void see_start(struct log_starts *s, const struct log_line *line)
{
    struct log_init init;
    struct log_call call;
    size_t process = start_process(s, line), span = start_span(s, line);
    if (ncs_log_parse(line, &init, &call) != LOG_LINE_INIT || init.anonymous || init.parent || !init.id)
        return;
    join_start(s, &init, process);
    const char *colon = memchr(line->origin, ':', line->origin_bytes), *bus = strstr(line->text, " busId ");
    uint64_t gpu = ncs_hash_bytes(ncs_log_key((uint64_t)init.device, (uint64_t)init.rank), line->origin,
                                  colon ? (size_t)(colon - line->origin) : line->origin_bytes);
    gpu = ncs_hash_bytes(ncs_hash(gpu, (uint64_t)init.nranks), bus ? bus : "", bus ? strcspn(bus + 7, " ") + 7 : 0);
    gpu = ncs_hash(gpu, ncs_map_key(line->file)) | 1;
    size_t before = ncs_map_number(&s->newest, gpu);
    if (before && s->join[before - 1].process == process)
        return;
    struct start_join own = { process, span, before, line->file, line->number, init.rank };
    NCS_PUSH(s->join, s->joins, s->join_room, own);
    ncs_map_put_number(&s->newest, gpu, s->joins);
}

static void see_starts(struct log_starts *s)
{
    struct log_line line = { 0 };
    for (size_t i = 0; i < s->log->kepts; i++) {
        struct ncs_lines lines = ncs_lines_of(&s->log->kept[i].text);
        while (ncs_lines_next(&lines)) {
            line.file = s->log->kept[i].path;
            line.number = lines.number;
            if (ncs_log_split(lines.text.text, &line) && !line.torn)
                see_start(s, &line);
        }
    }
}

/* Marks the starts that have a later one. Returns a rank's join of the later one; NULL = there is no such start. */
static const struct start_join *find_old(struct log_starts *s)
{
    const struct start_join *newer = NULL;
    for (size_t i = 0; i < s->joins; i++) {
        const struct start_join *own = &s->join[i], *before = own->earlier ? &s->join[own->earlier - 1] : NULL;
        if (!before || s->span[before->span].last >= s->span[own->span].first)
            continue;
        size_t old = start_root(s, before->process);
        if (old == start_root(s, own->process))
            continue;
        s->of[old].old = true;
        newer = own;
    }
    /* Files that contradict each other leave none: then all lines count. */
    return newer && !s->of[start_root(s, newer->process)].old ? newer : NULL;
}

static void log_start_leave_out(struct log_starts *s, const struct start_join *newer)
{
    struct log *l = s->log;
    size_t processes = 0, starts = 0, first = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!s->of[start_root(s, i)].old)
            continue;
        starts += s->of[i].unit == i;
        first = processes++ ? first : i;
        ncs_map_put_number(&l->left_out, s->of[i].process + 1, 1);
    }
    ncs_record_note(l->record,
                    "the lines of %zu process%s of %s are left out, the first is %s, %s:%d; a newer process, %s:%d, is "
                    "rank %d on the same GPU",
                    processes, processes == 1 ? "" : "es", starts == 1 ? "an earlier start" : "earlier starts", s->of[first].name,
                    s->of[first].file, s->of[first].line, newer->file, newer->line, newer->rank);
}

void ncs_log_find_starts(struct log *l)
{
    struct log_starts s = { .log = l };
    if (l->any_init || l->any_made)
        see_starts(&s);
    const struct start_join *newer = find_old(&s);
    if (newer)
        log_start_leave_out(&s, newer);
    ncs_free(s.of);
    ncs_free(s.span);
    ncs_free(s.join);
    ncs_map_free(&s.process_of);
    ncs_map_free(&s.span_of);
    ncs_map_free(&s.first_of_id);
    ncs_map_free(&s.newest);
}
