#include "report/chart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/places.h"
#include "report/plan_words.h"

struct builder {
    struct ncs_chart *out;
    const struct ncs_result *r;
    const struct ncs_timeline *t;
    struct ncs_call_words *words; /* by rank */
    struct ncs_map row;           /* hash of a row's identity -> its index + 1 */
    struct ncs_map call;          /* id of a call -> its bar + 1 */
    size_t *of_device;            /* the first bar of each device span */
};

/* ---- rows ---- */

static uint64_t chart_row_key(const struct ncs_chart_row *l)
{
    uint64_t which = l->host ? (uint64_t)(int64_t)l->thread : (uint64_t)(uintptr_t)l->stream;
    return ncs_hash(ncs_hash((uint64_t)l->rank << 1 | l->host, (uint64_t)l->device), which);
}

static size_t find_chart_row(struct builder *b, const struct ncs_chart_row *like)
{
    uint64_t key = chart_row_key(like);
    uintptr_t found = (uintptr_t)ncs_map_get(&b->row, key);
    if (found)
        return found - 1;
    NCS_PUSH(b->out->row, b->out->rows, b->out->rows_room, *like);
    ncs_map_put(&b->row, key, (void *)(uintptr_t)b->out->rows);
    return b->out->rows - 1;
}

static size_t host_row(struct builder *b, int rank, int thread)
{
    return find_chart_row(b, &(struct ncs_chart_row){ .rank = rank, .host = true, .thread = thread });
}

/* Uses the same names of streams as the texts about calls. */
static void name_stream(const struct ncs_call_words *w, const struct ncs_chart_row *l, struct ncs_str *out)
{
    size_t i = 0;
    while (i < w->streams.count && w->streams.handle[i] != l->stream)
        i++;
    if (!l->stream)
        ncs_str_add(out, "legacy stream");
    else if (i == w->streams.count)
        ncs_str_add(out, "per-thread stream");
    else
        ncs_str_addf(out, "stream %zu", i + 1);
}

static int main_device(const struct builder *b, int rank)
{
    for (size_t i = 0; i < b->out->rows; i++)
        if (b->out->row[i].rank == rank && !b->out->row[i].host)
            return b->out->row[i].device;
    return 0;
}

static void name_chart_row(const struct builder *b, struct ncs_chart_row *l)
{
    struct ncs_str name = { 0 };
    if (l->host && l->thread == 0)
        ncs_str_add(&name, "main");
    else if (l->host && l->thread > 0)
        ncs_str_addf(&name, "thread %d", l->thread);
    else if (l->host)
        ncs_str_addf(&name, "callbacks of device %d", -1 - l->thread);
    else
        name_stream(&b->words[l->rank], l, &name);
    if (!l->host && l->device != main_device(b, l->rank))
        ncs_str_addf(&name, " of device %d", l->device);
    l->name = ncs_str_take(&name);
}

/* ---- bars ---- */

static size_t chart_add_bar(struct builder *b, struct ncs_bar bar)
{
    struct ncs_chart_row *row = &b->out->row[bar.row];
    NCS_PUSH(row->bar, row->bars, row->room, b->out->bars);
    NCS_PUSH(b->out->bar, b->out->bars, b->out->bars_room, bar);
    return b->out->bars - 1;
}

static void add_code(const struct ncs_call *call, struct ncs_str *out)
{
    enum ncs_result_kind kind = ncs_fn_info[call->fn].result;
    if (call->rc != 0 && (kind == NCS_RESULT_NCCL || kind == NCS_RESULT_CUDA))
        ncs_str_addf(out, " -> %s", kind == NCS_RESULT_NCCL ? ncs_nccl_result_name(call->rc) : ncs_cuda_error_name(call->rc));
}

static char *short_name(const struct ncs_call *call)
{
    const char *name = ncs_fn_info[call->fn].name;
    return ncs_copy_text(ncs_fn_info[call->fn].counted ? name + strlen("nccl") : name);
}

