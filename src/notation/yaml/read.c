/* Builds the tree in one pass over libyaml's events. Limits are tested while reading, so that a refused
 * file has cost little. */
#include <string.h>

#include "base/mem.h"
#include "notation/yaml/syntax.h"

enum { FEW_KEYS = 16 }; /* of a map that is compared without a table */

struct open {
    struct ncs_yaml_node *node;
    size_t first;    /* its children in held[] */
    size_t anchor;   /* its number + 1, or 0 */
    uint64_t before; /* expanded size of the nodes before it */
    bool flow;
};

struct reader {
    struct ncs_yaml *y;
    const struct ncs_source *source;
    struct ncs_complaints *c;
    struct ncs_marks marks;
    struct ncs_anchors anchors;
    struct ncs_names keys;
    struct open open[NCS_YAML_DEPTH];
    int depth;
    const struct ncs_yaml_node **held; /* children of the collections that are open */
    size_t held_count, held_room;
    const struct ncs_yaml_node *last; /* scalar */
    uint64_t nodes, expanded;
    bool done;
};

static struct ncs_span span(size_t from, size_t to)
{
    return (struct ncs_span){ from, to > from ? to - from : 0 };
}

static size_t end_of(const struct ncs_yaml_node *node)
{
    return node->at.at + node->at.bytes;
}

/* Reports a limit; reading ends there. */
static void stop(struct reader *r, struct ncs_span at, const char *what, int limit)
{
    if (!r->done)
        ncs_complain(r->c, at, "%s: the limit is %d", what, limit);
    r->done = true;
}

static struct ncs_yaml_node *new_node(struct reader *r, enum ncs_yaml_kind kind, struct ncs_span at)
{
    struct ncs_yaml_node *node = ncs_arena_take(&r->y->arena, sizeof *node);
    *node = (struct ncs_yaml_node){ .kind = kind, .at = at };
    r->expanded++;
    if (++r->nodes > NCS_YAML_NODES)
        stop(r, at, "too many values and keys", NCS_YAML_NODES);
    return node;
}

/* ---- places ---- */

static bool is_key(const struct reader *r)
{
    if (r->depth == 0)
        return false;
    const struct open *in = &r->open[r->depth - 1];
    return in->node->kind == NCS_YAML_MAP && (r->held_count - in->first) % 2 == 0;
}

static void check_key(struct reader *r, const struct ncs_yaml_node *key)
{
    if (key->kind == NCS_YAML_LIST || key->kind == NCS_YAML_MAP) {
        bool brace = key->kind == NCS_YAML_MAP && r->source->text[key->at.at] == '{';
        ncs_complain(r->c, key->at, "a %s cannot be a key", key->kind == NCS_YAML_LIST ? "list" : "map");
        if (brace)
            ncs_complain_hint(r->c, "if the braces are meant as text, quote the whole of it");
    } else if (key->plain && key->bytes == 0) {
        ncs_complain(r->c, key->at, "a key is missing here");
    } else if (key->plain && strcmp(key->text, "<<") == 0) {
        ncs_complain(r->c, key->at, "'<<' (merge) is not a part of YAML 1.2");
        ncs_complain_hint(r->c, "write the keys here, or use an alias as the value of one key");
    }
}

static void add(struct reader *r, const struct ncs_yaml_node *node)
{
    if (is_key(r))
        check_key(r, node);
    if (r->depth == 0)
        r->y->root = node;
    else
        NCS_PUSH(r->held, r->held_count, r->held_room, node);
}

static void refuse_tag(struct reader *r, struct ncs_span at)
{
    const char *text = r->source->text + at.at;
    ncs_complain(r->c, at, "tag '%.*s' has no meaning here: a value has the type that it is written as",
                 NCS_SHOWN(r->source, at));
    if (at.bytes == 5 && memcmp(text, "!!str", 5) == 0)
        ncs_complain_hint(r->c, "put the value between quotes");
    else
        ncs_complain_hint(r->c, "leave it out; to begin a text with '!', put it between quotes");
}

/* Reads the anchor and tag before a node: complains, moves node->at to the node itself. Returns the number
 * + 1 of the anchor, or 0. */
static size_t take_properties(struct reader *r, struct ncs_yaml_node *node, size_t end)
{
    struct ncs_properties p = ncs_yaml_properties(r->source, node->at.at, end);
    if (p.tag.bytes > 0)
        refuse_tag(r, p.tag);
    node->at = span(p.end, end_of(node));
    if (p.anchor.bytes == 0)
        return 0;
    struct ncs_anchor *anchor = ncs_anchors_add(&r->anchors, r->source, p.anchor, node);
    anchor->size = 1;
    return r->anchors.count;
}

/* ---- events ---- */

