/* The text of a sentence. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "words/sentence.h"

static const char *const phrases[] = {
#define NCS_PHRASE(id, text) [NCS_PHRASE_##id] = text,
#include "words/phrases.def"
#undef NCS_PHRASE
};

struct rendering {
    const struct ncs_sentence *s;
    struct ncs_sentence *top;  /* that the text is of; it gets the lines that are named */
    struct ncs_naming *naming; /* NULL = ranks are as they are */
    struct ncs_str *out;
};

static const char *render_run(const struct rendering *r, const char *at, bool shown, bool inside);
static void render_sentence(const struct rendering *r, const struct ncs_sentence *s);

/* "{who.list:has|have}" */
struct slot {
    const char *name, *part, *one, *several; /* NULL = it has none */
    size_t name_bytes, part_bytes, one_bytes, several_bytes;
    const char *end; /* what follows the slot */
};

static struct slot read_slot(const char *at)
{
    struct slot slot = { .name = at, .name_bytes = strcspn(at, ".:}") };
    at += slot.name_bytes;
    if (*at == '.') {
        slot.part = at + 1;
        slot.part_bytes = strcspn(slot.part, ":}");
        at = slot.part + slot.part_bytes;
    }
    if (*at == ':') {
        slot.one = at + 1;
        slot.one_bytes = strcspn(slot.one, "|}");
        slot.several = slot.one + slot.one_bytes + 1;
        slot.several_bytes = strcspn(slot.several, "}");
        at = slot.several + slot.several_bytes;
    }
    slot.end = at + 1;
    return slot;
}

/* Who a sentence names alone may be introduced, but not where more is said of the name: "rank 2's", "rank 2 of world". */
static void render_introduction(const struct rendering *r, int rank, const char *next)
{
    struct ncs_naming *n = r->naming;
    if (n && n->introduce && !n->introduced && *next != '\'' && strncmp(next, " of ", 4) != 0)
        n->introduced = n->introduce(n->arg, rank, r->out);
}

static bool render_is_part(const struct slot *slot, const char *part)
{
    return slot->part && strlen(part) == slot->part_bytes && strncmp(slot->part, part, slot->part_bytes) == 0;
}

static void render_rank_list(const struct rendering *r, const struct slot *slot, const struct ncs_fact *f)
{
    if (render_is_part(slot, "each")) {
        for (size_t i = 0; i < f->ranks; i++)
            ncs_str_addf(r->out, "%srank %d", i ? ", " : "", f->rank[i]);
        return;
    }
    if (!render_is_part(slot, "list"))
        ncs_str_add(r->out, f->ranks == 1 ? "rank " : "ranks ");
    ncs_str_add_many_ranks(r->out, f->rank, f->ranks);
    if (!slot->part && f->ranks == 1)
        render_introduction(r, f->rank[0], slot->end);
}

static void render_number(const struct rendering *r, const struct slot *slot, int64_t number)
{
    if (render_is_part(slot, "one") && number == 1)
        ncs_str_add(r->out, "one");
    else if (render_is_part(slot, "calls") && number <= 1)
        ncs_str_add(r->out, number == 1 ? "one call" : "no call");
    else
        ncs_str_addf(r->out, "%" PRId64 "%s", number, render_is_part(slot, "calls") ? " calls" : "");
}

static void render_line(const struct rendering *r, int line)
{
    NCS_PUSH(r->top->line, r->top->lines, r->top->lines_room, line);
    ncs_str_addf(r->out, "line %d", line);
}

static void render_call_at(const struct rendering *r, const struct ncs_called *c)
{
    if (c->line) {
        ncs_str_add(r->out, " at ");
        render_line(r, c->line);
    }
    if (c->label)
        ncs_str_addf(r->out, " (%s)", c->label);
}

/* A text may be a message that names a line itself: "fault.kill at line 3". */
static void render_text(const struct rendering *r, const char *text)
{
    ncs_str_add(r->out, text);
    for (const char *at = text; (at = strstr(at, "line ")) != NULL;) {
        char *end;
        at += strlen("line ");
        long line = strtol(at, &end, 10);
        if (end > at && line > 0 && line <= INT_MAX)
            NCS_PUSH(r->top->line, r->top->lines, r->top->lines_room, (int)line);
    }
}

static void render_call(const struct rendering *r, const struct slot *slot, const struct ncs_called *c)
{
    if (render_is_part(slot, "at"))
        render_call_at(r, c);
    else if (render_is_part(slot, "c"))
        ncs_str_add(r->out, c->c);
    else if (render_is_part(slot, "comm"))
        ncs_str_add(r->out, c->comm);
    else if (render_is_part(slot, "function"))
        ncs_str_add(r->out, c->function);
    else if (render_is_part(slot, "label"))
        ncs_str_add(r->out, c->label ? c->label : "");
    else if (render_is_part(slot, "line"))
        render_line(r, c->line);
    else if (render_is_part(slot, "number"))
        ncs_str_addf(r->out, "%" PRIu32, c->number);
    else if (render_is_part(slot, "rank"))
        ncs_str_addf(r->out, "rank %d", c->rank);
    else if (render_is_part(slot, "what"))
        ncs_str_add(r->out, c->what);
    else
        ncs_str_addf(r->out, "call %" PRIu32 " on %s", c->number, c->comm);
    if (render_is_part(slot, "rank"))
        render_introduction(r, c->rank, slot->end);
}

