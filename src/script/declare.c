/* Reads scenario{} from its table into struct ncs_scenario. The file runs without ranks up to that
 * statement; a row for each key says how it is read. */
#include "script/declare.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"
#include "base/source.h"
#include "script/object.h"
#include "script/option.h"
#include "script/subject.h"

#define INSTRUCTIONS 50000000 /* budget of a declaration */

/* Ends the run of the file; the script cannot catch it. */
static int declare_stop(lua_State *L)
{
    return ncs_lua_cancel(L);
}

static struct ncs_declaration *declaration(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, "ncs.declaration");
    struct ncs_declaration *d = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return d;
}

/* ---- params ---- */

static void add_param(lua_State *L, struct ncs_scenario *s, const char *name, int value)
{
    struct ncs_param p = { 0 };
    switch (lua_type(L, value)) {
    case LUA_TBOOLEAN:
        p.kind = NCS_PARAM_BOOL;
        p.i = lua_toboolean(L, value);
        break;
    case LUA_TNUMBER:
        p.kind = lua_isinteger(L, value) ? NCS_PARAM_INT : NCS_PARAM_NUMBER;
        p.i = lua_isinteger(L, value) ? lua_tointeger(L, value) : 0;
        p.d = lua_tonumber(L, value);
        break;
    case LUA_TSTRING:
        p.kind = NCS_PARAM_TEXT;
        p.text = ncs_copy_text(lua_tostring(L, value));
        break;
    default: ncs_lua_wrong(L, value, name, "a number, a text or a boolean");
    }
    p.name = ncs_copy_text(name);
    s->param = ncs_resize(s->param, (s->params + 1) * sizeof *s->param);
    s->param[s->params++] = p;
}

static void read_params(lua_State *L, struct ncs_declaration *d, int value)
{
    if (lua_type(L, value) != LUA_TTABLE)
        ncs_lua_wrong(L, value, "params", "a table { name = default }");
    lua_Integer count = ncs_lua_keys(L, value);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        if (lua_type(L, -1) != LUA_TSTRING)
            ncs_lua_usage(L, "params: a value without a name, expected name = default");
        lua_pushvalue(L, -1);
        lua_rawget(L, value);
        add_param(L, d->scenario, lua_tostring(L, list + 1), list + 2);
    }
    lua_settop(L, list - 1);
}

/* The values of the case are set last, because they already include the settings of
 * the command line. */
static void apply_settings(lua_State *L, struct ncs_declaration *d)
{
    for (size_t i = 0; i < d->settings->sets; i++)
        if (!ncs_scenario_set(d->scenario, d->settings->set[i], d->err))
            declare_stop(L);
    for (size_t i = 0; i < d->settings->values; i++)
        ncs_scenario_set_value(d->scenario, &d->settings->value[i]);
}

/* ---- the keys ---- */

static void read_about(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->about, ncs_declare_text(L, d, value));
}

static void declare_read_ranks(lua_State *L, struct ncs_declaration *d, int value)
{
    if (d->settings->ranks > 0)
        return;
    int top = lua_gettop(L);
    d->scenario->ranks = ncs_lua_int(L, ncs_declare_computed(L, d, value), "ranks");
    lua_settop(L, top);
}

static void declare_read_devices(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_shape *hosts = &d->scenario->hosts;
    int top = lua_gettop(L);
    value = ncs_declare_computed(L, d, value);
    if (lua_type(L, value) == LUA_TTABLE && lua_rawlen(L, value) == 0)
        ncs_lua_wrong(L, value, "devices", "a whole number, or a list of them, one for each host");
    size_t count = ncs_declare_ints(L, d, value, &hosts->first);
    hosts->firsts = count - 1; /* the last number is that of all hosts behind */
    hosts->devices = hosts->first[count - 1];
    lua_settop(L, top);
}

static void read_world(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_comm_config config;
    if (lua_type(L, value) == LUA_TTABLE) {
        ncs_comm_config_read(L, value, &config);
        d->scenario->world = true;
        d->script->world_config = config.given;
        d->script->config = config.config;
        d->script->world_name = config.name;
    } else {
        d->scenario->world = ncs_declare_flag(L, d, value);
    }
}

static void declare_read_policy(lua_State *L, struct ncs_declaration *d, int value)
{
    static const char *const names[] = { "strict", "typical", NULL };
    const char *name = ncs_declare_text(L, d, value);
    for (int i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) {
            if (d->settings->policy < 0)
                d->scenario->policy = (enum ncs_policy)i;
            return;
        }
    ncs_lua_usage(L, "no policy \"%.60s\", expected \"strict\" or \"typical\"", name);
}