static void take_scalar(struct reader *r, const yaml_event_t *e)
{
    size_t from = ncs_marks_byte(&r->marks, e->start_mark.index);
    size_t to = ncs_marks_byte(&r->marks, e->end_mark.index);
    struct ncs_yaml_node *node = new_node(r, NCS_YAML_TEXT, span(from, to));
    bool tagged = e->data.scalar.tag != NULL;
    if (tagged || e->data.scalar.anchor)
        take_properties(r, node, to);
    yaml_scalar_style_t style = e->data.scalar.style;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)
        while (node->at.bytes > 1 && strchr(" \t\r\n", r->source->text[end_of(node) - 1]))
            node->at.bytes--;
    node->bytes = e->data.scalar.length;
    char *text = ncs_arena_take(&r->y->arena, node->bytes + 1);
    memcpy(text, e->data.scalar.value, node->bytes + 1);
    node->text = text;
    node->plain = style == YAML_PLAIN_SCALAR_STYLE && !tagged;
    if (node->plain) {
        ncs_yaml_type(node);
        ncs_yaml_warn_text(node, e->start_mark.line != e->end_mark.line, r->c);
    }
    r->last = node;
    add(r, node);
}

static void take_alias(struct reader *r, const yaml_event_t *e)
{
    struct ncs_span at = span(ncs_marks_byte(&r->marks, e->start_mark.index), ncs_marks_byte(&r->marks, e->end_mark.index));
    struct ncs_yaml_node *node = new_node(r, NCS_YAML_NULL, at);
    const struct ncs_anchor *anchor = ncs_anchors_find(&r->anchors, at, r->c);
    if (anchor) {
        *node = *anchor->node;
        node->at = at;
        node->of = anchor->node->of ? anchor->node->of : anchor->node;
        r->expanded += anchor->size - 1;
        if (r->expanded > NCS_YAML_EXPANDED)
            stop(r, at, "too many values and keys, with the aliases written out", NCS_YAML_EXPANDED);
    }
    add(r, node);
}

static void take_start(struct reader *r, const yaml_event_t *e)
{
    bool list = e->type == YAML_SEQUENCE_START_EVENT;
    size_t from = ncs_marks_byte(&r->marks, e->start_mark.index);
    size_t to = ncs_marks_byte(&r->marks, e->end_mark.index);
    uint64_t before = r->expanded;
    struct ncs_yaml_node *node = new_node(r, list ? NCS_YAML_LIST : NCS_YAML_MAP, span(from, from));
    struct open open = { .node = node, .first = r->held_count + (r->depth > 0), .before = before };
    open.flow = list ? e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                     : e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    if (list ? e->data.sequence_start.anchor || e->data.sequence_start.tag
             : e->data.mapping_start.anchor || e->data.mapping_start.tag)
        open.anchor = take_properties(r, node, to + 1); /* a block's mark has no length */
    if (open.anchor)
        r->anchors.item[open.anchor - 1].open = true;
    if (r->depth == NCS_YAML_DEPTH) {
        stop(r, span(node->at.at, node->at.at + 1), "too many levels", NCS_YAML_DEPTH);
        return;
    }
    add(r, node);
    r->open[r->depth++] = open;
}

static void complain_twice(struct reader *r, const struct ncs_yaml_node *first, const struct ncs_yaml_node *second)
{
    ncs_complain(r->c, second->at, "key '%.*s' is given twice", ncs_shown(second->text, second->bytes), second->text);
    ncs_complain_note(r->c, first->at, "the first one is here");
}

static void check_keys(struct reader *r, const struct ncs_yaml_node *map)
{
    bool few = map->items <= FEW_KEYS;
    if (!few)
        ncs_names_clear(&r->keys, map->items);
    for (size_t i = 0; i < map->items; i++) {
        const struct ncs_yaml_node *key = map->item[2 * i];
        size_t same = i;
        if (!key->text || (key->plain && key->bytes == 0))
            continue;
        if (few)
            for (same = 0; same < i; same++) {
                const struct ncs_yaml_node *other = map->item[2 * same];
                if (other->text && other->bytes == key->bytes && memcmp(other->text, key->text, key->bytes) == 0)
                    break;
            }
        else
            same = *ncs_names_put(&r->keys, key->text, key->bytes, i);
        if (same < i)
            complain_twice(r, map->item[2 * same], key);
    }
}

static void take_end(struct reader *r, const yaml_event_t *e)
{
    const struct open *open = &r->open[--r->depth];
    struct ncs_yaml_node *node = open->node;
    size_t count = r->held_count - open->first;
    size_t to = node->at.at;
    if (open->flow)
        to = ncs_marks_byte(&r->marks, e->end_mark.index);
    else if (count > 0)
        to = end_of(r->held[r->held_count - 1]);
    node->at = span(node->at.at, to);
    node->items = node->kind == NCS_YAML_MAP ? count / 2 : count;
    node->item = ncs_arena_take(&r->y->arena, count * sizeof *node->item);
    if (count > 0)
        memcpy(node->item, r->held + open->first, count * sizeof *node->item);
    r->held_count = open->first;
    if (open->anchor) {
        struct ncs_anchor *anchor = &r->anchors.item[open->anchor - 1];
        anchor->open = false;
        anchor->size = r->expanded - open->before;
    }
    if (node->kind == NCS_YAML_MAP)
        check_keys(r, node);
}

