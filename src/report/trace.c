/* A run in the JSON format of Chrome's trace viewer, which Perfetto reads: a process for each rank,
 * a thread for each row, bars, arrows, and marks of faults. Times are microseconds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/safe.h"
#include "report/format.h"
#include "report/chart.h"
#include "report/places.h"
#include "report/text.h"

struct writer {
    const struct ncs_report_run *run;
    const struct ncs_result *r;
    const struct ncs_chart *l;
    struct ncs_str *out;
    bool any;
};

/* ---- JSON ---- */

static void trace_add_text(const char *s, struct ncs_str *out)
{
    struct ncs_str utf8 = { 0 };
    ncs_safe_utf8(&utf8, s ? s : "", s ? strlen(s) : 0);
    ncs_str_add(out, "\"");
    for (size_t i = 0; i < utf8.bytes; i++) {
        unsigned char c = (unsigned char)utf8.text[i];
        if (c == '"' || c == '\\')
            ncs_str_addf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            ncs_str_addf(out, "\\u%04x", c);
        else
            ncs_str_add_bytes(out, &c, 1);
    }
    ncs_str_add(out, "\"");
    ncs_str_free(&utf8);
}

static void trace_add_time(const char *key, int64_t ns, struct ncs_str *out)
{
    ncs_str_addf(out, ",\"%s\":%" PRId64, key, ns / 1000);
    if (ns % 1000)
        ncs_str_addf(out, ".%03d", (int)(ns % 1000));
}

/* Begins an event of a row; its members follow, and "}". */
static void trace_begin(struct writer *w, char phase, const struct ncs_chart_row *row, size_t tid)
{
    ncs_str_addf(w->out, "%s\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%zu", w->any ? "," : "", phase, row->rank, tid);
    w->any = true;
}

static void trace_member(struct writer *w, const char *key, const char *value)
{
    if (!value)
        return;
    ncs_str_addf(w->out, ",\"%s\":", key);
    trace_add_text(value, w->out);
}

/* The number of a row in its rank, from 1. */
static size_t tid_of(const struct ncs_chart *l, size_t row)
{
    size_t first = row;
    while (first > 0 && l->row[first - 1].rank == l->row[row].rank)
        first--;
    return row - first + 1;
}

/* ---- what is what ---- */

static void trace_name(struct writer *w, const char *what, const struct ncs_chart_row *row, size_t tid, const char *value)
{
    trace_begin(w, 'M', row, tid);
    trace_member(w, "name", what);
    ncs_str_add(w->out, ",\"args\":{\"name\":");
    trace_add_text(value, w->out);
    ncs_str_add(w->out, "}}");
}

static void sort_index(struct writer *w, const char *what, const struct ncs_chart_row *row, size_t tid, size_t index)
{
    trace_begin(w, 'M', row, tid);
    trace_member(w, "name", what);
    ncs_str_addf(w->out, ",\"args\":{\"sort_index\":%zu}}", index);
}

static void trace_add_names(struct writer *w, size_t i)
{
    const struct ncs_chart_row *row = &w->l->row[i];
    size_t tid = tid_of(w->l, i);
    char rank[32];
    snprintf(rank, sizeof rank, "rank %d", row->rank);
    if (tid == 1) {
        trace_name(w, "process_name", row, tid, rank);
        sort_index(w, "process_sort_index", row, tid, (size_t)row->rank);
    }
    trace_name(w, "thread_name", row, tid, row->name);
    sort_index(w, "thread_sort_index", row, tid, tid);
}

/* ---- bars ---- */

struct args {
    struct ncs_str *out;
    bool any;
};

static void trace_add_key(struct args *a, const char *key)
{
    ncs_str_addf(a->out, "%s\"%s\":", a->any ? "," : "", key);
    a->any = true;
}

static void number_arg(struct args *a, const char *key, int64_t n)
{
    trace_add_key(a, key);
    ncs_str_addf(a->out, "%" PRId64, n);
}

static void text_arg(struct args *a, const char *key, const char *s)
{
    if (!s || !*s)
        return;
    trace_add_key(a, key);
    trace_add_text(s, a->out);
}

static void place_args(const struct writer *w, struct args *a, struct ncs_place place, const char *label)
{
    const char *at = ncs_report_place(w->run, place.line);
    text_arg(a, "at", at);
    if (place.line > 0 && !at)
        number_arg(a, "line", place.line);
    text_arg(a, "label", label);
}

/* Arguments of collectives, sends and receives. */
static void counted_args(const struct writer *w, struct args *a, const struct ncs_call *c)
{
    if (c->comm >= 0)
        text_arg(a, "comm", w->r->journal->comm[c->comm]->name);
    if (!c->number)
        return;
    number_arg(a, "call", c->number);
    number_arg(a, "count", (int64_t)ncs_call_count(c));
    text_arg(a, "dtype", ncs_dtype_name(ncs_call_dtype(c)));
    text_arg(a, "op", ncs_redop_name(ncs_call_op(c)));
    if (ncs_call_root(c) >= 0)
        number_arg(a, "root", ncs_call_root(c));
    if (ncs_call_peer(c) >= 0)
        number_arg(a, "peer", ncs_call_peer(c));
}

