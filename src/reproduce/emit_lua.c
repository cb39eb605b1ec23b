/* Writes a job as Lua. */
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "reproduce/emit.h"
#include "reproduce/fold.h"

struct lua_writer {
    const struct ncs_workload *job;
    const struct ncs_workload_buffers *buffers;
    const struct ncs_folded *folded;
    struct ncs_str *out;
    int depth;
};

/* ---- the declaration ---- */

static void add_quoted(struct ncs_str *out, const char *text)
{
    ncs_str_add(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            ncs_str_addf(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            ncs_str_addf(out, "\\%d", c);
        else
            ncs_str_add_bytes(out, text, 1);
    }
    ncs_str_add(out, "\"");
}

static void add_culprits(const struct ncs_workload_text *t, struct ncs_str *out)
{
    if (t->culprits == 1) {
        ncs_str_addf(out, "culprit = %d", t->culprit[0]);
        return;
    }
    ncs_str_add(out, "culprit = {");
    for (size_t i = 0; i < t->culprits; i++)
        ncs_str_addf(out, "%s %d", i ? "," : "", t->culprit[i]);
    ncs_str_add(out, " }");
}

static void add_outcome(const struct ncs_workload_text *t, struct ncs_str *out)
{
    if (!t->verdict)
        return;
    if (strcmp(t->verdict, "pass") == 0) {
        ncs_str_add(out, ", outcome = \"pass\"");
        return;
    }
    ncs_str_addf(out, ", outcome = { %s = ", t->verdict);
    if (!t->why && !t->culprits) {
        ncs_str_add(out, "true }");
        return;
    }
    ncs_str_add(out, "{ ");
    if (t->culprits)
        add_culprits(t, out);
    if (t->why)
        ncs_str_addf(out, "%swhy = \"%s\"", t->culprits ? ", " : "", t->why);
    ncs_str_add(out, " } }");
}

static void add_declaration(const struct lua_writer *w, const struct ncs_workload_text *t)
{
    for (size_t i = 0; i < t->comments; i++)
        ncs_str_addf(w->out, "-- %s\n", t->comment[i]);
    ncs_str_addf(w->out, "scenario { ranks = %d", w->job->ranks);
    if (t->devices)
        ncs_str_addf(w->out, ", devices = %d", t->devices);
    if (t->policy)
        ncs_str_addf(w->out, ", policy = \"%s\"", t->policy);
    add_outcome(t, w->out);
    if (t->about) {
        ncs_str_add(w->out, ",\n  about = ");
        add_quoted(w->out, t->about);
    }
    ncs_str_add(w->out, " }\n\n");
}

/* ---- objects ---- */

static void add_families(const struct lua_writer *w)
{
    for (size_t i = 0; i < w->job->families; i++) {
        const struct ncs_workload_family *f = &w->job->family[i];
        struct ncs_str color = { 0 }, key = { 0 }, name = { 0 };
        if (f->is_world || f->comms == 0)
            continue;
        ncs_workload_split(w->job, f, &color, &key, &name);
        ncs_str_addf(w->out, "local %s = world:split { color = %s", f->name, color.text);
        if (key.bytes)
            ncs_str_addf(w->out, ", key = %s", key.text);
        ncs_str_add(w->out, ", name = ");
        add_quoted(w->out, name.text);
        ncs_str_add(w->out, " }\n");
        ncs_str_free(&color);
        ncs_str_free(&key);
        ncs_str_free(&name);
    }
}

static void add_buffer(const struct lua_writer *w, int dtype, bool second, uint64_t room)
{
    char *name = ncs_workload_buffer_name(w->buffers, dtype, second);
    ncs_str_addf(w->out, "local %s = cuda.buffer(\"%s\", %llu)\n", name, ncs_dtype_name(dtype), (unsigned long long)room);
    ncs_free(name);
}

static void add_objects(const struct lua_writer *w)
{
    add_families(w);
    for (int s = 1; s <= ncs_workload_streams(w->job); s++)
        ncs_str_addf(w->out, "local s%d = cuda.stream()\n", s + 1);
    for (int d = 0; d < 16; d++) {
        if (w->buffers->room[d])
            add_buffer(w, d, false, w->buffers->room[d]);
        if (w->buffers->room_2[d])
            add_buffer(w, d, true, w->buffers->room_2[d]);
    }
    ncs_str_add(w->out, "\n");
}

/* ---- statements ---- */

static void lua_indent(const struct lua_writer *w)
{
    for (int i = 0; i < w->depth; i++)
        ncs_str_add(w->out, "  ");
}

static void add_lua_statement(const struct lua_writer *w, const struct ncs_workload_step *step)
{
    struct ncs_workload_statement s;
    ncs_workload_state(w->buffers, step, &s);
    bool is_c = strcmp(s.object, "C") == 0, plain = is_c || strcmp(s.object, "cuda") == 0;
    const char *between = "";
    const char *const argument[] = { s.send, s.peer ? NULL : s.recv, s.send || !s.peer ? NULL : s.recv, s.peer };
    lua_indent(w);
    ncs_str_addf(w->out, "%s%s%s(", s.object, plain ? "." : ":", s.verb ? s.verb : "");
    for (size_t i = 0; i < sizeof argument / sizeof *argument; i++)
        if (argument[i]) {
            ncs_str_addf(w->out, "%s%s", between, argument[i]);
            between = ", ";
        }
    if (s.options) {
        ncs_str_addf(w->out, "%s{ ", between);
        for (size_t i = 0; i < s.options; i++) {
            ncs_str_addf(w->out, "%s%s = ", i ? ", " : "", s.option[i].key);
            if (s.option[i].is_text)
                add_quoted(w->out, s.option[i].value);
            else
                ncs_str_add(w->out, s.option[i].value);
        }
        ncs_str_add(w->out, " }");
    }
    ncs_str_add(w->out, ")\n");
    ncs_workload_statement_free(&s);
}

static void add_lua_list(struct lua_writer *w, const struct ncs_fold *item, size_t items);

static void add_lua_item(struct lua_writer *w, const struct ncs_fold *item)
{
    if (item->kind == NCS_FOLD_STEP) {
        add_lua_statement(w, w->job->step[item->step]);
        return;
    }
    lua_indent(w);
    if (item->kind == NCS_FOLD_LOOP)
        ncs_str_addf(w->out, "for %s = 1, %zu do\n", item->named ? "step" : "_", item->times);
    else
        ncs_str_add(w->out, "nccl.group(function()\n");
    w->depth++;
    add_lua_list(w, item->item, item->items);
    w->depth--;
    lua_indent(w);
    ncs_str_add(w->out, item->kind == NCS_FOLD_LOOP ? "end\n" : "end)\n");
}

/* Successive items with the same condition share one `if`. */
static void add_lua_list(struct lua_writer *w, const struct ncs_fold *item, size_t items)
{
    char *open = NULL;
    for (size_t i = 0; i < items; i++) {
        struct ncs_str condition = { 0 };
        ncs_str_add(&condition, "");
        if (item[i].kind != NCS_FOLD_LOOP)
            ncs_workload_item_condition(w->job, w->folded, &item[i], &condition);
        if (open && strcmp(open, condition.text) != 0) {
            w->depth--;
            lua_indent(w);
            ncs_str_add(w->out, "end\n");
            ncs_free(open);
            open = NULL;
        }
        if (!open && condition.bytes) {
            lua_indent(w);
            ncs_str_addf(w->out, "if %s then\n", condition.text);
            w->depth++;
            open = ncs_copy_text(condition.text);
        }
        add_lua_item(w, &item[i]);
        ncs_str_free(&condition);
    }
    if (open) {
        w->depth--;
        lua_indent(w);
        ncs_str_add(w->out, "end\n");
        ncs_free(open);
    }
}

void ncs_workload_emit_lua(const struct ncs_workload_buffers *b, const struct ncs_workload_text *t, const struct ncs_folded *f,
                      struct ncs_str *out)
{
    struct lua_writer w = { .job = b->job, .buffers = b, .folded = f, .out = out };
    add_declaration(&w, t);
    add_objects(&w);
    add_lua_list(&w, f->item, f->items);
}
