/* What the JSON documents of bench share. */
#ifndef NCS_BENCH_JSON_H
#define NCS_BENCH_JSON_H

#include "base/json.h"
#include "bench/bench.h"

json_t *ncs_bench_json_of_each(const struct ncs_bench_each *each);
#define NCS_BENCH_JSON (JSON_COMPACT | JSON_REAL_PRECISION(6)) /* how they are written */

#endif