static void add_args(struct writer *w, const struct ncs_bar *bar)
{
    struct args a = { .out = w->out };
    ncs_str_add(w->out, ",\"args\":{");
    text_arg(&a, "text", bar->text);
    if (bar->call)
        counted_args(w, &a, bar->call);
    if (bar->kind == NCS_BAR_DEVICE) {
        text_arg(&a, "kind", bar->device->kind);
        if (bar->device->calls > 1)
            number_arg(&a, "calls", (int64_t)bar->device->calls);
        if (bar->begin >= bar->device->queued) {
            trace_add_key(&a, "queued_us");
            ncs_str_addf(w->out, "%.3f", (double)(bar->begin - bar->device->queued) / 1000);
        }
    }
    if (bar->number)
        number_arg(&a, "number", (int64_t)bar->number);
    if (bar->kind == NCS_BAR_CALL && bar->call->group)
        number_arg(&a, "group", (int64_t)bar->call->group);
    if (bar->host)
        place_args(w, &a, bar->host->place, bar->call ? bar->call->label : NULL);
    else if (bar->call)
        place_args(w, &a, bar->call->place, bar->call->label);
    ncs_str_add(w->out, "}}");
}

static const char *const categories[] = {
    [NCS_BAR_CALL] = "call",
    [NCS_BAR_WAIT] = "wait",
    [NCS_BAR_DEVICE] = "device",
    [NCS_BAR_END] = "end",
};

static void trace_add_bar(struct writer *w, const struct ncs_bar *bar, size_t tid)
{
    trace_begin(w, bar->end < 0 ? 'B' : 'X', &w->l->row[bar->row], tid);
    trace_add_time("ts", bar->begin, w->out);
    if (bar->end >= 0)
        trace_add_time("dur", bar->end - bar->begin, w->out);
    trace_member(w, "name", bar->name);
    trace_member(w, "cat", bar->queued ? "queued" : categories[bar->kind]);
    add_args(w, bar);
}

static void add_chart_row(struct writer *w, size_t i)
{
    const struct ncs_chart_row *row = &w->l->row[i];
    size_t tid = tid_of(w->l, i);
    trace_add_names(w, i);
    for (size_t k = 0; k < row->bars; k++)
        trace_add_bar(w, &w->l->bar[row->bar[k]], tid);
}

/* ---- arrows and marks ---- */

static void trace_add_end(struct writer *w, const struct ncs_arrow *arrow, size_t id, bool first)
{
    static const struct {
        const char *name, *cat;
    } what[] = {
        [NCS_ARROW_COLLECTIVE] = { "last to come", "match" },
        [NCS_ARROW_PAIR] = { "send to receive", "match" },
        [NCS_ARROW_SIGNAL] = { "signal to wait", "match" },
        [NCS_ARROW_WAIT] = { "waits for", "wait" },
    };
    const struct ncs_bar *bar = &w->l->bar[first ? arrow->from : arrow->to];
    int64_t time = ncs_arrow_time(w->l, arrow);
    trace_begin(w, first ? 's' : 'f', &w->l->row[bar->row], tid_of(w->l, bar->row));
    ncs_str_addf(w->out, ",\"id\":%zu", id);
    trace_add_time("ts", first && arrow->kind != NCS_ARROW_WAIT ? bar->begin : time, w->out);
    trace_member(w, "name", what[arrow->kind].name);
    trace_member(w, "cat", what[arrow->kind].cat);
    ncs_str_add(w->out, first ? "}" : ",\"bp\":\"e\"}");
}

static void trace_add_mark(struct writer *w, const struct ncs_mark *m)
{
    size_t row = 0;
    while (row < w->l->rows && !(w->l->row[row].rank == m->rank && w->l->row[row].host && w->l->row[row].thread == m->thread))
        row++;
    if (row == w->l->rows)
        return;
    struct args a = { .out = w->out };
    trace_begin(w, 'i', &w->l->row[row], tid_of(w->l, row));
    trace_add_time("ts", m->time, w->out);
    trace_member(w, "name", m->text);
    ncs_str_add(w->out, ",\"cat\":\"fault\",\"s\":\"t\",\"args\":{");
    place_args(w, &a, m->place, NULL);
    ncs_str_add(w->out, "}}");
}

/* ---- the whole ---- */

static void trace_add_facts(struct writer *w)
{
    struct ncs_str text = { 0 };
    const struct ncs_result *r = w->r;
    ncs_str_add(w->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"scenario\":");
    ncs_report_case(w->run, &text);
    trace_add_text(text.text, w->out);
    ncs_str_clear(&text);
    ncs_report_message(w->run, &text);
    ncs_report_name_places(w->run, &text);
    trace_member(w, "message", text.text);
    trace_member(w, "verdict", ncs_verdict_name(r->verdict));
    ncs_str_addf(w->out, ",\"ranks\":%d", r->ranks);
    trace_member(w, "driver", r->driver);
    trace_member(w, "nccl", r->nccl);
    trace_member(w, "policy", r->policy == NCS_POLICY_TYPICAL ? "typical" : "strict");
    ncs_str_addf(w->out, ",\"seed\":\"%" PRIu64 "\",\"calls\":%" PRIu64, r->seed, r->calls);
    trace_member(w, "time", w->run->origin ? "order of calls" : r->driver && strcmp(r->driver, "sim") == 0 ? "virtual" : "real");
    ncs_str_add(w->out, "},\"traceEvents\":[");
    ncs_str_free(&text);
}

void ncs_report_trace(const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_chart rows;
    const struct ncs_timeline *t = run->result->timeline;
    ncs_chart_build(run, &rows);
    struct writer w = { .run = run, .r = run->result, .l = &rows, .out = out };
    trace_add_facts(&w);
    for (size_t i = 0; i < rows.rows; i++)
        add_chart_row(&w, i);
    for (size_t i = 0; i < t->marks; i++)
        trace_add_mark(&w, &t->mark[i]);
    for (size_t i = 0; i < rows.arrows; i++)
        for (int end = 0; end < 2; end++)
            trace_add_end(&w, &rows.arrow[i], i + 1, end == 0);
    ncs_str_add(out, "\n]}\n");
    ncs_chart_free(&rows);
}
