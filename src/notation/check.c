/* Checks a file against the schema: keys, kinds of values, references to names of the file. */
#include "notation/check.h"

#include <stdio.h>
#include <string.h>

#include "api/gen/api.h"
#include "api/spelling.h"
#include "base/map.h"
#include "base/quantity.h"

/* ---- reports ---- */

/* Describes a node: "the number 3", "a list", "`abc`". */
static const char *check_shown(const struct ncs_yaml_node *node, char *room, size_t size)
{
    switch (node->kind) {
    case NCS_YAML_LIST: return node->items ? "a list" : "an empty list";
    case NCS_YAML_MAP: return node->items ? "a mapping" : "an empty mapping";
    case NCS_YAML_NULL: return node->bytes ? "null" : "nothing";
    default:
        snprintf(room, size, "`%.*s%s`", (int)strcspn(node->text, "\n") > 40 ? 40 : (int)strcspn(node->text, "\n"), node->text,
                 strcspn(node->text, "\n") > 40 || strchr(node->text, '\n') ? "..." : "");
        return room;
    }
}

bool ncs_check_wrong(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node, const char *expected)
{
    char room[64];
    const char *hint = ncs_yaml_old_form(node);
    ncs_complain(s->c, node->at, "%s must be %s, got %s", owner, expected, check_shown(node, room, sizeof room));
    if (!hint && (strncmp(expected, "a mapping", 9) == 0 || strncmp(expected, "a list", 6) == 0))
        hint = ncs_yaml_blank_missing(node);
    return hint ? ncs_complain_hint(s->c, "%s", hint) : false;
}

bool ncs_check_near(struct ncs_scope *s, const char *word, const char *const *names, size_t count)
{
    bool kept = s->c->errors <= NCS_COMPLAINTS_KEPT; /* otherwise it is dropped */
    const char *meant = kept && *names ? ncs_meant_name(word, names, count) : NULL;
    if (meant)
        ncs_complain_hint(s->c, "did you mean '%s'?", meant);
    return meant;
}

bool ncs_check_unknown(struct ncs_scope *s, struct ncs_span at, const char *what, const char *word, const char *where,
                       const char *const *names, size_t count)
{
    ncs_complain(s->c, at, "no such %s '%.60s'%s%s", what, word, where ? " in " : "", where ? where : "");
    return ncs_check_near(s, word, names, count);
}

/* Lists the keys that an owner takes, if they fit into a line. */
static void hint_keys(struct ncs_scope *s, const char *owner, const char *const *names, size_t count)
{
    enum { KEYS_LISTED = 12 };
    struct ncs_str list = { 0 };
    if (count == 0 || count > KEYS_LISTED) {
        ncs_complain_hint(s->c, "`ncclscript schema` lists the keys of %s", owner);
        return;
    }
    for (size_t i = 0; i < count; i++)
        ncs_str_addf(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", names[i]);
    ncs_complain_hint(s->c, "%s takes %s", owner, list.text);
    ncs_str_free(&list);
}

void ncs_check_unknown_key(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *key, const char *const *names,
                           size_t count)
{
    const char *hint = ncs_yaml_blank_missing(key);
    if (s->cut && key->at.at == s->cut) /* the rest of an expression that a comma has cut */
        return;
    if (hint) {
        ncs_complain(s->c, key->at, "no such key '%.60s' in %s", key->text, owner);
        ncs_complain_hint(s->c, "%s", hint);
    } else if (!ncs_check_unknown(s, key->at, "key", key->text, owner, names, count)) {
        if (ncs_schema_verb_of(owner) && ncs_schema_find(ncs_schema_common, key->text))
            ncs_complain_hint(s->c, "write it beside %s, not inside", owner);
        else
            hint_keys(s, owner, names, count);
    }
}

/* ---- maps ---- */

bool ncs_check_is_misspelt(const struct ncs_schema_field *fields, const struct ncs_yaml_node *map, const char *name)
{
    const char *names[NCS_SCHEMA_FIELDS_MAX];
    size_t count = ncs_schema_names(fields, names);
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i];
        const char *meant = ncs_schema_find(fields, key->text) ? NULL : ncs_meant_name(key->text, names, count);
        bool joined = strncmp(key->text, name, strlen(name)) == 0 && ncs_yaml_blank_missing(key);
        if ((meant && strcmp(meant, name) == 0) || joined)
            return true;
    }
    return false;
}

