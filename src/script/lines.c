/* Rewrites the line numbers in Lua 5.4's bytecode. A function stores its first and last line, and
 * for each instruction the distance to the line of the instruction before. If that does not fit
 * into a byte, and at least once in 128 instructions, a second list holds the line itself. */
#include "script/lines.h"

#include <stdint.h>
#include <string.h>

#include <lua.h>

enum {
    VERSION = 0x54,
    FORMAT = 0,
    HEAD = 4 + 2 + 6, /* signature, version, format, bytes that detect a bad transfer */
    INSTRUCTION = 4,
    ABSOLUTE = -128, /* marks an entry of the second list */
    FARTHEST = 127,
    DEEPEST = 250, /* functions in functions; Lua's own limit is 200 */
};

struct rewriting {
    const unsigned char *at, *end;
    struct ncs_str out;
    const struct ncs_lines *lines;
    int depth;
    bool broken;
};

int ncs_lines_from(const struct ncs_lines *lines, int line)
{
    if (line <= 0 || !lines->count)
        return line;
    size_t at = (size_t)line <= lines->count ? (size_t)line : lines->count;
    return lines->line[at - 1];
}

void ncs_lines_free(struct ncs_lines *lines)
{
    struct ncs_translation t = { .line = lines->line, .key = lines->key, .keys = lines->keys };
    ncs_translation_free(&t);
    *lines = (struct ncs_lines){ 0 };
}

int ncs_lines_of_key(const struct ncs_lines *lines, const char *within, const char *key)
{
    const struct ncs_key_line *best = NULL;
    bool inside = !within;
    for (size_t i = 0; i < lines->keys; i++) {
        const struct ncs_key_line *k = &lines->key[i];
        if (within && k->depth == 0)
            inside = strcmp(k->name, within) == 0;
        else if (inside && strcmp(k->name, key) == 0 && (!best || k->depth < best->depth))
            best = k;
    }
    return best ? best->line : 0;
}

/* ---- parts of the format ---- */

static const unsigned char *lines_take_bytes(struct rewriting *r, size_t bytes)
{
    const unsigned char *part = r->at;
    if (r->broken || bytes > (size_t)(r->end - r->at)) {
        r->broken = true;
        return NULL;
    }
    r->at += bytes;
    return part;
}

static const unsigned char *lines_copy(struct rewriting *r, size_t bytes)
{
    const unsigned char *part = lines_take_bytes(r, bytes);
    if (part)
        ncs_str_add_bytes(&r->out, part, bytes);
    return part;
}

/* Seven bits a byte, the highest first; the last byte has its eighth bit set. */
static size_t lines_take_number(struct rewriting *r)
{
    size_t number = 0;
    for (;;) {
        const unsigned char *byte = lines_take_bytes(r, 1);
        if (!byte || number > SIZE_MAX >> 7) {
            r->broken = true;
            return 0;
        }
        number = number << 7 | (*byte & 0x7f);
        if (*byte & 0x80)
            return number;
    }
}

static void lines_add_number(struct ncs_str *out, size_t number)
{
    unsigned char byte[(sizeof number * 8 + 6) / 7], *at = byte + sizeof byte;
    *--at = (unsigned char)(0x80 | (number & 0x7f));
    while (number >>= 7)
        *--at = (unsigned char)(number & 0x7f);
    ncs_str_add_bytes(out, at, (size_t)(byte + sizeof byte - at));
}

static size_t copy_number(struct rewriting *r)
{
    size_t number = lines_take_number(r);
    lines_add_number(&r->out, number);
    return number;
}

/* A count of items that take at least one byte each; checks that they fit into the rest. */
static size_t copy_count(struct rewriting *r)
{
    size_t count = copy_number(r);
    if (count > (size_t)(r->end - r->at))
        r->broken = true;
    return r->broken ? 0 : count;
}

static void copy_text(struct rewriting *r)
{
    size_t size = copy_number(r); /* 0: none, else the length and one */
    if (size > 0)
        lines_copy(r, size - 1);
}

static int lines_take_line(struct rewriting *r)
{
    size_t line = lines_take_number(r);
    r->broken = r->broken || line > INT32_MAX;
    return r->broken ? 0 : (int)line;
}

/* ---- a function ---- */

