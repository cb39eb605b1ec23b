/* The finding of an explanation that changes steps of hosts alone: a barrier or thread that one
 * rank has in excess or lacks, or a key under another name, compared with similar ranks. */
#include "diagnose/explanation/explain.h"

#include <string.h>

#include "base/mem.h"
#include "diagnose/course/hosts.h"

/* ---- edits ---- */

uint64_t ncs_edit_before(const struct ncs_course *c, size_t step)
{
    const struct ncs_step *next = step < c->steps ? &c->step[step] : NULL;
    return next && !next->host && !next->call->ending ? next->call->id : 0;
}

/* Sets where the edit inserts: before a call (`before`), before a host step of the thread (`nth`),
 * or at its end (both 0). */
static void put_before(const struct ncs_course *c, size_t step, struct ncs_edit *e)
{
    const struct ncs_step *next = step < c->steps ? &c->step[step] : NULL;
    e->before = ncs_edit_before(c, step);
    e->nth = next && next->host ? next->host->nth : 0;
}

struct ncs_edit ncs_host_edit(const struct ncs_explanations *s, const struct ncs_change *c)
{
    const struct ncs_course *course = &s->courses.of[c->course];
    struct ncs_edit e = { .kind = c->kind == NCS_CHANGE_PUT_IN      ? NCS_EDIT_INSERT
                                  : c->kind == NCS_CHANGE_LEAVE_OUT ? NCS_EDIT_DELETE
                                                                    : NCS_EDIT_ARGUMENT,
                          .rank = course->rank,
                          .comm = -1,
                          .comm_rank = -1,
                          .model = -1,
                          .other_comm = -1,
                          .other_comm_rank = -1,
                          .line = c->host->place.line,
                          .of_host = true,
                          .host = c->host->kind,
                          .host_thread = course->thread,
                          .nth = c->host->nth };
    e.key = (char *)(c->key ? c->key : c->host->what);
    e.argument = c->kind == NCS_CHANGE_KEY ? "key" : NULL;
    if (c->kind == NCS_CHANGE_PUT_IN)
        put_before(course, c->step, &e);
    return e;
}

/* ---- words ---- */

struct ranks { /* of the run, ascending, each once */
    int *of;
    size_t count, room;
    int line; /* of the first of them */
};

static void finding_host_add_rank(struct ranks *r, int rank, int line)
{
    size_t at = r->count;
    for (size_t i = 0; i < r->count; i++)
        if (r->of[i] == rank)
            return;
    r->line = r->count && r->of[0] < rank ? r->line : line;
    NCS_PUSH(r->of, r->count, r->room, rank);
    for (; at > 0 && r->of[at - 1] > rank; at--)
        r->of[at] = r->of[at - 1];
    r->of[at] = rank;
}

static bool is_changed(const struct ncs_explanation *e, size_t course)
{
    for (size_t i = 0; i < e->changes; i++)
        if (e->change[i].course == course)
            return true;
    return false;
}

/* The unchanged ranks that come to the place. The caller frees the list. */
static struct ranks others_at(const struct ncs_explanation *e, uint64_t site)
{
    struct ranks r = { 0 };
    for (size_t i = 0; i < e->of->courses.count; i++)
        for (size_t k = 0; k < e->of->courses.of[i].steps; k++)
            if (e->of->courses.of[i].step[k].site == site && !is_changed(e, i))
                finding_host_add_rank(&r, e->of->courses.of[i].rank, e->of->courses.of[i].step[k].host->place.line);
    return r;
}

/* The ranks that miss the key. The caller frees the list. */
static struct ranks waiters_for(const struct ncs_explanation *e, const char *key)
{
    struct ranks r = { 0 };
    for (size_t i = 0; i < e->of->courses.count; i++) {
        const struct ncs_course *c = &e->of->courses.of[i];
        if (c->missed && strcmp(c->missed, key) == 0)
            finding_host_add_rank(&r, c->rank, c->step[c->steps - 1].host->place.line);
    }
    return r;
}

