/* Reads the lines that PyTorch's watchdog writes when a collective runs out of time, and those of the report of
 * TORCH_NCCL_DESYNC_DEBUG. They say how far each rank came, and which call it waits for; no other file is pasted as
 * often. The forms are those of PyTorch 1.13 to 2.9 (ProcessGroupNCCL.cpp, TraceUtils.h). */
#include "trace/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/flight_words.h"
#include "trace/lines.h"

int ncs_watch_group(struct watchdog *w, const char *name, const char *desc)
{
    uint64_t key = ncs_hash_bytes(0, name, strlen(name));
    size_t at = ncs_map_number(&w->group_at, key);
    if (!at) {
        struct watch_group fresh = { .name = ncs_copy_text(name) };
        NCS_PUSH(w->group, w->groups, w->room, fresh);
        ncs_map_put_number(&w->group_at, key, at = w->groups);
    }
    if (desc && !w->group[at - 1].desc)
        w->group[at - 1].desc = ncs_copy_text(desc);
    return (int)at - 1;
}

struct watch_rank *ncs_watch_rank(struct watch_group *g, int rank)
{
    size_t at = ncs_map_number(&g->at, (uint64_t)rank + 1);
    if (!at) {
        struct watch_rank fresh = { .rank = rank, .self = -1, .made = -1, .over = -1, .late = -1 };
        NCS_PUSH(g->of, g->ranks, g->room, fresh);
        ncs_map_put_number(&g->at, (uint64_t)rank + 1, at = g->ranks);
    }
    return &g->of[at - 1];
}

/* ---- parts of a line ---- */

struct watch_line {
    const char *text;
    const char *path;
    int number;
    int rank, self; /* -1 = not said */
    bool named;     /* the group is */
    bool global;    /* the rank is said to be that of the run */
    char name[64], desc[64];
};

/* "[rank13]:" has the rank of the run; "Rank 1]" that of the group. Without the former, as before PyTorch 2.2, the
 * latter is taken for both. */
static void find_watch_ranks(struct watch_line *l)
{
    int64_t n;
    l->rank = ncs_number_after(l->text, "[rank", &n) && n >= 0 && n < NCS_RECORD_RANKS ? (int)n : -1;
    l->global = l->rank >= 0;
    l->self = -1;
    for (const char *p = l->text; (p = strstr(p, "Rank ")); p += 5) {
        size_t digits = strspn(p + 5, "0123456789");
        if (digits && digits < 6 && p[5 + digits] == ']')
            l->self = atoi(p + 5);
    }
    if (l->self >= NCS_RECORD_RANKS)
        l->self = -1;
    l->rank = l->rank < 0 ? l->self : l->rank;
}

/* "[PG ID 2 PG GUID 11(mesh_tp) Rank 1]", "[PG 1 (default_pg) Rank 3]", "[PG 0 Rank 1]". An id counts the groups of
 * a process, a GUID is the name of the group on all ranks. */
static void find_watch_group(struct watch_line *l)
{
    const char *at = strstr(l->text, "PG GUID ");
    at = at ? at + 8 : strstr(l->text, "[PG ");
    if (at && strncmp(at, "[PG ", 4) == 0)
        at += 4;
    size_t bytes = at ? strcspn(at, "( ]") : 0;
    l->named = bytes > 0 && bytes < sizeof l->name;
    if (!l->named)
        return;
    snprintf(l->name, sizeof l->name, "%.*s", (int)bytes, at);
    at += bytes;
    at += strspn(at, " ");
    if (*at == '(')
        snprintf(l->desc, sizeof l->desc, "%.*s", (int)strcspn(at + 1, ")"), at + 1);
}

static bool watch_number(const char *text, const char *const *words, int64_t *number)
{
    for (; *words; words++)
        if (ncs_number_after(text, *words, number) && *number >= -1)
            return true;
    return false;
}

static const char *const made_words[] = { "last enqueued NCCL work: ", "last enqueued work: ", NULL };
static const char *const over_words[] = { "last completed NCCL work: ", "last completed work: ", NULL };
static const char *const late_words[] = { "at NCCL work: ", "at work: ", "at work sequence id: ", NULL };

