#include "notation/json.h"

static void json_new_line(struct ncs_json *j)
{
    ncs_str_addf(j->out, "\n%*s", 2 * j->depth, "");
}

/* Writes the separator before a value or a name. */
static void json_begin(struct ncs_json *j)
{
    if (j->named) {
        j->named = false;
        return;
    }
    if (j->filled)
        ncs_str_add(j->out, ",");
    if (j->depth > 0)
        json_new_line(j);
    j->filled = true;
}

static void quoted(struct ncs_json *j, const char *text)
{
    ncs_str_add(j->out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            ncs_str_addf(j->out, "\\%c", *text);
        else if ((unsigned char)*text < 32)
            ncs_str_addf(j->out, "\\u%04x", (unsigned)*text);
        else
            ncs_str_add_bytes(j->out, text, 1);
    }
    ncs_str_add(j->out, "\"");
}

void ncs_json_open(struct ncs_json *j, char bracket)
{
    json_begin(j);
    ncs_str_add_bytes(j->out, &bracket, 1);
    j->depth++;
    j->filled = false;
}

void ncs_json_close(struct ncs_json *j, char bracket)
{
    j->depth--;
    if (j->filled)
        json_new_line(j);
    ncs_str_add_bytes(j->out, &bracket, 1);
    j->filled = true;
}

void ncs_json_name(struct ncs_json *j, const char *name)
{
    json_begin(j);
    quoted(j, name);
    ncs_str_add(j->out, ": ");
    j->named = true;
}

void ncs_json_text(struct ncs_json *j, const char *text)
{
    json_begin(j);
    quoted(j, text);
}

/* Writes a value as it is: true, 3. */
static void json_raw(struct ncs_json *j, const char *value)
{
    json_begin(j);
    ncs_str_add(j->out, value);
}

void ncs_json_pair(struct ncs_json *j, const char *name, const char *text)
{
    ncs_json_name(j, name);
    ncs_json_text(j, text);
}

void ncs_json_pair_raw(struct ncs_json *j, const char *name, const char *value)
{
    ncs_json_name(j, name);
    json_raw(j, value);
}
