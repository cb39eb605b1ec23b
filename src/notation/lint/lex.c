/* Splits Lua into words as Lua's own lexer does, and explains words that it refuses. */
#include "notation/lint/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- bytes: only ASCII, as in Lua, in every locale ---- */

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_hex(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_line_end(int c)
{
    return c == '\n' || c == '\r';
}

/* The byte at an offset from the position; -1 after the end. */
static int byte(const struct ncs_lexer *x, size_t ahead)
{
    return ahead < x->bytes - x->at ? (unsigned char)x->text[x->at + ahead] : -1;
}

/* ---- complaints ---- */

const char *ncs_lint_shown(const char *text, size_t bytes, char shown[NCS_LINT_SHOWN])
{
    size_t n = 0, i = 0;
    for (; i < bytes && n + 8 < NCS_LINT_SHOWN; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c != 127 && c < 0x80)
            shown[n++] = (char)c;
        else
            n += (size_t)snprintf(shown + n, NCS_LINT_SHOWN - n, "\\x%02X", c);
    }
    snprintf(shown + n, NCS_LINT_SHOWN - n, "%s", i < bytes ? "..." : "");
    return shown;
}

struct ncs_lint_error *ncs_lint_fail(struct ncs_lexer *x, struct ncs_span at, const char *fmt, ...)
{
    if (x->failed)
        return NULL;
    va_list args;
    va_start(args, fmt);
    memset(x->err, 0, sizeof *x->err);
    vsnprintf(x->err->text, sizeof x->err->text, fmt, args);
    va_end(args);
    x->err->at = at;
    x->failed = true;
    x->word = NCS_W_END;
    return x->err;
}

/* Recognises the beginning of other languages' operators and names Lua's. If its first byte is a word of
 * Lua, it begins there: *at receives its place. */
static const char *lua_way(const struct ncs_lexer *x, struct ncs_span *at)
{
    static const struct {
        const char *foreign, *own;
    } ways[] = {
        { "!=", "\"not equal\" is `~=` in Lua" },
        { "&&", "\"and\" is `and` in Lua" },
        { "||", "\"or\" is `or` in Lua" },
        { "!", "\"not\" is `not` in Lua" },
        { "<>", "\"not equal\" is `~=` in Lua" },
        { "++", "Lua writes `x = x + 1`" },
        { "+=", "Lua writes `x = x + y`" },
        { "-=", "Lua writes `x = x - y`" },
        { "*=", "Lua writes `x = x * y`" },
        { "/=", "Lua writes `x = x / y`" },
        { "//", "a comment begins with `--` in Lua" },
        { "/*", "a comment is `--[[ ... ]]` in Lua" },
        { "**", "a power is `x ^ y` in Lua" },
        { "?", "Lua writes `condition and x or y`" },
        { "\xe2\x80\x9c", "texts stand in \"straight quotes\"" },
        { "\xe2\x80\x9d", "texts stand in \"straight quotes\"" },
        { "\xe2\x80\x98", "texts stand in 'straight quotes'" },
        { "\xe2\x80\x99", "texts stand in 'straight quotes'" },
        { "\xc2\xa0", "this blank is one that Lua does not know (U+00A0)" },
        { "\xef\xbb\xbf", "a byte order mark may only stand at the very beginning" },
    };
    for (size_t back = x->span.at > 0 && x->word < 0x80;; back--) {
        const char *from = x->text + x->span.at - back;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            size_t n = strlen(ways[i].foreign);
            if (n <= back || n > x->bytes - x->span.at + back || memcmp(from, ways[i].foreign, n) != 0)
                continue;
            if (back)
                *at = (struct ncs_span){ x->span.at - back, n };
            return ways[i].own;
        }
        if (!back)
            return NULL;
    }
}

/* The length of the character at the current word: more than 1 for UTF-8. */
static size_t character(const struct ncs_lexer *x)
{
    size_t n = 1;
    if ((unsigned char)x->text[x->span.at] >= 0xC0)
        while (n < 4 && n < x->bytes - x->span.at && ((unsigned char)x->text[x->span.at + n] & 0xC0) == 0x80)
            n++;
    return n;
}

