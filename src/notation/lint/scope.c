/* Functions, blocks, locals and labels, by the rules of Lua's compiler: which names are free, which may be
 * assigned, and which labels a goto may reach. */
#include "notation/lint/reader.h"

#include <string.h>

#include "base/mem.h"

static bool same(struct ncs_lint_word_of a, struct ncs_lint_word_of b)
{
    return a.bytes == b.bytes && (a.text == b.text || memcmp(a.text, b.text, a.bytes) == 0);
}

/* ---- locals ---- */

void ncs_lint_declare(struct ncs_reader *r, struct ncs_lint_word_of name, bool readonly)
{
    struct ncs_lint_local local = { name, readonly };
    if (r->locals - r->function->first_local >= NCS_LINT_LOCALS)
        ncs_lint_fail(&r->x, r->x.span, "more than %d local variables in one function", NCS_LINT_LOCALS);
    else
        NCS_PUSH(r->local, r->locals, r->local_room, local);
}

void ncs_lint_declare_hidden(struct ncs_reader *r, int count)
{
    for (int i = 0; i < count; i++)
        ncs_lint_declare(r, (struct ncs_lint_word_of){ "", 0 }, false);
}

void ncs_lint_activate(struct ncs_reader *r)
{
    r->function->active = r->locals - r->function->first_local;
}

static enum ncs_lint_found add_upvalue(struct ncs_reader *r, struct ncs_lint_function *f, struct ncs_lint_word_of name,
                                       enum ncs_lint_found found)
{
    struct ncs_lint_local upvalue = { name, found == NCS_LINT_READONLY };
    if (f->upvalues >= NCS_LINT_UPVALUES)
        ncs_lint_fail(&r->x, r->x.span, "more than %d variables from outside in one function", NCS_LINT_UPVALUES);
    else
        NCS_PUSH(f->upvalue, f->upvalues, f->upvalue_room, upvalue);
    return found;
}

/* Each function in between records the upvalue, because Lua limits upvalues per function. */
static enum ncs_lint_found find(struct ncs_reader *r, struct ncs_lint_function *f, struct ncs_lint_word_of name)
{
    if (!f)
        return NCS_LINT_GLOBAL;
    for (size_t i = f->active; i > 0; i--) {
        const struct ncs_lint_local *local = &r->local[f->first_local + i - 1];
        if (same(local->name, name))
            return local->readonly ? NCS_LINT_READONLY : NCS_LINT_LOCAL;
    }
    for (size_t i = 0; i < f->upvalues; i++)
        if (same(f->upvalue[i].name, name))
            return f->upvalue[i].readonly ? NCS_LINT_READONLY : NCS_LINT_LOCAL;
    enum ncs_lint_found found = find(r, f->outer, name);
    return found == NCS_LINT_GLOBAL ? found : add_upvalue(r, f, name, found);
}

static const struct ncs_lint_word_of environment = { "_ENV", 4 };

/* True if a free name is a field of a local _ENV: Lua resolves _ENV like any other variable. */
static bool own_environment(struct ncs_reader *r)
{
    for (struct ncs_lint_function *f = r->function; f; f = f->outer)
        for (size_t i = f->active; i > 0; i--)
            if (same(r->local[f->first_local + i - 1].name, environment))
                return true;
    return false;
}

enum ncs_lint_found ncs_lint_find(struct ncs_reader *r, struct ncs_lint_word_of name)
{
    enum ncs_lint_found found = find(r, r->function, name);
    if (found != NCS_LINT_GLOBAL)
        return found;
    find(r, r->function, environment);
    return own_environment(r) ? NCS_LINT_FIELD : NCS_LINT_GLOBAL;
}

/* ---- functions and blocks ---- */

void ncs_lint_open_function(struct ncs_reader *r, struct ncs_lint_function *f, bool varargs)
{
    *f = (struct ncs_lint_function){
        .outer = r->function, .first_local = r->locals, .first_label = r->labels, .varargs = varargs
    };
    r->function = f;
    if (!f->outer) /* the chunk's own upvalue */
        add_upvalue(r, f, environment, NCS_LINT_LOCAL);
}

void ncs_lint_close_function(struct ncs_reader *r)
{
    struct ncs_lint_function *f = r->function;
    r->locals = f->first_local;
    ncs_free(f->upvalue);
    r->function = f->outer;
}

