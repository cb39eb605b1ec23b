/* Emits the declaration and the sections. */
#include "notation/emit.h"

#include <string.h>

#include "base/mem.h"
#include "notation/expression.h"

/* ---- values computed before the run has ranks ---- */

static bool uses_run(const struct ncs_yaml_node *node)
{
    for (size_t i = 0; node->kind == NCS_YAML_LIST && i < node->items; i++)
        if (node->item[i]->kind == NCS_YAML_TEXT)
            return true;
    return node->kind == NCS_YAML_TEXT;
}

/* True if an outcome has a computed field. */
static bool is_computed(const struct ncs_schema_field *fields, const struct ncs_yaml_node *map)
{
    for (size_t i = 0; map->kind == NCS_YAML_MAP && i < map->items; i++) {
        const struct ncs_yaml_node *value = map->item[2 * i + 1];
        const struct ncs_schema_field *f = ncs_schema_find(fields, map->item[2 * i]->text);
        if (f->kind == NCS_SCHEMA_INTS && uses_run(value))
            return true;
        if ((f->kind == NCS_SCHEMA_SOME || f->kind == NCS_SCHEMA_RULE) && is_computed(f->fields, value))
            return true;
    }
    return false;
}

static void emit_declared(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node);

static size_t emit_entries(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map,
                           bool lines)
{
    size_t emitted = 0;
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_schema_field *f = ncs_schema_find(fields, map->item[2 * i]->text);
        if (f->flags & NCS_SCHEMA_OWN)
            continue;
        if (lines)
            ncs_emit_begin(s, map->item[2 * i]->at);
        ncs_emit(s, "%s%s = ", emitted++ && !lines ? ", " : "", f->name);
        emit_declared(s, f, map->item[2 * i + 1]);
        ncs_emit(s, lines ? ",\n" : "");
    }
    return emitted;
}

/* Emits { name = value ... } of a map by its fields, on one line if it fits. */
static void emit_table(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map)
{
    size_t bytes = s->out->lua.bytes, lines = s->out->lines;
    ncs_emit(s, "{ ");
    size_t emitted = emit_entries(s, fields, map, false);
    if (emitted == 0)
        s->out->lua.bytes--;
    ncs_emit(s, emitted ? " }" : "}");
    if (!ncs_emit_is_long(s) || s->out->lines != lines)
        return;
    s->out->lua.bytes = bytes;
    ncs_emit(s, "{\n");
    s->indent++;
    emit_entries(s, fields, map, true);
    s->indent--;
    ncs_emit_begin_again(s);
    ncs_emit(s, "}");
}

/* Emits { name = literal ... }; names that are no identifiers are in brackets, and so are ranks, before maps of their own. */
static void emit_literals(struct ncs_emitter *s, const struct ncs_yaml_node *map, bool text)
{
    ncs_emit(s, "{ ");
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i], *value = map->item[2 * i + 1];
        ncs_emit(s, i ? ", " : "");
        if (ncs_is_identifier(key->text, key->bytes)) {
            ncs_emit(s, "%s = ", key->text);
        } else if (text && key->kind == NCS_YAML_INT) {
            ncs_emit(s, "[%lld] = ", (long long)key->i);
        } else {
            ncs_emit(s, "[");
            ncs_emit_quoted(s, key->text, key->bytes);
            ncs_emit(s, "] = ");
        }
        if (text && value->kind == NCS_YAML_MAP) {
            emit_literals(s, value, true);
        } else if (text) {
            ncs_emit_quoted(s, value->text, value->bytes);
        } else if (value->kind == NCS_YAML_LIST) {
            ncs_emit(s, "{ ");
            for (size_t k = 0; k < value->items; k++) {
                ncs_emit(s, k ? ", " : "");
                ncs_emit_literal(s, value->item[k]);
            }
            ncs_emit(s, " }");
        } else {
            ncs_emit_literal(s, value);
        }
    }
    ncs_emit(s, " }");
}

static void emit_ints(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_LIST)
        ncs_emit_list(s, node);
    else if (node->kind == NCS_YAML_TEXT && ncs_schema_is_some_ranks(node->text))
        ncs_emit_quoted(s, node->text, node->bytes);
    else
        ncs_emit_expression(s, node);
}

