#include "prompt/reference.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

extern const unsigned char ncs_lua_ncclscript[]; /* lua/library/ncclscript.d.lua */

struct line {
    const char *text;
    size_t bytes;
};

static bool next_line(const char **at, struct line *l)
{
    if (!**at)
        return false;
    l->text = *at;
    l->bytes = strcspn(*at, "\n");
    *at += l->bytes + ((*at)[l->bytes] == '\n');
    return true;
}

static bool begins(const struct line *l, const char *with)
{
    size_t n = strlen(with);
    return l->bytes >= n && memcmp(l->text, with, n) == 0;
}

/* True for the line `function NAME(...) end`. */
static bool defines(const struct line *l, const char *name)
{
    size_t head = strlen("function "), n = strlen(name);
    return begins(l, "function ") && l->bytes > head + n && memcmp(l->text + head, name, n) == 0 && l->text[head + n] == '(';
}

/* Finds the line of a function, and the beginning of the comment before it; false: no such function. */
static bool reference_find_function(const char *name, struct line *function, const char **comment)
{
    const char *at = (const char *)ncs_lua_ncclscript, *start = at;
    bool within = false;
    for (struct line l; next_line(&at, &l);) {
        if (defines(&l, name)) {
            *function = l;
            *comment = within ? start : l.text;
            return true;
        }
        bool is_comment = begins(&l, "---");
        if (is_comment && !within)
            start = l.text;
        within = is_comment;
    }
    return false;
}

static void reference_add_rest(const struct line *l, size_t from, const char *indent, struct ncs_str *out)
{
    ncs_str_addf(out, "%s%.*s\n", indent, (int)(l->bytes - from), l->text + from);
}

/* Appends a line without the prefix of our class names, as users write them. */
static void add_plain(const struct line *l, size_t from, const char *indent, struct ncs_str *out)
{
    static const char prefix[] = "ncclscript.";
    ncs_str_add(out, indent);
    for (size_t i = from; i < l->bytes; i++) {
        if (l->bytes - i >= sizeof prefix - 1 && memcmp(l->text + i, prefix, sizeof prefix - 1) == 0)
            i += sizeof prefix - 1;
        ncs_str_addf(out, "%c", l->text[i]);
    }
    ncs_str_add(out, "\n");
}

/* True for the line `---@class ncclscript.NAME`, with an optional `: PARENT`. */
static bool is_class(const struct line *l, const char *name, struct line *parent)
{
    static const char head[] = "---@class ncclscript.";
    size_t h = sizeof head - 1, n = strlen(name);
    if (!begins(l, head) || l->bytes < h + n || memcmp(l->text + h, name, n) != 0)
        return false;
    *parent = (struct line){ NULL, 0 };
    if (l->bytes == h + n)
        return true;
    static const char of[] = ": ncclscript.";
    size_t o = sizeof of - 1;
    if (l->bytes < h + n + o || memcmp(l->text + h + n, of, o) != 0)
        return false;
    *parent = (struct line){ l->text + h + n + o, l->bytes - h - n - o };
    return true;
}

/* ---- the values of a type ---- */

enum { ALIASES = 16 };

struct alias {
    const char *name; /* as in "---@alias ncclscript.NAME VALUES" */
    size_t bytes;
    const char *values, *end; /* the rest of the line, and the lines that begin with "---|" */
    bool used;
};

static size_t list_aliases(struct alias alias[ALIASES])
{
    static const char head[] = "---@alias ncclscript.";
    const char *at = (const char *)ncs_lua_ncclscript;
    size_t n = 0;
    for (struct line l; next_line(&at, &l);) {
        if (n && alias[n - 1].end == l.text && begins(&l, "---|"))
            alias[n - 1].end = at;
        if (!begins(&l, head) || n == ALIASES)
            continue;
        const char *name = l.text + sizeof head - 1;
        size_t bytes = strcspn(name, " \n");
        alias[n++] = (struct alias){ .name = name, .bytes = bytes, .values = name + bytes, .end = at };
    }
    return n;
}

/* Marks the aliases that the text names. */
static void mark_aliases(struct alias alias[ALIASES], size_t n, const struct line *l)
{
    static const char prefix[] = "ncclscript.";
    const char *end = l->text + l->bytes;
    for (const char *p = l->text; p + sizeof prefix - 1 < end; p++) {
        if (memcmp(p, prefix, sizeof prefix - 1) != 0)
            continue;
        const char *word = p + sizeof prefix - 1;
        size_t bytes = strcspn(word, " ,|})[]#\n");
        for (size_t i = 0; i < n; i++)
            alias[i].used = alias[i].used || (alias[i].bytes == bytes && memcmp(alias[i].name, word, bytes) == 0);
    }
}

