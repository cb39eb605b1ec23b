/* Reads pickles of protocol 2 that contain only data. A pickle is a program for a stack machine; this
 * reader knows the opcodes that make lists, dictionaries, texts and numbers, and refuses all others. Depth
 * and number of values are bounded, and the result has no cycles. */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "trace/record.h"

enum {
    MOST_VALUES = 4 << 20,
    MOST_DEPTH = 64,
    MOST_DIGITS = 8, /* bytes of a whole number */
};

struct slot {
    json_t *value; /* NULL = a mark */
    int depth;     /* depth of nesting below it: 0 for a text */
    size_t memo;   /* memo number + 1, while it still grows */
    bool fetched;  /* read from the memo: complete */
};

struct kept {
    json_t *value;
    int depth;
    bool grows;
};

struct reader {
    const unsigned char *text;
    size_t bytes, at, op; /* op: where the opcode that is being carried out is */
    struct slot *slot; size_t slots, slot_room;
    struct kept *kept; size_t kepts, kept_room;
    struct ncs_map memo;  /* number + 1 -> index into kept, + 1 */
    size_t values;
    bool over;
    struct ncs_error *err;
};

struct opcode {
    const char *name;
    bool (*run)(struct reader *r); /* NULL = refused */
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

static bool push(struct reader *r, json_t *value, int depth)
{
    struct slot slot = { .value = value, .depth = depth };
    NCS_PUSH(r->slot, r->slots, r->slot_room, slot);
    return ++r->values <= MOST_VALUES || fail(r, "more values than a dump can hold");
}

static struct slot *top(struct reader *r, size_t below)
{
    if (below >= r->slots || !r->slot[r->slots - 1 - below].value) {
        fail(r, "the stack has no value for it");
        return NULL;
    }
    return &r->slot[r->slots - 1 - below];
}

/* The number of values above the last mark; SIZE_MAX if there is no mark. */
static size_t above_mark(struct reader *r)
{
    for (size_t i = r->slots; i-- > 0;)
        if (!r->slot[i].value)
            return r->slots - 1 - i;
    fail(r, "there is no mark on the stack");
    return SIZE_MAX;
}

/* Takes ownership of a slot's value, which is complete now. */
static json_t *consume(struct reader *r, struct slot *slot)
{
    if (slot->memo)
        r->kept[slot->memo - 1] = (struct kept){ slot->value, slot->depth, false };
    json_t *value = slot->value;
    slot->value = NULL;
    return value;
}

static bool can_hold(struct reader *r, struct slot *into, bool dictionary, const struct slot *what)
{
    if (!(dictionary ? json_is_object(into->value) : json_is_array(into->value)))
        return fail(r, dictionary ? "it adds to a value that is no dictionary" : "it adds to a value that is no list");
    if (into->fetched)
        return fail(r, "it changes a value that is complete");
    if (what->depth + 1 > into->depth)
        into->depth = what->depth + 1;
    return into->depth <= MOST_DEPTH || fail(r, "too many lists within lists");
}

static bool append_last(struct reader *r, size_t count)
{
    struct slot *first = &r->slot[r->slots - count], *list = NULL;
    size_t below = count + (r->slots > count && !first[-1].value ? 1 : 0);
    list = top(r, below);
    if (!list)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!can_hold(r, list, false, &first[i]))
            return false;
        json_array_append_new(list->value, consume(r, &first[i]));
    }
    r->slots -= below;
    return true;
}

static bool add_item(struct reader *r, struct slot *into, struct slot *key, struct slot *value)
{
    char number[32];
    if (!can_hold(r, into, true, value))
        return false;
    if (!json_is_string(key->value) && !json_is_integer(key->value))
        return fail(r, "a key that is neither a text nor a whole number");
    if (json_is_integer(key->value))
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(key->value));
    const char *name = json_is_integer(key->value) ? number : json_string_value(key->value);
    json_object_set_new(into->value, name, consume(r, value));
    json_decref(consume(r, key));
    return true;
}

static bool set_last(struct reader *r, size_t count)
{
    struct slot *first = &r->slot[r->slots - count];
    size_t below = count + (r->slots > count && !first[-1].value ? 1 : 0);
    struct slot *into = top(r, below);
    if (!into)
        return false;
    if (count % 2)
        return fail(r, "a key without a value");
    for (size_t i = 0; i < count; i += 2)
        if (!add_item(r, into, &first[i], &first[i + 1]))
            return false;
    r->slots -= below;
    return true;
}

/* Pushes a tuple of the last values. */
static bool tuple_of(struct reader *r, size_t count, bool marked)
{
    struct slot made = { .value = json_array(), .depth = 1 };
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        struct slot *s = top(r, count - 1 - i);
        ok = s && can_hold(r, &made, false, s);
        if (ok)
            json_array_append_new(made.value, consume(r, s));
    }
    if (!ok) {
        json_decref(made.value);
        return false;
    }
    r->slots -= count + marked;
    return push(r, made.value, made.depth);
}

