/* Writes the JSON Schema of the notation from its table of fields. A schema cannot check names and
 * expressions, so it accepts some files that the loader refuses. Files that the schema refuses, the loader
 * refuses too, unless it is given --unsafe. */
#include "notation/notation.h"

#include <string.h>

#include "api/environment.h"
#include "api/gen/api.h"
#include "api/types.h"
#include "notation/schema.h"

/* ---- JSON for people: indented, members in the order of the calls ---- */

struct json {
    struct ncs_str *out;
    int depth;
    bool filled; /* the innermost brackets have content */
    bool named;  /* a name waits for its value */
};

static void json_new_line(struct json *j)
{
    ncs_str_addf(j->out, "\n%*s", 2 * j->depth, "");
}

/* Writes the separator before a value or a name. */
static void json_begin(struct json *j)
{
    if (j->named) {
        j->named = false;
        return;
    }
    if (j->filled)
        ncs_str_add(j->out, ",");
    if (j->depth > 0)
        json_new_line(j);
    j->filled = true;
}

/* Writes a value as it is: true, 3. */
static void json_raw(struct json *j, const char *value)
{
    json_begin(j);
    ncs_str_add(j->out, value);
}

static void json_text(struct json *j, const char *text)
{
    json_raw(j, "\"");
    for (; *text; text++)
        ncs_str_addf(j->out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    ncs_str_add(j->out, "\"");
}

static void json_open(struct json *j, char bracket)
{
    json_begin(j);
    ncs_str_add_bytes(j->out, &bracket, 1);
    j->depth++;
    j->filled = false;
}

static void json_close(struct json *j, char bracket)
{
    j->depth--;
    if (j->filled)
        json_new_line(j);
    ncs_str_add_bytes(j->out, &bracket, 1);
    j->filled = true;
}

static void json_name(struct json *j, const char *name)
{
    json_text(j, name);
    ncs_str_add(j->out, ": ");
    j->named = true;
}

/* ---- forms: pieces of the schema as texts ---- */

/* Writes a form: JSON without its double quotes. Words with other bytes than letters stand in single quotes; `a|b` is a list on
 * one line; @NAME refers to a definition; $NAME is written by the part of that name. */
static void schema_form(struct json *j, const struct ncs_schema_field *f, const char *form);
static void schema_part(struct json *j, const struct ncs_schema_field *f, const char *name);

static void form_word(struct json *j, const struct ncs_schema_field *f, const char *word, char before, char after)
{
    struct ncs_str text = { 0 };
    if (before == '@') {
        ncs_str_addf(&text, "#/definitions/%s", word);
        json_name(j, "$ref");
        json_text(j, text.text);
    } else if (before == '$') {
        schema_part(j, f, word);
    } else if (after == ':') {
        json_name(j, word);
    } else if (strchr(word, '|') && before != '\'') {
        for (const char *c = word; *c; c++)
            ncs_str_addf(&text, *c == '|' ? "\", \"" : "%c", *c);
        json_begin(j);
        ncs_str_addf(j->out, "[\"%s\"]", text.text);
    } else if (before != '\'' &&
               (!word[strspn(word, "0123456789.")] || strcmp(word, "true") == 0 || strcmp(word, "false") == 0)) {
        json_raw(j, word);
    } else {
        json_text(j, word);
    }
    ncs_str_free(&text);
}

static void schema_form(struct json *j, const struct ncs_schema_field *f, const char *form)
{
    struct ncs_str word = { 0 };
    while (*form) {
        char c = *form;
        if (strchr("{[", c)) {
            json_open(j, c);
        } else if (strchr("}]", c)) {
            json_close(j, c);
        } else if (!strchr(" ,:", c)) {
            bool marked = strchr("'@$", c) != NULL;
            size_t bytes = strcspn(form + marked, c == '\'' ? "'" : " ,:[]{}");
            ncs_str_clear(&word);
            ncs_str_add_bytes(&word, form + marked, bytes);
            form += marked + bytes + (c == '\'');
            form_word(j, f, word.text, c, *form);
            continue;
        }
        form++;
    }
    ncs_str_free(&word);
}

#define WHOLE "^[0-9]+$"
#define VERSION "anyOf: [ { type: number }, { type: string, pattern: '^[0-9]+\\.[0-9]+(\\.[0-9]+)?$' } ]"
#define MAP(pattern) "type: object, propertyNames: { pattern: '" pattern "' }, additionalProperties: { @literal }"
#define EXPRESSIONS "{ type: array, items: { @expression } }"
#define LITERALS "type: array, items: { @literal }"
#define MEMBERS "type: object|null, propertyNames: { @name }, additionalProperties: "

static const char *const forms[] = {
    [NCS_SCHEMA_EXPR] = "@expression",
    [NCS_SCHEMA_SCALAR] = "@expression",
    [NCS_SCHEMA_WHEN] = "@expression",
    [NCS_SCHEMA_ELEMENTS] = "@elements",
    [NCS_SCHEMA_COUNT] = "type: number|string",
    [NCS_SCHEMA_SECONDS] = "type: number|string",
    [NCS_SCHEMA_TIMES] = "type: integer|string, minimum: 0",
    [NCS_SCHEMA_DTYPE] = "anyOf: [ { enum: [ $dtypes ] }, { type: string } ]",
    [NCS_SCHEMA_OP] = "anyOf: [ { enum: [ $ops ] }, { type: string } ]",
    [NCS_SCHEMA_BUFFER] = "type: string",
    [NCS_SCHEMA_COMM] = "type: string",
    [NCS_SCHEMA_STREAM] = "type: string",
    [NCS_SCHEMA_EVENT] = "type: string",
    [NCS_SCHEMA_WINDOW] = "type: string",
    [NCS_SCHEMA_GRAPH] = "type: string",
    [NCS_SCHEMA_THREAD] = "type: string",
    [NCS_SCHEMA_THING] = "type: string",
    [NCS_SCHEMA_AWAITED] = "type: string",
    [NCS_SCHEMA_CHUNK] = "type: string",
    [NCS_SCHEMA_NEW] = "@name",
    [NCS_SCHEMA_TEXT] = "@literal",
    [NCS_SCHEMA_LINE] = "@literal",
    [NCS_SCHEMA_PRINT] = "@literal",
    [NCS_SCHEMA_LITERAL] = "@literal",
    [NCS_SCHEMA_WORD] = "enum: [ $words ]",
    [NCS_SCHEMA_RESULT] = "@failure",
    [NCS_SCHEMA_ERROR] = "anyOf: [ { @failure }, { enum: [ $kinds ] } ]",
    [NCS_SCHEMA_FUNCTION] = "@function",
    [NCS_SCHEMA_RANKS] = "type: array, items: { @expression }",
    [NCS_SCHEMA_SIGNALS] = "type: array, items: { $fields }",
    [NCS_SCHEMA_BARRIER] = "anyOf: [ { const: true }, " EXPRESSIONS " ]",
    /* buffers and their expected content, or a condition */
    [NCS_SCHEMA_EXPECT] =
        "anyOf: [ { type: object, properties: { that: { description: 'condition that must hold', @expression }, "
        "text: { description: 'what to say if it does not', @literal } }, additionalProperties: false, "
        "required: [ that ] }, { type: object, properties: { "
        "tol: { description: 'how far values may be off; 0: bit for bit', @expression }, that: false }, "
        "additionalProperties: { @elements }, minProperties: 1 } ]",
    [NCS_SCHEMA_STEPS] = "type: array, items: { @step }",
    [NCS_SCHEMA_FIELDS] = "$fields",
    [NCS_SCHEMA_ENTRIES] = MEMBERS "{ $entry }",
    [NCS_SCHEMA_LETS] = MEMBERS "{ @expression }",
    [NCS_SCHEMA_INT] = "type: integer",
    [NCS_SCHEMA_NUMBERS] = "anyOf: [ { type: number }, { type: array, minItems: 1, items: { type: number } } ]",
    [NCS_SCHEMA_FLAG] = "type: boolean",
    [NCS_SCHEMA_VERSION] = VERSION,
    /* a version; or single ranks with such a value, and that of the others */
    [NCS_SCHEMA_VERSIONS] = "anyOf: [ { " VERSION " }, { type: object, propertyNames: { pattern: '^([0-9]+|others)$' }, "
                            "additionalProperties: { " VERSION " } } ]",
    [NCS_SCHEMA_HOSTS] = "anyOf: [ { type: integer, minimum: 1 }, "
                         "{ type: array, minItems: 1, items: { type: integer, minimum: 1 } } ]",
    [NCS_SCHEMA_SIZE] = "anyOf: [ { type: integer }, { type: string, pattern: '^[0-9]+([kKmMgGtT]([iI]?[bB])?)?$' } ]",
    [NCS_SCHEMA_DURATION] = "anyOf: [ { type: number }, { type: string, pattern: '^[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h)?$' } ]",
    [NCS_SCHEMA_NRANKS] = "type: integer|string, minimum: 1",
    [NCS_SCHEMA_WORLD] = "anyOf: [ { type: boolean }, { $fields } ]",
    [NCS_SCHEMA_SOME] = "anyOf: [ { const: true }, { $fields } ]",
    [NCS_SCHEMA_RULE] = "anyOf: [ { type: string }, { $fields } ]",
    [NCS_SCHEMA_LINES] = "anyOf: [ { @literal }, { " LITERALS " } ]",
    [NCS_SCHEMA_PARAMS] = MAP("^[A-Za-z_][A-Za-z0-9_]*$"),
    [NCS_SCHEMA_ENV] = "type: object, propertyNames: { anyOf: [ { enum: [ $variables ] }, { pattern: '" WHOLE "' } ] }, "
                       "patternProperties: { '" WHOLE "': { @variables } }, additionalProperties: { @literal }",
    [NCS_SCHEMA_MATRIX] = "type: object, additionalProperties: { " LITERALS ", minItems: 1 }",
    [NCS_SCHEMA_EXCLUDE] = "type: array, items: { " MAP(".") " }",
    [NCS_SCHEMA_OUTCOME] = "anyOf: [ { const: pass }, { $outcome }, { type: array, items: { $fields } } ]",
    [NCS_SCHEMA_INTS] = "anyOf: [ { $number }, " EXPRESSIONS " ]",
};

static const char whole_schema[] =
    "{ '$schema': 'http://json-schema.org/draft-07/schema#', title: 'ncclscript scenario', "
    "description: 'a workload of collectives, described for ncclscript', $fields, definitions: { "
    "expression: { description: 'a number, true, false, or an expression of Lua over rank, nranks, param and what the file "
    "names', type: number|boolean|string }, "
    "elements: { description: 'an expression that may use i, the element, from 1; or a list', "
    "anyOf: [ { @expression }, " EXPRESSIONS " ] }, "
    "literal: { type: number|boolean|string }, "
    "variables: { type: object, propertyNames: { enum: [ $variables ] }, additionalProperties: { @literal } }, "
    "name: { type: string, pattern: $name }, failure: { enum: [ $failures ] }, function: { enum: [ $functions ] }, "
    "step: { type: object, properties: { $verbs, "
    "as: { description: 'name of the count, of the thread or of the graph', @name }, $beside }, additionalProperties: false, "
    "oneOf: [ $one_verb ], dependencies: { as: { anyOf: [ $with_as ] }, $dependencies } } } }";

/* ---- fields ---- */

/* Bounds of a number; false: the field has none. */
static bool schema_bounds(struct json *j, const struct ncs_schema_field *f)
{
    struct ncs_str form = { 0 };
    if (!(f->flags & (NCS_SCHEMA_NATURAL | NCS_SCHEMA_POSITIVE)))
        return false;
    ncs_str_addf(&form, "type: %s%s, minimum: %d", f->kind == NCS_SCHEMA_SECONDS ? "number" : "integer",
                 f->kind == NCS_SCHEMA_INT ? "" : "|string", f->flags & NCS_SCHEMA_POSITIVE ? 1 : 0);
    schema_form(j, f, form.text);
    ncs_str_free(&form);
    return true;
}

static void schema_kind(struct json *j, const struct ncs_schema_field *f)
{
    bool bounded = f->kind != NCS_SCHEMA_INTS && f->kind != NCS_SCHEMA_HOSTS && schema_bounds(j, f);
    if (!bounded)
        schema_form(j, f, forms[f->kind]);
}

static void schema_field(struct json *j, const struct ncs_schema_field *f)
{
    json_name(j, f->name);
    json_open(j, '{');
    json_name(j, "description");
    json_text(j, f->about);
    if (f->value) {
        json_name(j, "default");
        form_word(j, f, f->value, ' ', ' ');
    }
    schema_kind(j, f);
    json_close(j, '}');
}

/* The number of fields with one of the flags. */
static size_t schema_flagged(const struct ncs_schema_field *fields, int flags)
{
    size_t count = 0;
    for (const struct ncs_schema_field *f = fields; f && f->name; f++)
        count += (f->flags & flags) != 0;
    return count;
}

/* Writes the content of an object with these fields, except the one named `except`. */
static void schema_fields(struct json *j, const struct ncs_schema_field *fields, const char *except)
{
    schema_form(j, NULL, "type: object, properties: {");
    for (const struct ncs_schema_field *f = fields; f->name; f++)
        if (strcmp(except, f->name) != 0)
            schema_field(j, f);
    schema_form(j, NULL, "}, additionalProperties: false");
    if (schema_flagged(fields, NCS_SCHEMA_REQUIRED)) {
        schema_form(j, NULL, "required: [");
        for (const struct ncs_schema_field *f = fields; f->name; f++)
            if (f->flags & NCS_SCHEMA_REQUIRED)
                json_text(j, f->name);
        json_close(j, ']');
    }
    if (ncs_schema_find(fields, "split") && ncs_schema_find(fields, "color")) {
        json_name(j, "dependencies");
        json_raw(j, "{ \"split\": [\"color\"] }");
    }
    if (ncs_schema_find(fields, "matrix") && ncs_schema_find(fields, "exclude")) {
        json_name(j, "dependencies");
        json_raw(j, "{ \"exclude\": [\"matrix\"] }");
    }
    if (!schema_flagged(fields, NCS_SCHEMA_EITHER))
        return;
    schema_form(j, NULL, "anyOf: [");
    for (const struct ncs_schema_field *f = fields; f->name; f++)
        if (f->flags & NCS_SCHEMA_EITHER)
            schema_form(j, &(struct ncs_schema_field){ .name = f->name }, "{ required: [ $own ] }");
    json_close(j, ']');
}

/* ---- parts ---- */

static void part_fields(struct json *j, const struct ncs_schema_field *f)
{
    schema_fields(j, f->fields, "");
}

static void part_outcome(struct json *j, const struct ncs_schema_field *f)
{
    schema_fields(j, f->fields, "when");
}

static void part_number(struct json *j, const struct ncs_schema_field *f)
{
    if (!schema_bounds(j, f))
        schema_form(j, f, "type: integer|string");
}

static void part_own(struct json *j, const struct ncs_schema_field *f)
{
    json_text(j, f->name);
}

/* An entry that needs no field may be empty. */
static void part_entry(struct json *j, const struct ncs_schema_field *f)
{
    bool needs = schema_flagged(f->fields, NCS_SCHEMA_REQUIRED | NCS_SCHEMA_EITHER);
    schema_form(j, f, needs ? "$fields" : "anyOf: [ { type: 'null' }, { $fields } ]");
}

static void schema_words(struct json *j, const char *const *list)
{
    while (*list)
        json_text(j, *list++);
}

static void part_words(struct json *j, const struct ncs_schema_field *f)
{
    schema_words(j, f->words);
}

static void part_dtypes(struct json *j, const struct ncs_schema_field *f)
{
    (void)f;
    schema_words(j, ncs_dtype_names);
}

static void part_ops(struct json *j, const struct ncs_schema_field *f)
{
    (void)f;
    schema_words(j, ncs_redop_names);
}

static void part_kinds(struct json *j, const struct ncs_schema_field *f)
{
    (void)f;
    for (size_t i = 0; i < NCS_SCHEMA_KINDS; i++)
        json_text(j, ncs_schema_kinds[i]);
}

static void part_variables(struct json *j, const struct ncs_schema_field *f)
{
    size_t count;
    const char *const *names = ncs_environment_names(&count);
    (void)f;
    for (size_t i = 0; i < count; i++)
        json_text(j, names[i]);
}

static void part_failures(struct json *j, const struct ncs_schema_field *f)
{
    const char *failures[NCS_SCHEMA_RESULTS_MAX];
    size_t count = ncs_schema_results(failures);
    (void)f;
    for (size_t i = 0; i < count; i++)
        json_text(j, failures[i]);
}

static void part_functions(struct json *j, const struct ncs_schema_field *f)
{
    (void)f;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        json_text(j, ncs_fn_info[fn].name);
}

/* A name that the file may define: not a taken one, nor a boolean of YAML 1.1. */
static void part_name(struct json *j, const struct ncs_schema_field *f)
{
    const char *const *const refused[] = { ncs_schema_keywords, ncs_schema_taken, ncs_dtype_names };
    struct ncs_str pattern = { 0 };
    (void)f;
    ncs_str_add(&pattern, "^(?!([yYnN]|[yY][eE][sS]|[nN][oO]|[oO][nN]|[oO][fF][fF]|i");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (const char *const *w = refused[i]; *w; w++)
            ncs_str_addf(&pattern, "|%s", *w);
    ncs_str_add(&pattern, ")$)[A-Za-z_][A-Za-z0-9_]*$");
    json_text(j, pattern.text);
    ncs_str_free(&pattern);
}

/* The verbs, and the keys of every step. */
static void part_verbs(struct json *j, const struct ncs_schema_field *none)
{
    (void)none;
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++) {
        struct ncs_schema_field f = { .name = v->name, .about = v->about, .fields = v->fields };
        f.kind = v->alone ? NCS_SCHEMA_RULE : v->kind; /* a text alone, or fields */
        schema_field(j, &f);
    }
    for (const struct ncs_schema_field *f = ncs_schema_common; f->name; f++)
        schema_field(j, f);
}