/* The ranks that the explanation changes. The caller frees the list. */
static struct ranks changed_ranks(const struct ncs_explanation *e)
{
    struct ranks r = { 0 };
    for (size_t i = 0; i < e->changes; i++)
        finding_host_add_rank(&r, e->of->courses.of[e->change[i].course].rank, e->change[i].host->place.line);
    return r;
}

/* "rank 2 does not come to barrier() at line 12; ranks 0, 1, 3 come there" */
static void finding_host_fill_left_out(const struct ncs_explanation *e, const struct ranks *own, struct ncs_draft *d)
{
    const struct ncs_change *c = &e->change[0];
    enum ncs_host_kind kind = c->host->kind;
    bool thread = kind != NCS_HOST_BARRIER && kind != NCS_HOST_ADD && kind != NCS_HOST_SET;
    const char *key = kind == NCS_HOST_SET ? c->key : c->host->what;
    struct ranks like = others_at(e, c->like->site), waiting = { 0 };
    if (kind == NCS_HOST_SET)
        waiting = waiters_for(e, c->key);
    d->f.why = ncs_say(host_left_out_why, ncs_fact_ranks("who", own->of, own->count), ncs_fact_ranks("like", like.of, like.count),
                       ncs_fact_is("barrier", kind == NCS_HOST_BARRIER), ncs_fact_is("add", kind == NCS_HOST_ADD),
                       ncs_fact_is("set", kind == NCS_HOST_SET), ncs_fact_is("thread", thread), ncs_fact_text("key", key),
                       ncs_fact_ranks("waiting", waiting.of, waiting.count), ncs_fact_line("waits_at", waiting.line),
                       ncs_fact_line("line", c->like->host->place.line));
    d->f.fix = ncs_say(host_left_out_fix, ncs_fact_ranks("who", own->of, own->count),
                       ncs_fact_is("barrier", kind == NCS_HOST_BARRIER), ncs_fact_is("add", kind == NCS_HOST_ADD),
                       ncs_fact_is("set", kind == NCS_HOST_SET), ncs_fact_is("thread", thread), ncs_fact_text("key", key),
                       ncs_fact_line("line", c->like->host->place.line));
    d->f.evidence = ncs_say(host_left_out_evidence);
    ncs_free(like.of);
    ncs_free(waiting.of);
}

/* "rank 2 comes to barrier() at line 24 once more than the others: it opens when all have come" */
static void finding_host_fill_extra(const struct ncs_explanation *e, const struct ranks *own, struct ncs_draft *d)
{
    const struct ncs_change *c = &e->change[0];
    struct ranks like = others_at(e, e->of->courses.of[c->course].step[c->step].site);
    d->f.why = ncs_say(host_extra_why, ncs_fact_ranks("who", own->of, own->count), ncs_fact_line("line", c->host->place.line),
                       ncs_fact_is("like", like.count));
    d->f.evidence = ncs_say(host_extra_evidence, ncs_fact_is("like", like.count));
    d->f.fix = ncs_say(host_extra_fix, ncs_fact_ranks("who", own->of, own->count), ncs_fact_line("line", c->host->place.line));
    ncs_free(like.of);
}

/* True if some rank awaits such a key, whatever its numbers. */
static bool is_asked_for(const struct ncs_explanation *e, const char *key)
{
    for (size_t i = 0; i < e->of->courses.count; i++)
        for (size_t k = 0; k < e->of->courses.of[i].steps; k++) {
            const struct ncs_step *s = &e->of->courses.of[i].step[k];
            if (s->kind == NCS_STEP_GET && ncs_key_class(s->host->what) == ncs_key_class(key))
                return true;
        }
    return false;
}

/* "rank 0 sets "other" at line 17, for which nobody waits; ranks 1-3 wait at line 19 for "go1",
 * which nobody sets" */