void ncs_lint_open_block(struct ncs_reader *r, struct ncs_lint_block *b, bool loop)
{
    *b = (struct ncs_lint_block){
        .outer = r->function->block, .active = r->function->active, .first_label = r->labels, .first_jump = r->jumps, .loop = loop
    };
    r->function->block = b;
}

/* ---- labels ---- */

static void fail_into_scope(struct ncs_reader *r, const struct ncs_lint_label *jump)
{
    char label[NCS_LINT_SHOWN], local[NCS_LINT_SHOWN];
    const struct ncs_lint_local *first = &r->local[r->function->first_local + jump->active];
    ncs_lint_fail(&r->x, jump->at, "goto %s jumps into the scope of local `%s`",
                  ncs_lint_shown(jump->name.text, jump->name.bytes, label),
                  ncs_lint_shown(first->name.text, first->name.bytes, local));
}

/* Resolves the open jumps of the innermost block that go to this label. */
static void resolve(struct ncs_reader *r, const struct ncs_lint_label *label)
{
    size_t kept = r->function->block->first_jump;
    for (size_t i = kept; i < r->jumps; i++) {
        struct ncs_lint_label *jump = &r->jump[i];
        bool is_break = !jump->name.text;
        if (is_break != !label->name.text || (!is_break && !same(jump->name, label->name)))
            r->jump[kept++] = *jump;
        else if (!is_break && jump->active < label->active)
            fail_into_scope(r, jump);
    }
    r->jumps = kept;
}

static const struct ncs_lint_label *find_label(const struct ncs_reader *r, struct ncs_lint_word_of name)
{
    for (size_t i = r->function->first_label; i < r->labels; i++)
        if (same(r->label[i].name, name))
            return &r->label[i];
    return NULL;
}

void ncs_lint_label(struct ncs_reader *r, struct ncs_span name, bool last)
{
    char shown[NCS_LINT_SHOWN];
    struct ncs_lint_label label = { ncs_lint_word_at(r, name), name, r->function->active };
    const struct ncs_lint_label *other = find_label(r, label.name);
    if (other) { /* of a row of labels the last is made first */
        bool later = other->at.at > name.at;
        struct ncs_lint_error *err = ncs_lint_fail(&r->x, later ? other->at : name, "label `%s` exists already",
                                                   ncs_lint_shown(label.name.text, label.name.bytes, shown));
        if (err) {
            err->open = later ? name : other->at;
            err->has_open = true;
        }
        return;
    }
    if (last) /* the locals of the block are as good as gone */
        label.active = r->function->block->active;
    NCS_PUSH(r->label, r->labels, r->label_room, label);
    resolve(r, &label);
}

void ncs_lint_jump(struct ncs_reader *r, struct ncs_lint_word_of name, struct ncs_span at)
{
    struct ncs_lint_label jump = { name, at, r->function->active };
    if (!name.text || !find_label(r, name))
        NCS_PUSH(r->jump, r->jumps, r->jump_room, jump);
}

static void fail_jump(struct ncs_reader *r, const struct ncs_lint_label *jump)
{
    char shown[NCS_LINT_SHOWN];
    if (!jump->name.text)
        ncs_lint_fail(&r->x, jump->at, "`break` outside of a loop");
    else
        ncs_lint_fail(&r->x, jump->at, "no label `%s` for this goto in its function",
                      ncs_lint_shown(jump->name.text, jump->name.bytes, shown));
}

void ncs_lint_close_block(struct ncs_reader *r)
{
    struct ncs_lint_function *f = r->function;
    struct ncs_lint_block *b = f->block;
    r->locals = f->first_local + b->active;
    f->active = b->active;
    if (b->loop) {
        struct ncs_lint_label end = { .active = b->active };
        resolve(r, &end);
    }
    r->labels = b->first_label;
    f->block = b->outer;
    if (!b->outer && b->first_jump < r->jumps)
        fail_jump(r, &r->jump[b->first_jump]);
    for (size_t i = b->first_jump; i < r->jumps; i++)
        if (r->jump[i].active > b->active)
            r->jump[i].active = b->active;
    if (!b->outer)
        r->jumps = b->first_jump;
}