/* ---- the opcodes ---- */

static bool run_proto(struct reader *r)
{
    uint64_t version;
    return take_number(r, 1, &version) &&
           (version == 2 || fail(r, "a pickle of another protocol than 2, which PyTorch writes"));
}

static bool run_stop(struct reader *r)
{
    r->over = true;
    return r->slots == 1 ? top(r, 0) != NULL : fail(r, "the stack must hold exactly one value at the end");
}

static bool run_mark(struct reader *r)
{
    struct slot mark = { 0 };
    NCS_PUSH(r->slot, r->slots, r->slot_room, mark);
    return ++r->values <= MOST_VALUES || fail(r, "more values than a dump can hold");
}

static bool run_none(struct reader *r) { return push(r, json_null(), 0); }
static bool run_true(struct reader *r) { return push(r, json_true(), 0); }
static bool run_false(struct reader *r) { return push(r, json_false(), 0); }
static bool run_dict(struct reader *r) { return push(r, json_object(), 1); }
static bool run_list(struct reader *r) { return push(r, json_array(), 1); }

static bool unsigned_of(struct reader *r, size_t bytes)
{
    uint64_t number;
    return take_number(r, bytes, &number) && push(r, json_integer((json_int_t)number), 0);
}

static bool run_int1(struct reader *r) { return unsigned_of(r, 1); }
static bool run_int2(struct reader *r) { return unsigned_of(r, 2); }

static bool run_int4(struct reader *r)
{
    uint64_t number;
    return take_number(r, 4, &number) && push(r, json_integer((int32_t)(uint32_t)number), 0);
}

static bool run_long1(struct reader *r)
{
    uint64_t bytes, number;
    if (!take_number(r, 1, &bytes))
        return false;
    if (bytes > MOST_DIGITS)
        return fail(r, "a number of more than 8 bytes");
    if (!take_number(r, bytes, &number))
        return false;
    if (bytes > 0 && bytes < MOST_DIGITS && number >> (8 * bytes - 1))
        number |= UINT64_MAX << (8 * bytes); /* it is below 0 */
    return push(r, json_integer((json_int_t)number), 0);
}

/* Most significant byte first. Refuses infinities and NaN, which JSON cannot hold. */
static bool run_float(struct reader *r)
{
    const unsigned char *p = pickle_take(r, 8);
    uint64_t word = 0;
    double d;
    for (size_t i = 0; p && i < 8; i++)
        word = word << 8 | p[i];
    if (!p)
        return false;
    memcpy(&d, &word, sizeof d);
    json_t *real = json_real(d);
    return push(r, real ? real : json_null(), 0);
}

static bool run_text(struct reader *r)
{
    uint64_t bytes;
    if (!take_number(r, 4, &bytes))
        return false;
    const unsigned char *p = pickle_take(r, bytes);
    if (!p)
        return false;
    struct ncs_str safe = { 0 };
    ncs_safe_utf8(&safe, (const char *)p, bytes);
    json_t *text = json_stringn(safe.text ? safe.text : "", safe.bytes);
    ncs_str_free(&safe);
    return push(r, text ? text : json_string(""), 0);
}

static bool run_tuple0(struct reader *r) { return tuple_of(r, 0, false); }
static bool run_tuple1(struct reader *r) { return tuple_of(r, 1, false); }
static bool run_tuple2(struct reader *r) { return tuple_of(r, 2, false); }
static bool run_tuple3(struct reader *r) { return tuple_of(r, 3, false); }

static bool run_tuple(struct reader *r)
{
    size_t count = above_mark(r);
    return count != SIZE_MAX && tuple_of(r, count, true);
}

static bool run_append(struct reader *r) { return top(r, 0) && top(r, 1) && append_last(r, 1); }
static bool run_set(struct reader *r)
{
    return top(r, 0) && top(r, 1) && top(r, 2) && set_last(r, 2);
}

static bool run_appends(struct reader *r)
{
    size_t count = above_mark(r);
    return count != SIZE_MAX && append_last(r, count);
}

static bool run_sets(struct reader *r)
{
    size_t count = above_mark(r);
    return count != SIZE_MAX && set_last(r, count);
}

static bool put(struct reader *r, size_t bytes)
{
    uint64_t number;
    struct slot *s = take_number(r, bytes, &number) ? top(r, 0) : NULL;
    if (!s)
        return false;
    if (s->memo || s->fetched)
        return fail(r, "the value on the stack is stored already");
    bool grows = json_is_array(s->value) || json_is_object(s->value);
    struct kept kept = { s->value, s->depth, grows };
    if (ncs_map_get(&r->memo, number + 1))
        return fail(r, "the number of the value is in use");
    NCS_PUSH(r->kept, r->kepts, r->kept_room, kept);
    json_incref(s->value);
    ncs_map_put(&r->memo, number + 1, (void *)(uintptr_t)r->kepts);
    s->memo = grows ? r->kepts : 0;
    return true;
}

