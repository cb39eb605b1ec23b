/* Facts about a pair of headers, gathered by two translation units: one sees this project's
 * declarations, the other the official ones. */
#ifndef NCS_TESTS_ABI_FACTS_H
#define NCS_TESTS_ABI_FACTS_H

#include <stddef.h>

struct fact {
    const char *what;
    long long value;
};

/* NULL-terminated: what is NULL at the end. */
extern const struct fact ours[], official[];
extern const int official_cuda, official_nccl; /* versions, as the headers code them; 0 = none */

#endif
