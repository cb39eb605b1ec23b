/* A call of a plan in words. Memory, streams and other handles are numbered in the order of their
 * first use by a rank, because addresses differ from run to run. Room report only. */
#ifndef NCS_REPORT_PLAN_WORDS_H
#define NCS_REPORT_PLAN_WORDS_H

#include "api/journal.h"
#include "base/str.h"

struct ncs_call_plan_memory {
    uintptr_t base;
    size_t bytes;
    int number;
};

struct ncs_call_plan_things { /* of one kind */
    const void **handle;
    size_t count, room;
};

struct ncs_call_words { /* of one rank; zeroed before its first use */
    struct ncs_call_plan_memory *memory;
    size_t memories, room;
    int allocated;
    struct ncs_call_plan_things streams, events, windows, others;
};

/* Appends the call. If it allocates, later calls can refer to that memory. */
void ncs_call_plan_describe(struct ncs_call_words *w, const struct ncs_journal *j, const struct ncs_call *call,
                            struct ncs_str *out);
/* The allocation that holds p, or NULL. */
const struct ncs_call_plan_memory *ncs_call_plan_find(const struct ncs_call_words *w, const void *p);
void ncs_call_words_free(struct ncs_call_words *w);

#endif
