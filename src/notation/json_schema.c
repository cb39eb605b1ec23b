/* Writes the JSON Schema of the notation from its table of fields. A schema cannot check names and
 * expressions, so it accepts some files that the loader refuses. Files that the schema refuses, the loader
 * refuses too, unless it is given --unsafe. */
#include "notation/notation.h"

#include <string.h>

#include "api/environment.h"
#include "api/gen/api.h"
#include "api/types.h"
#include "notation/schema.h"
#include "notation/json.h"

#define VERSION_PATTERN "^[0-9]+\\.[0-9]+(\\.[0-9]+)?$"
#define SIZE_PATTERN "^[0-9]+([kKmMgGtT]([iI]?[bB])?)?$"
#define TIME_PATTERN "^[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h)?$"

static void schema_add_kind(struct ncs_json *j, const struct ncs_schema_field *f);

/* ---- pieces ---- */

static void types(struct ncs_json *j, const char *raw)
{
    ncs_json_pair_raw(j, "type", raw);
}

static void schema_reference(struct ncs_json *j, const char *name)
{
    struct ncs_str path = { 0 };
    ncs_str_addf(&path, "#/definitions/%s", name);
    ncs_json_pair(j, "$ref", path.text);
    ncs_str_free(&path);
}

static void open_any(struct ncs_json *j)
{
    ncs_json_name(j, "anyOf");
    ncs_json_open(j, '[');
}

static void item_reference(struct ncs_json *j, const char *name)
{
    ncs_json_open(j, '{');
    schema_reference(j, name);
    ncs_json_close(j, '}');
}

static void item_raw(struct ncs_json *j, const char *name, const char *raw)
{
    ncs_json_open(j, '{');
    ncs_json_pair_raw(j, name, raw);
    ncs_json_close(j, '}');
}

/* One of the listed words: `count` of them, or until NULL when count is 0. */
static void schema_words(struct ncs_json *j, const char *const *list, size_t count)
{
    ncs_json_name(j, "enum");
    ncs_json_open(j, '[');
    for (size_t i = 0; count ? i < count : list[i] != NULL; i++)
        ncs_json_text(j, list[i]);
    ncs_json_close(j, ']');
}

static void required(struct ncs_json *j, const char *name)
{
    ncs_json_name(j, "required");
    ncs_json_open(j, '[');
    ncs_json_text(j, name);
    ncs_json_close(j, ']');
}

static void array_of(struct ncs_json *j, const char *name)
{
    types(j, "\"array\"");
    ncs_json_name(j, "items");
    item_reference(j, name);
}

/* Writes a default in YAML's form. */
static void schema_add_default(struct ncs_json *j, const char *value)
{
    bool raw = strspn(value, "0123456789.") == strlen(value) || strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    if (raw)
        ncs_json_pair_raw(j, "default", value);
    else
        ncs_json_pair(j, "default", value);
}

static void schema_add_field(struct ncs_json *j, const struct ncs_schema_field *f)
{
    ncs_json_name(j, f->name);
    ncs_json_open(j, '{');
    ncs_json_pair(j, "description", f->about);
    if (f->value)
        schema_add_default(j, f->value);
    schema_add_kind(j, f);
    ncs_json_close(j, '}');
}

/* Writes the content of an object with these fields, except those named in `except`. */
static void schema_add_fields(struct ncs_json *j, const struct ncs_schema_field *fields, const char *except)
{
    bool needs = false, either = false;
    types(j, "\"object\"");
    ncs_json_name(j, "properties");
    ncs_json_open(j, '{');
    for (const struct ncs_schema_field *f = fields; f->name; f++) {
        if (except && strstr(except, f->name))
            continue;
        schema_add_field(j, f);
        needs = needs || f->flags & NCS_SCHEMA_REQUIRED;
        either = either || f->flags & NCS_SCHEMA_EITHER;
    }
    ncs_json_close(j, '}');
    ncs_json_pair_raw(j, "additionalProperties", "false");
    if (needs) {
        ncs_json_name(j, "required");
        ncs_json_open(j, '[');
        for (const struct ncs_schema_field *f = fields; f->name; f++)
            if (f->flags & NCS_SCHEMA_REQUIRED)
                ncs_json_text(j, f->name);
        ncs_json_close(j, ']');
    }
    if (ncs_schema_find(fields, "split") && ncs_schema_find(fields, "color"))
        ncs_json_pair_raw(j, "dependencies", "{ \"split\": [\"color\"] }");
    if (ncs_schema_find(fields, "matrix") && ncs_schema_find(fields, "exclude"))
        ncs_json_pair_raw(j, "dependencies", "{ \"exclude\": [\"matrix\"] }");
    if (!either)
        return;
    open_any(j);
    for (const struct ncs_schema_field *f = fields; f->name; f++)
        if (f->flags & NCS_SCHEMA_EITHER) {
            ncs_json_open(j, '{');
            required(j, f->name);
            ncs_json_close(j, '}');
        }
    ncs_json_close(j, ']');
}

