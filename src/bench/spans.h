/* How long the communication of a scenario took, by label: from the timeline of a run. */
#ifndef NCS_BENCH_SPANS_H
#define NCS_BENCH_SPANS_H

#include "base/str.h"
#include "bench/bench.h"

/* Calls of one function with one label, or, without a label, at one line. A collective is one call of all its
 * ranks, from when the first rank's part begins on a device until the last rank's part ends; a send, a receive
 * and a one-sided call is a call of one rank. */
struct ncs_bench_span {
    const char *label;      /* NULL = none */
    struct ncs_place place; /* of the first call */
    enum ncs_fn fn;
    int nranks;                 /* of the communicator of the first call */
    size_t size;                /* bytes, as in nccl-tests' column; of the largest call */
    double algbw, busbw;        /* GB/s, by the mean size and time; 0 = the calls have no data */
    struct ncs_bench_each each; /* a time for each call, in the order in which they began */
};

struct ncs_bench_spans {
    struct ncs_bench_span *span;
    size_t spans;   /* in the order of their first calls */
    int model;      /* of virtual time: index in ncs_models (api/model.h) */
    double elapsed; /* microseconds from the first begin to the last end */
    double covered; /* microseconds in which at least one call was in progress */
};

/* The result's run must have had the option `timeline`, and must live as long as `out`. */
void ncs_bench_spans(const struct ncs_result *result, struct ncs_bench_spans *out);
void ncs_bench_spans_free(struct ncs_bench_spans *spans); /* the contents */
/* Append the table, and one JSON object with a line end. */
void ncs_bench_spans_json(const struct ncs_bench_spans *spans, const char *file, struct ncs_str *out);
void ncs_bench_spans_text(const struct ncs_bench_spans *spans, struct ncs_str *out);

#endif
