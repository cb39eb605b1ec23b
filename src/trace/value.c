#include "trace/value.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

struct value *ncs_value_new(struct ncs_arena *arena, enum value_kind kind)
{
    struct value *v = ncs_arena_take(arena, sizeof *v);
    *v = (struct value){ .kind = (unsigned char)kind };
    return v;
}

struct value *ncs_value_text(struct ncs_arena *arena, const char *bytes, size_t count)
{
    struct value *v = ncs_value_new(arena, VALUE_TEXT);
    struct ncs_str safe = { 0 };
    ncs_safe_utf8(&safe, bytes, count < VALUE_TEXT_MOST ? count : VALUE_TEXT_MOST);
    char *copy = ncs_arena_take(arena, safe.bytes + 1);
    if (safe.bytes)
        memcpy(copy, safe.text, safe.bytes);
    copy[safe.bytes] = '\0';
    v->text = copy;
    v->count = (uint32_t)safe.bytes;
    ncs_str_free(&safe);
    return v;
}

bool ncs_value_append(struct ncs_arena *arena, struct value *into, const struct value *item)
{
    if (into->count == into->room) {
        uint32_t room = into->room ? into->room * 2 : 4;
        if (into->room > UINT32_MAX / 4)
            return false;
        const struct value **items = ncs_arena_take(arena, room * sizeof *items);
        if (into->count)
            memcpy(items, into->item, into->count * sizeof *items);
        into->item = items;
        into->room = room;
    }
    into->item[into->count++] = item;
    return true;
}

/* A value that is seen and has no depth is one of those around the one at hand. */
static bool measure_depth(struct value *v, int left)
{
    if (v->kind < VALUE_LIST)
        return true;
    if (v->seen)
        return v->depth > 0 && v->depth <= left;
    int deepest = 0;
    v->seen = true;
    for (uint32_t i = 0; i < v->count; i++) {
        struct value *item = (struct value *)(uintptr_t)v->item[i];
        if (left == 0 || !measure_depth(item, left - 1))
            return false;
        deepest = item->depth > deepest ? item->depth : deepest;
    }
    v->depth = (unsigned char)(deepest + 1);
    return true;
}

bool ncs_value_is_tree(struct value *root)
{
    return measure_depth(root, VALUE_DEPTH);
}

/* ---- parts ---- */

const struct value *ncs_value_get(const struct value *v, const char *key)
{
    if (!v || v->kind != VALUE_DICT)
        return NULL;
    enum { SEEN = 2 * 256 }; /* no writer gives an object as many members of known names */
    size_t bytes = strlen(key);
    for (uint32_t i = v->count & ~1u, end = i > SEEN ? i - SEEN : 0; i > end; i -= 2) {
        const struct value *k = v->item[i - 2];
        if (k->kind == VALUE_TEXT && k->count == bytes && memcmp(k->text, key, bytes) == 0)
            return v->item[i - 1];
    }
    return NULL;
}

size_t ncs_value_count(const struct value *list)
{
    return list && list->kind == VALUE_LIST ? list->count : 0;
}

const struct value *ncs_value_at(const struct value *list, size_t at)
{
    return at < ncs_value_count(list) ? list->item[at] : NULL;
}

const char *ncs_value_as_text(const struct value *v)
{
    return v && v->kind == VALUE_TEXT ? v->text : NULL;
}

bool ncs_value_is_true(const struct value *v)
{
    return v && v->kind == VALUE_BOOL && v->whole;
}

bool ncs_value_as_whole(const struct value *v, int64_t *number)
{
    char *end;
    if (v && v->kind == VALUE_WHOLE) {
        *number = v->whole;
        return true;
    }
    if (!v || v->kind != VALUE_TEXT || !*v->text)
        return false;
    *number = strtoll(v->text, &end, 10);
    return *end == '\0';
}

/* ---- JSON ---- */

static struct value *of_json(struct ncs_arena *arena, json_t *j)
{
    struct value *v = NULL;
    const char *key;
    json_t *item;
    size_t i;
    switch (json_typeof(j)) {
    case JSON_STRING: return ncs_value_text(arena, json_string_value(j), json_string_length(j));
    case JSON_INTEGER:
        v = ncs_value_new(arena, VALUE_WHOLE);
        v->whole = json_integer_value(j);
        return v;
    case JSON_REAL:
        v = ncs_value_new(arena, VALUE_REAL);
        v->real = json_real_value(j);
        return v;
    case JSON_TRUE:
    case JSON_FALSE:
        v = ncs_value_new(arena, VALUE_BOOL);
        v->whole = json_is_true(j);
        return v;
    case JSON_ARRAY:
        v = ncs_value_new(arena, VALUE_LIST);
        json_array_foreach(j, i, item) ncs_value_append(arena, v, of_json(arena, item));
        return v;
    case JSON_OBJECT:
        v = ncs_value_new(arena, VALUE_DICT);
        json_object_foreach(j, key, item)
        {
            ncs_value_append(arena, v, ncs_value_text(arena, key, strlen(key)));
            ncs_value_append(arena, v, of_json(arena, item));
        }
        return v;
    case JSON_NULL: break;
    }
    return ncs_value_new(arena, VALUE_NONE);
}

const struct value *ncs_value_of_json(struct ncs_arena *arena, const char *text, size_t bytes, struct ncs_error *err)
{
    json_error_t wrong;
    json_t *root = json_loadb(text, bytes, JSON_DECODE_ANY, &wrong);
    if (!root) {
        ncs_fail(err, NCS_BAD_INPUT, "no JSON: %s", wrong.text);
        if (err) {
            err->line = wrong.line;
            err->column = wrong.column;
        }
        return NULL;
    }
    struct value *v = of_json(arena, root); /* jansson bounds its depth */
    json_decref(root);
    return v;
}
