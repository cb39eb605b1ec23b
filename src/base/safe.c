/* Handles control characters and invalid UTF-8. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "base/safe.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"

static bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* The bytes of the UTF-8 character at p, of `left` bytes; 0 = no valid character starts here. */
static size_t safe_character(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80)
        return 1;
    size_t bytes = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || bytes > left)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if (!is_continuation(p[i]))
            return 0;
    /* Overlong forms, surrogates and code points beyond U+10FFFF show in the second byte. */
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return bytes;
}

/* Characters that change the direction of the following text, so that it reads as another text: U+061C,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. */
static bool turns(const unsigned char *p, size_t bytes)
{
    if (bytes == 2)
        return p[0] == 0xd8 && p[1] == 0x9c;
    if (bytes != 3 || p[0] != 0xe2)
        return false;
    return (p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae))) ||
           (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

/* Valid characters that no report may have: U+0080 to U+009F, which some terminals obey as they do ESC; those that change the
 * direction; U+2028, U+2029 and U+FEFF, which are line ends or nothing to some readers; U+FFFE and U+FFFF, which XML and YAML
 * do not allow. */
static bool is_unfit(const unsigned char *p, size_t bytes)
{
    return (bytes == 2 && p[0] == 0xc2 && p[1] < 0xa0) || turns(p, bytes) ||
           (bytes == 3 && p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9)) ||
           (bytes == 3 && p[0] == 0xef && ((p[1] == 0xbb && p[2] == 0xbf) || (p[1] == 0xbf && p[2] >= 0xbe)));
}

void ncs_safe_utf8(struct ncs_str *out, const char *text, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < bytes;) {
        size_t n = safe_character(p + i, bytes - i);
        if (n && !is_unfit(p + i, n))
            ncs_str_add_bytes(out, p + i, n);
        else
            ncs_str_add(out, "\xef\xbf\xbd");
        i += n ? n : 1;
    }
}

void ncs_safe_line(struct ncs_str *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t left = strlen(text), plain;
    for (; left; p += plain, left -= plain) {
        for (plain = 0; plain < left && p[plain] >= 0x20 && p[plain] < 0x7f;)
            plain++;
        ncs_str_add_bytes(out, p, plain);
        if (plain)
            continue;
        size_t n = safe_character(p, left);
        bool control = n == 0 || *p < 0x20 || *p == 0x7f || is_unfit(p, n);
        if (n == 1 && strchr("\t\n\v\f\r", *p))
            ncs_str_add(out, " ");
        else if (control)
            for (size_t i = 0; i < (n ? n : 1); i++)
                ncs_str_addf(out, "\\x%02x", p[i]);
        else
            ncs_str_add_bytes(out, p, n);
        plain = n ? n : 1;
    }
}

void ncs_safe_name(struct ncs_str *out, const char *name)
{
    struct ncs_str valid = { 0 };
    ncs_str_add(out, "");
    size_t from = out->bytes;
    ncs_safe_utf8(&valid, name, strlen(name));
    ncs_safe_line(out, valid.text ? valid.text : "");
    for (char *p = out->text + from; *p; p++)
        if (*p == '"' || *p == '\\')
            *p = '?';
    ncs_str_free(&valid);
}

char *ncs_safe_copy(const char *text)
{
    size_t bytes = text ? strlen(text) : 0, kept = NCS_SAFE_MOST;
    if (bytes <= NCS_SAFE_MOST)
        return ncs_copy_text(text);
    while (kept > NCS_SAFE_MOST - 4 && is_continuation((unsigned char)text[kept]))
        kept--; /* not in the middle of a character */
    struct ncs_str copy = { 0 };
    ncs_str_add_bytes(&copy, text, kept);
    ncs_str_addf(&copy, "... %zu bytes more", bytes - kept);
    return ncs_str_take(&copy);
}

/* The width in cells of one character of `bytes` bytes. */
static size_t cells(const char *p, size_t bytes)
{
    wchar_t wide;
    mbstate_t state = { 0 };
    if (bytes == 1 || mbrtowc(&wide, p, bytes, &state) != bytes)
        return 1;
    int width = wcwidth(wide);
    return width < 0 ? 1 : (size_t)width;
}

size_t ncs_safe_width(const char *text)
{
    size_t width = 0, n;
    while (*text && (unsigned char)*text < 0x80) {
        text++;
        width++;
    }
    if (!*text)
        return width;
    /* Independent of the program's locale: in the locale "C", wcwidth knows no wide character. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    for (size_t left = strlen(text); left; text += n, left -= n) {
        n = safe_character((const unsigned char *)text, left);
        width += n ? cells(text, n) : 1;
        n = n ? n : 1;
    }
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return width;
}

void ncs_safe_output(struct ncs_str *out, const char *line)
{
    size_t bytes = strcspn(line, "\n");
    for (size_t at = 0; at < bytes;) {
        size_t n = strcspn(line + at, "\t\n");
        struct ncs_str piece = { 0 };
        ncs_str_add_bytes(&piece, line + at, n);
        if (n)
            ncs_safe_line(out, piece.text);
        ncs_str_free(&piece);
        at += n;
        if (at < bytes) {
            ncs_str_add(out, "\t");
            at++;
        }
    }
    ncs_str_add(out, "\n");
}
