#include "script/pattern.h"

#include <ctype.h>
#include <string.h>

#include <lauxlib.h>

#include "script/heap.h"

/* Limit of nested matches: each takes room on the stack of a rank. */
#define DEPTH_MOST 200

static void pattern_count(struct ncs_matcher *m, uint64_t steps)
{
    m->steps += steps;
    if (m->steps <= m->most)
        return;
    ncs_heap_charge(m->L, m->steps);
    luaL_error(m->L, "the pattern takes more than %I steps on this text", (LUAI_UACINT)m->most);
}

/* ---- characters ---- */

static int pattern_byte(const char *p)
{
    return (unsigned char)*p;
}

/* %a and the like; an upper case letter inverts the class. */
static bool is_of_class(int c, int letter)
{
    bool is;
    switch (tolower(letter)) {
    case 'a': is = isalpha(c); break;
    case 'c': is = iscntrl(c); break;
    case 'd': is = isdigit(c); break;
    case 'g': is = isgraph(c); break;
    case 'l': is = islower(c); break;
    case 'p': is = ispunct(c); break;
    case 's': is = isspace(c); break;
    case 'u': is = isupper(c); break;
    case 'w': is = isalnum(c); break;
    case 'x': is = isxdigit(c); break;
    case 'z': is = c == 0; break; /* undocumented, but Lua still has it */
    default: return letter == c;
    }
    return isupper(letter) ? !is : is;
}

/* A set reaches from its bracket at `p` to the closing bracket at `last`. */
static bool is_of_set(int c, const char *p, const char *last)
{
    bool negated = p[1] == '^', found = false;
    for (p += 1 + negated; p < last && !found; p++) {
        if (*p == '%') {
            found = is_of_class(c, pattern_byte(++p));
        } else if (p[1] == '-' && p + 2 < last) {
            found = pattern_byte(p) <= c && c <= pattern_byte(p + 2);
            p += 2;
        } else {
            found = pattern_byte(p) == c;
        }
    }
    return found != negated;
}

/* The end of the pattern's item for one character. */
static const char *item_end(struct ncs_matcher *m, const char *p)
{
    const char *end = m->pattern_end;
    if (*p == '%') {
        if (p + 1 == end)
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 2;
    }
    if (*p != '[')
        return p + 1;
    p += p[1] == '^' ? 2 : 1;
    do { /* a bracket that comes first belongs to the set */
        if (p == end)
            luaL_error(m->L, "malformed pattern (missing ']')");
        p += *p == '%' && p + 1 < end ? 2 : 1;
    } while (p >= end || *p != ']');
    return p + 1;
}

static bool is_one(struct ncs_matcher *m, const char *at, const char *p, const char *end)
{
    pattern_count(m, 1);
    if (at >= m->text_end)
        return false;
    switch (*p) {
    case '.': return true;
    case '%': return is_of_class(pattern_byte(at), pattern_byte(p + 1));
    case '[': return is_of_set(pattern_byte(at), p, end - 1);
    default: return *p == *at;
    }
}

/* ---- matching ---- */

static const char *pattern_match(struct ncs_matcher *m, const char *at, const char *p);

static const char *longest_first(struct ncs_matcher *m, const char *at, const char *p, const char *end)
{
    ptrdiff_t n = 0;
    while (is_one(m, at + n, p, end))
        n++;
    for (; n >= 0; n--) {
        const char *to = pattern_match(m, at + n, end + 1);
        if (to)
            return to;
    }
    return NULL;
}

static const char *shortest_first(struct ncs_matcher *m, const char *at, const char *p, const char *end)
{
    for (;; at++) {
        const char *to = pattern_match(m, at, end + 1);
        if (to)
            return to;
        if (!is_one(m, at, p, end))
            return NULL;
    }
}

static const char *open_capture(struct ncs_matcher *m, const char *at, const char *p, int what)
{
    if (m->captures == NCS_PATTERN_CAPTURES)
        luaL_error(m->L, "too many captures");
    m->capture[m->captures++] = (struct ncs_capture){ at, what };
    const char *to = pattern_match(m, at, p);
    if (!to)
        m->captures--;
    return to;
}

static const char *close_capture(struct ncs_matcher *m, const char *at, const char *p)
{
    int i = m->captures - 1;
    while (i >= 0 && m->capture[i].bytes != NCS_CAPTURE_OPEN)
        i--;
    if (i < 0)
        luaL_error(m->L, "invalid pattern capture");
    m->capture[i].bytes = at - m->capture[i].from;
    const char *to = pattern_match(m, at, p);
    if (!to)
        m->capture[i].bytes = NCS_CAPTURE_OPEN;
    return to;
}

/* %1: where a repetition of the capture's text ends; NULL = the text here differs. */
static const char *same_again(struct ncs_matcher *m, const char *at, int digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->captures || m->capture[i].bytes == NCS_CAPTURE_OPEN)
        luaL_error(m->L, "invalid capture index %%%d", i + 1);
    const struct ncs_capture *c = &m->capture[i];
    size_t bytes = (size_t)c->bytes; /* a position capture counts as more than any text has */
    if ((size_t)(m->text_end - at) < bytes)
        return NULL;
    pattern_count(m, 1 + bytes / 16);
    return memcmp(c->from, at, bytes) == 0 ? at + bytes : NULL;
}

