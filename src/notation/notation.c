#include "notation/notation.h"

#include <string.h>

#include "base/mem.h"
#include "notation/check.h"
#include "notation/emit.h"

/* Names of a file up to LOCALS_MAX become locals of Lua, minus those that nested loops use: Lua allows 200
 * in a function. Chunks are functions of their own. */
#define LOCALS_MAX 120
#define LOCALS_OF_LOOP 4
/* In files with more steps, long lists become functions of their own. */
#define STEPS_OF_FILE 20000

bool ncs_notation_is(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static void translate(struct ncs_scope *scope, struct ncs_translation *out)
{
    struct ncs_emitter s = { .scope = scope, .out = out };
    size_t names = 0;
    for (size_t i = 0; i < scope->names.count; i++)
        names += scope->names.item[i]->kind != NCS_THING_LOOP;
    s.flat = names + LOCALS_OF_LOOP * (scope->deepest - 1) > LOCALS_MAX;
    s.split = scope->steps > STEPS_OF_FILE && !scope->returns;
    ncs_emit_scenario(&s);
    const struct ncs_yaml_node *steps = ncs_yaml_get(scope->root, "steps");
    size_t before = out->lines;
    ncs_emit_sections(&s);
    if (out->lines > before && steps->items)
        ncs_emit_blank(&s, steps->at);
    ncs_emit_steps(&s, steps);
}

bool ncs_notation_translate(const struct ncs_source *source, bool unsafe, struct ncs_translation *out, struct ncs_complaints *c)
{
    memset(out, 0, sizeof *out);
    struct ncs_yaml *yaml = ncs_yaml_read(source, c);
    if (!yaml)
        return false;
    struct ncs_scope scope = { .source = source, .yaml = yaml, .root = ncs_yaml_root(yaml), .c = c, .unsafe = unsafe };
    bool ok = ncs_check_scope(&scope);
    if (ok) {
        translate(&scope, out);
        if (out->lua.bytes > NCS_LUA_BYTES_MAX) {
            ok = ncs_complain(c, scope.root->at, "the scenario is longer than %zu MiB as Lua", NCS_LUA_BYTES_MAX >> 20);
            ncs_translation_free(out);
        }
    }
    ncs_things_free(&scope.names);
    ncs_things_free(&scope.globals);
    ncs_yaml_free(yaml);
    return ok;
}

void ncs_translation_free(struct ncs_translation *t)
{
    ncs_str_free(&t->lua);
    ncs_free(t->line);
    NCS_FREE_EACH(t->key, t->keys, name);
    memset(t, 0, sizeof *t);
}
