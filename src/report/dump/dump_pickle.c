/* A pickle of protocol 2, with the opcodes that PyTorch's own dumps use. No value is shared, so none is stored for a
 * second use. */
#include <stdint.h>
#include <string.h>

#include "report/dump/dump_private.h"

static void pickle_byte(unsigned char byte, struct ncs_str *out)
{
    ncs_str_add_bytes(out, (const char *)&byte, 1);
}

/* An opcode and a little-endian number behind it. */
static void pickle_number(unsigned char opcode, uint64_t number, int bytes, struct ncs_str *out)
{
    pickle_byte(opcode, out);
    for (int i = 0; i < bytes; i++)
        pickle_byte((unsigned char)(number >> 8 * i), out);
}

static void pickle_integer(int64_t n, struct ncs_str *out)
{
    if (n >= 0 && n <= UINT8_MAX)
        pickle_number('K', (uint64_t)n, 1, out); /* BININT1 */
    else if (n >= 0 && n <= UINT16_MAX)
        pickle_number('M', (uint64_t)n, 2, out); /* BININT2 */
    else if (n >= INT32_MIN && n <= INT32_MAX)
        pickle_number('J', (uint64_t)n, 4, out); /* BININT */
    else {
        pickle_byte(0x8a, out); /* LONG1 */
        pickle_number(8, (uint64_t)n, 8, out);
    }
}

/* BINFLOAT is big-endian. */
static void pickle_float(double d, struct ncs_str *out)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    pickle_byte('G', out);
    for (int i = 7; i >= 0; i--)
        pickle_byte((unsigned char)(bits >> 8 * i), out);
}

static void pickle_text(const char *text, size_t bytes, struct ncs_str *out)
{
    pickle_number('X', bytes, 4, out); /* BINUNICODE */
    ncs_str_add_bytes(out, text, bytes);
}

static bool pickle_is_listed(const char *const *names, const char *name)
{
    for (; name && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static void pickle_value(const json_t *value, const char *key, const char *const *tuples, struct ncs_str *out);

static void pickle_list(const json_t *list, const char *const *tuples, bool tuple, struct ncs_str *out)
{
    size_t count = json_array_size(list);
    if (!tuple)
        pickle_byte(']', out); /* EMPTY_LIST */
    if (tuple || count)
        pickle_byte('(', out); /* MARK */
    for (size_t i = 0; i < count; i++)
        pickle_value(json_array_get(list, i), NULL, tuples, out);
    if (tuple || count)
        pickle_byte(tuple ? 't' : 'e', out); /* TUPLE, APPENDS */
}

static void pickle_dictionary(const json_t *object, const char *const *tuples, struct ncs_str *out)
{
    const char *key;
    json_t *value;
    pickle_byte('}', out); /* EMPTY_DICT */
    pickle_byte('(', out);
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        pickle_text(key, strlen(key), out);
        pickle_value(value, key, tuples, out);
    }
    pickle_byte('u', out); /* SETITEMS */
}

static void pickle_value(const json_t *value, const char *key, const char *const *tuples, struct ncs_str *out)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: pickle_dictionary(value, tuples, out); break;
    case JSON_ARRAY: pickle_list(value, tuples, pickle_is_listed(tuples, key), out); break;
    case JSON_STRING: pickle_text(json_string_value(value), json_string_length(value), out); break;
    case JSON_INTEGER: pickle_integer(json_integer_value(value), out); break;
    case JSON_REAL: pickle_float(json_real_value(value), out); break;
    case JSON_TRUE:
    case JSON_FALSE:
        pickle_byte(json_is_true(value) ? 0x88 : 0x89, out); /* NEWTRUE, NEWFALSE */
        break;
    case JSON_NULL: pickle_byte('N', out); break;
    }
}

void ncs_dump_pickle(const json_t *value, const char *const *tuples, struct ncs_str *out)
{
    pickle_number(0x80, 2, 1, out); /* PROTO */
    pickle_value(value, NULL, tuples, out);
    pickle_byte('.', out); /* STOP */
}
