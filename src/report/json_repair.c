/* Edits and the outcome of their trials, for machines. */
#include <jansson.h>
#include <string.h>

#include "report/format.h"

static json_t *json_repair_number_or_null(int64_t n)
{
    return n > 0 ? json_integer(n) : json_null();
}

static json_t *edit(const struct ncs_edit *e)
{
    static const char *const steps[] = {
        [NCS_HOST_BARRIER] = "barrier", [NCS_HOST_SET] = "store:set", [NCS_HOST_ADD] = "store:add",
        [NCS_HOST_GET] = "store:get",   [NCS_HOST_SPAWN] = "spawn",
    };
    bool insert = e->kind == NCS_EDIT_INSERT && !e->of_host, argument = e->kind == NCS_EDIT_ARGUMENT;
    json_t *o = json_object();
    json_object_set_new(o, "edit", json_string(ncs_edit_kind_name(e->kind)));
    json_object_set_new(o, "rank", json_integer(e->rank));
    if (e->of_party) {
        json_object_set_new(o, "comm_rank", json_integer(e->comm_rank));
        json_object_set_new(o, "device", json_integer(e->device));
        json_object_set_new(o, "thread", e->thread < 0 ? json_null() : json_integer(e->thread));
        json_object_set_new(o, "model_comm_rank", insert ? json_integer(e->model_comm_rank) : json_null());
    }
    json_object_set_new(o, "comm", ncs_json_of(e->on));
    json_object_set_new(o, "call", json_repair_number_or_null(e->call));
    json_object_set_new(o, "other", json_repair_number_or_null(e->other));
    json_object_set_new(o, "line", json_repair_number_or_null(e->line));
    json_object_set_new(o, "model_rank", insert ? json_integer(e->model) : json_null());
    json_object_set_new(o, "model_call", insert ? json_repair_number_or_null(e->model_call) : json_null());
    json_object_set_new(o, "argument", argument ? ncs_json_of(e->argument) : json_null());
    json_object_set_new(o, "value", argument && !e->of_host ? json_integer(e->value) : json_null());
    if (e->of_host) {
        json_object_set_new(o, "step", json_string(steps[e->host]));
        json_object_set_new(o, "key", ncs_json_of(e->key));
    }
    json_object_set_new(o, "text", ncs_json_of(e->text));
    return o;
}

json_t *ncs_json_edits(const struct ncs_edit *edits, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, edit(&edits[i]));
    return list;
}

json_t *ncs_json_trials(const struct ncs_trial *trial, size_t trials)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trials; i++) {
        const struct ncs_trial *t = &trial[i];
        json_t *o = json_object();
        json_object_set_new(o, "rule", ncs_json_of(t->rule));
        json_object_set_new(o, "candidate", json_repair_number_or_null((int64_t)t->candidate));
        json_object_set_new(o, "comm", ncs_json_of(t->comm));
        json_object_set_new(o, "call", json_repair_number_or_null(t->call));
        json_object_set_new(o, "edits", ncs_json_edits(t->edit, t->edits));
        json_object_set_new(o, "partial", json_boolean(t->partial));
        json_object_set_new(o, "gone", t->diagnosed ? json_boolean(t->gone) : json_null());
        json_object_set_new(o, "verdict", json_string(ncs_verdict_name(t->verdict)));
        json_object_set_new(o, "left", ncs_json_of(t->left));
        json_object_set_new(o, "left_why", ncs_json_of(t->left_why));
        json_object_set_new(o, "failure", ncs_json_of(t->failure));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *ncs_json_repair(const struct ncs_repair *repair)
{
    if (!repair->tried)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "repaired", json_boolean(repair->repaired));
    json_object_set_new(o, "rounds", ncs_json_trials(repair->round, repair->rounds));
    return o;
}
