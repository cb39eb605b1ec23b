/* The findings of a report: at most a screen of them, equal ones once. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/quantity.h"
#include "report/format.h"
#include "report/rows.h"
#include "report/sources.h"
#include "report/text.h"

enum {
    FEW = 8,     /* findings that are printed one by one */
    SCREEN = 24, /* lines after which no further finding is begun */
};

/* The ranks of the culprits in order; a finding may have as many rows as culprits. */
static int *text_sort_culprits(const struct ncs_finding *f)
{
    int *rank = ncs_new((f->culprits + 1) * sizeof *rank);
    for (size_t i = 0; i < f->culprits; i++)
        rank[i] = f->culprit[i].rank;
    qsort(rank, f->culprits, sizeof *rank, ncs_order_ints);
    return rank;
}

/* How the run depends on luck: the outcome under the other policy, and the bytes
 * that were buffered. */
static void add_other_policy(const struct ncs_text *t)
{
    const struct ncs_other_policy *other_policy = &t->result->other_policy;
    struct ncs_str text = { 0 };
    char most[32], limit[32];
    const char *passes = other_policy->verdict == NCS_PASS ? "under the typical policy it passes" : "it works by luck here";
    if (!other_policy->differs)
        ncs_str_add(&text, "it works here by luck; NCCL does not promise it");
    else if (!other_policy->buffered)
        ncs_str_addf(&text,
                     "%s: as in NCCL 2.30.7, a destroy or an abort waits for less than under the strict policy "
                     "(ncclscript explain policy)",
                     passes);
    else
        ncs_str_addf(&text, "%s: the sends fit into NCCL's buffers (%s of %s per pair)", passes,
                     ncs_format_size(other_policy->buffered, most, sizeof most),
                     ncs_format_size(other_policy->limit, limit, sizeof limit));
    ncs_text_keyed(t, NCS_BOLD, "luck", text.text);
    ncs_str_free(&text);
}

static bool text_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_shape(const char *a, const char *b)
{
    return a == b || (a && b && ncs_compare_shapes(a, b) == 0);
}

/* True if the findings differ only in numbers, such as ranks: then one stands for all. */
static bool same_shapes(const struct ncs_finding *a, const struct ncs_finding *b)
{
    if (a->culprits != b->culprits || a->rows != b->rows)
        return false;
    for (size_t i = 0; i < a->culprits; i++)
        if (a->culprit[i].line != b->culprit[i].line)
            return false;
    return same_shape(a->title, b->title) && same_shape(ncs_sentence_text(a->why), ncs_sentence_text(b->why)) &&
           same_shape(ncs_sentence_text(a->fix), ncs_sentence_text(b->fix));
}

/* True for ranks that made one mistake at one place. */
static bool text_is_alike(const struct ncs_diagnosis *d, size_t first, size_t other)
{
    const struct ncs_finding *a = &d->finding[first], *b = &d->finding[other];
    if (a->rule != b->rule || a->level != b->level || a->certainty != b->certainty)
        return false;
    if (d->findings > FEW && same_shapes(a, b))
        return true;
    return a->culprits == 1 && b->culprits == 1 && a->culprit->line == b->culprit->line && a->call == b->call &&
           text_same_text(a->comm, b->comm) && ncs_sentences_same(a->fix, b->fix);
}

/* "also  the same on ranks 1..63" */
static void add_likes(const struct ncs_text *t, size_t first)
{
    const struct ncs_diagnosis *d = &t->result->diagnosis;
    int *rank = NULL;
    size_t ranks = 0, room = 0, distinct = 0;
    for (size_t i = first + 1; i < d->findings && !t->style->verbose; i++)
        for (size_t k = 0; text_is_alike(d, first, i) && k < d->finding[i].culprits; k++)
            NCS_PUSH(rank, ranks, room, d->finding[i].culprit[k].rank);
    if (ranks) {
        struct ncs_str also = { 0 };
        qsort(rank, ranks, sizeof *rank, ncs_order_ints);
        for (size_t i = 0; i < ranks; i++)
            if (!distinct || rank[distinct - 1] != rank[i])
                rank[distinct++] = rank[i];
        ncs_str_addf(&also, "the same on rank%s ", ncs_text_plural(distinct));
        ncs_str_add_many_ranks(&also, rank, distinct);
        ncs_text_keyed(t, NCS_BOLD, "also", also.text);
        ncs_str_free(&also);
    }
    ncs_free(rank);
}

