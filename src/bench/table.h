/* The table of figures, with nccl-tests' columns in their order. Lines that are no row begin with '#'. */
#ifndef NCS_BENCH_TABLE_H
#define NCS_BENCH_TABLE_H

#include "base/str.h"
#include "bench/bench.h"

/* The names of types that nccl-tests uses: "float", "half", "f8e4m3" (others: as in Lua). */
const char *ncs_bench_type_name(int type);
int ncs_bench_type(const char *name); /* those, and all of ncs_dtype_from_name; -1 = unknown */

void ncs_bench_table_head(const struct ncs_bench_options *options, struct ncs_str *out);
/* `timestamp` ends the row; NULL = none. */
void ncs_bench_table_row(const struct ncs_bench_row *row, const char *timestamp, struct ncs_str *out);

#endif
