/* Emits lines and values. */
#include "notation/emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "notation/expression.h"

#define LINE_BYTES 96

/* ---- lines ---- */

static void emit_new_line(struct ncs_emitter *s, int line)
{
    NCS_PUSH(s->out->line, s->out->lines, s->room, line);
    s->last = line;
}

void ncs_emit_begin_again(struct ncs_emitter *s)
{
    emit_new_line(s, s->last);
    for (int i = 0; i < s->indent; i++)
        ncs_str_add_bytes(&s->out->lua, "  ", 2);
}

void ncs_emit_begin_at(struct ncs_emitter *s, int line)
{
    s->last = line;
    ncs_emit_begin_again(s);
}

void ncs_emit_begin(struct ncs_emitter *s, struct ncs_span at)
{
    ncs_emit_begin_at(s, ncs_source_line(s->scope->source, at.at, NULL));
}

void ncs_emit(struct ncs_emitter *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&s->out->lua, fmt, args);
    va_end(args);
}

void ncs_emit_end(struct ncs_emitter *s)
{
    ncs_str_add_bytes(&s->out->lua, "\n", 1);
}

void ncs_emit_line_at(struct ncs_emitter *s, struct ncs_span at, const char *text)
{
    ncs_emit_begin(s, at);
    ncs_str_add(&s->out->lua, text);
    ncs_emit_end(s);
}

void ncs_emit_line(struct ncs_emitter *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ncs_emit_begin_again(s);
    ncs_str_addv(&s->out->lua, fmt, args);
    ncs_emit_end(s);
    va_end(args);
}

void ncs_emit_close(struct ncs_emitter *s, const char *end)
{
    s->indent--;
    ncs_emit_line(s, "%s", end);
}

void ncs_emit_blank(struct ncs_emitter *s, struct ncs_span at)
{
    emit_new_line(s, ncs_source_line(s->scope->source, at.at, NULL));
    ncs_emit_end(s);
}

bool ncs_emit_is_long(const struct ncs_emitter *s)
{
    const char *text = s->out->lua.text;
    size_t bytes = 0, all = s->out->lua.bytes;
    while (bytes <= LINE_BYTES && bytes < all && text[all - bytes - 1] != '\n')
        bytes++;
    return bytes > LINE_BYTES;
}

static void emit_text(struct ncs_emitter *s, const char *text)
{
    ncs_str_add(&s->out->lua, text);
}

int ncs_emit_lines_of(const struct ncs_emitter *s, const struct ncs_yaml_node *scalar, int *step)
{
    const struct ncs_source *source = s->scope->source;
    bool block = !scalar->plain && !scalar->of && source->text[scalar->at.at] == '|';
    *step = block;
    return ncs_source_line(source, scalar->at.at, NULL) + block;
}

/* Emits a part of a scalar unchanged; its lines map to its lines of YAML. */
static void emit_verbatim(struct ncs_emitter *s, const struct ncs_yaml_node *node, size_t at, size_t bytes)
{
    const char *text = node->text + at, *end = text + bytes, *next = memchr(text, '\n', bytes);
    int step, line = next ? ncs_emit_lines_of(s, node, &step) : 0;
    for (const char *p = node->text; next && p < text; p++)
        line += *p == '\n' ? step : 0;
    for (; next; next = memchr(text, '\n', (size_t)(end - text))) {
        ncs_str_add_bytes(&s->out->lua, text, (size_t)(next + 1 - text));
        emit_new_line(s, line += step);
        text = next + 1;
    }
    ncs_str_add_bytes(&s->out->lua, text, (size_t)(end - text));
}

/* ---- literals ---- */

void ncs_emit_quoted(struct ncs_emitter *s, const char *text, size_t bytes)
{
    emit_text(s, "\"");
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            ncs_emit(s, "\\%c", c);
        else if (c == '\n')
            emit_text(s, "\\n");
        else if (c < 32 || c == 127)
            ncs_emit(s, "\\%03d", c);
        else
            ncs_str_add_bytes(&s->out->lua, &text[i], 1);
    }
    emit_text(s, "\"");
}

static void emit_number(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    const char *text = node->text + (node->text[0] == '+');
    if (node->kind == NCS_YAML_INT && (text[0] != '0' || text[1] != 'o'))
        emit_text(s, text);
    else if (node->kind == NCS_YAML_INT)
        ncs_emit(s, "%lld", (long long)node->i);
    else if (strspn(text, "0123456789.eE+-") == strlen(text))
        emit_text(s, text);
    else if (isnan(node->d))
        emit_text(s, "0 / 0");
    else if (isinf(node->d))
        emit_text(s, node->d < 0 ? "-math.huge" : "math.huge");
    else /* with 0x or 0o, and beyond 64 bits */
        ncs_emit(s, "%.17g", node->d);
}

