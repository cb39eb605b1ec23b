/* Writes a job as Lua. */
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "reproduce/emit.h"
#include "reproduce/fold.h"

/* More functions are in a table: with the objects (statement.c) there may be 200 locals. */
#define FUNCTIONS_MOST 80

/* A statement that stands in several places becomes a function: then all its calls have one line, as in the program. */
struct shared {
    char *text, *name;
    size_t uses;
};

struct lua_writer {
    const struct ncs_workload *job;
    const struct ncs_workload_buffers *buffers;
    const struct ncs_folded *folded;
    struct ncs_str *out;
    int depth;
    bool in_comments;
    size_t group; /* the set of ranks that are in the open group, + 1; 0 = none is open */
    struct shared *shared;
    size_t shareds, shared_room;
};

/* ---- the declaration ---- */

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
    if (strcmp(t->verdict, "lost") == 0) {
        ncs_str_addf(out, "%d }", t->culprit[0]);
        return;
    }
    if (t->error) {
        ncs_str_addf(out, "\"%s\" }", t->error);
        return;
    }
    if (!t->why && !t->culprits) {
        ncs_str_add(out, "true }");
        return;
    }
    ncs_str_add(out, "{ ");
    if (t->culprits)
        add_culprits(t, out);
    if (t->why)
        ncs_str_addf(out, "%s%s = \"%s\"", t->culprits ? ", " : "", strcmp(t->verdict, "finding") == 0 ? "rule" : "why", t->why);
    ncs_str_add(out, " } }");
}

static void add_declaration(const struct lua_writer *w, const struct ncs_workload_text *t)
{
    for (size_t i = 0; i < t->comments; i++)
        ncs_workload_add_comment(w->out, "--", t->comment[i]);
    if (t->hosts.devices)
        ncs_workload_add_comment(w->out, "--", NCS_WORKLOAD_WHY_DEVICES);
    ncs_str_addf(w->out, "scenario { ranks = %d%s", w->job->ranks, w->job->families == 0 ? ", world = false" : "");
    if (t->hosts.devices) {
        ncs_str_add(w->out, ", devices = ");
        ncs_workload_add_hosts(w->out, &t->hosts, "{ ", " }");
    }
    if (t->policy)
        ncs_str_addf(w->out, ", policy = \"%s\"", t->policy);
    if (t->lanes)
        ncs_str_addf(w->out, ", sim = { lanes = %d }", t->lanes);
    add_outcome(t, w->out);
    if (t->about) {
        ncs_str_add(w->out, ",\n  about = ");
        ncs_workload_add_quoted(w->out, t->about, false);
    }
    ncs_str_add(w->out, " }\n\n");
}

/* ---- objects ---- */

static void add_families(const struct lua_writer *w)
{
    bool in_table = w->buffers->in_table[NCS_WORKLOAD_COMMS];
    ncs_str_add(w->out, in_table ? "local comm = {}\n" : "");
    for (size_t i = 0; i < w->job->families; i++) {
        const struct ncs_workload_family *f = &w->job->family[i];
        struct ncs_str color = { 0 }, key = { 0 }, name = { 0 };
        if (f->is_world || f->comms == 0)
            continue;
        ncs_workload_split(w->job, f, &color, &key, &name);
        ncs_str_addf(w->out, "%s%s = world:split { color = %s", in_table ? "" : "local ", w->buffers->comm[i], color.text);
        if (key.bytes)
            ncs_str_addf(w->out, ", key = %s", key.text);
        ncs_str_add(w->out, ", name = ");
        ncs_workload_add_quoted(w->out, name.text, false);
        ncs_str_add(w->out, " }\n");
        ncs_str_free(&color);
        ncs_str_free(&key);
        ncs_str_free(&name);
    }
}

static void add_buffer(const struct lua_writer *w, const char *name, int dtype, uint64_t room)
{
    if (room)
        ncs_str_addf(w->out, "%s%s = cuda.buffer(\"%s\", %llu)\n", w->buffers->in_table[NCS_WORKLOAD_BUFFERS] ? "" : "local ",
                     name, ncs_dtype_name(dtype), (unsigned long long)room);
}

static void add_streams(const struct lua_writer *w)
{
    bool in_table = w->buffers->in_table[NCS_WORKLOAD_STREAMS];
    ncs_str_add(w->out, in_table ? "local s = {}\n" : "");
    for (int s = 1; s <= ncs_workload_streams(w->job); s++) {
        ncs_str_add(w->out, in_table ? "" : "local ");
        ncs_workload_add_stream(w->buffers, w->out, s);
        ncs_str_add(w->out, " = cuda.stream()\n");
    }
}

static void add_events(const struct lua_writer *w)
{
    bool in_table = w->buffers->in_table[NCS_WORKLOAD_EVENTS];
    int events = ncs_workload_events(w->job);
    ncs_str_add(w->out, in_table ? "local e = {}\n" : "");
    for (int i = 0; i < events; i++) {
        ncs_str_add(w->out, in_table ? "" : "local ");
        ncs_workload_add_event(w->buffers, w->out, i);
        ncs_str_add(w->out, " = cuda.event()\n");
    }
}

static void add_objects(const struct lua_writer *w)
{
    size_t before = w->out->bytes;
    add_families(w);
    add_streams(w);
    add_events(w);
    ncs_str_add(w->out, w->buffers->in_table[NCS_WORKLOAD_BUFFERS] ? "local x, z = {}, {}\n" : "");
    for (size_t i = 0; i < w->buffers->buffers; i++) {
        const struct ncs_workload_buffer *b = &w->buffers->buffer[i];
        add_buffer(w, b->name, b->dtype, b->room);
        add_buffer(w, b->name_2, b->dtype, b->room_2);
    }
    ncs_str_add(w->out, w->out->bytes > before ? "\n" : "");
}

