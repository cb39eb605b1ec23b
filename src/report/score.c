/* Scores how well reports agree with the truth. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/safe.h"
#include "report/corpus.h"
#include "report/format.h"

enum { WORST_SHOWN = 8 };

/* The project's own minimum, in thousandths. */
enum { VERDICT_BAR = 1000, RULE_BAR = 980, CULPRIT_BAR = 950 };

static void score_count(struct ncs_share *share, bool right)
{
    share->right += right;
    share->of++;
}

/* ---- one report ---- */

/* Which facts are known about a case, and which of them the report has right. */
struct mark {
    bool verdict;
    bool rule_known, rule;
    bool culprit_known, culprit;
    bool is_bug, told;
    bool silent;
    size_t extra;
};

/* The finding that names the cause: the first error, else the first finding. */
static const struct ncs_claim_finding *score_cause_of(const struct ncs_claim *c)
{
    for (size_t i = 0; i < c->findings; i++)
        if (c->finding[i].error)
            return &c->finding[i];
    return c->findings > 0 ? &c->finding[0] : NULL;
}

static bool same_set(const struct ncs_rank_set *a, const struct ncs_rank_set *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->rank, b->rank, a->count * sizeof *a->rank) == 0);
}

static bool has_all(const struct ncs_rank_set *set, const struct ncs_rank_set *of)
{
    size_t found = 0;
    for (size_t i = 0; i < set->count; i++)
        for (size_t k = 0; k < of->count; k++)
            found += set->rank[i] == of->rank[k];
    return found == of->count;
}

/* True if the culprits are right. For a cycle a report may name all its ranks. If the truth is an
 * error without a rule, it suffices that the report names the failed ranks, even among others. */
static bool culprit_right(const struct ncs_truth *t, const struct ncs_claim *c)
{
    const struct ncs_claim_finding *f = score_cause_of(c);
    if (f && (same_set(&f->culprit, &t->culprit) || same_set(&f->cycle, &t->culprit)))
        return true;
    return !t->rule && has_all(&c->failed, &t->culprit);
}

static size_t extra_findings(const struct ncs_truth *t, const struct ncs_claim *c)
{
    size_t errors = 0;
    for (size_t i = 0; i < c->findings; i++)
        errors += c->finding[i].error;
    return t->findings >= 0 && errors > (size_t)t->findings ? errors - (size_t)t->findings : 0;
}

static struct mark score_judge(const struct ncs_labelled *l, const struct ncs_claim *c)
{
    const struct ncs_truth *t = l->truth;
    const struct ncs_claim_finding *f = score_cause_of(c);
    return (struct mark){
        .verdict = t->any_verdict || c->verdict == t->verdict,
        .rule_known = t->rule != NULL,
        .rule = t->rule && f && f->rule && strcmp(f->rule, t->rule) == 0,
        .culprit_known = t->culprit.count > 0,
        .culprit = t->culprit.count > 0 && culprit_right(t, c),
        .is_bug = !l->correct && ncs_truth_is_bug(t),
        .told = c->verdict != NCS_PASS || c->findings > 0,
        .silent = c->verdict == NCS_PASS && c->findings == 0,
        .extra = l->correct ? 0 : extra_findings(t, c),
    };
}

/* ---- what is said of one that is not right ---- */

void ncs_score_format_case(const struct ncs_labelled *l, const char *seed, struct ncs_str *out)
{
    ncs_safe_line(out, l->file);
    if (l->name) {
        ncs_str_add(out, "[");
        ncs_safe_line(out, l->name);
        ncs_str_add(out, "]");
    }
    ncs_str_addf(out, " %s", ncs_policy_names[l->policy]);
    if (seed) {
        ncs_str_add(out, " seed ");
        ncs_safe_line(out, seed);
    }
}

static void format_wrong(const struct ncs_labelled *l, const struct ncs_claim *c, const struct mark *m, struct ncs_str *out)
{
    const struct ncs_claim_finding *f = score_cause_of(c);
    if (!m->verdict) {
        ncs_str_addf(out, "verdict %s, got %s", ncs_verdict_name(l->truth->verdict), ncs_verdict_name(c->verdict));
    } else if (l->correct) {
        ncs_str_add(out, "nothing is wrong with it, got finding ");
        ncs_safe_line(out, f && f->rule ? f->rule : "without a rule");
    } else if (m->rule_known && !m->rule) {
        ncs_str_addf(out, "rule %s, got ", l->truth->rule);
        ncs_safe_line(out, f && f->rule ? f->rule : "none");
    } else if (m->culprit_known && !m->culprit) {
        ncs_str_add(out, "culprit ");
        ncs_rank_set_format(out, ncs_rank_set_of(l->truth->culprit.rank, l->truth->culprit.count));
        ncs_str_add(out, ", got ");
        ncs_rank_set_format(out, ncs_rank_set_of(f ? f->culprit.rank : NULL, f ? f->culprit.count : 0));
    } else {
        ncs_str_addf(out, "%zu finding%s too many", m->extra, m->extra == 1 ? "" : "s");
    }
}

