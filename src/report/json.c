/* The report for machines: one JSON object per run and line. Under one schema number fields are
 * only added, never changed; their order is fixed. */
#include "report/format.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/safe.h"
#include "diagnose/ledger/ledger.h"
#include "report/page.h"
#include "report/text.h"

static const char *const pattern_name[] = {
    [NCS_PATTERN_NONE] = "none",     [NCS_PATTERN_MISSING] = "missing", [NCS_PATTERN_TWICE] = "twice",
    [NCS_PATTERN_SHIFT] = "shift",   [NCS_PATTERN_BIT] = "bit",         [NCS_PATTERN_ROOT] = "root",
    [NCS_PATTERN_STALE] = "stale",   [NCS_PATTERN_BLOCKS] = "blocks",   [NCS_PATTERN_ROUNDING] = "rounding",
    [NCS_PATTERN_SCALAR] = "scalar",
};

static const char *const via_name[] = {
    [NCS_VIA_COLLECTIVE] = "collective", [NCS_VIA_PAIR] = "pair", [NCS_VIA_SIGNAL] = "signal", [NCS_VIA_STREAM] = "stream",
    [NCS_VIA_EVENT] = "event",           [NCS_VIA_HOST] = "host", [NCS_VIA_INIT] = "init",     [NCS_VIA_STORE] = "store",
};

json_t *ncs_json_of(const char *s)
{
    return ncs_json_text(s && *s ? s : NULL);
}

/* A whole number beyond 64 bits, signed, becomes a string, because JSON readers disagree on it. */
static json_t *json_whole_number(uint64_t n)
{
    char digits[24];
    if (n <= INT64_MAX)
        return json_integer((json_int_t)n);
    snprintf(digits, sizeof digits, "%" PRIu64, n);
    return json_string(digits);
}

static json_t *json_number_or_null(int n)
{
    return n > 0 ? json_integer(n) : json_null();
}

/* -1 = unknown: of a rank that never joined. */
static json_t *json_from_0(int n)
{
    return n < 0 ? json_null() : json_integer(n);
}

/* A computed value, as a JSON number if there is one: infinities and NaN become strings. */
static json_t *element(const char *s)
{
    char *end;
    errno = 0;
    long long i = strtoll(s, &end, 10);
    if (end != s && !*end && !errno)
        return json_integer(i);
    bool is_whole = end != s && !*end;
    double d = strtod(s, &end);
    if (end != s && !*end && isfinite(d) && !is_whole)
        return json_real(d);
    return ncs_json_of(s);
}

static json_t *ranks(const int *rank, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(rank[i]));
    return list;
}

/* A rank of the diagnosis: its rank in the run, and, if processes drive several ranks of a
 * communicator, its rank there, its device and its thread. */
static void json_add_rank(json_t *o, const struct ncs_diagnosis *d, int rank, int comm_rank)
{
    const struct ncs_party *party = rank >= 0 && (size_t)rank < d->parties ? &d->party[rank] : NULL;
    json_object_set_new(o, "rank", json_from_0(party ? party->rank : rank));
    if (!party)
        return;
    json_object_set_new(o, "comm_rank", json_integer(comm_rank));
    json_object_set_new(o, "device", json_from_0(party->device));
    json_object_set_new(o, "thread", json_from_0(party->thread));
}

static json_t *culprits(const struct ncs_diagnosis *d, const struct ncs_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->culprits; i++) {
        json_t *o = json_object();
        json_add_rank(o, d, f->culprit[i].rank, f->culprit[i].comm_rank);
        json_object_set_new(o, "call", json_number_or_null((int)f->culprit[i].call));
        json_object_set_new(o, "line", json_number_or_null(f->culprit[i].line));
        json_array_append_new(list, o);
    }
    return list;
}

/* The alternatives of a finding. */
static json_t *others(const struct ncs_diagnosis *d, const struct ncs_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->others; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "rule", ncs_json_of(f->other[i].rule));
        json_object_set_new(o, "candidate", json_number_or_null((int)f->other[i].candidate));
        json_object_set_new(o, "comm", ncs_json_of(f->other[i].comm));
        json_object_set_new(o, "culprits", culprits(d, &f->other[i]));
        json_object_set_new(o, "why", ncs_json_of(ncs_sentence_text(f->other[i].why)));
        json_object_set_new(o, "tried", ncs_json_of(f->other[i].tried));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *priors(const struct ncs_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->priors; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "ranks", ranks(f->prior[i].rank, f->prior[i].ranks));
        json_object_set_new(o, "line", json_number_or_null(f->prior[i].line));
        json_object_set_new(o, "text", ncs_json_of(f->prior[i].text));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *cycle(const struct ncs_diagnosis *d, const struct ncs_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->cycles; i++) {
        const struct ncs_cycle_step *s = &f->cycle[i];
        json_t *o = json_object();
        json_add_rank(o, d, s->rank, s->rank);
        json_object_set_new(o, "comm", ncs_json_of(s->comm));
        json_object_set_new(o, "call", json_number_or_null((int)s->call));
        json_object_set_new(o, "line", json_number_or_null(s->line));
        json_object_set_new(o, "for", json_integer(s->waits_for));
        json_object_set_new(o, "via", json_string(via_name[s->via]));
        json_object_set_new(o, "behind", json_string(via_name[s->behind]));
        json_array_append_new(list, o);
    }
    return list;
}

