/* Checks the declaration and the sections. */
#include "notation/check.h"

#include <string.h>

#include "api/environment.h"
#include "api/version.h"
#include "base/quantity.h"
#include "notation/expression.h"

/* ---- values before there are ranks ---- */

static bool is_scalar(const struct ncs_yaml_node *n)
{
    return n->kind != NCS_YAML_LIST && n->kind != NCS_YAML_MAP && n->kind != NCS_YAML_NULL;
}

static void check_kind(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node, bool good, const char *expected)
{
    if (!good)
        ncs_check_wrong(s, owner, node, expected);
}

static void check_line(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    const char *open = is_scalar(node) ? strstr(node->text, "${") : NULL;
    if (!is_scalar(node))
        ncs_check_wrong(s, owner, node, "a text");
    else if (open)
        ncs_complain(s->c, ncs_yaml_part(s->yaml, node, (size_t)(open - node->text), 2),
                     "%s is read before the run has ranks: it cannot contain expressions", owner);
}

/* Checks a literal text, or a list of texts. */
static void check_lines(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_LIST)
        check_line(s, owner, node);
    for (size_t i = 0; node->kind == NCS_YAML_LIST && i < node->items; i++)
        check_line(s, owner, node->item[i]);
}

static void check_top_version(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    bool good = is_scalar(node) && ncs_nccl_version_code(node->text) != 0;
    check_kind(s, owner, node, good, "a version of NCCL such as 2.30.7");
}

/* The key of a setting of one rank. False: it is no number, and nothing is said. */
static bool check_rank_key(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *key)
{
    if (!ncs_yaml_is_number(key))
        return false;
    if (key->kind == NCS_YAML_FLOAT || key->i < 0)
        ncs_complain(s->c, key->at, "%s: `%.60s`: expected the number of a rank, 0 or more", owner, key->text);
    return true;
}

static void check_versions(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_MAP) {
        check_top_version(s, owner, node);
        return;
    }
    for (size_t i = 0; i < node->items; i++) {
        const struct ncs_yaml_node *key = node->item[2 * i];
        if (!check_rank_key(s, owner, key) && strcmp(key->text, "others") != 0)
            ncs_complain(s->c, key->at, "%s: `%.60s`: expected the number of a rank, or others", owner, key->text);
        check_top_version(s, owner, node->item[2 * i + 1]);
    }
}

static void check_top_size(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    uint64_t bytes;
    bool good = node->kind == NCS_YAML_INT ? node->i >= 0 : node->kind == NCS_YAML_TEXT && ncs_parse_size(node->text, &bytes);
    check_kind(s, owner, node, good, "a size such as 4096 or 16G");
}

static void check_duration(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    int64_t time;
    bool good = ncs_yaml_is_number(node) ? node->d >= 0 : node->kind == NCS_YAML_TEXT && ncs_parse_duration(node->text, &time);
    check_kind(s, owner, node, good, "seconds or a duration such as 10s");
}

static void check_nranks(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_TEXT && !ncs_yaml_old_form(node))
        ncs_check_expression(s, owner, NCS_SCOPE_PARAM, node);
    else
        check_kind(s, owner, node, node->kind == NCS_YAML_INT && node->i > 0, "a number of ranks, or an expression over param");
}

static void check_world(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    const char *names[NCS_SCHEMA_FIELDS_MAX];
    size_t n = ncs_schema_names(field->fields, names);
    if (node->kind != NCS_YAML_MAP) {
        check_kind(s, field->name, node, node->kind == NCS_YAML_BOOL, "true, false or the configuration of a communicator");
        return;
    }
    for (size_t i = 0; i < node->items; i++) {
        const struct ncs_yaml_node *key = node->item[2 * i], *value = node->item[2 * i + 1];
        const struct ncs_schema_field *f = ncs_schema_find(field->fields, key->text);
        if (!f)
            ncs_check_unknown_key(s, "world", key, names, n);
        else if (f->kind == NCS_SCHEMA_TEXT)
            check_line(s, f->name, value);
        else
            check_kind(s, f->name, value, value->kind == NCS_YAML_INT || value->kind == NCS_YAML_BOOL, "a number, true or false");
    }
}

/* ---- params, env ---- */

static void check_params(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_MAP) {
        ncs_check_wrong(s, "params", node, "a mapping of names to defaults");
        return;
    }
    for (size_t i = 0; i < node->items; i++) {
        const struct ncs_yaml_node *key = node->item[2 * i], *value = node->item[2 * i + 1];
        if (!ncs_is_identifier(key->text, key->bytes) || key->kind != NCS_YAML_TEXT)
            ncs_complain(s->c, key->at, "`%.60s` cannot be the name of a param", key->text);
        if (!is_scalar(value))
            ncs_check_wrong(s, key->text, value, "a number, a text, true or false");
        const char *old = ncs_yaml_old_form(value);
        if (old) {
            ncs_complain_warning(s->c, value->at, "`%.40s` is a text", value->text);
            ncs_complain_hint(s->c, "%s; quote it if a text is meant", old);
        }
    }
}