static void check_required(struct ncs_scope *s, const char *owner, struct ncs_span at, const struct ncs_schema_field *fields,
                           const struct ncs_yaml_node *map)
{
    const char *either[2] = { NULL, NULL };
    size_t eithers = 0, given = 0;
    for (const struct ncs_schema_field *f = fields; f->name; f++) {
        bool wanted = f->flags & (NCS_SCHEMA_REQUIRED | NCS_SCHEMA_EITHER);
        bool there = !wanted || ncs_yaml_get(map, f->name) || ncs_check_is_misspelt(fields, map, f->name);
        if (f->flags & NCS_SCHEMA_REQUIRED && !there)
            ncs_complain(s->c, at, "%s needs %s: %s", owner, f->name, f->about);
        if (!(f->flags & NCS_SCHEMA_EITHER))
            continue;
        if (eithers < 2)
            either[eithers++] = f->name;
        given += there;
    }
    if (eithers == 2 && given == 0)
        ncs_complain(s->c, at, "%s needs %s or %s", owner, either[0], either[1]);
}

void ncs_check_fields(struct ncs_scope *s, const char *owner, struct ncs_span at, const struct ncs_schema_field *fields,
                      const struct ncs_yaml_node *map)
{
    const char *names[NCS_SCHEMA_FIELDS_MAX];
    size_t count = ncs_schema_names(fields, names);
    if (map->kind != NCS_YAML_MAP) {
        ncs_check_wrong(s, owner, map, "a mapping");
        return;
    }
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i], *value = map->item[2 * i + 1];
        const struct ncs_schema_field *f = ncs_schema_find(fields, key->text);
        if (f)
            ncs_check_value(s, f->name, f, value);
        else
            ncs_check_unknown_key(s, owner, key, names, count);
    }
    check_required(s, owner, at, fields, map);
}

/* ---- values ---- */

static void check_each_of_list(struct ncs_scope *s, const char *owner, enum ncs_scope_kind scope,
                               const struct ncs_yaml_node *list)
{
    for (size_t i = 0; i < list->items; i++)
        ncs_check_expression(s, owner, scope, list->item[i]);
}

static void check_elements(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    bool random = node->kind == NCS_YAML_TEXT && strcmp(node->text, "random") == 0;
    if (node->kind == NCS_YAML_LIST)
        check_each_of_list(s, owner, NCS_SCOPE_STEPS, node);
    else if (!random || ncs_things_find(&s->names, "random", 6))
        ncs_check_expression(s, owner, NCS_SCOPE_ELEMENTS, node);
}

static void check_some(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_MAP)
        ncs_check_fields(s, field->name, node->at, field->fields, node);
    else if (node->kind != NCS_YAML_BOOL || !node->i)
        ncs_check_wrong(s, field->name, node, "true or a mapping");
}

static void check_function(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    const char *names[NCS_FN_COUNT];
    if (node->kind != NCS_YAML_TEXT) {
        ncs_check_wrong(s, owner, node, "the C name of a function, such as ncclAllReduce");
        return;
    }
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        names[fn] = ncs_fn_info[fn].name;
        if (strcmp(names[fn], node->text) == 0)
            return;
    }
    ncs_check_unknown(s, node->at, "function", node->text, NULL, names, NCS_FN_COUNT);
}

/* A text that begins as a number with a suffix does. */
static bool looks_measured(const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_TEXT)
        return false;
    size_t digits = strspn(node->text, "0123456789.");
    const char *rest = node->text + digits;
    size_t letters = digits ? strspn(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") : 0;
    return letters > 0 && rest[letters] == 0 && !(node->text[0] == '0' && (rest[0] | 32) == 'x');
}

