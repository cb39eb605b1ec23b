/* Emits steps: where, label, fails, and calls of methods. */
#include "notation/emit.h"

#include <string.h>

#include "notation/expression.h"

/* Most steps in one function of Lua, which limits closures and lengths of jumps per function. */
#define STEPS_OF_FUNCTION 4000

/* The name that a step gives to a lasting object; NULL: none. */
static const char *made_name(const struct ncs_step *step)
{
    const struct ncs_yaml_node *name = ncs_step_makes(step);
    return name && strcmp(step->verb->name, "repeat") != 0 ? name->text : NULL;
}

/* True if the step can declare its name as a local of the file: no block is around it. */
static bool makes_local(const struct ncs_step *step)
{
    return !ncs_yaml_get(step->map, "where") && !ncs_yaml_get(step->map, "fails") && step->verb->say != ncs_emit_grow;
}

/* Declares names that are made inside blocks, as a list after `local`; `emitted` names precede.
 * Returns the new number. */
static size_t emit_names_inside(struct ncs_emitter *s, const struct ncs_yaml_node *map, bool outermost, size_t emitted)
{
    struct ncs_step step;
    ncs_step_read(map, &step);
    const char *name = made_name(&step);
    if (name && !(outermost && makes_local(&step))) {
        if (emitted == 0)
            ncs_emit_begin(s, map->at);
        ncs_emit(s, "%s%s", emitted ? ", " : "local ", name);
        emitted++;
    }
    const struct ncs_yaml_node *list = ncs_step_inner(&step);
    for (size_t i = 0; list && i < list->items; i++)
        emitted = emit_names_inside(s, list->item[i], false, emitted);
    return emitted;
}

void ncs_emit_label_above(struct ncs_emitter *s, const struct ncs_step *step)
{
    const struct ncs_yaml_node *label = ncs_yaml_get(step->map, "label");
    if (!label)
        return;
    ncs_emit_begin(s, label->at);
    ncs_emit(s, "-- ");
    for (const char *c = label->text; *c; c++)
        ncs_emit(s, "%c", *c == '\n' || *c == '\r' ? ' ' : *c);
    ncs_emit_end(s);
}

static void emit_method(struct ncs_emitter *s, const struct ncs_step *step, bool local)
{
    const struct ncs_schema_verb *v = step->verb;
    const struct ncs_schema_field *object = NULL;
    const char *made = made_name(step);
    bool thread = v->kind == NCS_SCHEMA_THREAD; /* join has no options */
    if (thread)
        ncs_emit_label_above(s, step);
    ncs_emit_begin(s, step->key->at);
    if (made)
        ncs_emit_new(s, made, local);
    if (v->kind != NCS_SCHEMA_FIELDS) {
        ncs_emit_object(s, step->value, NULL, false);
        ncs_emit(s, ":%s", v->method ? v->method : v->name);
        ncs_emit_call(s, NULL, NULL, thread ? NULL : step);
    } else {
        for (const struct ncs_schema_field *f = v->fields; f->name; f++)
            if (f->flags & NCS_SCHEMA_OBJECT)
                object = f;
        ncs_emit_object(s, ncs_step_field(step, object->name), object->value, made != NULL);
        ncs_emit(s, ":%s", v->method ? v->method : v->name);
        ncs_emit_call(s, v->fields, NULL, step);
    }
    ncs_emit_end(s);
}

static void emit_verb(struct ncs_emitter *s, const struct ncs_step *step, bool local)
{
    const char *made = made_name(step);
    if (!step->verb->say) {
        emit_method(s, step, local);
        return;
    }
    if (made && local && !s->flat && makes_local(step)) {
        bool was = s->in_function; /* threads: `local t = spawn(...)` */
        s->in_function = false;
        step->verb->say(s, step);
        s->in_function = was;
    } else {
        bool was = s->in_function;
        s->in_function = true;
        step->verb->say(s, step);
        s->in_function = was;
    }
}

static void emit_one_step(struct ncs_emitter *s, const struct ncs_yaml_node *map)
{
    struct ncs_step step;
    ncs_step_read(map, &step);
    const struct ncs_yaml_node *where = ncs_yaml_get(map, "where"), *fails = ncs_yaml_get(map, "fails");
    bool outermost = !s->in_function;
    if (outermost && !s->flat && emit_names_inside(s, map, true, 0) > 0)
        ncs_emit_end(s);
    if (where) {
        ncs_emit_begin(s, where->at);
        ncs_emit(s, "if ");
        ncs_emit_expression(s, where);
        ncs_emit(s, " then");
        ncs_emit_end(s);
        s->indent++;
    }
    if (fails) {
        ncs_emit_begin(s, fails->at);
        ncs_emit(s, "expect.error(");
        ncs_emit_quoted(s, fails->text, fails->bytes);
        ncs_emit(s, ", function()");
        ncs_emit_end(s);
        s->indent++;
    }
    bool was = s->in_function;
    s->in_function = was || where || fails;
    emit_verb(s, &step, !s->in_function);
    s->in_function = was;
    if (fails) {
        ncs_emit_close(s, "end)");
    }
    if (where) {
        ncs_emit_close(s, "end");
    }
}

/* ---- lists ---- */

/* True if an empty line precedes, comments aside. */
static bool is_set_off(const struct ncs_source *source, struct ncs_span at)
{
    int line = ncs_source_line(source, at.at, NULL) - 1;
    for (; line > 0; line--) {
        const char *text = source->text + source->start[line - 1];
        text += strspn(text, " \t");
        if (*text != '#')
            return *text == '\n' || *text == '\r';
    }
    return false;
}

static void emit_range(struct ncs_emitter *s, const struct ncs_yaml_node *list, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (i > from && is_set_off(s->scope->source, list->item[i]->at))
            ncs_emit_blank(s, list->item[i]->at);
        emit_one_step(s, list->item[i]);
    }
}

/* Emits a part of a long list as a function. */
static void emit_step_part(struct ncs_emitter *s, const struct ncs_yaml_node *list, size_t from, size_t to)
{
    bool was = s->in_function;
    char room[NCS_OWN_ROOM];
    const char *part = ncs_emit_own(s, "part", room);
    ncs_emit_line_at(s, list->item[from]->at, "do");
    s->indent++;
    ncs_emit_line(s, "local function %s()", part);
    s->indent++;
    s->in_function = true;
    emit_range(s, list, from, to);
    s->in_function = was;
    ncs_emit_close(s, "end");
    ncs_emit_line(s, "%s()", part);
    ncs_emit_close(s, "end");
}

void ncs_emit_steps(struct ncs_emitter *s, const struct ncs_yaml_node *list)
{
    if (!s->split || list->items <= STEPS_OF_FUNCTION) {
        emit_range(s, list, 0, list->items);
        return;
    }
    if (!s->in_function && !s->flat) {
        size_t emitted = 0;
        for (size_t i = 0; i < list->items; i++)
            emitted = emit_names_inside(s, list->item[i], false, emitted);
        if (emitted)
            ncs_emit_end(s);
    }
    for (size_t i = 0; i < list->items; i += STEPS_OF_FUNCTION)
        emit_step_part(s, list, i, i + STEPS_OF_FUNCTION < list->items ? i + STEPS_OF_FUNCTION : list->items);
}