/* Appends "  op: "sum" | "prod" | premulsum". */
static void add_alias(const struct alias *a, struct ncs_str *out)
{
    struct ncs_str text = { 0 };
    const char *at = a->values;
    ncs_str_addf(&text, "%.*s:", (int)a->bytes, a->name);
    for (struct line l; at < a->end && next_line(&at, &l);) {
        bool more = begins(&l, "---|");
        ncs_str_addf(&text, "%s%.*s", more && l.text != a->values ? " " : "", (int)l.bytes - (more ? 3 : 0),
                     l.text + (more ? 3 : 0));
    }
    struct ncs_str plain = { 0 };
    struct line whole = { text.text, text.bytes };
    add_plain(&whole, 0, "  ", &plain);
    char *first = strstr(plain.text, ": | "); /* the first value of several lines */
    if (first)
        memmove(first + 1, first + 3, strlen(first + 3) + 1);
    ncs_str_add(out, plain.text);
    ncs_str_free(&plain);
    ncs_str_free(&text);
}

static bool add_values_of(const char *name, struct ncs_str *out)
{
    struct alias alias[ALIASES];
    size_t n = list_aliases(alias);
    for (size_t i = 0; i < n; i++)
        if (alias[i].bytes == strlen(name) && memcmp(alias[i].name, name, alias[i].bytes) == 0) {
            add_alias(&alias[i], out);
            return true;
        }
    return false;
}

/* ---- classes and functions ---- */

/* Appends the fields of a class of options, and those of its parents. */
static void add_fields(const char *class, size_t bytes, struct alias *alias, size_t aliases, struct ncs_str *out)
{
    char name[80];
    const char *at = (const char *)ncs_lua_ncclscript;
    struct line l, parent;
    if (bytes >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)bytes, class);
    while (next_line(&at, &l)) {
        if (!is_class(&l, name, &parent))
            continue;
        while (next_line(&at, &l) && begins(&l, "---@field ")) {
            add_plain(&l, strlen("---@field "), "    ", out);
            mark_aliases(alias, aliases, &l);
        }
        if (parent.bytes)
            add_fields(parent.text, parent.bytes, alias, aliases, out);
        return;
    }
}