static void complain_env(struct ncs_scope *s, const struct ncs_yaml_node *node, const struct ncs_error *err)
{
    ncs_complain(s->c, node->at, "env: %s", err->text);
    if (err->hint[0])
        ncs_complain_hint(s->c, "%s", err->hint);
}

static void check_variables(struct ncs_scope *s, const struct ncs_yaml_node *map, bool of_rank)
{
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i], *value = map->item[2 * i + 1];
        struct ncs_error err = { 0 };
        if (!of_rank && check_rank_key(s, "env", key)) {
            if (value->kind == NCS_YAML_MAP)
                check_variables(s, value, true);
            else
                ncs_check_wrong(s, "env", value, "the variables of this rank, a mapping of names to texts");
            continue;
        }
        if (!ncs_environment_allows(key->text, key->bytes, s->unsafe, &err))
            complain_env(s, key, &err);
        else if (value->kind == NCS_YAML_TEXT && !ncs_environment_takes(key->text, value->text, s->unsafe, &err))
            complain_env(s, value, &err);
        check_line(s, key->text, value);
    }
}

static void check_env(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_MAP)
        check_variables(s, node, false);
    else
        ncs_check_wrong(s, "env", node, "a mapping of names to texts");
}

static void check_hosts(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    const struct ncs_schema_field one = { .name = field->name, .kind = NCS_SCHEMA_INT, .flags = field->flags };
    bool list = node->kind == NCS_YAML_LIST && node->items > 0;
    for (size_t i = 0; list && i < node->items; i++)
        if (ncs_check_bounds(s, one.name, &one, node->item[i]))
            check_kind(s, one.name, node->item[i], node->item[i]->kind == NCS_YAML_INT, "a whole number");
    if (!list) /* its bounds are checked */
        check_kind(s, one.name, node, node->kind == NCS_YAML_INT, "a whole number, or a list of them, one for each host");
}

static void check_top_numbers(struct ncs_scope *s, const char *name, const struct ncs_yaml_node *node)
{
    bool list = node->kind == NCS_YAML_LIST && node->items > 0;
    for (size_t i = 0; list && i < node->items; i++)
        check_kind(s, name, node->item[i], ncs_yaml_is_number(node->item[i]), "a number");
    if (!list)
        check_kind(s, name, node, ncs_yaml_is_number(node), "a number, or a list of them, one for each device");
}

/* ---- outcome ---- */

static void check_ints(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    bool waiting = strcmp(field->name, "waiting") == 0;
    bool list = waiting || strcmp(field->name, "culprit") == 0;
    if (node->kind == NCS_YAML_LIST && list) {
        for (size_t i = 0; i < node->items; i++)
            check_ints(s, &(struct ncs_schema_field){ .name = "a rank", .kind = field->kind, .flags = field->flags },
                       node->item[i]);
    } else if (waiting && node->kind == NCS_YAML_TEXT && ncs_schema_is_some_ranks(node->text)) {
        return;
    } else if (node->kind == NCS_YAML_TEXT) {
        ncs_check_expression(s, field->name, NCS_SCOPE_RUN, node);
    } else if (ncs_check_bounds(s, field->name, field, node)) {
        check_kind(s, field->name, node, ncs_yaml_is_number(node),
                   waiting ? "a rank, a list of ranks, all or others"
                   : list  ? "a rank or a list of ranks"
                           : "a whole number");
    }
}

/* An unknown key, which is reported, is probably a misspelling of the key that is missing. */
static bool has_unknown_key(const struct ncs_schema_field *fields, const struct ncs_yaml_node *map)
{
    for (size_t i = 0; i < map->items; i++)
        if (!ncs_schema_find(fields, map->item[2 * i]->text))
            return true;
    return false;
}