static void chart_add_call(struct builder *b, const struct ncs_host_span *s)
{
    struct ncs_str text = { 0 };
    struct ncs_bar bar = { .kind = NCS_BAR_CALL,
                           .host = s,
                           .call = s->call,
                           .begin = s->begin,
                           .end = s->never ? s->begin : s->end,
                           .number = s->call->id,
                           .row = host_row(b, s->rank, s->thread),
                           .name = short_name(s->call) };
    ncs_call_plan_describe(&b->words[s->rank], b->r->journal, s->call, &text);
    if (s->never)
        ncs_str_add(&text, " (never made: the rank was stopped here)");
    else if (s->end >= 0)
        add_code(s->call, &text);
    else
        ncs_str_add(&text, " (has not returned)");
    bar.text = ncs_str_take(&text);
    size_t at = chart_add_bar(b, bar);
    ncs_map_put(&b->call, s->call->id, (void *)(uintptr_t)(at + 1));
}

static void chart_add_wait(struct builder *b, const struct ncs_host_span *s)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, s->what);
    if (s->key)
        ncs_str_addf(&text, ": %s", s->key);
    if (s->end < 0)
        ncs_str_add(&text, " (waits still)");
    chart_add_bar(b, (struct ncs_bar){ .kind = NCS_BAR_WAIT,
                                       .host = s,
                                       .begin = s->begin,
                                       .end = s->end,
                                       .row = host_row(b, s->rank, s->thread),
                                       .name = ncs_copy_text(s->what),
                                       .text = ncs_str_take(&text) });
}

static void add_hosts(struct builder *b)
{
    for (int rank = 0; rank < b->r->ranks; rank++)
        host_row(b, rank, 0);
    for (size_t i = 0; i < b->t->hosts; i++) {
        const struct ncs_host_span *s = &b->t->host[i];
        if (s->rank < 0 || s->rank >= b->r->ranks)
            continue;
        if (s->call)
            chart_add_call(b, s);
        else
            chart_add_wait(b, s);
    }
}

/* "AllReduce", "4 calls: Send, Recv, Send, ..." */
static char *device_name(const struct ncs_device_span *s)
{
    struct ncs_str name = { 0 };
    if (strcmp(s->kind, "launch") != 0 || !s->calls)
        return ncs_copy_text(s->kind);
    if (s->calls == 1)
        return short_name(s->call[0]);
    ncs_str_addf(&name, "%zu calls: ", s->calls);
    for (size_t i = 0; i < s->calls && i < 4; i++)
        ncs_str_addf(&name, "%s%s", i ? ", " : "", ncs_fn_info[s->call[i]->fn].name + strlen("nccl"));
    if (s->calls > 4)
        ncs_str_add(&name, ", ...");
    return ncs_str_take(&name);
}

static const struct ncs_bar *bar_of(const struct builder *b, const struct ncs_call *call, size_t *at)
{
    uintptr_t found = call ? (uintptr_t)ncs_map_get(&b->call, call->id) : 0;
    *at = found;
    return found ? &b->out->bar[found - 1] : NULL;
}

static char *device_text(const struct builder *b, const struct ncs_device_span *s)
{
    struct ncs_str text = { 0 };
    size_t at;
    if (s->calls == 0)
        ncs_str_add(&text, s->kind);
    for (size_t i = 0; i < s->calls; i++) {
        const struct ncs_bar *from = bar_of(b, s->call[i], &at);
        if (i == 8) {
            ncs_str_addf(&text, "; and %zu more", s->calls - i);
            break;
        }
        struct ncs_str words = { 0 };
        ncs_call_describe(s->call[i], &words);
        bool counted = ncs_fn_info[s->call[i]->fn].counted;
        ncs_str_addf(&text, "%s%s", i ? "; " : "", counted || !from ? words.text : from->text);
        if (counted && s->call[i]->comm >= 0)
            ncs_str_addf(&text, " on %s, call %" PRIu32, b->r->journal->comm[s->call[i]->comm]->name, s->call[i]->number);
        ncs_str_free(&words);
    }
    if (s->end >= 0 && s->status)
        ncs_str_addf(&text, " -> %s", ncs_cuda_error_name(s->status));
    else if (s->end < 0)
        ncs_str_add(&text, s->begin < 0 ? " (has not begun)" : " (has not ended)");
    return ncs_str_take(&text);
}

/* After everything in the row so far. */
static int64_t could_begin(const struct ncs_chart *l, const struct ncs_chart_row *row, int64_t queued)
{
    const struct ncs_bar *last = row->bars ? &l->bar[row->bar[row->bars - 1]] : NULL;
    int64_t free = !last ? 0 : last->end >= 0 ? last->end : last->begin;
    return queued > free ? queued : free;
}

