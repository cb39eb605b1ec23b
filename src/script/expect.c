/* The library expect: comparisons that record a failure and continue. */
#include "script/object.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "script/element.h"
#include "script/option.h"

#define CHUNK 4096 /* elements compared at a time */

struct options {
    double tol; /* negative: not given */
    bool fatal;
};

static void expect_read_options(lua_State *L, int arg, struct options *o)
{
    static const struct ncs_option rows[] = {
        { "tol", NCS_OPTION_NUMBER, offsetof(struct options, tol) },
        { "fatal", NCS_OPTION_FLAG, offsetof(struct options, fatal) },
        { NULL, 0, 0 },
    };
    int top = lua_gettop(L);
    *o = (struct options){ .tol = -1 };
    ncs_lua_options(L, arg, rows, o);
    if (lua_istable(L, arg) && lua_getfield(L, arg, "tol") != LUA_TNIL && !(o->tol >= 0))
        ncs_lua_wrong(L, -1, "tol", "0 or more");
    lua_settop(L, top);
}

/* Records the outcome. If it failed, the text is on top of the stack; `first` is the element that
 * differs, or 0. Pushes the result. */
static int expect_record(lua_State *L, bool held, size_t first, const struct options *o)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    held = held || t->rank->planned;
    const char *text = held ? NULL : ncs_lua_whole_text(L, -1);
    t->running = L;
    ncs_run_expect(t->rank->run, held, text, t->local->label, first);
    if (!held && o && o->fatal)
        return ncs_lua_raise(L, &(struct ncs_lua_error){ .kind = "expect", .text = text });
    lua_pushboolean(L, held);
    return 1;
}

/* ---- elements ---- */

/* How far a sum over the ranks may be off: one unit in the last place per rank. Types of few digits and many ranks would forgive
 * any value, so an eighth of the value is the most, or two units where those are more. */
static double usual_bound(int dtype, double want, int nranks)
{
    double unit = ldexp(1, 1 - ncs_element_digits(dtype));
    return want * fmin(nranks * unit, fmax(0.125, 2 * unit)) + nranks * ncs_element_smallest(dtype);
}

static bool expect_same(int dtype, const void *got, const void *want, double tol, int nranks)
{
    size_t bytes = ncs_dtype_bytes(dtype);
    if (memcmp(got, want, bytes) == 0)
        return true;
    if (tol == 0 || (!ncs_element_is_float(dtype) && tol < 0))
        return false;
    double a = ncs_number_double(ncs_element_read(dtype, got));
    double b = ncs_number_double(ncs_element_read(dtype, want));
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (a == b)
        return true;
    if (isinf(a) || isinf(b))
        return false;
    return fabs(a - b) <= (tol < 0 ? usual_bound(dtype, fabs(b), nranks) : tol);
}

struct comparison {
    const struct ncs_buffer *got, *want; /* want NULL: the value at 2 */
    double tol;
    size_t differ, first; /* first from 1 */
    unsigned char got_element[8], want_element[8];
};

/* Element i (from 0) of the expected values: a number, list or function at argument 2. */
static void wanted_element(lua_State *L, int dtype, size_t i, void *element)
{
    if (lua_type(L, 2) == LUA_TNUMBER) {
        ncs_lua_element(L, 2, dtype, element, "want");
        return;
    }
    if (lua_type(L, 2) == LUA_TFUNCTION) {
        lua_pushvalue(L, 2);
        lua_pushinteger(L, (lua_Integer)i + 1);
        ncs_lua_call_back(L, 1, 1);
    } else {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
    }
    ncs_lua_element(L, lua_gettop(L), dtype, element, "want");
    lua_pop(L, 1);
}

