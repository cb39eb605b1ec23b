/* What the JSON documents of bench share. */
#ifndef NCS_BENCH_JSON_H
#define NCS_BENCH_JSON_H

#include <jansson.h>

#include "base/str.h"
#include "bench/bench.h"

json_t *ncs_bench_json_of_each(const struct ncs_bench_each *each);
/* Appends the object and a line end, and releases the object. */
void ncs_bench_json_add(json_t *object, struct ncs_str *out);

#endif
