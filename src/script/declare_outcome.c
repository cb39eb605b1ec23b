/* The keys `outcome` and `bug` of scenario{}: the declared verdict, and the bug that
 * the scenario shows. */
#include "script/declare.h"

#include <string.h>

#include "base/mem.h"

static void outcome_culprit(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_outcome *o = &d->scenario->outcome;
    o->culprits = ncs_declare_ints(L, d, value, &o->culprit);
}

/* Reads the waiting ranks: a rank, a list, "all", or "others", which means all but the culprits;
 * these were read before. */
static size_t read_waiting(lua_State *L, struct ncs_declaration *d, int value, const int *culprit, size_t culprits, int **list)
{
    if (lua_type(L, value) != LUA_TSTRING)
        return ncs_declare_ints(L, d, value, list);
    const char *word = lua_tostring(L, value);
    bool others = strcmp(word, "others") == 0;
    int ranks = d->scenario->ranks > NCS_RANKS_MOST ? 0 : d->scenario->ranks; /* checked later */
    size_t count = 0;
    if (!others && strcmp(word, "all") != 0)
        ncs_lua_usage(L, "waiting is a rank, a list of ranks, \"all\" or \"others\", got \"%.60s\"", word);
    ncs_free(*list);
    *list = ncs_new((size_t)(ranks > 0 ? ranks : 0) * sizeof **list);
    for (int rank = 0; rank < ranks; rank++) {
        bool blamed = false;
        for (size_t i = 0; i < culprits; i++)
            blamed |= culprit[i] == rank;
        if (!others || !blamed)
            (*list)[count++] = rank;
    }
    return count;
}

static void outcome_waiting(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_outcome *o = &d->scenario->outcome;
    o->waitings = read_waiting(L, d, value, o->culprit, o->culprits, &o->waiting);
}

/* Reads a number that counts from 1. */
static int64_t outcome_ordinal(lua_State *L, struct ncs_declaration *d, int value)
{
    lua_Integer number = ncs_lua_integer(L, value, d->key);
    if (number < 1)
        ncs_lua_wrong(L, value, d->key, "1 or more");
    return (int64_t)number;
}

static void outcome_call_number(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.call = outcome_ordinal(L, d, value);
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
    d->scenario->outcome.first = outcome_ordinal(L, d, value);
}

static void outcome_pass(lua_State *L, struct ncs_declaration *d, int value)
{
    if (!ncs_declare_flag(L, d, value))
        ncs_lua_usage(L, "pass must be true, got false");
}

/* ---- findings ---- */

static void finding_rule(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->outcome.finding.rule, ncs_declare_text(L, d, value));
}

static void finding_culprit(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_outcome_finding *f = &d->scenario->outcome.finding;
    f->culprits = ncs_declare_ints(L, d, value, &f->culprit);
}

static void finding_waiting(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_outcome_finding *f = &d->scenario->outcome.finding;
    f->waitings = read_waiting(L, d, value, f->culprit, f->culprits, &f->waiting);
}

static void finding_call(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.finding.call = outcome_ordinal(L, d, value);
}

static void finding_comm(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->outcome.finding.comm, ncs_declare_text(L, d, value));
}

static void finding_certainty(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->outcome.finding.certainty, ncs_declare_text(L, d, value));
}

static void outcome_finding(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = { { "call", finding_call },
                                                   { "certainty", finding_certainty },
                                                   { "comm", finding_comm },
                                                   { "culprit", finding_culprit },
                                                   { "rule", finding_rule },
                                                   { "waiting", finding_waiting },
                                                   { NULL, NULL } };
    d->scenario->outcome.finding_given = true;
    if (lua_type(L, value) == LUA_TSTRING)
        finding_rule(L, d, value);
    else if (lua_type(L, value) == LUA_TTABLE)
        ncs_declare_rows(L, d, value, rows);
    else
        ncs_lua_wrong(L, value, d->key, "a rule, or a table such as { rule = \"p2p-cycle\" }");
}

static void outcome_findings(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->outcome.findings = (int64_t)ncs_lua_count(L, value, d->key);
    d->scenario->outcome.findings_given = true;
}

/* ---- verdicts ---- */