void ncs_emit_literal(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    switch (node->kind) {
    case NCS_YAML_INT:
    case NCS_YAML_FLOAT: emit_number(s, node); break;
    case NCS_YAML_BOOL: emit_text(s, node->i ? "true" : "false"); break;
    default: ncs_emit_quoted(s, node->text, node->bytes);
    }
}

/* ---- expressions ---- */

struct reading {
    const struct ncs_scope *scope;
    struct ncs_span *word; /* names of dtypes and ops, which become texts */
    size_t words, room;
    bool element; /* i is used */
};

static bool is_word(const char *name)
{
    return ncs_dtype_from_name(name) >= 0 || ncs_redop_from_name(name) >= 0;
}

static void emit_on_name(void *arg, const struct ncs_lint_name *n)
{
    struct reading *r = arg;
    char name[16];
    if (n->at.bytes == 1 && n->name[0] == 'i')
        r->element = true;
    if (n->at.bytes >= sizeof name || ncs_things_find(&r->scope->names, n->name, n->at.bytes))
        return;
    memcpy(name, n->name, n->at.bytes);
    name[n->at.bytes] = 0;
    if (is_word(name))
        NCS_PUSH(r->word, r->words, r->room, n->at);
}

static void read_names(struct reading *r, const struct ncs_yaml_node *node, size_t at, size_t bytes)
{
    struct ncs_lint_error unused;
    if (node->kind == NCS_YAML_TEXT)
        ncs_expression_names(node->text + at, bytes, emit_on_name, r, &unused);
}

/* Emits the expression at [at, at + bytes) of a scalar whose names have been read. */
static void emit_part(struct ncs_emitter *s, const struct reading *r, const struct ncs_yaml_node *node, size_t at, size_t bytes)
{
    size_t from = at, end = at + bytes;
    while (end > at && strchr(" \n", node->text[end - 1])) /* of a block */
        end--;
    for (size_t i = 0; i < r->words; i++) {
        const struct ncs_span *w = &r->word[i];
        emit_verbatim(s, node, from, at + w->at - from);
        ncs_emit(s, "\"%.*s\"", (int)w->bytes, node->text + at + w->at);
        from = at + w->at + w->bytes;
    }
    emit_verbatim(s, node, from, end - from);
    const char *comment = strstr(node->text + at, "--");
    if (comment && comment < node->text + end) { /* it would hide the rest of its line */
        ncs_emit_end(s);
        ncs_emit_begin_again(s);
    }
}

void ncs_emit_expression(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    struct reading r = { .scope = s->scope };
    if (node->kind != NCS_YAML_TEXT) {
        ncs_emit_literal(s, node);
        return;
    }
    read_names(&r, node, 0, node->bytes);
    emit_part(s, &r, node, 0, node->bytes);
    ncs_free(r.word);
}

/* Emits the initial elements of a buffer: a value, a function of i, a list, or "random". */
static void emit_elements(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    struct reading r = { .scope = s->scope };
    if (node->kind == NCS_YAML_LIST) {
        ncs_emit_list(s, node);
        return;
    }
    if (node->kind == NCS_YAML_TEXT && strcmp(node->text, "random") == 0 && !ncs_things_find(&s->scope->names, "random", 6)) {
        emit_text(s, "\"random\"");
        return;
    }
    read_names(&r, node, 0, node->bytes);
    if (r.element)
        emit_text(s, "function(i) return ");
    if (node->kind == NCS_YAML_TEXT)
        emit_part(s, &r, node, 0, node->bytes);
    else
        ncs_emit_literal(s, node);
    if (r.element)
        emit_text(s, " end");
    ncs_free(r.word);
}

void ncs_emit_list(struct ncs_emitter *s, const struct ncs_yaml_node *list)
{
    emit_text(s, list->items ? "{ " : "{");
    for (size_t i = 0; i < list->items; i++) {
        if (i)
            emit_text(s, ", ");
        ncs_emit_expression(s, list->item[i]);
    }
    emit_text(s, list->items ? " }" : "}");
}

/* ---- texts ---- */

