/* Turns libyaml's errors into complaints that name the cause. */
#include <string.h>

#include "notation/yaml/syntax.h"

static struct ncs_span one(size_t at)
{
    return (struct ncs_span){ at, 1 };
}

static char closing(char bracket)
{
    return bracket == '[' ? ']' : '}';
}

/* ---- brackets ---- */

static void unclosed(const struct ncs_trouble *t, size_t bracket)
{
    ncs_complain(t->c, one(bracket), "this '%c' is not closed", t->source->text[bracket]);
    if (t->at < t->source->bytes)
        ncs_complain_note(t->c, ncs_line_word(t->source, t->at), "'%c' was expected before this",
                          closing(t->source->text[bracket]));
}

/* True if the bracket at t->from is closed before a line that lies outside it. */
static bool closed_later(const struct ncs_trouble *t, size_t first)
{
    const struct ncs_source *s = t->source;
    char close = closing(s->text[t->from]);
    size_t indent = ncs_line_indent(s, first), line = ncs_line_of(s, t->at);
    while (line < s->bytes) {
        size_t end = line + strcspn(s->text + line, "\n"), content = ncs_line_content(s, line);
        if (content - line <= indent && !strchr("\r\n]}", s->text[content]))
            return false;
        if (memchr(s->text + line, close, end - line))
            return true;
        line = end + 1;
    }
    return false;
}

static void in_brackets(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    char open = s->text[t->from], found = s->text[t->at];
    size_t line = ncs_line_of(s, t->at), first = ncs_line_of(s, t->from);
    if (t->at >= s->bytes || (line != first && !closed_later(t, first))) {
        unclosed(t, t->from);
        return;
    }
    struct ncs_span word = ncs_line_word(s, t->at);
    ncs_complain(t->c, word, "',' or '%c' was expected, not '%.*s'", closing(open), NCS_SHOWN(s, word));
    ncs_complain_note(t->c, one(t->from), "the '%c' is here", open);
    if (found == ':' && line != first && ncs_line_colon(s, line, t->at) == t->at)
        ncs_complain_hint(t->c, "is a ',' missing at the end of the line above?");
    else if (found == ':')
        ncs_complain_hint(t->c, "quote the value if ':' is a part of it");
    else if (!strchr("]}", found))
        ncs_complain_hint(t->c, "is a ',' missing, or a pair of quotes around the whole value?");
}

static void no_value(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    bool flow = strstr(t->parser->context, "flow") && t->bracket != SIZE_MAX;
    struct ncs_span word = ncs_line_word(s, t->at);
    if (t->at >= s->bytes && flow) {
        unclosed(t, t->bracket);
    } else if (flow && s->text[t->at] == '-') {
        ncs_complain(t->c, one(t->at), "'- ' inside of brackets");
        ncs_complain_hint(t->c, "between '[' and ']' items are separated by ','");
    } else if (flow) {
        ncs_complain(t->c, word, "a value is missing before '%.*s'", NCS_SHOWN(s, word));
    } else {
        ncs_complain(t->c, word, "a value cannot begin with '%.*s'", NCS_SHOWN(s, word));
        ncs_complain_hint(t->c, "quote it if it is meant as text");
    }
}

/* ---- characters ---- */

static void tab(const struct ncs_trouble *t)
{
    size_t from = t->at, bytes;
    while (from > 0 && strchr(" \t", t->source->text[from - 1]))
        from--;
    from += strspn(t->source->text + from, " ");
    bytes = strspn(t->source->text + from, "\t");
    ncs_complain(t->c, (struct ncs_span){ from, bytes ? bytes : 1 }, "the indentation contains a tab");
    ncs_complain_hint(t->c, "YAML is indented with blanks only");
}

static void bad_start(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    struct ncs_span rest = ncs_line_rest(s, t->at);
    char c = s->text[t->at];
    if (c == '\t') {
        tab(t);
        return;
    }
    if (t->parser->flow_level > 0 && (c == '|' || c == '>')) {
        ncs_complain(t->c, one(t->at), "a block of text ('%c') cannot stand inside of brackets", c);
        ncs_complain_hint(t->c, "quote the text, or write the list or map without brackets");
        return;
    }
    if (t->parser->flow_level > 0)
        rest = ncs_line_word(s, t->at);
    ncs_complain(t->c, one(t->at), "a value cannot begin with '%c'", c);
    ncs_trouble_quote(t, "quote it", rest);
}

static void quote(const struct ncs_trouble *t)
{
    ncs_complain(t->c, one(t->from), "this quote is not closed");
    if (t->at < t->source->bytes && ncs_line_of(t->source, t->at) > t->from)
        ncs_complain_note(t->c, ncs_line_rest(t->source, t->at), "it must end before this line");
}

