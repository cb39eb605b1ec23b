#include "notation/lint/lint.h"

#include <string.h>

void ncs_lint_complain(const struct ncs_lint_error *e, size_t skip, struct ncs_complaints *c)
{
    struct ncs_span at = { e->at.at + skip, e->at.bytes };
    if (at.at == c->source->bytes) /* an error at the end is shown after the last word */
        while (at.at > skip && strchr(" \t\r\n", c->source->text[at.at - 1]))
            at.at--;
    ncs_complain(c, at, "%s", e->text);
    if (e->has_open)
        ncs_complain_note(c, (struct ncs_span){ e->open.at + skip, e->open.bytes }, "it begins here");
}