struct ncs_lint_error *ncs_lint_unexpected(struct ncs_lexer *x, const char *wanted)
{
    char shown[NCS_LINT_SHOWN];
    struct ncs_span at = x->span;
    const char *kind = "symbol ", *way = lua_way(x, &at);
    if (x->word == '=' && !way && strcmp(wanted, "an expression") != 0)
        way = "\"equal\" is `==` in Lua";
    if (x->word == NCS_W_END)
        return ncs_lint_fail(x, at, "unexpected end of the text, expected %s", wanted);
    if (x->word == NCS_W_NAME)
        kind = "name ";
    else if (x->word == NCS_W_NUMBER)
        kind = "number ";
    else if (x->word == NCS_W_TEXT)
        kind = "text ";
    else if (x->word >= NCS_W_AND && x->word <= NCS_W_WHILE)
        kind = "";
    if (x->word >= 0x80 && x->word < NCS_W_END) {
        at.bytes = character(x);
        if (at.bytes > 1)
            return ncs_lint_fail(x, at, "unexpected character `%.*s`, expected %s%s%s", (int)at.bytes, x->text + at.at, wanted,
                                 way ? ": " : "", way ? way : "");
    }
    ncs_lint_shown(x->text + at.at, at.bytes, shown);
    return ncs_lint_fail(x, at, "unexpected %s`%s`, expected %s%s%s", kind, shown, wanted, way ? ": " : "", way ? way : "");
}

/* Reports a text or comment that is not closed. */
static void text_unclosed(struct ncs_lexer *x, const char *what, const char *closing, size_t opening)
{
    struct ncs_span begin = { x->span.at, opening };
    struct ncs_lint_error *err = ncs_lint_fail(x, (struct ncs_span){ x->at, 0 }, "the %s is not closed, expected `%s`", what,
                                               closing);
    if (err) {
        err->open = begin;
        err->has_open = true;
    }
}

/* ---- texts ---- */

/* At a '[': the number of '=' before a second '['; -1 = no '=' and no second one, -2 = '=' but no second one. */
static int bracket_level(const struct ncs_lexer *x, int which)
{
    size_t n = 1;
    while (byte(x, n) == '=')
        n++;
    if (byte(x, n) == which)
        return (int)(n - 1);
    return n > 1 ? -2 : -1;
}

static bool long_text(struct ncs_lexer *x, int level, const char *what)
{
    size_t opening = x->at + (size_t)level + 2 - x->span.at;
    x->at += (size_t)level + 2;
    for (; x->at < x->bytes; x->at++)
        if (byte(x, 0) == ']' && bracket_level(x, ']') == level) {
            x->at += (size_t)level + 2;
            return true;
        }
    char closing[NCS_LINT_SHOWN] = "]";
    for (int i = 0; i < level && i < 40; i++)
        strcat(closing, "=");
    strcat(closing, "]");
    text_unclosed(x, what, closing, opening);
    return false;
}

static void bad_escape(struct ncs_lexer *x, size_t bytes, const char *why)
{
    char shown[NCS_LINT_SHOWN];
    if (bytes > x->bytes - x->at)
        bytes = x->bytes - x->at;
    ncs_lint_shown(x->text + x->at, bytes, shown);
    ncs_lint_fail(x, (struct ncs_span){ x->at, bytes }, "invalid escape `%s` in a text: %s", shown, why);
}

/* Reads \ddd: up to three digits. */
static void decimal_escape(struct ncs_lexer *x)
{
    int value = 0;
    size_t n = 1;
    for (; n <= 3 && is_digit(byte(x, n)); n++)
        value = value * 10 + byte(x, n) - '0';
    if (value > 255) {
        bad_escape(x, n, "a byte is at most 255");
        return;
    }
    x->at += n;
}