/* ---- around the document ---- */

static size_t line_end(const struct ncs_source *s, size_t at)
{
    const char *end = memchr(s->text + at, '\n', s->bytes - at);
    return end ? (size_t)(end - s->text) : s->bytes;
}

/* The first byte from `at` on that is neither blank nor in a comment. */
static size_t skip_blank(const struct ncs_source *s, size_t at)
{
    while (at < s->bytes && strchr(" \t\r\n#", s->text[at]))
        at = s->text[at] == '#' ? line_end(s, at) : at + 1;
    return at;
}

/* Refuses "%TAG" lines before libyaml sees them: it compares each with every other. */
static bool check_head(struct reader *r)
{
    const struct ncs_source *s = r->source;
    for (size_t at = skip_blank(s, r->marks.base); at < s->bytes && s->text[at] == '%'; at = skip_blank(s, line_end(s, at)))
        if (strncmp(s->text + at, "%TAG", 4) == 0) {
            ncs_complain(r->c, span(at, at + 4), "'%%TAG' has no meaning here: there are no tags");
            return ncs_complain_hint(r->c, "leave the line out");
        }
    return true;
}

static void check_tail(struct reader *r, size_t at)
{
    const struct ncs_source *s = r->source;
    for (at = skip_blank(s, at); strncmp(s->text + at, "...", 3) == 0; at = skip_blank(s, at + 3))
        ;
    r->done = true;
    if (at >= s->bytes)
        return;
    if (strncmp(s->text + at, "---", 3) == 0 || s->text[at] == '%') {
        ncs_complain(r->c, ncs_line_rest(s, at), "a second document begins here");
        ncs_complain_hint(r->c, "a file holds one: put this into a file of its own");
    } else {
        struct ncs_trouble t = { .source = s, .c = r->c, .at = at };
        ncs_trouble_after(&t, r->y->root);
    }
}

static void warn_version(struct reader *r, const yaml_event_t *e)
{
    const yaml_version_directive_t *version = e->data.document_start.version_directive;
    if (version && version->minor < 2)
        ncs_complain_warning(r->c, ncs_line_rest(r->source, ncs_marks_byte(&r->marks, e->start_mark.index)),
                             "this is read as YAML 1.2");
}

static void take(struct reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT: take_scalar(r, e); break;
    case YAML_ALIAS_EVENT: take_alias(r, e); break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: take_start(r, e); break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: take_end(r, e); break;
    case YAML_DOCUMENT_END_EVENT: check_tail(r, ncs_marks_byte(&r->marks, e->end_mark.index)); break;
    case YAML_DOCUMENT_START_EVENT: warn_version(r, e); break;
    case YAML_STREAM_END_EVENT: r->done = true; break;
    default: break;
    }
}

static void parse(struct reader *r)
{
    yaml_parser_t parser;
    yaml_event_t event;
    if (!yaml_parser_initialize(&parser)) {
        r->c->no_memory = true;
        ncs_complain(r->c, span(0, 0), "no memory to read this file");
        return;
    }
    const struct ncs_source *s = r->source;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)s->text + r->marks.base, s->bytes - r->marks.base);
    while (!r->done) {
        if (!yaml_parser_parse(&parser, &event)) {
            ncs_yaml_syntax(&parser, &r->marks, r->last, r->c);
            break;
        }
        take(r, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

struct ncs_yaml *ncs_yaml_read(const struct ncs_source *source, struct ncs_complaints *c)
{
    if (source->bytes > NCS_YAML_BYTES) {
        ncs_complain(c, span(0, 0), "the file is larger than %d MiB", NCS_YAML_BYTES >> 20);
        return NULL;
    }
    size_t errors = c->errors;
    struct reader r = { .y = ncs_new(sizeof *r.y), .source = source, .c = c };
    r.y->source = source;
    if (ncs_marks_init(&r.marks, source, c) && check_head(&r))
        parse(&r);
    ncs_anchors_complain(&r.anchors, c);
    if (!r.y->root) {
        struct ncs_yaml_node *empty = new_node(&r, NCS_YAML_NULL, span(0, 0));
        empty->text = "";
        empty->plain = true;
        r.y->root = empty;
    }
    ncs_marks_free(&r.marks);
    ncs_anchors_free(&r.anchors);
    ncs_names_free(&r.keys);
    ncs_free(r.held);
    if (c->errors == errors)
        return r.y;
    ncs_yaml_free(r.y);
    return NULL;
}