static const char *json_comm_name(const struct ncs_result *r, int comm)
{
    bool known = r->journal && comm >= 0 && (size_t)comm < r->journal->comms;
    return known ? r->journal->comm[comm]->name : NULL;
}

static json_t *finding(const struct ncs_diagnosis *d, const struct ncs_finding *f)
{
    const struct ncs_page *page = f->rule ? ncs_page(f->rule) : NULL;
    json_t *o = json_object();
    json_object_set_new(o, "rule", ncs_json_of(f->rule));
    json_object_set_new(o, "level", json_string(f->level == NCS_LEVEL_NOTE ? "note" : "error"));
    json_object_set_new(o, "certainty", json_string(ncs_certainty_names[f->certainty]));
    json_object_set_new(o, "comm", ncs_json_of(f->comm));
    json_object_set_new(o, "call", json_number_or_null((int)f->call));
    json_object_set_new(o, "culprits", culprits(d, f));
    json_object_set_new(o, "blocked", ranks(f->blocked, f->blockeds));
    json_object_set_new(o, "bystanders", ranks(f->bystander, f->bystanders));
    json_object_set_new(o, "cycle", cycle(d, f));
    json_object_set_new(o, "why", ncs_json_of(ncs_sentence_text(f->why)));
    json_object_set_new(o, "fix", ncs_json_of(ncs_sentence_text(f->fix)));
    json_object_set_new(o, "evidence", ncs_json_of(ncs_sentence_text(f->evidence)));
    json_object_set_new(o, "prior", priors(f));
    json_object_set_new(o, "otherwise", ncs_json_of(f->otherwise));
    json_object_set_new(o, "tried", ncs_json_of(f->tried));
    json_object_set_new(o, "candidate", json_number_or_null((int)f->candidate));
    json_object_set_new(o, "decided_by", ncs_json_of(ncs_decision_name(f->decided)));
    json_object_set_new(o, "kept_by", ncs_json_of(ncs_decision_name(f->kept)));
    json_object_set_new(o, "alternatives", others(d, f));
    json_object_set_new(o, "repair", ncs_json_edits(f->repair, f->repairs));
    json_object_set_new(o, "meaning", ncs_json_of(page ? page->title : NULL));
    json_object_set_new(o, "explain", ncs_json_of(page ? page->id : NULL));
    return o;
}

static json_t *findings(const struct ncs_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->diagnosis.findings; i++)
        json_array_append_new(list, finding(&r->diagnosis, &r->diagnosis.finding[i]));
    return list;
}