static void item_fields(struct ncs_json *j, const struct ncs_schema_field *fields, const char *except)
{
    ncs_json_open(j, '{');
    schema_add_fields(j, fields, except);
    ncs_json_close(j, '}');
}

/* Allows either the value, or an object with the fields. */
static void value_or_fields(struct ncs_json *j, const char *name, const char *raw, const struct ncs_schema_field *fields)
{
    open_any(j);
    item_raw(j, name, raw);
    item_fields(j, fields, NULL);
    ncs_json_close(j, ']');
}

static void any_of(struct ncs_json *j, const char *type, const char *pattern)
{
    open_any(j);
    item_raw(j, "type", type);
    ncs_json_open(j, '{');
    types(j, "\"string\"");
    ncs_json_pair(j, "pattern", pattern);
    ncs_json_close(j, '}');
    ncs_json_close(j, ']');
}

static void names_or_text(struct ncs_json *j, const char *const *list)
{
    open_any(j);
    ncs_json_open(j, '{');
    schema_words(j, list, 0);
    ncs_json_close(j, '}');
    item_raw(j, "type", "\"string\"");
    ncs_json_close(j, ']');
}

/* ---- maps of names ---- */

static void schema_add_entries(struct ncs_json *j, const struct ncs_schema_field *f)
{
    bool needs = false;
    for (const struct ncs_schema_field *e = f->fields; e && e->name; e++)
        needs = needs || e->flags & (NCS_SCHEMA_REQUIRED | NCS_SCHEMA_EITHER);
    types(j, "[\"object\", \"null\"]");
    ncs_json_name(j, "propertyNames");
    item_reference(j, "name");
    ncs_json_name(j, "additionalProperties");
    if (f->kind == NCS_SCHEMA_LETS) {
        item_reference(j, "expression");
    } else if (needs) {
        item_fields(j, f->fields, NULL);
    } else {
        ncs_json_open(j, '{');
        value_or_fields(j, "type", "\"null\"", f->fields);
        ncs_json_close(j, '}');
    }
}

static void schema_add_map(struct ncs_json *j, const char *pattern, const char *values)
{
    types(j, "\"object\"");
    ncs_json_name(j, "propertyNames");
    ncs_json_open(j, '{');
    ncs_json_pair(j, "pattern", pattern);
    ncs_json_close(j, '}');
    ncs_json_name(j, "additionalProperties");
    ncs_json_open(j, '{');
    schema_reference(j, values);
    ncs_json_close(j, '}');
}

#define RANK_PATTERN "^[0-9]+$"

static void schema_add_variables(struct ncs_json *j, bool of_rank)
{
    size_t count;
    const char *const *names = ncs_environment_names(&count);
    types(j, "\"object\"");
    ncs_json_name(j, "propertyNames");
    ncs_json_open(j, '{');
    if (!of_rank) {
        open_any(j);
        ncs_json_open(j, '{');
    }
    schema_words(j, names, count);
    if (!of_rank) {
        ncs_json_close(j, '}');
        ncs_json_open(j, '{');
        ncs_json_pair(j, "pattern", RANK_PATTERN);
        ncs_json_close(j, '}');
        ncs_json_close(j, ']');
    }
    ncs_json_close(j, '}');
    if (!of_rank) {
        ncs_json_name(j, "patternProperties");
        ncs_json_open(j, '{');
        ncs_json_name(j, RANK_PATTERN);
        item_reference(j, "variables");
        ncs_json_close(j, '}');
    }
    ncs_json_name(j, "additionalProperties");
    item_reference(j, "literal");
}

