/* Reads a tool's claim about one case from a line of JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "report/corpus.h"

/* A text without zero bytes. */
static const char *claim_text_of(const json_t *o, const char *key, struct ncs_error *err)
{
    const json_t *value = json_object_get(o, key);
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
        ncs_fail(err, NCS_BAD_INPUT, "`%s` must be a text", key);
    else
        return json_string_value(value);
    return NULL;
}

static bool claim_read_policy(json_t *o, struct ncs_claim *c, struct ncs_error *err)
{
    const char *name = claim_text_of(o, "policy", err);
    if (!name)
        return false;
    for (int i = 0; ncs_policy_names[i]; i++)
        if (strcmp(ncs_policy_names[i], name) == 0) {
            c->policy = (enum ncs_policy)i;
            return true;
        }
    return ncs_fail(err, NCS_BAD_INPUT, "no policy `%s`: expected strict or typical", name);
}

static bool read_verdict(json_t *o, struct ncs_claim *c, struct ncs_error *err)
{
    const char *names[NCS_VERDICTS + 1] = { NULL };
    const char *name = claim_text_of(o, "verdict", err);
    if (!name)
        return false;
    for (int i = 0; i < NCS_VERDICTS; i++) {
        names[i] = ncs_verdict_name((enum ncs_verdict)i);
        if (strcmp(names[i], name) == 0) {
            c->verdict = (enum ncs_verdict)i;
            return true;
        }
    }
    ncs_fail(err, NCS_BAD_INPUT, "no verdict `%s`: expected pass, wrong, hang, error, lost ...", name);
    return ncs_fail_near(err, name, names, 0);
}

/* ---- the case ---- */

static bool claim_add_value(struct ncs_str *name, const char *key, const json_t *value)
{
    struct ncs_param p = { 0 };
    if (json_is_string(value)) {
        p.kind = NCS_PARAM_TEXT;
        p.text = (char *)json_string_value(value);
    } else if (json_is_real(value)) {
        p.kind = NCS_PARAM_NUMBER;
        p.d = json_real_value(value);
    } else if (json_is_integer(value) || json_is_boolean(value)) {
        p.kind = json_is_integer(value) ? NCS_PARAM_INT : NCS_PARAM_BOOL;
        p.i = json_is_integer(value) ? json_integer_value(value) : json_is_true(value);
    } else {
        return false;
    }
    ncs_str_addf(name, "%s%s=", name->bytes ? "," : "", key);
    ncs_param_text(&p, name);
    return true;
}

/* Reads the case: a text, or an object of values; absent if the scenario is one case. */
static bool read_case(json_t *o, struct ncs_claim *c, struct ncs_error *err)
{
    struct ncs_str name = { 0 };
    json_t *value = json_object_get(o, "case"), *item;
    const char *key;
    bool ok = true;
    ncs_str_add(&name, "");
    if (json_is_string(value)) {
        ncs_str_add(&name, json_string_value(value));
    } else if (json_is_object(value)) {
        json_object_foreach(value, key, item) ok = ok && claim_add_value(&name, key, item);
    } else {
        ok = !value || json_is_null(value);
    }
    c->name = ncs_str_take(&name);
    return ok || ncs_fail(err, NCS_BAD_INPUT,
                          "`case` must be a text such as \"ranks=4\", or an "
                          "object of numbers, texts and booleans");
}

static void read_seed(const json_t *o, struct ncs_claim *c)
{
    const json_t *seed = json_object_get(o, "seed");
    struct ncs_str text = { 0 };
    if (json_is_string(seed))
        ncs_str_add(&text, json_string_value(seed));
    else if (json_is_integer(seed))
        ncs_str_addf(&text, "%" PRId64, (int64_t)json_integer_value(seed));
    c->seed = text.bytes ? ncs_str_take(&text) : NULL;
    ncs_str_free(&text);
}

/* ---- findings ---- */

/* Reads a list of numbers, or of objects with a rank. The rank is null in errors
 * that no rank caused. */
static bool claim_read_ranks(const json_t *list, struct ncs_rank_set *set)
{
    size_t count = 0, room = 0, i;
    const json_t *item;
    int *rank = NULL;
    bool ok = !list || json_is_null(list) || json_is_array(list);
    json_array_foreach(list, i, item)
    {
        const json_t *number = json_is_object(item) ? json_object_get(item, "rank") : item;
        if (json_is_object(item) && json_is_null(number))
            continue;
        ok = ok && json_is_integer(number) && json_integer_value(number) >= 0 && json_integer_value(number) <= INT_MAX;
        if (ok)
            NCS_PUSH(rank, count, room, (int)json_integer_value(number));
    }
    *set = ncs_rank_set_of(rank, count);
    ncs_free(rank);
    return ok;
}

