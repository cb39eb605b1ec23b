/* Finds lost lines of a log: numbers of operations that jump on one rank while other ranks have the
 * lines, and files that end in the middle of a line. A finding about calls that such a rank did not make
 * is at most likely. */
#include "base/hash.h"
#include "base/mem.h"
#include "trace/log_gaps.h"

struct jump {
    int comm, rank;    /* of the run */
    uint64_t from, to; /* numbers of operations; those from the first to before the second have no line */
};

static uint64_t gap_key(int comm, uint64_t number, uint64_t what)
{
    return ncs_hash(ncs_hash(what, (uint64_t)comm), number);
}

void ncs_log_saw(struct log_gaps *g, int comm, int comm_rank, int rank, uint64_t op_count)
{
    uint64_t own = gap_key(comm, (uint64_t)comm_rank, 1);
    size_t next = ncs_map_number(&g->last, own); /* the last number + 1; 0 = this is the first */
    if (op_count > next) {
        struct jump jump = { comm, rank, next, op_count };
        NCS_PUSH(g->jump, g->jumps, g->room, jump);
    }
    ncs_map_put_number(&g->last, own, (size_t)op_count + 1);
    ncs_map_put_number(&g->seen, gap_key(comm, op_count, 2), 1);
}

/* If the numbers of all ranks jump, NCCL has counted an operation that it does not log: no line is lost. */
static bool others_have(const struct log_gaps *g, const struct jump *j, uint64_t *first)
{
    enum { MOST = 1024 };
    for (*first = j->from; *first < j->to && *first - j->from < MOST; ++*first)
        if (ncs_map_number(&g->seen, gap_key(j->comm, *first, 2)))
            return true;
    return false;
}

void ncs_log_note_gaps(struct log_gaps *g, struct record *r)
{
    for (size_t i = 0; i < g->jumps; i++) {
        const struct jump *j = &g->jump[i];
        uint64_t first;
        if (!others_have(g, j, &first))
            continue;
        ncs_record_note(r,
                        j->from ? "the log of rank %d has lost lines: on %s operation %llu follows %llu"
                                : "the log of rank %d has lost lines: on %s operation %llu is the first",
                        j->rank, r->comm[j->comm].name, (unsigned long long)j->to, (unsigned long long)j->from - 1);
        ncs_record_doubt(r, j->rank, true,
                         "it could also be that rank %d made the missing calls: its log has "
                         "lost lines",
                         j->rank);
    }
}

void ncs_log_gaps_free(struct log_gaps *g)
{
    ncs_free(g->jump);
    ncs_map_free(&g->last);
    ncs_map_free(&g->seen);
}
