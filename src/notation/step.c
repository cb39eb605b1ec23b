#include "notation/scope.h"

#include <string.h>

size_t ncs_step_read(const struct ncs_yaml_node *map, struct ncs_step *step)
{
    size_t verbs = 0;
    *step = (struct ncs_step){ .map = map };
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i];
        const struct ncs_schema_verb *verb = ncs_schema_verb_of(key->text);
        if (!verb || (strcmp(verb->name, "do") == 0 && ncs_yaml_get(map, "repeat")))
            continue;
        if (verbs++ == 0) {
            step->verb = verb;
            step->key = key;
            step->value = map->item[2 * i + 1];
        }
    }
    return verbs;
}

const struct ncs_yaml_node *ncs_step_makes(const struct ncs_step *step)
{
    const struct ncs_schema_verb *v = step->verb;
    if (!v)
        return NULL;
    if (v->beside)
        return ncs_yaml_get(step->map, "as");
    bool makes = v->fields && v->fields[0].flags & NCS_SCHEMA_MAKES;
    return makes && step->value->kind == NCS_YAML_MAP ? ncs_yaml_get(step->value, "as") : NULL;
}

const struct ncs_yaml_node *ncs_step_inner(const struct ncs_step *step)
{
    if (!step->verb)
        return NULL;
    if (step->verb->beside && ncs_schema_find(step->verb->beside, "do"))
        return ncs_yaml_get(step->map, "do");
    return step->verb->kind == NCS_SCHEMA_STEPS ? step->value : NULL;
}

const struct ncs_yaml_node *ncs_step_field(const struct ncs_step *step, const char *name)
{
    if (step->value->kind == NCS_YAML_MAP)
        return ncs_yaml_get(step->value, name);
    const char *alone = step->verb->alone;
    return alone && strcmp(alone, name) == 0 ? step->value : NULL;
}

const struct ncs_yaml_node *ncs_scope_key(const struct ncs_yaml_node *map, const char *name)
{
    size_t i = 0;
    while (strcmp(map->item[2 * i]->text, name) != 0)
        i++;
    return map->item[2 * i];
}
