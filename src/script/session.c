#include "script/session.h"

#include <string.h>

#include "base/mem.h"
#include "notation/lint/lint.h"
#include "script/object.h"
#include "script/state.h"

struct ncs_code {
    struct ncs_chunk chunk;
    int line;
    bool call;   /* a mere call: its own object is not worth a reply */
    char *names; /* the names it makes local, separated by blanks; NULL = none */
    struct ncs_code *next;
};

/* The code that a rank was given, and how far the rank is. */
struct place_of_rank {
    const struct ncs_code **code;
    size_t given, room, done;
    struct ncs_lua_rank *lua;
    lua_State *eye; /* in the registry of its state */
};

struct ncs_session {
    struct ncs_script *script;
    struct ncs_chunk *prompt; /* among the script's modules: the file of lines */
    struct ncs_run *run;      /* NULL before the ranks are made */
    struct ncs_code *codes;   /* newest first */
    struct place_of_rank *rank;
    int ranks;
    struct ncs_reply *reply;
    size_t replies, replies_room;
};

struct ncs_session *ncs_session_new(struct ncs_script *script, const struct ncs_scenario *scenario, const char *prompt,
                                    bool unsafe)
{
    struct ncs_session *s = ncs_new(sizeof *s);
    if (!script) {
        script = ncs_new(sizeof *script);
        script->main.file = ncs_copy_text(prompt);
        script->folder = ncs_copy_text("");
        script->unsafe = unsafe;
    }
    script->session = s;
    s->script = script;
    s->prompt = ncs_new(sizeof *s->prompt);
    s->prompt->name = ncs_copy_text(""); /* no module has this name */
    s->prompt->file = ncs_copy_text(prompt);
    s->prompt->next = script->modules;
    script->modules = s->prompt;
    s->ranks = scenario->ranks;
    s->rank = ncs_new((size_t)s->ranks * sizeof *s->rank);
    ncs_script_program(script, scenario); /* knows the scenario from now on */
    return s;
}

void ncs_session_forget(struct ncs_session *s)
{
    for (size_t i = 0; i < s->replies; i++)
        ncs_free(s->reply[i].text);
    s->replies = 0;
}

static void discard(struct ncs_code *code)
{
    code->chunk.lines = (struct ncs_lines){ 0 }; /* the script's */
    ncs_chunk_free(&code->chunk);
    ncs_free(code->names);
    ncs_free(code);
}

void ncs_session_free(struct ncs_session *s)
{
    if (!s)
        return;
    while (s->codes) {
        struct ncs_code *code = s->codes;
        s->codes = code->next;
        discard(code);
    }
    for (int r = 0; r < s->ranks; r++)
        ncs_free(s->rank[r].code);
    ncs_session_forget(s);
    ncs_free(s->reply);
    ncs_free(s->rank);
    ncs_script_free(s->script);
    ncs_free(s);
}

/* ---- text to code ---- */

static bool compile(const char *file, const char *head, const char *text, size_t bytes, int line, const struct ncs_lines *lines,
                    struct ncs_code *code, struct ncs_error *err)
{
    struct ncs_str padded = { 0 };
    code->chunk.name = ncs_copy_text("");
    code->chunk.file = ncs_copy_text(file);
    code->line = line;
    if (lines)
        code->chunk.lines = *lines;
    for (int i = 1; i < line; i++)
        ncs_str_add(&padded, "\n");
    ncs_str_add(&padded, head);
    ncs_str_add_bytes(&padded, text, bytes);
    bool ok = ncs_chunk_compile(&code->chunk, padded.text ? padded.text : "", padded.bytes, err);
    ncs_str_free(&padded);
    return ok;
}

const char *ncs_session_text(const struct ncs_session *s)
{
    return s->script->main.text;
}

static void ignore(void *arg, const struct ncs_lint_statement *st)
{
    (void)arg;
    (void)st;
}

/* Lua's message says what it found; our reader's says what was expected, so that one is used. */
static void fail_syntax(const char *text, size_t bytes, struct ncs_error *err)
{
    struct ncs_lint_error e;
    struct ncs_error at = *err;
    if (ncs_lint_split(text, bytes, ignore, NULL, &e))
        return;
    ncs_fail(err, NCS_BAD_INPUT, "%s", e.text);
    ncs_fail_at(err, at.file, at.line, 0);
}

/* True if Lua missed the rest of the text. */
static bool is_unfinished(const struct ncs_error *err)
{
    size_t n = strlen(err->text);
    return (n >= 5 && strcmp(err->text + n - 5, "<eof>") == 0) || (n >= 7 && strcmp(err->text + n - 7, "'<eof>'") == 0);
}

static enum ncs_read read_statements(const char *file, const char *text, size_t bytes, int line, const struct ncs_lines *lines,
                                     struct ncs_code *code, struct ncs_error *err)
{
    struct ncs_str kept = { 0 }, names = { 0 };
    ncs_session_keep_names(text, bytes, &kept, &names);
    code->names = names.bytes ? ncs_str_take(&names) : NULL;
    bool ok = compile(file, "", kept.text ? kept.text : "", kept.bytes, line, lines, code, err);
    ncs_str_free(&kept);
    if (ok)
        return NCS_READ_WHOLE;
    if (is_unfinished(err))
        return NCS_READ_OPEN;
    if (err->status != NCS_NO_MEMORY)
        fail_syntax(text, bytes, err);
    return NCS_READ_WRONG;
}

