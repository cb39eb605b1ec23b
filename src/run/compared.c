/* Collects what distinguishes calls that look alike, for the diagnosis: the buffers that ranks
 * compared with expectations, and the inputs of ranks that still wait. */
#include "base/mem.h"
#include "run/private.h"

void ncs_run_keep_compared(struct ncs_run *run, const struct ncs_compared *of, int rank, bool held)
{
    struct ncs_compared one = *of;
    one.rank = rank;
    one.held = held;
    one.order = run->journal->calls;
    if (!held) {
        NCS_PUSH(run->compared, run->compareds, run->compareds_room, one);
        return;
    }
    if (!run->held)
        run->held = ncs_new(NCS_EXPECTS_KEPT * sizeof *run->held);
    run->held[run->helds++ % NCS_EXPECTS_KEPT] = one;
}

void ncs_run_report_doubt(struct ncs_run *run)
{
    struct ncs_notice *doubt = ncs_notices_add(&run->notices, NCS_NOTICE_DOUBT, NULL, 0, NULL);
    uint64_t held = run->helds < NCS_EXPECTS_KEPT ? run->helds : NCS_EXPECTS_KEPT;
    if (!doubt)
        return;
    for (uint64_t i = 0; i < held && run->compareds; i++)
        NCS_PUSH(run->compared, run->compareds, run->compareds_room, run->held[i]);
    if (run->compareds)
        run->helds = 0; /* told */
    doubt->compared = run->compared;
    doubt->compareds = run->compareds;
}

void ncs_run_look_at_waiting(struct ncs_run *run, const struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->parts && run->verify; i++) {
        const struct ncs_call *c = s->part[i].readable ? s->part[i].call : NULL;
        struct ncs_call *own = c ? ncs_journal_call(run->journal, c->comm, c->comm_rank, c->number)
                                 : NULL;
        if (own)
            ncs_verify_waiting(run->verify, own);
    }
}

void ncs_run_compared_free(struct ncs_run *run)
{
    ncs_free(run->compared);
    ncs_free(run->held);
}