/* True for the name of a loop count: a number, which .. accepts. */
static bool is_count(const struct ncs_emitter *s, const char *text, size_t bytes)
{
    const struct ncs_thing *t = ncs_things_find(&s->scope->names, text, bytes);
    if (t)
        return t->kind == NCS_THING_LOOP;
    return (bytes == 4 && memcmp(text, "rank", 4) == 0) || (bytes == 6 && memcmp(text, "nranks", 6) == 0);
}

void ncs_emit_times(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    bool plain = node->kind != NCS_YAML_TEXT || is_count(s, node->text, node->bytes);
    emit_text(s, plain ? "" : "math.tointeger(");
    ncs_emit_expression(s, node);
    if (!plain) /* Lua would silently round it down */
        emit_text(s, ") or error(\"repeat takes a whole number\")");
}

void ncs_emit_text(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    struct ncs_span part;
    enum ncs_text_part kind;
    size_t at = 0, parts = 0;
    while ((kind = ncs_text_next(node->text, node->bytes, &at, &part)) != NCS_TEXT_END) {
        if (parts++)
            emit_text(s, " .. ");
        if (kind != NCS_TEXT_EXPRESSION) {
            ncs_emit_quoted(s, node->text + part.at, part.bytes);
            continue;
        }
        struct reading r = { .scope = s->scope };
        bool bare = is_count(s, node->text + part.at, part.bytes) && part.bytes < node->bytes - 3;
        read_names(&r, node, part.at, part.bytes);
        emit_text(s, bare ? "" : "tostring(");
        emit_part(s, &r, node, part.at, part.bytes);
        emit_text(s, bare ? "" : ")");
        ncs_free(r.word);
    }
    if (parts == 0)
        emit_text(s, "\"\"");
}

/* ---- by kind ---- */

static void emit_signals(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *list)
{
    emit_text(s, "{ ");
    for (size_t i = 0; i < list->items; i++) {
        const char *before = i ? ", { " : "{ ";
        for (const struct ncs_schema_field *f = field->fields; f->name; f++) {
            const struct ncs_yaml_node *value = ncs_yaml_get(list->item[i], f->name);
            if (!value)
                continue;
            ncs_emit(s, "%s%s = ", before, f->name);
            ncs_emit_value(s, f, value);
            before = ", ";
        }
        emit_text(s, " }");
    }
    emit_text(s, " }");
}

void ncs_emit_value(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    uint64_t size;
    int64_t time;
    switch (field->kind) {
    case NCS_SCHEMA_ELEMENTS: emit_elements(s, node); break;
    case NCS_SCHEMA_COUNT:
        if (node->kind == NCS_YAML_TEXT && ncs_parse_size(node->text, &size))
            ncs_emit(s, "%llu", (unsigned long long)size);
        else
            ncs_emit_expression(s, node);
        break;
    case NCS_SCHEMA_SECONDS:
        if (node->kind == NCS_YAML_TEXT && ncs_parse_duration(node->text, &time))
            ncs_emit(s, "%.12g", (double)time / 1e9);
        else
            ncs_emit_expression(s, node);
        break;
    case NCS_SCHEMA_WORD:
    case NCS_SCHEMA_RESULT:
    case NCS_SCHEMA_ERROR:
    case NCS_SCHEMA_FUNCTION:
    case NCS_SCHEMA_LINE:
    case NCS_SCHEMA_VERSION: ncs_emit_quoted(s, node->text, node->bytes); break;
    case NCS_SCHEMA_TEXT: ncs_emit_text(s, node); break;
    case NCS_SCHEMA_RANKS: ncs_emit_list(s, node); break;
    case NCS_SCHEMA_SIGNALS: emit_signals(s, field, node); break;
    case NCS_SCHEMA_LITERAL:
    case NCS_SCHEMA_INT:
    case NCS_SCHEMA_FLAG:
    case NCS_SCHEMA_SIZE:
    case NCS_SCHEMA_DURATION: ncs_emit_literal(s, node); break;
    default: ncs_emit_expression(s, node);
    }
}

void ncs_emit_object(struct ncs_emitter *s, const struct ncs_yaml_node *node, const char *otherwise, bool inside)
{
    if (!node) {
        emit_text(s, otherwise);
    } else if (node->kind == NCS_YAML_TEXT && ncs_is_prefix(node->text, node->bytes)) {
        ncs_emit_expression(s, node);
    } else { /* a statement must not begin with a bracket: Lua would continue the previous one */
        emit_text(s, inside ? "(" : ";(");
        ncs_emit_expression(s, node);
        emit_text(s, ")");
    }
}

/* ---- calls ---- */

