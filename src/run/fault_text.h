/* Faults as text, for programs that are no scenarios: a line for each, as "kill rank=2 call=7" or
 * "fail rank=1 func=ncclAllReduce nth=3 code=ncclSystemError". */
#ifndef NCS_RUN_FAULT_TEXT_H
#define NCS_RUN_FAULT_TEXT_H

#include "api/faults.h"
#include "base/error.h"

/* When and where the fault happens, and the parameters of its kind. */
struct ncs_fault_text {
    enum ncs_fault_kind kind;
    int rank;            /* -1 = each rank */
    uint32_t call;       /* before the rank's call of that number on the communicator; 0 = not given */
    char *comm;          /* its name in reports; NULL = the first one of the program */
    int fn;              /* before the rank's nth call of this function, */
    char *at;            /* at this place, as reports print it; if call is 0 one of the two is given: else -1, NULL */
    uint64_t nth;        /* from 1 */
    int64_t nanoseconds; /* delay; of a link: < 0 = cut */
    int code, peer;
    uint64_t first, count; /* elements of the output, from 0; count 0 = up to the end */
    bool timed;            /* the text says when; else call is 1 */
    char *text;            /* as it was written */
    int line;              /* in the list */
};

struct ncs_fault_list {
    struct ncs_fault_text *fault;
    size_t count, room;
};

/* Appends the faults of the text: one in each line; empty lines, and what follows a #, are left out. False, with the
 * line and the column, at the first line that is wrong. */
bool ncs_fault_list_read(struct ncs_fault_list *list, const char *text, struct ncs_error *err);
void ncs_fault_list_free(struct ncs_fault_list *list); /* the contents */

/* False for a function whose call cannot be left out: it would not return a code, or a group would stay open. */
bool ncs_fault_can_fail(int fn);
/* The code of an error by its name or its number, of CUDA or of NCCL; -1 = it is none. */
int ncs_fault_code(const char *text, bool cuda);

#endif