/* ---- what a rank waits for ---- */

/* The function of "ALLREDUCE" or "allreduce"; -1 = a batch, or not known. */
static int watch_function(struct watchdog *w, const char *type)
{
    char name[64];
    enum ncs_fn fn;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(type, ",) \t"), type);
    enum flight_word word = ncs_flight_word(name, &fn);
    w->pairs += word == FLIGHT_P2P;
    return word == FLIGHT_P2P ? -2 : word == FLIGHT_CALL ? (int)fn : -1;
}

static void see_rank(struct watch_rank *k, const struct watch_line *l)
{
    if (!k->line) {
        k->line = l->number;
        k->path = l->path;
    }
    if (l->self >= 0)
        k->self = l->self;
}

static void add_late(struct watchdog *w, const struct watch_line *l, int group, int64_t seq, int fn, int64_t count)
{
    struct watch_late late = { .group = group,
                               .rank = l->rank,
                               .self = l->self,
                               .seq = seq,
                               .fn = fn,
                               .sized = count >= 0,
                               .count = count >= 0 ? (uint64_t)count : 1,
                               .line = l->number,
                               .path = l->path };
    if (w->lates < NCS_RECORD_CALLS)
        NCS_PUSH(w->late, w->lates, w->late_room, late);
}

/* "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for": the line does not name
 * the group, unless it begins with it. */
static void read_late(struct watchdog *w, const struct watch_line *l, const char *work)
{
    int64_t seq, in = -1, out = -1;
    const char *type = strstr(work, "OpType=");
    int fn = type ? watch_function(w, type + 7) : -1;
    if (fn == -2 || !ncs_number_after(work, "SeqNum=", &seq) || seq < 0)
        return;
    const struct ncs_fn_info *info = fn >= 0 ? &ncs_fn_info[fn] : NULL;
    bool by_output = info && ncs_blocks_are_many(info->reads) && !ncs_blocks_are_many(info->writes);
    ncs_number_after(work, "NumelIn=", &in);
    ncs_number_after(work, "NumelOut=", &out);
    int group = l->named ? ncs_watch_group(w, l->name, l->desc[0] ? l->desc : NULL) : -1;
    struct watch_line own = *l;
    if (!l->named && l->global) /* PyTorch before 2.14 keeps the prefix of the process's first group (pytorch#191440) */
        own.self = -1;
    add_late(w, &own, group, seq, fn, fn >= 0 ? by_output ? out : in : -1);
}

static void read_status(struct watchdog *w, const struct watch_line *l, int64_t made, int64_t over)
{
    int group = ncs_watch_group(w, l->named ? l->name : "0", l->desc[0] ? l->desc : NULL);
    struct watch_rank *k = ncs_watch_rank(&w->group[group], l->rank);
    int64_t late;
    if (k->over >= 0 && over >= 0 && over < k->over) {
        w->again = true;
        return;
    }
    see_rank(k, l);
    k->made = made >= 0 && made > k->made ? made : k->made;
    k->over = over >= 0 && k->over < 0 ? over : k->over;
    if (watch_number(l->text, late_words, &late) && late >= 0 && k->late < 0)
        k->late = late;
}

/* ---- the report of a desync ---- */

static struct watch_rank *desync_rank(struct watchdog *w, const struct watch_line *l, int group, int rank)
{
    struct watch_rank *k = ncs_watch_rank(&w->group[group], rank);
    k->self = k->self < 0 ? rank : k->self;
    if (!k->line) {
        k->line = l->number;
        k->path = l->path;
    }
    return k;
}

/* "[1, 3] joined but didn't finish collective #5", "[2] finished collective #4, but didn't join collective #5", and of
 * the snapshot "#5 started ranks:" with "[1, 3] started ALLREDUCE". */
