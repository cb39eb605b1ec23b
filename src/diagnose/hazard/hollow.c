/* Hollow memory: what a call leaves in its receive buffer is no result of it. A rank that is not the root has none, and
 * a call that was cut short by an error or an abort leaves anything. A use that reads such bytes before they are written
 * again is reported. */
#include "diagnose/hazard/private.h"

#define MOST_HOLLOWS 64 /* of an allocation; what is more is not reported */

static void hollow_drop(struct block *b, size_t i)
{
    ncs_call_unpin(b->hollow[i].call);
    ncs_call_unpin(b->hollow[i].by);
    b->hollow[i] = b->hollow[--b->hollows];
}

void hazard_drop_hollows(struct block *b)
{
    while (b->hollows)
        hollow_drop(b, b->hollows - 1);
    ncs_free(b->hollow);
    b->hollow = NULL;
    b->hollow_room = 0;
}

static void hollow_add(struct block *b, struct hollow hollow)
{
    if (hollow.from >= hollow.to || b->hollows == MOST_HOLLOWS)
        return;
    ncs_call_pin(hollow.call);
    ncs_call_pin(hollow.by);
    NCS_PUSH(b->hollow, b->hollows, b->hollow_room, hollow);
}

void hazard_fill_hollow(struct block *b, uintptr_t from, uintptr_t to)
{
    for (size_t i = b->hollows; i-- > 0;) {
        struct hollow old = b->hollow[i], rest = old;
        if (old.to <= from || old.from >= to)
            continue;
        if (old.from < from) {
            b->hollow[i].to = from;
            rest.from = to;
            hollow_add(b, rest); /* behind i, where it has been looked at: it does not meet the bytes */
        } else if (old.to > to) {
            b->hollow[i].from = to;
        } else {
            hollow_drop(b, i);
        }
    }
}

int hazard_read_hollow(struct rank *r, const struct block *b, const struct step *s, uintptr_t from, uintptr_t to)
{
    int found = -1;
    for (size_t i = 0; i < b->hollows && found < 0; i++) {
        const struct hollow *o = &b->hollow[i];
        struct access a = { .call = o->call, .does = o->kind == NCS_HAZARD_CUT_SHORT ? NCS_TOUCH_WRITE : 0 };
        if (!o->kept && o->from < to && from < o->to && s->call && o->call != s->call)
            found = hazard_found(r, o->kind, &a, s, NCS_TOUCH_READ, o->by);
        if (found >= 0)
            r->all->found[found].broken = o->broken;
    }
    return found;
}

struct ncs_call *hazard_kept_by(const struct block *b, uintptr_t from, uintptr_t to)
{
    for (size_t i = 0; i < b->hollows; i++)
        if (b->hollow[i].kept && b->hollow[i].from < to && from < b->hollow[i].to)
            return b->hollow[i].call;
    return NULL;
}

/* The call writes `all` bytes on the root, and nothing here. Its own block within the buffer (a gather in place) is its
 * input. Memory that a call of NCCL has written before holds a result of that call, which the program may mean to keep:
 * so each rank's turn as the root of a loop is left out, whatever the order. A call in place leaves the rank's input, which
 * the program may go on to use: only a comparison that fails tells that it took the input for the result. */
void hazard_off_root(struct rank *r, struct ncs_call *call, struct piece out, struct piece in)
{
    struct block *b = hazard_block(r, out.from);
    bool kept = out.from == in.from;
    if (!b || b->shared)
        return;
    uintptr_t to = out.bytes < b->end - out.from ? out.from + out.bytes : b->end;
    if (!kept && b->result_from < to && out.from < b->result_to)
        return;
    hazard_fill_hollow(b, out.from, to);
    hollow_add(b, (struct hollow){ .from = out.from, .to = to, .call = call, .kind = NCS_HAZARD_OFF_ROOT, .kept = kept });
    if (!kept)
        hazard_fill_hollow(b, in.from, in.from + in.bytes);
}

void hazard_result(struct block *b, uintptr_t from, uintptr_t to)
{
    bool none = b->result_from == b->result_to;
    b->result_from = none || from < b->result_from ? from : b->result_from;
    b->result_to = none || to > b->result_to ? to : b->result_to;
}

/* True if the span is hollow already because of this call. An error that is reported at last is named by its report. */
static bool is_cut_already(struct block *b, const struct span *s, struct ncs_call *by)
{
    for (size_t i = 0; i < b->hollows; i++) {
        struct hollow *o = &b->hollow[i];
        if (o->call != s->write.call || o->from > s->from || s->to > o->to)
            continue;
        if (!o->by && by) {
            ncs_call_pin(by);
            o->by = by;
        }
        return true;
    }
    return false;
}

bool hazard_breaks_calls(int code)
{
    return code != ncclSuccess && code != ncclInvalidArgument && code != ncclInvalidUsage && code != ncclInProgress;
}

static void hollow_cut(struct rank *r, const struct hollow *cut, int comm, int comm_rank)
{
    for (struct block *b = NULL; (b = hazard_next_block(r, b ? b->base : 0));)
        for (size_t k = 0; k < b->spans; k++) {
            const struct span *s = &b->span[k];
            const struct access *w = &s->write;
            if (!w->call || !w->call->number || w->call->comm != comm || w->call->comm_rank != comm_rank ||
                hazard_covers(&r->host, w->lane, w->tick) || is_cut_already(b, s, cut->by))
                continue;
            struct hollow own = *cut;
            own.from = s->from;
            own.to = s->to;
            own.call = w->call;
            hollow_add(b, own);
        }
}

void hazard_cut_short(struct rank *r, struct ncs_call *by)
{
    hollow_cut(r, &(struct hollow){ .by = by, .kind = NCS_HAZARD_CUT_SHORT }, by->comm, by->comm_rank);
}

void ncs_hazards_broken(struct ncs_hazards *h, int rank, int comm, int comm_rank, struct ncs_broken error)
{
    if (hazard_breaks_calls(error.code))
        hollow_cut(hazard_rank(h, rank), &(struct hollow){ .broken = error, .kind = NCS_HAZARD_CUT_SHORT }, comm, comm_rank);
}
