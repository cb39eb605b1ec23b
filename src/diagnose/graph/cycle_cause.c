/* Cycles of waits whose cause is not the cycle: a call that a rank left out, or a key that no rank set. */
#include "diagnose/analysis.h"

#include <string.h>

#include "base/mem.h"

/* In a cycle through a host wait and collectives of one communicator, the rank at the host wait has left out the
 * collective, which is returned. For a store key the result is NULL: there the cause is that no rank sets the key. */
const struct ncs_unmet *ncs_left_out(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why)
{
    const struct ncs_unmet *collective = NULL;
    bool gate = false;
    for (size_t i = 0; i < length; i++) {
        int unmet = ncs_node_unmet(q, path[i]);
        if (unmet < 0)
            continue;
        const struct ncs_unmet *n = &q->unmet[unmet];
        if (n->kind == NCS_UNMET_GATE && ncs_is_key(q, n))
            return NULL;
        if (n->kind == NCS_UNMET_GATE)
            gate = true;
        else if (n->kind == NCS_UNMET_COLLECTIVE && (!collective || collective->comm == n->comm))
            collective = n;
        else
            return NULL;
    }
    return NCS_BY(why, LEFT_OUT, gate && collective) ? collective : NULL;
}

const struct ncs_snap_job *ncs_frees_beside(const struct ncs_analysis *q, const int *path, size_t length,
                                            const struct ncs_call **kernel, struct ncs_why *why)
{
    for (size_t i = 0; i < length; i++) {
        size_t job = (size_t)(path[i] - ncs_job_node(q, 0)), op = (size_t)(path[(i + 1) % length] - ncs_op_node(q, 0));
        if (path[i] < ncs_job_node(q, 0) || job >= q->snap->jobs || path[(i + 1) % length] < ncs_op_node(q, 0) ||
            op >= q->snap->ops)
            continue;
        const struct ncs_snap_job *j = &q->snap->job[job];
        *kernel = q->snap->op[op].call;
        const struct ncs_call *frees = j->kind == NCS_JOB_DESTROY ? j->call : NULL, *k = *kernel;
        if (NCS_BY(why, FREED_BESIDE, frees && k && k->comm >= 0 && k->comm != frees->comm))
            return j;
    }
    return NULL;
}

/* True if a rank has ended that may have been the one to set the key: nothing kept it from that. */
static bool may_be_of_ended(const struct ncs_unmet *key)
{
    bool gone = false;
    for (size_t k = 0; k < key->absents; k++)
        gone |= key->absent[k].reason <= NCS_ABSENT_LAST_FINAL;
    return gone;
}

const struct ncs_unmet *ncs_missed_teardown(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why)
{
    const struct ncs_unmet *ends = NULL;
    for (size_t i = 0; i < length; i++) {
        int at = ncs_node_unmet(q, path[i]);
        const struct ncs_unmet *n = at >= 0 ? &q->unmet[at] : NULL;
        if (n && ncs_is_key(q, n) && may_be_of_ended(n))
            return NULL; /* the rank comes to the end of the communicator as soon as it has its key */
        if (!n || n->kind == NCS_UNMET_GATE)
            continue;
        if (!NCS_BY(why, TEARDOWN, ncs_is_teardown(q, n) && (!ends || ends->comm == n->comm)))
            return NULL;
        if (!ends || n->presents > ends->presents)
            ends = n;
    }
    return ends;
}

/* True if several ranks wait for the key without the id, and the init lacks one of them: so it cannot join. */
static bool keeps_from_joining(const struct ncs_analysis *q, const struct ncs_unmet *key, const struct ncs_unmet *init)
{
    bool *has = ncs_holders_of_id(q, init, true), *waits = ncs_direct_waiters(q, key), keeps = false;
    size_t waiting = 0;
    for (size_t i = 0; i < q->snap->contexts; i++)
        waiting += waits[i];
    for (size_t i = 0; i < init->absents; i++) {
        const struct ncs_absent *a = &init->absent[i];
        keeps |= a->rank >= 0 && a->context >= 0 && waits[a->context] && !has[a->rank];
    }
    ncs_free(has);
    ncs_free(waits);
    return keeps && waiting > 1;
}

/* In a cycle of host waits, inits and ends of communicators, a store key for which nobody is left but those that wait: an ended rank may have been the
 * one to set it; or several ranks may have, and the init lacks one that waits for it. Returns the wait for such a key, the
 * first by name. */