struct call {
    struct ncs_emitter *s;
    size_t arguments, missing;
};

static const struct ncs_yaml_node *is_part_given(const struct ncs_yaml_node *map, const struct ncs_step *step, const char *name)
{
    return map ? ncs_yaml_get(map, name) : ncs_step_field(step, name);
}

static bool is_option(const struct ncs_schema_field *f)
{
    return !(f->flags & (NCS_SCHEMA_OBJECT | NCS_SCHEMA_ARGUMENT | NCS_SCHEMA_MAKES | NCS_SCHEMA_OWN));
}

/* Begins an argument: the bracket or comma, and nil for each argument that was left out before it. */
static void next_argument(struct call *c)
{
    emit_text(c->s, c->arguments ? ", " : "(");
    for (; c->missing > 0; c->missing--)
        emit_text(c->s, "nil, ");
    c->arguments++;
}

/* Begins an option: opens the table, or separates it from the option before. */
static void next_option(struct ncs_emitter *s, const char *open, size_t emitted)
{
    if (emitted == 0) {
        emit_text(s, open);
    } else if (s->wide) {
        emit_text(s, ",\n");
        ncs_emit_begin_again(s);
    } else {
        emit_text(s, ", ");
    }
}

size_t ncs_emit_options(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map,
                        const struct ncs_step *step, const char *open, size_t emitted)
{
    const struct ncs_yaml_node *label = step ? ncs_yaml_get(step->map, "label") : NULL;
    const struct ncs_yaml_node *value;
    for (const struct ncs_schema_field *f = fields; f && f->name; f++)
        if (is_option(f) && (value = is_part_given(map, step, f->name)) != NULL) {
            next_option(s, open, emitted++);
            emit_text(s, f->name);
            emit_text(s, " = ");
            ncs_emit_value(s, f, value);
        }
    if (label) {
        next_option(s, open, emitted++);
        emit_text(s, "label = ");
        ncs_emit_text(s, label);
    }
    return emitted;
}

/* Emits the options on lines of their own between brackets: all on one line, or each on its own. */
static void emit_broken(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map,
                        const struct ncs_step *step)
{
    emit_text(s, "{\n");
    s->indent++;
    ncs_emit_begin_again(s);
    size_t bytes = s->out->lua.bytes;
    ncs_emit_options(s, fields, map, step, "", 0);
    if (ncs_emit_is_long(s)) {
        s->out->lua.bytes = bytes;
        s->wide = true;
        ncs_emit_options(s, fields, map, step, "", 0);
        s->wide = false;
    }
    emit_text(s, ",\n");
    s->indent--;
    ncs_emit_begin_again(s);
    emit_text(s, "}");
}

void ncs_emit_call(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map,
                   const struct ncs_step *step)
{
    struct call c = { .s = s };
    const struct ncs_yaml_node *value;
    for (const struct ncs_schema_field *f = fields; f && f->name; f++) {
        if (!(f->flags & NCS_SCHEMA_ARGUMENT))
            continue;
        value = is_part_given(map, step, f->name);
        if (value) {
            next_argument(&c);
            ncs_emit_value(s, f, value);
        } else if (!(f->flags & NCS_SCHEMA_SHIFTS)) {
            c.missing++;
        }
    }
    /* A lone table needs no parentheses around it. Options that make the line too long get their own lines. */
    size_t bytes = s->out->lua.bytes, lines = s->out->lines;
    size_t options = ncs_emit_options(s, fields, map, step, c.arguments ? ", { " : " { ", 0);
    bool wide = options && s->out->lines == lines && ncs_emit_is_long(s);
    if (wide) {
        s->out->lua.bytes = bytes;
        emit_text(s, c.arguments ? ", " : " ");
        emit_broken(s, fields, map, step);
    } else {
        emit_text(s, options ? " }" : "");
    }
    emit_text(s, c.arguments ? ")" : options ? "" : "()");
}

void ncs_emit_new(struct ncs_emitter *s, const char *name, bool local)
{
    ncs_emit(s, "%s%s = ", local && !s->flat ? "local " : "", name);
}

const char *ncs_emit_own(const struct ncs_emitter *s, const char *name, char room[NCS_OWN_ROOM])
{
    size_t bytes = strlen(name);
    memcpy(room, name, bytes + 1);
    while (bytes + 1 < NCS_OWN_ROOM && ncs_things_find(&s->scope->names, room, bytes)) {
        room[bytes++] = '_';
        room[bytes] = '\0';
    }
    return room;
}
