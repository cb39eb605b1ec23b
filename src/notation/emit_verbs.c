/* Emits verbs that are more than the call of a method. */
#include "notation/emit.h"

#include <stdio.h>
#include <string.h>

/* Emits inner steps, and the line that ends them. */
static void emit_inner(struct ncs_emitter *s, const struct ncs_yaml_node *list, const char *end)
{
    bool was = s->in_function;
    s->indent++;
    s->in_function = true;
    ncs_emit_steps(s, list);
    s->in_function = was;
    s->indent--;
    ncs_emit_line(s, "%s", end);
}

/* ---- blocks ---- */

void ncs_emit_do(struct ncs_emitter *s, const struct ncs_step *step)
{
    bool where = ncs_yaml_get(step->map, "where"), fails = ncs_yaml_get(step->map, "fails");
    ncs_emit_label_above(s, step);
    if (where || fails) { /* a block already */
        ncs_emit_steps(s, step->value);
        return;
    }
    ncs_emit_line_at(s, step->key->at, "do");
    emit_inner(s, step->value, "end");
}

void ncs_emit_group(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *label = ncs_yaml_get(step->map, "label");
    ncs_emit_begin(s, step->key->at);
    ncs_emit(s, "nccl.group(");
    if (label) {
        ncs_emit_text(s, label);
        ncs_emit(s, ", ");
    }
    ncs_emit(s, "function()\n");
    emit_inner(s, step->value, "end)");
}

/* True if these steps grow a communicator. */
static bool grows(const struct ncs_yaml_node *list)
{
    for (size_t i = 0; i < list->items; i++) {
        struct ncs_step step;
        ncs_step_read(list->item[i], &step);
        const struct ncs_yaml_node *inner = ncs_step_inner(&step);
        if (step.verb->say == ncs_emit_grow || (inner && grows(inner)))
            return true;
    }
    return false;
}

void ncs_emit_repeat(struct ncs_emitter *s, const struct ncs_step *step)
{
    char room[NCS_OWN_ROOM], turn[16];
    const struct ncs_yaml_node *as = ncs_yaml_get(step->map, "as");
    const struct ncs_yaml_node *list = ncs_yaml_get(step->map, "do");
    const char *name = as ? as->text : "_";
    if (!as && grows(list)) { /* each growth has a key of its own in the store */
        snprintf(turn, sizeof turn, s->loop_count ? "turn%zu" : "turn", s->loop_count + 1);
        name = ncs_emit_own(s, turn, room);
    }
    ncs_emit_label_above(s, step);
    ncs_emit_begin(s, step->key->at);
    ncs_emit(s, "for %s = 1, ", name);
    ncs_emit_times(s, step->value);
    ncs_emit(s, " do\n");
    s->loops[s->loop_count++] = name;
    emit_inner(s, list, "end");
    s->loop_count--;
}

void ncs_emit_graph(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *as = ncs_yaml_get(step->map, "as");
    ncs_emit_label_above(s, step);
    ncs_emit_begin(s, step->key->at);
    ncs_emit_new(s, as->text, !s->in_function);
    ncs_emit(s, "cuda.graph(");
    ncs_emit_object(s, ncs_yaml_get(step->map, "stream"), "stream", false);
    ncs_emit(s, ", function()\n");
    emit_inner(s, step->value, "end)");
}

void ncs_emit_thread(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *as = ncs_yaml_get(step->map, "as");
    ncs_emit_label_above(s, step);
    ncs_emit_begin(s, step->key->at);
    if (as)
        ncs_emit_new(s, as->text, !s->in_function);
    ncs_emit(s, "spawn(function()\n");
    emit_inner(s, step->value, "end)");
}

/* ---- lives ---- */

/* Emits the store's key of a growth's id. It contains the loop counts, so that each repetition has its own. */
static void emit_key(struct ncs_emitter *s, const char *name)
{
    ncs_emit(s, "\"id of %s", name);
    size_t loops = 0;
    for (size_t i = 0; i < s->loop_count; i++)
        if (strcmp(s->loops[i], "_") != 0)
            ncs_emit(s, "%s \" .. %s", loops++ ? " .. \"" : "", s->loops[i]);
    ncs_emit(s, loops ? "" : "\"");
}