static void add_device(struct builder *b, const struct ncs_device_span *s)
{
    for (size_t i = 0; i < s->streams; i++) {
        struct ncs_bar bar = { .kind = NCS_BAR_DEVICE,
                               .device = s,
                               .queued = s->begin < 0,
                               .call = s->calls ? s->call[0] : NULL,
                               .begin = s->begin,
                               .end = s->end,
                               .name = device_name(s),
                               .text = device_text(b, s) };
        bar.row = find_chart_row(b, &(struct ncs_chart_row){ .rank = s->rank, .device = s->device, .stream = s->stream[i] });
        if (bar.queued)
            bar.begin = could_begin(b->out, &b->out->row[bar.row], s->queued);
        bar_of(b, bar.call, &bar.cause);
        size_t at = chart_add_bar(b, bar);
        if (i == 0)
            b->of_device[s - b->t->device] = at;
    }
}

/* ---- arrows ---- */

static void add_matches(struct builder *b)
{
    for (size_t i = 0; i < b->t->matches; i++) {
        const struct ncs_match *m = &b->t->match[i];
        struct ncs_arrow arrow = { .kind = (enum ncs_arrow_kind)m->kind,
                                   .from = b->of_device[m->from],
                                   .to = b->of_device[m->to] };
        NCS_PUSH(b->out->arrow, b->out->arrows, b->out->arrows_room, arrow);
    }
}

static const struct ncs_wait_line *chart_wait_of(const struct builder *b, int rank, int thread)
{
    for (size_t i = 0; i < b->r->diagnosis.waits; i++) {
        const struct ncs_wait_line *w = &b->r->diagnosis.wait[i];
        if (w->waiting && ncs_process_of(&b->r->diagnosis, w->rank) == rank && w->thread == thread)
            return w;
    }
    return NULL;
}

/* The thread's bar at the end of the run; one is added if the thread was in no call then. */
static size_t last_bar(struct builder *b, int rank, int thread)
{
    size_t at = host_row(b, rank, thread);
    const struct ncs_chart_row *row = &b->out->row[at];
    const struct ncs_bar *last = row->bars ? &b->out->bar[row->bar[row->bars - 1]] : NULL;
    if (last && (last->end < 0 || last->kind == NCS_BAR_END))
        return row->bar[row->bars - 1];
    const struct ncs_wait_line *w = chart_wait_of(b, rank, thread);
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, w && w->in ? "in %s" : "in no call", w ? w->in : "");
    if (w && w->place.line)
        ncs_str_addf(&text, ", line %d", w->place.line);
    return chart_add_bar(b, (struct ncs_bar){ .kind = NCS_BAR_END,
                                              .row = at,
                                              .begin = b->t->now,
                                              .end = b->t->now,
                                              .name = ncs_copy_text(w && w->in ? w->in : "end"),
                                              .text = ncs_str_take(&text) });
}

static void chart_add_awaited(struct ncs_bar *bar, const struct ncs_wait_line *w)
{
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "%s; waits for rank%s ", bar->text, w->peers == 1 ? "" : "s");
    ncs_str_add_many_ranks(&text, w->peer, w->peers);
    if (w->what)
        ncs_str_addf(&text, ", %s", w->what);
    else if (w->op)
        ncs_str_addf(&text, ", %s", w->op);
    ncs_free(bar->text);
    bar->text = ncs_str_take(&text);
}

/* The chart row of a rank's thread. A rank without a thread of its own uses its
 * process's first thread. */
static bool chart_row_of(struct builder *b, int rank, int *process, int *thread)
{
    const struct ncs_diagnosis *d = &b->r->diagnosis;
    bool has_own = rank >= 0 && (size_t)rank < d->parties && d->party[rank].thread > 0;
    *process = ncs_process_of(d, rank);
    *thread = has_own ? d->party[rank].thread : 0;
    return *process >= 0 && *process < b->r->ranks;
}