static void emit_lines(struct ncs_emitter *s, const struct ncs_yaml_node *node)
{
    if (node->kind != NCS_YAML_LIST) {
        ncs_emit_quoted(s, node->text, node->bytes);
        return;
    }
    ncs_emit(s, "{");
    for (size_t i = 0; i < node->items; i++) {
        ncs_emit(s, i ? ", " : " ");
        ncs_emit_quoted(s, node->item[i]->text, node->item[i]->bytes);
    }
    ncs_emit(s, node->items ? " }" : "}");
}

/* ---- outcome ---- */

static void emit_one_outcome(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map)
{
    if (ncs_yaml_get(map, "pass") && !ncs_yaml_get(map, "finding") && !ncs_yaml_get(map, "findings"))
        ncs_emit(s, "\"pass\"");
    else
        emit_table(s, fields, map);
}

static void emit_outcome(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_TEXT) {
        ncs_emit(s, "\"pass\"");
        return;
    }
    if (node->kind == NCS_YAML_MAP && !is_computed(field->fields, node)) {
        emit_one_outcome(s, field->fields, node);
        return;
    }
    ncs_emit(s, "function(run)\n");
    s->indent++;
    ncs_emit_line_at(s, node->at, "local param, nranks = run.param, run.nranks");
    bool always = node->kind == NCS_YAML_MAP;
    if (always) {
        ncs_emit_begin(s, node->at);
        ncs_emit(s, "return ");
        emit_one_outcome(s, field->fields, node);
        ncs_emit_end(s);
    }
    for (size_t i = 0; node->kind == NCS_YAML_LIST && i < node->items; i++) {
        const struct ncs_yaml_node *when = ncs_yaml_get(node->item[i], "when");
        ncs_emit_begin(s, node->item[i]->at);
        if (when) {
            ncs_emit(s, "if ");
            ncs_emit_expression(s, when);
            ncs_emit(s, " then\n");
            s->indent++;
            ncs_emit_begin_again(s);
        }
        ncs_emit(s, "return ");
        emit_one_outcome(s, field->fields, node->item[i]);
        ncs_emit_end(s);
        if (when) {
            ncs_emit_close(s, "end");
        }
        always = always || !when;
    }
    if (!always) {
        ncs_emit_line(s, "return \"pass\"");
    }
    s->indent--;
    ncs_emit_begin_again(s);
    ncs_emit(s, "end");
}

/* ---- keys ---- */

static void emit_declared(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node)
{
    switch (field->kind) {
    case NCS_SCHEMA_NRANKS:
        if (node->kind == NCS_YAML_TEXT)
            ncs_emit(s, "function(param) return ");
        ncs_emit_expression(s, node);
        if (node->kind == NCS_YAML_TEXT)
            ncs_emit(s, " end");
        break;
    case NCS_SCHEMA_WORLD:
    case NCS_SCHEMA_SOME:
    case NCS_SCHEMA_FIELDS:
        if (node->kind == NCS_YAML_MAP)
            emit_table(s, field->fields, node);
        else
            ncs_emit_literal(s, node);
        break;
    case NCS_SCHEMA_RULE:
        if (node->kind == NCS_YAML_MAP)
            emit_table(s, field->fields, node);
        else
            ncs_emit_quoted(s, node->text, node->bytes);
        break;
    case NCS_SCHEMA_LINES: emit_lines(s, node); break;
    case NCS_SCHEMA_PARAMS:
    case NCS_SCHEMA_MATRIX: emit_literals(s, node, false); break;
    case NCS_SCHEMA_ENV: emit_literals(s, node, true); break;
    case NCS_SCHEMA_VERSIONS:
        if (node->kind == NCS_YAML_MAP)
            emit_literals(s, node, true);
        else
            ncs_emit_quoted(s, node->text, node->bytes);
        break;
    case NCS_SCHEMA_HOSTS:
    case NCS_SCHEMA_NUMBERS: emit_ints(s, node); break;
    case NCS_SCHEMA_EXCLUDE:
        ncs_emit(s, "{ ");
        for (size_t i = 0; i < node->items; i++) {
            ncs_emit(s, i ? ", " : "");
            emit_literals(s, node->item[i], false);
        }
        ncs_emit(s, " }");
        break;
    case NCS_SCHEMA_OUTCOME: emit_outcome(s, field, node); break;
    case NCS_SCHEMA_INTS: emit_ints(s, node); break;
    default: ncs_emit_value(s, field, node);
    }
}

static bool is_section(const struct ncs_schema_field *f)
{
    return f->kind == NCS_SCHEMA_ENTRIES || f->kind == NCS_SCHEMA_LETS || f->kind == NCS_SCHEMA_STEPS;
}