static void text_add_finding(struct ncs_text *t, size_t which)
{
    const struct ncs_finding *f = &t->result->diagnosis.finding[which];
    if (f->title)
        ncs_text_title(t, f->title);
    struct ncs_rows rows = { 0 }, behind = { .merge = true };
    int *culprit = text_sort_culprits(f);
    for (size_t i = 0; i < f->rows; i++)
        ncs_rows_add(f->row[i].behind ? &behind : &rows, f->row[i].rank, ncs_sentence_text(f->row[i].said), f->row[i].line,
                     bsearch(&f->row[i].rank, culprit, f->culprits, sizeof *culprit, ncs_order_ints) != NULL);
    ncs_free(culprit);
    ncs_rows_print(&rows, &behind, t->style->verbose, t->out);
    ncs_text_quote(t, f);
    if (f->why)
        ncs_text_keyed(t, NCS_BOLD, f->level == NCS_LEVEL_NOTE ? "note" : "why", ncs_sentence_text(f->why));
    for (size_t i = 0; i < f->priors; i++)
        ncs_text_keyed(t, NCS_BOLD, "prior", f->prior[i].text);
    if (f->certainty == NCS_POLICY_DEPENDENT)
        add_other_policy(t);
    else if (f->certainty == NCS_UNDEFINED)
        ncs_text_keyed(t, NCS_BOLD, "undefined", "NCCL promises nothing here, and machines differ");
    add_likes(t, which);
    if (f->otherwise)
        ncs_text_keyed(t, NCS_BOLD, "or", f->otherwise);
    if (f->fix)
        ncs_text_keyed(t, NCS_BOLD, "fix", ncs_sentence_text(f->fix));
    if (f->tried)
        ncs_text_keyed(t, NCS_BOLD, "tried", f->tried);
    struct ncs_str more = { 0 };
    ncs_str_addf(&more, "ncclscript explain %s", f->rule);
    ncs_text_keyed(t, NCS_DIM, "more", more.text);
    ncs_str_free(&more);
}

/* The number of lines written since `start`. */
static size_t lines_since(const struct ncs_text *t, size_t start)
{
    size_t lines = 0;
    for (size_t i = start; i < t->out->bytes; i++)
        lines += t->out->text[i] == '\n';
    return lines;
}

void ncs_text_findings(const struct ncs_text *t)
{
    const struct ncs_diagnosis *d = &t->result->diagnosis;
    size_t start = t->out->bytes, left_out = 0, *first = ncs_new(d->findings * sizeof *first);
    size_t kinds = 0;
    struct ncs_text quoting = *t; /* its files are read once for all findings */
    for (size_t i = 0; i < d->findings; i++) {
        size_t k = 0;
        while (k < kinds && !text_is_alike(d, first[k], i))
            k++;
        if (k < kinds && !t->style->verbose)
            continue;
        first[kinds++] = i;
        if (kinds > 1 && !t->style->verbose && lines_since(t, start) >= SCREEN)
            left_out++;
        else
            text_add_finding(&quoting, i);
    }
    ncs_sources_free(quoting.quotes);
    ncs_free(first);
    if (left_out)
        ncs_str_addf(t->out, "  and %zu more finding%s; -v shows them\n", left_out, ncs_text_plural(left_out));
    const struct ncs_other_policy *other_policy = &t->result->other_policy;
    if (!other_policy->differs || t->result->certainty == NCS_POLICY_DEPENDENT)
        return;
    struct ncs_str other = { 0 };
    ncs_str_addf(&other, "under the %s policy it ends otherwise: %s%s%s",
                 other_policy->policy == NCS_POLICY_TYPICAL ? "typical" : "strict", ncs_verdict_name(other_policy->verdict),
                 other_policy->rule ? ", " : "", other_policy->rule ? other_policy->rule : "");
    ncs_text_keyed(t, NCS_BOLD, "luck", other.text);
    ncs_str_free(&other);
}