static json_t *waits(const struct ncs_diagnosis *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->waits; i++) {
        const struct ncs_wait_line *w = &d->wait[i];
        char kind[64] = ""; /* "AllReduce" of "AllReduce float32 x 1024 sum" */
        if (w->op)
            snprintf(kind, sizeof kind, "%.*s", (int)strcspn(w->op, " "), w->op);
        json_t *o = json_object();
        json_add_rank(o, d, w->rank, w->comm_rank);
        json_object_set_new(o, "thread", json_integer(w->thread));
        json_object_set_new(o, "in", ncs_json_of(w->in));
        json_object_set_new(o, "line", json_number_or_null(w->place.line));
        json_object_set_new(o, "comm", ncs_json_of(w->comm));
        json_object_set_new(o, "call", json_number_or_null((int)w->call));
        json_object_set_new(o, "op", ncs_json_of(kind));
        json_object_set_new(o, "for", ranks(w->peer, w->peers));
        json_object_set_new(o, "via", w->waiting ? json_string(via_name[w->via]) : json_null());
        json_object_set_new(o, "what", ncs_json_of(w->what));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *wrong_result(const struct ncs_result *r, const struct ncs_wrong *w)
{
    json_t *o = json_object();
    json_add_rank(o, &r->diagnosis, ncs_text_wrong_rank(r, w), w->comm_rank);
    json_object_set_new(o, "comm", ncs_json_of(json_comm_name(r, w->comm)));
    json_object_set_new(o, "call", json_integer(w->number));
    json_object_set_new(o, "first", json_whole_number(w->first));
    json_object_set_new(o, "got", element(w->got));
    json_object_set_new(o, "want", element(w->want));
    json_object_set_new(o, "differ", json_whole_number(w->differ));
    json_object_set_new(o, "total", json_whole_number(w->total));
    json_object_set_new(o, "pattern", json_string(pattern_name[w->pattern]));
    json_object_set_new(o, "text", ncs_json_of(w->text));
    json_object_set_new(o, "line", json_number_or_null(w->call ? w->call->place.line : 0));
    json_object_set_new(o, "expect", json_false());
    return o;
}

static json_t *wrong_expectation(const struct ncs_run_expect *e)
{
    json_t *o = json_object();
    json_object_set_new(o, "rank", json_integer(e->rank));
    json_object_set_new(o, "text", ncs_json_of(e->message));
    json_object_set_new(o, "label", ncs_json_of(e->label));
    json_object_set_new(o, "line", json_number_or_null(e->place.line));
    json_object_set_new(o, "expect", json_true());
    json_object_set_new(o, "first", e->first ? json_whole_number(e->first) : json_null());
    return o;
}

static json_t *wrongs(const struct ncs_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->wrongs; i++)
        json_array_append_new(list, wrong_result(r, &r->wrong[i]));
    for (size_t i = 0; i < r->expects; i++)
        json_array_append_new(list, wrong_expectation(&r->expect[i]));
    return list;
}

static json_t *rank_error(const struct ncs_run_error *e)
{
    bool api = e->kind == NCS_KIND_NCCL || e->kind == NCS_KIND_CUDA;
    json_t *o = json_object();
    json_object_set_new(o, "rank", json_from_0(e->rank));
    json_object_set_new(o, "thread", json_integer(e->thread));
    json_object_set_new(o, "kind", json_string(ncs_error_kind_name(e->kind)));
    json_object_set_new(o, "name", ncs_json_of(e->name));
    json_object_set_new(o, "code", api ? json_integer(e->code) : json_null());
    json_object_set_new(o, "call", ncs_json_of(e->call));
    json_object_set_new(o, "comm", ncs_json_of(e->comm));
    json_object_set_new(o, "line", json_number_or_null(e->place.line));
    json_object_set_new(o, "label", ncs_json_of(e->label));
    json_object_set_new(o, "message", ncs_json_of(e->message));
    json_object_set_new(o, "detail", ncs_json_of(e->detail));
    if (e->count) /* of a program, whose lines have their files beside them */
        json_object_set_new(o, "count", json_whole_number(e->count));
    else
        json_object_set_new(o, "file", ncs_json_of(e->place.file));
    return o;
}

/* An error that no rank caused: the file does not load, or ncclscript itself failed. */
static json_t *own_error(const char *kind, const char *message, const char *hint, const char *file, int line, int column)
{
    json_t *o = json_object();
    json_object_set_new(o, "rank", json_null());
    json_object_set_new(o, "thread", json_null());
    json_object_set_new(o, "kind", json_string(kind));
    json_object_set_new(o, "name", json_null());
    json_object_set_new(o, "code", json_null());
    json_object_set_new(o, "call", json_null());
    json_object_set_new(o, "comm", json_null());
    json_object_set_new(o, "line", json_number_or_null(line));
    json_object_set_new(o, "label", json_null());
    json_object_set_new(o, "message", ncs_json_of(message));
    json_object_set_new(o, "detail", ncs_json_of(hint));
    json_object_set_new(o, "file", ncs_json_of(file));
    json_object_set_new(o, "column", json_number_or_null(column));
    return o;
}

static void add_complaints(const struct ncs_complaints *c, json_t *list)
{
    const struct ncs_complaint **item = ncs_complaints_in_order(c);
    for (size_t i = 0; i < c->count; i++) {
        int column, line = ncs_source_line(c->source, item[i]->at.at, &column);
        json_array_append_new(list, own_error(item[i]->warning ? "warning" : "scenario", item[i]->text, item[i]->hint,
                                              c->source->file, line, column));
    }
    ncs_free(item);
}