/* Emits keys on one line, or on one line each. */
static size_t emit_keys(struct ncs_emitter *s, bool lines)
{
    size_t emitted = 0;
    for (const struct ncs_schema_field *f = ncs_schema_top; f->name; f++) {
        const struct ncs_yaml_node *value = is_section(f) ? NULL : ncs_yaml_get(s->scope->root, f->name);
        if (!value)
            continue;
        if (lines)
            ncs_emit_begin(s, ncs_scope_key(s->scope->root, f->name)->at);
        else
            ncs_emit(s, emitted ? ", " : " ");
        ncs_emit(s, "%s = ", strcmp(f->name, "scenario") == 0 ? "about" : f->name);
        emit_declared(s, f, value);
        ncs_emit(s, lines ? ",\n" : "");
        emitted++;
    }
    return emitted;
}

/* Most keys, counted with aliases expanded, whose lines are recorded for messages. */
enum { KEYS_NOTED = 1000 };

/* Records the lines of keys of declarations and of the keys inside them. */
static void note_keys(struct ncs_emitter *s, const struct ncs_yaml_node *node, int depth, size_t *room)
{
    for (size_t i = 0; node->kind == NCS_YAML_LIST && i < node->items && s->out->keys < KEYS_NOTED; i++)
        note_keys(s, node->item[i], depth, room);
    for (size_t i = 0; node->kind == NCS_YAML_MAP && i < node->items && s->out->keys < KEYS_NOTED; i++) {
        const struct ncs_yaml_node *key = node->item[2 * i];
        const struct ncs_schema_field *f = depth == 0 ? ncs_schema_find(ncs_schema_top, key->text) : NULL;
        if (f && is_section(f))
            continue;
        bool about = f && strcmp(f->name, "scenario") == 0;
        struct ncs_key_line found = { .name = ncs_copy_text(about ? "about" : key->text),
                                      .depth = depth,
                                      .line = ncs_source_line(s->scope->source, key->at.at, NULL) };
        NCS_PUSH(s->out->key, s->out->keys, *room, found);
        note_keys(s, node->item[2 * i + 1], depth + 1, room);
    }
}

void ncs_emit_scenario(struct ncs_emitter *s)
{
    size_t room = 0;
    note_keys(s, s->scope->root, 0, &room);
    struct ncs_span first = s->scope->root->at;
    size_t bytes = s->out->lua.bytes, lines = s->out->lines;
    ncs_emit_begin(s, first);
    ncs_emit(s, "scenario {");
    size_t emitted = emit_keys(s, false);
    ncs_emit(s, emitted ? " }\n" : "}\n");
    s->out->lua.bytes--; /* the line end */
    bool fits = s->out->lines == lines + 1 && !ncs_emit_is_long(s);
    s->out->lua.bytes++;
    if (fits) {
        if (emitted > 0) {
            ncs_emit_blank(s, first);
        } else { /* the defaults need no declaration */
            s->out->lua.bytes = bytes;
            s->out->lua.text[bytes] = 0;
            s->out->lines = lines;
        }
        return;
    }
    s->out->lua.bytes = bytes;
    s->out->lua.text[bytes] = 0;
    s->out->lines = lines;
    ncs_emit_line_at(s, first, "scenario {");
    s->indent++;
    emit_keys(s, true);
    ncs_emit_close(s, "}");
    ncs_emit_blank(s, first);
}

/* ---- sections ---- */

static void emit_let(struct ncs_emitter *s, const struct ncs_yaml_node *key, const struct ncs_yaml_node *entry)
{
    ncs_emit_begin(s, key->at);
    ncs_emit_new(s, key->text, true);
    ncs_emit_expression(s, entry);
    ncs_emit_end(s);
}

/* Emits what an entry makes: by a function, or by a method of the communicator in its key `object`, world by default. */
static void emit_made(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *key,
                      const struct ncs_yaml_node *entry, const char *object, const char *call)
{
    struct ncs_yaml_node none = { .kind = NCS_YAML_MAP };
    entry = entry->kind == NCS_YAML_MAP ? entry : &none;
    ncs_emit_begin(s, key->at);
    ncs_emit_new(s, key->text, true);
    if (object)
        ncs_emit_object(s, ncs_yaml_get(entry, object), "world", true);
    ncs_emit(s, "%s%s", object ? ":" : "", call);
    ncs_emit_call(s, field->fields, entry, NULL);
}