/* A value of its kind; or single ranks with such a value, and that of the others. */
static void schema_add_versions(struct ncs_json *j)
{
    open_any(j);
    ncs_json_open(j, '{');
    any_of(j, "\"number\"", VERSION_PATTERN);
    ncs_json_close(j, '}');
    ncs_json_open(j, '{');
    types(j, "\"object\"");
    ncs_json_name(j, "propertyNames");
    ncs_json_open(j, '{');
    ncs_json_pair(j, "pattern", "^([0-9]+|others)$");
    ncs_json_close(j, '}');
    ncs_json_name(j, "additionalProperties");
    ncs_json_open(j, '{');
    any_of(j, "\"number\"", VERSION_PATTERN);
    ncs_json_close(j, '}');
    ncs_json_close(j, '}');
    ncs_json_close(j, ']');
}

/* One, or a list of some. minimum: NULL = none */
static void schema_add_some(struct ncs_json *j, const char *type, const char *minimum)
{
    open_any(j);
    for (int list = 0; list < 2; list++) {
        ncs_json_open(j, '{');
        if (list) {
            types(j, "\"array\"");
            ncs_json_pair_raw(j, "minItems", "1");
            ncs_json_name(j, "items");
            ncs_json_open(j, '{');
        }
        types(j, type);
        if (minimum)
            ncs_json_pair_raw(j, "minimum", minimum);
        if (list)
            ncs_json_close(j, '}');
        ncs_json_close(j, '}');
    }
    ncs_json_close(j, ']');
}

static void schema_add_matrix(struct ncs_json *j)
{
    types(j, "\"object\"");
    ncs_json_name(j, "additionalProperties");
    ncs_json_open(j, '{');
    array_of(j, "literal");
    ncs_json_pair_raw(j, "minItems", "1");
    ncs_json_close(j, '}');
}

static void schema_add_exclude(struct ncs_json *j)
{
    types(j, "\"array\"");
    ncs_json_name(j, "items");
    ncs_json_open(j, '{');
    schema_add_map(j, ".", "literal");
    ncs_json_close(j, '}');
}

static void schema_add_outcome(struct ncs_json *j, const struct ncs_schema_field *f)
{
    open_any(j);
    item_raw(j, "const", "\"pass\"");
    item_fields(j, f->fields, "when");
    ncs_json_open(j, '{');
    types(j, "\"array\"");
    ncs_json_name(j, "items");
    item_fields(j, f->fields, NULL);
    ncs_json_close(j, '}');
    ncs_json_close(j, ']');
}

/* Allows buffers and their expected content, or a condition. */
static void schema_add_expect(struct ncs_json *j)
{
    static const struct ncs_schema_field that[] = {
        { "that", NCS_SCHEMA_EXPR, NCS_SCHEMA_REQUIRED, NULL, "condition that must hold", NULL, NULL },
        { "text", NCS_SCHEMA_TEXT, 0, NULL, "what to say if it does not", NULL, NULL },
        { NULL, NCS_SCHEMA_EXPR, 0, NULL, NULL, NULL, NULL }
    };
    static const struct ncs_schema_field tol = {
        "tol", NCS_SCHEMA_EXPR, 0, NULL, "how far values may be off; 0: bit for bit", NULL, NULL
    };
    open_any(j);
    item_fields(j, that, NULL);
    ncs_json_open(j, '{');
    types(j, "\"object\"");
    ncs_json_name(j, "properties");
    ncs_json_open(j, '{');
    schema_add_field(j, &tol);
    ncs_json_pair_raw(j, "that", "false");
    ncs_json_close(j, '}');
    ncs_json_name(j, "additionalProperties");
    item_reference(j, "elements");
    ncs_json_pair_raw(j, "minProperties", "1");
    ncs_json_close(j, '}');
    ncs_json_close(j, ']');
}

/* ---- kinds ---- */

/* A number with bounds; true if the kind of the field has nothing else to say. */
static bool schema_add_bounds(struct ncs_json *j, const struct ncs_schema_field *f)
{
    if (!(f->flags & (NCS_SCHEMA_NATURAL | NCS_SCHEMA_POSITIVE)))
        return false;
    const char *number = f->kind == NCS_SCHEMA_SECONDS ? "number" : "integer";
    struct ncs_str type = { 0 };
    ncs_str_addf(&type, f->kind == NCS_SCHEMA_INT ? "\"%s\"" : "[\"%s\", \"string\"]", number);
    types(j, type.text);
    ncs_str_free(&type);
    ncs_json_pair_raw(j, "minimum", f->flags & NCS_SCHEMA_POSITIVE ? "1" : "0");
    return true;
}