/* %bxy: the end of the y that balances the x at `at`. */
static const char *balance(struct ncs_matcher *m, const char *at, const char *p)
{
    if (m->pattern_end - p < 2)
        luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (at >= m->text_end || *at != p[0])
        return NULL;
    size_t open = 1;
    for (at++; at < m->text_end; at++) {
        pattern_count(m, 1);
        if (*at == p[1] && --open == 0)
            return at + 1;
        if (*at == p[0] && *at != p[1])
            open++;
    }
    return NULL;
}

/* %f[set]: true if the set begins to match here. The end of the text counts as a zero byte. */
static bool is_frontier(struct ncs_matcher *m, const char *at, const char *p, const char **end)
{
    if (*p != '[')
        luaL_error(m->L, "missing '[' after '%%f' in pattern");
    *end = item_end(m, p);
    int before = at == m->text ? 0 : pattern_byte(at - 1);
    return !is_of_set(before, p, *end - 1) && is_of_set(pattern_byte(at), p, *end - 1);
}

/* The result of an item with a special meaning at p. */
enum turn { FAILED, GOES_ON, ENDED, PLAIN };

static enum turn pattern_special(struct ncs_matcher *m, const char **at, const char **p)
{
    const char *here = *p;
    if (*here == '(') {
        bool place = here[1] == ')';
        *at = open_capture(m, *at, here + 1 + place, place ? NCS_CAPTURE_PLACE : NCS_CAPTURE_OPEN);
        return ENDED;
    }
    if (*here == ')') {
        *at = close_capture(m, *at, here + 1);
        return ENDED;
    }
    if (*here == '$' && here + 1 == m->pattern_end)
        return *at == m->text_end ? ENDED : FAILED;
    if (*here != '%' || here + 1 == m->pattern_end)
        return PLAIN;
    if (here[1] == 'b') {
        *at = balance(m, *at, here + 2);
        *p = here + 4;
        return *at ? GOES_ON : FAILED;
    }
    if (here[1] == 'f')
        return is_frontier(m, *at, here + 2, p) ? GOES_ON : FAILED;
    if (!isdigit(pattern_byte(here + 1)))
        return PLAIN;
    *at = same_again(m, *at, pattern_byte(here + 1));
    *p = here + 2;
    return *at ? GOES_ON : FAILED;
}

/* A character and its repetition; `end` is behind the character. Returns as special does,
 * but never PLAIN. */
static enum turn repeated(struct ncs_matcher *m, const char **at, const char **p, const char *end)
{
    bool one = false;
    const char *to;
    switch (*end) { /* the zero behind the pattern is none of these */
    case '*': *at = longest_first(m, *at, *p, end); return ENDED;
    case '+': *at = is_one(m, *at, *p, end) ? longest_first(m, *at + 1, *p, end) : NULL; return ENDED;
    case '-': *at = shortest_first(m, *at, *p, end); return ENDED;
    case '?':
        to = is_one(m, *at, *p, end) ? pattern_match(m, *at + 1, end + 1) : NULL;
        *p = end + 1;
        if (to)
            *at = to;
        return to ? ENDED : GOES_ON;
    default:
        one = is_one(m, *at, *p, end);
        *at += one;
        *p = end;
        return one ? GOES_ON : FAILED;
    }
}

static const char *pattern_match(struct ncs_matcher *m, const char *at, const char *p)
{
    enum turn turn = GOES_ON;
    if (++m->depth > DEPTH_MOST)
        luaL_error(m->L, "pattern too complex");
    pattern_count(m, 1);
    while (turn == GOES_ON && p != m->pattern_end) {
        turn = pattern_special(m, &at, &p);
        if (turn == PLAIN)
            turn = repeated(m, &at, &p, item_end(m, p));
    }
    m->depth--;
    return turn == FAILED ? NULL : at;
}

const char *ncs_pattern_match(struct ncs_matcher *m, const char *at)
{
    m->depth = 0;
    m->captures = 0;
    return pattern_match(m, at, m->pattern);
}

/* ---- captures ---- */

void ncs_pattern_push_one(struct ncs_matcher *m, int i, const char *from, const char *to)
{
    if (i >= m->captures) {
        if (i > 0)
            luaL_error(m->L, "invalid capture index %%%d", i + 1);
        lua_pushlstring(m->L, from, (size_t)(to - from));
        return;
    }
    const struct ncs_capture *c = &m->capture[i];
    if (c->bytes == NCS_CAPTURE_OPEN)
        luaL_error(m->L, "unfinished capture");
    else if (c->bytes == NCS_CAPTURE_PLACE)
        lua_pushinteger(m->L, c->from - m->text + 1);
    else
        lua_pushlstring(m->L, c->from, (size_t)c->bytes);
}

int ncs_pattern_push(struct ncs_matcher *m, const char *from, const char *to, bool whole)
{
    int n = m->captures == 0 && whole ? 1 : m->captures;
    luaL_checkstack(m->L, n, "too many captures");
    for (int i = 0; i < n; i++)
        ncs_pattern_push_one(m, i, from, to);
    return n;
}