static void fill_other_key(const struct ncs_explanation *e, const struct ranks *own, struct ncs_draft *d)
{
    const struct ncs_change *c = &e->change[0];
    bool sets = c->host->kind == NCS_HOST_SET;
    const char *missed = sets ? c->key : c->host->what, *unmatched = sets ? c->host->what : c->key;
    bool asked = is_asked_for(e, unmatched);
    struct ranks waiting = waiters_for(e, missed);
    d->f.why = ncs_say(host_other_key_why, ncs_fact_is("sets", sets), ncs_fact_ranks("who", own->of, own->count),
                       ncs_fact_text("unmatched", unmatched), ncs_fact_line("line", c->host->place.line),
                       ncs_fact_is("asked", asked), ncs_fact_ranks("waiting", waiting.of, waiting.count),
                       ncs_fact_line("waits_at", waiting.line), ncs_fact_text("missed", missed));
    d->f.fix = ncs_say(host_other_key_fix, ncs_fact_ranks("who", own->of, own->count), ncs_fact_is("sets", sets),
                       ncs_fact_text("key", c->key), ncs_fact_text("instead", c->host->what),
                       ncs_fact_line("line", c->host->place.line));
    d->f.evidence = ncs_say(host_other_key_evidence, ncs_fact_is("asked", asked));
    ncs_free(waiting.of);
}

/* ---- the finding ---- */

static bool finding_host_is_gate(const struct ncs_analysis *q, const struct ncs_unmet *n, const char *what)
{
    return n->kind == NCS_UNMET_GATE && strcmp(q->snap->gate[n->gate].what, what) == 0;
}

/* The unmet wait for the finding's rows: at the barrier, for the key, or else the first of all. A
 * missing thread has no gate of its own. */
static const struct ncs_unmet *finding_host_unmet_of(const struct ncs_analysis *q, const struct ncs_change *c)
{
    enum ncs_host_kind kind = c->host->kind;
    const struct ncs_unmet *any = NULL;
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *n = &q->unmet[i];
        const char *key = c->kind == NCS_CHANGE_KEY && kind == NCS_HOST_SET ? c->key : c->key ? c->key : c->host->what;
        const char *own = n->gate >= 0 ? q->snap->gate[n->gate].key : NULL;
        if (kind == NCS_HOST_BARRIER && finding_host_is_gate(q, n, "barrier"))
            return n;
        if (kind == NCS_HOST_ADD && finding_host_is_gate(q, n, "store:get"))
            return n;
        if ((kind == NCS_HOST_SET || kind == NCS_HOST_GET) && finding_host_is_gate(q, n, "store:get") && own && strstr(own, key))
            return n;
        any = any ? any : n;
    }
    return any;
}

bool ncs_fill_hosts(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_HOSTS)
        return false;
    const struct ncs_change *c = &r->hosts->change[0];
    struct ranks own = changed_ranks(r->hosts);
    for (size_t i = 0; i < own.count; i++) {
        bool there = c->kind != NCS_CHANGE_PUT_IN;
        ncs_add_culprit(d, own.of[i], 0, there ? c->host->place.line : ncs_gate_line(q, own.of[i]));
    }
    if (c->kind == NCS_CHANGE_KEY)
        fill_other_key(r->hosts, &own, d);
    else if (c->kind == NCS_CHANGE_LEAVE_OUT)
        finding_host_fill_extra(r->hosts, &own, d);
    else
        finding_host_fill_left_out(r->hosts, &own, d);
    ncs_fill_unmet(q, d, r->unmet, r->unmet->call ? r->unmet->call->number : 0);
    if (r->unmet->kind == NCS_UNMET_GATE) {
        const struct ncs_snap_gate *g = &q->snap->gate[r->unmet->gate];
        ncs_free(d->f.title);
        d->f.title = ncs_text("%s%s%s", g->what, g->key && *g->key ? ": " : "", g->key ? g->key : "");
    }
    ncs_free(own.of);
    return true;
}

bool ncs_format_hosts(const struct ncs_explanation *e, struct ncs_cause *r, struct ncs_drafts *all)
{
    r->kind = NCS_CAUSE_HOSTS;
    r->hosts = e;
    r->unmet = finding_host_unmet_of(e->of->q, &e->change[0]);
    r->rule = e->change[0].host->kind == NCS_HOST_SPAWN ? "skipped-call" : "host-wait";
    if (!r->unmet)
        return false;
    ncs_judge(e->of->q, r, all);
    return true;
}
