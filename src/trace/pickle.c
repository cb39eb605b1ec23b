/* Reads pickles of protocols 2 to 5 that contain only data (trace/README.md, rule 1). A pickle is a program for a stack
 * machine; this reader knows the opcodes that make lists, dictionaries, texts and numbers, and refuses all others. No value
 * of the result contains itself. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "trace/reader.h"
#include "trace/value.h"

enum {
    MOST_VALUES = 16 << 20,
    MOST_MEMO = 16 << 20,
    MOST_DIGITS = 8, /* bytes of a whole number */
};

struct reader {
    const unsigned char *text;
    size_t bytes, at, op; /* op: where the opcode that is being carried out is */
    struct ncs_arena *arena;
    struct value **slot;
    size_t slots, slot_room; /* NULL = a mark */
    struct value **memo;
    size_t memos, memo_room; /* by number; NULL = nothing is stored */
    size_t values;
    struct value *none, *yes, *no, *small[256];
    bool over;
    struct ncs_error *err;
};

struct opcode {
    const char *name;
    bool (*run)(struct reader *r, size_t operand); /* NULL = refused */
    size_t operand; /* bytes of its number, or of the length of its text; values of its tuple; ... */
};

static const struct opcode *opcode_of(unsigned char byte);

static bool fail(struct reader *r, const char *what)
{
    const struct opcode *op = r->op < r->bytes ? opcode_of(r->text[r->op]) : NULL;
    if (op && op->name)
        return ncs_fail(r->err, NCS_BAD_INPUT, "offset %zu, opcode %s: %s", r->op, op->name, what);
    return ncs_fail(r->err, NCS_BAD_INPUT, "offset %zu: %s", r->op, what);
}

/* ---- operands of an opcode ---- */

static const unsigned char *pickle_take(struct reader *r, size_t count)
{
    if (r->bytes - r->at < count) {
        fail(r, "the file ends within it");
        return NULL;
    }
    r->at += count;
    return r->text + r->at - count;
}

static bool take_number(struct reader *r, size_t bytes, uint64_t *number)
{
    const unsigned char *p = pickle_take(r, bytes);
    *number = 0;
    for (size_t i = bytes; p && i-- > 0;)
        *number = *number << 8 | p[i];
    return p != NULL;
}

/* ---- the stack ---- */

static bool push(struct reader *r, struct value *value)
{
    NCS_PUSH(r->slot, r->slots, r->slot_room, value);
    return ++r->values <= MOST_VALUES || fail(r, "more values than a dump can hold");
}

static struct value *top(struct reader *r, size_t below)
{
    if (below >= r->slots || !r->slot[r->slots - 1 - below]) {
        fail(r, "the stack has no value for it");
        return NULL;
    }
    return r->slot[r->slots - 1 - below];
}

/* The number of values above the last mark; SIZE_MAX if there is no mark. */
static size_t above_mark(struct reader *r)
{
    for (size_t i = r->slots; i-- > 0;)
        if (!r->slot[i])
            return r->slots - 1 - i;
    fail(r, "there is no mark on the stack");
    return SIZE_MAX;
}

/* Adds the last values to the list or dictionary below them, and below the mark, if there is one. */
static bool add_last(struct reader *r, enum value_kind kind, size_t count, bool marked)
{
    struct value *into = top(r, count + marked);
    if (!into)
        return false;
    if (into->kind != kind)
        return fail(r, kind == VALUE_DICT ? "it adds to a value that is no dictionary" : "it adds to a value that is no list");
    if (kind == VALUE_DICT && count % 2)
        return fail(r, "a key without a value");
    for (size_t i = r->slots - count; i < r->slots; i++) {
        bool key = kind == VALUE_DICT && (r->slots - i) % 2 == 0;
        if (key && r->slot[i]->kind != VALUE_TEXT && r->slot[i]->kind != VALUE_WHOLE)
            return fail(r, "a key that is neither a text nor a whole number");
        if (!ncs_value_append(r->arena, into, r->slot[i]))
            return fail(r, "more values than a dump can hold");
    }
    r->slots -= count + marked;
    return true;
}

