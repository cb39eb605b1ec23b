/* What tests of the notation share: files, a translation with its complaints, Lua that compiles. */
#ifndef NCS_TESTS_UNIT_NOTATION_LAB_H
#define NCS_TESTS_UNIT_NOTATION_LAB_H

#include <glob.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "notation/notation.h"

struct lab {
    struct ncs_source source;
    struct ncs_complaints complaints;
    struct ncs_translation out;
    bool ok;
};

static inline void lab_open(struct lab *lab, const char *name, const char *text, size_t bytes)
{
    ncs_source_init(&lab->source, name, text, bytes);
    lab->complaints = (struct ncs_complaints){ .source = &lab->source };
    lab->ok = ncs_notation_translate(&lab->source, false, &lab->out, &lab->complaints);
}

static inline void lab_close(struct lab *lab)
{
    ncs_translation_free(&lab->out);
    ncs_complaints_free(&lab->complaints);
    ncs_source_free(&lab->source);
}

/* The translation; each line behind its line of YAML. */
static inline void lab_numbered(const struct lab *lab, struct ncs_str *out)
{
    const char *text = lab->out.lua.text;
    for (size_t i = 0; i < lab->out.lines; i++) {
        size_t bytes = strcspn(text, "\n");
        ncs_str_addf(out, bytes ? "%4d| %.*s\n" : "%4d|\n", lab->out.line[i], (int)bytes, text);
        text += bytes + (text[bytes] == '\n');
    }
    ncs_str_add(out, "");
}

/* NULL, or what Lua says. */
static inline char *lab_compile(const struct lab *lab)
{
    lua_State *L = luaL_newstate();
    bool ok = luaL_loadbufferx(L, lab->out.lua.text, lab->out.lua.bytes, "=lua", "t") == LUA_OK;
    char *said = ok ? NULL : ncs_copy_text(lua_tostring(L, -1));
    lua_close(L);
    return said;
}

/* The whole file; empty when there is none. */
static inline char *lab_read(const char *path, size_t *bytes)
{
    struct ncs_str text = { 0 };
    char block[4096];
    size_t n;
    FILE *in = fopen(path, "rb");
    ncs_str_add(&text, "");
    while (in && (n = fread(block, 1, sizeof block, in)) > 0)
        ncs_str_add_bytes(&text, block, n);
    if (in)
        fclose(in);
    *bytes = text.bytes;
    return ncs_str_take(&text);
}

/* Is `said` what stands in the file beside `path`, with `end` in place of ".yaml"? With
 * NCCLSCRIPT_WRITE=1 it is written, to be read before it is committed. */
static inline bool lab_agrees(const char *path, const char *end, const char *said)
{
    char beside[512];
    size_t bytes;
    snprintf(beside, sizeof beside, "%.*s%s", (int)(strlen(path) - strlen(".yaml")), path, end);
    if (getenv("NCCLSCRIPT_WRITE")) {
        FILE *f = fopen(beside, "wb");
        if (f) {
            fputs(said, f);
            fclose(f);
        }
    }
    char *want = lab_read(beside, &bytes);
    bool same = bytes > 0 && strcmp(want, said) == 0;
    if (!same)
        fprintf(stderr, "%s: wanted:\n%s\ngot:\n%s\n", beside, want, said);
    ncs_free(want);
    return same;
}

#endif