static void escape(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    size_t at = t->at;
    while (at > t->from && s->text[at] != '\\')
        at--;
    if (at + 1 >= s->bytes) {
        quote(t);
        return;
    }
    size_t digits = strspn(s->text + at + 2, "0123456789abcdefABCDEF");
    char c = s->text[at + 1];
    size_t need = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    struct ncs_span word = { at, 2 + (digits < need ? digits : need) };
    while (((unsigned char)s->text[word.at + word.bytes] & 0xc0) == 0x80)
        word.bytes++;
    if (need == 0) {
        ncs_complain(t->c, word, "unknown escape '%.*s'", NCS_SHOWN(s, word));
        ncs_complain_hint(t->c, "a backslash is written \\\\ between \"...\", and as it is between '...'");
    } else if (digits < need) {
        ncs_complain(t->c, word, "'\\%c' needs %zu hexadecimal digits", c, need);
    } else {
        ncs_complain(t->c, word, "'%.*s' is no character", NCS_SHOWN(s, word));
    }
}

static void name(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    bool alias = s->text[t->from] == '*';
    struct ncs_span word = ncs_line_word(s, t->from);
    ncs_complain(t->c, word, "'%.*s' is no name of an %s", NCS_SHOWN(s, word), alias ? "alias" : "anchor");
    ncs_complain_hint(t->c, "names are letters, digits, '_' and '-'; quote a text that begins with '%c'", alias ? '*' : '&');
}

static void tag(const struct ncs_trouble *t)
{
    ncs_complain(t->c, ncs_line_word(t->source, t->from), "tags ('!...') have no meaning here");
    ncs_complain_hint(t->c, "quote a text that begins with '!'");
}

static void block_head(const struct ncs_trouble *t)
{
    const struct ncs_source *s = t->source;
    ncs_complain(t->c, ncs_line_rest(s, t->from), "a block that '%c' begins has nothing else in this line", s->text[t->from]);
    ncs_complain_hint(t->c, "its text begins in the next line; quote a text that begins with '%c'", s->text[t->from]);
}

/* ---- the rest ---- */

static void no_item(const struct ncs_trouble *t)
{
    ncs_complain(t->c, ncs_line_rest(t->source, t->at), "a list cannot begin in this line");
    ncs_complain_hint(t->c, "put its items into lines of their own, or between '[' and ']'");
}

static void question(const struct ncs_trouble *t)
{
    ncs_complain(t->c, ncs_line_rest(t->source, t->at), "'? ' (a key of many lines) cannot stand here");
    ncs_complain_hint(t->c, "quote a text that begins with '?'");
}

static void version(const struct ncs_trouble *t)
{
    struct ncs_span line = ncs_line_rest(t->source, t->at);
    ncs_complain(t->c, line, "'%.*s': only YAML 1.2 is understood", NCS_SHOWN(t->source, line));
    ncs_complain_hint(t->c, "leave the line out");
}

static void directive(const struct ncs_trouble *t)
{
    struct ncs_span line = ncs_line_rest(t->source, ncs_line_of(t->source, t->at));
    ncs_complain(t->c, line, "'%.*s' is no line that YAML 1.2 knows", NCS_SHOWN(t->source, line));
    ncs_complain_hint(t->c, "leave it out; quote a text that begins with '%%'");
}

static void no_document(const struct ncs_trouble *t)
{
    ncs_trouble_after(t, NULL);
}

/* libyaml's messages: the first row whose two texts occur in the context and the problem applies. */
static const struct row {
    const char *context, *problem;
    void (*say)(const struct ncs_trouble *t);
} rows[] = {
    { "", "',' or '", in_brackets },
    { "", "expected node content", no_value },
    { "", "expected '-' indicator", ncs_trouble_item },
    { "", "expected key", ncs_trouble_key },
    { "", "mapping values are not allowed", ncs_trouble_colon },
    { "", "could not find expected ':'", ncs_trouble_no_colon },
    { "", "block sequence entries are not allowed", no_item },
    { "", "mapping keys are not allowed", question },
    { "", "found a tab character", tab },
    { "", "cannot start any token", bad_start },
    { "quoted scalar", "unexpected", quote },
    { "quoted scalar", "", escape },
    { "an anchor", "", name },
    { "an alias", "", name },
    { "tag", "", tag },
    { "parsing a node", "tag handle", tag },
    { "block scalar", "", block_head },
    { "", "incompatible YAML", version },
    { "", "duplicate %YAML", directive },
    { "directive", "", directive },
    { "", "expected <document start>", no_document },
};

void ncs_yaml_syntax(const yaml_parser_t *p, struct ncs_marks *marks, const struct ncs_yaml_node *last, struct ncs_complaints *c)
{
    struct ncs_trouble t = { .parser = p, .source = marks->source, .c = c, .last = last };
    t.at = ncs_marks_byte(marks, p->problem_mark.index);
    t.from = p->context ? ncs_marks_byte(marks, p->context_mark.index) : t.at;
    t.bracket = SIZE_MAX;
    if (p->marks.top > p->marks.start)
        t.bracket = ncs_marks_byte(marks, p->marks.top[-1].index);
    const char *context = p->context ? p->context : "", *problem = p->problem ? p->problem : "";
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++)
        if (strstr(context, row->context) && strstr(problem, row->problem)) {
            row->say(&t);
            return;
        }
    if (p->error == YAML_MEMORY_ERROR) {
        c->no_memory = true;
        ncs_complain(c, one(t.at), "no memory to read this file");
        return;
    }
    ncs_complain(c, one(t.at), "%s", problem);
    if (p->context)
        ncs_complain_note(c, one(t.from), "%s", context);
}