static void check_count(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    uint64_t size;
    bool measured = looks_measured(node) && ncs_parse_size(node->text, &size);
    if (ncs_yaml_old_form(node) || (looks_measured(node) && !measured))
        ncs_check_wrong(s, owner, node, "a number, a size such as 64K, or an expression");
    else if (!measured)
        ncs_check_expression(s, owner, NCS_SCOPE_STEPS, node);
}

static void check_seconds(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    int64_t time;
    if (!looks_measured(node))
        ncs_check_expression(s, owner, NCS_SCOPE_STEPS, node);
    else if (!ncs_parse_duration(node->text, &time))
        ncs_check_wrong(s, owner, node, "seconds, a duration such as 10ms, or an expression");
}

static void check_one_word(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_TEXT) {
        ncs_check_wrong(s, field->name, node, "a word");
        return;
    }
    struct ncs_str list = { 0 };
    for (int i = 0; field->words[i]; i++) {
        if (strcmp(field->words[i], node->text) == 0) {
            ncs_str_free(&list);
            return;
        }
        ncs_str_addf(&list, "%s%s", i == 0 ? "" : field->words[i + 1] ? ", " : " or ", field->words[i]);
    }
    ncs_check_wrong(s, field->name, node, list.text);
    ncs_check_near(s, node->text, field->words, 0);
    ncs_str_free(&list);
}

/* `kinds`: the names of kinds of errors are good, too. */
static void check_result(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node, bool kinds)
{
    const char *names[NCS_SCHEMA_RESULTS_MAX + NCS_SCHEMA_KINDS];
    size_t n = ncs_schema_results(names);
    for (size_t i = 0; i < NCS_SCHEMA_KINDS && kinds; i++)
        names[n++] = ncs_schema_kinds[i];
    for (size_t i = 0; i < n && node->kind == NCS_YAML_TEXT; i++)
        if (strcmp(names[i], node->text) == 0)
            return;
    ncs_check_wrong(s, owner, node,
                    kinds ? "the name of a failure, such as ncclInvalidArgument, or nccl, cuda, usage, "
                            "expect or lua"
                          : "the name of a failure, such as ncclInvalidArgument");
    if (node->kind == NCS_YAML_TEXT)
        ncs_check_near(s, node->text, names, n);
}

/* The number of ranks that the file declares (`-n` may change it); INT64_MAX if it varies or is an expression. */
static int64_t check_ranks_of(const struct ncs_scope *s)
{
    const struct ncs_yaml_node *ranks = ncs_yaml_get(s->root, "ranks");
    const struct ncs_yaml_node *matrix = ncs_yaml_get(s->root, "matrix");
    bool varies = matrix && matrix->kind == NCS_YAML_MAP && ncs_yaml_get(matrix, "ranks");
    if (!ranks && !varies)
        return 2; /* by default */
    return ranks && ranks->kind == NCS_YAML_INT && !varies ? ranks->i : INT64_MAX;
}

/* Checks ranks that are written as numbers: no duplicates, none below 0 or, among ranks of the run, from `end` on. */
static void check_numbers(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *list, int64_t end)
{
    struct ncs_map seen = { 0 };
    for (size_t i = 0; i < list->items; i++) {
        const struct ncs_yaml_node *rank = list->item[i];
        if (rank->kind != NCS_YAML_INT)
            continue;
        const struct ncs_yaml_node *first = ncs_map_get(&seen, (uint64_t)rank->i);
        if (rank->i < 0) {
            ncs_complain(s->c, rank->at, "%s: ranks are 0 or more, got %s", owner, rank->text);
        } else if (first) {
            ncs_complain(s->c, rank->at, "%s: rank %s is listed twice", owner, rank->text);
            ncs_complain_note(s->c, first->at, "the first time");
        } else {
            ncs_map_put(&seen, (uint64_t)rank->i, (void *)rank);
            if (rank->i >= end)
                ncs_complain_warning(s->c, rank->at, "%s: rank %s: the run has ranks 0 to %lld", owner, rank->text,
                                     (long long)end - 1);
        }
    }
    ncs_map_free(&seen);
}

