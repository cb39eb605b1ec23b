/* Detects lost lines of a log. */
#ifndef NCS_TRACE_LOG_GAPS_H
#define NCS_TRACE_LOG_GAPS_H

#include "trace/record.h"

struct jump;

struct log_gaps {
    struct ncs_map last; /* by rank of a communicator: number of its last operation + 1 */
    struct ncs_map seen; /* operations of communicators for which some rank has a line */
    struct jump *jump;
    size_t jumps, room;
};

/* Takes the number of an operation from a line; each rank counts its operations per communicator. */
void ncs_log_saw(struct log_gaps *g, int comm, int comm_rank, int rank, uint64_t op_count);
/* Notes lost lines, and weakens findings against those ranks. */
void ncs_log_note_gaps(struct log_gaps *g, struct record *r);
void ncs_log_gaps_free(struct log_gaps *g);

#endif
