/* Warns about valid YAML that is probably not intended. */
#include <string.h>

#include "notation/yaml/private.h"

/* Characters that look like syntax of YAML, but are part of the text. */
static const struct look {
    const char *first, *last; /* of the text; last: NULL = any */
    const char *name, *hint;
} looks[] = {
    { "\xc2\xa0", NULL, "a no-break space (U+00A0)", "replace it by a blank" },
    { "\xe3\x80\x80", NULL, "an ideographic space (U+3000)", "replace it by a blank" },
    { "\xe2\x80\x8b", NULL, "a zero-width space (U+200B)", "delete it" },
    { "\xe2\x80\x9c", "\xe2\x80\x9d", "a typographic quote (U+201C)", "quote with \" or '" },
    { "\xe2\x80\x9e", "\xe2\x80\x9c", "a typographic quote (U+201E)", "quote with \" or '" },
    { "\xe2\x80\x98", "\xe2\x80\x99", "a typographic quote (U+2018)", "quote with \" or '" },
};

static void warn_looks(const struct ncs_yaml_node *text, struct ncs_complaints *c)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        size_t first = strlen(looks[i].first), last = looks[i].last ? strlen(looks[i].last) : 0;
        if (text->bytes >= first + last && memcmp(text->text, looks[i].first, first) == 0 &&
            (!last || memcmp(text->text + text->bytes - last, looks[i].last, last) == 0)) {
            ncs_complain_warning(c, (struct ncs_span){ text->at.at, first }, "%s is a part of this text", looks[i].name);
            ncs_complain_hint(c, "%s", looks[i].hint);
        }
    }
}

/* Warns of a text that continues on a line that begins with "- ": an item with the wrong indentation. */
static void warn_items(const struct ncs_yaml_node *text, struct ncs_complaints *c)
{
    const struct ncs_source *s = c->source;
    size_t at = text->at.at, end = at + text->at.bytes;
    for (const char *p; (p = memchr(s->text + at, '\n', end - at)) != NULL;) {
        at = (size_t)(p - s->text) + 1;
        at += strspn(p + 1, " ");
        if (strncmp(s->text + at, "- ", 2) == 0) {
            ncs_complain_warning(c, (struct ncs_span){ at, 1 }, "no item: it continues the text that begins above");
            ncs_complain_note(c, (struct ncs_span){ text->at.at, 1 }, "the text begins here");
            ncs_complain_hint(c, "items of one list are indented alike, and a list begins below its key");
            return;
        }
    }
}

void ncs_yaml_warn_text(const struct ncs_yaml_node *text, bool many_lines, struct ncs_complaints *c)
{
    if ((unsigned char)text->text[0] >= 0x80)
        warn_looks(text, c);
    if (many_lines)
        warn_items(text, c);
}
