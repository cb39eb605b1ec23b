#include "report/corpus.h"

#include "base/json.h"
#include "report/format.h"

static json_t *corpus_ranks_of(struct ncs_rank_set set)
{
    json_t *list = json_array();
    for (size_t i = 0; i < set.count; i++)
        json_array_append_new(list, json_integer(set.rank[i]));
    return list;
}

static json_t *truth_of(const struct ncs_truth *t)
{
    json_t *o = json_object();
    json_object_set_new(o, "verdict", t->any_verdict ? json_null() : json_string(ncs_verdict_name(t->verdict)));
    json_object_set_new(o, "rule", ncs_json_of(t->rule));
    json_object_set_new(o, "culprits", corpus_ranks_of(t->culprit));
    json_object_set_new(o, "comm", ncs_json_of(t->comm));
    json_object_set_new(o, "call", t->call > 0 ? json_integer(t->call) : json_null());
    json_object_set_new(o, "blocked", corpus_ranks_of(t->blocked));
    json_object_set_new(o, "findings", t->findings >= 0 ? json_integer(t->findings) : json_null());
    return o;
}

void ncs_report_labelled(const struct ncs_labelled *l, struct ncs_str *out)
{
    const struct ncs_bug *bug = &l->scenario->bug;
    json_t *o = json_object(), *threads = json_array();
    for (size_t i = 0; i < bug->threads; i++)
        json_array_append_new(threads, ncs_json_of(bug->thread[i]));
    json_object_set_new(o, "schema", json_string("ncclscript.bug/1"));
    json_object_set_new(o, "scenario", ncs_json_of(l->file));
    json_object_set_new(o, "name", ncs_json_of(l->name));
    json_object_set_new(o, "case", ncs_json_values(l->value, l->values));
    json_object_set_new(o, "policy", json_string(ncs_policy_names[l->policy]));
    json_object_set_new(o, "ranks", json_integer(l->scenario->ranks));
    json_object_set_new(o, "correct", json_boolean(l->correct));
    json_object_set_new(o, "class", ncs_json_of(l->group));
    json_object_set_new(o, "entry", ncs_json_of(l->entry));
    json_object_set_new(o, "about", ncs_json_of(l->scenario->about));
    json_object_set_new(o, "nccl", ncs_json_of(bug->nccl));
    json_object_set_new(o, "thread", threads);
    json_object_set_new(o, "twin", ncs_json_of(l->twin));
    json_object_set_new(o, "truth", truth_of(l->truth));
    ncs_json_line(o, 0, out);
}