/* Emits the creation of a communicator by the ranks of the list; the first of them makes the id. */
static void emit_init(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *key,
                      const struct ncs_yaml_node *entry)
{
    const struct ncs_yaml_node *ranks = ncs_yaml_get(entry, "init");
    char place_room[NCS_OWN_ROOM], member_room[NCS_OWN_ROOM];
    const char *place = ncs_emit_own(s, "place", place_room);
    const char *member = ncs_emit_own(s, "member", member_room);
    ncs_emit_begin(s, key->at);
    ncs_emit_new(s, key->text, true);
    ncs_emit(s, "nil -- on ranks that are not in it\n");
    ncs_emit_begin(s, ncs_scope_key(entry, "init")->at);
    ncs_emit(s, "for %s, %s in ipairs ", place, member);
    ncs_emit_list(s, ranks);
    ncs_emit(s, " do\n");
    s->indent++;
    ncs_emit_line(s, "if %s == rank then", member);
    s->indent++;
    ncs_emit_line(s, "if %s == 1 then store:set(\"id of %s\", nccl.unique_id()) end", place, key->text);
    ncs_emit_begin_again(s);
    ncs_emit(s, "%s = nccl.init_rank(%zu, store:get(\"id of %s\"), %s - 1", key->text, ranks->items, key->text, place);
    ncs_emit(s, ncs_emit_options(s, field->fields, entry, NULL, ", { ", 0) ? " })\n" : ")\n");
    ncs_emit_close(s, "end");
    ncs_emit_close(s, "end");
}

static void emit_section(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *key,
                         const struct ncs_yaml_node *entry)
{
    static const struct ncs_schema_field elements = { .kind = NCS_SCHEMA_ELEMENTS };
    static const struct {
        const char *section, *object, *call;
    } makers[] = {
        { "streams", NULL, "cuda.stream" }, { "events", NULL, "cuda.event" }, { "comms", "split", "split" },
        { "buffers", NULL, "cuda.buffer" }, { "ops", "comm", "premulsum" },   { "windows", "comm", "window" },
    };
    const struct ncs_yaml_node *init = ncs_yaml_get(entry, "init");
    bool comm = strcmp(field->name, "comms") == 0;
    size_t i = 0;
    while (strcmp(makers[i].section, field->name) != 0)
        i++;
    if (comm && init) {
        emit_init(s, field, key, entry);
        return;
    }
    emit_made(s, field, key, entry, makers[i].object, makers[i].call);
    if (init) { /* of a buffer */
        ncs_emit(s, ":fill(");
        ncs_emit_value(s, &elements, init);
        ncs_emit(s, ")");
    }
    ncs_emit_end(s);
}

/* Emits an environment for the file's globals, for files with more names than a Lua function has locals. */
static void emit_environment(struct ncs_emitter *s)
{
    static const char *const names[] = { "barrier", "cuda", "expect", "fault", "ipairs", "math",   "nccl",     "nranks", "param",
                                         "print",   "rank", "sleep",  "spawn", "store",  "stream", "tostring", NULL };
    const struct ncs_things *more = &s->scope->globals;
    ncs_emit_line_at(s, s->scope->root->at, "local _ENV = { -- of the file's own: a function of Lua has at most 200 locals");
    s->indent++;
    for (int i = 0; names[i]; i++) {
        ncs_emit_line(s, "%s = %s,", names[i], names[i]);
    }
    if (s->scope->world) {
        ncs_emit_line(s, "world = world,");
    }
    for (size_t i = 0; i < more->count; i++) {
        ncs_emit_line(s, "%s = %s,", more->item[i]->name, more->item[i]->name);
    }
    ncs_emit_close(s, "}");
}

void ncs_emit_sections(struct ncs_emitter *s)
{
    if (s->flat)
        emit_environment(s);
    for (const struct ncs_schema_field *f = ncs_schema_top; f->name; f++) {
        const struct ncs_yaml_node *map = ncs_yaml_get(s->scope->root, f->name);
        bool entries = f->kind == NCS_SCHEMA_ENTRIES || f->kind == NCS_SCHEMA_LETS;
        for (size_t k = 0; entries && map && map->kind == NCS_YAML_MAP && k < map->items; k++)
            if (f->kind == NCS_SCHEMA_LETS)
                emit_let(s, map->item[2 * k], map->item[2 * k + 1]);
            else
                emit_section(s, f, map->item[2 * k], map->item[2 * k + 1]);
    }
}
