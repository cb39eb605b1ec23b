/* Collects findings: findings about the same mistake are merged, and the order of the rest does not
 * depend on the schedule. */
#include "diagnose/rules/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void ncs_free_finding(struct ncs_finding *f)
{
    for (size_t i = 0; i < f->cycles; i++)
        ncs_free(f->cycle[i].comm);
    for (size_t i = 0; i < f->rows; i++)
        ncs_sentence_free(f->row[i].said);
    ncs_free(f->comm);
    ncs_free(f->title);
    ncs_sentence_free(f->why);
    ncs_sentence_free(f->fix);
    ncs_sentence_free(f->evidence);
    ncs_free(f->otherwise);
    ncs_free(f->tried);
    ncs_str_free(&f->weighed);
    for (size_t i = 0; i < f->priors; i++) {
        ncs_free(f->prior[i].rank);
        ncs_free(f->prior[i].text);
    }
    ncs_free(f->prior);
    for (size_t i = 0; i < f->others; i++)
        ncs_free_finding(&f->other[i]);
    ncs_free(f->other);
    ncs_free(f->culprit);
    ncs_free(f->blocked);
    ncs_free(f->bystander);
    ncs_free(f->cycle);
    ncs_free(f->row);
    for (size_t i = 0; i < f->repairs; i++)
        ncs_edit_free(&f->repair[i]);
    ncs_free(f->repair);
}

void ncs_diagnosis_free(struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->alternatives; i++) {
        for (size_t k = 0; k < d->alternative[i].findings; k++)
            ncs_free_finding(&d->alternative[i].finding[k]);
        ncs_free(d->alternative[i].finding);
    }
    ncs_free(d->alternative);
    for (size_t i = 0; i < d->findings; i++)
        ncs_free_finding(&d->finding[i]);
    for (size_t i = 0; i < d->waits; i++) {
        ncs_free(d->wait[i].in);
        ncs_free(d->wait[i].comm);
        ncs_free(d->wait[i].op);
        ncs_free(d->wait[i].what);
        ncs_free(d->wait[i].peer);
    }
    ncs_free(d->finding);
    ncs_free(d->wait);
    ncs_free(d->party);
    ncs_str_free(&d->weighed);
    memset(d, 0, sizeof *d);
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static bool is_rule(const struct ncs_finding *f, const char *id)
{
    return strcmp(f->rule, id) == 0;
}

bool ncs_same_culprits(const struct ncs_finding *a, const struct ncs_finding *b)
{
    if (a->culprits != b->culprits)
        return false;
    for (size_t i = 0; i < a->culprits; i++)
        if (a->culprit[i].rank != b->culprit[i].rank)
            return false;
    return true;
}

/* True if both findings are about one mistake: the same rule blames the same ranks. Some rules need
 * the same title, too: each key, fault and result has a statement of its own. Hazards are one only
 * if one wait mends both. */
static bool same_mistake(const struct ncs_draft *x, const struct ncs_draft *y, struct ncs_why *why)
{
    const struct ncs_finding *a = &x->f, *b = &y->f;
    if (x->hazard && y->hazard && !ncs_one_wait_mends(x->hazard, y->hazard))
        return false;
    bool title = !x->by_title || compare_texts(a->title, b->title) == 0;
    return NCS_BY(why, NOTHING, title && a->rule == b->rule && ncs_same_culprits(a, b));
}

static bool at_one_call(const struct ncs_finding *a, const struct ncs_finding *b)
{
    return a->call > 0 && a->call == b->call && compare_texts(a->comm, b->comm) == 0;
}

/* True if the ranks wait only for the rank whose put into freed memory ended its device. The finding
 * blames the rank that freed the memory, and has a row for the other one. */
static bool follows_put(const struct ncs_finding *waits, const struct ncs_finding *freed)
{
    bool fits = is_rule(freed, "freed-while-registered") && is_rule(waits, "error-path") && waits->culprits == 1;
    for (size_t i = 0; fits && i < freed->rows; i++)
        if (freed->row[i].rank == waits->culprit[0].rank)
            return true;
    return false;
}

/* True if the ranks wait only because of the illegal access: the access ends the device, and so the
 * rank, in the same call. */
static bool follows(const struct ncs_finding *waits, const struct ncs_finding *access, struct ncs_why *why)
{
    bool fits = is_rule(access, "illegal-access") && is_rule(waits, "error-path");
    bool alone = fits && waits->culprits == 1 && ncs_same_culprits(access, waits);
    return NCS_BY(why, ACCESS, follows_put(waits, access) || (alone && at_one_call(access, waits)));
}

/* True if several ranks made the same illegal access at the same line. */
static bool same_slip(const struct ncs_finding *a, const struct ncs_finding *b)
{
    return is_rule(a, "illegal-access") && is_rule(b, "illegal-access") && at_one_call(a, b) &&
           compare_texts(ncs_sentence_text(a->fix), ncs_sentence_text(b->fix)) == 0 && a->culprits && b->culprits &&
           !a->blockeds && !b->blockeds && a->culprit[0].line == b->culprit[0].line;
}

/* A key for the order of findings, from the id of the earliest call (diagnose/README.md, rule 1).
 * Bits: calls before | not noticed by the machine (a notice comes before the waits that it causes)
 * | rank | thread. */
