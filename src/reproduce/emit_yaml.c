/* Writes a job as YAML. */
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "reproduce/emit.h"
#include "reproduce/fold.h"
#include "reproduce/words.h"

struct yaml_writer {
    const struct ncs_workload *job;
    const struct ncs_workload_buffers *buffers;
    const struct ncs_folded *folded;
    struct ncs_str *out;
    int depth;
    bool in_comments;
    size_t group; /* the set of ranks that are in the open group, + 1; 0 = none is open */
};

/* In a label "$" begins an expression. */
static void add_label(struct ncs_str *out, const char *text)
{
    struct ncs_str plain = { 0 };
    for (; *text; text++)
        ncs_str_addf(&plain, "%c", *text == '$' && text[1] == '{' ? '_' : *text);
    ncs_workload_add_quoted(out, plain.text ? plain.text : "", true);
    ncs_str_free(&plain);
}

/* An operator's name needs no quotes, and in Lua it has some. */
static void add_expression(struct ncs_str *out, const char *text)
{
    bool plain = text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_. +-*/<>")] == '\0';
    size_t bytes = strlen(text);
    if (bytes > 2 && text[0] == '"' && text[bytes - 1] == '"' && !memchr(text + 1, '"', bytes - 2))
        ncs_str_add_bytes(out, text + 1, bytes - 2);
    else if (plain)
        ncs_str_add(out, text);
    else
        ncs_workload_add_quoted(out, text, true);
}

static void yaml_indent(const struct yaml_writer *w)
{
    for (int i = 0; i < w->depth; i++)
        ncs_str_add(w->out, "  ");
}

/* ---- the declaration and the objects ---- */

static void add_yaml_outcome(const struct yaml_writer *w, const struct ncs_workload_text *t)
{
    if (!t->verdict)
        return;
    if (strcmp(t->verdict, "pass") == 0 || (!t->why && !t->culprits && !t->error)) {
        ncs_str_addf(w->out, strcmp(t->verdict, "pass") == 0 ? "outcome: %s\n" : "outcome: { %s: true }\n", t->verdict);
        return;
    }
    if (strcmp(t->verdict, "lost") == 0) {
        ncs_str_addf(w->out, "outcome: { lost: %d }\n", t->culprit[0]);
        return;
    }
    if (t->error) {
        ncs_str_addf(w->out, "outcome: { error: %s }\n", t->error);
        return;
    }
    ncs_str_addf(w->out, "outcome: { %s: { ", t->verdict);
    if (t->culprits == 1)
        ncs_str_addf(w->out, "culprit: %d", t->culprit[0]);
    for (size_t i = 0; t->culprits > 1 && i < t->culprits; i++)
        ncs_str_addf(w->out, "%s%d%s", i ? ", " : "culprit: [", t->culprit[i], i + 1 == t->culprits ? "]" : "");
    if (t->why)
        ncs_str_addf(w->out, "%s%s: %s", t->culprits ? ", " : "", strcmp(t->verdict, "finding") == 0 ? "rule" : "why", t->why);
    ncs_str_add(w->out, " } }\n");
}

static void add_head(const struct yaml_writer *w, const struct ncs_workload_text *t)
{
    for (size_t i = 0; i < t->comments; i++)
        ncs_workload_add_comment(w->out, "#", t->comment[i]);
    if (t->hosts.devices)
        ncs_workload_add_comment(w->out, "#", NCS_WORKLOAD_WHY_DEVICES);
    ncs_str_add(w->out, "scenario: ");
    ncs_workload_add_quoted(w->out, t->about ? t->about : "a recorded job", true);
    ncs_str_addf(w->out, "\nranks: %d\n", w->job->ranks);
    if (w->job->families == 0)
        ncs_str_add(w->out, "world: false\n");
    if (t->hosts.devices) {
        ncs_str_add(w->out, "devices: ");
        ncs_workload_add_hosts(w->out, &t->hosts, "[", "]");
        ncs_str_add(w->out, "\n");
    }
    if (t->policy)
        ncs_str_addf(w->out, "policy: %s\n", t->policy);
    if (t->lanes)
        ncs_str_addf(w->out, "sim: { lanes: %d }\n", t->lanes);
    add_yaml_outcome(w, t);
}

