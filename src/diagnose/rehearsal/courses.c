/* Plays a course in a rehearsal step by step, with the changes. A function that returns false leaves the player at its
 * step, where it waits. The next round plays the same step again, so a step must not repeat an effect. */
#include "diagnose/rehearsal/rehearsal.h"

#include "api/types.h"
#include "base/mem.h"

/* ---- calls ---- */

static struct ncs_deed deed_of(const struct ncs_player *l, const struct ncs_call *c)
{
    return (struct ncs_deed){ .by = l->troupe,
                              .call = c,
                              .fn = ncs_fn_info[c->fn].same,
                              .rank = c->rank,
                              .comm = c->comm,
                              .comm_rank = c->comm_rank,
                              .peer = ncs_call_peer(c),
                              .root = ncs_call_root(c),
                              .bytes = ncs_call_count(c) * ncs_dtype_bytes(ncs_call_dtype(c)),
                              .stream = ncs_call_stream(c) };
}

/* The deed of a call that is put in. It goes to the stream of the course's last call on the communicator or, without
 * one, of its first call. */
static struct ncs_deed deed_put_in(const struct ncs_player *l, const struct ncs_change *c)
{
    const struct ncs_course *own = l->course;
    struct ncs_deed d = deed_of(l, c->model);
    d.fn = ncs_change_fn(c);
    d.comm = c->comm;
    d.comm_rank = c->comm_rank;
    d.peer = c->peer;
    d.rank = own->rank;
    for (size_t i = own->steps; i-- > 0;)
        if (own->step[i].kind == NCS_STEP_CALL) {
            d.stream = ncs_call_stream(own->step[i].call);
            if (own->step[i].call->comm == c->comm)
                break;
        }
    return d;
}

/* True while the group waits for first contact: its deeds are collected and must not be collected again. */
static bool in_contact(const struct ncs_player *l)
{
    return l->entered > 0;
}

/* Launches the group, once it has contact with all its peers. */
static bool end_group(struct ncs_rehearsal *p, struct ncs_player *l)
{
    for (; l->entered < l->deeds; l->entered++)
        ncs_rehearsal_enter(p, &l->deed[l->entered]);
    for (size_t i = 0; i < l->deeds; i++)
        if (!ncs_rehearsal_has_contact(p, &l->deed[i]))
            return false;
    ncs_rehearsal_enqueue(p, l->deed, l->deeds);
    l->deeds = l->entered = 0;
    return true;
}

static bool play_call(struct ncs_rehearsal *p, struct ncs_player *l, const struct ncs_call *call, const struct ncs_change *c)
{
    if (ncs_call_count(call) == 0 && !ncs_call_is_pair(call) && !ncs_call_is_one_sided(call))
        return true;
    if (!in_contact(l)) {
        struct ncs_deed d = deed_of(l, call);
        if (c && c->kind == NCS_CHANGE_COMM) {
            d.comm = c->comm;
            d.comm_rank = c->comm_rank;
        }
        d.peer = c && c->peer >= 0 ? c->peer : d.peer;
        NCS_PUSH(l->deed, l->deeds, l->room, d);
    }
    return call->group || end_group(p, l);
}

/* ---- steps ---- */

/* `c` is the change of the step; NULL = none. */
static bool play_step(struct ncs_rehearsal *p, struct ncs_player *l, const struct ncs_step *s, const struct ncs_change *c)
{
    switch (s->kind) {
    case NCS_STEP_CALL: return play_call(p, l, s->call, c);
    case NCS_STEP_GROUP_END: return end_group(p, l);
    case NCS_STEP_WAIT: return ncs_rehearsal_wait_is_over(p, s->call);
    case NCS_STEP_RECORD: ncs_rehearsal_record_event(p, s->call); return true;
    case NCS_STEP_AFTER: ncs_rehearsal_wait_for_event(p, s->call); return true;
    case NCS_STEP_OTHER: return s->call->fn != NCS_FN_ncclCommSplit || ncs_rehearsal_play_split(p, l);
    case NCS_STEP_BARRIER:
    case NCS_STEP_SET:
    case NCS_STEP_GET:
    case NCS_STEP_SPAWN: return ncs_rehearsal_play_host(p, l, c ? c->key : NULL);
    }
    return true;
}

/* A call that is put in while a group is open becomes part of the group. */
static bool play_put_in(struct ncs_rehearsal *p, struct ncs_player *l, const struct ncs_change *c)
{
    if (c->host)
        return ncs_rehearsal_add_host(p, l, c);
    bool grouped = l->deeds > 0 && !in_contact(l);
    if (!in_contact(l)) {
        struct ncs_deed d = deed_put_in(l, c);
        NCS_PUSH(l->deed, l->deeds, l->room, d);
    }
    return grouped || end_group(p, l);
}

/* Plays the calls that are put in before the player's step. *of_step is the change of the step itself; NULL = none. */
static bool play_changes(struct ncs_rehearsal *p, struct ncs_player *l, const struct ncs_change **of_step)
{
    *of_step = NULL;
    for (; l->change < p->changes; l->change++) {
        const struct ncs_change *c = &p->change[l->change];
        if (c->course < l->self || (c->course == l->self && c->step < l->at))
            continue;
        if (c->course > l->self || c->step > l->at)
            return true;
        if (c->kind != NCS_CHANGE_PUT_IN) {
            *of_step = c;
            return true;
        }
        if (!play_put_in(p, l, c))
            return false;
    }
    return true;
}

/* A course ends if its last wait is over. If the run shows no more of it, it is free then: it may make any call. */
static void end_course(struct ncs_rehearsal *p, struct ncs_player *l)
{
    const struct ncs_course *course = l->course;
    bool held = course->holder && !p->player_of[course->holder - 1]->ended;
    if (held || (!course->over && !ncs_rehearsal_last_wait_is_over(p, l)))
        return;
    l->ended = p->moved = true;
    if (!course->over && !course->still)
        ncs_rehearsal_set_free(p, l);
}

void ncs_rehearsal_play_course(struct ncs_rehearsal *p, struct ncs_player *l)
{
    const struct ncs_course *course = l->course;
    const struct ncs_change *c;
    while (!l->ended) {
        if (!play_changes(p, l, &c))
            return;
        if (l->at == course->steps) {
            end_course(p, l);
            return;
        }
        bool left_out = c && c->kind == NCS_CHANGE_LEAVE_OUT;
        if (!left_out && !play_step(p, l, &course->step[l->at], c))
            return;
        l->at++;
        p->moved = true;
    }
}
