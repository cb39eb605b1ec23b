/* Checks steps: one verb each, the keys beside it, the names that steps make. */
#include "notation/check.h"

#include <string.h>

/* ---- nodes that are no steps ---- */

static bool is_verb_key(const char *key)
{
    return ncs_schema_verb_of(key) || strcmp(key, "do") == 0;
}

/* Suggests the nearest of all keys that a step may have. */
static void unknown_step_key(struct ncs_scope *s, const struct ncs_step *step, const struct ncs_yaml_node *key)
{
    const char *names[80];
    size_t n = 0;
    if (strcmp(key->text, "as") == 0) {
        ncs_complain(s->c, key->at, "`as` is a key beside repeat, thread or graph");
        if (step->verb && step->verb->fields && ncs_schema_find(step->verb->fields, "as"))
            ncs_complain_hint(s->c, "write %s: { as: ... }", step->verb->name);
        return;
    }
    if (step->verb && step->verb->fields && ncs_schema_find(step->verb->fields, key->text)) {
        ncs_complain(s->c, key->at, "no such key '%s' in a step", key->text);
        ncs_complain_hint(s->c, "it belongs to %s: indent it further, or write %s: { %s: ... }", step->verb->name,
                          step->verb->name, key->text);
        return;
    }
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++)
        names[n++] = v->name;
    for (const struct ncs_schema_field *f = ncs_schema_common; f->name; f++)
        names[n++] = f->name;
    ncs_check_unknown_key(s, "a step", key, names, n);
}

static void not_a_step(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    ncs_check_wrong(s, "a step", node, "a mapping with a verb, such as `sync: stream`");
    if (node->kind == NCS_YAML_TEXT && strcmp(node->text, "barrier") == 0)
        ncs_complain_hint(s->c, "write `barrier: true`");
    else if (node->kind == NCS_YAML_TEXT && is_verb_key(node->text))
        ncs_complain_hint(s->c, "write `%s: ...`", node->text);
}

/* True if a verb's value is missing and the key, also the name of a verb, can be a key of it: `send`. */
static bool is_argument(const struct ncs_step *step, const struct ncs_yaml_node *key)
{
    return step->value->kind == NCS_YAML_NULL && ncs_schema_find(step->verb->fields, key->text);
}

static void two_verbs(struct ncs_scope *s, const struct ncs_step *step)
{
    for (size_t i = 0; i < step->map->items; i++) {
        const struct ncs_yaml_node *key = step->map->item[2 * i];
        if (key == step->key || !ncs_schema_verb_of(key->text))
            continue;
        ncs_complain(s->c, key->at, "the step has two verbs, %s and %s", step->verb->name, key->text);
        ncs_complain_note(s->c, step->key->at, "the first one");
        if (is_argument(step, key))
            ncs_complain_hint(s->c, "if `%s` belongs to %s, indent it further; else begin another step with `- %s:`", key->text,
                              step->verb->name, key->text);
        else
            ncs_complain_hint(s->c, "begin another step with `- %s:`", key->text);
        return;
    }
}

/* ---- names that steps make ---- */

static enum ncs_thing_kind made_kind(const struct ncs_step *step)
{
    if (strcmp(step->verb->name, "repeat") == 0)
        return NCS_THING_LOOP;
    if (strcmp(step->verb->name, "graph") == 0)
        return NCS_THING_GRAPH;
    return strcmp(step->verb->name, "thread") == 0 ? NCS_THING_THREAD : NCS_THING_COMM;
}

static struct ncs_thing *made_thing(struct ncs_scope *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *name = ncs_step_makes(step);
    bool text = name && name->kind == NCS_YAML_TEXT;
    struct ncs_thing *t = text ? ncs_things_find(&s->names, name->text, name->bytes) : NULL;
    return t && t->kind == made_kind(step) ? t : NULL;
}

/* Aliases can nest deeper than YAML's own limit. */
static bool check_steps_enter(struct ncs_scope *s, const struct ncs_yaml_node *list)
{
    if (s->depth < NCS_STEPS_DEEPEST) {
        s->depth++;
        s->deepest = s->depth > s->deepest ? s->depth : s->deepest;
        return true;
    }
    if (!s->too_deep)
        ncs_complain(s->c, list->at, "steps within steps more than %d deep, aliases counted", NCS_STEPS_DEEPEST);
    s->too_deep = true;
    return false;
}

void ncs_check_step_names(struct ncs_scope *s, const struct ncs_yaml_node *list)
{
    if (!list || list->kind != NCS_YAML_LIST || s->too_deep || !check_steps_enter(s, list))
        return;
    for (size_t i = 0; i < list->items; i++) {
        struct ncs_step step;
        if (list->item[i]->kind != NCS_YAML_MAP || ++s->steps > NCS_STEPS_MAX)
            continue;
        ncs_step_read(list->item[i], &step);
        const struct ncs_yaml_node *name = ncs_step_makes(&step);
        bool fine = name && ncs_check_new_name(s, made_kind(&step), name);
        struct ncs_thing *t = fine ? made_thing(s, &step) : NULL;
        if (t && t->kind == NCS_THING_LOOP)
            t->there = true;
        ncs_check_step_names(s, ncs_step_inner(&step));
        if (t)
            t->there = false;
    }
    s->depth--;
}