/* True for the name of an argument that is a table of options. */
static bool takes_options(const struct line *param, size_t name)
{
    static const char *const names[] = { "options", "config", "when", "declaration", "fields" };
    size_t bytes = strcspn(param->text + name, "? ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bytes == strlen(names[i]) && memcmp(param->text + name, names[i], bytes) == 0)
            return true;
    return false;
}

/* Appends a parameter, and the fields of its class if it is a table of options. */
static void add_parameter(const struct line *l, struct alias *alias, size_t aliases, struct ncs_str *out)
{
    static const char prefix[] = "ncclscript.";
    size_t name = strlen("---@param "), at = name;
    add_plain(l, name, "  ", out);
    mark_aliases(alias, aliases, l);
    while (at < l->bytes && l->text[at] != ' ')
        at++;
    at++;
    if (takes_options(l, name) && l->bytes > at + sizeof prefix && memcmp(l->text + at, prefix, sizeof prefix - 1) == 0)
        add_fields(l->text + at + sizeof prefix - 1, strcspn(l->text + at + sizeof prefix - 1, " \n"), alias, aliases, out);
}

static bool add_function(const char *name, struct ncs_str *out)
{
    struct alias alias[ALIASES];
    size_t aliases = list_aliases(alias);
    struct line function, l;
    const char *at;
    if (!reference_find_function(name, &function, &at))
        return false;
    struct line head = { function.text + strlen("function "), function.bytes - strlen("function ") };
    if (head.bytes > 4 && memcmp(head.text + head.bytes - 4, " end", 4) == 0)
        head.bytes -= 4;
    reference_add_rest(&head, 0, "", out);
    while (at < function.text && next_line(&at, &l)) {
        if (begins(&l, "---@param "))
            add_parameter(&l, alias, aliases, out);
        else if (begins(&l, "---@return "))
            add_plain(&l, strlen("---@return "), "  returns ", out);
        else if (begins(&l, "---@"))
            continue;
        else
            reference_add_rest(&l, 3, "  ", out);
        if (begins(&l, "---@return "))
            mark_aliases(alias, aliases, &l);
    }
    for (size_t i = 0; i < aliases; i++)
        if (alias[i].used)
            add_alias(&alias[i], out);
    return true;
}

static void add_functions_of(const char *name, struct ncs_str *out)
{
    const char *at = (const char *)ncs_lua_ncclscript;
    char owner[60];
    for (struct line l; next_line(&at, &l);)
        for (int i = 0; i < 2; i++) {
            snprintf(owner, sizeof owner, "function %s%c", name, ":."[i]);
            if (!begins(&l, owner))
                continue;
            l.bytes -= l.bytes > 4 && memcmp(l.text + l.bytes - 4, " end", 4) == 0 ? 4 : 0;
            reference_add_rest(&l, strlen("function "), "  ", out);
        }
}

static bool add_class(const char *name, struct ncs_str *out)
{
    const char *at = (const char *)ncs_lua_ncclscript;
    struct line l, parent;
    bool known = false;
    while (!known && next_line(&at, &l))
        known = is_class(&l, name, &parent);
    if (!known)
        return false;
    ncs_str_addf(out, "%s\n", name);
    while (next_line(&at, &l) && begins(&l, "---@field "))
        add_plain(&l, strlen("---@field "), "  .", out);
    add_functions_of(name, out);
    return true;
}

bool ncs_reference(const char *name, struct ncs_str *out)
{
    return add_function(name, out) || add_class(name, out) || add_values_of(name, out);
}

/* ---- options ---- */

static void each_field(const char *class, size_t bytes, void (*on_word)(void *arg, const char *word), void *arg)
{
    char name[80];
    const char *at = (const char *)ncs_lua_ncclscript;
    struct line l, parent;
    if (bytes >= sizeof name)
        return;
    memcpy(name, class, bytes);
    name[bytes] = 0;
    while (next_line(&at, &l)) {
        if (!is_class(&l, name, &parent))
            continue;
        while (next_line(&at, &l) && begins(&l, "---@field ")) {
            const char *field = l.text + strlen("---@field ");
            struct ncs_str word = { 0 };
            ncs_str_add_bytes(&word, field, strcspn(field, "? \n"));
            on_word(arg, word.text);
            ncs_str_free(&word);
        }
        if (parent.bytes)
            each_field(parent.text, parent.bytes, on_word, arg);
        return;
    }
}

/* Visits the names in { name?: type, other?: type }. */
static void each_inline(const char *at, const char *end, void (*on_word)(void *arg, const char *word), void *arg)
{
    for (const char *q; at < end && (q = memchr(at, '?', (size_t)(end - at))); at = q + 1) {
        const char *from = q;
        while (from > at && from[-1] != ' ' && from[-1] != '{')
            from--;
        struct ncs_str word = { 0 };
        ncs_str_add_bytes(&word, from, (size_t)(q - from));
        if (q[1] == ':' && word.bytes)
            on_word(arg, word.text);
        ncs_str_free(&word);
    }
}

void ncs_reference_options(const char *name, void (*on_word)(void *arg, const char *word), void *arg)
{
    static const char head[] = "---@param options", prefix[] = "ncclscript.";
    struct line function, l;
    const char *at;
    if (!reference_find_function(name, &function, &at))
        return;
    while (at < function.text && next_line(&at, &l)) {
        if (!begins(&l, head) && !begins(&l, "---@param config"))
            continue;
        const char *type = strchr(l.text, ' ');
        type = type ? strchr(type + 1, ' ') : NULL;
        if (!type || type > l.text + l.bytes)
            continue;
        type++;
        if (strncmp(type, prefix, sizeof prefix - 1) == 0)
            each_field(type + sizeof prefix - 1, strcspn(type + sizeof prefix - 1, " \n|"), on_word, arg);
        else
            each_inline(type, l.text + l.bytes, on_word, arg);
    }
}

void ncs_reference_words(void (*on_word)(void *arg, const char *word), void *arg)
{
    const char *at = (const char *)ncs_lua_ncclscript;
    bool within = false;
    for (struct line l; next_line(&at, &l);) {
        bool starts = begins(&l, "---@alias ncclscript.dtype") || begins(&l, "---@alias ncclscript.op") ||
                      begins(&l, "---@field memory?");
        within = starts || (within && begins(&l, "---|"));
        for (size_t i = 0; within && i < l.bytes; i++) {
            if (l.text[i] != '"')
                continue;
            size_t n = strcspn(l.text + i + 1, "\"\n");
            struct ncs_str word = { 0 };
            ncs_str_add_bytes(&word, l.text + i + 1, n);
            on_word(arg, word.text ? word.text : "");
            ncs_str_free(&word);
            i += n + 1;
        }
    }
}