static bool get(struct reader *r, size_t bytes)
{
    uint64_t number;
    if (!take_number(r, bytes, &number))
        return false;
    size_t at = (size_t)(uintptr_t)ncs_map_get(&r->memo, number + 1);
    if (!at)
        return fail(r, "no value was stored under this number");
    struct kept *kept = &r->kept[at - 1];
    if (kept->grows)
        return fail(r, "a value that contains itself");
    if (!push(r, json_incref(kept->value), kept->depth))
        return false;
    r->slot[r->slots - 1].fetched = true;
    return true;
}

static bool run_put1(struct reader *r) { return put(r, 1); }
static bool run_put4(struct reader *r) { return put(r, 4); }
static bool run_get1(struct reader *r) { return get(r, 1); }
static bool run_get4(struct reader *r) { return get(r, 4); }

static const struct opcode opcodes[256] = {
    [0x80] = { "PROTO", run_proto },       ['.'] = { "STOP", run_stop },
    ['('] = { "MARK", run_mark },          ['N'] = { "NONE", run_none },
    [0x88] = { "NEWTRUE", run_true },      [0x89] = { "NEWFALSE", run_false },
    ['}'] = { "EMPTY_DICT", run_dict },    [']'] = { "EMPTY_LIST", run_list },
    [')'] = { "EMPTY_TUPLE", run_tuple0 }, ['J'] = { "BININT", run_int4 },
    ['K'] = { "BININT1", run_int1 },       ['M'] = { "BININT2", run_int2 },
    [0x8a] = { "LONG1", run_long1 },       ['G'] = { "BINFLOAT", run_float },
    ['X'] = { "BINUNICODE", run_text },    ['t'] = { "TUPLE", run_tuple },
    [0x85] = { "TUPLE1", run_tuple1 },     [0x86] = { "TUPLE2", run_tuple2 },
    [0x87] = { "TUPLE3", run_tuple3 },     ['a'] = { "APPEND", run_append },
    ['e'] = { "APPENDS", run_appends },    ['s'] = { "SETITEM", run_set },
    ['u'] = { "SETITEMS", run_sets },      ['q'] = { "BINPUT", run_put1 },
    ['r'] = { "LONG_BINPUT", run_put4 },   ['h'] = { "BINGET", run_get1 },
    ['j'] = { "LONG_BINGET", run_get4 },
    /* These execute code, or are not part of the protocols that PyTorch writes. */
    ['c'] = { "GLOBAL", NULL },            ['R'] = { "REDUCE", NULL },
    ['b'] = { "BUILD", NULL },             ['i'] = { "INST", NULL },
    ['o'] = { "OBJ", NULL },               [0x81] = { "NEWOBJ", NULL },
    [0x82] = { "EXT1", NULL },             [0x83] = { "EXT2", NULL },
    [0x84] = { "EXT4", NULL },             ['P'] = { "PERSID", NULL },
    ['Q'] = { "BINPERSID", NULL },         [0x93] = { "STACK_GLOBAL", NULL },
    [0x92] = { "NEWOBJ_EX", NULL },        ['0'] = { "POP", NULL },
    ['1'] = { "POP_MARK", NULL },          ['2'] = { "DUP", NULL },
    ['I'] = { "INT", NULL },               ['L'] = { "LONG", NULL },
    ['F'] = { "FLOAT", NULL },             ['S'] = { "STRING", NULL },
    ['T'] = { "BINSTRING", NULL },         ['U'] = { "SHORT_BINSTRING", NULL },
    ['V'] = { "UNICODE", NULL },           ['d'] = { "DICT", NULL },
    ['l'] = { "LIST", NULL },              ['g'] = { "GET", NULL },
    ['p'] = { "PUT", NULL },               [0x8b] = { "LONG4", NULL },
    ['B'] = { "BINBYTES", NULL },          ['C'] = { "SHORT_BINBYTES", NULL },
    [0x95] = { "FRAME", NULL },            [0x94] = { "MEMOIZE", NULL },
};

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
        if (!op->run(r))
            return false;
    }
    return true;
}

struct json_t *ncs_pickle_read(const struct trace_file *file, struct ncs_error *err)
{
    struct reader r = { .text = (const unsigned char *)file->text.text, .bytes = file->text.bytes,
                        .err = err };
    json_t *value = run(&r) ? consume(&r, &r.slot[0]) : NULL;
    for (size_t i = 0; i < r.slots; i++)
        json_decref(r.slot[i].value);
    for (size_t i = 0; i < r.kepts; i++)
        json_decref(r.kept[i].value);
    ncs_free(r.slot);
    ncs_free(r.kept);
    ncs_map_free(&r.memo);
    if (!value)
        ncs_fail_at(err, file->path, 0, 0);
    return value;
}