static void expect_compare(lua_State *L, struct comparison *c)
{
    int dtype = c->got->dtype, nranks = ncs_lua_rank(L)->nranks;
    size_t size = ncs_dtype_bytes(dtype), count = c->got->count;
    bool uniform = !c->want && lua_type(L, 2) == LUA_TNUMBER;
    size_t chunk = count < CHUNK ? count : CHUNK;
    unsigned char *got = lua_newuserdatauv(L, 2 * chunk * size + 1, 0), *want = got + chunk * size;
    unsigned char one[8];
    if (uniform)
        wanted_element(L, dtype, 0, one);
    for (size_t at = 0; at < count; at += chunk) {
        size_t n = count - at < chunk ? count - at : chunk;
        ncs_buffer_read(L, c->got, at, n, got);
        if (c->want)
            ncs_buffer_read(L, c->want, at, n, want);
        if (at == 0)
            memcpy(c->got_element, got, size);
        for (size_t i = 0; i < n; i++) {
            unsigned char *w = uniform ? one : want + i * size;
            if (!c->want && !uniform)
                wanted_element(L, dtype, at + i, w);
            if (expect_same(dtype, got + i * size, w, c->tol, nranks))
                continue;
            if (c->differ++ == 0) {
                c->first = at + i + 1;
                memcpy(c->got_element, got + i * size, size);
                memcpy(c->want_element, w, size);
            }
        }
    }
}

/* Two elements as texts that differ when the elements do. */
static void expect_show(int dtype, const void *a, const void *b, char text[2][40])
{
    struct ncs_number x = ncs_element_read(dtype, a), y = ncs_element_read(dtype, b);
    for (int digits = 6; digits <= 17; digits++) {
        const struct ncs_number *v[2] = { &x, &y };
        for (int i = 0; i < 2; i++)
            if (v[i]->whole)
                snprintf(text[i], 40, "%lld", (long long)v[i]->i);
            else
                snprintf(text[i], 40, "%.*g", digits, v[i]->d);
        if (strcmp(text[0], text[1]) != 0)
            return;
    }
}

static int equal_buffer(lua_State *L, struct ncs_buffer *got, const struct options *o)
{
    struct comparison c = { .got = got, .tol = o->tol };
    ncs_buffer_check_live(L, got, "got");
    c.want = ncs_object_test(L, 2, NCS_CLASS_BUFFER);
    if (c.want) {
        ncs_buffer_check_live(L, c.want, "want");
        if (c.want->dtype != got->dtype || c.want->count != got->count)
            return ncs_lua_usage(L, "got is %s[%zu], want %s[%zu]", ncs_dtype_name(got->dtype), got->count,
                                 ncs_dtype_name(c.want->dtype), c.want->count);
    } else if (lua_type(L, 2) == LUA_TTABLE) {
        if (lua_rawlen(L, 2) != got->count)
            return ncs_lua_usage(L, "want has %d values, got %zu elements", (int)lua_rawlen(L, 2), got->count);
    } else if (lua_type(L, 2) != LUA_TNUMBER && lua_type(L, 2) != LUA_TFUNCTION) {
        return ncs_lua_wrong(L, 2, "want", "a number, a list, a function or a buffer");
    }
    if (!ncs_lua_rank(L)->planned)
        expect_compare(L, &c);
    if (c.differ) {
        char shown[2][40], text[200];
        expect_show(got->dtype, c.got_element, c.want_element, shown);
        snprintf(text, sizeof text, "element %zu: got %s, want %s (%zu of %zu differ%s)", c.first, shown[0], shown[1], c.differ,
                 got->count, c.differ == 1 ? "s" : "");
        lua_pushstring(L, text);
    }
    return expect_record(L, c.differ == 0, c.first, o);
}

/* ---- plain values ---- */

static bool same_numbers(lua_State *L, int a, int b, const struct options *o)
{
    if (lua_isinteger(L, a) && lua_isinteger(L, b) && o->tol <= 0)
        return lua_rawequal(L, a, b);
    double x = lua_tonumber(L, a), y = lua_tonumber(L, b);
    return expect_same(ncclFloat64, &x, &y, o->tol == 0 && x == y ? -1 : o->tol, ncs_lua_rank(L)->nranks);
}

/* Compares; lists element by element. If they differ, pushes the reason, sets *first to the
 * outermost list's first difference, and returns false. */
