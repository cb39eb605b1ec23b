#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "notation/yaml/private.h"

enum { LISTED = 10 }; /* anchors that a hint names */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct ncs_properties ncs_yaml_properties(const struct ncs_source *s, size_t at, size_t end)
{
    struct ncs_properties p = { .end = at };
    while (at < end) {
        char c = s->text[at];
        if (is_blank(c)) {
            at++;
        } else if (c == '#') {
            while (at < end && s->text[at] != '\n')
                at++;
        } else if (c == '&' || c == '!') {
            struct ncs_span *span = c == '&' ? &p.anchor : &p.tag;
            size_t begin = at;
            while (at < end && !is_blank(s->text[at]) && (c == '!' || !strchr(",[]{}", s->text[at])))
                at++;
            *span = (struct ncs_span){ begin, at - begin };
            p.end = at;
        } else {
            p.end = at;
            break;
        }
    }
    return p;
}

struct ncs_anchor *ncs_anchors_add(struct ncs_anchors *a, const struct ncs_source *s, struct ncs_span at,
                                   struct ncs_yaml_node *node)
{
    struct ncs_anchor anchor = { .node = node, .name = s->text + at.at + 1, .bytes = at.bytes - 1, .at = at };
    NCS_PUSH(a->item, a->count, a->room, anchor);
    *ncs_names_put(&a->names, anchor.name, anchor.bytes, 0) = a->count - 1;
    return &a->item[a->count - 1];
}

static struct ncs_anchor *named(const struct ncs_anchors *a, const char *name, size_t bytes)
{
    size_t *number = ncs_names_find(&a->names, name, bytes);
    return number ? &a->item[*number] : NULL;
}

const struct ncs_anchor *ncs_anchors_find(struct ncs_anchors *a, struct ncs_span alias, struct ncs_complaints *c)
{
    const char *text = c->source->text + alias.at;
    const struct ncs_anchor *anchor = named(a, text + 1, alias.bytes - 1);
    if (!anchor) {
        NCS_PUSH(a->missing, a->missing_count, a->missing_room, alias);
        return NULL;
    }
    if (!anchor->open)
        return anchor;
    ncs_complain(c, alias, "'%.*s' is inside the value that it refers to", NCS_SHOWN(c->source, alias));
    ncs_complain_note(c, anchor->at, "'%.*s' begins here", NCS_SHOWN(c->source, anchor->at));
    return NULL;
}

/* Hints "did you mean '*a'?", or lists the anchors. */
static void hint_names(const struct ncs_anchors *a, const char *name, size_t bytes, struct ncs_complaints *c)
{
    struct ncs_str known = { 0 }, word = { 0 };
    const char *more;
    const char *names[LISTED];
    char *copy[LISTED];
    size_t count = 0;
    for (size_t i = 0; i < a->count && count < LISTED; i++)
        if (*ncs_names_find(&a->names, a->item[i].name, a->item[i].bytes) == i) {
            ncs_str_addf(&known, "%s&%.*s", count ? ", " : "", (int)a->item[i].bytes, a->item[i].name);
            copy[count] = ncs_new(a->item[i].bytes + 1);
            memcpy(copy[count], a->item[i].name, a->item[i].bytes);
            names[count] = copy[count];
            count++;
        }
    more = a->names.count > count ? ", ..." : "";
    ncs_str_add_bytes(&word, name, bytes);
    const char *near = count ? ncs_nearest(word.text, names, count) : NULL;
    if (count == 0)
        ncs_complain_hint(c, "there is no anchor above it; quote a text that begins with '*'");
    else if (near)
        ncs_complain_hint(c, "did you mean '*%s'? anchors here: %s%s", near, known.text, more);
    else
        ncs_complain_hint(c, "anchors here: %s%s", known.text, more);
    for (size_t i = 0; i < count; i++)
        ncs_free(copy[i]);
    ncs_str_free(&known);
    ncs_str_free(&word);
}

void ncs_anchors_complain(const struct ncs_anchors *a, struct ncs_complaints *c)
{
    for (size_t i = 0; i < a->missing_count; i++) {
        struct ncs_span at = a->missing[i];
        const char *text = c->source->text + at.at;
        const struct ncs_anchor *later = named(a, text + 1, at.bytes - 1);
        if (later) {
            ncs_complain(c, at, "alias '%.*s' comes before its anchor", NCS_SHOWN(c->source, at));
            ncs_complain_note(c, later->at, "the anchor is here");
            ncs_complain_hint(c, "an alias refers to an anchor above it");
        } else {
            ncs_complain(c, at, "unknown alias '%.*s'", NCS_SHOWN(c->source, at));
            if (c->errors <= NCS_COMPLAINTS_KEPT)
                hint_names(a, text + 1, at.bytes - 1, c);
        }
    }
}

void ncs_anchors_free(struct ncs_anchors *a)
{
    ncs_names_free(&a->names);
    ncs_free(a->item);
    ncs_free(a->missing);
}
