/* A script is loaded and compiled once; its program runs it on every rank. */
#include "script/script.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "notation/lint/lint.h"
#include "script/object.h"
#include "script/state.h"

#define PLAN_INSTRUCTIONS 20000000 /* budget of a rank on driver plan */

static char *script_folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    struct ncs_str folder = { 0 };
    ncs_str_add_bytes(&folder, file, slash ? (size_t)(slash - file) + 1 : 0);
    return ncs_str_take(&folder);
}

void ncs_script_free(struct ncs_script *s)
{
    if (!s)
        return;
    ncs_chunk_free(&s->main);
    while (s->modules) {
        struct ncs_chunk *m = s->modules;
        s->modules = m->next;
        ncs_chunk_free(m);
        ncs_free(m);
    }
    ncs_script_free_texts(s);
    ncs_heap_model_free(&s->model);
    ncs_free(s->folder);
    ncs_free(s);
}

/* Lua's syntax errors have only a line; our reader's have a column, too. */
static void complain_syntax(struct ncs_reading *r, struct ncs_error *err)
{
    struct ncs_lint_error e;
    size_t skip = ncs_chunk_start(r->text.text, r->text.bytes);
    if (err->line < 1 || ncs_lint_chunk(r->text.text + skip, r->text.bytes - skip, NULL, NULL, &e))
        return;
    ncs_lint_complain(&e, skip, &r->complaints);
    ncs_complaints_error(&r->complaints, err);
}

/* The chunk keeps the text, for messages about its lines. */
static bool compile_main(struct ncs_chunk *chunk, bool *blank, struct ncs_reading *r, struct ncs_error *err)
{
    struct ncs_str lua = { 0 };
    if (r->yaml && !ncs_reading_translate(r, &lua, &chunk->lines, err))
        return false;
    if (!r->yaml)
        ncs_str_add_bytes(&lua, r->text.text, r->text.bytes);
    bool ok = ncs_chunk_compile(chunk, lua.text, lua.bytes, err);
    if (!ok && !r->yaml)
        complain_syntax(r, err);
    size_t skip = ok ? ncs_chunk_start(lua.text, lua.bytes) : 0;
    *blank = ok && ncs_lint_only_calls(lua.text + skip, lua.bytes - skip, "scenario");
    chunk->text = ncs_str_take(&lua);
    chunk->origin = r->yaml ? ncs_copy_text(r->text.text) : NULL;
    return ok;
}

struct ncs_script *ncs_script_open(const char *file, const struct ncs_script_settings *settings, struct ncs_error *err)
{
    struct ncs_reading own = { 0 }, *reading = settings->reading ? settings->reading : &own;
    struct ncs_script *s = ncs_new(sizeof *s);
    memset(err, 0, sizeof *err);
    s->main.file = ncs_copy_text(file);
    s->folder = script_folder_of(file);
    s->unsafe = settings->unsafe;
    reading->unsafe = settings->unsafe;
    bool ok = (reading->complaints.source || ncs_reading_open(reading, file, err)) &&
              compile_main(&s->main, &s->blank, reading, err);
    ncs_reading_close(&own);
    if (ok)
        return s;
    ncs_script_free(s);
    return NULL;
}

struct ncs_script *ncs_script_load(const char *file, const struct ncs_script_settings *settings, struct ncs_scenario *scenario,
                                   struct ncs_error *err)
{
    struct ncs_error unused;
    if (!err)
        err = &unused;
    struct ncs_script *s = ncs_script_open(file, settings, err);
    if (s && ncs_script_declare(s, settings, scenario, err))
        return s;
    ncs_script_free(s);
    return NULL;
}

/* ---- the program ---- */

static int load_main(lua_State *L)
{
    const struct ncs_chunk *c = &ncs_lua_rank(L)->script->main;
    lua_pushfstring(L, "@%s", c->file);
    if (luaL_loadbufferx(L, c->code, c->bytes, lua_tostring(L, -1), "b") != LUA_OK)
        return lua_error(L);
    ncs_lua_environment(L);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    return 1;
}

static void seed_rank(struct ncs_lua_rank *rank, uint64_t seed_of_run)
{
    rank->random.state = ncs_hash(ncs_hash(1, seed_of_run), (uint64_t)rank->rank);
    rank->fill_random.state = ncs_hash(ncs_hash(2, seed_of_run), (uint64_t)rank->rank);
}

void ncs_lua_rank_free(void *arg)
{
    struct ncs_lua_rank *rank = arg;
    ncs_lua_close(rank);
    ncs_free(rank);
}

struct ncs_lua_rank *ncs_lua_rank_new(struct ncs_script *script, struct ncs_run *run, int number, lua_CFunction more,
                                      struct ncs_error *err)
{
    const struct ncs_run_options *options = ncs_run_options(run);
    struct ncs_lua_rank *rank = ncs_new(sizeof *rank);
    rank->script = script;
    rank->run = run;
    rank->rank = number;
    rank->nranks = options->ranks;
    rank->planned = strcmp(options->driver, "dry-run") == 0;
    rank->budget = PLAN_INSTRUCTIONS;
    rank->device = ncs_shape_seat(&options->hosts, number).device;
    rank->nccl = options->owns.count ? ncs_owns_version(&options->owns, number, options->nccl_version) : 0;
    rank->nccl = rank->nccl || !options->owns.count ? rank->nccl : NCS_NCCL_DEFAULT;
    seed_rank(rank, options->seed);
    if (ncs_lua_open_copy(rank, more, err))
        return rank;
    ncs_free(rank);
    return NULL;
}

static void *script_rank_new(void *self, struct ncs_run *run, int number, struct ncs_error *err)
{
    return ncs_lua_rank_new(self, run, number, load_main, err);
}

/* The whole life of a rank; the chunk is at 1. */
static int live(lua_State *L)
{
    ncs_lua_make_world(L);
    ncs_lua_rank(L)->chunk = lua_topointer(L, 1);
    lua_call(L, 0, 0);
    ncs_lua_finish(L);
    return 0;
}

void ncs_lua_rank_main(struct ncs_lua_rank *rank, lua_CFunction live_on)
{
    struct ncs_lua_thread *t = &rank->main;
    lua_State *L = rank->L;
    rank->api = ncs_run_api(rank->run);
    rank->machine = ncs_run_machine(rank->run);
    t->local = ncs_run_local(rank->run, rank->rank);
    t->local->where = ncs_lua_thread_where;
    t->local->where_arg = t;
    ncs_lua_watch(L);
    int args = lua_gettop(L) - 1; /* 1: message handler */
    lua_pushcfunction(L, live_on);
    lua_insert(L, 2);
    ncs_heap_refuse(&rank->heap, true);
    int status = lua_pcall(L, args, 0, 1);
    rank->chunk = NULL; /* it may be collected */
    if (status != LUA_OK && !t->cancelled)
        ncs_lua_report(t, L);
}

static void script_rank_main(void *arg)
{
    ncs_lua_rank_main(arg, live);
}

struct ncs_program ncs_script_program(struct ncs_script *s, const struct ncs_scenario *scenario)
{
    s->scenario = scenario;
    return (struct ncs_program){
        .self = s, .rank_new = script_rank_new, .rank_main = script_rank_main, .rank_free = ncs_lua_rank_free, .blank = s->blank
    };
}
