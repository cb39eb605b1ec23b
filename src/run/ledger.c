/* Keeps the ledger of what the ranks make and free, and reports to the diagnosis what is lost and what was
 * freed too early. */
#include "run/private.h"

void ncs_run_ledger_open(struct ncs_run *run)
{
    run->ledger = ncs_ledger_open(run->journal, &(struct ncs_ledger_options){ .one_process = false });
}

void ncs_run_ledger_close(struct ncs_run *run)
{
    ncs_ledger_close(run->ledger);
    run->ledger = NULL;
}

/* False if some rank had no chance to free what it made, or may still free it; and if something worse is wrong. */
static bool all_came_to_their_end(const struct ncs_run *run)
{
    for (int r = 0; r < run->options.ranks; r++)
        if (run->rank[r].dead || run->rank[r].halted)
            return false;
    return run->result.stop == NCS_STOP_DONE && run->result.errors == 0 && !run->skipped && !run->lives &&
           run->wrong_order == UINT64_MAX && run->result.expect_failed == 0;
}

void ncs_notices_stale(struct ncs_notices *list, const struct ncs_ledger *ledger)
{
    size_t count;
    const struct ncs_stale *stale = ncs_ledger_stale(ledger, &count);
    for (size_t i = 0; i < count; i++)
        ncs_notices_add(list, NCS_NOTICE_STALE, stale[i].call, stale[i].calls, NULL);
}

void ncs_run_ledger_report(struct ncs_run *run)
{
    size_t count;
    if (!run->ledger)
        return;
    ncs_notices_stale(&run->notices, run->ledger);
    const struct ncs_left *left = ncs_ledger_left(run->ledger, &count);
    for (size_t i = 0; i < count && all_came_to_their_end(run); i++) {
        struct ncs_notice *n = left[i].lost ? ncs_notices_add(&run->notices, NCS_NOTICE_LEFT, NULL, 0, NULL) : NULL;
        if (n)
            n->left = &left[i];
    }
    if (run->options.leaks) {
        run->result.leaks = true;
        run->result.left = left;
        run->result.lefts = count;
    }
}
