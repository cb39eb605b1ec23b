/* Explains mistakes in blocks: lines indented unlike their neighbours, keys without a colon, and texts
 * with a colon too many. */
#include <string.h>

#include "notation/yaml/syntax.h"

static bool begins_line(const struct ncs_source *s, size_t at)
{
    size_t line = ncs_line_of(s, at);
    return at <= ncs_line_content(s, line);
}

/* Hints at the missing blank in "name:1" or "-item" at the beginning of a line. */
static void hint_blank(const struct ncs_trouble *t, size_t at)
{
    const char *text = t->source->text + at;
    size_t name = strcspn(text, ": \t\r\n\"'[{");
    if (text[0] == '-' && !strchr("- \t\r\n", text[1]))
        ncs_complain_hint(t->c, "is a blank missing behind '-'?");
    else if (text[name] == ':' && name > 0 && !strchr(" \t\r\n", text[name + 1]))
        ncs_complain_hint(t->c, "is a blank missing behind ':'?");
}

/* The smallest indentation greater than `column` among the lines above, up to one that encloses this line;
 * SIZE_MAX = none. */
static size_t neighbour(const struct ncs_source *s, size_t line, size_t column, size_t *content)
{
    size_t best = SIZE_MAX;
    for (size_t up = ncs_line_above(s, line); up != SIZE_MAX; up = ncs_line_above(s, up)) {
        size_t text = ncs_line_content(s, up), indent = ncs_line_indent(s, up);
        size_t here = indent > column ? indent : text - up;
        if (here > column && (best == SIZE_MAX || here < best)) {
            best = here;
            *content = up + here;
        }
        if (indent <= column)
            break;
    }
    return best;
}

/* Reports a line indented less than its neighbours and more than the lines that enclose it. */
static bool complain_indent(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    size_t line = ncs_line_of(s, t->at), column = t->at - line, content = 0;
    size_t other = neighbour(s, line, column, &content);
    if (!begins_line(s, t->at) || other == SIZE_MAX)
        return false;
    ncs_complain(t->c, ncs_line_word(s, t->at), "this line is indented %zu, the others here %zu", column, other);
    ncs_complain_note(t->c, ncs_line_word(s, content), "this one is indented %zu", other);
    hint_blank(t, t->at);
    return true;
}

/* Reports text after a complete value: a quoted text, an alias, a closing bracket. */
static void complain_rest(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    struct ncs_span rest = ncs_line_rest(s, t->at);
    size_t before = t->at;
    while (before > 0 && strchr(" \t", s->text[before - 1]))
        before--;
    char last = before > 0 ? s->text[before - 1] : ' ';
    bool quote = last == '"' || last == '\'';
    if (quote && t->last && !t->last->plain && ncs_line_of(s, t->last->at.at) != ncs_line_of(s, t->at)) {
        ncs_complain(t->c, (struct ncs_span){ t->last->at.at, 1 }, "this quote is closed lines later, in the middle of a text");
        ncs_complain_note(t->c, (struct ncs_span){ before - 1, 1 }, "here it ends");
        ncs_complain_hint(t->c, "is a closing quote missing in the first line?");
        return;
    }
    const char *what = quote ? "a quoted text" : "a value";
    if (strchr("]}", last))
        what = "a list or map in brackets";
    ncs_complain(t->c, rest, "'%.*s' follows the end of %s", NCS_SHOWN(s, rest), what);
    if (last == '\'')
        ncs_complain_hint(t->c, "a quote inside of '...' is written twice: 'it''s'; or use \"...\"");
    else if (quote)
        ncs_complain_hint(t->c, "put the whole value between quotes: '...', or \"...\" with \\\" inside");
    else if (strchr("]}", s->text[t->at]))
        ncs_complain_hint(t->c, "there is a bracket too many");
}

void ncs_trouble_quote(const struct ncs_trouble *t, const char *what, struct ncs_span value)
{
    const char *text = t->source->text + value.at;
    if (value.bytes > NCS_SHOWN_BYTES || memchr(text, '\'', value.bytes))
        ncs_complain_hint(t->c, "%s", what);
    else
        ncs_complain_hint(t->c, "%s: '%.*s'", what, (int)value.bytes, text);
}

void ncs_trouble_key(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    size_t column = t->at - ncs_line_of(s, t->at);
    size_t block = t->from - ncs_line_of(s, t->from);
    const char *text = s->text + t->at;
    if (!begins_line(s, t->at)) {
        complain_rest(t);
    } else if (text[0] == '-' && strchr(" \r\n", text[1]) && column <= block) {
        ncs_complain(t->c, ncs_line_rest(s, t->at), "a list item among the keys of a map");
        ncs_complain_note(t->c, ncs_line_word(s, t->from), "the map begins here");
        ncs_complain_hint(t->c, "items stand below a key that has no value in its own line");
    } else if (text[0] == ':') {
        ncs_complain(t->c, (struct ncs_span){ t->at, 1 }, "a key is missing before ':'");
    } else if (column <= block || !complain_indent(t)) {
        ncs_complain(t->c, ncs_line_rest(s, t->at), "a key and ':' were expected here");
        ncs_complain_note(t->c, ncs_line_word(s, t->from), "the map begins here");
        if (column > block)
            ncs_complain_hint(t->c, "this line is indented %zu, the keys of the map %zu", column, block);
    }
}