static uint64_t place_in_order(const struct ncs_analysis *q, uint64_t id, bool noticed)
{
    const struct ncs_index *all = &q->index;
    size_t at = 0, end = all->mades;
    while (at < end) { /* binary search: calls are in the order of their ids */
        size_t middle = at + (end - at) / 2;
        if (all->made[middle].call->id < id)
            at = middle + 1;
        else
            end = middle;
    }
    if (at == all->mades || all->made[at].call->id != id)
        return id;
    const struct ncs_made *call = &all->made[at];
    return (uint64_t)call->before << 33 | (uint64_t)!noticed << 32 | (uint64_t)(uint16_t)call->rank << 16 |
           (uint16_t)call->thread;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

struct order_by { /* a term of the order of findings */
    struct ncs_why why;
    int order;
    const char *name;
};

/* diagnose/README.md, rule 12. The texts come last, so that the order is complete: qsort is not stable. *by = the comparison
 * that decides. */
static int compare_by(const struct ncs_draft *a, const struct ncs_draft *b, struct order_by *by)
{
    bool hazard_a = a->f.certainty == NCS_UNDEFINED && !a->f.blockeds;
    bool hazard_b = b->f.certainty == NCS_UNDEFINED && !b->f.blockeds;
    const struct order_by terms[] = {
        { NCS_WHY(NOTHING), (a->f.level != NCS_LEVEL_ERROR) - (b->f.level != NCS_LEVEL_ERROR), "level" },
        { NCS_WHY(NOTHING), hazard_a - hazard_b, "hang before hazard" },
        { NCS_WHY(NOTHING), compare_numbers(a->order, b->order), "earlier" },
        { NCS_WHY(NOTHING), strcmp(a->f.rule, b->f.rule), "rule" },
        { NCS_WHY(NOTHING), compare_texts(a->f.comm, b->f.comm), "comm" },
        { NCS_WHY(NOTHING), compare_numbers(a->f.call, b->f.call), "call" },
        { NCS_WHY(NOTHING), compare_texts(a->f.title, b->f.title), "title" },
        { NCS_WHY(NOTHING), compare_texts(ncs_sentence_text(a->f.why), ncs_sentence_text(b->f.why)), "why" },
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (terms[i].order) {
            *by = terms[i];
            return by->order;
        }
    return 0;
}

static int drafts_compare(const void *x, const void *y)
{
    struct order_by by;
    return compare_by(x, y, &by);
}

/* Keeps the finding of the lowest rank, with the culprits of both. */
static void merge_slips(struct ncs_draft *old, struct ncs_draft *d)
{
    if (d->f.culprit[0].rank < old->f.culprit[0].rank) {
        struct ncs_draft swap = *old;
        *old = *d;
        *d = swap;
    }
    for (size_t i = 0; i < d->f.culprits; i++)
        ncs_add_culprit(old, d->f.culprit[i].rank, d->f.culprit[i].call, d->f.culprit[i].line);
    ncs_add_merged(old, d);
    ncs_free_finding(&d->f);
}

/* One mistake shows in many places, each round of a loop, each communicator (diagnose/README.md, rule 11). */
void ncs_drafts_add(const struct ncs_analysis *q, struct ncs_drafts *all, struct ncs_draft *d)
{
    if (d->order != UINT64_MAX)
        d->order = place_in_order(q, d->order, d->noticed);
    struct ncs_why why;
    for (size_t i = 0; i < all->count; i++) {
        struct ncs_draft *old = &all->draft[i];
        if (same_slip(&old->f, &d->f)) {
            merge_slips(old, d);
            return;
        }
        if (follows(&d->f, &old->f, &why)) {
            ncs_decided(&old->f, why, "%s follows from it", d->f.rule);
            ncs_add_merged(old, d);
            ncs_free_finding(&d->f);
            return;
        }
        if (!same_mistake(old, d, &why))
            continue;
        bool hang = d->f.blockeds > 0, old_hang = old->f.blockeds > 0;
        if (hang != old_hang ? hang : drafts_compare(d, old) < 0) {
            struct ncs_draft swap = *old;
            *old = *d;
            *d = swap;
        }
        ncs_weighed(&old->f, why, "merged with the same mistake: %s", d->f.title ? d->f.title : "");
        ncs_add_merged(old, d);
        ncs_free_finding(&d->f);
        return;
    }
    NCS_PUSH(all->draft, all->count, all->room, *d);
}

static void format_others(struct ncs_finding *f)
{
    struct ncs_str s = { 0 };
    int *others = ncs_new(f->culprits * sizeof *others);
    for (size_t i = 1; i < f->culprits; i++)
        others[i - 1] = f->culprit[i].rank;
    ncs_str_addf(&s, "%s; the same on ", ncs_sentence_text(f->why));
    ncs_format_ranks(&s, others, f->culprits - 1);
    ncs_free(others);
    ncs_sentence_free(f->why);
    f->why = ncs_plain(ncs_str_take(&s));
}

void ncs_drafts_sort(struct ncs_drafts *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (is_rule(&all->draft[i].f, "illegal-access") && all->draft[i].f.culprits > 1)
            format_others(&all->draft[i].f);
    if (all->count)
        qsort(all->draft, all->count, sizeof *all->draft, drafts_compare);
    for (size_t i = 0; i + 1 < all->count; i++) {
        struct order_by by;
        if (compare_by(&all->draft[i], &all->draft[i + 1], &by))
            ncs_weighed(&all->draft[i].f, by.why, "comes before %s: %s", all->draft[i + 1].f.rule, by.name);
    }
}
