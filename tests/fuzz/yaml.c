/* YAML: any bytes are either refused with a message that has a place in them, or make a tree in
 * which every node stands within its parent and every part of a text within the text. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "notation/yaml/yaml.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static void hold(bool condition)
{
    if (!condition)
        abort();
}

static bool within(struct ncs_span inner, struct ncs_span outer)
{
    return inner.at >= outer.at && inner.at + inner.bytes <= outer.at + outer.bytes;
}

static void check(const struct ncs_yaml *y, const struct ncs_yaml_node *n, struct ncs_span outer)
{
    hold(within(n->at, outer));
    if (n->of)
        return; /* checked where it is written out */
    if (n->kind != NCS_YAML_LIST && n->kind != NCS_YAML_MAP) {
        hold(n->text && strlen(n->text) <= n->bytes && !n->text[n->bytes]);
        hold(n->plain || n->kind == NCS_YAML_TEXT);
        for (size_t i = 0; i <= n->bytes && i < 100; i++)
            hold(within(ncs_yaml_part(y, n, i, (n->bytes - i) / 2), n->at));
        ncs_yaml_old_form(n);
        ncs_yaml_blank_missing(n);
        return;
    }
    size_t count = n->kind == NCS_YAML_MAP ? 2 * n->items : n->items;
    for (size_t i = 0; i < count; i++)
        check(y, n->item[i], n->at);
    for (size_t i = 0; n->kind == NCS_YAML_MAP && i < n->items; i++)
        if (!memchr(n->item[2 * i]->text, '\0', n->item[2 * i]->bytes))
            hold(ncs_yaml_get(n, n->item[2 * i]->text) == n->item[2 * i + 1]);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    struct ncs_source source;
    char *text = ncs_new(bytes + 1);
    memcpy(text, data, bytes);
    ncs_source_init(&source, "fuzz.yaml", text, bytes);
    struct ncs_complaints c = { .source = &source };
    struct ncs_yaml *y = ncs_yaml_read(&source, &c);
    hold((y == NULL) == (c.errors > 0));
    for (size_t i = 0; i < c.count; i++)
        hold(c.item[i].text && c.item[i].at.at <= bytes && c.item[i].note_at.at <= bytes);
    struct ncs_str said = { 0 };
    ncs_complaints_text(&c, &said);
    if (y)
        check(y, ncs_yaml_root(y), (struct ncs_span){ 0, bytes });
    ncs_str_free(&said);
    ncs_yaml_free(y);
    ncs_complaints_free(&c);
    ncs_source_free(&source);
    ncs_free(text);
    return 0;
}