/* ---- statements ---- */

static void lua_indent(const struct lua_writer *w)
{
    for (int i = 0; i < w->depth; i++)
        ncs_str_add(w->out, "  ");
}

static void add_place_comment(struct ncs_str *out, const char *place)
{
    ncs_str_add(out, " -- ");
    for (; *place; place++)
        ncs_str_addf(out, "%c", (unsigned char)*place < ' ' ? ' ' : *place);
}

static char *lua_statement(const struct lua_writer *w, const struct ncs_workload_step *step)
{
    struct ncs_workload_statement s;
    struct ncs_str out = { 0 };
    ncs_workload_state(w->buffers, step, &s);
    if (step->kind == NCS_STEP_LAST || step->kind == NCS_STEP_TEXT) {
        ncs_str_add(&out, s.verb);
        ncs_workload_statement_free(&s);
        return ncs_str_take(&out);
    }
    bool is_c = strcmp(s.object, "C") == 0, plain = is_c || strcmp(s.object, "cuda") == 0;
    const char *between = "";
    const char *const argument[] = { s.send, s.peer ? NULL : s.recv, s.send || !s.peer ? NULL : s.recv, s.peer };
    ncs_str_addf(&out, "%s%s%s%s(", s.object[0] == '(' ? ";" : "" /* or the line before it would be called */, s.object,
                 plain ? "." : ":", s.verb ? s.verb : "");
    for (size_t i = 0; i < sizeof argument / sizeof *argument; i++)
        if (argument[i]) {
            ncs_str_addf(&out, "%s%s", between, argument[i]);
            between = ", ";
        }
    size_t options = s.options - (w->in_comments && s.options > 0 && s.option[s.options - 1].is_text);
    if (options) {
        ncs_str_addf(&out, "%s{ ", between);
        for (size_t i = 0; i < options; i++) {
            ncs_str_addf(&out, "%s%s = ", i ? ", " : "", s.option[i].key);
            if (s.option[i].is_text)
                ncs_workload_add_quoted(&out, s.option[i].value, false);
            else
                ncs_str_add(&out, s.option[i].value);
        }
        ncs_str_add(&out, " }");
    }
    ncs_str_add(&out, ")");
    if (options < s.options)
        add_place_comment(&out, s.option[options].value);
    ncs_workload_statement_free(&s);
    return ncs_str_take(&out);
}

/* ---- statements that stand in several places ---- */

static struct shared *shared_of(struct lua_writer *w, const char *text)
{
    for (size_t i = 0; i < w->shareds; i++)
        if (strcmp(w->shared[i].text, text) == 0)
            return &w->shared[i];
    struct shared fresh = { .text = ncs_copy_text(text) };
    NCS_PUSH(w->shared, w->shareds, w->shared_room, fresh);
    return &w->shared[w->shareds - 1];
}

static void count_statements(struct lua_writer *w, const struct ncs_fold *item, size_t items)
{
    for (size_t i = 0; i < items; i++) {
        count_statements(w, item[i].item, item[i].items);
        if (item[i].kind != NCS_FOLD_STEP || w->job->step[item[i].step]->kind != NCS_STEP_CALL)
            continue;
        char *text = lua_statement(w, w->job->step[item[i].step]);
        shared_of(w, text)->uses++;
        ncs_free(text);
    }
}

static void add_functions(struct lua_writer *w)
{
    size_t count = 0, functions = 0;
    for (size_t i = 0; i < w->shareds; i++)
        functions += w->shared[i].uses > 1;
    bool in_table = functions > FUNCTIONS_MOST;
    ncs_str_add(w->out, in_table ? "local call = {}\n" : "");
    for (size_t i = 0; i < w->shareds; i++) {
        struct ncs_str name = { 0 };
        if (w->shared[i].uses < 2)
            continue;
        ncs_str_addf(&name, in_table ? "call[%zu]" : "call_%zu", ++count);
        ncs_str_addf(w->out, in_table ? "%s = function()\n  %s\nend\n" : "local function %s()\n  %s\nend\n", name.text,
                     w->shared[i].text);
        w->shared[i].name = ncs_str_take(&name);
    }
    if (count)
        ncs_str_add(w->out, "\n");
}

static void add_lua_statement(struct lua_writer *w, const struct ncs_workload_step *step)
{
    char *text = lua_statement(w, step);
    const struct shared *shared = step->kind == NCS_STEP_CALL ? shared_of(w, text) : NULL;
    lua_indent(w);
    if (shared && shared->name)
        ncs_str_addf(w->out, "%s()\n", shared->name);
    else
        ncs_str_addf(w->out, "%s\n", text);
    ncs_free(text);
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
    w->group = item->kind == NCS_FOLD_GROUP ? item->set + 1 : w->group;
    add_lua_list(w, item->item, item->items);
    w->group = item->kind == NCS_FOLD_GROUP ? 0 : w->group;
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
        bool all_in_group = w->group == item[i].set + 1 && item[i].exceptions == 0;
        if (item[i].kind != NCS_FOLD_LOOP && !all_in_group)
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
    struct lua_writer w = { .job = b->job, .buffers = b, .folded = f, .out = out, .in_comments = t->places_in_comments };
    add_declaration(&w, t);
    add_objects(&w);
    count_statements(&w, f->item, f->items);
    add_functions(&w);
    add_lua_list(&w, f->item, f->items);
    for (size_t i = 0; i < w.shareds; i++) {
        ncs_free(w.shared[i].text);
        ncs_free(w.shared[i].name);
    }
    ncs_free(w.shared);
}