static void schema_add_kind(struct ncs_json *j, const struct ncs_schema_field *f)
{
    if (f->kind != NCS_SCHEMA_INTS && f->kind != NCS_SCHEMA_HOSTS && schema_add_bounds(j, f))
        return;
    switch (f->kind) {
    case NCS_SCHEMA_EXPR:
    case NCS_SCHEMA_SCALAR:
    case NCS_SCHEMA_WHEN: schema_reference(j, "expression"); break;
    case NCS_SCHEMA_ELEMENTS: schema_reference(j, "elements"); break;
    case NCS_SCHEMA_COUNT:
    case NCS_SCHEMA_SECONDS: types(j, "[\"number\", \"string\"]"); break;
    case NCS_SCHEMA_TIMES:
        types(j, "[\"integer\", \"string\"]");
        ncs_json_pair_raw(j, "minimum", "0");
        break;
    case NCS_SCHEMA_DTYPE: names_or_text(j, ncs_dtype_names); break;
    case NCS_SCHEMA_OP: names_or_text(j, ncs_redop_names); break;
    case NCS_SCHEMA_BUFFER:
    case NCS_SCHEMA_COMM:
    case NCS_SCHEMA_STREAM:
    case NCS_SCHEMA_EVENT:
    case NCS_SCHEMA_WINDOW:
    case NCS_SCHEMA_GRAPH:
    case NCS_SCHEMA_THREAD:
    case NCS_SCHEMA_THING:
    case NCS_SCHEMA_AWAITED:
    case NCS_SCHEMA_CHUNK: types(j, "\"string\""); break;
    case NCS_SCHEMA_NEW: schema_reference(j, "name"); break;
    case NCS_SCHEMA_TEXT:
    case NCS_SCHEMA_LINE:
    case NCS_SCHEMA_PRINT:
    case NCS_SCHEMA_LITERAL: schema_reference(j, "literal"); break;
    case NCS_SCHEMA_WORD: schema_words(j, f->words, 0); break;
    case NCS_SCHEMA_RESULT: schema_reference(j, "failure"); break;
    case NCS_SCHEMA_ERROR:
        open_any(j);
        item_reference(j, "failure");
        ncs_json_open(j, '{');
        schema_words(j, ncs_schema_kinds, NCS_SCHEMA_KINDS);
        ncs_json_close(j, '}');
        ncs_json_close(j, ']');
        break;
    case NCS_SCHEMA_FUNCTION: schema_reference(j, "function"); break;
    case NCS_SCHEMA_RANKS: array_of(j, "expression"); break;
    case NCS_SCHEMA_SIGNALS:
        types(j, "\"array\"");
        ncs_json_name(j, "items");
        item_fields(j, f->fields, NULL);
        break;
    case NCS_SCHEMA_BARRIER:
        open_any(j);
        item_raw(j, "const", "true");
        ncs_json_open(j, '{');
        array_of(j, "expression");
        ncs_json_close(j, '}');
        ncs_json_close(j, ']');
        break;
    case NCS_SCHEMA_EXPECT: schema_add_expect(j); break;
    case NCS_SCHEMA_STEPS: array_of(j, "step"); break;
    case NCS_SCHEMA_FIELDS: schema_add_fields(j, f->fields, NULL); break;
    case NCS_SCHEMA_ENTRIES:
    case NCS_SCHEMA_LETS: schema_add_entries(j, f); break;
    case NCS_SCHEMA_INT: types(j, "\"integer\""); break;
    case NCS_SCHEMA_NUMBERS: schema_add_some(j, "\"number\"", NULL); break;
    case NCS_SCHEMA_FLAG: types(j, "\"boolean\""); break;
    case NCS_SCHEMA_VERSION: any_of(j, "\"number\"", VERSION_PATTERN); break;
    case NCS_SCHEMA_VERSIONS: schema_add_versions(j); break;
    case NCS_SCHEMA_HOSTS: schema_add_some(j, "\"integer\"", "1"); break;
    case NCS_SCHEMA_SIZE: any_of(j, "\"integer\"", SIZE_PATTERN); break;
    case NCS_SCHEMA_DURATION: any_of(j, "\"number\"", TIME_PATTERN); break;
    case NCS_SCHEMA_NRANKS:
        types(j, "[\"integer\", \"string\"]");
        ncs_json_pair_raw(j, "minimum", "1");
        break;
    case NCS_SCHEMA_WORLD: value_or_fields(j, "type", "\"boolean\"", f->fields); break;
    case NCS_SCHEMA_SOME: value_or_fields(j, "const", "true", f->fields); break;
    case NCS_SCHEMA_RULE: value_or_fields(j, "type", "\"string\"", f->fields); break;
    case NCS_SCHEMA_LINES:
        open_any(j);
        item_reference(j, "literal");
        ncs_json_open(j, '{');
        array_of(j, "literal");
        ncs_json_close(j, '}');
        ncs_json_close(j, ']');
        break;
    case NCS_SCHEMA_PARAMS: schema_add_map(j, "^[A-Za-z_][A-Za-z0-9_]*$", "literal"); break;
    case NCS_SCHEMA_ENV: schema_add_variables(j, false); break;
    case NCS_SCHEMA_MATRIX: schema_add_matrix(j); break;
    case NCS_SCHEMA_EXCLUDE: schema_add_exclude(j); break;
    case NCS_SCHEMA_OUTCOME: schema_add_outcome(j, f); break;
    case NCS_SCHEMA_INTS:
        open_any(j);
        ncs_json_open(j, '{');
        if (!schema_add_bounds(j, f))
            types(j, "[\"integer\", \"string\"]");
        ncs_json_close(j, '}');
        ncs_json_open(j, '{');
        array_of(j, "expression");
        ncs_json_close(j, '}');
        ncs_json_close(j, ']');
        break;
    }
}