static void check_ranks(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_LIST) {
        check_each_of_list(s, owner, NCS_SCOPE_STEPS, node);
        check_numbers(s, owner, node, strcmp(owner, "init") == 0 ? check_ranks_of(s) : INT64_MAX);
        return;
    }
    ncs_check_wrong(s, owner, node, "a list of ranks");
    if (node->kind == NCS_YAML_INT)
        ncs_complain_hint(s->c, "write [%s]", node->text);
}

static void check_times(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    bool whole = node->kind == NCS_YAML_INT
                     ? node->i >= 0
                     : node->kind == NCS_YAML_FLOAT && node->d >= 0 && node->d < 1e15 && node->d == (double)(int64_t)node->d;
    if (node->kind == NCS_YAML_TEXT || whole)
        ncs_check_expression(s, owner, NCS_SCOPE_STEPS, node);
    else
        ncs_check_wrong(s, owner, node, "a whole number, 0 or more, or an expression");
}

static void check_signals(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_LIST) {
        ncs_check_wrong(s, field->name, node, "a list of mappings such as { peer: 0 }");
        return;
    }
    for (size_t i = 0; i < node->items; i++)
        ncs_check_fields(s, field->name, node->item[i]->at, field->fields, node->item[i]);
}

static void check_barrier(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_LIST)
        check_each_of_list(s, owner, NCS_SCOPE_STEPS, node);
    else if (node->kind != NCS_YAML_BOOL || !node->i)
        ncs_check_wrong(s, owner, node, "true or a list of ranks");
}

/* expect: { BUFFER: EXPR ..., tol } or { that: EXPR, text } */
static void check_expect(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    bool that = node->kind == NCS_YAML_MAP && ncs_yaml_get(node, "that");
    size_t values = 0;
    if (node->kind != NCS_YAML_MAP) {
        ncs_check_wrong(s, "expect", node, "a mapping of buffers to what they hold");
        if (node->kind == NCS_YAML_TEXT)
            ncs_complain_hint(s->c, "write { that: ... } for a condition");
        return;
    }
    for (size_t i = 0; i < node->items; i++) {
        const struct ncs_yaml_node *key = node->item[2 * i], *value = node->item[2 * i + 1];
        if (s->cut && key->at.at == s->cut) { /* the rest of the value before it */
            continue;
        } else if (strcmp(key->text, that ? "that" : "tol") == 0) {
            ncs_check_expression(s, key->text, NCS_SCOPE_STEPS, value);
        } else if (that && strcmp(key->text, "text") == 0) {
            ncs_check_text(s, key->text, value);
        } else if (that) {
            static const char *const names[] = { "that", "text" };
            ncs_check_unknown_key(s, "expect with that", key, names, 2);
        } else {
            ncs_check_expression(s, "expect", NCS_SCOPE_STEPS, key);
            if (value->kind == NCS_YAML_LIST)
                check_each_of_list(s, key->text, NCS_SCOPE_STEPS, value);
            else
                ncs_check_expression(s, key->text, NCS_SCOPE_ELEMENTS, value);
            values++;
        }
    }
    if (!that && values == 0)
        ncs_complain(s->c, node->at, "expect needs a buffer and what it holds, or that: condition");
}

static void check_print(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    bool name = node->plain && node->kind == NCS_YAML_TEXT && ncs_things_find(&s->names, node->text, node->bytes);
    if (name)
        ncs_check_expression(s, "print", NCS_SCOPE_STEPS, node);
    else
        ncs_check_text(s, "print", node);
}

/* What a literal number or boolean must be where a key has bounds. */
static const char *bounds_of(const struct ncs_schema_field *field)
{
    bool positive = field->flags & NCS_SCHEMA_POSITIVE;
    switch (field->kind) {
    case NCS_SCHEMA_INT:
    case NCS_SCHEMA_HOSTS: return positive ? "a whole number, 1 or more" : "a whole number, 0 or more";
    case NCS_SCHEMA_SECONDS: return "a number of seconds, 0 or more, a duration such as 10ms, or an expression";
    case NCS_SCHEMA_COUNT:
        return positive ? "a whole number, 1 or more, a size such as 64K, or an expression"
                        : "a whole number, 0 or more, a size such as 64K, or an expression";
    default: return positive ? "a whole number, 1 or more, or an expression" : "a whole number, 0 or more, or an expression";
    }
}