static void check_outcome_map(struct ncs_scope *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map,
                              bool in_list)
{
    static const char *const verdicts[] = { "pass", "hang", "error", "wrong", "lost" };
    const struct ncs_yaml_node *first = NULL;
    ncs_check_fields(s, "outcome", map->at, fields, map);
    for (size_t i = 0; map->kind == NCS_YAML_MAP && i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i];
        for (int k = 0; k < 5; k++)
            if (strcmp(verdicts[k], key->text) == 0) {
                if (first)
                    ncs_complain(s->c, key->at, "outcome takes only one of %s and %s", first->text, key->text);
                first = first ? first : key;
            }
        bool of_error = strcmp(key->text, "rank") == 0 || strcmp(key->text, "call") == 0;
        if (of_error && !ncs_yaml_get(map, "error"))
            ncs_complain(s->c, key->at, "%s is only allowed beside error", key->text);
        if (strcmp(key->text, "when") == 0 && !in_list)
            ncs_complain(s->c, key->at, "%s is only allowed in a list of outcomes", key->text);
    }
    const struct ncs_yaml_node *pass = ncs_yaml_get(map, "pass");
    if (pass && pass->kind == NCS_YAML_BOOL && !pass->i)
        ncs_check_wrong(s, "pass", pass, "true");
    if (!first && map->kind == NCS_YAML_MAP && !ncs_yaml_get(map, "finding") && !ncs_yaml_get(map, "findings") &&
        !has_unknown_key(fields, map))
        ncs_complain(s->c, map->at, "outcome needs hang, error, wrong, lost, pass, finding or findings");
}

static void check_top_outcome(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_TEXT && strcmp(node->text, "pass") == 0)
        return;
    if (node->kind == NCS_YAML_MAP) {
        check_outcome_map(s, field->fields, node, false);
    } else if (node->kind == NCS_YAML_LIST) {
        for (size_t i = 0; i < node->items; i++) {
            const struct ncs_yaml_node *map = node->item[i];
            check_outcome_map(s, field->fields, map, true);
            if (map->kind == NCS_YAML_MAP && !ncs_yaml_get(map, "when") && i + 1 < node->items)
                ncs_complain(s->c, map->at, "only the last outcome of a list can be without when");
        }
    } else {
        ncs_check_wrong(s, "outcome", node,
                        "pass, a mapping such as { hang: { culprit: 2 } }, or a "
                        "list of these with when");
    }
}

void ncs_check_declared(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    const char *name = field->name;
    switch (field->kind) {
    case NCS_SCHEMA_INT: check_kind(s, name, node, node->kind == NCS_YAML_INT, "a whole number"); break;
    case NCS_SCHEMA_NUMBERS: check_top_numbers(s, name, node); break;
    case NCS_SCHEMA_FLAG: check_kind(s, name, node, node->kind == NCS_YAML_BOOL, "true or false"); break;
    case NCS_SCHEMA_LITERAL:
    case NCS_SCHEMA_LINE: check_line(s, name, node); break;
    case NCS_SCHEMA_LINES: check_lines(s, name, node); break;
    case NCS_SCHEMA_RULE:
        if (node->kind == NCS_YAML_MAP)
            ncs_check_fields(s, name, node->at, field->fields, node);
        else
            check_line(s, name, node);
        break;
    case NCS_SCHEMA_VERSION: check_top_version(s, name, node); break;
    case NCS_SCHEMA_VERSIONS: check_versions(s, name, node); break;
    case NCS_SCHEMA_HOSTS: check_hosts(s, field, node); break;
    case NCS_SCHEMA_SIZE: check_top_size(s, name, node); break;
    case NCS_SCHEMA_DURATION: check_duration(s, name, node); break;
    case NCS_SCHEMA_NRANKS: check_nranks(s, name, node); break;
    case NCS_SCHEMA_WORLD: check_world(s, field, node); break;
    case NCS_SCHEMA_PARAMS: check_params(s, node); break;
    case NCS_SCHEMA_MATRIX: ncs_check_matrix(s, node); break;
    case NCS_SCHEMA_EXCLUDE: ncs_check_exclude(s, node); break;
    case NCS_SCHEMA_ENV: check_env(s, node); break;
    case NCS_SCHEMA_OUTCOME: check_top_outcome(s, field, node); break;
    case NCS_SCHEMA_INTS: check_ints(s, field, node); break;
    case NCS_SCHEMA_WHEN: ncs_check_expression(s, name, NCS_SCOPE_RUN, node); break;
    default: break;
    }
}

/* ---- sections ---- */

static const struct {
    const char *section;
    enum ncs_thing_kind kind;
} sections[] = { { "let", NCS_THING_LET },       { "streams", NCS_THING_STREAM }, { "events", NCS_THING_EVENT },
                 { "comms", NCS_THING_COMM },    { "buffers", NCS_THING_BUFFER }, { "ops", NCS_THING_OP },
                 { "windows", NCS_THING_WINDOW } };

static void name_section(struct ncs_scope *s, const struct ncs_yaml_node *map, enum ncs_thing_kind kind)
{
    for (size_t i = 0; map && map->kind == NCS_YAML_MAP && i < map->items; i++)
        ncs_check_new_name(s, kind, map->item[2 * i]);
}

