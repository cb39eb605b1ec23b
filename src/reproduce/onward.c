/* The calls that ranks would make behind those in which they wait. No record has them, and the run of the scenario does not come so far,
 * but a trial of a repair does: a rank goes on as the others did. */
#include "base/mem.h"
#include "reproduce/reader.h"

struct onward {
    struct ncs_workload *job;
    const struct ncs_reader_rank *of; /* by rank */
    int rank;
    size_t last;  /* behind the last step that the record shows of the rank */
    bool *made;   /* by step: it stands for a step that the rank has made in another order, or is that step */
    size_t group; /* the step that begins the rank's open group; SIZE_MAX = none */
    int leader;   /* the rank whose group it is */
};

/* Equal for a rank, whatever the stream and the partner. */
static bool onward_calls_alike(const struct ncs_workload_call *a, const struct ncs_workload_call *b)
{
    bool placed = a->place && b->place;
    return a->fn == b->fn && a->family == b->family &&
           (placed ? a->place == b->place : a->count == b->count && a->dtype == b->dtype);
}

/* The rank has made this step of another one in another order: it made all that the other one made in between. */
static bool was_made(struct onward *o, size_t at, int other)
{
    struct ncs_workload_step *const *step = o->job->step;
    for (size_t i = at; i-- > 0;) {
        const struct ncs_workload_call *own = step[i]->of[o->rank], *theirs = step[i]->of[other];
        if (own && i >= o->last)
            return false;
        if (own && step[i]->kind == step[at]->kind && onward_calls_alike(own, step[at]->of[other]) && !o->made[i]) {
            o->made[i] = o->made[at] = !theirs;
            return !theirs;
        }
        if (theirs && !own && !o->made[i])
            return false;
    }
    return false;
}

/* The rank's arguments where another one made the same call before; NULL = they never made it together. */
static const struct ncs_workload_call *as_before(const struct onward *o, size_t at, int other)
{
    const struct ncs_workload_call *now = o->job->step[at]->of[other];
    for (size_t i = o->last; i-- > 0;) {
        const struct ncs_workload_call *own = o->job->step[i]->of[o->rank], *theirs = o->job->step[i]->of[other];
        if (own && theirs && onward_calls_alike(theirs, now) && theirs->partner == now->partner)
            return own;
    }
    return NULL;
}

/* The arguments with which the rank would make the step as another one does, on their communicator or on a sibling of it; NULL = it would
 * not. A root is a rank of one communicator, a peer is another one for each rank. */
static const struct ncs_workload_call *as_other(const struct onward *o, size_t at, int other)
{
    const struct ncs_workload_call *c = o->job->step[at]->of[other];
    const struct ncs_workload_family *f = c->family >= 0 ? &o->job->family[c->family] : NULL;
    bool can = !f ||
               (!ncs_fn_info[c->fn].pair && f->comm[o->rank] >= 0 && (c->partner < 0 || f->comm[o->rank] == f->comm[other]));
    return can ? c : as_before(o, at, other);
}

/* One thread makes what it makes for some of its ranks alone in a loop over them: the others do not make it later. */
static bool leads(const struct onward *o, int other)
{
    return o->of[o->rank].caller != o->of[other].caller;
}

/* A rank begins a group where it began one before, and ends it where the others do. */
static void onward_group(struct onward *o, size_t at)
{
    struct ncs_workload_step *step = o->job->step[at];
    bool begins = step->kind == NCS_STEP_GROUP, open = o->group != SIZE_MAX;
    if (!begins && open && step->of[o->leader]) {
        step->of[o->rank] = step->of[o->leader];
        o->group = SIZE_MAX;
    }
    for (int r = 0; begins && !open && r < o->job->ranks && o->group == SIZE_MAX; r++)
        if (step->of[r] && leads(o, r) && !was_made(o, at, r) && (step->of[o->rank] = as_before(o, at, r))) {
            o->group = at;
            o->leader = r;
        }
}

static void onward_step(struct onward *o, size_t at)
{
    struct ncs_workload_step *step = o->job->step[at];
    if (step->kind == NCS_STEP_GROUP || step->kind == NCS_STEP_GROUP_END)
        onward_group(o, at);
    else if (step->kind == NCS_STEP_CALL || step->kind == NCS_STEP_SYNC)
        for (int r = 0; r < o->job->ranks && !step->of[o->rank]; r++)
            if (step->of[r] && leads(o, r)) {
                if (was_made(o, at, r))
                    return;
                step->of[o->rank] = as_other(o, at, r);
            }
}

/* In a record all calls have returned: a rank whose newest call is not over waits for it. A thread that waits for one of its ranks holds
 * the others. */
static void find_blocked(struct ncs_reader *r)
{
    const struct ncs_snapshot *s = r->source->snapshot;
    for (size_t i = 0; s && i < s->parts; i++) {
        const struct ncs_call *call = s->part[i].call;
        int rank = call ? ncs_reader_rank(r, call) : -1;
        if (rank >= 0 && rank < r->job->ranks && s->part[i].state <= NCS_PART_MATCHED && r->rank[rank].newest == call)
            r->rank[rank].blocked = true;
    }
    for (int rank = 0; rank < r->job->ranks && r->shared; rank++)
        r->rank[rank].blocked |= ncs_map_number(&r->waits, r->rank[rank].caller) > 0;
}

void ncs_reader_go_on(struct ncs_reader *r)
{
    struct ncs_workload *job = r->job;
    find_blocked(r);
    for (int rank = 0; rank < job->ranks; rank++) {
        struct onward o = { .job = job, .of = r->rank, .rank = rank, .last = job->steps, .group = SIZE_MAX };
        if (!r->rank[rank].blocked)
            continue;
        while (o.last > 0 && !job->step[o.last - 1]->of[rank])
            o.last--;
        o.made = ncs_new((job->steps + 1) * sizeof *o.made);
        for (size_t i = o.last; i < job->steps; i++)
            onward_step(&o, i);
        if (o.group != SIZE_MAX)
            job->step[o.group]->of[rank] = NULL;
        ncs_free(o.made);
    }
}
