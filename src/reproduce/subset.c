/* Smaller workloads: some ranks, some steps, small counts. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "reproduce/shrink.h"

/* ---- communicators ---- */

struct subset {
    const struct ncs_workload *of;
    struct ncs_workload *out;
    int *number; /* by old rank: the new one; -1 = it is left out */
    int *family; /* by old family: the new one; -1 = it is left out */
};

/* The old rank's place among the kept ranks of its communicator. */
static int subset_rank(const struct subset *s, const struct ncs_workload_family *f, int rank)
{
    int place = 0;
    for (int r = 0; r < s->of->ranks; r++)
        place += s->number[r] >= 0 && f->comm[r] == f->comm[rank] && f->rank[r] < f->rank[rank];
    return place;
}

static void subset_family(struct subset *s, size_t at)
{
    const struct ncs_workload_family *f = &s->of->family[at];
    struct ncs_workload_family new = { .name = ncs_copy_text(f->name) };
    int *comm = ncs_new((size_t)(f->comms + 1) * sizeof *comm), ranks = s->out->ranks;
    new.comm = ncs_new((size_t)ranks * sizeof *new.comm);
    new.rank = ncs_new((size_t)ranks * sizeof *new.rank);
    new.size = ncs_new((size_t)(f->comms + 1) * sizeof *new.size);
    new.comm_name = ncs_new((size_t)(f->comms + 1) * sizeof *new.comm_name);
    for (int c = 0; c < f->comms; c++)
        comm[c] = -1;
    for (int r = 0; r < s->of->ranks; r++) {
        int own = s->number[r];
        if (own < 0)
            continue;
        new.comm[own] = new.rank[own] = -1;
        if (f->comm[r] < 0)
            continue;
        if (comm[f->comm[r]] < 0) {
            comm[f->comm[r]] = new.comms;
            new.comm_name[new.comms++] = ncs_copy_text(f->comm_name[f->comm[r]]);
        }
        new.comm[own] = comm[f->comm[r]];
        new.rank[own] = subset_rank(s, f, r);
        new.size[new.comm[own]]++;
    }
    ncs_free(comm);
    new.is_world = f->is_world;
    NCS_PUSH(s->out->family, s->out->families, s->out->family_room, new);
    s->family[at] = (int)s->out->families - 1;
}

static bool uses_family(const struct subset *s, const bool *steps, size_t family)
{
    for (size_t i = 0; i < s->of->steps; i++)
        for (int r = 0; steps[i] && r < s->of->ranks; r++)
            if (s->number[r] >= 0 && s->of->step[i]->of[r] && s->of->step[i]->of[r]->family == (int)family)
                return true;
    return false;
}

/* ---- steps ---- */

/* The root of a communicator whose root is gone: its first rank that is left. */
static int another_root(const struct subset *s, const struct ncs_workload_call *c, int rank)
{
    const struct ncs_workload_family *f = &s->of->family[c->family];
    int best = -1;
    for (int r = 0; r < s->of->ranks; r++)
        if (s->number[r] >= 0 && f->comm[r] == f->comm[rank] && (best < 0 || f->rank[r] < f->rank[best]))
            best = r;
    return best < 0 ? -1 : s->number[best];
}

/* The peer of a message whose peer is gone: that one's own peer in the step, and so on. So a ring or a pipeline stays
 * one when it gets shorter. -1 = there is none. */
static int another_peer(const struct subset *s, const struct ncs_workload_step *step, int rank)
{
    const struct ncs_workload_call *c = step->of[rank];
    int peer = c->partner;
    for (int hops = 0; hops < s->of->ranks && s->number[peer] < 0; hops++) {
        const struct ncs_workload_call *next = step->of[peer];
        if (!next || next->fn != c->fn || next->family != c->family || next->partner < 0)
            return -1;
        peer = next->partner;
    }
    return peer == rank ? -1 : s->number[peer];
}

/* NULL = the rank cannot make the call any more. */
static const struct ncs_workload_call *subset_call(struct subset *s, const struct ncs_workload_step *step, int rank)
{
    const struct ncs_workload_call *c = step->of[rank];
    struct ncs_workload_call new = *c;
    new.place = ncs_workload_intern_place(s->out, c->place);
    new.family = c->family < 0 ? -1 : s->family[c->family];
    if (c->partner >= 0)
        new.partner = s->number[c->partner];
    if (c->partner >= 0 && new.partner < 0) {
        if (step->kind == NCS_STEP_TEXT)
            return NULL;
        bool pair = ncs_fn_info[c->fn].pair;
        new.partner = pair ? another_peer(s, step, rank) : another_root(s, c, rank);
        if (pair && new.partner < 0)
            return NULL;
    }
    return ncs_workload_intern(s->out, &new);
}