static void read_verify(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->verify = ncs_declare_flag(L, d, value);
}

static void declare_read_timeout(lua_State *L, struct ncs_declaration *d, int value)
{
    if (lua_type(L, value) == LUA_TNUMBER)
        d->scenario->timeout = ncs_lua_seconds(L, value, "timeout");
    else if (lua_type(L, value) != LUA_TSTRING || !ncs_parse_duration(lua_tostring(L, value), &d->scenario->timeout))
        ncs_lua_wrong(L, value, "timeout", "seconds or a duration such as \"10s\"");
}

/* These keys are read first, because later keys depend on them. */
static const struct ncs_declare_row first_rows[] = {
    { "params", read_params },
    { "matrix", ncs_declare_matrix },
    { "exclude", ncs_declare_exclude },
    { NULL, NULL },
};

/* The other keys in the order of reading: outcome depends on the rest. */
static const struct ncs_declare_row all_rows[] = {
    { "about", read_about },
    { "bug", ncs_declare_bug },
    { "devices", declare_read_devices },
    { "env", ncs_declare_env },
    { "exclude", NULL },
    { "matrix", NULL },
    { "needs", ncs_declare_needs },
    { "params", NULL },
    { "policy", declare_read_policy },
    { "ranks", declare_read_ranks },
    { "sim", ncs_declare_sim },
    { "timeout", declare_read_timeout },
    { "verify", read_verify },
    { "world", read_world },
    { "outcome", ncs_declare_outcome },
    { NULL, NULL },
};

static void read_nothing(lua_State *L, struct ncs_declaration *d, int value)
{
    (void)L;
    (void)d;
    (void)value; /* read before */
}

static void read_first(lua_State *L, struct ncs_declaration *d)
{
    bool of_case = d->settings->values > 0; /* a case is given: the matrix was read before */
    for (const struct ncs_declare_row *r = first_rows; r->name; r++) {
        if (of_case && r > first_rows)
            break;
        d->key = r->name;
        if (lua_getfield(L, 1, r->name) != LUA_TNIL)
            r->read(L, d, lua_gettop(L));
        lua_pop(L, 1);
        if (r == first_rows)
            apply_settings(L, d);
    }
    d->key = NULL;
    ncs_declare_pins(d);
}

static int read_declaration(lua_State *L)
{
    struct ncs_declaration *d = declaration(L);
    struct ncs_declare_row rows[sizeof all_rows / sizeof *all_rows];
    ncs_lua_begin(L, "scenario", 1);
    d->script->line = ncs_lua_where(L).line;
    d->done = true;
    memcpy(rows, all_rows, sizeof rows);
    for (struct ncs_declare_row *r = rows; r->name; r++)
        if (!r->read)
            r->read = read_nothing;
    if (lua_type(L, 1) == LUA_TTABLE)
        read_first(L, d);
    if (d->only_cases)
        return 0;
    if (d->settings->ranks > 0)
        d->scenario->ranks = d->settings->ranks;
    d->scenario->sim_nccl = d->settings->nccl_version;
    if (d->settings->policy >= 0)
        d->scenario->policy = (enum ncs_policy)d->settings->policy;
    ncs_declare_rows(L, d, 1, rows);
    return 0;
}

/* ---- running the file up to the statement ---- */

static void declaration_failed(lua_State *L, const struct ncs_declaration *d, struct ncs_error *err);

static void no_memory(const struct ncs_declaration *d)
{
    char budget[NCS_BUDGET_WORDS];
    ncs_fail(d->err, NCS_NO_MEMORY, "%s is used up before the run", ncs_budget_words(budget));
    ncs_fail_at(d->err, d->script->main.file, d->script->line, 0);
}

/* Always ends the file's run, even within a pcall of the script. */
static int declare_scenario(lua_State *L)
{
    lua_pushcfunction(L, read_declaration);
    lua_insert(L, 1);
    int status = lua_pcall(L, lua_gettop(L) - 1, 0, 0);
    struct ncs_declaration *d = declaration(L);
    if (status == LUA_ERRMEM)
        no_memory(d);
    else if (status != LUA_OK && !ncs_lua_thread(L)->cancelled)
        declaration_failed(L, d, d->err);
    return declare_stop(L);
}