static void copy_constants(struct rewriting *r)
{
    enum { NIL = 0, FALSE_ = 1, TRUE_ = 17, INTEGER = 3, FLOAT = 19, SHORT_TEXT = 4, LONG_TEXT = 20 };
    for (size_t n = copy_count(r); n > 0 && !r->broken; n--) {
        const unsigned char *kind = lines_copy(r, 1);
        switch (kind ? *kind : -1) {
        case INTEGER: lines_copy(r, sizeof(lua_Integer)); break;
        case FLOAT: lines_copy(r, sizeof(lua_Number)); break;
        case SHORT_TEXT:
        case LONG_TEXT: copy_text(r); break;
        case NIL:
        case FALSE_:
        case TRUE_: break;
        default: r->broken = true;
        }
    }
}

/* Rewrites the two lists of lines of a function that begins at the line `begin`. */
static void rewrite_lines(struct rewriting *r, int begin)
{
    size_t count = lines_take_number(r);
    const unsigned char *distance = lines_take_bytes(r, count);
    size_t absolutes = lines_take_number(r), added = 0;
    struct ncs_str near = { 0 }, far = { 0 };
    int line = begin, before = ncs_lines_from(r->lines, begin);
    for (size_t pc = 0; distance && pc < count && !r->broken; pc++) {
        bool absolute = (signed char)distance[pc] == ABSOLUTE;
        if (absolute && (absolutes-- == 0 || lines_take_number(r) != pc))
            r->broken = true;
        line = absolute ? lines_take_line(r) : line + (signed char)distance[pc];
        int from = ncs_lines_from(r->lines, line), step = from - before;
        before = from;
        if (absolute || step > FARTHEST || step < -FARTHEST) {
            step = ABSOLUTE;
            lines_add_number(&far, pc);
            lines_add_number(&far, (size_t)from);
            added++;
        }
        ncs_str_add_bytes(&near, &(signed char){ (signed char)step }, 1);
    }
    r->broken = r->broken || absolutes != 0;
    lines_add_number(&r->out, count);
    ncs_str_add_bytes(&r->out, near.text, near.bytes);
    lines_add_number(&r->out, added);
    ncs_str_add_bytes(&r->out, far.text, far.bytes);
    ncs_str_free(&near);
    ncs_str_free(&far);
}

static void rewrite_function(struct rewriting *r)
{
    if (++r->depth > DEEPEST)
        r->broken = true;
    copy_text(r); /* the source */
    int begin = lines_take_line(r), end = lines_take_line(r);
    lines_add_number(&r->out, (size_t)ncs_lines_from(r->lines, begin));
    lines_add_number(&r->out, (size_t)ncs_lines_from(r->lines, end));
    lines_copy(r, 3); /* parameters, whether there are more, size of the stack */
    lines_copy(r, copy_count(r) * INSTRUCTION);
    copy_constants(r);
    lines_copy(r, copy_count(r) * 3); /* upvalues */
    for (size_t n = copy_count(r); n > 0 && !r->broken; n--)
        rewrite_function(r);
    rewrite_lines(r, begin);
    for (size_t n = copy_count(r); n > 0 && !r->broken; n--) { /* locals */
        copy_text(r);
        copy_number(r);
        copy_number(r);
    }
    for (size_t n = copy_count(r); n > 0 && !r->broken; n--) /* names of upvalues */
        copy_text(r);
    r->depth--;
}

/* Checks that the format is the one this file knows, with the sizes of this machine. */
static void copy_head(struct rewriting *r)
{
    const unsigned char *head = lines_copy(r, HEAD), *size = lines_copy(r, 3);
    if (!head || !size || memcmp(head, LUA_SIGNATURE, 4) != 0 || head[4] != VERSION || head[5] != FORMAT ||
        size[0] != INSTRUCTION || size[1] != sizeof(lua_Integer) || size[2] != sizeof(lua_Number))
        r->broken = true;
    lines_copy(r, sizeof(lua_Integer) + sizeof(lua_Number)); /* examples of both */
    lines_copy(r, 1);                                        /* upvalues of the main function */
}

bool ncs_lines_apply(const struct ncs_lines *lines, struct ncs_str *code, struct ncs_error *err)
{
    struct rewriting r = { .at = (const unsigned char *)code->text, .lines = lines };
    r.end = r.at + code->bytes;
    copy_head(&r);
    if (!r.broken)
        rewrite_function(&r);
    if (r.broken || r.at != r.end) {
        ncs_str_free(&r.out);
        return ncs_fail(err, NCS_INTERNAL, "the bytecode format of this Lua is unknown");
    }
    ncs_str_free(code);
    *code = r.out;
    return true;
}