static struct ncs_score_entry *score_entry_of(struct ncs_score *s, const struct ncs_labelled *l)
{
    const char *id = l->entry ? l->entry : l->group;
    for (size_t i = 0; i < s->entries; i++)
        if (strcmp(s->entry[i].id, id) == 0)
            return &s->entry[i];
    struct ncs_score_entry entry = { .id = ncs_copy_text(id) };
    NCS_PUSH(s->entry, s->entries, s->entries_room, entry);
    return &s->entry[s->entries - 1];
}

/* ---- all ---- */

static void score_add_mark(struct ncs_score *s, const struct ncs_labelled *l, const struct mark *m)
{
    score_count(&s->verdict, m->verdict);
    if (m->rule_known)
        score_count(&s->rule, m->rule);
    if (m->culprit_known)
        score_count(&s->culprit, m->culprit);
    if (m->is_bug)
        score_count(&s->recall, m->told);
    if (l->correct)
        score_count(&s->silent, m->silent);
    s->extra += m->extra;
}

static bool all_right(const struct ncs_labelled *l, const struct mark *m)
{
    return m->verdict && m->rule == m->rule_known && m->culprit == m->culprit_known && (!l->correct || m->silent) &&
           m->extra == 0;
}

void ncs_score_add(struct ncs_score *s, const struct ncs_labelled *l, const struct ncs_claim *c)
{
    if (c->verdict == NCS_SKIPPED) {
        s->skipped++;
        return;
    }
    struct mark m = score_judge(l, c);
    struct ncs_score_entry *entry = score_entry_of(s, l);
    s->reports++;
    entry->reports++;
    score_add_mark(s, l, &m);
    if (all_right(l, &m))
        return;
    if (entry->missed++ == 0) {
        struct ncs_str first = { 0 };
        ncs_score_format_case(l, c->seed, &first);
        ncs_str_add(&first, ": ");
        format_wrong(l, c, &m, &first);
        entry->first = ncs_str_take(&first);
    }
}

void ncs_score_miss(struct ncs_score *s, const struct ncs_labelled *l)
{
    struct mark m = {
        .rule_known = l->truth->rule != NULL,
        .culprit_known = l->truth->culprit.count > 0,
        .is_bug = !l->correct && ncs_truth_is_bug(l->truth),
        .silent = true, /* a missing report accuses nobody */
    };
    struct ncs_score_entry *entry = score_entry_of(s, l);
    s->missing++;
    entry->reports++;
    score_add_mark(s, l, &m);
    if (entry->missed++ == 0) {
        struct ncs_str first = { 0 };
        ncs_score_format_case(l, NULL, &first);
        ncs_str_add(&first, ": no report");
        entry->first = ncs_str_take(&first);
    }
}

static bool reaches(struct ncs_share share, size_t bar)
{
    return share.right * 1000 >= share.of * bar;
}

bool ncs_score_met(const struct ncs_score *s)
{
    return s->reports > 0 && reaches(s->verdict, VERDICT_BAR) && reaches(s->rule, RULE_BAR) && reaches(s->culprit, CULPRIT_BAR) &&
           s->silent.right == s->silent.of;
}

/* The worst first; equally bad ones by name. */
static int by_misses(const void *a, const void *b)
{
    const struct ncs_score_entry *x = a, *y = b;
    size_t left = x->missed * y->reports, right = y->missed * x->reports;
    return left != right ? (left < right) - (left > right) : strcmp(x->id, y->id);
}

static struct ncs_score_entry *sorted_entries(const struct ncs_score *s)
{
    struct ncs_score_entry *list = ncs_new(s->entries * sizeof *list);
    if (s->entries > 0) {
        memcpy(list, s->entry, s->entries * sizeof *list);
        qsort(list, s->entries, sizeof *list, by_misses);
    }
    return list;
}