static bool read_desync(struct watchdog *w, const struct watch_line *l, int64_t *at)
{
    const char *open = strchr(l->text, '['), *close = open ? strchr(open, ']') : NULL;
    int64_t seq;
    if (strstr(l->text, " started ranks:") || strstr(l->text, " finished ranks:"))
        return ncs_number_after(l->text, "#", at);
    if (!close)
        return false;
    bool joined = strncmp(close, "] joined but didn't finish collective #", 39) == 0;
    bool over = strncmp(close, "] finished collective #", 23) == 0;
    bool begun = *at >= 0 && strncmp(close, "] started ", 10) == 0, done = *at >= 0 && strncmp(close, "] finished ", 11) == 0;
    bool never = strstr(l->text, "never joined any collectives") != NULL;
    if (!joined && !over && !begun && !done && !never)
        return false;
    if (joined || over)
        ncs_number_after(close, "#", &seq);
    else
        seq = never ? 0 : *at;
    if (seq < 0)
        return false;
    size_t ranks;
    bool waits = joined || begun;
    int *rank = ncs_ranks_in(open, &ranks), group = ncs_watch_group(w, l->named ? l->name : "0", NULL);
    int fn = begun ? watch_function(w, close + 10) : -1;
    for (size_t i = 0; i < ranks && fn != -2; i++) {
        struct watch_rank *k = desync_rank(w, l, group, rank[i]);
        struct watch_line own = { .path = l->path, .number = l->number, .rank = rank[i], .self = rank[i] };
        k->made = k->made > seq ? k->made : seq;
        k->over = k->over >= 0 ? k->over : waits ? seq - 1 : seq;
        k->late = waits && k->late < 0 ? seq : k->late;
        if (begun)
            add_late(w, &own, group, seq, fn, -1);
    }
    ncs_free(rank);
    return true;
}

/* ---- the reader ---- */

static bool watchdog_is(const struct trace_file *file)
{
    const char *text = file->text.text;
    return strstr(text, "WorkNCCL(SeqNum=") || strstr(text, "last enqueued NCCL work: ") ||
           strstr(text, "last enqueued work: ") || strstr(text, "finish collective #") || strstr(text, "finished collective #") ||
           strstr(text, " started ranks:") || strstr(text, "never joined any collectives");
}

static enum trace_taken watchdog_take(void *state, struct trace_file *file)
{
    struct watchdog *w = state;
    struct ncs_lines lines = ncs_lines_of(&file->text);
    int64_t at = -1; /* the number in the snapshot of a desync */
    while (ncs_lines_next(&lines)) {
        struct watch_line l = { .text = lines.text.text, .path = file->path, .number = lines.number };
        const char *work = strstr(l.text, "WorkNCCL(SeqNum=");
        int64_t made = -1, over = -1;
        bool counts = watch_number(l.text, made_words, &made);
        bool status = watch_number(l.text, over_words, &over) || counts;
        find_watch_ranks(&l);
        find_watch_group(&l);
        if (work && (strstr(l.text, "Watchdog caught") || strstr(work, "ran for")) && l.rank >= 0)
            read_late(w, &l, work);
        else if (status && l.rank >= 0)
            read_status(w, &l, made, over);
        else if (!read_desync(w, &l, &at) && !strstr(l.text, "ranks:"))
            at = -1;
    }
    return TRACE_TAKEN;
}

static bool watchdog_finish(void *state)
{
    return ncs_watch_join(state);
}

static void free_watch_group(struct watch_group *g)
{
    ncs_free(g->name);
    ncs_free(g->desc);
    ncs_free(g->of);
    ncs_map_free(&g->at);
}

static void watchdog_end(void *state)
{
    struct watchdog *w = state;
    for (size_t i = 0; i < w->groups; i++)
        free_watch_group(&w->group[i]);
    ncs_free(w->late);
    ncs_map_free(&w->group_at);
    ncs_free(w->group);
}

const struct trace_reader ncs_reader_watchdog = {
    .kind = "watchdog lines",
    .word = "watchdog line",
    .next = "next: the watchdog's lines of all ranks (\"Watchdog caught\" and \"last enqueued\"), and dumps "
            "of all ranks, which TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 writes at a "
            "time-out",
    .is = watchdog_is,
    .bytes = sizeof(struct watchdog),
    .take = watchdog_take,
    .finish = watchdog_finish,
    .end = watchdog_end,
};
