/* A rank waits in the destroy of a communicator until the device has no work. Its call on another communicator still runs
 * there: other ranks make that call only after something that this rank does after the destroy. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool destroy_beside_kernel_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *kernel;
    const struct ncs_snap_job *job = r->kind == NCS_CAUSE_CYCLE ? ncs_frees_beside(q, r->path, r->length, &kernel) : NULL;
    if (!job)
        return false;
    const struct ncs_call *destroy = job->call;
    bool own = kernel->rank == job->rank;
    struct ncs_odd_rank owner = { .rank = kernel->rank }; /* which rank of a process destroys last is chance */
    ncs_fill_cycle(q, r, &(struct ncs_odd_order){ .rank = &owner, .ranks = 1 }, d);
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "rank %d waits in %s of %s", job->rank, ncs_fn_info[destroy->fn].name, ncs_comm_name(q, destroy->comm));
    ncs_format_place(&s, destroy);
    ncs_str_add(&s, own ? ", which frees memory and so waits for all work of the device"
                        : ", which as the last one of its process frees the memory of all its ranks and so waits for all work of "
                          "their devices");
    ncs_str_addf(&s, "; call %u on %s", (unsigned)kernel->number, ncs_comm_name(q, kernel->comm));
    if (!own)
        ncs_str_addf(&s, " of rank %d", kernel->rank);
    ncs_format_place(&s, kernel);
    ncs_str_addf(&s, " still runs there, until other ranks make it too, and they wait for what rank %d does after the destroy",
                 job->rank);
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_sentence_free(d->f.evidence);
    d->f.evidence = ncs_plain(ncs_copy_text("by the work that the destroy waits for"));
    d->f.fix = ncs_plain(ncs_text("let the call on %s end, on every rank, before rank %d destroys %s",
                                  ncs_comm_name(q, kernel->comm), kernel->rank, ncs_comm_name(q, destroy->comm)));
    ncs_doubt_teardown(q, kernel, d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_beside_kernel = { .match = destroy_beside_kernel_match, .ground = NCS_GROUND_MISUSE };
