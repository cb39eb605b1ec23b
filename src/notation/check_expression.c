/* Checks expressions, texts and chunks: their syntax as Lua, and that every name in them is known. */
#include "notation/check.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "notation/expression.h"

struct asking {
    struct ncs_scope *scope;
    const struct ncs_yaml_node *node;
    size_t offset; /* of the expression in the scalar's text */
    enum ncs_scope_kind scope_kind;
    bool chunk;
};

static bool expression_is_one_of(const char *const *names, const char *name, size_t bytes)
{
    for (; *names; names++)
        if (strlen(*names) == bytes && memcmp(*names, name, bytes) == 0)
            return true;
    return false;
}

static struct ncs_span expression_place(const struct asking *a, struct ncs_span part)
{
    return ncs_yaml_part(a->scope->yaml, a->node, a->offset + part.at, part.bytes);
}

/* ---- names ---- */

static void expression_unknown_name(const struct asking *a, const char *word, struct ncs_span at)
{
    static const char *const foreign[][2] = { { "None", "nil" },     { "null", "nil" },    { "NULL", "nil" },
                                              { "True", "true" },    { "False", "false" }, { "myrank", "rank" },
                                              { "params", "param" }, { "element", "i" } };
    struct ncs_scope *s = a->scope;
    const struct ncs_things *names = &s->names;
    ncs_complain(s->c, at, "no such name '%.60s'", word);
    if (s->c->errors > NCS_COMPLAINTS_KEPT)
        return;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(foreign[i][0], word) == 0) {
            ncs_complain_hint(s->c, "did you mean '%s'?", foreign[i][1]);
            return;
        }
    const char **list = ncs_new((names->count + 64) * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < names->count; i++)
        if (names->item[i]->there)
            list[n++] = names->item[i]->name;
    if (a->chunk) {
        for (size_t i = 0; ncs_schema_globals[i]; i++)
            list[n++] = ncs_schema_globals[i];
    } else {
        static const char *const own[] = { "rank", "nranks", "param", "math" };
        memcpy(list + n, own, sizeof own);
        n += sizeof own / sizeof *own;
        for (size_t i = 0; ncs_dtype_names[i]; i++)
            list[n++] = ncs_dtype_names[i];
        for (size_t i = 0; ncs_redop_names[i]; i++)
            list[n++] = ncs_redop_names[i];
    }
    if (!ncs_check_near(s, word, list, n) && !a->chunk)
        ncs_complain_hint(s->c, "expressions know rank, nranks, param, math and the names of this file");
    ncs_free(list);
}

static void check_param(const struct asking *a, const struct ncs_lint_name *n)
{
    const struct ncs_yaml_node *params = a->scope->params;
    char word[64];
    if (!n->field)
        return;
    snprintf(word, sizeof word, "%.*s", (int)(n->field_at.bytes < 60 ? n->field_at.bytes : 60), n->field);
    if (n->assigned) {
        ncs_complain(a->scope->c, expression_place(a, n->field_at), "param.%s cannot be assigned", word);
        return;
    }
    size_t count = params && params->kind == NCS_YAML_MAP ? params->items : 0;
    const char **names = ncs_new((count + 1) * sizeof *names);
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        names[i] = params->item[2 * i]->text;
        known = known || strcmp(names[i], word) == 0;
    }
    if (!known && count == 0)
        ncs_complain(a->scope->c, expression_place(a, n->field_at), "no such param '%s': params declares none", word);
    else if (!known)
        ncs_check_unknown(a->scope, expression_place(a, n->field_at), "param", word, NULL, names, count);
    ncs_free(names);
}

static void check_member(const struct asking *a, const struct ncs_lint_name *n, const char *owner, const char *const *members)
{
    char word[64];
    if (!n->field || expression_is_one_of(members, n->field, n->field_at.bytes))
        return;
    snprintf(word, sizeof word, "%.*s", (int)(n->field_at.bytes < 60 ? n->field_at.bytes : 60), n->field);
    ncs_check_unknown(a->scope, expression_place(a, n->field_at), "field", word, owner, members, 0);
}

