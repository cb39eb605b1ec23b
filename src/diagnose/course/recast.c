/* A run as if each party were a process of its own (party.h): journal, snapshot and notices with the numbers of
 * parties in place of ranks. The copies live as long as the analysis; calls that the journal has not stay its own. */
#include "diagnose/course/recast.h"

#include "base/mem.h"
#include "diagnose/hazard/hazard.h"

static int first_party(const struct ncs_parties *p, int rank)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->of[i].rank == rank)
            return (int)i;
    return -1;
}

static struct ncs_hazard *copy_hazard(const struct ncs_recast *r, const struct ncs_hazard *h)
{
    struct ncs_hazard *copy = ncs_new(sizeof *copy);
    *copy = *h;
    copy->earlier = ncs_recast_call(r->own, h->earlier);
    copy->later = ncs_recast_call(r->own, h->later);
    copy->sync = ncs_recast_call_for(r->own, h->sync, copy->later ? copy->later->rank : -1);
    copy->at = ncs_new(h->ats * sizeof *copy->at);
    for (size_t i = 0; i < h->ats; i++) {
        copy->at[i] = h->at[i];
        int party = ncs_party_of_member(r->own->p, h->at[i].comm, h->at[i].comm_rank);
        copy->at[i].rank = party >= 0 ? party : first_party(r->own->p, h->at[i].rank);
    }
    return copy;
}

static void copy_notice(struct ncs_recast *r, const struct ncs_notice *from, struct ncs_notice *to)
{
    *to = *from;
    to->call = ncs_new(from->calls * sizeof *to->call);
    for (size_t i = 0; i < from->calls; i++)
        to->call[i] = ncs_recast_call(r->own, from->call[i]);
    to->fault = ncs_new(from->faults * sizeof *to->fault);
    for (size_t i = 0; i < from->faults; i++) {
        to->fault[i] = from->fault[i];
        to->fault[i].rank = first_party(r->own->p, from->fault[i].rank);
    }
    if (from->hazard)
        to->hazard = copy_hazard(r, from->hazard);
}

void ncs_recast_open(struct ncs_parties *p, const struct ncs_notice *notice, size_t notices, struct ncs_recast *out)
{
    *out = (struct ncs_recast){ .notices = notices, .own = ncs_new(sizeof *out->own) };
    out->own->p = p;
    ncs_recast_journal(out->own, &out->journal);
    ncs_recast_snapshot(out);
    out->notice = ncs_new(notices * sizeof *out->notice);
    for (size_t i = 0; i < notices; i++)
        copy_notice(out, &notice[i], &out->notice[i]);
}

void ncs_recast_close(struct ncs_recast *r)
{
    for (size_t i = 0; i < r->notices; i++) {
        ncs_free(r->notice[i].call);
        ncs_free(r->notice[i].fault);
        if (r->notice[i].hazard)
            ncs_free(r->notice[i].hazard->at);
        ncs_free((void *)r->notice[i].hazard);
    }
    for (size_t i = 0; i < r->journal.comms; i++) {
        for (int k = 0; k < r->journal.comm[i]->members; k++)
            ncs_free(r->journal.comm[i]->member[k].line);
        ncs_free(r->journal.comm[i]->member);
        ncs_free(r->journal.comm[i]);
    }
    for (size_t i = 0; i < r->snap.contexts; i++)
        ncs_free(r->snap.context[i].message);
    for (size_t i = 0; i < r->snap.gates; i++)
        ncs_free(r->snap.gate[i].key);
    ncs_free(r->notice);
    ncs_free(r->journal.comm);
    ncs_free(r->snap.context);
    ncs_free(r->snap.wait);
    ncs_free(r->snap.op);
    ncs_free(r->snap.job);
    ncs_free(r->snap.part);
    ncs_free(r->snap.gate);
    ncs_map_free(&r->own->at);
    ncs_map_free(&r->own->queue);
    ncs_free(r->own->call);
    ncs_free(r->own->host);
    ncs_free(r->own->stream);
    ncs_free(r->own->first_context);
    ncs_free(r->own);
}
