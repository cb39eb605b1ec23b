#include "bench/spans.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"
#include "bench/json.h"
#include "run/timeline/timeline.h"

/* The part of one rank in a call, or all parts of a collective joined. */
struct part {
    const struct ncs_call *call;
    int64_t begin, end;
};

struct parts {
    struct part *part;
    size_t count, room;
};

static bool is_one_call(const struct ncs_call *call)
{
    return ncs_call_is_collective(call) && call->ordinal > 0;
}

static int order_texts(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* By what the table has a line for. */
static int order_lines(const struct ncs_call *a, const struct ncs_call *b)
{
    int order = order_texts(a->label, b->label);
    if (order == 0 && a->fn != b->fn)
        order = a->fn < b->fn ? -1 : 1;
    if (order == 0 && !a->label)
        order = order_texts(a->place.file, b->place.file);
    if (order == 0 && !a->label && a->place.line != b->place.line)
        order = a->place.line < b->place.line ? -1 : 1;
    return order;
}

static int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Parts of one collective side by side. */
static int order_parts(const void *x, const void *y)
{
    const struct part *a = x, *b = y;
    int order = order_lines(a->call, b->call);
    if (order == 0)
        order = order_numbers((uint64_t)a->call->comm, (uint64_t)b->call->comm);
    if (order == 0 && is_one_call(a->call) && is_one_call(b->call))
        order = order_numbers(a->call->ordinal, b->call->ordinal);
    return order ? order : order_numbers(a->call->id, b->call->id);
}

static int order_by_line_and_time(const void *x, const void *y)
{
    const struct part *a = x, *b = y;
    int order = order_lines(a->call, b->call);
    return order ? order : a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : order_numbers(a->call->id, b->call->id);
}

static int order_by_time(const void *x, const void *y)
{
    const struct part *a = x, *b = y;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static void collect_parts(const struct ncs_timeline *t, struct parts *parts)
{
    for (size_t i = 0; i < t->devices; i++) {
        const struct ncs_device_span *s = &t->device[i];
        for (size_t c = 0; c < s->calls && s->begin >= 0 && s->end >= 0; c++)
            if (ncs_fn_info[s->call[c]->fn].counted && s->call[c]->comm >= 0) {
                struct part part = { s->call[c], s->begin, s->end };
                NCS_PUSH(parts->part, parts->count, parts->room, part);
            }
    }
}

static bool are_one_collective(const struct ncs_call *a, const struct ncs_call *b)
{
    return order_lines(a, b) == 0 && is_one_call(a) && is_one_call(b) && a->comm == b->comm && a->ordinal == b->ordinal;
}

static void join_collectives(struct parts *parts)
{
    size_t kept = 0;
    qsort(parts->part, parts->count, sizeof *parts->part, order_parts);
    for (size_t i = 0; i < parts->count; i++) {
        struct part *last = kept ? &parts->part[kept - 1] : NULL, *part = &parts->part[i];
        if (!last || !are_one_collective(last->call, part->call)) {
            parts->part[kept++] = *part;
            continue;
        }
        last->begin = part->begin < last->begin ? part->begin : last->begin;
        last->end = part->end > last->end ? part->end : last->end;
    }
    parts->count = kept;
}

/* ---- lines ---- */

static const struct ncs_bench_collective *bench_row_of(enum ncs_fn fn)
{
    char name[64];
    const struct ncs_fn_info *info = &ncs_fn_info[ncs_fn_info[fn].same];
    if (info->pair)
        return ncs_bench_find("sendrecv");
    snprintf(name, sizeof name, "%s", info->lua_name ? info->lua_name + strlen("comm:") : "");
    return ncs_bench_find(name);
}

static double bytes_moved(const struct ncs_call *call, int nranks)
{
    const struct ncs_bench_collective *row = bench_row_of(call->fn);
    double bytes = (double)ncs_call_count(call) * (double)ncs_dtype_bytes(ncs_call_dtype(call));
    return row ? bytes * row->volume(nranks) : bytes;
}

static void measure_line(const struct ncs_journal *j, const struct part *part, size_t count, struct ncs_bench_span *span)
{
    const struct ncs_call *first = part[0].call;
    const struct ncs_bench_collective *row = bench_row_of(first->fn);
    double bytes = 0, time = 0;
    *span = (struct ncs_bench_span){
        .label = first->label, .place = first->place, .fn = first->fn, .nranks = j->comm[first->comm]->nranks
    };
    span->each.time = ncs_new(count * sizeof *span->each.time);
    span->each.times = count;
    for (size_t i = 0; i < count; i++) {
        double size = bytes_moved(part[i].call, j->comm[part[i].call->comm]->nranks);
        span->each.time[i] = (double)(part[i].end - part[i].begin) / 1e3;
        span->size = size > (double)span->size ? (size_t)size : span->size;
        bytes += size;
        time += span->each.time[i];
    }
    ncs_bench_summarize(&span->each, 0);
    if (time > 0)
        span->algbw = bytes / 1e3 / time;
    span->busbw = row ? span->algbw * row->factor(span->nranks) : span->algbw;
}

static void measure_lines(const struct ncs_journal *j, struct parts *parts, struct ncs_bench_spans *out)
{
    size_t room = 0;
    qsort(parts->part, parts->count, sizeof *parts->part, order_by_line_and_time);
    for (size_t i = 0, end; i < parts->count; i = end) {
        for (end = i + 1; end < parts->count;)
            if (order_lines(parts->part[i].call, parts->part[end].call) == 0)
                end++;
            else
                break;
        struct ncs_bench_span span;
        measure_line(j, &parts->part[i], end - i, &span);
        NCS_PUSH(out->span, out->spans, room, span);
    }
}

static void measure_all(struct parts *parts, struct ncs_bench_spans *out)
{
    int64_t until = 0, last = 0;
    qsort(parts->part, parts->count, sizeof *parts->part, order_by_time);
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *p = &parts->part[i];
        int64_t from = i == 0 || p->begin > until ? p->begin : until;
        out->covered += p->end > from ? (double)(p->end - from) / 1e3 : 0;
        until = i == 0 || p->end > until ? p->end : until;
        last = until;
    }
    if (parts->count)
        out->elapsed = (double)(last - parts->part[0].begin) / 1e3;
}

static int order_by_place(const void *x, const void *y)
{
    const struct ncs_bench_span *a = x, *b = y;
    int order = order_texts(a->place.file, b->place.file);
    return order ? order : a->place.line != b->place.line ? a->place.line - b->place.line : (int)a->fn - (int)b->fn;
}

void ncs_bench_spans(const struct ncs_result *result, struct ncs_bench_spans *out)
{
    struct parts parts = { 0 };
    *out = (struct ncs_bench_spans){ .model = result->model };
    collect_parts(result->timeline, &parts);
    if (parts.count) {
        join_collectives(&parts);
        measure_lines(result->journal, &parts, out);
        measure_all(&parts, out);
        qsort(out->span, out->spans, sizeof *out->span, order_by_place);
    }
    ncs_free(parts.part);
}

void ncs_bench_spans_free(struct ncs_bench_spans *spans)
{
    NCS_FREE_EACH(spans->span, spans->spans, each.time);
    *spans = (struct ncs_bench_spans){ 0 };
}

/* ---- for people and machines ---- */

static void add_span(const struct ncs_bench_span *s, struct ncs_str *out)
{
    struct ncs_str name = { 0 }, safe = { 0 };
    if (s->label)
        ncs_str_add(&name, s->label);
    else
        ncs_str_addf(&name, "line %d", s->place.line);
    ncs_safe_line(&safe, name.text);
    ncs_str_addf(out, "  %-20.60s  %-18s %6zu %6d %12zu %9.2f %9.2f %9.2f %9.2f %9.2f %7.2f %7.2f\n", safe.text,
                 ncs_fn_info[s->fn].name + strlen("nccl"), s->each.times, s->nranks, s->size, s->each.mean, s->each.least,
                 s->each.p50, s->each.p95, s->each.most, s->algbw, s->busbw);
    ncs_str_free(&name);
    ncs_str_free(&safe);
}

void ncs_bench_spans_text(const struct ncs_bench_spans *spans, struct ncs_str *out)
{
    ncs_str_addf(out, "# %-20s  %-18s %6s %6s %12s %9s %9s %9s %9s %9s %7s %7s\n", "label", "call", "calls", "ranks", "size",
                 "time", "least", "p50", "p95", "most", "algbw", "busbw");
    ncs_str_addf(out, "# %-20s  %-18s %6s %6s %12s %9s %9s %9s %9s %9s %7s %7s\n", "", "", "", "", "(B)", "(us)", "(us)", "(us)",
                 "(us)", "(us)", "(GB/s)", "(GB/s)");
    for (size_t i = 0; i < spans->spans; i++)
        add_span(&spans->span[i], out);
    ncs_str_addf(out, "# %.2f us from the first begin to the last end; in %.2f us at least one call was in progress\n",
                 spans->elapsed, spans->covered);
}

void ncs_bench_spans_json(const struct ncs_bench_spans *spans, const char *file, struct ncs_str *out)
{
    json_t *results = json_array();
    for (size_t i = 0; i < spans->spans; i++) {
        const struct ncs_bench_span *s = &spans->span[i];
        json_array_append_new(results,
                              json_pack("{so so si ss si si sI so sf sf}", "label", ncs_json_text(s->label), "file",
                                        ncs_json_text(s->place.file), "line", s->place.line, "call", ncs_fn_info[s->fn].name,
                                        "calls", (int)s->each.times, "ranks", s->nranks, "size", (json_int_t)s->size, "time",
                                        ncs_bench_json_of_each(&s->each), "alg_bw", s->algbw, "bus_bw", s->busbw));
    }
    json_t *o = json_pack("{ss so ss ss sf sf so}", "schema", "ncclscript.bench-scenario/1", "scenario", ncs_json_text(file),
                          "clock", "virtual", "model", ncs_models[spans->model].name, "elapsed_us", spans->elapsed, "covered_us",
                          spans->covered, "results", results);
    ncs_json_line(o, NCS_BENCH_JSON, out);
}