static void subset_step(struct subset *s, const struct ncs_workload_step *step)
{
    struct ncs_workload_step *new = ncs_workload_new_step(s->out, step->kind, step->key);
    bool any = false;
    for (int r = 0; r < s->of->ranks; r++)
        if (s->number[r] >= 0 && step->of[r]) {
            new->of[s->number[r]] = subset_call(s, step, r);
            any |= new->of[s->number[r]] != NULL;
        }
    if (any)
        NCS_PUSH(s->out->step, s->out->steps, s->out->step_room, new);
    else
        ncs_workload_free_step(new);
}

void ncs_workload_subset(const struct ncs_workload *of, const bool *ranks, const bool *steps, struct ncs_workload *out)
{
    struct subset s = { .of = of, .out = out };
    *out = (struct ncs_workload){ 0 };
    s.number = ncs_new((size_t)of->ranks * sizeof *s.number);
    s.family = ncs_new((of->families + 1) * sizeof *s.family);
    for (int r = 0; r < of->ranks; r++)
        s.number[r] = ranks[r] ? out->ranks++ : -1;
    for (size_t f = 0; f < of->families; f++) {
        s.family[f] = -1;
        if (uses_family(&s, steps, f))
            subset_family(&s, f);
    }
    for (size_t i = 0; i < of->steps; i++)
        if (steps[i])
            subset_step(&s, of->step[i]);
    for (size_t i = 0; i < of->notes; i++)
        ncs_workload_note(out, "%s", of->note[i]);
    ncs_free(s.number);
    ncs_free(s.family);
}

bool *ncs_workload_all(size_t count)
{
    bool *kept = ncs_new(count + 1);
    memset(kept, true, count);
    return kept;
}

/* ---- steps besides calls ---- */

static unsigned kinds_of_step(const struct ncs_workload *job, const struct ncs_workload_step *s)
{
    const struct ncs_workload_call *c = ncs_workload_any_call(job, s);
    if (s->kind != NCS_STEP_TEXT || !c)
        return 0;
    const char *text = c->place;
    bool host = c->fn == NCS_FN_COUNT && (strncmp(text, "barrier(", 8) == 0 || strncmp(text, "store:", 6) == 0);
    return (host ? NCS_WITHOUT_HOSTS : 0) | (strstr(text, NCS_TEXT_EVENT) ? NCS_WITHOUT_EVENTS : 0);
}

bool ncs_workload_without(const struct ncs_workload *of, unsigned kinds, struct ncs_workload *out)
{
    bool *ranks = ncs_workload_all((size_t)of->ranks), *steps = ncs_workload_all(of->steps), left = false;
    unsigned found = 0;
    for (size_t i = 0; i < of->steps; i++) {
        unsigned is = kinds_of_step(of, of->step[i]) & kinds;
        steps[i] = !is;
        found |= is;
        left |= steps[i] && of->step[i]->kind == NCS_STEP_CALL;
    }
    if (found && left)
        ncs_workload_subset(of, ranks, steps, out);
    if (found & NCS_WITHOUT_HOSTS && left)
        ncs_workload_note(out, "barriers and keys of the store are left out: without them the run ends as the record shows");
    ncs_free(ranks);
    ncs_free(steps);
    return found && left;
}

/* ---- counts ---- */

static uint64_t place_among(const uint64_t *count, size_t counts, uint64_t wanted)
{
    uint64_t place = 0, last = 0;
    for (size_t i = 0; i < counts && count[i] <= wanted; i++)
        if (count[i] != last) {
            place += count[i] > 0;
            last = count[i];
        }
    return place;
}

void ncs_workload_least_counts(const struct ncs_workload *of, struct ncs_workload *out)
{
    bool *ranks = ncs_workload_all((size_t)of->ranks), *steps = ncs_workload_all(of->steps);
    uint64_t *count = NULL;
    size_t counts = 0, room = 0;
    ncs_workload_subset(of, ranks, steps, out);
    for (size_t i = 0; i < out->steps; i++)
        for (int r = 0; r < out->ranks; r++)
            if (out->step[i]->of[r] && out->step[i]->of[r]->dtype >= 0)
                NCS_PUSH(count, counts, room, out->step[i]->of[r]->count);
    if (counts > 0)
        qsort(count, counts, sizeof *count, ncs_order_counts);
    for (size_t i = 0; i < out->steps; i++)
        for (int r = 0; r < out->ranks; r++) {
            const struct ncs_workload_call *c = out->step[i]->of[r];
            if (!c || c->dtype < 0)
                continue;
            struct ncs_workload_call less = *c;
            less.count = place_among(count, counts, c->count);
            out->step[i]->of[r] = ncs_workload_intern(out, &less);
        }
    ncs_free(count);
    ncs_free(ranks);
    ncs_free(steps);
}