/* For the ranks of the old communicator. */
static void emit_grow_old(struct ncs_emitter *s, const struct ncs_step *step, const char *name, const char *old)
{
    const struct ncs_yaml_node *coordinator = ncs_step_field(step, "coordinator");
    char room[NCS_OWN_ROOM];
    const char *id = ncs_emit_own(s, "id", room);
    ncs_emit_line(s, "local %s", id);
    ncs_emit_begin_again(s);
    ncs_emit(s, "if %s.rank == ", old);
    if (coordinator)
        ncs_emit_expression(s, coordinator);
    else
        ncs_emit(s, "0");
    ncs_emit(s, " then\n");
    s->indent++;
    ncs_emit_line(s, "%s = %s:unique_id()", id, old);
    ncs_emit_begin_again(s);
    ncs_emit(s, "store:set(");
    emit_key(s, name);
    ncs_emit(s, ", %s)\n", id);
    ncs_emit_close(s, "end");
    ncs_emit_begin_again(s);
    ncs_emit(s, "%s = %s:grow(", name, old);
    ncs_emit_expression(s, ncs_step_field(step, "nranks"));
    ncs_emit(s, ", { id = %s", id);
    ncs_emit_options(s, step->verb->fields, NULL, step, "", 1);
    ncs_emit(s, " })\n");
}

static void emit_grow_new(struct ncs_emitter *s, const struct ncs_step *step, const char *name)
{
    ncs_emit_begin_again(s);
    ncs_emit(s, "%s = nccl.grow(", name);
    ncs_emit_expression(s, ncs_step_field(step, "nranks"));
    ncs_emit(s, ", store:get(");
    emit_key(s, name);
    ncs_emit(s, "), ");
    ncs_emit_expression(s, ncs_step_field(step, "rank"));
    ncs_emit(s, ncs_emit_options(s, step->verb->fields, NULL, step, ", { ", 0) ? " })\n" : ")\n");
}

void ncs_emit_grow(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *comm = ncs_step_field(step, "comm");
    const char *name = ncs_step_field(step, "as")->text, *old = comm ? comm->text : "world";
    bool joins = ncs_step_field(step, "rank") != NULL;
    ncs_emit_begin(s, step->key->at);
    if (joins)
        ncs_emit(s, "if %s then\n", old);
    else
        ncs_emit(s, "do\n");
    s->indent++;
    emit_grow_old(s, step, name, old);
    s->indent--;
    if (joins) {
        ncs_emit_line(s, "else");
        s->indent++;
        emit_grow_new(s, step, name);
        s->indent--;
    }
    ncs_emit_line(s, "end");
}

void ncs_emit_destroy(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_thing *t = ncs_things_find(&s->scope->names, step->value->text, step->value->bytes);
    bool buffer = t && t->kind == NCS_THING_BUFFER, window = t && t->kind == NCS_THING_WINDOW;
    ncs_emit_begin(s, step->key->at);
    ncs_emit(s, "%s:%s", step->value->text, buffer ? "free" : window ? "deregister" : "destroy");
    ncs_emit_call(s, NULL, NULL, step);
    ncs_emit_end(s);
}

/* ---- kernels, waiting ---- */

static void emit_first(struct ncs_emitter *s, const struct ncs_yaml_node *buffer, const struct ncs_yaml_node *count, bool inside)
{
    static const struct ncs_schema_field field = { .kind = NCS_SCHEMA_COUNT };
    if (inside && !count) {
        ncs_emit_expression(s, buffer);
        return;
    }
    ncs_emit_object(s, buffer, NULL, inside);
    if (!count)
        return;
    ncs_emit(s, ":slice(1, ");
    ncs_emit_value(s, &field, count);
    ncs_emit(s, ")");
}

void ncs_emit_add(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *count = ncs_step_field(step, "count");
    const struct ncs_schema_field *stream = ncs_schema_find(step->verb->fields, "stream");
    ncs_emit_begin(s, step->key->at);
    emit_first(s, ncs_step_field(step, "to"), count, false);
    ncs_emit(s, ":add(");
    emit_first(s, ncs_step_field(step, "from"), count, true);
    ncs_emit(s, ncs_emit_options(s, stream, NULL, step, ", { ", 0) ? " })\n" : ")\n");
}

void ncs_emit_sync(struct ncs_emitter *s, const struct ncs_step *step)
{
    const char *name = step->value->text;
    const struct ncs_thing *t = ncs_things_find(&s->scope->names, name, step->value->bytes);
    ncs_emit_begin(s, step->key->at);
    if (!t && strcmp(name, "device") == 0)
        ncs_emit(s, "cuda.sync");
    else {
        ncs_emit_object(s, step->value, NULL, false);
        ncs_emit(s, t && t->kind == NCS_THING_COMM ? ".stream:sync" : ":sync");
    }
    ncs_emit_call(s, NULL, NULL, step);
    ncs_emit_end(s);
}