/* Pushes a tuple of the last values. */
static bool tuple_of(struct reader *r, size_t count, bool marked)
{
    struct value *made = ncs_value_new(r->arena, VALUE_LIST);
    for (size_t i = 0; i < count; i++) {
        struct value *v = top(r, count - 1 - i);
        if (!v)
            return false;
        ncs_value_append(r->arena, made, v);
    }
    r->slots -= count + marked;
    return push(r, made);
}

/* ---- the opcodes ---- */

static bool run_proto(struct reader *r, size_t bytes)
{
    uint64_t version;
    return take_number(r, bytes, &version) &&
           ((version >= 2 && version <= 5) || fail(r, "a pickle of another protocol than 2 to 5"));
}

/* A frame only says how many bytes belong together. */
static bool run_frame(struct reader *r, size_t bytes)
{
    uint64_t count;
    return take_number(r, bytes, &count) && (count <= r->bytes - r->at || fail(r, "the file ends within it"));
}

static bool run_stop(struct reader *r, size_t none)
{
    (void)none;
    r->over = true;
    return r->slots == 1 ? top(r, 0) != NULL : fail(r, "the stack must hold exactly one value at the end");
}

enum { CONSTANT_MARK, CONSTANT_NONE, CONSTANT_TRUE, CONSTANT_FALSE };

static bool run_constant(struct reader *r, size_t which)
{
    struct value *const constants[] = { NULL, r->none, r->yes, r->no };
    return push(r, constants[which]);
}

static bool run_new(struct reader *r, size_t kind)
{
    return push(r, ncs_value_new(r->arena, (enum value_kind)kind));
}

/* Small numbers are common: each is one value. */
static bool push_whole(struct reader *r, int64_t number)
{
    bool small = number >= 0 && number < (int64_t)(sizeof r->small / sizeof *r->small);
    struct value *v = small ? r->small[number] : NULL;
    if (!v) {
        v = ncs_value_new(r->arena, VALUE_WHOLE);
        v->whole = number;
    }
    if (small)
        r->small[number] = v;
    return push(r, v);
}

/* Of 1 or 2 bytes it is not below 0. */
static bool run_int(struct reader *r, size_t bytes)
{
    uint64_t number;
    return take_number(r, bytes, &number) && push_whole(r, bytes == 4 ? (int32_t)(uint32_t)number : (int64_t)number);
}

static bool run_long(struct reader *r, size_t length)
{
    uint64_t bytes, number;
    if (!take_number(r, length, &bytes))
        return false;
    if (bytes > MOST_DIGITS)
        return fail(r, "a number of more than 8 bytes");
    if (!take_number(r, bytes, &number))
        return false;
    if (bytes > 0 && bytes < MOST_DIGITS && number >> (8 * bytes - 1))
        number |= UINT64_MAX << (8 * bytes); /* it is below 0 */
    return push_whole(r, (int64_t)number);
}

/* Most significant byte first. */
static bool run_float(struct reader *r, size_t bytes)
{
    const unsigned char *p = pickle_take(r, bytes);
    uint64_t word = 0;
    for (size_t i = 0; p && i < bytes; i++)
        word = word << 8 | p[i];
    if (!p)
        return false;
    struct value *v = ncs_value_new(r->arena, VALUE_REAL);
    memcpy(&v->real, &word, sizeof v->real);
    return push(r, v);
}

static bool run_text(struct reader *r, size_t length)
{
    uint64_t bytes;
    if (!take_number(r, length, &bytes))
        return false;
    const unsigned char *p = pickle_take(r, bytes);
    return p && push(r, ncs_value_text(r->arena, (const char *)p, bytes));
}

static bool run_tuple(struct reader *r, size_t values)
{
    return tuple_of(r, values, false);
}

