/* Checks names: new ones, and references to things that the file has named. */
#include "notation/check.h"

#include <string.h>

#include "api/spelling.h"
#include "api/types.h"
#include "base/mem.h"
#include "notation/expression.h"

/* ---- new ones ---- */

static bool is_old_boolean(const char *name)
{
    static const char *const words[] = { "y", "n", "yes", "no", "on", "off", NULL };
    for (int i = 0; words[i]; i++)
        if (ncs_same_letters(words[i], name) && strlen(words[i]) == strlen(name))
            return true;
    return false;
}

/* Reports why no thing can have this name; false: it can. */
static bool refuse_name(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    const char *name = node->text;
    if (is_old_boolean(name))
        return !ncs_complain(s->c, node->at, "`%s` cannot be a name: YAML 1.1 reads it as a boolean", name);
    if (!ncs_is_identifier(name, node->bytes) || node->kind != NCS_YAML_TEXT) {
        ncs_complain(s->c, node->at, "`%.60s` cannot be a name", name);
        return !ncs_complain_hint(s->c, "names are letters, digits and '_', and no words of Lua");
    }
    if (strcmp(name, "i") == 0)
        return !ncs_complain(s->c, node->at,
                             "`i` cannot be a name: it is the element in init, value "
                             "and expect");
    for (int i = 0; ncs_schema_taken[i]; i++)
        if (strcmp(ncs_schema_taken[i], name) == 0)
            return !ncs_complain(s->c, node->at, "`%s` cannot be a name: it is ready-made", name);
    if (ncs_dtype_from_name(name) >= 0)
        return !ncs_complain(s->c, node->at, "`%s` cannot be a name: it is a dtype", name);
    return false;
}

bool ncs_check_new_name(struct ncs_scope *s, enum ncs_thing_kind kind, const struct ncs_yaml_node *node)
{
    if (node->kind == NCS_YAML_LIST || node->kind == NCS_YAML_MAP)
        return ncs_check_wrong(s, "as", node, "a name");
    const char *name = node->text;
    struct ncs_thing *t = ncs_things_find(&s->names, name, node->bytes);
    bool again = t && t->kind == NCS_THING_LOOP && kind == NCS_THING_LOOP && !t->there;
    bool refused = refuse_name(s, node);
    if (!refused && t && !again) {
        ncs_complain(s->c, node->at, "the name '%s' is taken: it is %s", name, ncs_thing_word(t->kind));
        return ncs_complain_note(s->c, t->at, "'%s' is made here", name);
    }
    for (int i = 0; ncs_schema_taken[i]; i++)
        if (strcmp(ncs_schema_taken[i], name) == 0)
            return false;
    if (t)
        t->at = node->at;
    else /* a refused name is added too, so that its uses are not reported as further mistakes */
        ncs_things_add(&s->names, name, kind, node->at);
    return true;
}

/* ---- references ---- */

#define IS(kind) (1u << NCS_THING_##kind)

/* By kind of field: the things that it can name, and how they are called. `computed`: an expression can stand there. */
static const struct reference {
    unsigned things;
    bool computed;
    const char *expected, *missing;
} references[] = {
    [NCS_SCHEMA_BUFFER] = { IS(BUFFER), true, "a buffer", "buffer" },
    [NCS_SCHEMA_COMM] = { IS(COMM), false, "the name of a communicator", "communicator" },
    [NCS_SCHEMA_STREAM] = { IS(STREAM), true, "a stream", "stream" },
    [NCS_SCHEMA_EVENT] = { IS(EVENT), false, "the name of an event", "event" },
    [NCS_SCHEMA_WINDOW] = { IS(WINDOW), false, "the name of a window", "window" },
    [NCS_SCHEMA_GRAPH] = { IS(GRAPH), false, "the name of a graph", "graph" },
    [NCS_SCHEMA_THREAD] = { IS(THREAD), false, "the name of a thread", "thread" },
    [NCS_SCHEMA_OP] = { IS(OP) | IS(LET), true, "sum, prod, max, min, avg or one of ops", "op" },
    [NCS_SCHEMA_AWAITED] = { IS(STREAM) | IS(EVENT) | IS(COMM), true, "device, or the name of a stream, event or communicator",
                             "stream, event or communicator" },
    [NCS_SCHEMA_DTYPE] = { 0, true, "the name of a dtype, such as float32", "dtype" },
    [NCS_SCHEMA_THING] = { ~(IS(LET) | IS(LOOP) | IS(THREAD)), false, "the name of something that can be freed", "named thing" },
};