/* ---- steps ---- */

static void schema_add_verb(struct ncs_json *j, const struct ncs_schema_verb *v)
{
    struct ncs_schema_field f = { .name = v->name, .kind = v->kind, .fields = v->fields };
    ncs_json_name(j, v->name);
    ncs_json_open(j, '{');
    ncs_json_pair(j, "description", v->about);
    if (v->alone)
        value_or_fields(j, "type", "\"string\"", v->fields);
    else
        schema_add_kind(j, &f);
    ncs_json_close(j, '}');
}

static void schema_add_one_verb(struct ncs_json *j)
{
    ncs_json_name(j, "oneOf");
    ncs_json_open(j, '[');
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++) {
        ncs_json_open(j, '{');
        ncs_json_name(j, "required");
        ncs_json_open(j, '[');
        ncs_json_text(j, v->name);
        for (const struct ncs_schema_field *f = v->beside; f && f->name; f++)
            if (f->flags & NCS_SCHEMA_REQUIRED)
                ncs_json_text(j, f->name);
        ncs_json_close(j, ']');
        if (strcmp(v->name, "do") == 0) { /* in a repeat it is no verb */
            ncs_json_name(j, "not");
            ncs_json_open(j, '{');
            required(j, "repeat");
            ncs_json_close(j, '}');
        }
        ncs_json_close(j, '}');
    }
    ncs_json_close(j, ']');
}

/* Calls `add` for each key that stands beside some verb only: not for one that is a verb itself, nor for `as`. */
static void schema_each_beside(struct ncs_json *j,
                               void (*add)(struct ncs_json *j, const struct ncs_schema_verb *v, const struct ncs_schema_field *f))
{
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++)
        for (const struct ncs_schema_field *f = v->beside; f && f->name; f++)
            if (strcmp(f->name, "as") != 0 && !ncs_schema_verb_of(f->name))
                add(j, v, f);
}

static void schema_add_beside(struct ncs_json *j, const struct ncs_schema_verb *v, const struct ncs_schema_field *f)
{
    (void)v;
    schema_add_field(j, f);
}

static void schema_add_dependency(struct ncs_json *j, const struct ncs_schema_verb *v, const struct ncs_schema_field *f)
{
    ncs_json_name(j, f->name);
    ncs_json_open(j, '[');
    ncs_json_text(j, v->name);
    ncs_json_close(j, ']');
}