static bool run_marked_tuple(struct reader *r, size_t values)
{
    values = above_mark(r);
    return values != SIZE_MAX && tuple_of(r, values, true);
}

static bool run_append(struct reader *r, size_t values)
{
    return top(r, 0) && top(r, 1) && add_last(r, VALUE_LIST, values, false);
}

static bool run_set(struct reader *r, size_t values)
{
    return top(r, 0) && top(r, 1) && top(r, 2) && add_last(r, VALUE_DICT, values, false);
}

static bool run_appends(struct reader *r, size_t values)
{
    values = above_mark(r);
    return values != SIZE_MAX && add_last(r, VALUE_LIST, values, true);
}

static bool run_sets(struct reader *r, size_t values)
{
    values = above_mark(r);
    return values != SIZE_MAX && add_last(r, VALUE_DICT, values, true);
}

/* Numbers follow each other in what picklers write; one far ahead would only take memory. */
static bool pickle_keep(struct reader *r, uint64_t number)
{
    struct value *v = top(r, 0);
    if (!v)
        return false;
    if (number >= MOST_MEMO || number > r->bytes)
        return fail(r, "the number of the value is too high");
    while (r->memos <= number)
        NCS_PUSH(r->memo, r->memos, r->memo_room, NULL);
    if (r->memo[number])
        return fail(r, "the number of the value is in use");
    r->memo[number] = v;
    return true;
}

static bool run_put(struct reader *r, size_t bytes)
{
    uint64_t number;
    return take_number(r, bytes, &number) && pickle_keep(r, number);
}

static bool run_memoize(struct reader *r, size_t none)
{
    (void)none;
    return pickle_keep(r, r->memos);
}

static bool run_get(struct reader *r, size_t bytes)
{
    uint64_t number;
    if (!take_number(r, bytes, &number))
        return false;
    if (number >= r->memos || !r->memo[number])
        return fail(r, "no value was stored under this number");
    return push(r, r->memo[number]);
}