static bool render_is_one(const struct ncs_fact *f)
{
    return f->kind == NCS_IS_RANKS ? f->ranks == 1 : f->number == 1;
}

static void render_fact(const struct rendering *r, const struct slot *slot, const struct ncs_fact *f)
{
    if (slot->one) {
        ncs_str_add_bytes(r->out, render_is_one(f) ? slot->one : slot->several,
                          render_is_one(f) ? slot->one_bytes : slot->several_bytes);
        return;
    }
    switch (f->kind) {
    case NCS_IS_NUMBER: render_number(r, slot, f->number); break;
    case NCS_IS_TEXT: render_text(r, f->text ? f->text : ""); break;
    case NCS_IS_LINE: render_line(r, (int)f->number); break;
    case NCS_IS_RANKS: render_rank_list(r, slot, f); break;
    case NCS_IS_CALL:
        if (f->call)
            render_call(r, slot, f->call);
        break;
    case NCS_IS_SENTENCE:
        if (f->sentence)
            render_sentence(r, f->sentence);
        break;
    }
}

/* True if the fact is there, or the part of it: the line of a call that is known, its label. */
static bool render_is_there(const struct slot *slot, const struct ncs_fact *f)
{
    if (!f)
        return false;
    switch (f->kind) {
    case NCS_IS_NUMBER:
    case NCS_IS_LINE: return f->number != 0;
    case NCS_IS_TEXT: return f->text && *f->text;
    case NCS_IS_RANKS: return f->ranks > 0;
    case NCS_IS_SENTENCE: return f->sentence;
    case NCS_IS_CALL: break;
    }
    return f->call && (!render_is_part(slot, "line") || f->call->line) && (!render_is_part(slot, "number") || f->call->number) &&
           (!render_is_part(slot, "at") || f->call->line || f->call->label);
}

/* "[more: ", "[!more: ": not every bracket begins a segment. */
static bool begins_segment(const char *at)
{
    if (*at != '[')
        return false;
    at += at[1] == '!' ? 2 : 1;
    size_t bytes = strspn(at, "abcdefghijklmnopqrstuvwxyz_.");
    return bytes > 0 && at[bytes] == ':' && at[bytes + 1] == ' ';
}

static const char *render_segment(const struct rendering *r, const char *at, bool shown)
{
    bool without = at[1] == '!';
    const char *name = at + (without ? 2 : 1);
    struct slot slot = { .name = name, .name_bytes = strcspn(name, ".:") };
    const char *colon = name + strcspn(name, ":");
    if (name[slot.name_bytes] == '.') {
        slot.part = name + slot.name_bytes + 1;
        slot.part_bytes = (size_t)(colon - slot.part);
    }
    bool there = render_is_there(&slot, ncs_sentence_fact(r->s, slot.name, slot.name_bytes));
    return render_run(r, colon + 2, shown && there != without, true);
}

/* Adds the phrase from `at` on, up to the end of its segment; returns what follows. */
static const char *render_run(const struct rendering *r, const char *at, bool shown, bool inside)
{
    while (*at && !(inside && *at == ']')) {
        if (begins_segment(at)) {
            at = render_segment(r, at, shown);
        } else if (*at == '{' && islower((unsigned char)at[1])) {
            struct slot slot = read_slot(at + 1);
            const struct ncs_fact *f = ncs_sentence_fact(r->s, slot.name, slot.name_bytes);
            if (shown && f)
                render_fact(r, &slot, f);
            at = slot.end;
        } else {
            if (shown)
                ncs_str_add_bytes(r->out, at, 1);
            at++;
        }
    }
    return at + (*at != '\0');
}

static void render_sentence(const struct rendering *r, const struct ncs_sentence *s)
{
    const struct rendering own = { s, r->top, r->naming, r->out };
    render_run(&own, phrases[s->phrase], true, false);
}

void ncs_sentence_render(struct ncs_sentence *s, struct ncs_naming *naming)
{
    struct ncs_str text = { 0 };
    const struct rendering r = { s, s, naming, &text };
    ncs_str_add(&text, "");
    s->lines = 0;
    render_sentence(&r, s);
    ncs_free(s->text);
    s->text = ncs_str_take(&text);
}

const char *ncs_sentence_text(const struct ncs_sentence *s)
{
    if (s && !s->text)
        ncs_sentence_render((struct ncs_sentence *)s, NULL);
    return s ? s->text : NULL;
}