static void rows_or_true(lua_State *L, struct ncs_declaration *d, int value, const struct ncs_declare_row *rows)
{
    if (!lua_isboolean(L, value))
        ncs_declare_rows(L, d, value, rows);
    else if (!lua_toboolean(L, value))
        ncs_lua_usage(L, "%s must be true or a table { key = value }, got false", d->key);
}

static void outcome_hang(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = { { "call", outcome_call_number }, { "comm", outcome_comm },
                                                   { "culprit", outcome_culprit },  { "waiting", outcome_waiting },
                                                   { "why", outcome_why },          { NULL, NULL } };
    d->scenario->outcome.verdict = NCS_HANG;
    rows_or_true(L, d, value, rows);
}

static void outcome_wrong(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = { { "call", outcome_call_number },
                                                   { "comm", outcome_comm },
                                                   { "first", outcome_first },
                                                   { "rank", outcome_rank },
                                                   { NULL, NULL } };
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

static bool has_key(lua_State *L, int table, const char *key)
{
    bool there = lua_getfield(L, table, key) != LUA_TNIL;
    lua_pop(L, 1);
    return there;
}

void ncs_declare_outcome(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row error_rows[] = { { "error", outcome_error },     { "call", outcome_error_call },
                                                         { "finding", outcome_finding }, { "findings", outcome_findings },
                                                         { "rank", outcome_rank },       { NULL, NULL } };
    static const struct ncs_declare_row rows[] = { { "error", outcome_error },       { "finding", outcome_finding },
                                                   { "findings", outcome_findings }, { "hang", outcome_hang },
                                                   { "lost", outcome_lost },         { "pass", outcome_pass },
                                                   { "wrong", outcome_wrong },       { NULL, NULL } };
    static const char *const verdicts[] = { "error", "hang", "lost", "pass", "wrong", NULL };
    int given = 0;
    d->scenario->outcome.given = true;
    if (lua_type(L, value) == LUA_TFUNCTION) {
        lua_pushvalue(L, value);
        push_run(L, d);
        lua_call(L, 1, 1);
        value = lua_gettop(L);
    }
    if (lua_type(L, value) == LUA_TSTRING) {
        const char *word = lua_tostring(L, value);
        if (strcmp(word, "pass") != 0)
            ncs_lua_usage(L,
                          "no outcome \"%.60s\", expected \"pass\", or a table such as "
                          "{ hang = { culprit = 2 } }",
                          word);
        return;
    }
    if (lua_type(L, value) != LUA_TTABLE)
        ncs_lua_wrong(L, value, "outcome", "\"pass\" or a table such as { hang = { culprit = 2 } }");
    for (int i = 0; verdicts[i]; i++)
        given += has_key(L, value, verdicts[i]);
    if (given > 1)
        ncs_lua_usage(L, "outcome takes only one of hang, error, wrong, lost and pass");
    d->scenario->outcome.any_verdict = given == 0 && (has_key(L, value, "finding") || has_key(L, value, "findings"));
    ncs_declare_rows(L, d, value, has_key(L, value, "error") ? error_rows : rows);
}

/* ---- bug ---- */

static void bug_entry(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->bug.entry, ncs_declare_text(L, d, value));
}

static void bug_nccl(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->bug.nccl, ncs_declare_text(L, d, value));
}

static void bug_thread(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_bug *bug = &d->scenario->bug;
    bool list = lua_type(L, value) == LUA_TTABLE;
    size_t count = list ? lua_rawlen(L, value) : 1, room = bug->threads;
    for (size_t i = 0; i < count; i++) {
        if (list)
            lua_rawgeti(L, value, (lua_Integer)i + 1);
        else
            lua_pushvalue(L, value);
        NCS_PUSH(bug->thread, bug->threads, room, ncs_copy_text(ncs_declare_text(L, d, lua_gettop(L))));
        lua_pop(L, 1);
    }
}

void ncs_declare_bug(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = {
        { "entry", bug_entry }, { "nccl", bug_nccl }, { "thread", bug_thread }, { NULL, NULL }
    };
    ncs_declare_rows(L, d, value, rows);
    if (!d->scenario->bug.entry)
        ncs_lua_usage(L, "bug needs entry, such as entry = \"A1\"");
}
