#include "report/check.h"

#include "base/json.h"
#include "base/mem.h"
#include "report/format.h"

static void set_place(json_t *o, const struct ncs_source *s, size_t at)
{
    int column, line = ncs_source_line(s, at, &column);
    json_object_set_new(o, "line", json_integer(line));
    json_object_set_new(o, "column", json_integer(column));
}

static json_t *complaint(const struct ncs_source *s, const struct ncs_complaint *c)
{
    json_t *o = json_object();
    json_object_set_new(o, "level", json_string(c->warning ? "warning" : "error"));
    set_place(o, s, c->at.at);
    json_object_set_new(o, "text", ncs_json_of(c->text));
    json_object_set_new(o, "hint", ncs_json_of(c->hint));
    json_t *note = json_null();
    if (c->note) {
        note = json_object();
        set_place(note, s, c->note_at.at);
        json_object_set_new(note, "text", ncs_json_of(c->note));
    }
    json_object_set_new(o, "note", note);
    return o;
}

static json_t *unread(const struct ncs_error *err)
{
    json_t *o = json_object();
    json_object_set_new(o, "level", json_string("error"));
    json_object_set_new(o, "line", json_null());
    json_object_set_new(o, "column", json_null());
    json_object_set_new(o, "text", ncs_json_of(err->text));
    json_object_set_new(o, "hint", ncs_json_of(err->hint));
    json_object_set_new(o, "note", json_null());
    return o;
}

static json_t *plan_line(const struct ncs_call_plan_line *l)
{
    json_t *o = json_object();
    json_object_set_new(o, "line", json_integer(l->line));
    json_object_set_new(o, "thread", json_integer(l->thread));
    json_object_set_new(o, "times", json_integer(l->times));
    json_object_set_new(o, "unknown", json_boolean(l->unknown));
    json_object_set_new(o, "text", ncs_json_of(l->text));
    return o;
}

/* Ranks with the same plan share one entry. */
static json_t *rank_list(const struct ncs_call_plan *plan)
{
    json_t *list = json_array();
    bool *done = ncs_new((size_t)plan->ranks * sizeof *done);
    for (int i = 0; i < plan->ranks; i++) {
        if (done[i])
            continue;
        json_t *o = json_object(), *ranks = json_array(), *calls = json_array();
        for (int k = i; k < plan->ranks; k++)
            if (!done[k] && (k == i || ncs_call_plan_same(plan, i, k))) {
                done[k] = true;
                json_array_append_new(ranks, json_integer(k));
            }
        for (size_t k = 0; k < plan->rank[i].lines; k++)
            json_array_append_new(calls, plan_line(&plan->rank[i].line[k]));
        json_object_set_new(o, "ranks", ranks);
        json_object_set_new(o, "calls", calls);
        json_array_append_new(list, o);
    }
    ncs_free(done);
    return list;
}

static json_t *plan_list(const struct ncs_call_plan *plans, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "case", ncs_json_of(plans[i].name));
        json_object_set_new(o, "ranks", json_integer(plans[i].ranks));
        json_object_set_new(o, "end", ncs_json_of(plans[i].end));
        json_object_set_new(o, "plan", rank_list(&plans[i]));
        json_array_append_new(list, o);
    }
    return list;
}

void ncs_report_check(const char *file, const struct ncs_complaints *c, const struct ncs_error *err,
                      const struct ncs_call_plan *plans, size_t count, struct ncs_str *out)
{
    json_t *o = json_object(), *list = json_array();
    bool failed = err->status != NCS_OK;
    const struct ncs_complaint **item = ncs_complaints_in_order(c);
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(list, complaint(c->source, item[i]));
    if (failed)
        json_array_append_new(list, unread(err));
    ncs_free(item);
    json_object_set_new(o, "schema", json_string("ncclscript.check/1"));
    json_object_set_new(o, "file", ncs_json_of(file));
    json_object_set_new(o, "errors", json_integer((json_int_t)c->errors + failed));
    json_object_set_new(o, "complaints", list);
    if (plans)
        json_object_set_new(o, "plans", plan_list(plans, count));
    ncs_json_line(o, JSON_COMPACT | JSON_ENSURE_ASCII, out);
}