static const struct ncs_code *keep_code(struct ncs_session *s, struct ncs_code *code)
{
    code->next = s->codes;
    s->codes = code;
    return code;
}

enum ncs_read ncs_session_read(struct ncs_session *s, const char *text, int line, const struct ncs_code **out,
                               struct ncs_error *err)
{
    const char *file = s->prompt->file;
    size_t bytes = strlen(text);
    struct ncs_code *code = ncs_new(sizeof *code);
    if (compile(file, "return ", text, bytes, line, NULL, code, err)) {
        code->call = ncs_lint_split(text, bytes, ignore, NULL, NULL);
        *out = keep_code(s, code);
        return NCS_READ_WHOLE;
    }
    if (err->status == NCS_NO_MEMORY) { /* it may be an expression all the same */
        discard(code);
        return NCS_READ_WRONG;
    }
    bool expression = is_unfinished(err); /* as `1 +`, which begins no statement */
    ncs_chunk_free(&code->chunk);
    memset(err, 0, sizeof *err);
    enum ncs_read read = read_statements(file, text, bytes, line, NULL, code, err);
    if (read == NCS_READ_WHOLE)
        *out = keep_code(s, code);
    else
        discard(code);
    return read == NCS_READ_WRONG && expression ? NCS_READ_OPEN : read;
}

/* ---- a file's statements ---- */

struct file_reading {
    struct ncs_session *s;
    const struct ncs_chunk *main;
    void (*on_code)(void *arg, const struct ncs_code *code);
    void *arg;
    const char *from; /* where `line` stands */
    int line;
    bool failed;
    struct ncs_error *err;
};

static bool is_declaration(const char *text, size_t bytes)
{
    size_t n = strlen("scenario");
    if (bytes <= n || memcmp(text, "scenario", n) != 0)
        return false;
    for (; n < bytes && strchr(" \t\r\n", text[n]); n++)
        continue;
    return n < bytes && (text[n] == '{' || text[n] == '(');
}

static void read_one(void *arg, const struct ncs_lint_statement *st)
{
    struct file_reading *f = arg;
    const char *text = f->main->text + st->at.at;
    for (; f->from < text; f->from++)
        f->line += *f->from == '\n';
    if (f->failed || is_declaration(text, st->at.bytes))
        return;
    struct ncs_code *code = ncs_new(sizeof *code);
    const struct ncs_lines *lines = f->main->lines.count ? &f->main->lines : NULL;
    if (read_statements(f->main->file, text, st->at.bytes, f->line, lines, code, f->err) == NCS_READ_WHOLE) {
        f->on_code(f->arg, keep_code(f->s, code));
    } else {
        discard(code);
        f->failed = true;
    }
}

bool ncs_session_read_script(struct ncs_session *s, void (*on_code)(void *arg, const struct ncs_code *code), void *arg,
                             struct ncs_error *err)
{
    const struct ncs_chunk *main = &s->script->main;
    struct ncs_lint_error e;
    if (!main->text)
        return true;
    struct file_reading f = { .s = s, .main = main, .on_code = on_code, .arg = arg, .from = main->text, .line = 1, .err = err };
    size_t start = ncs_chunk_start(main->text, strlen(main->text));
    struct ncs_chunk rest = *main;
    rest.text += start;
    f.main = &rest;
    for (const char *c = main->text; c < rest.text; c++)
        f.line += *c == '\n';
    f.from = rest.text;
    ncs_lint_split(rest.text, strlen(rest.text), read_one, &f, &e);
    return !f.failed;
}

/* ---- ranks ---- */

static void reply(struct ncs_session *s, int rank, int line, enum ncs_reply_kind kind, const char *text)
{
    struct ncs_reply r = { rank, line, kind, ncs_copy_text(text) };
    NCS_PUSH(s->reply, s->replies, s->replies_room, r);
}

void ncs_session_help(struct ncs_session *s, int rank, const char *topic)
{
    const struct place_of_rank *p = &s->rank[rank];
    reply(s, rank, p->done < p->given ? p->code[p->done]->line : 0, NCS_REPLY_HELP, topic);
}

/* As in a function, a name that was made local may be read while it is nil. */
static void session_declare(lua_State *L, const char *names)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, NCS_DECLARED);
    for (size_t n; names && *names; names += n + 1) {
        n = strcspn(names, " ");
        lua_pushlstring(L, names, n);
        lua_pushboolean(L, true);
        lua_rawset(L, -3);
    }
    lua_pop(L, 1);
}