const struct ncs_unmet *ncs_unset_key(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why)
{
    const struct ncs_unmet *key = NULL, *init = NULL;
    for (size_t i = 0; i < length; i++) {
        int unmet = ncs_node_unmet(q, path[i]);
        const struct ncs_unmet *n = unmet >= 0 ? &q->unmet[unmet] : NULL;
        bool joins = n && n->kind == NCS_UNMET_INIT && !init;
        if (n && n->kind != NCS_UNMET_GATE && !joins && !ncs_is_teardown(q, n))
            return NULL;
        if (n && n->kind == NCS_UNMET_INIT)
            init = n;
    }
    for (size_t i = 0; i < length; i++) {
        int unmet = ncs_node_unmet(q, path[i]);
        const struct ncs_unmet *n = unmet >= 0 ? &q->unmet[unmet] : NULL;
        if (!n || !ncs_is_key(q, n) || (key && strcmp(q->snap->gate[n->gate].key, q->snap->gate[key->gate].key) >= 0))
            continue;
        if (NCS_BY(why, UNSET_KEY, init ? n->absents > 1 && keeps_from_joining(q, n, init) : may_be_of_ended(n)))
            key = n;
    }
    return key;
}

const struct ncs_unmet *ncs_missed_meeting(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why)
{
    const struct ncs_unmet *most = NULL;
    bool meeting = false;
    for (size_t i = 0; i < length; i++) {
        int at = ncs_node_unmet(q, path[i]);
        if (at < 0)
            continue;
        const struct ncs_unmet *n = &q->unmet[at];
        bool meets = ncs_is_meeting(n) || n->kind == NCS_UNMET_SETUP;
        if ((n->kind != NCS_UNMET_COLLECTIVE && !meets) || !n->call || (most && most->comm != n->comm))
            return NULL;
        meeting |= meets;
        if (!most || n->presents > most->presents || (n->presents == most->presents && meets))
            most = n;
    }
    return NCS_BY(why, MISSED_MEETING, meeting) ? most : NULL;
}

static bool lacks_only_live(const struct ncs_unmet *n)
{
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].reason != NCS_ABSENT_ELSEWHERE)
            return false;
    return n->absents > 0;
}

static bool misses_one_of(const struct ncs_unmet *n, const struct ncs_unmet *others)
{
    for (size_t i = 0; i < n->absents; i++)
        for (size_t k = 0; k < others->presents; k++)
            if (n->absent[i].rank == others->present[k]->rank)
                return true;
    return false;
}

const struct ncs_unmet *ncs_meeting_instead(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_why *why)
{
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].reason != NCS_ABSENT_ELSEWHERE && n->absent[i].reason != NCS_ABSENT_FINISHED &&
            n->absent[i].reason != NCS_ABSENT_DESTROYED)
            return NULL;
    for (size_t i = 0; i < q->unmets && n->kind == NCS_UNMET_COLLECTIVE; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        bool meets = o->comm == n->comm && o != n && ncs_is_meeting(o) && !ncs_is_teardown(q, o);
        if (meets && NCS_BY(why, OTHER_MEETING, o->presents >= n->presents && lacks_only_live(o) && misses_one_of(o, n)))
            return o;
    }
    return NULL;
}

const struct ncs_absent *ncs_link(const struct ncs_unmet *n, const struct ncs_analysis *q, int next)
{
    for (size_t i = 0; i < n->absents; i++) {
        const struct ncs_absent *a = &n->absent[i];
        if (a->reason == NCS_ABSENT_QUEUED
                ? next == ncs_op_node(q, a->op)
                : (size_t)next < q->snap->contexts && (q->snap->context[next].rank == a->rank || ncs_is_held_by(q, a, next)))
            return a;
    }
    return NULL;
}

/* How many counted calls the call's group has. */
static size_t size_of_group(const struct ncs_analysis *q, const struct ncs_call *call)
{
    size_t n = 0;
    for (const struct ncs_call *c = q->journal->newest; c; c = c->older)
        n += c->number > 0 && c->rank == call->rank && c->thread == call->thread && c->group == call->group;
    return n;
}

const struct ncs_call *ncs_grouped_wait(const struct ncs_analysis *q, int rank)
{
    const struct ncs_call *found = NULL;
    for (size_t i = 0; i < q->unmets; i++)
        for (size_t k = 0; k < q->unmet[i].presents; k++) {
            const struct ncs_call *c = q->unmet[i].present[k];
            if (c->rank != rank)
                continue;
            if (!c->group)
                return NULL; /* the rank may wait for this call alone */
            found = c;
        }
    return found && size_of_group(q, found) > 1 ? found : NULL;
}

const struct ncs_unmet *ncs_missing_link(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why)
{
    const struct ncs_unmet *missing = NULL;
    size_t made = 0;
    for (size_t i = 0; i < length; i++) {
        int at = ncs_node_unmet(q, path[i]);
        if (at < 0)
            continue;
        const struct ncs_unmet *n = &q->unmet[at];
        if ((n->kind != NCS_UNMET_COLLECTIVE && n->kind != NCS_UNMET_PAIR) || !n->call || !n->call->group)
            return NULL;
        const struct ncs_absent *a = ncs_link(n, q, path[(i + 1) % length]);
        if (!a || (a->reason == NCS_ABSENT_ELSEWHERE && (missing || !ncs_grouped_wait(q, a->rank))))
            return NULL;
        if (NCS_BY(why, MISSING_LINK, a->reason == NCS_ABSENT_ELSEWHERE))
            missing = n;
        else
            made++;
    }
    return made ? missing : NULL;
}
