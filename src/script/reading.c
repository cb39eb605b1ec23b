/* Prepares a scenario's text for the compiler: finds out its notation and
 * translates YAML to Lua. */
#include "script/script.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "notation/notation.h"
#include "script/state.h"

static bool reading_ends_in(const char *file, const char *ending)
{
    size_t n = strlen(file), m = strlen(ending);
    return n > m && strcmp(file + n - m, ending) == 0;
}

/* True for "steps:" or "'steps' :" at the beginning of a line, unless it can be Lua. */
static bool reading_is_key(const char *line, size_t bytes, const char *key)
{
    size_t n = strlen(key), at = 0;
    char quote = bytes > 0 && (line[0] == '"' || line[0] == '\'') ? line[0] : 0;
    at += quote != 0;
    if (bytes - at < n || strncmp(line + at, key, n) != 0)
        return false;
    at += n;
    if (quote && (at == bytes || line[at++] != quote))
        return false;
    while (at < bytes && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return at < bytes && line[at] == ':' && (at + 1 == bytes || strchr(" \t\r\n", line[at + 1]));
}

bool ncs_reading_looks_yaml(const char *text, size_t bytes)
{
    const char *end = text + bytes;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    for (const char *next; text < end; text = next) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        next = stop ? stop + 1 : end;
        if (reading_is_key(text, (size_t)(next - text), "steps") || reading_is_key(text, (size_t)(next - text), "scenario"))
            return true;
    }
    return false;
}

bool ncs_reading_open(struct ncs_reading *r, const char *file, struct ncs_error *err)
{
    r->yaml = ncs_notation_is(file);
    bool within = r->is_module && !r->unsafe;
    if (!(within ? ncs_file_read_within : ncs_file_read)(file, NCS_FILE_LIMIT, "a scenario", &r->text, err))
        return false;
    if (!r->yaml && !reading_ends_in(file, ".lua"))
        r->yaml = ncs_reading_looks_yaml(r->text.text, r->text.bytes);
    ncs_source_init(&r->source, file, r->text.text, r->text.bytes);
    r->complaints.source = &r->source;
    return true;
}

void ncs_reading_close(struct ncs_reading *r)
{
    if (r->complaints.source) {
        ncs_complaints_free(&r->complaints);
        ncs_source_free(&r->source);
    }
    ncs_str_free(&r->text);
    *r = (struct ncs_reading){ 0 };
}

bool ncs_reading_translate(struct ncs_reading *r, struct ncs_str *lua, struct ncs_lines *lines, struct ncs_error *err)
{
    struct ncs_translation t = { 0 };
    if (!ncs_notation_translate(&r->source, r->unsafe, &t, &r->complaints)) {
        ncs_translation_free(&t);
        ncs_complaints_error(&r->complaints, err);
        return false;
    }
    *lines = (struct ncs_lines){ t.line, t.lines, t.key, t.keys };
    *lua = t.lua;
    return true;
}