/* Checks the use of a name that the file defines. */
static void check_thing(const struct asking *a, const struct ncs_lint_name *n, const struct ncs_thing *t)
{
    struct ncs_complaints *c = a->scope->c;
    if (n->assigned && !n->field && a->chunk && t->ready_made) {
        ncs_complain(c, expression_place(a, n->at), "'%s' cannot be assigned", t->name);
    } else if (!t->there && t->kind == NCS_THING_LOOP) {
        ncs_complain(c, expression_place(a, n->at), "'%s' is only known in the steps of its repeat", t->name);
        ncs_complain_note(c, t->at, "'%s' counts here", t->name);
    } else if (!t->there) {
        ncs_complain(c, expression_place(a, n->at), "'%s' is not defined yet: it is defined later", t->name);
        ncs_complain_note(c, t->at, "'%s' is made here", t->name);
    } else if (ncs_schema_members[t->kind]) {
        check_member(a, n, t->name, ncs_schema_members[t->kind]);
    }
}

/* The name of a dtype or an op is a text by itself; it has no fields and cannot be called. */
static void check_expression_word(const struct asking *a, const struct ncs_lint_name *n, const char *word)
{
    static const char *const functions[] = { "max", "min", NULL };
    if (!n->called && !n->field)
        return;
    ncs_complain(a->scope->c, expression_place(a, n->at), "'%s' is the name of %s", word,
                 ncs_dtype_from_name(word) >= 0 ? "a dtype" : "an op");
    if (n->called && expression_is_one_of(functions, word, strlen(word)))
        ncs_complain_hint(a->scope->c, "did you mean 'math.%s'?", word);
}

static void check_free(struct asking *a, const struct ncs_lint_name *n, const char *word)
{
    static const char *const constants[] = { "NOCOLOR", NULL };
    static const char *const streams[] = { "legacy_stream", "per_thread_stream", NULL };
    static const char *const run[] = { "param", "nranks", "policy", "driver", "nccl", NULL };
    struct ncs_scope *s = a->scope;
    bool steps = a->scope_kind == NCS_SCOPE_STEPS || a->scope_kind == NCS_SCOPE_ELEMENTS;
    if (strcmp(word, "param") == 0) {
        check_param(a, n);
    } else if (strcmp(word, "math") == 0) {
        check_member(a, n, "math", ncs_schema_math);
    } else if (strcmp(word, "nranks") == 0 && (steps || a->scope_kind == NCS_SCOPE_RUN)) {
        return;
    } else if (strcmp(word, "run") == 0 && a->scope_kind == NCS_SCOPE_RUN) {
        check_member(a, n, "run", run);
    } else if (!steps) {
        bool of_run = a->scope_kind == NCS_SCOPE_RUN;
        ncs_complain(s->c, expression_place(a, n->at),
                     "'%s' is not known here: this is evaluated before the run has "
                     "ranks",
                     word);
        if (of_run && expression_is_one_of(run, word, strlen(word)))
            ncs_complain_hint(s->c, "did you mean 'run.%s'?", word);
        else
            ncs_complain_hint(s->c, of_run ? "param, nranks, run and math are known" : "param and math are known");
    } else if (strcmp(word, "rank") == 0) {
        return;
    } else if (strcmp(word, "i") == 0 && !a->chunk) {
        if (a->scope_kind != NCS_SCOPE_ELEMENTS)
            ncs_complain(s->c, expression_place(a, n->at),
                         "i, the element, is only known in init, value and "
                         "expect");
    } else if (a->chunk && expression_is_one_of(ncs_schema_globals, word, strlen(word))) {
        if (!ncs_things_find(&s->globals, word, strlen(word)))
            ncs_things_add(&s->globals, word, NCS_THING_LET, expression_place(a, n->at));
    } else if (strcmp(word, "nccl") == 0 && !a->chunk && n->field) {
        check_member(a, n, "nccl", constants);
    } else if (strcmp(word, "cuda") == 0 && !a->chunk && n->field) {
        check_member(a, n, "cuda", streams);
    } else if (!a->chunk && (ncs_dtype_from_name(word) >= 0 || ncs_redop_from_name(word) >= 0)) {
        check_expression_word(a, n, word);
    } else if ((strcmp(word, "world") == 0) && !s->world) {
        ncs_complain(s->c, expression_place(a, n->at), "there is no world: the file says `world: false`");
    } else {
        expression_unknown_name(a, word, expression_place(a, n->at));
    }
}

static void expression_on_name(void *arg, const struct ncs_lint_name *n)
{
    struct asking *a = arg;
    char word[64];
    bool steps = a->scope_kind == NCS_SCOPE_STEPS || a->scope_kind == NCS_SCOPE_ELEMENTS;
    const struct ncs_thing *t = steps ? ncs_things_find(&a->scope->names, n->name, n->at.bytes) : NULL;
    if (t) {
        check_thing(a, n, t);
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)(n->at.bytes < 60 ? n->at.bytes : 60), n->name);
    if (n->assigned && !n->field && a->chunk) {
        bool known = expression_is_one_of(ncs_schema_globals, word, strlen(word));
        ncs_complain(a->scope->c, expression_place(a, n->at), known ? "'%s' cannot be assigned" : "'%s' would be a new global",
                     word);
        if (!known)
            ncs_complain_hint(a->scope->c, "write `local %s = ...`, or give it a name in let", word);
        return;
    }
    check_free(a, n, word);
}