static void schema_add_step(struct ncs_json *j)
{
    static const struct ncs_schema_field as = {
        "as", NCS_SCHEMA_NEW, 0, NULL, "name of the count, of the thread or of the graph", NULL, NULL
    };
    ncs_json_name(j, "step");
    ncs_json_open(j, '{');
    types(j, "\"object\"");
    ncs_json_name(j, "properties");
    ncs_json_open(j, '{');
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++)
        schema_add_verb(j, v);
    for (const struct ncs_schema_field *f = ncs_schema_common; f->name; f++)
        schema_add_field(j, f);
    schema_add_field(j, &as);
    schema_each_beside(j, schema_add_beside);
    ncs_json_close(j, '}');
    ncs_json_pair_raw(j, "additionalProperties", "false");
    schema_add_one_verb(j);
    ncs_json_name(j, "dependencies");
    ncs_json_open(j, '{');
    ncs_json_name(j, "as");
    ncs_json_open(j, '{');
    open_any(j);
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++)
        if (v->beside) {
            ncs_json_open(j, '{');
            required(j, v->name);
            ncs_json_close(j, '}');
        }
    ncs_json_close(j, ']');
    ncs_json_close(j, '}');
    schema_each_beside(j, schema_add_dependency);
    ncs_json_close(j, '}');
    ncs_json_close(j, '}');
}

/* A name that the file may define: not a taken one, nor a boolean of YAML 1.1. */
static void schema_add_name(struct ncs_json *j)
{
    struct ncs_str pattern = { 0 };
    ncs_str_add(&pattern, "^(?!([yYnN]|[yY][eE][sS]|[nN][oO]|[oO][nN]|[oO][fF][fF]|i");
    for (const char *const *w = ncs_schema_keywords; *w; w++)
        ncs_str_addf(&pattern, "|%s", *w);
    for (const char *const *w = ncs_schema_taken; *w; w++)
        ncs_str_addf(&pattern, "|%s", *w);
    for (const char *const *w = ncs_dtype_names; *w; w++)
        ncs_str_addf(&pattern, "|%s", *w);
    ncs_str_add(&pattern, ")$)[A-Za-z_][A-Za-z0-9_]*$");
    ncs_json_name(j, "name");
    ncs_json_open(j, '{');
    types(j, "\"string\"");
    ncs_json_pair(j, "pattern", pattern.text);
    ncs_json_close(j, '}');
    ncs_str_free(&pattern);
}

static void schema_add_enum(struct ncs_json *j, const char *name, const char *const *list, size_t count)
{
    ncs_json_name(j, name);
    ncs_json_open(j, '{');
    schema_words(j, list, count);
    ncs_json_close(j, '}');
}

static void schema_add_definitions(struct ncs_json *j)
{
    const char *failures[NCS_SCHEMA_RESULTS_MAX], *functions[NCS_FN_COUNT];
    ncs_json_name(j, "definitions");
    ncs_json_open(j, '{');
    ncs_json_name(j, "expression");
    ncs_json_open(j, '{');
    ncs_json_pair(j, "description",
                  "a number, true, false, or an expression of Lua over rank, nranks, "
                  "param and what the file names");
    types(j, "[\"number\", \"boolean\", \"string\"]");
    ncs_json_close(j, '}');
    ncs_json_name(j, "elements");
    ncs_json_open(j, '{');
    ncs_json_pair(j, "description", "an expression that may use i, the element, from 1; or a list");
    open_any(j);
    item_reference(j, "expression");
    ncs_json_open(j, '{');
    array_of(j, "expression");
    ncs_json_close(j, '}');
    ncs_json_close(j, ']');
    ncs_json_close(j, '}');
    ncs_json_name(j, "literal");
    ncs_json_open(j, '{');
    types(j, "[\"number\", \"boolean\", \"string\"]");
    ncs_json_close(j, '}');
    ncs_json_name(j, "variables");
    ncs_json_open(j, '{');
    schema_add_variables(j, true);
    ncs_json_close(j, '}');
    schema_add_name(j);
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        functions[fn] = ncs_fn_info[fn].name;
    schema_add_enum(j, "failure", failures, ncs_schema_results(failures));
    schema_add_enum(j, "function", functions, NCS_FN_COUNT);
    schema_add_step(j);
    ncs_json_close(j, '}');
}

void ncs_notation_schema(struct ncs_str *out)
{
    struct ncs_json j = { .out = out };
    ncs_json_open(&j, '{');
    ncs_json_pair(&j, "$schema", "http://json-schema.org/draft-07/schema#");
    ncs_json_pair(&j, "title", "ncclscript scenario");
    ncs_json_pair(&j, "description", "a workload of collectives, described for ncclscript");
    schema_add_fields(&j, ncs_schema_top, NULL);
    schema_add_definitions(&j);
    ncs_json_close(&j, '}');
    ncs_str_add(out, "\n");
}