/* ---- steps ---- */

/* Hints at the form of a verb's arguments, with those that it requires. */
static void hint_arguments(struct ncs_scope *s, const struct ncs_schema_verb *v)
{
    struct ncs_str text = { 0 };
    for (const struct ncs_schema_field *f = v->fields; f->name; f++)
        if (f->flags & NCS_SCHEMA_REQUIRED)
            ncs_str_addf(&text, "%s%s: ...", text.bytes ? ", " : "", f->name);
    if (text.bytes)
        ncs_complain_hint(s->c, "write %s: { %s }", v->name, text.text);
    ncs_str_free(&text);
}

static void wrong_argument(struct ncs_scope *s, const struct ncs_schema_verb *v, const struct ncs_yaml_node *value, bool alone)
{
    ncs_check_wrong(s, v->name, value, alone ? "a mapping or a name" : "a mapping");
    if (value->kind != NCS_YAML_LIST && !ncs_yaml_blank_missing(value))
        hint_arguments(s, v);
}

static void check_argument(struct ncs_scope *s, const struct ncs_step *step)
{
    const struct ncs_schema_verb *v = step->verb;
    struct ncs_schema_field own = { .name = v->name, .kind = v->kind, .fields = v->fields };
    const struct ncs_schema_field *alone = v->alone ? ncs_schema_find(v->fields, v->alone) : NULL;
    if (v->kind != NCS_SCHEMA_FIELDS)
        ncs_check_value(s, v->name, &own, step->value);
    else if (step->value->kind == NCS_YAML_MAP)
        ncs_check_fields(s, v->name, step->key->at, v->fields, step->value);
    else if (alone && step->value->kind == NCS_YAML_TEXT)
        ncs_check_value(s, v->name, alone, step->value);
    else
        wrong_argument(s, v, step->value, alone);
}

/* `unknown`: the step has an unknown key, perhaps a misspelling: then no missing key is reported. */
static void check_beside(struct ncs_scope *s, const struct ncs_step *step, bool unknown)
{
    const struct ncs_schema_field *f = step->verb ? step->verb->beside : NULL;
    for (; f && f->name; f++) {
        const struct ncs_yaml_node *value = ncs_yaml_get(step->map, f->name);
        if (value)
            ncs_check_value(s, f->name, f, value);
        else if (f->flags & NCS_SCHEMA_REQUIRED && !unknown)
            ncs_complain(s->c, step->key->at, "%s needs %s beside it: %s", step->verb->name, f->name, f->about);
    }
}

/* `call` and `func` both choose when a fault happens: at most one of them, and `fail` needs one. `nth`
 * counts uses of `func`. */
static void check_faults(struct ncs_scope *s, const struct ncs_yaml_node *map)
{
    if (map->kind == NCS_YAML_MAP && map->items == 0)
        ncs_complain(s->c, map->at, "fault needs what goes wrong, such as kill");
    for (size_t i = 0; map->kind == NCS_YAML_MAP && i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i], *when = map->item[2 * i + 1];
        if (when->kind != NCS_YAML_MAP)
            continue;
        bool call = ncs_yaml_get(when, "call"), func = ncs_yaml_get(when, "func");
        if (call && func)
            ncs_complain(s->c, when->at, "%s takes call or func, not both", key->text);
        if (!func && ncs_yaml_get(when, "nth"))
            ncs_complain(s->c, ncs_scope_key(when, "nth")->at, "nth needs func: it counts the uses of that function");
        if (!call && !func && strcmp(key->text, "fail") == 0)
            ncs_complain(s->c, key->at, "fail needs call or func: which call fails");
    }
}

static void check_step(struct ncs_scope *s, const struct ncs_yaml_node *map)
{
    struct ncs_step step;
    bool unknown = false;
    if (map->kind != NCS_YAML_MAP) {
        not_a_step(s, map);
        return;
    }
    size_t verbs = ncs_step_read(map, &step);
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i];
        const struct ncs_schema_field *f = ncs_schema_find(ncs_schema_common, key->text);
        bool beside = step.verb && ncs_schema_find(step.verb->beside, key->text);
        if (f)
            ncs_check_value(s, f->name, f, map->item[2 * i + 1]);
        else if (!beside && !ncs_schema_verb_of(key->text)) {
            unknown_step_key(s, &step, key);
            unknown = true;
        }
    }
    if (verbs == 0 && !unknown) {
        ncs_complain(s->c, map->at, "the step has no verb such as all_reduce or sync");
        return;
    }
    if (verbs == 0)
        return;
    if (verbs > 1)
        two_verbs(s, &step);
    struct ncs_thing *made = made_thing(s, &step);
    check_argument(s, &step);
    if (strcmp(step.verb->name, "fault") == 0)
        check_faults(s, step.value);
    if (made && made->kind == NCS_THING_LOOP)
        made->there = true;
    check_beside(s, &step, unknown);
    if (made)
        made->there = made->kind != NCS_THING_LOOP;
}

void ncs_check_steps(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *list)
{
    if (list->kind != NCS_YAML_LIST) {
        ncs_check_wrong(s, owner, list, "a list of steps");
        return;
    }
    for (size_t i = 0; i < list->items; i++)
        check_step(s, list->item[i]);
}