static int load_code(lua_State *L)
{
    const struct ncs_code *code = lua_touserdata(L, 1);
    if (code->names)
        session_declare(L, code->names);
    lua_pushfstring(L, "@%s", code->chunk.file);
    if (luaL_loadbufferx(L, code->chunk.code, code->chunk.bytes, lua_tostring(L, -1), "b") != LUA_OK)
        return lua_error(L);
    ncs_lua_environment(L);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    return 1;
}

/* The values, as one text. */
static int show_all(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (int i = 1; i <= n; i++) {
        if (i > 1)
            luaL_addstring(&b, "  ");
        ncs_lua_show(L, i);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
    ncs_lua_whole_text(L, -1);
    return 1;
}

/* True for a single object older than the line: methods without a result return their object. */
static bool session_is_self(lua_State *L, int first, lua_Integer before)
{
    const struct ncs_object *o = lua_gettop(L) == first ? ncs_object_any(L, first) : NULL;
    return o && o->serial <= before;
}

/* Replies with the outcome of a line; its values or its error begin at `first`. */
static void answer(lua_State *L, struct ncs_session *s, const struct ncs_code *code, int first, int status, lua_Integer before)
{
    int line = code->line;
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    int rank = t->rank->rank;
    if (status != LUA_OK && t->cancelled) {
        reply(s, rank, line, NCS_REPLY_INTERRUPTED, NULL);
        return;
    }
    if (status != LUA_OK) {
        char *text = ncs_lua_error_line(t, L, line);
        reply(s, rank, line, NCS_REPLY_ERROR, text);
        ncs_free(text);
        return;
    }
    if (lua_gettop(L) < first || (code->call && session_is_self(L, first, before))) {
        reply(s, rank, line, NCS_REPLY_NOTHING, NULL);
        return;
    }
    lua_pushcfunction(L, show_all);
    lua_insert(L, first);
    bool shown = lua_pcall(L, lua_gettop(L) - first, 1, 0) == LUA_OK;
    reply(s, rank, line, shown ? NCS_REPLY_VALUES : NCS_REPLY_ERROR,
          lua_isstring(L, -1) ? lua_tostring(L, -1) : "a value that has no text");
}

/* False when the run is over. */
static bool run_code(lua_State *L, struct ncs_session *s, const struct ncs_code *code)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    int top = lua_gettop(L);
    lua_Integer before = t->rank->serials;
    lua_pushcfunction(L, ncs_lua_message);
    lua_pushcfunction(L, load_code);
    lua_pushlightuserdata(L, (void *)code);
    int status = lua_pcall(L, 1, 1, top + 1);
    if (status == LUA_OK)
        status = lua_pcall(L, 0, LUA_MULTRET, top + 1);
    if (t->cancelled && t->rank->machine->cancelled())
        return false;
    answer(L, s, code, top + 2, status, before);
    if (t->cancelled) {
        t->cancelled = false;
        ncs_lua_watch(L);
    }
    lua_settop(L, top);
    return true;
}

static int serve(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    struct ncs_session *s = rank->script->session;
    struct place_of_rank *p = &s->rank[rank->rank];
    ncs_lua_make_world(L);
    for (;;) {
        for (; p->done < p->given; p->done++)
            if (!run_code(L, s, p->code[p->done]))
                return ncs_lua_cancel(L);
        if (!ncs_run_await(rank->run))
            return ncs_lua_cancel(L);
    }
}

static void *session_rank_new(void *self, struct ncs_run *run, int number, struct ncs_error *err)
{
    struct ncs_session *s = self;
    struct ncs_lua_rank *rank = ncs_lua_rank_new(s->script, run, number, NULL, err);
    s->run = run;
    s->rank[number].lua = rank;
    if (!rank)
        return NULL;
    s->rank[number].eye = lua_newthread(rank->L);
    lua_setfield(rank->L, LUA_REGISTRYINDEX, "ncs.eye");
    lua_pushcfunction(rank->L, ncs_lua_message);
    return rank;
}

static void session_rank_main(void *rank)
{
    ncs_lua_rank_main(rank, serve);
}

static void rank_free(void *arg)
{
    struct ncs_lua_rank *rank = arg;
    rank->script->session->rank[rank->rank].lua = NULL;
    ncs_lua_rank_free(rank);
}

struct ncs_program ncs_session_program(struct ncs_session *s)
{
    return (
        struct ncs_program){ .self = s, .rank_new = session_rank_new, .rank_main = session_rank_main, .rank_free = rank_free };
}

/* ---- from outside ---- */

void ncs_session_give(struct ncs_session *s, int rank, const struct ncs_code *code)
{
    struct place_of_rank *p = &s->rank[rank];
    NCS_PUSH(p->code, p->given, p->room, code);
    if (s->run)
        ncs_run_call(s->run, rank);
}

bool ncs_session_is_free(const struct ncs_session *s, int rank)
{
    return s->rank[rank].done == s->rank[rank].given;
}

const struct ncs_reply *ncs_session_replies(const struct ncs_session *s, size_t *count)
{
    *count = s->replies;
    return s->reply;
}

lua_State *ncs_session_eye(struct ncs_session *s, int rank)
{
    return s->rank[rank].lua ? s->rank[rank].eye : NULL;
}
