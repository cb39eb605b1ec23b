/* JSON beyond jansson. For rooms that link to it. */
#ifndef NCS_BASE_JSON_H
#define NCS_BASE_JSON_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe.h"

/* Text of any origin; NULL is null. */
static inline json_t *ncs_json_text(const char *text)
{
    if (!text)
        return json_null();
    struct ncs_str utf8 = { 0 };
    ncs_safe_utf8(&utf8, text, strlen(text));
    json_t *value = json_stringn(utf8.text ? utf8.text : "", utf8.bytes);
    ncs_str_free(&utf8);
    return value;
}

/* Appends the object, "{}" for none, and a line end, and releases the object. */
static inline void ncs_json_line(json_t *object, size_t flags, struct ncs_str *out)
{
    char *text = json_dumps(object, flags);
    ncs_str_addf(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(object);
}

#endif