static void yaml_add_comms(const struct yaml_writer *w)
{
    bool any = false;
    for (size_t i = 0; i < w->job->families; i++) {
        const struct ncs_workload_family *f = &w->job->family[i];
        struct ncs_str color = { 0 }, key = { 0 }, name = { 0 };
        if (f->is_world || f->comms == 0)
            continue;
        ncs_str_add(w->out, any ? "" : "comms:\n");
        any = true;
        ncs_workload_split(w->job, f, &color, &key, &name);
        ncs_str_addf(w->out, "  %s: { split: world, color: ", f->name);
        add_expression(w->out, color.text);
        if (key.bytes) {
            ncs_str_add(w->out, ", key: ");
            add_expression(w->out, key.text);
        }
        ncs_str_add(w->out, " }\n");
        ncs_str_free(&color);
        ncs_str_free(&key);
        ncs_str_free(&name);
    }
}

static void add_yaml_buffer(const struct yaml_writer *w, const char *name, int dtype, uint64_t room)
{
    if (room)
        ncs_str_addf(w->out, "  %s: { dtype: %s, count: %llu }\n", name, ncs_dtype_name(dtype), (unsigned long long)room);
}

static void add_yaml_objects(const struct yaml_writer *w)
{
    if (ncs_workload_streams(w->job) > 0)
        ncs_str_add(w->out, "streams:\n");
    for (int s = 1; s <= ncs_workload_streams(w->job); s++)
        ncs_str_addf(w->out, "  s%d: {}\n", s + 1);
    int events = ncs_workload_events(w->job);
    ncs_str_add(w->out, events ? "events:\n" : "");
    for (int i = 0; i < events; i++)
        ncs_str_addf(w->out, "  e%d: {}\n", i + 1);
    yaml_add_comms(w);
    ncs_str_add(w->out, w->buffers->buffers ? "buffers:\n" : "");
    for (size_t i = 0; i < w->buffers->buffers; i++) {
        const struct ncs_workload_buffer *b = &w->buffers->buffer[i];
        add_yaml_buffer(w, b->name, b->dtype, b->room);
        add_yaml_buffer(w, b->name_2, b->dtype, b->room_2);
    }
}

/* ---- steps ---- */

static void add_yaml_field(struct ncs_str *out, const char **between, const char *key, const char *expression)
{
    if (!expression)
        return;
    ncs_str_addf(out, "%s%s: ", *between, key);
    add_expression(out, expression);
    *between = ", ";
}

/* `where`: a condition; empty = none. */
static void add_step_end(const struct yaml_writer *w, const char *where, const char *label)
{
    if (where[0]) {
        ncs_str_add(w->out, ", where: ");
        ncs_workload_add_quoted(w->out, where, true);
    }
    if (label && !w->in_comments) {
        ncs_str_add(w->out, ", label: ");
        add_label(w->out, label);
    }
    ncs_str_add(w->out, " }");
    if (label && w->in_comments)
        ncs_str_addf(w->out, " # %s", label);
    ncs_str_add(w->out, "\n");
}

static void add_yaml_call(const struct yaml_writer *w, const struct ncs_workload_statement *s, const char **label)
{
    const char *between = "";
    bool pair = s->peer != NULL;
    ncs_str_addf(w->out, "%s: { ", s->verb);
    add_yaml_field(w->out, &between, pair ? "buffer" : "send", pair && !s->send ? s->recv : s->send);
    add_yaml_field(w->out, &between, "recv", pair ? NULL : s->recv);
    add_yaml_field(w->out, &between, "peer", s->peer);
    for (size_t i = 0; i < s->options; i++)
        if (s->option[i].is_text)
            *label = s->option[i].value;
        else
            add_yaml_field(w->out, &between, s->option[i].key, s->option[i].value);
    if (strcmp(s->object, "world") != 0)
        add_yaml_field(w->out, &between, "comm", s->object);
    ncs_str_add(w->out, " }");
}

static void add_yaml_step(const struct yaml_writer *w, const struct ncs_workload_step *step, const char *where)
{
    struct ncs_workload_statement s;
    const char *label = NULL;
    ncs_workload_state(w->buffers, step, &s);
    yaml_indent(w);
    ncs_str_add(w->out, "- { ");
    if (step->kind == NCS_STEP_LAST || step->kind == NCS_STEP_TEXT) {
        ncs_str_add(w->out, "lua: ");
        ncs_workload_add_quoted(w->out, s.verb, true);
    } else if (strcmp(s.object, "C") == 0)
        ncs_str_addf(w->out, "lua: \"C.%s()\"", s.verb);
    else if (step->kind == NCS_STEP_SYNC)
        ncs_str_addf(w->out, "sync: %s", strcmp(s.object, "cuda") == 0 ? "device" : s.object);
    else if (s.send || s.recv)
        add_yaml_call(w, &s, &label);
    else
        ncs_str_addf(w->out, "%s: %s", s.verb, s.object);
    add_step_end(w, where, label);
    ncs_workload_statement_free(&s);
}