static void hint_dtypes(struct ncs_scope *s)
{
    struct ncs_str text = { 0 };
    for (size_t i = 0; ncs_dtype_names[i]; i++)
        ncs_str_addf(&text, "%s%s", i == 0 ? "" : ncs_dtype_names[i + 1] ? ", " : " and ", ncs_dtype_names[i]);
    ncs_complain_hint(s->c, "there are %s", text.text);
    ncs_str_free(&text);
}

/* Reports a reference to a missing name; hints at names of the right kind only. */
static void no_such(struct ncs_scope *s, enum ncs_schema_kind kind, const struct ncs_yaml_node *node)
{
    const char **list = ncs_new((s->names.count + 32) * sizeof *list);
    size_t n = 0;
    ncs_complain(s->c, node->at, "there is no %s '%.60s'", references[kind].missing, node->text);
    for (size_t i = 0; i < s->names.count; i++)
        if (references[kind].things & 1u << s->names.item[i]->kind)
            list[n++] = s->names.item[i]->name;
    for (size_t i = 0; kind == NCS_SCHEMA_DTYPE && ncs_dtype_names[i]; i++)
        list[n++] = ncs_dtype_names[i];
    for (size_t i = 0; kind == NCS_SCHEMA_OP && ncs_redop_names[i]; i++)
        list[n++] = ncs_redop_names[i];
    if (kind == NCS_SCHEMA_AWAITED)
        list[n++] = "device";
    list[n] = NULL;
    bool meant = ncs_check_near(s, node->text, list, n);
    if (!meant && kind == NCS_SCHEMA_OP)
        ncs_complain_hint(s->c, "there are sum, prod, max, min and avg, and those under ops");
    if (!meant && kind == NCS_SCHEMA_DTYPE)
        hint_dtypes(s);
    ncs_free(list);
}

void ncs_check_reference(struct ncs_scope *s, const char *owner, const struct ncs_schema_field *field,
                         const struct ncs_yaml_node *node)
{
    enum ncs_schema_kind kind = field->kind;
    const struct reference *r = &references[kind];
    bool words = kind == NCS_SCHEMA_OP || kind == NCS_SCHEMA_DTYPE;
    if (node->kind != NCS_YAML_TEXT) {
        ncs_check_wrong(s, owner, node, r->expected);
        return;
    }
    if (!ncs_is_identifier(node->text, node->bytes)) {
        if (r->computed)
            ncs_check_expression(s, owner, NCS_SCOPE_STEPS, node);
        else
            ncs_check_wrong(s, owner, node, r->expected);
        return;
    }
    const struct ncs_thing *t = ncs_things_find(&s->names, node->text, node->bytes);
    if (kind == NCS_SCHEMA_AWAITED && strcmp(node->text, "device") == 0 && !t)
        return;
    if (t && kind == NCS_SCHEMA_DTYPE && t->kind == NCS_THING_LET)
        t = NULL; /* a dtype that was computed */
    else if (t && !(r->things & 1u << t->kind)) {
        ncs_complain(s->c, node->at, "%s: expected %s, '%s' is %s", owner, r->expected, t->name, ncs_thing_word(t->kind));
        if (kind == NCS_SCHEMA_STREAM && t->kind == NCS_THING_COMM)
            ncs_complain_hint(s->c, "did you mean '%s.stream'?", t->name);
        else if (!t->ready_made)
            ncs_complain_note(s->c, t->at, "'%s' is made here", t->name);
        return;
    } else if (!t && words && (kind == NCS_SCHEMA_OP ? ncs_redop_from_name(node->text) : ncs_dtype_from_name(node->text)) >= 0) {
        return;
    } else if (!t && strcmp(node->text, "world") == 0 && !s->world) {
        ncs_complain(s->c, node->at, "there is no world: the file says `world: false`");
        return;
    } else if (!t) {
        no_such(s, kind, node);
        return;
    }
    ncs_check_expression(s, owner, NCS_SCOPE_STEPS, node);
}