static void check_comm(struct ncs_scope *s, const struct ncs_yaml_node *key, const struct ncs_yaml_node *entry)
{
    const struct ncs_yaml_node *split = ncs_yaml_get(entry, "split");
    const struct ncs_yaml_node *init = ncs_yaml_get(entry, "init");
    if (split && init)
        ncs_complain(s->c, key->at, "%s takes split or init, not both", key->text);
    else if (split && !ncs_yaml_get(entry, "color"))
        ncs_complain(s->c, key->at, "%s needs color: ranks of one colour are in one communicator", key->text);
    else if (init && (ncs_yaml_get(entry, "color") || ncs_yaml_get(entry, "key")))
        ncs_complain(s->c, key->at, "%s: color and key are only allowed with split", key->text);
}

static void check_section(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *map)
{
    if (map->kind != NCS_YAML_MAP) {
        if (map->kind != NCS_YAML_NULL)
            ncs_check_wrong(s, field->name, map, "a mapping of names");
        return;
    }
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i], *entry = map->item[2 * i + 1];
        if (field->kind == NCS_SCHEMA_LETS)
            ncs_check_expression(s, key->text, NCS_SCOPE_STEPS, entry);
        else if (entry->kind == NCS_YAML_NULL)
            ncs_check_fields(s, key->text, key->at, field->fields,
                             &(struct ncs_yaml_node){ .kind = NCS_YAML_MAP, .at = key->at });
        else
            ncs_check_fields(s, key->text, key->at, field->fields, entry);
        if (strcmp(field->name, "comms") == 0 && entry->kind == NCS_YAML_MAP)
            check_comm(s, key, entry);
        struct ncs_thing *t = ncs_things_find(&s->names, key->text, key->bytes);
        if (t)
            t->there = true;
    }
}

/* ---- the file ---- */

static void ready_made(struct ncs_scope *s)
{
    const struct ncs_yaml_node *world = ncs_yaml_get(s->root, "world");
    s->world = !(world && world->kind == NCS_YAML_BOOL && !world->i);
    struct ncs_thing *t = ncs_things_add(&s->names, "stream", NCS_THING_STREAM, s->root->at);
    t->ready_made = t->there = true;
    if (!s->world)
        return;
    t = ncs_things_add(&s->names, "world", NCS_THING_COMM, s->root->at);
    t->ready_made = t->there = true;
}

static void unknown_keys(struct ncs_scope *s)
{
    const char *names[NCS_SCHEMA_FIELDS_MAX];
    size_t n = ncs_schema_names(ncs_schema_top, names);
    for (size_t i = 0; i < s->root->items; i++) {
        const struct ncs_yaml_node *key = s->root->item[2 * i];
        if (ncs_schema_find(ncs_schema_top, key->text))
            continue;
        if (ncs_schema_verb_of(key->text)) {
            ncs_complain(s->c, key->at, "no such key '%s' in a scenario", key->text);
            ncs_complain_hint(s->c, "it is a step: write it under steps, as `- %s:`", key->text);
        } else if (strcmp(key->text, "seed") == 0) {
            ncs_complain(s->c, key->at, "no such key 'seed' in a scenario");
            ncs_complain_hint(s->c, "run with --seed N, or write matrix: { seed: [1, 2, 3] }");
        } else {
            ncs_check_unknown_key(s, "a scenario", key, names, n);
        }
    }
}

bool ncs_check_scope(struct ncs_scope *s)
{
    if (s->root->kind != NCS_YAML_MAP) {
        ncs_check_wrong(s, "a scenario", s->root, "a mapping with steps");
        return false;
    }
    s->params = ncs_yaml_get(s->root, "params");
    ready_made(s);
    unknown_keys(s);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        name_section(s, ncs_yaml_get(s->root, sections[i].section), sections[i].kind);
    ncs_check_step_names(s, ncs_yaml_get(s->root, "steps"));
    if (s->steps > NCS_STEPS_MAX)
        return ncs_complain(s->c, ncs_yaml_get(s->root, "steps")->at, "more than %zu steps, aliases counted", NCS_STEPS_MAX);
    if (s->too_deep)
        return false;
    for (const struct ncs_schema_field *f = ncs_schema_top; f->name; f++) {
        const struct ncs_yaml_node *value = ncs_yaml_get(s->root, f->name);
        if (value && (f->kind == NCS_SCHEMA_ENTRIES || f->kind == NCS_SCHEMA_LETS))
            check_section(s, f, value);
        else if (value)
            ncs_check_value(s, f->name, f, value);
        else if (f->flags & NCS_SCHEMA_REQUIRED && !ncs_check_is_misspelt(ncs_schema_top, s->root, f->name))
            ncs_complain(s->c, (struct ncs_span){ 0, 0 }, "a scenario needs %s: %s", f->name, f->about);
    }
    return s->c->errors == 0;
}