/* Adds the calls of the ranks that use the communicator and stream of the rank `first`. */
static void add_yaml_part(const struct yaml_writer *w, const struct ncs_workload_step *step, struct ncs_workload_step *part,
                          int first, const char *where)
{
    const struct ncs_workload_call *like = step->of[first];
    struct ncs_str own = { 0 };
    bool all = true, *has = ncs_new((size_t)w->job->ranks * sizeof *has);
    for (int r = 0; r < w->job->ranks; r++) {
        has[r] = step->of[r] && step->of[r]->family == like->family && step->of[r]->stream == like->stream;
        part->of[r] = has[r] ? step->of[r] : NULL;
        all &= has[r] || !step->of[r];
    }
    ncs_str_add(&own, "");
    if (!all) {
        ncs_workload_add_condition(&own, has, w->job->ranks);
        if (where[0])
            ncs_str_addf(&own, " and (%s)", where);
    }
    add_yaml_step(w, part, all ? where : own.text);
    ncs_str_free(&own);
    ncs_free(has);
}

/* The keys `comm` and `stream` take names: ranks with others get a step of their own. */
static void add_yaml_steps(const struct yaml_writer *w, const struct ncs_fold *item, const char *where)
{
    const struct ncs_workload_step *step = w->job->step[item->step];
    if (step->kind != NCS_STEP_CALL) {
        add_yaml_step(w, step, where);
        return;
    }
    struct ncs_workload_step *part = ncs_workload_new_step(w->job, step->kind, step->key);
    part->whole = step;
    for (int first = 0; first < w->job->ranks; first++) {
        bool known = !step->of[first];
        for (int r = 0; r < first && !known; r++)
            known = step->of[r] && step->of[r]->family == step->of[first]->family &&
                    step->of[r]->stream == step->of[first]->stream;
        if (!known)
            add_yaml_part(w, step, part, first, where);
    }
    ncs_workload_free_step(part);
}

static void add_yaml_list(struct yaml_writer *w, const struct ncs_fold *item, size_t items)
{
    for (size_t i = 0; i < items; i++) {
        struct ncs_str where = { 0 };
        ncs_str_add(&where, "");
        bool all_in_group = w->group == item[i].set + 1 && item[i].exceptions == 0;
        if (item[i].kind != NCS_FOLD_LOOP && !all_in_group)
            ncs_workload_item_condition(w->job, w->folded, &item[i], &where);
        if (item[i].kind == NCS_FOLD_STEP) {
            add_yaml_steps(w, &item[i], where.text);
        } else {
            yaml_indent(w);
            if (item[i].kind == NCS_FOLD_LOOP)
                ncs_str_addf(w->out, "- repeat: %zu\n", item[i].times);
            else if (where.bytes)
                ncs_str_addf(w->out, "- where: \"%s\"\n", where.text);
            else
                ncs_str_add(w->out, "- group:\n");
            bool keyed = item[i].kind == NCS_FOLD_LOOP || where.bytes;
            if (keyed) {
                w->depth++;
                if (item[i].named) {
                    yaml_indent(w);
                    ncs_str_add(w->out, "as: step\n");
                }
                yaml_indent(w);
                ncs_str_add(w->out, item[i].kind == NCS_FOLD_LOOP ? "do:\n" : "group:\n");
                w->depth--;
            }
            w->depth += 2;
            w->group = item[i].kind == NCS_FOLD_GROUP ? item[i].set + 1 : w->group;
            add_yaml_list(w, item[i].item, item[i].items);
            w->group = item[i].kind == NCS_FOLD_GROUP ? 0 : w->group;
            w->depth -= 2;
        }
        ncs_str_free(&where);
    }
}

void ncs_workload_emit_yaml(const struct ncs_workload_buffers *b, const struct ncs_workload_text *t, const struct ncs_folded *f,
                            struct ncs_str *out)
{
    struct yaml_writer w = { .job = b->job, .buffers = b, .folded = f, .out = out, .in_comments = t->places_in_comments };
    add_head(&w, t);
    add_yaml_objects(&w);
    ncs_str_add(out, "steps:\n");
    w.depth = 1;
    add_yaml_list(&w, f->item, f->items);
}