static int hex_value(int c)
{
    return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Reads \u{HEX}: up to 2^31 - 1. */
static void unicode_escape(struct ncs_lexer *x)
{
    static const char form[] = "expected \\u{41}, say: hexadecimal digits in braces";
    unsigned long value = 0;
    size_t n = 3;
    if (byte(x, 2) != '{' || !is_hex(byte(x, 3))) {
        bad_escape(x, 3, form);
        return;
    }
    for (; is_hex(byte(x, n)); n++) {
        if (value > 0x7FFFFFFFu >> 4) {
            bad_escape(x, n + 1, "the character is beyond 7FFFFFFF");
            return;
        }
        value = value * 16 + (unsigned long)hex_value(byte(x, n));
    }
    if (byte(x, n) != '}') {
        bad_escape(x, n + 1, form);
        return;
    }
    x->at += n + 1;
}

static void skip_line_end(struct ncs_lexer *x)
{
    int c = byte(x, 0), next = byte(x, 1);
    x->at += is_line_end(next) && next != c ? 2 : 1;
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads the escape at a backslash. */
static void read_escape(struct ncs_lexer *x)
{
    int c = byte(x, 1);
    if (c > 0 && strchr("abfnrtv\\\"'", c)) {
        x->at += 2;
    } else if (is_line_end(c)) {
        x->at++;
        skip_line_end(x);
    } else if (c == 'z') {
        for (x->at += 2; is_space(byte(x, 0));)
            x->at++;
    } else if (is_digit(c)) {
        decimal_escape(x);
    } else if (c == 'u') {
        unicode_escape(x);
    } else if (c == 'x') {
        if (is_hex(byte(x, 2)) && is_hex(byte(x, 3)))
            x->at += 4;
        else
            bad_escape(x, 4, "expected \\xXX with two hexadecimal digits");
    } else if (c < 0) {
        x->at++; /* the end follows, and is reported as such */
    } else {
        bad_escape(x, 2, "a backslash itself is written \\\\");
    }
}

static int short_text(struct ncs_lexer *x)
{
    int quote = byte(x, 0);
    char closing[2] = { (char)quote, 0 };
    for (x->at++; !x->failed;) {
        int c = byte(x, 0);
        if (c == quote) {
            x->at++;
            return NCS_W_TEXT;
        }
        if (c < 0 || is_line_end(c))
            text_unclosed(x, "text", closing, 1);
        else if (c == '\\')
            read_escape(x);
        else
            x->at++;
    }
    return NCS_W_END;
}

/* ---- numbers ---- */

/* Skips digits and at most one point from *s; returns the number of digits. */
static size_t digits(const char **s, const char *end, bool hex)
{
    size_t n = 0;
    for (bool point = false; *s < end; (*s)++) {
        if (**s == '.' && !point)
            point = true;
        else if (hex ? is_hex(**s) : is_digit(**s))
            n++;
        else
            break;
    }
    return n;
}

static bool is_number(const char *s, const char *end)
{
    bool hex = end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x';
    s += hex ? 2 : 0;
    if (!digits(&s, end, hex))
        return false;
    if (s < end && (*s | 0x20) == (hex ? 'p' : 'e')) {
        s++;
        if (s < end && (*s == '+' || *s == '-'))
            s++;
        const char *begin = s;
        while (s < end && is_digit(*s))
            s++;
        if (s == begin)
            return false;
    }
    return s == end;
}

/* As Lua, reads every byte that may belong to a number, and then tests whether they form one. */
static int read_number(struct ncs_lexer *x)
{
    char shown[NCS_LINT_SHOWN];
    int exponent = 'e';
    if (byte(x, 0) == '0' && byte(x, 1) >= 0 && (byte(x, 1) | 0x20) == 'x') {
        exponent = 'p';
        x->at += 2;
    }
    for (int c; (c = byte(x, 0)) >= 0;) {
        if ((c | 0x20) == exponent)
            x->at += byte(x, 1) == '+' || byte(x, 1) == '-' ? 2 : 1;
        else if (is_hex(c) || c == '.')
            x->at++;
        else
            break;
    }
    if (is_letter(byte(x, 0)))
        x->at++;
    const char *text = x->text + x->span.at;
    size_t bytes = x->at - x->span.at;
    if (is_number(text, text + bytes))
        return NCS_W_NUMBER;
    ncs_lint_fail(x, (struct ncs_span){ x->span.at, bytes }, "`%s` is no number", ncs_lint_shown(text, bytes, shown));
    return NCS_W_END;
}

/* ---- names and symbols ---- */

static int read_name(struct ncs_lexer *x)
{
    static const char *const reserved[] = { "and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
                                            "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
                                            "repeat",   "return", "then", "true", "until",  "while" };
    while (is_letter(byte(x, 0)) || is_digit(byte(x, 0)))
        x->at++;
    size_t n = x->at - x->span.at;
    for (size_t i = 0; n <= 8 && i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == n && memcmp(reserved[i], x->text + x->span.at, n) == 0)
            return NCS_W_AND + (int)i;
    return NCS_W_NAME;
}

static int read_symbol(struct ncs_lexer *x)
{
    static const struct {
        char text[4];
        int word;
    } symbols[] = {
        { "...", NCS_W_DOTS },   { "..", NCS_W_CONCAT },  { "//", NCS_W_DIVIDE }, { "==", NCS_W_EQUAL }, { ">=", NCS_W_AT_LEAST },
        { "<=", NCS_W_AT_MOST }, { "~=", NCS_W_DIFFERS }, { "<<", NCS_W_LEFT },   { ">>", NCS_W_RIGHT }, { "::", NCS_W_LABEL },
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t n = strlen(symbols[i].text);
        if (n <= x->bytes - x->at && memcmp(x->text + x->at, symbols[i].text, n) == 0) {
            x->at += n;
            return symbols[i].word;
        }
    }
    return (unsigned char)x->text[x->at++];
}

/* Skips a comment at "--". False if it is not closed. */
static bool read_comment(struct ncs_lexer *x)
{
    x->span.at = x->at;
    x->at += 2;
    int level = byte(x, 0) == '[' ? bracket_level(x, '[') : -1;
    if (level >= 0)
        return long_text(x, level, "comment");
    while (byte(x, 0) >= 0 && !is_line_end(byte(x, 0)))
        x->at++;
    return true;
}

static int scan(struct ncs_lexer *x)
{
    for (;;) {
        while (is_space(byte(x, 0)))
            x->at++;
        if (byte(x, 0) != '-' || byte(x, 1) != '-')
            break;
        if (!read_comment(x))
            return NCS_W_END;
    }
    int c = byte(x, 0);
    x->span.at = x->at;
    if (c < 0)
        return NCS_W_END;
    if (is_letter(c))
        return read_name(x);
    if (is_digit(c) || (c == '.' && is_digit(byte(x, 1))))
        return read_number(x);
    if (c == '"' || c == '\'')
        return short_text(x);
    int level = c == '[' ? bracket_level(x, '[') : -1;
    if (level >= 0)
        return long_text(x, level, "text") ? NCS_W_TEXT : NCS_W_END;
    if (level == -2) {
        ncs_lint_fail(x, (struct ncs_span){ x->at, 2 }, "`[=` begins no text, expected `[=[`");
        return NCS_W_END;
    }
    return read_symbol(x);
}

void ncs_lint_next(struct ncs_lexer *x)
{
    if (x->failed)
        return;
    x->word = scan(x);
    if (x->failed)
        x->word = NCS_W_END;
    else
        x->span.bytes = x->at - x->span.at;
}

int ncs_lint_peek(const struct ncs_lexer *x)
{
    struct ncs_lint_error unused;
    struct ncs_lexer ahead = *x;
    ahead.err = &unused;
    ncs_lint_next(&ahead);
    return ahead.word;
}