void ncs_trouble_item(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    size_t column = t->at - ncs_line_of(s, t->at);
    size_t block = t->from - ncs_line_of(s, t->from);
    if (!begins_line(s, t->at)) {
        complain_rest(t);
    } else if (column <= block || !complain_indent(t)) {
        ncs_complain(t->c, ncs_line_rest(s, t->at), "an item of the list was expected here: '- ...'");
        ncs_complain_note(t->c, ncs_line_word(s, t->from), "the list begins here");
        hint_blank(t, t->at);
    }
}

static void complain_second_colon(const struct ncs_trouble *t, size_t first)
{
    const struct ncs_source *s = t->source;
    ncs_complain(t->c, (struct ncs_span){ t->at, 1 }, "this line has a second ': '");
    ncs_trouble_quote(t, "quote the value if ':' is a part of it",
                      ncs_line_rest(s, first + 1 + strspn(s->text + first + 1, " \t")));
}

/* Without this ':', YAML would read the line as the continuation of a text above it. */
void ncs_trouble_colon(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    size_t line = ncs_line_of(s, t->at), key = ncs_line_content(s, line);
    size_t first = ncs_line_colon(s, key, t->at), above = ncs_line_above(s, line);
    if (first < t->at) {
        complain_second_colon(t, first);
        return;
    }
    size_t up = above == SIZE_MAX ? line : ncs_line_content(s, above);
    size_t end = up + strcspn(s->text + up, "\r\n"), column = key - line, other = up - above;
    bool has_colon = ncs_line_colon(s, up, end + 1) <= end;
    if (above == SIZE_MAX || (has_colon && column == other)) {
        ncs_complain(t->c, (struct ncs_span){ t->at, 1 }, "a ': ' cannot stand here");
    } else if (has_colon) {
        ncs_complain(t->c, ncs_line_word(s, key), "this line is indented %zu, the one above %zu", column, other);
        ncs_complain_note(t->c, ncs_line_word(s, up), "this key has a value in its own line");
        ncs_complain_hint(t->c, "keys of one map are indented alike; a key with others below it has no value");
    } else {
        ncs_complain(t->c, ncs_line_rest(s, up), "this is no key: there is no ': ' in it");
        ncs_complain_note(t->c, ncs_line_word(s, key), "here a key follows");
        hint_blank(t, up);
    }
}

void ncs_trouble_no_colon(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    size_t line = ncs_line_of(s, t->from), above = ncs_line_above(s, line);
    struct ncs_span rest = ncs_line_rest(s, t->from);
    ncs_complain(t->c, rest, "a key was expected here, but there is no ': ' behind it");
    if (ncs_line_colon(s, rest.at, rest.at + rest.bytes) < rest.at + rest.bytes) {
        ncs_complain_hint(t->c, "a key stands in one line and has at most 1024 characters");
        return;
    }
    hint_blank(t, t->from);
    if (above == SIZE_MAX)
        return;
    struct ncs_span value = ncs_line_rest(s, above);
    size_t end = value.at + value.bytes;
    while (end > value.at && strchr("+-", s->text[end - 1]))
        end--;
    if (end > value.at && strchr("|>", s->text[end - 1]))
        ncs_complain_hint(t->c, "the lines of a block that '%c' begins are indented deeper than its key", s->text[end - 1]);
}

void ncs_trouble_after(const struct ncs_trouble *t, const struct ncs_yaml_node *root)
{
    const struct ncs_source *s = t->source;
    struct ncs_span rest = ncs_line_rest(s, t->at);
    size_t column = t->at - ncs_line_of(s, t->at);
    size_t block = root ? root->at.at - ncs_line_of(s, root->at.at) : 0;
    if (!root) {
        ncs_complain(t->c, rest, "a line '---' was expected before this");
        return;
    }
    if (begins_line(s, t->at) && column < block) {
        ncs_complain(t->c, ncs_line_word(s, t->at), "this line is indented %zu, the first one %zu", column, block);
        ncs_complain_note(t->c, ncs_line_word(s, root->at.at), "the first one is here");
        return;
    }
    ncs_complain(t->c, rest, "'%.*s' follows the end of the whole value", NCS_SHOWN(s, rest));
    ncs_complain_note(t->c, (struct ncs_span){ root->at.at, 1 }, "which begins here");
}