static bool same_values(lua_State *L, int a, int b, const struct options *o, int depth, size_t *first)
{
    char text[64];
    luaL_checkstack(L, 8, NULL);
    if (lua_type(L, a) == LUA_TNUMBER && lua_type(L, b) == LUA_TNUMBER) {
        if (same_numbers(L, a, b, o))
            return true;
    } else if (lua_type(L, a) == LUA_TTABLE && lua_type(L, b) == LUA_TTABLE && depth < 16 && !lua_rawequal(L, a, b)) {
        lua_Integer n = (lua_Integer)lua_rawlen(L, a);
        if (n != (lua_Integer)lua_rawlen(L, b)) {
            snprintf(text, sizeof text, "got a list of %lld, want one of %lld", (long long)n, (long long)lua_rawlen(L, b));
            lua_pushstring(L, text);
            return false;
        }
        for (lua_Integer i = 1; i <= n; i++) {
            int top = lua_gettop(L);
            lua_rawgeti(L, a, i);
            lua_rawgeti(L, b, i);
            if (!same_values(L, top + 1, top + 2, o, depth + 1, first)) {
                *first = (size_t)i;
                lua_pushfstring(L, "element %I: %s", (LUAI_UACINT)i, lua_tostring(L, -1));
                return false;
            }
            lua_settop(L, top);
        }
        return true;
    } else if (lua_compare(L, a, b, LUA_OPEQ)) {
        return true;
    }
    ncs_lua_text(L, a);
    const char *got = ncs_lua_whole_text(L, -1);
    ncs_lua_text(L, b);
    const char *want = ncs_lua_whole_text(L, -1);
    lua_pushfstring(L, "got %s, want %s", got, want);
    return false;
}

static int expect_equal(lua_State *L)
{
    struct options o;
    ncs_lua_begin(L, "expect.equal", 3);
    if (lua_gettop(L) < 2)
        return ncs_lua_usage(L, "expected two values: expect.equal(got, want)");
    expect_read_options(L, 3, &o);
    struct ncs_buffer *got = ncs_object_test(L, 1, NCS_CLASS_BUFFER);
    if (got)
        return equal_buffer(L, got, &o);
    size_t first = 0;
    bool same = same_values(L, 1, 2, &o, 0, &first);
    return expect_record(L, same, first, &o);
}

static int expect_that(lua_State *L)
{
    struct options o = { .tol = -1 };
    ncs_lua_begin(L, "expect.that", 3);
    luaL_checkany(L, 1);
    int options = lua_type(L, 2) == LUA_TTABLE ? 2 : 3;
    const char *text = options == 2 || lua_isnoneornil(L, 2) ? "the condition is false" : ncs_lua_string(L, 2, "text");
    expect_read_options(L, options, &o);
    bool held = lua_toboolean(L, 1);
    lua_pushstring(L, text);
    return expect_record(L, held, 0, &o);
}

/* expect.error(name, fn, ...): returns the error */
static int expect_error(lua_State *L)
{
    ncs_lua_begin(L, "expect.error", -1);
    const char *name = ncs_lua_string(L, 1, "name");
    if (lua_type(L, 2) != LUA_TFUNCTION)
        return ncs_lua_wrong(L, 2, "fn", "a function");
    int status = lua_pcall(L, lua_gettop(L) - 2, 0, 0);
    ncs_lua_check_cancel(L);
    ncs_lua_begin(L, "expect.error", -1);
    if (status == LUA_OK && ncs_lua_rank(L)->planned) { /* only a run knows the error */
        expect_record(L, true, 0, NULL);
        lua_createtable(L, 0, 2);
        lua_pushstring(L, name);
        lua_setfield(L, -2, "name");
        lua_pushinteger(L, ncs_result_from_name(name));
        lua_setfield(L, -2, "code");
        return 1;
    }
    if (status == LUA_OK) {
        lua_pushfstring(L, "no error, want %s", name);
        expect_record(L, false, 0, NULL);
        return 1;
    }
    int error = lua_gettop(L);
    const char *got = "lua"; /* the kind of errors that Lua or the script raises */
    if (ncs_lua_is_error(L, error)) {
        lua_getfield(L, error, "name");
        got = lua_tostring(L, -1);
    }
    bool held = got && strcmp(got, name) == 0;
    ncs_lua_shown(L, error);
    const char *shown = ncs_lua_whole_text(L, -1);
    lua_pushfstring(L, "got %s, want %s: %s", got, name, shown);
    expect_record(L, held, 0, NULL);
    lua_pushvalue(L, error);
    return 1;
}

static const luaL_Reg functions[] = {
    { "equal", expect_equal }, { "error", expect_error }, { "that", expect_that }, { NULL, NULL }
};

void ncs_lua_expect(lua_State *L)
{
    luaL_newlib(L, functions);
    ncs_lua_lock(L, lua_gettop(L), "expect");
    lua_remove(L, -2);
}
