/* Scenarios in YAML: any bytes are either refused with complaints that have a place, or become lines
 * of Lua of which each knows its line, and Lua compiles them. */
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/mem.h"
#include "notation/notation.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static void check(const struct ncs_source *source, const struct ncs_translation *out)
{
    size_t lines = 0;
    for (size_t i = 0; i < out->lua.bytes; i++)
        lines += out->lua.text[i] == '\n';
    if (lines != out->lines)
        abort();
    for (size_t i = 0; i < out->lines; i++)
        if (out->line[i] < 1 || (size_t)out->line[i] > source->lines)
            abort();
    lua_State *L = luaL_newstate();
    const char *text = out->lua.text ? out->lua.text : "";
    if (luaL_loadbufferx(L, text, out->lua.bytes, "=lua", "t") != LUA_OK) {
        const char *said = lua_tostring(L, -1);
        if (!strstr(said, "limit") && !strstr(said, "levels") && !strstr(said, "overflow") && !strstr(said, "too"))
            abort();
    }
    lua_close(L);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    char *text = ncs_new(bytes + 1);
    struct ncs_source source;
    struct ncs_complaints c = { .source = &source };
    struct ncs_translation out;
    struct ncs_str said = { 0 };
    memcpy(text, data, bytes);
    ncs_source_init(&source, "fuzz.yaml", text, bytes);
    bool ok = ncs_notation_translate(&source, false, &out, &c);
    if (ok != (c.errors == 0))
        abort();
    if (ok)
        check(&source, &out);
    ncs_complaints_text(&c, &said);
    ncs_str_free(&said);
    ncs_translation_free(&out);
    ncs_complaints_free(&c);
    ncs_source_free(&source);
    ncs_free(text);
    return 0;
}