void ncs_emit_sleep(struct ncs_emitter *s, const struct ncs_step *step)
{
    static const struct ncs_schema_field seconds = { .kind = NCS_SCHEMA_SECONDS };
    ncs_emit_label_above(s, step);
    ncs_emit_begin(s, step->key->at);
    ncs_emit(s, "sleep(");
    ncs_emit_value(s, &seconds, step->value);
    ncs_emit(s, ")\n");
}

void ncs_emit_barrier(struct ncs_emitter *s, const struct ncs_step *step)
{
    bool ranks = step->value->kind == NCS_YAML_LIST;
    ncs_emit_begin(s, step->key->at);
    ncs_emit(s, "barrier");
    if (ranks) {
        ncs_emit(s, " { ranks = ");
        ncs_emit_list(s, step->value);
    }
    bool options = ncs_emit_options(s, NULL, NULL, step, " { ", ranks) > 0;
    ncs_emit(s, options ? " }\n" : "()\n");
}

/* ---- expectations, output, Lua ---- */

static void emit_that(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *text = ncs_yaml_get(step->value, "text");
    ncs_emit_begin(s, step->key->at);
    ncs_emit(s, "expect.that(");
    ncs_emit_expression(s, ncs_yaml_get(step->value, "that"));
    if (text) {
        ncs_emit(s, ", ");
        ncs_emit_text(s, text);
    }
    ncs_emit(s, ncs_emit_options(s, NULL, NULL, step, ", { ", 0) ? " })\n" : ")\n");
}

void ncs_emit_expect(struct ncs_emitter *s, const struct ncs_step *step)
{
    static const struct ncs_schema_field want = { .kind = NCS_SCHEMA_ELEMENTS };
    static const struct ncs_schema_field options[] = { { .name = "tol" }, { .name = NULL } };
    const struct ncs_yaml_node *map = step->value;
    if (ncs_yaml_get(map, "that")) {
        emit_that(s, step);
        return;
    }
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i];
        if (strcmp(key->text, "tol") == 0)
            continue;
        ncs_emit_begin(s, key->at);
        ncs_emit(s, "expect.equal(");
        ncs_emit_expression(s, key);
        ncs_emit(s, ", ");
        ncs_emit_value(s, &want, map->item[2 * i + 1]);
        ncs_emit(s, ncs_emit_options(s, options, map, step, ", { ", 0) ? " })\n" : ")\n");
    }
}

void ncs_emit_fault(struct ncs_emitter *s, const struct ncs_step *step)
{
    static const struct ncs_yaml_node none = { .kind = NCS_YAML_MAP };
    for (size_t i = 0; i < step->value->items; i++) {
        const struct ncs_yaml_node *key = step->value->item[2 * i], *map = step->value->item[2 * i + 1];
        ncs_emit_begin(s, key->at);
        ncs_emit(s, "fault.%s", key->text);
        ncs_emit_call(s, ncs_schema_find(step->verb->fields, key->text)->fields, map->kind == NCS_YAML_MAP ? map : &none, step);
        ncs_emit_end(s);
    }
}

void ncs_emit_print(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *v = step->value;
    bool thing = v->plain && ncs_things_find(&s->scope->names, v->text, v->bytes);
    ncs_emit_label_above(s, step);
    ncs_emit_begin(s, step->key->at);
    ncs_emit(s, "print(");
    if (thing)
        ncs_emit_expression(s, v);
    else
        ncs_emit_text(s, v);
    ncs_emit(s, ")\n");
}

/* True if a chunk must not be indented, because texts in it span lines. */
static bool has_long_text(const char *text)
{
    return strstr(text, "[[") || strstr(text, "[=") || strstr(text, "\\\n");
}

void ncs_emit_lua(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *v = step->value;
    const char *text = v->text, *end = v->text + v->bytes;
    bool block = strstr(text, "local") || text[strspn(text, " \t\n;")] == '(' || strstr(text, "return") || strstr(text, "::");
    ncs_emit_label_above(s, step);
    if (block) {
        ncs_emit_line_at(s, step->key->at, "do");
        s->indent++;
    }
    int further, place = ncs_emit_lines_of(s, v, &further);
    int indent = s->indent, moved = has_long_text(v->text) ? 0 : indent;
    while (text < end) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        size_t bytes = line ? (size_t)(line - text) : (size_t)(end - text);
        s->indent = bytes == 0 ? 0 : moved;
        ncs_emit_begin_at(s, place);
        place += further;
        ncs_str_add_bytes(&s->out->lua, text, bytes);
        ncs_emit_end(s);
        text += bytes + 1;
    }
    s->indent = indent;
    if (block) {
        ncs_emit_close(s, "end");
    }
}
