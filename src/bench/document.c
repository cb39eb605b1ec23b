#include "bench/document.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/safe.h"
#include "bench/json.h"
#include "bench/table.h"

enum { VERSION = 1 };

struct ncs_bench_document {
    json_t *results, *errors;
    size_t figures, wrong;
    double busbw; /* sum */
};

struct ncs_bench_document *ncs_bench_document_new(void)
{
    struct ncs_bench_document *d = ncs_new(sizeof *d);
    d->results = json_array();
    d->errors = json_array();
    return d;
}

void ncs_bench_document_free(struct ncs_bench_document *d)
{
    json_decref(d->results);
    json_decref(d->errors);
    ncs_free(d);
}

static json_t *json_of_figure(const struct ncs_bench_figure *f)
{
    return json_pack("{sf sf sf so}", "time", f->time, "alg_bw", f->algbw, "bus_bw", f->busbw, "nwrong",
                     f->checked ? json_integer((json_int_t)f->wrong) : json_null());
}

json_t *ncs_bench_json_of_each(const struct ncs_bench_each *e)
{
    json_t *times = json_array();
    for (size_t i = 0; i < e->times; i++)
        json_array_append_new(times, json_real(e->time[i]));
    return json_pack("{sf sf sf sf sf sf sf sf so}", "min_us", e->least, "max_us", e->most, "avg_us", e->mean, "p50_us", e->p50,
                     "p95_us", e->p95, "p99_us", e->p99, "stdev_us", e->deviation, "cv_pct",
                     e->mean > 0 ? 100 * e->deviation / e->mean : 0.0, "times_us", times);
}

static void count_figure(struct ncs_bench_document *d, const struct ncs_bench_figure *f)
{
    d->figures++;
    d->wrong += f->wrong > 0;
    d->busbw += f->busbw;
}

void ncs_bench_document_row(struct ncs_bench_document *d, const struct ncs_bench_row *row)
{
    json_t *o = json_pack("{ss sI sI ss ss si so so}", "collective", row->collective->name, "size", (json_int_t)row->size,
                          "count", (json_int_t)row->count, "type", ncs_bench_type_name(row->type), "redop",
                          row->op < 0 ? "none" : ncs_bench_ops[row->op], "root", row->root, "out_of_place",
                          json_of_figure(&row->out), "in_place", json_of_figure(&row->in));
    if (row->out.each.times > 0) {
        json_object_set_new(o, "out_of_place_per_iter", ncs_bench_json_of_each(&row->out.each));
        json_object_set_new(o, "in_place_per_iter", ncs_bench_json_of_each(&row->in.each));
    }
    json_array_append_new(d->results, o);
    count_figure(d, &row->out);
    count_figure(d, &row->in);
}

void ncs_bench_document_error(struct ncs_bench_document *d, const char *text)
{
    struct ncs_str utf8 = { 0 };
    ncs_safe_line(&utf8, text);
    json_array_append_new(d->errors, json_stringn_nocheck(utf8.text, utf8.bytes));
    ncs_str_free(&utf8);
}

void ncs_bench_document_sums(const struct ncs_bench_document *d, size_t *wrong, double *busbw)
{
    *wrong = d->wrong;
    *busbw = d->figures > 0 ? d->busbw / (double)d->figures : 0;
}

static json_t *json_of_config(const struct ncs_bench_setting *s)
{
    const struct ncs_bench_options *o = &s->options;
    json_t *config = json_pack("{si si sI sI}", "nthreads", s->threads, "ngpus", s->gpus, "minimum_bytes", (json_int_t)o->least,
                               "maximum_bytes", (json_int_t)o->most);
    if (o->factor > 1)
        json_object_set_new(config, "step_factor", json_integer((json_int_t)o->factor));
    else
        json_object_set_new(config, "step_bytes", json_integer((json_int_t)o->step));
    json_t *rest = json_pack("{si si si si si si sb si}", "warmup_iters", o->warmup, "iterations", o->iters,
                             "aggregated_iterations", o->rounds, "validation", o->checks, "graph", o->launches,
                             "blocking_collectives", (int)o->blocking, "per_iter_timing", (int)o->each, "per_iter_skip", o->skip);
    json_object_update(config, rest);
    json_decref(rest);
    return config;
}

void ncs_bench_document_text(struct ncs_bench_document *d, const struct ncs_bench_setting *s, struct ncs_str *out)
{
    size_t wrong;
    double busbw;
    ncs_bench_document_sums(d, &wrong, &busbw);
    const char *clock = s->options.clock == NCS_BENCH_VIRTUAL ? "virtual" : "host";
    json_t *o = json_pack("{ss si ss si ss ss ss si so sO s{si sb} s{sf ss} sO}", "schema", "ncclscript.bench/1", "version",
                          VERSION, "program", s->program, "nccl_version", s->nccl_version, "driver", s->driver, "clock", clock,
                          "model", s->model, "ranks", s->ranks, "config", json_of_config(s), "results", d->results,
                          "out_of_bounds", "count", (int)wrong, "okay", wrong == 0, "average_bus_bandwidth", "bandwidth", busbw,
                          "okay", "unchecked", "errors", d->errors);
    ncs_json_line(o, NCS_BENCH_JSON, out);
}