/* The globals of a declaration: an access before `scenario` ends the run of the file. */
static int early_index(lua_State *L)
{
    struct ncs_declaration *d = declaration(L);
    bool scenario = lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "scenario") == 0;
    if (scenario) {
        d->seen = true;
        lua_pushcfunction(L, declare_scenario);
        return 1;
    }
    if (!d->seen)
        return declare_stop(L);
    ncs_lua_environment(L);
    lua_pushvalue(L, 2);
    lua_gettable(L, -2);
    return 1;
}

static int early_newindex(lua_State *L)
{
    if (!declaration(L)->seen)
        return declare_stop(L);
    ncs_lua_environment(L);
    lua_replace(L, 1);
    lua_settable(L, 1);
    return 0;
}

static int run_early(lua_State *L)
{
    struct ncs_declaration *d = lua_touserdata(L, 1);
    const struct ncs_chunk *c = &d->script->main;
    lua_pushlightuserdata(L, d);
    lua_setfield(L, LUA_REGISTRYINDEX, "ncs.declaration");
    lua_pushfstring(L, "@%s", c->file);
    if (luaL_loadbufferx(L, c->code, c->bytes, lua_tostring(L, -1), "b") != LUA_OK)
        return lua_error(L);
    lua_newtable(L);
    lua_createtable(L, 0, 3);
    lua_pushcfunction(L, ncs_lua_note_end);
    lua_setfield(L, -2, "__close");
    lua_pushcfunction(L, early_index);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, early_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    ncs_lua_watch(L);
    lua_call(L, 0, 0);
    return 0;
}

/* Finds `key =` in a text from the line `first` on and sets its line; NULL = not found. */
static const char *find_key(const char *text, const char *key, int first, int *line)
{
    size_t n = strlen(key);
    const char *begin = text;
    for (; text && *text; text++) {
        *line += *text == '\n';
        if (*line < first || strncmp(text, key, n) != 0 || isalnum((unsigned char)text[n]) || text[n] == '_')
            continue;
        if (text != begin && (isalnum((unsigned char)text[-1]) || text[-1] == '_'))
            continue;
        const char *after = text + n;
        if ((*after == '"' || *after == '\'') && after[1] == ']') /* ["key"] */
            after += 2;
        while (*after == ' ' || *after == '\t')
            after++;
        if (*after == '=' && after[1] != '=')
            return text;
    }
    return NULL;
}

/* Where a key of the statement is, or of the table of the key `within`: its line, and in Lua text its byte; else
 * byte 0. The statement's own line if neither is found. */
static int place_of_key(const struct ncs_script *s, const char *within, const char *key, size_t *byte)
{
    int line = 1;
    const char *from = s->main.text, *found;
    *byte = 0;
    if (s->main.lines.count) {
        line = ncs_lines_of_key(&s->main.lines, within, key);
        return line ? line : s->line;
    }
    if (within)
        from = find_key(from, within, s->line, &line);
    if (!from)
        return s->line;
    int outer = line;
    found = find_key(from, key, s->line, &line);
    if (!found && !within)
        return s->line;
    *byte = (size_t)((found ? found : from) - s->main.text);
    return found ? line : outer;
}

/* Adds the place that the filled error is about: in the value of the key, as far as it is known. */
static bool fail_at_key(const struct ncs_declaration *d, const char *key, int otherwise, struct ncs_error *err)
{
    const struct ncs_chunk *c = &d->script->main;
    struct ncs_source source;
    size_t from = 0;
    int line = key ? place_of_key(d->script, d->within, key, &from) : otherwise, column = 0;
    const char *written = c->origin ? c->origin : c->text ? c->text : "";
    ncs_source_init(&source, c->file, written, strlen(written));
    bool known = line >= 1 && (size_t)line <= source.lines;
    if (known && !from)
        from = source.start[line - 1];
    struct ncs_span at = { from, 0 };
    if (known)
        at = ncs_subject_find(&source, from, c->lines.count, err->text);
    if (at.bytes)
        line = ncs_source_line(&source, at.at, &column);
    ncs_source_free(&source);
    ncs_fail_at(err, c->file, line, column);
    err->bytes = (int)at.bytes;
    return false;
}

static int fetch_message(lua_State *L)
{
    ncs_lua_text(L, 1);
    return 1;
}

