/* The figures as one JSON object, with the keys of nccl-tests' -J and some more; and what an earlier one says. */
#ifndef NCS_BENCH_DOCUMENT_H
#define NCS_BENCH_DOCUMENT_H

#include "base/error.h"
#include "base/str.h"
#include "bench/bench.h"

/* What was measured, on what, and how. */
struct ncs_bench_setting {
    const char *program;      /* "ncclscript 1.0.0" */
    const char *driver;       /* "sim", "nccl" */
    const char *model;        /* of virtual time */
    int nccl_version;         /* code; 0 = unknown */
    int ranks, threads, gpus; /* gpus: of a thread, as -g */
    struct ncs_bench_options options;
};

struct ncs_bench_document;

struct ncs_bench_document *ncs_bench_document_new(void);
void ncs_bench_document_row(struct ncs_bench_document *d, const struct ncs_bench_row *row);
void ncs_bench_document_error(struct ncs_bench_document *d, const char *text);
/* Appends the object and a line end. */
void ncs_bench_document_text(struct ncs_bench_document *d, const struct ncs_bench_setting *setting, struct ncs_str *out);
void ncs_bench_document_free(struct ncs_bench_document *d);
/* Over all figures: their number of checks with wrong elements, and the mean bus bandwidth. */
void ncs_bench_document_sums(const struct ncs_bench_document *d, size_t *wrong, double *busbw);

/* The times of an earlier document, of ours or of nccl-tests. */
struct ncs_bench_baseline;

/* NULL and err, with the file as its place, if the file cannot be read or is no such document. */
struct ncs_bench_baseline *ncs_bench_baseline_read(const char *file, struct ncs_error *err);
void ncs_bench_baseline_free(struct ncs_bench_baseline *b); /* NULL is a no-op */
/* False and err if its times cannot be compared with those of `setting`: other ranks, driver or clock. */
bool ncs_bench_baseline_fits(const struct ncs_bench_baseline *b, const struct ncs_bench_setting *setting, struct ncs_error *err);
/* Compares a row with the baseline's row of the same collective, size, type, operator and root. Appends a line
 * for each time that is longer by more than `threshold` (0.05: 5 %). */
void ncs_bench_baseline_row(struct ncs_bench_baseline *b, const struct ncs_bench_row *row, double threshold,
                            struct ncs_str *slower);
/* Times that were compared, and of these the slower ones. */
void ncs_bench_baseline_counts(const struct ncs_bench_baseline *b, size_t *compared, size_t *slower);

#endif