static void part_one_verb(struct json *j, const struct ncs_schema_field *none)
{
    (void)none;
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++) {
        schema_form(j, NULL, "{ required: [");
        json_text(j, v->name);
        for (const struct ncs_schema_field *f = v->beside; f && f->name; f++)
            if (f->flags & NCS_SCHEMA_REQUIRED)
                json_text(j, f->name);
        schema_form(j, NULL,
                    strcmp(v->name, "do") == 0 ? "], not: { required: [ repeat ] } }" : "] }"); /* in a repeat it is no verb */
    }
}

static void part_with_as(struct json *j, const struct ncs_schema_field *none)
{
    (void)none;
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++)
        if (v->beside)
            schema_form(j, &(struct ncs_schema_field){ .name = v->name }, "{ required: [ $own ] }");
}

/* Writes each key that stands beside some verb only: not one that is a verb itself, nor `as`. `dependencies`: the verb that it needs. */
static void schema_beside(struct json *j, bool dependencies)
{
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++)
        for (const struct ncs_schema_field *f = v->beside; f && f->name; f++) {
            if (strcmp(f->name, "as") == 0 || ncs_schema_verb_of(f->name))
                continue;
            if (!dependencies) {
                schema_field(j, f);
                continue;
            }
            json_name(j, f->name);
            schema_form(j, &(struct ncs_schema_field){ .name = v->name }, "[ $own ]");
        }
}

