/* Launches run in the order of their stream and of their communicator. */
#include "diagnose/rehearsal/rehearsal.h"

#include "base/mem.h"

enum { STREAM, MEMBER }; /* kinds of keys in the map of tails, and indices of ncs_launch.before */

static uint64_t launches_stream_key(int rank, const void *stream)
{
    return ncs_rehearsal_key(STREAM, rank, (int64_t)(intptr_t)stream, 0);
}

static uint64_t launches_member_key(const struct ncs_deed *d)
{
    return ncs_rehearsal_key(MEMBER, d->comm, d->comm_rank, 0);
}

static uint64_t launches_event_key(const struct ncs_call *c)
{
    const union ncs_arg *event = ncs_call_arg(c, NCS_ARG_EVENT);
    return ncs_rehearsal_key(c->rank, (int64_t)(intptr_t)(event ? event->p : NULL), 0, 0);
}

/* ---- enqueueing ---- */

/* The launch comes behind the newest one of the stream or communicator, and is the newest now. */
static void follow(struct ncs_rehearsal *p, size_t launch, int which, uint64_t key)
{
    size_t before = ncs_map_number(&p->tail, key);
    if (before && before != launch + 1)
        p->launch[launch].before[which] = before;
    ncs_map_put_number(&p->tail, key, launch + 1);
}

static bool is_same_member(const struct ncs_deed *a, const struct ncs_deed *b)
{
    return a->comm == b->comm && a->comm_rank == b->comm_rank;
}

static void launches_add_part(struct ncs_rehearsal *p, size_t launch, const struct ncs_deed *d)
{
    struct ncs_launch_part part = { .deed = *d, .launch = launch };
    follow(p, launch, STREAM, launches_stream_key(d->rank, d->stream));
    NCS_PUSH(p->part, p->parts, p->part_room, part);
    ncs_rehearsal_join(p, p->parts - 1);
    p->launch[launch].parts++;
    p->undone[d->rank]++;
}

void ncs_rehearsal_enqueue(struct ncs_rehearsal *p, const struct ncs_deed *deed, size_t deeds)
{
    for (size_t i = 0; i < deeds; i++) {
        size_t same = 0;
        while (same < i && !is_same_member(&deed[same], &deed[i]))
            same++;
        if (same < i)
            continue;
        struct ncs_launch fresh = { .first = p->parts };
        NCS_PUSH(p->launch, p->launches, p->launch_room, fresh);
        size_t launch = p->launches - 1;
        follow(p, launch, MEMBER, launches_member_key(&deed[i]));
        for (size_t k = i; k < deeds; k++)
            if (is_same_member(&deed[k], &deed[i]))
                launches_add_part(p, launch, &deed[k]);
        ncs_rehearsal_await(p, launch);
    }
    p->moved |= deeds > 0;
}

void ncs_rehearsal_record_event(struct ncs_rehearsal *p, const struct ncs_call *c)
{
    ncs_map_put_number(&p->event, launches_event_key(c),
                       ncs_map_number(&p->tail, launches_stream_key(c->rank, ncs_call_stream(c))));
}

/* An empty launch behind both the stream and the event: later launches of the stream follow it. */
void ncs_rehearsal_wait_for_event(struct ncs_rehearsal *p, const struct ncs_call *c)
{
    uint64_t stream = launches_stream_key(c->rank, ncs_call_stream(c));
    size_t event = ncs_map_number(&p->event, launches_event_key(c));
    struct ncs_launch both = { .before = { ncs_map_number(&p->tail, stream), event } };
    if (!event)
        return;
    NCS_PUSH(p->launch, p->launches, p->launch_room, both);
    ncs_map_put_number(&p->tail, stream, p->launches);
    ncs_rehearsal_await(p, p->launches - 1);
}

/* ---- waits for launches ---- */

bool ncs_rehearsal_device_is_done(const struct ncs_rehearsal *p, int rank)
{
    return rank < 0 || rank >= p->cast->ranks || !p->undone[p->troupe_of[rank]->rank[0]];
}

bool ncs_rehearsal_wait_is_over(const struct ncs_rehearsal *p, const struct ncs_call *c)
{
    if (c->fn == NCS_FN_cudaEventSynchronize)
        return ncs_launch_is_done(p, ncs_map_number(&p->event, launches_event_key(c)));
    const void *stream = ncs_call_stream(c);
    if (c->fn == NCS_FN_cudaDeviceSynchronize || !stream || stream == cudaStreamLegacy)
        return ncs_rehearsal_device_is_done(p, c->rank);
    return ncs_launch_is_done(p, ncs_map_number(&p->tail, launches_stream_key(c->rank, stream)));
}

/* ---- the devices ---- */

/* The order within a launch: one-sided calls, then collectives one after the other, then all pairs at once
 * (design of NCCL's kernels; gathers, scatters and all-to-alls are pairs). */
enum { ONE_SIDED, COLLECTIVES, PAIRS, TURNS };

static int turn_of(const struct ncs_launch_part *part)
{
    if (ncs_deed_is_one_sided(&part->deed))
        return ONE_SIDED;
    return ncs_deed_is_pair(&part->deed) || ncs_is_composed(part->deed.call) ? PAIRS : COLLECTIVES;
}

/* A turn begins when the turns before it are done. All pairs of a launch are tried, even if one of them still waits. */
static bool launches_play_launch(struct ncs_rehearsal *p, struct ncs_launch *l)
{
    bool all = true, changed = false;
    for (int turn = 0; turn < TURNS && all; turn++)
        for (size_t i = l->first; i < l->first + l->parts && (all || turn == PAIRS); i++) {
            struct ncs_launch_part *part = &p->part[i];
            if (turn_of(part) != turn)
                continue;
            changed |= !part->met && ncs_rehearsal_meet(p, part);
            all &= part->met;
        }
    l->done = all;
    for (size_t i = l->first; i < l->first + l->parts && all; i++)
        p->undone[p->part[i].deed.rank]--;
    return changed || all;
}

void ncs_rehearsal_play_launches(struct ncs_rehearsal *p)
{
    size_t i;
    ncs_rehearsal_begin_pass(p);
    while (ncs_rehearsal_next_launch(p, &i)) {
        p->moved |= launches_play_launch(p, &p->launch[i]);
        ncs_rehearsal_leave_launch(p, i);
    }
}
