/* Checks the text before libyaml reads it: valid UTF-8, printable; and indexes its code points. */
#include <string.h>

#include "base/mem.h"
#include "notation/yaml/private.h"

enum { STRIDE = 256 };

/* The length of the code point at p, its value in *value; 0 = not UTF-8. The text ends with a zero byte,
 * which is no continuation byte, so decoding never reads past it. */
static size_t decode(const unsigned char *p, uint32_t *value)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t count = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    uint32_t v = p[0] & (0xffu >> (count + 1));
    for (size_t i = 1; i < count; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        v = v << 6 | (p[i] & 0x3f);
    }
    *value = v;
    return v < least[count] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000) ? 0 : count;
}

static bool refuse(struct ncs_complaints *c, size_t at, size_t bytes, uint32_t value)
{
    struct ncs_span span = { at, bytes ? bytes : 1 };
    if (bytes == 0) {
        ncs_complain(c, span, "byte 0x%02x is not UTF-8", value);
        return ncs_complain_hint(c, "save the file as UTF-8");
    }
    if (value == 0xfeff) {
        ncs_complain(c, span, "a byte order mark (U+FEFF) inside of the text");
        return ncs_complain_hint(c, "it is invisible; delete it");
    }
    if (value == '\r') {
        ncs_complain(c, span, "a carriage return without a line feed");
        return ncs_complain_hint(c, "end lines with LF or CR LF");
    }
    ncs_complain(c, span, "character U+%04X is not allowed in YAML", value);
    return ncs_complain_hint(c, "between double quotes it is written \"\\u%04x\"", value);
}

/* Printable characters of YAML, apart from ASCII; without U+0085, U+2028 and U+2029, which end a line in
 * YAML 1.1 but not in 1.2. */
static bool is_printable(uint32_t v)
{
    return v >= 0xa0 && v != 0xfeff && v != 0xfffe && v != 0xffff && v != 0x2028 && v != 0x2029;
}

/* Printable ASCII. A CR is allowed only in CR LF, so that everything counts the same lines. */
static bool is_plain(const unsigned char *p)
{
    if (p[0] == '\r')
        return p[1] == '\n';
    return p[0] >= 0x20 ? p[0] != 0x7f : p[0] == '\n' || p[0] == '\t';
}

bool ncs_marks_init(struct ncs_marks *m, const struct ncs_source *source, struct ncs_complaints *c)
{
    const unsigned char *text = (const unsigned char *)source->text;
    *m = (struct ncs_marks){ .source = source, .ascii = true };
    if (source->bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        ncs_complain(c, (struct ncs_span){ 0, 0 }, "the file is UTF-16, not UTF-8");
        return ncs_complain_hint(c, "save it as UTF-8");
    }
    if (source->bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        m->base = 3;
    size_t index = 0;
    for (size_t at = m->base; at < source->bytes; index++) {
        if (index % STRIDE == 0)
            NCS_PUSH(m->byte, m->count, m->room, at);
        uint32_t value = text[at];
        size_t bytes = 1;
        if (value >= 0x80) {
            bytes = decode(text + at, &value);
            m->ascii = false;
            if (bytes == 0 || !is_printable(value))
                return refuse(c, at, bytes, bytes ? value : text[at]);
        } else if (!is_plain(text + at)) {
            return refuse(c, at, 1, value);
        }
        at += bytes;
    }
    m->index = 0;
    m->at = m->base;
    return true;
}

size_t ncs_marks_byte(struct ncs_marks *m, size_t index)
{
    if (m->ascii)
        return m->base + index < m->source->bytes ? m->base + index : m->source->bytes;
    if (index < m->index || index - m->index >= STRIDE) {
        size_t entry = index / STRIDE < m->count ? index / STRIDE : m->count - 1;
        m->index = entry * STRIDE;
        m->at = m->byte[entry];
    }
    while (m->index < index && m->at < m->source->bytes) {
        do
            m->at++;
        while (((unsigned char)m->source->text[m->at] & 0xc0) == 0x80);
        m->index++;
    }
    return m->at;
}

void ncs_marks_free(struct ncs_marks *m)
{
    ncs_free(m->byte);
}
