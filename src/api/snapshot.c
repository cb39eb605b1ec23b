/* Releases a snapshot. */
#include "api/snapshot.h"

#include "base/mem.h"

/* The snapshot shows its calls as const; a pin is no part of a call's content. */
static void unpin(const struct ncs_call *call)
{
    ncs_call_unpin((struct ncs_call *)call);
}

void ncs_snapshot_free(struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->contexts; i++) {
        unpin(s->context[i].call);
        ncs_free(s->context[i].message);
    }
    for (size_t i = 0; i < s->ops; i++)
        unpin(s->op[i].call);
    for (size_t i = 0; i < s->parts; i++)
        unpin(s->part[i].call);
    for (size_t i = 0; i < s->jobs; i++)
        unpin(s->job[i].call);
    for (size_t i = 0; i < s->gates; i++)
        ncs_free(s->gate[i].key);
    ncs_free(s->context);
    ncs_free(s->wait);
    ncs_free(s->op);
    ncs_free(s->dep);
    ncs_free(s->part);
    ncs_free(s->meeting);
    ncs_free(s->member);
    ncs_free(s->lack);
    ncs_free(s->job);
    ncs_free(s->missing);
    ncs_free(s->gate);
    *s = (struct ncs_snapshot){ 0 };
}
