/* Checks a matrix: its axes, their values, and the excluded combinations. */
#include "notation/check.h"

#include <string.h>

#include "base/mem.h"

static bool is_map(const struct ncs_yaml_node *n)
{
    return n && n->kind == NCS_YAML_MAP;
}

/* The default of the param with that name; NULL: no such param. */
static const struct ncs_yaml_node *declared(const struct ncs_scope *s, const char *name)
{
    return is_map(s->params) ? ncs_yaml_get(s->params, name) : NULL;
}

static bool check_matrix_is_whole(const struct ncs_yaml_node *n)
{
    return n->kind == NCS_YAML_INT || (n->kind == NCS_YAML_FLOAT && n->d > -1e15 && n->d < 1e15 && n->d == (double)(int64_t)n->d);
}

static bool check_matrix_same_value(const struct ncs_yaml_node *a, const struct ncs_yaml_node *b)
{
    bool numbers = ncs_yaml_is_number(a) && ncs_yaml_is_number(b);
    if (numbers)
        return a->kind == b->kind && a->kind == NCS_YAML_INT ? a->i == b->i : a->d == b->d;
    if (a->kind == NCS_YAML_BOOL && b->kind == NCS_YAML_BOOL)
        return a->i == b->i;
    return a->kind == b->kind && a->bytes == b->bytes && a->text && memcmp(a->text, b->text, a->bytes) == 0;
}

/* Checks that a param, ranks or seed can have the value; false if it was reported. */
static bool check_value(struct ncs_scope *s, const char *axis, const struct ncs_yaml_node *value)
{
    const struct ncs_yaml_node *param = declared(s, axis);
    bool number = ncs_yaml_is_number(value);
    const char *expected = NULL;
    if (!param && strcmp(axis, "ranks") == 0)
        expected = value->kind == NCS_YAML_INT && value->i > 0 ? NULL : "a number of ranks";
    else if (!param && strcmp(axis, "seed") == 0)
        expected = value->kind == NCS_YAML_INT && value->i >= 0 ? NULL : "a number, 0 or more";
    else if (!param)
        return false; /* unknown: reported before */
    else if (param->kind == NCS_YAML_INT)
        expected = number && check_matrix_is_whole(value) ? NULL : "a whole number, as its default in params";
    else if (param->kind == NCS_YAML_FLOAT)
        expected = number ? NULL : "a number, as its default in params";
    else if (param->kind == NCS_YAML_BOOL)
        expected = value->kind == NCS_YAML_BOOL ? NULL : "true or false, as its default in params";
    else if (param->kind == NCS_YAML_TEXT)
        expected = value->kind == NCS_YAML_TEXT ? NULL : "a text, as its default in params";
    if (expected)
        ncs_check_wrong(s, axis, value, expected);
    if (expected && param && param->kind == NCS_YAML_TEXT && number)
        ncs_complain_hint(s->c, "quote it");
    return !expected;
}

static void check_axis(struct ncs_scope *s, const struct ncs_yaml_node *key, const struct ncs_yaml_node *list)
{
    size_t count = is_map(s->params) ? s->params->items : 0;
    bool own = strcmp(key->text, "ranks") == 0 || strcmp(key->text, "seed") == 0;
    if (!own && !declared(s, key->text)) {
        const char **names = ncs_new((count + 3) * sizeof *names);
        for (size_t i = 0; i < count; i++)
            names[i] = s->params->item[2 * i]->text;
        names[count] = "ranks";
        names[count + 1] = "seed";
        ncs_check_unknown(s, key->at, "param", key->text, NULL, names, count + 2);
        ncs_free(names);
    }
    if (list->kind != NCS_YAML_LIST || list->items == 0) {
        ncs_check_wrong(s, key->text, list, "a list of values");
        return;
    }
    for (size_t i = 0; i < list->items; i++) {
        if (!check_value(s, key->text, list->item[i]))
            continue;
        for (size_t k = 0; k < i && i < 1000; k++)
            if (check_matrix_same_value(list->item[i], list->item[k])) {
                ncs_complain(s->c, list->item[i]->at, "%s: `%s` is listed twice", key->text, list->item[i]->text);
                break;
            }
    }
}

void ncs_check_matrix(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_MAP || node->items == 0) {
        ncs_check_wrong(s, "matrix", node, "a mapping of names to lists");
        return;
    }
    for (size_t i = 0; i < node->items; i++)
        check_axis(s, node->item[2 * i], node->item[2 * i + 1]);
}

static void check_term(struct ncs_scope *s, const struct ncs_yaml_node *matrix, const struct ncs_yaml_node *key,
                       const struct ncs_yaml_node *value)
{
    const struct ncs_yaml_node *list = ncs_yaml_get(matrix, key->text);
    if (!list) {
        const char **names = ncs_new((matrix->items + 1) * sizeof *names);
        for (size_t i = 0; i < matrix->items; i++)
            names[i] = matrix->item[2 * i]->text;
        ncs_complain(s->c, key->at, "'%.60s' is not an axis of the matrix", key->text);
        ncs_check_near(s, key->text, names, matrix->items);
        ncs_free(names);
        return;
    }
    if (!check_value(s, key->text, value) || list->kind != NCS_YAML_LIST)
        return;
    for (size_t i = 0; i < list->items; i++)
        if (check_matrix_same_value(list->item[i], value))
            return;
    ncs_complain(s->c, value->at, "%s = %s: the matrix has no such value", key->text, value->text);
}

void ncs_check_exclude(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    const struct ncs_yaml_node *matrix = ncs_yaml_get(s->root, "matrix");
    if (!matrix) {
        ncs_complain(s->c, node->at, "exclude leaves out combinations of a matrix: there is no matrix");
        return;
    }
    if (node->kind != NCS_YAML_LIST) {
        ncs_check_wrong(s, "exclude", node, "a list of mappings of names to values");
        return;
    }
    for (size_t i = 0; i < node->items; i++) {
        const struct ncs_yaml_node *map = node->item[i];
        if (map->kind != NCS_YAML_MAP || map->items == 0)
            ncs_check_wrong(s, "exclude", map, "a mapping of names to values");
        for (size_t k = 0; is_map(map) && is_map(matrix) && k < map->items; k++)
            check_term(s, matrix, map->item[2 * k], map->item[2 * k + 1]);
    }
}