static json_t *errors(const struct ncs_report_run *run)
{
    const struct ncs_result *r = run->result;
    const struct ncs_error *e = &r->internal;
    json_t *list = json_array();
    for (size_t i = 0; i < r->errors; i++)
        json_array_append_new(list, rank_error(&r->error[i]));
    for (size_t i = 0; i < r->ignoreds; i++)
        json_array_append_new(list, rank_error(&r->ignored[i]));
    if (run->complaints)
        add_complaints(run->complaints, list);
    if (e->status != NCS_OK && !(run->complaints && run->complaints->errors))
        json_array_append_new(list, own_error(e->status == NCS_BAD_INPUT   ? "scenario"
                                              : e->status == NCS_NO_MEMORY ? "memory"
                                                                           : "internal",
                                              e->text, e->hint, e->file, e->line, e->column));
    return list;
}

static json_t *output(const struct ncs_str *printed)
{
    json_t *list = json_array();
    const char *at = printed->text, *end = at ? at + printed->bytes : at;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((stop ? stop : end) - at);
        struct ncs_str line = { 0 };
        ncs_safe_utf8(&line, at, bytes);
        json_array_append_new(list, json_stringn(line.text ? line.text : "", line.bytes));
        ncs_str_free(&line);
        at += bytes + 1;
    }
    return list;
}

static json_t *other_policy(const struct ncs_other_policy *l)
{
    if (!l->differs)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "policy", json_string(l->policy == NCS_POLICY_TYPICAL ? "typical" : "strict"));
    json_object_set_new(o, "verdict", json_string(ncs_verdict_name(l->verdict)));
    json_object_set_new(o, "rule", ncs_json_of(l->rule));
    json_object_set_new(o, "buffered", json_whole_number(l->buffered));
    json_object_set_new(o, "limit", json_whole_number(l->limit));
    return o;
}

json_t *ncs_json_values(const struct ncs_param *list, size_t count)
{
    json_t *o = json_object();
    for (size_t i = 0; i < count; i++) {
        const struct ncs_param *p = &list[i];
        struct ncs_str name = { 0 }, value = { 0 };
        ncs_safe_utf8(&name, p->name, strlen(p->name));
        ncs_param_text(p, &value);
        json_object_set_new(o, name.text ? name.text : "",
                            p->kind == NCS_PARAM_BOOL                       ? json_boolean(p->i != 0)
                            : p->kind == NCS_PARAM_INT                      ? json_integer(p->i)
                            : p->kind == NCS_PARAM_NUMBER && isfinite(p->d) ? json_real(p->d)
                                                                            : ncs_json_of(value.text));
        ncs_str_free(&name);
        ncs_str_free(&value);
    }
    return o;
}

static json_t *json_failing(const struct ncs_failing *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->rules; i++)
        json_array_append_new(list, json_string(f->rule[i]));
    return list;
}

static int exit_code(const struct ncs_report_run *run)
{
    struct ncs_tally tally = { 0 };
    ncs_tally_add(&tally, run->result->verdict, run->as_expected);
    return ncs_tally_exit(&tally);
}

static void set_notes(json_t *o, const struct ncs_report_run *run)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < run->notes; i++)
        json_array_append_new(notes, ncs_json_of(run->note[i]));
    json_object_set_new(o, "notes", notes);
}

static void set_origin(json_t *o, const struct ncs_report_run *run)
{
    json_object_set_new(o, "origin", ncs_json_of(run->origin));
    set_notes(o, run);
}

static json_t *json_processes(const struct ncs_report_run *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->processes; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "rank", json_from_0(run->process[i].rank));
        json_object_set_new(o, "pid", json_integer(run->process[i].pid));
        json_array_append_new(list, o);
    }
    return list;
}