static bool read_finding(const json_t *o, struct ncs_claim *c, struct ncs_error *err)
{
    struct ncs_claim_finding f = { 0 };
    const json_t *rule = json_object_get(o, "rule"), *level = json_object_get(o, "level");
    bool named = json_is_string(rule);
    f.rule = ncs_copy_text(named ? json_string_value(rule) : NULL);
    f.error = !(json_is_string(level) && strcmp(json_string_value(level), "note") == 0);
    bool ranks = claim_read_ranks(json_object_get(o, "culprits"), &f.culprit);
    bool cycle = claim_read_ranks(json_object_get(o, "cycle"), &f.cycle);
    NCS_PUSH(c->finding, c->findings, c->findings_room, f);
    if (!json_is_object(o))
        return ncs_fail(err, NCS_BAD_INPUT, "a finding must be an object with `rule` and `culprits`");
    if (rule && !named && !json_is_null(rule))
        return ncs_fail(err, NCS_BAD_INPUT, "`rule` must be a text");
    return (ranks && cycle) ||
           ncs_fail(err, NCS_BAD_INPUT, "`%s` must be a list of ranks, or of objects with `rank`", ranks ? "cycle" : "culprits");
}

static bool read_findings(json_t *o, struct ncs_claim *c, struct ncs_error *err)
{
    const json_t *list = json_object_get(o, "findings"), *item;
    size_t i;
    if (!json_is_array(list))
        return ncs_fail(err, NCS_BAD_INPUT, "`findings` must be a list");
    json_array_foreach(list, i, item) if (!read_finding(item, c, err)) return false;
    return claim_read_ranks(json_object_get(o, "errors"), &c->failed) ||
           ncs_fail(err, NCS_BAD_INPUT, "`errors` must be a list of objects with `rank`");
}

/* All errors of a line are reported together. */
static void claim_add_wrong(struct ncs_error *all, const struct ncs_error *one)
{
    struct ncs_str text = { 0 };
    if (one->status == NCS_OK)
        return;
    if (all->status != NCS_OK)
        ncs_str_addf(&text, "%s; ", all->text);
    ncs_str_add(&text, one->text);
    struct ncs_error whole = { .status = NCS_BAD_INPUT };
    snprintf(whole.text, sizeof whole.text, "%s", text.text);
    snprintf(whole.hint, sizeof whole.hint, "%s", all->hint[0] ? all->hint : one->hint);
    *all = whole;
    ncs_str_free(&text);
}

/* "`scenario`, `policy` and `findings` are missing" */
static void claim_add_missing(const json_t *o, struct ncs_error *err)
{
    static const char *const keys[] = { "scenario", "policy", "verdict", "findings" };
    enum { KEYS = sizeof keys / sizeof *keys };
    const char *missing[KEYS];
    size_t count = 0;
    struct ncs_str text = { 0 };
    for (size_t i = 0; i < KEYS; i++)
        if (!json_object_get(o, keys[i]))
            missing[count++] = keys[i];
    for (size_t i = 0; i < count; i++)
        ncs_str_addf(&text, "%s`%s`", i == 0 ? "" : i + 1 < count ? ", " : " and ", missing[i]);
    if (count)
        ncs_fail(err, NCS_BAD_INPUT, "%s %s missing", text.text, count == 1 ? "is" : "are");
    if (count > 1)
        ncs_fail_hint(err, "`ncclscript score --help` shows the least that a report has");
    ncs_str_free(&text);
}

static bool read_scenario(json_t *o, struct ncs_claim *c, struct ncs_error *err)
{
    c->scenario = ncs_copy_text(claim_text_of(o, "scenario", err));
    return c->scenario != NULL;
}

static bool read_object(json_t *o, struct ncs_claim *c, struct ncs_error *err)
{
    static const struct {
        const char *key; /* that has to be there; NULL = none has */
        bool (*read)(json_t *o, struct ncs_claim *c, struct ncs_error *err);
    } parts[] = { { "scenario", read_scenario },
                  { NULL, read_case },
                  { "policy", claim_read_policy },
                  { "verdict", read_verdict },
                  { "findings", read_findings } };
    claim_add_missing(o, err);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct ncs_error one = { 0 };
        if ((!parts[i].key || json_object_get(o, parts[i].key)) && !parts[i].read(o, c, &one))
            claim_add_wrong(err, &one);
    }
    return err->status == NCS_OK;
}

bool ncs_claim_read(const char *line, size_t bytes, struct ncs_claim *c, struct ncs_error *err)
{
    json_error_t wrong;
    *c = (struct ncs_claim){ 0 };
    *err = (struct ncs_error){ 0 };
    json_t *o = json_loadb(line, bytes, 0, &wrong);
    bool ok = json_is_object(o);
    if (!o)
        ncs_fail(err, NCS_BAD_INPUT, "no JSON: %s", wrong.text);
    else if (!ok)
        ncs_fail(err, NCS_BAD_INPUT, "no JSON object");
    if (!ok)
        ncs_fail_hint(err, "one object per line, as `run --format json` prints them");
    ok = ok && read_object(o, c, err);
    if (ok)
        read_seed(o, c);
    json_decref(o);
    return ok;
}

void ncs_claim_free(struct ncs_claim *c)
{
    for (size_t i = 0; i < c->findings; i++) {
        ncs_free(c->finding[i].rule);
        ncs_free(c->finding[i].culprit.rank);
        ncs_free(c->finding[i].cycle.rank);
    }
    ncs_free(c->finding);
    ncs_free(c->failed.rank);
    ncs_free(c->scenario);
    ncs_free(c->name);
    ncs_free(c->seed);
    *c = (struct ncs_claim){ 0 };
}
