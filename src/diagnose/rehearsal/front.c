/* The front: launches whose predecessors are done, the only ones that a pass has to look at. Each other launch is in its
 * predecessor's list and joins the front when that is done, so a long queue costs no more than its length. */
#include "diagnose/rehearsal/rehearsal.h"

#include "base/mem.h"

static bool is_ready(const struct ncs_rehearsal *p, const struct ncs_launch *l)
{
    return ncs_launch_is_done(p, l->before[0]) && ncs_launch_is_done(p, l->before[1]);
}

void ncs_rehearsal_await(struct ncs_rehearsal *p, size_t launch)
{
    struct ncs_launch *l = &p->launch[launch];
    for (size_t which = 0; which < 2; which++) {
        struct ncs_launch *before = ncs_launch_is_done(p, l->before[which]) ? NULL : &p->launch[l->before[which] - 1];
        if (!before)
            continue;
        l->after_next[which] = before->after;
        before->after = 2 * launch + which + 1;
    }
    l->looked_at = is_ready(p, l);
    if (l->looked_at)
        NCS_PUSH(p->later, p->laters, p->later_room, launch);
}

/* ---- a pass ---- */

static void swap(size_t *a, size_t *b)
{
    size_t was = *a;
    *a = *b;
    *b = was;
}

static void rise(size_t *heap, size_t at)
{
    for (; at && heap[at] < heap[(at - 1) / 2]; at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static void sink(size_t *heap, size_t count)
{
    for (size_t at = 0, child = 1; child < count; at = child, child = 2 * at + 1) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[at] <= heap[child])
            return;
        swap(&heap[at], &heap[child]);
    }
}

void ncs_rehearsal_begin_pass(struct ncs_rehearsal *p)
{
    for (size_t i = 0; i < p->laters; i++) /* a sorted list is a heap */
        NCS_PUSH(p->front, p->fronts, p->front_room, p->later[i]);
    p->laters = 0;
}

bool ncs_rehearsal_next_launch(struct ncs_rehearsal *p, size_t *launch)
{
    if (!p->fronts)
        return false;
    *launch = p->front[0];
    p->front[0] = p->front[--p->fronts];
    sink(p->front, p->fronts);
    return true;
}

void ncs_rehearsal_leave_launch(struct ncs_rehearsal *p, size_t launch)
{
    const struct ncs_launch *l = &p->launch[launch];
    if (!l->done)
        NCS_PUSH(p->later, p->laters, p->later_room, launch);
    for (size_t node = l->done ? l->after : 0; node;) {
        struct ncs_launch *behind = &p->launch[(node - 1) / 2];
        if (!behind->looked_at && is_ready(p, behind)) {
            behind->looked_at = true;
            NCS_PUSH(p->front, p->fronts, p->front_room, (node - 1) / 2);
            rise(p->front, p->fronts - 1);
        }
        node = behind->after_next[(node - 1) % 2];
    }
}