static void part_beside(struct json *j, const struct ncs_schema_field *f)
{
    (void)f;
    schema_beside(j, false);
}

static void part_dependencies(struct json *j, const struct ncs_schema_field *f)
{
    (void)f;
    schema_beside(j, true);
}

static void schema_part(struct json *j, const struct ncs_schema_field *f, const char *name)
{
    static const struct {
        const char *name;
        void (*add)(struct json *j, const struct ncs_schema_field *f);
    } parts[] = {
        { "fields", part_fields },     { "outcome", part_outcome },
        { "number", part_number },     { "own", part_own },
        { "entry", part_entry },       { "words", part_words },
        { "dtypes", part_dtypes },     { "ops", part_ops },
        { "kinds", part_kinds },       { "variables", part_variables },
        { "failures", part_failures }, { "functions", part_functions },
        { "name", part_name },         { "verbs", part_verbs },
        { "one_verb", part_one_verb }, { "with_as", part_with_as },
        { "beside", part_beside },     { "dependencies", part_dependencies },
    };
    size_t i = 0;
    while (strcmp(parts[i].name, name) != 0)
        i++;
    parts[i].add(j, f);
}

void ncs_notation_schema(struct ncs_str *out)
{
    struct json j = { .out = out };
    schema_form(&j, &(struct ncs_schema_field){ .fields = ncs_schema_top }, whole_schema);
    ncs_str_add(out, "\n");
}