/* If one thread drives several ranks, only one of its waits is drawn. */
static void chart_add_waits(struct builder *b)
{
    for (size_t i = 0; i < b->r->diagnosis.waits; i++) {
        const struct ncs_wait_line *w = &b->r->diagnosis.wait[i];
        int process, own, peer, thread;
        if (!w->waiting || !w->peers || !chart_row_of(b, w->rank, &process, &own) || chart_wait_of(b, process, w->thread) != w)
            continue;
        size_t from = last_bar(b, process, w->thread);
        chart_add_awaited(&b->out->bar[from], w);
        for (size_t k = 0; k < w->peers && k < NCS_WAITS_DRAWN; k++) {
            if (w->peer[k] == w->rank || !chart_row_of(b, w->peer[k], &peer, &thread) || (peer == process && thread == w->thread))
                continue;
            struct ncs_arrow arrow = { NCS_ARROW_WAIT, from, last_bar(b, peer, thread) };
            NCS_PUSH(b->out->arrow, b->out->arrows, b->out->arrows_room, arrow);
        }
    }
}

struct ncs_place ncs_bar_place(const struct ncs_bar *bar)
{
    return bar->host ? bar->host->place : bar->call ? bar->call->place : (struct ncs_place){ NULL, 0 };
}

int64_t ncs_arrow_time(const struct ncs_chart *l, const struct ncs_arrow *a)
{
    int64_t from = l->bar[a->from].begin, to = l->bar[a->to].begin;
    return a->kind == NCS_ARROW_WAIT ? l->now : from > to ? from : to;
}

/* ---- the order of rows ---- */

/* Order of rows: host threads by number, then threads of devices (negative numbers), then streams
 * by first use. */
static int compare_chart_rows(const void *x, const void *y)
{
    const struct ncs_chart_row *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->host != b->host)
        return a->host ? -1 : 1;
    if (!a->host)
        return (a->room > b->room) - (a->room < b->room);
    int at = a->thread < 0 ? INT32_MAX + a->thread : a->thread;
    int bt = b->thread < 0 ? INT32_MAX + b->thread : b->thread;
    return (at > bt) - (at < bt);
}

static void sort_chart_rows(struct ncs_chart *l)
{
    for (size_t i = 0; i < l->rows; i++) /* no bar is added any more */
        l->row[i].room = i;
    qsort(l->row, l->rows, sizeof *l->row, compare_chart_rows);
    for (size_t i = 0; i < l->rows; i++)
        for (size_t k = 0; k < l->row[i].bars; k++)
            l->bar[l->row[i].bar[k]].row = i;
}

static void name_bar_places(const struct ncs_report_run *run, struct ncs_bar *bar)
{
    struct ncs_str text = { 0 };
    if (!run->places)
        return;
    ncs_str_add(&text, bar->text);
    ncs_report_name_places(run, &text);
    ncs_free(bar->text);
    bar->text = ncs_str_take(&text);
}

void ncs_chart_build(const struct ncs_report_run *run, struct ncs_chart *out)
{
    const struct ncs_result *r = run->result;
    *out = (struct ncs_chart){ .now = r->timeline->now, .ranks = r->ranks };
    struct builder b = { .out = out, .r = r, .t = r->timeline };
    b.words = ncs_new((size_t)r->ranks * sizeof *b.words);
    b.of_device = ncs_new((b.t->devices + 1) * sizeof *b.of_device);
    add_hosts(&b);
    for (size_t i = 0; i < b.t->devices; i++)
        if (b.t->device[i].rank >= 0 && b.t->device[i].rank < r->ranks)
            add_device(&b, &b.t->device[i]);
    add_matches(&b);
    chart_add_waits(&b);
    for (size_t i = 0; i < out->rows; i++)
        name_chart_row(&b, &out->row[i]);
    for (size_t i = 0; i < out->bars; i++)
        name_bar_places(run, &out->bar[i]);
    sort_chart_rows(out);
    for (int rank = 0; rank < r->ranks; rank++)
        ncs_call_words_free(&b.words[rank]);
    ncs_free(b.words);
    ncs_free(b.of_device);
    ncs_map_free(&b.row);
    ncs_map_free(&b.call);
}

void ncs_chart_free(struct ncs_chart *l)
{
    for (size_t i = 0; i < l->rows; i++) {
        ncs_free(l->row[i].name);
        ncs_free(l->row[i].bar);
    }
    for (size_t i = 0; i < l->bars; i++) {
        ncs_free(l->bar[i].name);
        ncs_free(l->bar[i].text);
    }
    ncs_free(l->row);
    ncs_free(l->bar);
    ncs_free(l->arrow);
}