/* ---- syntax ---- */

/* Hints at a plain scalar that ends before its expression does, because of a comma or a comment. */
static void hint_at_end(struct asking *a)
{
    const struct ncs_source *source = a->scope->source;
    size_t end = a->node->at.at + a->node->at.bytes;
    size_t blanks = end < source->bytes ? strspn(source->text + end, " \t") : 0;
    char next = end < source->bytes ? source->text[end + blanks] : '\0';
    if (a->node->of)
        return;
    if (next == ',') {
        end += blanks + 1;
        a->scope->cut = end + strspn(source->text + end, " \t\n");
        ncs_complain_hint(a->scope->c, "inside { } and [ ] a comma ends the value: quote it");
    } else if (next == '#' && blanks > 0) {
        ncs_complain_hint(a->scope->c, "` #` begins a comment: quote the value");
    }
}

static void check_lua(struct asking *a, const char *text, size_t bytes)
{
    struct ncs_lint_error err = { 0 };
    struct ncs_complaints *c = a->scope->c;
    const char *zero = memchr(text, '\0', bytes);
    if (zero) {
        ncs_complain(c, expression_place(a, (struct ncs_span){ (size_t)(zero - text), 1 }), "the Lua text contains a zero byte");
        return;
    }
    bool ok = a->chunk ? ncs_lint_chunk(text, bytes, expression_on_name, a, &err)
                       : ncs_expression_names(text, bytes, expression_on_name, a, &err);
    if (ok)
        return;
    ncs_complain(c, expression_place(a, err.at), "%s", err.text);
    if (err.has_open)
        ncs_complain_note(c, expression_place(a, err.open), "it begins here");
    if (a->node->plain && err.at.at >= bytes)
        hint_at_end(a);
}

void ncs_check_expression(struct ncs_scope *s, const char *owner, enum ncs_scope_kind scope, const struct ncs_yaml_node *node)
{
    struct asking a = { .scope = s, .node = node, .scope_kind = scope };
    if (ncs_yaml_is_number(node) || node->kind == NCS_YAML_BOOL)
        return;
    bool refused = node->kind == NCS_YAML_TEXT && /* reported where it is defined */
                   ncs_things_find(&s->names, node->text, node->bytes);
    if (node->kind != NCS_YAML_TEXT || (ncs_yaml_old_form(node) && !refused)) {
        ncs_check_wrong(s, owner, node, "a number, true, false or an expression");
        if (node->kind == NCS_YAML_NULL && node->plain && node->bytes > 0)
            ncs_complain_hint(s->c, "in expressions it is nil");
        return;
    }
    check_lua(&a, node->text, node->bytes);
}

void ncs_check_text(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node)
{
    struct ncs_span part;
    size_t at = 0;
    if (node->kind == NCS_YAML_LIST || node->kind == NCS_YAML_MAP || node->kind == NCS_YAML_NULL) {
        ncs_check_wrong(s, owner, node, "a text");
        return;
    }
    for (;;) {
        struct asking a = { .scope = s, .node = node, .scope_kind = NCS_SCOPE_STEPS };
        switch (ncs_text_next(node->text, node->bytes, &at, &part)) {
        case NCS_TEXT_END: return;
        case NCS_TEXT_PLAIN: break;
        case NCS_TEXT_OPEN: ncs_complain(s->c, expression_place(&a, part), "`${` is not closed by `}`"); return;
        case NCS_TEXT_EXPRESSION: a.offset = part.at; check_lua(&a, node->text + part.at, part.bytes);
        }
    }
}

void ncs_check_chunk(struct ncs_scope *s, const struct ncs_yaml_node *node)
{
    struct asking a = { .scope = s, .node = node, .scope_kind = NCS_SCOPE_STEPS, .chunk = true };
    if (node->kind != NCS_YAML_TEXT)
        ncs_check_wrong(s, "lua", node, "a text: a chunk of Lua");
    else
        check_lua(&a, node->text, node->bytes);
    s->returns = s->returns || (node->kind == NCS_YAML_TEXT && strstr(node->text, "return"));
}