/* Examples of the calls whose results were not verified for this reason. */
static json_t *calls_left_out(const struct ncs_result *r, const struct ncs_left_out *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->calls; i++) {
        const struct ncs_call *call = l->call[i];
        json_t *o = json_object();
        json_object_set_new(o, "rank", json_integer(call->rank));
        json_object_set_new(o, "comm", ncs_json_of(json_comm_name(r, call->comm)));
        json_object_set_new(o, "call", json_integer(call->number));
        json_object_set_new(o, "line", json_number_or_null(call->place.line));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *unverified(const struct ncs_result *r)
{
    json_t *list = json_array();
    for (int why = 0; r->left_out && why < NCS_UNVERIFIED_REASONS; why++) {
        const struct ncs_left_out *l = &r->left_out[why];
        json_t *o = l->count ? json_object() : NULL;
        if (!o)
            continue;
        json_object_set_new(o, "reason", json_string(ncs_unverified_name(why)));
        json_object_set_new(o, "meaning", json_string(ncs_unverified_text(why)));
        json_object_set_new(o, "count", json_whole_number(l->count));
        json_object_set_new(o, "calls", calls_left_out(r, l));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *json_left(const struct ncs_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->lefts; i++) {
        const struct ncs_left *left = &r->left[i];
        json_t *o = json_object(), *ranks = json_array();
        for (size_t k = 0; k < left->ranks; k++)
            json_array_append_new(ranks, json_integer(left->rank[k]));
        json_object_set_new(o, "kind", json_string(ncs_resource_name(left->kind)));
        json_object_set_new(o, "ranks", ranks);
        json_object_set_new(o, "count", json_whole_number(left->count));
        json_object_set_new(o, "bytes", json_whole_number(left->bytes));
        json_object_set_new(o, "function", json_string(ncs_fn_info[left->fn].name));
        json_object_set_new(o, "line", json_number_or_null(left->place.line));
        json_object_set_new(o, "lost", json_boolean(left->lost));
        json_array_append_new(list, o);
    }
    return list;
}

void ncs_report_json(const struct ncs_report_run *run, struct ncs_str *out)
{
    const struct ncs_result *r = run->result;
    char trace[24];
    struct ncs_str message = { 0 };
    assert(ncs_diagnosis_fits(&r->diagnosis, r->ranks));
    snprintf(trace, sizeof trace, "%016" PRIx64, r->trace);
    ncs_report_message(run, &message);
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string("ncclscript.report/1"));
    json_object_set_new(o, "scenario", ncs_json_of(run->scenario->file));
    json_object_set_new(o, "case", ncs_json_values(run->value, run->values));
    json_object_set_new(o, "ranks", json_integer(r->ranks));
    json_object_set_new(o, "driver", ncs_json_of(r->driver));
    json_object_set_new(o, "nccl", ncs_json_of(r->nccl));
    json_object_set_new(o, "policy", json_string(r->policy == NCS_POLICY_TYPICAL ? "typical" : "strict"));
    json_object_set_new(o, "seed", json_whole_number(r->seed));
    json_object_set_new(o, "verdict", json_string(ncs_verdict_name(r->verdict)));
    json_object_set_new(o, "certainty", json_string(ncs_certainty_names[r->certainty]));
    json_object_set_new(o, "as_expected", json_boolean(run->as_expected));
    json_object_set_new(o, "exit", json_integer(exit_code(run)));
    json_object_set_new(o, "findings", findings(r));
    json_object_set_new(o, "waits", waits(&r->diagnosis));
    json_object_set_new(o, "wrong", wrongs(r));
    json_object_set_new(o, "errors", errors(run));
    json_object_set_new(o, "checked", json_whole_number(r->checked));
    json_object_set_new(o, "unchecked", json_whole_number(r->unchecked));
    json_object_set_new(o, "calls", json_whole_number(r->calls));
    json_object_set_new(o, "trace", json_string(trace));
    json_object_set_new(o, "schedule", r->schedule_lost ? json_null() : json_string(r->schedule.text ? r->schedule.text : ""));
    json_object_set_new(o, "luck", other_policy(&r->other_policy));
    json_object_set_new(o, "trials", ncs_json_trials(r->proof.trial, r->proof.trials));
    json_object_set_new(o, "repair", ncs_json_repair(&r->repair));
    json_object_set_new(o, "difference", ncs_json_of(run->difference));
    json_object_set_new(o, "reason", ncs_json_of(r->skip_reason));
    json_object_set_new(o, "wrong_count", json_whole_number(r->wrong_count));
    json_object_set_new(o, "expectations", json_whole_number(r->expected));
    json_object_set_new(o, "virtual_ns", json_integer(r->virtual_time));
    json_object_set_new(o, "model", json_string(ncs_models[r->model].name));
    json_object_set_new(o, "output", output(&r->output));
    json_object_set_new(o, "output_lost", json_whole_number(r->output_lost));
    json_object_set_new(o, "about", ncs_json_of(run->scenario->about));
    json_object_set_new(o, "name", ncs_json_of(run->name));
    json_object_set_new(o, "message", ncs_json_of(message.text));
    json_object_set_new(o, "fail_on", json_string(ncs_fail_on_names[run->failing.level]));
    json_object_set_new(o, "failing", json_failing(&run->failing));
    json_object_set_new(o, "unverified", unverified(r));
    json_object_set_new(o, "wall_ns", run->wall > 0 ? json_integer(run->wall) : json_null());

    if (r->leaks)
        json_object_set_new(o, "left", json_left(r));
    if (run->processes)
        json_object_set_new(o, "processes", json_processes(run));
    if (run->origin)
        set_origin(o, run);
    else if (run->notes)
        set_notes(o, run);

    ncs_json_line(o, 0, out);
    ncs_str_free(&message);
}
