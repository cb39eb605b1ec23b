/* The key `outcome` of scenario{}: the verdict that a scenario declares. */
#include "script/declare.h"

#include <string.h>

static void outcome_culprit(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_outcome *o = &d->scenario->outcome;
    o->culprits = ncs_declare_ints(L, d, value, &o->culprit);
}

static void outcome_waiting(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_outcome *o = &d->scenario->outcome;
    o->waitings = ncs_declare_ints(L, d, value, &o->waiting);
}

static void outcome_call_number(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.call = (int64_t)ncs_lua_count(L, value, d->key);
}

static void outcome_comm(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->outcome.comm, ncs_declare_text(L, d, value));
    d->scenario->outcome.comm_given = true;
}

static void outcome_why(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->outcome.why, ncs_declare_text(L, d, value));
}

static void outcome_rank(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.rank = ncs_lua_int(L, value, d->key);
}

static void outcome_first(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.first = (int64_t)ncs_lua_count(L, value, d->key);
}

static void outcome_finding(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->outcome.finding, ncs_declare_text(L, d, value));
}

static void rows_or_true(lua_State *L, struct ncs_declaration *d, int value,
                         const struct ncs_declare_row *rows)
{
    if (!lua_isboolean(L, value))
        ncs_declare_rows(L, d, value, rows);
    else if (!lua_toboolean(L, value))
        ncs_lua_usage(L, "%s must be true or a table { key = value }, got false", d->key);
}

static void outcome_hang(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = {
        { "call", outcome_call_number }, { "comm", outcome_comm }, { "culprit", outcome_culprit },
        { "waiting", outcome_waiting },  { "why", outcome_why },   { NULL, NULL } };
    d->scenario->outcome.verdict = NCS_HANG;
    rows_or_true(L, d, value, rows);
}

static void outcome_wrong(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = {
        { "call", outcome_call_number }, { "comm", outcome_comm }, { "first", outcome_first },
        { "rank", outcome_rank },        { NULL, NULL } };
    d->scenario->outcome.verdict = NCS_WRONG;
    rows_or_true(L, d, value, rows);
}

static void outcome_lost(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.verdict = NCS_LOST;
    outcome_rank(L, d, value);
}

static void outcome_error(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.verdict = NCS_ERROR;
    ncs_declare_replace(&d->scenario->outcome.error_name, ncs_declare_text(L, d, value));
}

static void outcome_error_call(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->outcome.error_call, ncs_declare_text(L, d, value));
}

/* The table that an outcome function gets. */
static void push_run(lua_State *L, const struct ncs_declaration *d)
{
    const struct ncs_scenario *s = d->scenario;
    char nccl[16];
    lua_createtable(L, 0, 5);
    ncs_lua_push_params(L, s);
    lua_setfield(L, -2, "param");
    lua_pushinteger(L, s->ranks);
    lua_setfield(L, -2, "nranks");
    lua_pushstring(L, s->policy == NCS_POLICY_TYPICAL ? "typical" : "strict");
    lua_setfield(L, -2, "policy");
    lua_pushstring(L, d->settings->driver ? d->settings->driver : "sim");
    lua_setfield(L, -2, "driver");
    lua_pushstring(L, ncs_nccl_version_text(s->sim_nccl, nccl, sizeof nccl));
    lua_setfield(L, -2, "nccl");
    ncs_lua_lock(L, lua_gettop(L), "run");
    lua_remove(L, -2);
}

void ncs_declare_outcome(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row error_rows[] = {
        { "error", outcome_error }, { "call", outcome_error_call }, { "finding", outcome_finding },
        { "rank", outcome_rank },   { NULL, NULL } };
    static const struct ncs_declare_row rows[] = {
        { "error", outcome_error }, { "finding", outcome_finding }, { "hang", outcome_hang },
        { "lost", outcome_lost },   { "wrong", outcome_wrong },     { NULL, NULL } };
    static const char *const verdicts[] = { "error", "hang", "lost", "wrong" };
    int given = 0;
    if (lua_type(L, value) == LUA_TFUNCTION) {
        lua_pushvalue(L, value);
        push_run(L, d);
        lua_call(L, 1, 1);
        value = lua_gettop(L);
    }
    if (lua_type(L, value) == LUA_TSTRING) {
        const char *word = lua_tostring(L, value);
        if (strcmp(word, "pass") != 0)
            ncs_lua_usage(L, "no outcome \"%.60s\", expected \"pass\", or a table such as "
                             "{ hang = { culprit = 2 } }", word);
        return;
    }
    if (lua_type(L, value) != LUA_TTABLE)
        ncs_lua_wrong(L, value, "outcome",
                      "\"pass\" or a table such as { hang = { culprit = 2 } }");
    for (int i = 0; i < 4; i++) {
        given += lua_getfield(L, value, verdicts[i]) != LUA_TNIL;
        lua_pop(L, 1);
    }
    if (given > 1)
        ncs_lua_usage(L, "outcome: one of hang, error, wrong, lost can be given");
    bool error = lua_getfield(L, value, "error") != LUA_TNIL;
    bool finding = lua_getfield(L, value, "finding") != LUA_TNIL;
    lua_pop(L, 2);
    d->scenario->outcome.any_verdict = given == 0 && finding;
    ncs_declare_rows(L, d, value, error ? error_rows : rows);
}