bool ncs_check_bounds(struct ncs_scope *s, const char *owner, const struct ncs_schema_field *field,
                      const struct ncs_yaml_node *node)
{
    bool number = ncs_yaml_is_number(node);
    int least = field->flags & NCS_SCHEMA_POSITIVE ? 1 : 0;
    if (!(field->flags & (NCS_SCHEMA_NATURAL | NCS_SCHEMA_POSITIVE)) || (!number && node->kind != NCS_YAML_BOOL))
        return true;
    if (field->kind == NCS_SCHEMA_SECONDS && number && node->d >= 0)
        return true;
    if (node->kind == NCS_YAML_INT && node->i >= least)
        return true;
    if (node->kind == NCS_YAML_FLOAT && node->d >= 0x1p63) {
        ncs_complain(s->c, node->at, "%s is too large: %s", owner, node->text);
        return false;
    }
    bool whole = node->kind == NCS_YAML_FLOAT && node->d >= least && node->d == (double)(int64_t)node->d;
    if (!whole)
        ncs_check_wrong(s, owner, node, bounds_of(field));
    return whole;
}

void ncs_check_value(struct ncs_scope *s, const char *owner, const struct ncs_schema_field *field,
                     const struct ncs_yaml_node *node)
{
    if (!ncs_check_bounds(s, owner, field, node))
        return;
    switch (field->kind) {
    case NCS_SCHEMA_EXPR:
    case NCS_SCHEMA_SCALAR: ncs_check_expression(s, owner, NCS_SCOPE_STEPS, node); break;
    case NCS_SCHEMA_ELEMENTS: check_elements(s, owner, node); break;
    case NCS_SCHEMA_COUNT: check_count(s, owner, node); break;
    case NCS_SCHEMA_TIMES: check_times(s, owner, node); break;
    case NCS_SCHEMA_SECONDS: check_seconds(s, owner, node); break;
    case NCS_SCHEMA_BUFFER:
        if (node->kind == NCS_YAML_TEXT && strcmp(node->text, "nil") == 0)
            break;
        /* fall through */
    case NCS_SCHEMA_DTYPE:
    case NCS_SCHEMA_OP:
    case NCS_SCHEMA_COMM:
    case NCS_SCHEMA_STREAM:
    case NCS_SCHEMA_EVENT:
    case NCS_SCHEMA_WINDOW:
    case NCS_SCHEMA_GRAPH:
    case NCS_SCHEMA_THREAD:
    case NCS_SCHEMA_THING:
    case NCS_SCHEMA_AWAITED: ncs_check_reference(s, owner, field, node); break;
    case NCS_SCHEMA_TEXT: ncs_check_text(s, owner, node); break;
    case NCS_SCHEMA_WORD: check_one_word(s, field, node); break;
    case NCS_SCHEMA_RESULT: check_result(s, owner, node, false); break;
    case NCS_SCHEMA_ERROR: check_result(s, owner, node, true); break;
    case NCS_SCHEMA_RANKS: check_ranks(s, owner, node); break;
    case NCS_SCHEMA_SIGNALS: check_signals(s, field, node); break;
    case NCS_SCHEMA_BARRIER: check_barrier(s, owner, node); break;
    case NCS_SCHEMA_EXPECT: check_expect(s, node); break;
    case NCS_SCHEMA_PRINT: check_print(s, node); break;
    case NCS_SCHEMA_CHUNK: ncs_check_chunk(s, node); break;
    case NCS_SCHEMA_STEPS: ncs_check_steps(s, owner, node); break;
    case NCS_SCHEMA_FIELDS: ncs_check_fields(s, owner, node->at, field->fields, node); break;
    case NCS_SCHEMA_SOME: check_some(s, field, node); break;
    case NCS_SCHEMA_FUNCTION: check_function(s, owner, node); break;
    case NCS_SCHEMA_NEW: break; /* when the step is done: ncs_check_new_name */
    default: ncs_check_declared(s, field, node);
    }
}
