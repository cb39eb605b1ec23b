/* Finds the calls that one rank left out in several places, such as one layer's in every round of a loop: its calls are
 * those of the others without some, in the same order. */
#include "diagnose/analysis.h"

#include <string.h>

#include "base/mem.h"

static void gaps_push(struct ncs_gaps *g, size_t *room, size_t at)
{
    NCS_PUSH(g->at, g->count, *room, (uint32_t)at);
}

/* Matches each key of `few` with the first possible one of `many`, and lists the keys between. */
static bool gaps_read(struct ncs_keys few, struct ncs_keys many, bool ended, struct ncs_gaps *out)
{
    size_t room = 0, next = 0;
    for (size_t i = 0; i < few.count; i++, next++) {
        size_t begin = next;
        while (next < many.count && few.key[i] != many.key[next])
            gaps_push(out, &room, next++);
        if (next == many.count || next - begin > NCS_GAP_MOST)
            return false;
    }
    size_t tail = many.count - next;
    while (ended && next < many.count)
        gaps_push(out, &room, next++);
    return out->count > 0 && (!ended || tail <= NCS_GAP_MOST);
}

/* True if matching from the end finds missing keys that are equal to these, in the same order. Otherwise several
 * omissions would explain the difference. */
static bool gaps_are_sure(struct ncs_keys few, struct ncs_keys many, const struct ncs_gaps *found)
{
    size_t i = few.count, left = found->count;
    for (size_t k = many.count; k-- > 0;) {
        if (i > 0 && few.key[i - 1] == many.key[k])
            i--;
        else if (left == 0 || many.key[found->at[--left]] != many.key[k])
            return false;
    }
    return i == 0 && left == 0;
}

bool ncs_gaps_find(struct ncs_keys few, struct ncs_keys many, bool ended, struct ncs_gaps *out)
{
    *out = (struct ncs_gaps){ 0 };
    if (few.count && few.count < many.count && gaps_read(few, many, ended, out) && (!ended || gaps_are_sure(few, many, out)))
        return true;
    ncs_free(out->at);
    *out = (struct ncs_gaps){ 0 };
    return false;
}

bool ncs_gaps_same(const struct ncs_gaps *a, const struct ncs_gaps *b)
{
    return a->count == b->count && (!a->count || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
}