/* ---- for people ---- */

/* Tenths of a percent, rounded down, so that only a full score prints 100. */
static void add_share(struct ncs_str *out, const char *what, struct ncs_share share, const char *bar)
{
    size_t tenths = share.of > 0 ? share.right * 1000 / share.of : 0;
    ncs_str_addf(out, "  %-14s %7zu of %zu", what, share.right, share.of);
    if (share.of > 0)
        ncs_str_addf(out, "  %zu.%zu %%", tenths / 10, tenths % 10);
    ncs_str_addf(out, "%s\n", bar);
}

static const char *score_plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void ncs_score_text(const struct ncs_score *s, struct ncs_str *out)
{
    size_t wrong = s->silent.of - s->silent.right;
    size_t cases = s->bugs + s->twins + s->others;
    ncs_str_addf(out, "%zu report%s of %zu case%s: %zu with a bug, %zu correct twin%s", s->reports, score_plural(s->reports),
                 cases, score_plural(cases), s->bugs, s->twins, score_plural(s->twins));
    if (s->others)
        ncs_str_addf(out, ", %zu declared to pass", s->others);
    if (s->skipped)
        ncs_str_addf(out, "; %zu skipped", s->skipped);
    if (s->missing)
        ncs_str_addf(out, "; %zu without a report", s->missing);
    ncs_str_add(out, "\n");
    add_share(out, "verdict right", s->verdict, ", at least 100");
    add_share(out, "class right", s->rule, ", at least 98");
    add_share(out, "exact culprit", s->culprit, ", at least 95");
    add_share(out, "recall", s->recall, "");
    ncs_str_addf(out, "  %-14s %7zu of %zu reports of twins, none allowed\n", "false reports", wrong, s->silent.of);
    ncs_str_addf(out, "  %-14s %7zu\n", "extra findings", s->extra);
    struct ncs_score_entry *list = sorted_entries(s);
    for (size_t i = 0; i < s->entries && i < WORST_SHOWN && list[i].missed; i++)
        ncs_str_addf(out, "  %s %-7s %zu of %zu not right: %s\n", i ? "     " : "worst", list[i].id, list[i].missed,
                     list[i].reports, list[i].first);
    ncs_free(list);
    ncs_str_addf(out, "the bar is %s\n", ncs_score_met(s) ? "met" : "not met");
}

/* ---- for machines ---- */

static void set_share(json_t *o, const char *name, struct ncs_share share)
{
    json_object_set_new(o, name, json_pack("{s:I, s:I}", "right", (json_int_t)share.right, "of", (json_int_t)share.of));
}

static void set_count(json_t *o, const char *name, size_t n)
{
    json_object_set_new(o, name, json_integer((json_int_t)n));
}

void ncs_score_json(const struct ncs_score *s, struct ncs_str *out)
{
    json_t *o = json_object(), *entries = json_array();
    struct ncs_score_entry *list = sorted_entries(s);
    for (size_t i = 0; i < s->entries; i++) {
        json_t *e = json_object();
        json_object_set_new(e, "entry", ncs_json_of(list[i].id));
        set_count(e, "reports", list[i].reports);
        set_count(e, "missed", list[i].missed);
        json_object_set_new(e, "first", ncs_json_of(list[i].first));
        json_array_append_new(entries, e);
    }
    ncs_free(list);
    json_object_set_new(o, "schema", json_string("ncclscript.score/1"));
    set_count(o, "reports", s->reports);
    set_count(o, "bugs", s->bugs);
    set_count(o, "twins", s->twins);
    set_count(o, "others", s->others);
    set_count(o, "skipped", s->skipped);
    set_count(o, "missing", s->missing);
    set_share(o, "verdict", s->verdict);
    set_share(o, "class", s->rule);
    set_share(o, "culprit", s->culprit);
    set_share(o, "recall", s->recall);
    set_count(o, "false_reports", s->silent.of - s->silent.right);
    set_count(o, "extra_findings", s->extra);
    json_object_set_new(o, "met", json_boolean(ncs_score_met(s)));
    json_object_set_new(o, "entries", entries);
    ncs_json_line(o, 0, out);
}

void ncs_score_free(struct ncs_score *s)
{
    for (size_t i = 0; i < s->entries; i++) {
        ncs_free(s->entry[i].id);
        ncs_free(s->entry[i].first);
    }
    ncs_free(s->entry);
    *s = (struct ncs_score){ 0 };
}