/* clang-format off */
static const struct opcode opcodes[256] = {
    [0x80] = { "PROTO", run_proto, 1 },                  ['.'] = { "STOP", run_stop, 0 },
    ['('] = { "MARK", run_constant, CONSTANT_MARK },     ['N'] = { "NONE", run_constant, CONSTANT_NONE },
    [0x88] = { "NEWTRUE", run_constant, CONSTANT_TRUE }, [0x89] = { "NEWFALSE", run_constant, CONSTANT_FALSE },
    ['}'] = { "EMPTY_DICT", run_new, VALUE_DICT },       [']'] = { "EMPTY_LIST", run_new, VALUE_LIST },
    [')'] = { "EMPTY_TUPLE", run_tuple, 0 },             ['J'] = { "BININT", run_int, 4 },
    ['K'] = { "BININT1", run_int, 1 },                   ['M'] = { "BININT2", run_int, 2 },
    [0x8a] = { "LONG1", run_long, 1 },                   ['G'] = { "BINFLOAT", run_float, 8 },
    ['X'] = { "BINUNICODE", run_text, 4 },               ['t'] = { "TUPLE", run_marked_tuple, 0 },
    [0x85] = { "TUPLE1", run_tuple, 1 },                 [0x86] = { "TUPLE2", run_tuple, 2 },
    [0x87] = { "TUPLE3", run_tuple, 3 },                 ['a'] = { "APPEND", run_append, 1 },
    ['e'] = { "APPENDS", run_appends, 0 },               ['s'] = { "SETITEM", run_set, 2 },
    ['u'] = { "SETITEMS", run_sets, 0 },                 ['q'] = { "BINPUT", run_put, 1 },
    ['r'] = { "LONG_BINPUT", run_put, 4 },               ['h'] = { "BINGET", run_get, 1 },
    ['j'] = { "LONG_BINGET", run_get, 4 },               [0x8b] = { "LONG4", run_long, 4 },
    [0x95] = { "FRAME", run_frame, 8 },                  [0x94] = { "MEMOIZE", run_memoize, 0 },
    [0x8c] = { "SHORT_BINUNICODE", run_text, 1 },        [0x8d] = { "BINUNICODE8", run_text, 8 },
    ['B'] = { "BINBYTES", run_text, 4 },                 ['C'] = { "SHORT_BINBYTES", run_text, 1 },
    [0x8e] = { "BINBYTES8", run_text, 8 },               [0x96] = { "BYTEARRAY8", run_text, 8 },
    /* These execute code, or are in no pickle of plain data that these protocols make. */
    ['c'] = { "GLOBAL", NULL, 0 },                       ['R'] = { "REDUCE", NULL, 0 },
    ['b'] = { "BUILD", NULL, 0 },                        ['i'] = { "INST", NULL, 0 },
    ['o'] = { "OBJ", NULL, 0 },                          [0x81] = { "NEWOBJ", NULL, 0 },
    [0x82] = { "EXT1", NULL, 0 },                        [0x83] = { "EXT2", NULL, 0 },
    [0x84] = { "EXT4", NULL, 0 },                        ['P'] = { "PERSID", NULL, 0 },
    ['Q'] = { "BINPERSID", NULL, 0 },                    [0x93] = { "STACK_GLOBAL", NULL, 0 },
    [0x92] = { "NEWOBJ_EX", NULL, 0 },                   ['0'] = { "POP", NULL, 0 },
    ['1'] = { "POP_MARK", NULL, 0 },                     ['2'] = { "DUP", NULL, 0 },
    ['I'] = { "INT", NULL, 0 },                          ['L'] = { "LONG", NULL, 0 },
    ['F'] = { "FLOAT", NULL, 0 },                        ['S'] = { "STRING", NULL, 0 },
    ['T'] = { "BINSTRING", NULL, 0 },                    ['U'] = { "SHORT_BINSTRING", NULL, 0 },
    ['V'] = { "UNICODE", NULL, 0 },                      ['d'] = { "DICT", NULL, 0 },
    ['l'] = { "LIST", NULL, 0 },                         ['g'] = { "GET", NULL, 0 },
    ['p'] = { "PUT", NULL, 0 },                          [0x8f] = { "EMPTY_SET", NULL, 0 },
    [0x90] = { "ADDITEMS", NULL, 0 },                    [0x91] = { "FROZENSET", NULL, 0 },
    [0x97] = { "NEXT_BUFFER", NULL, 0 },                 [0x98] = { "READONLY_BUFFER", NULL, 0 },
};
/* clang-format on */

static const struct opcode *opcode_of(unsigned char byte)
{
    return &opcodes[byte];
}

static bool run(struct reader *r)
{
    while (!r->over) {
        r->op = r->at;
        if (r->at == r->bytes)
            return fail(r, "the file ends before opcode STOP");
        const struct opcode *op = opcode_of(r->text[r->at++]);
        if (!op->name) {
            char text[64];
            snprintf(text, sizeof text, "byte 0x%02x is no opcode of a pickle", r->text[r->op]);
            return fail(r, text);
        }
        if (!op->run)
            return fail(r, "refused: a dump may contain only data");
        if (!op->run(r, op->operand))
            return false;
    }
    return true;
}

const struct value *ncs_pickle_read(struct ncs_arena *arena, const void *bytes, size_t count, struct ncs_error *err)
{
    struct reader r = { .text = bytes, .bytes = count, .arena = arena, .err = err };
    r.none = ncs_value_new(arena, VALUE_NONE);
    r.yes = ncs_value_new(arena, VALUE_BOOL);
    r.no = ncs_value_new(arena, VALUE_BOOL);
    r.yes->whole = 1;
    struct value *value = run(&r) ? r.slot[0] : NULL;
    if (value && !ncs_value_is_tree(value)) {
        ncs_fail(err, NCS_BAD_INPUT, "a value that contains itself, or too many lists within lists");
        value = NULL;
    }
    ncs_free(r.slot);
    ncs_free(r.memo);
    return value;
}