/* The error on top of L, which the declaration raised. */
static void declaration_failed(lua_State *L, const struct ncs_declaration *d, struct ncs_error *err)
{
    bool own = ncs_lua_is_error(L, -1);
    const char *file = d->script->main.file;
    char place[300];
    lua_pushcfunction(L, fetch_message);
    lua_insert(L, -2);
    const char *text = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_isstring(L, -1) ? lua_tostring(L, -1) : "the declaration failed";
    int line = d->script->line;
    text = ncs_lua_skip_place(text, file, &line);
    snprintf(place, sizeof place, "scenario: ");
    if (own && strncmp(text, place, strlen(place)) == 0)
        text += strlen(place);
    const char *tail = strstr(text, ": did you mean");
    ncs_fail(err, NCS_BAD_INPUT, "%.*s", (int)(tail ? (size_t)(tail - text) : strlen(text)), text);
    if (tail)
        ncs_fail_hint(err, "%s", tail + 2);
    fail_at_key(d, own ? d->key : NULL, line, err);
}

/* Runs the file up to its declaration; problems are in err. */
static void run_declaration(struct ncs_declaration *d)
{
    struct ncs_script *script = d->script;
    struct ncs_error *err = d->err;
    struct ncs_lua_rank state = { .script = script, .rank = -1, .budget = INSTRUCTIONS };
    script->line = 0;
    script->scenario = d->scenario;
    script->world_config = false;
    script->world_name = NULL;
    err->status = NCS_OK;
    if (!ncs_lua_open(&state, NULL, err))
        return;
    lua_State *L = state.L;
    lua_pushcfunction(L, run_early);
    lua_pushlightuserdata(L, d);
    ncs_heap_refuse(&state.heap, true);
    int status = lua_pcall(L, 1, 0, 0);
    ncs_heap_refuse(&state.heap, false);
    if (status == LUA_ERRMEM) /* also if nothing was declared so far: a later line may do it */
        no_memory(d);
    else if (status != LUA_OK && !state.main.cancelled && d->seen)
        declaration_failed(L, d, err);
    if (d->seen && state.budget < 0) {
        ncs_fail(err, NCS_BAD_INPUT, "the values of scenario{} take too long to compute");
        fail_at_key(d, d->key, state.main.failed.line, err);
    }
    if (err->status == NCS_OK && !d->done) /* no declaration: the defaults, and the settings */
        for (size_t i = 0; i < d->settings->sets && err->status == NCS_OK; i++)
            ncs_scenario_set(d->scenario, d->settings->set[i], err);
    if (err->status != NCS_OK && !err->file[0])
        fail_at_key(d, d->key, script->line, err);
    ncs_lua_close(&state); /* d->key may be a text of its */
}

bool ncs_script_declare(struct ncs_script *script, const struct ncs_script_settings *settings, struct ncs_scenario *scenario,
                        struct ncs_error *err)
{
    struct ncs_declaration d = { .script = script, .settings = settings, .scenario = scenario, .err = err };
    run_declaration(&d);
    ncs_matrix_free(&d.matrix);
    if (err->status == NCS_OK && !d.done) {
        if (settings->ranks > 0)
            scenario->ranks = settings->ranks;
        scenario->sim_nccl = settings->nccl_version;
        if (settings->policy >= 0)
            scenario->policy = (enum ncs_policy)settings->policy;
    }
    const char *key;
    if (err->status == NCS_OK && !ncs_scenario_check(scenario, &key, err))
        fail_at_key(&d, key, script->line, err);
    return err->status == NCS_OK;
}

bool ncs_script_cases(struct ncs_script *script, const struct ncs_script_settings *settings, struct ncs_cases *cases,
                      struct ncs_error *err)
{
    struct ncs_scenario scenario;
    struct ncs_declaration d = { .script = script, .settings = settings, .scenario = &scenario, .err = err, .only_cases = true };
    ncs_scenario_init(&scenario, script->main.file);
    run_declaration(&d);
    if (err->status == NCS_OK)
        ncs_matrix_expand(&d.matrix, cases);
    ncs_matrix_free(&d.matrix);
    ncs_scenario_free(&scenario);
    script->scenario = NULL;
    return err->status == NCS_OK;
}

/* ---- the statement on a rank ---- */

static int declare_misplaced(lua_State *L, const char *why)
{
    return ncs_lua_raise(L, &(struct ncs_lua_error){ .kind = "scenario", .text = why });
}

int ncs_lua_scenario(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    ncs_lua_begin(L, "scenario", 1);
    if (rank->declared)
        return declare_misplaced(L, "scenario: is declared twice");
    if (!rank->script->line || ncs_lua_where(L).line != rank->script->line)
        return declare_misplaced(L, "scenario: must be the first statement of the file");
    rank->declared = true;
    return 0;
}
