/* Checking a file: its syntax, its names, its declaration. */
#include "script/check.h"

#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "notation/lint/lint.h"
#include "script/names.h"
#include "script/state.h"
#include "script/subject.h"

/* ---- names ---- */

/* The module of `require "name"` or `require("name")`. bytes 0 = the argument is not a literal. */
static struct ncs_span module_name(const struct ncs_source *s, size_t at)
{
    const char *text = s->text;
    at += strspn(text + at, " \t\r\n");
    if (text[at] == '(')
        at += 1 + strspn(text + at + 1, " \t\r\n");
    char quote = text[at];
    if (quote != '"' && quote != '\'')
        return (struct ncs_span){ 0, 0 };
    size_t n = strcspn(text + at + 1, "\"'\\\n");
    return (struct ncs_span){ at + 1, text[at + 1 + n] == quote ? n : 0 };
}

static void note_module(struct ncs_checking *c, struct ncs_span name)
{
    struct ncs_str path = { 0 };
    const char *slash = strrchr(c->file, '/');
    ncs_str_add_bytes(&path, c->file, slash ? (size_t)(slash - c->file) + 1 : 0);
    ncs_str_addf(&path, "%.*s.lua", (int)name.bytes, c->reading.source.text + name.at);
    if (!ncs_is_module_name(c->reading.source.text + name.at, name.bytes)) {
        ncs_complain(&c->reading.complaints, name, "this is not the name of a module");
        ncs_complain_hint(&c->reading.complaints, "letters, digits, '_' and '-', for a file NAME.lua "
                                                  "beside the scenario");
    } else if (access(path.text, R_OK) != 0) {
        ncs_complain(&c->reading.complaints, name, "there is no file %s", path.text);
    } else {
        NCS_PUSH(c->module, c->modules, c->modules_room, ncs_str_take(&path));
    }
    ncs_str_free(&path);
}

struct judging {
    struct ncs_checking *checking;
    struct ncs_judge *names;
    const struct ncs_script *script; /* NULL: it could not be loaded */
    size_t skip;                     /* bytes of the text before the chunk */
    struct ncs_map told;
};

static bool is_call(const struct ncs_lint_name *n, const char *function)
{
    return n->called && !n->field && n->at.bytes == strlen(function) && memcmp(n->name, function, n->at.bytes) == 0;
}

/* The declaration that counts is on the line that the script has recorded. */
static void judge_declaration(const struct judging *j, struct ncs_span at)
{
    struct ncs_complaints *c = &j->checking->reading.complaints;
    int line = ncs_source_line(c->source, at.at, NULL);
    if (j->checking->is_module)
        ncs_complain(c, at, "a module must not declare a scenario");
    else if (j->script && line != j->script->line)
        ncs_complain(c, at, "scenario{} %s", j->script->line ? "is declared twice" : "must be the first statement of the file");
}

/* Reports only the first use of a wrong name. */
static void check_on_global(void *arg, const struct ncs_lint_name *n)
{
    struct judging *j = arg;
    struct ncs_complaints *c = &j->checking->reading.complaints;
    size_t errors = c->errors;
    uint64_t key = ncs_hash_bytes(ncs_hash_bytes(1, n->name, n->at.bytes), n->field ? n->field : "", n->field_at.bytes);
    if (ncs_map_get(&j->told, key))
        return;
    ncs_judge_name(j->names, n, j->skip, c);
    if (c->errors > errors)
        ncs_map_put(&j->told, key, j);
    if (is_call(n, "scenario"))
        judge_declaration(j, (struct ncs_span){ n->at.at + j->skip, n->at.bytes });
    if (is_call(n, "require")) {
        struct ncs_span name = module_name(&j->checking->reading.source, n->at.at + j->skip + 7);
        if (name.bytes)
            note_module(j->checking, name);
    }
}

/* If the script did not load, its names are judged as if it declared nothing. */
static bool check_names(struct ncs_checking *c, struct ncs_script *script, struct ncs_error *err)
{
    struct ncs_str *text = &c->reading.text;
    struct ncs_scenario scenario;
    struct ncs_script none = { .scenario = &scenario };
    struct judging j = { .checking = c, .script = script, .skip = ncs_chunk_start(text->text, text->bytes) };
    ncs_scenario_init(&scenario, c->file);
    j.names = ncs_judge_new(script ? script : &none, err);
    if (j.names)
        ncs_lint_chunk(text->text + j.skip, text->bytes - j.skip, check_on_global, &j, NULL);
    ncs_judge_free(j.names);
    ncs_map_free(&j.told);
    ncs_script_free_texts(&none);
    ncs_scenario_free(&scenario);
    return j.names != NULL;
}

static void complain_twice(void *arg, struct ncs_span key, struct ncs_span first)
{
    struct ncs_checking *c = arg;
    struct ncs_complaints *all = &c->reading.complaints;
    const char *text = c->reading.source.text;
    size_t skip = ncs_chunk_start(text, c->reading.source.bytes);
    key.at += skip;
    first.at += skip;
    ncs_complain(all, key, "key '%.*s' is given twice", (int)(key.bytes < 60 ? key.bytes : 60), text + key.at);
    ncs_complain_note(all, first, "the first one is here");
}

static void check_repeated_keys(struct ncs_checking *c)
{
    const struct ncs_str *text = &c->reading.text;
    size_t skip = ncs_chunk_start(text->text, text->bytes);
    ncs_lint_repeated_keys(text->text + skip, text->bytes - skip, complain_twice, c, NULL);
}

/* ---- what loading says ---- */

struct ncs_span ncs_checking_span(const struct ncs_checking *c, int line, const char *message)
{
    const struct ncs_source *s = &c->reading.source;
    if (line < 1 || (size_t)line > s->lines)
        return (struct ncs_span){ 0, 0 };
    struct ncs_span at = ncs_subject_find(s, s->start[line - 1], c->reading.yaml, message);
    return at.bytes ? at : (struct ncs_span){ at.at, strcspn(s->text + at.at, "\r\n") };
}

/* The declaration has found the place itself if it knows the column. */
static struct ncs_span span_of_error(const struct ncs_checking *c, const struct ncs_error *err)
{
    if (err->column < 1)
        return ncs_checking_span(c, err->line, err->text);
    return (struct ncs_span){ ncs_source_byte(&c->reading.source, err->line, err->column), (size_t)err->bytes };
}

static void complain_error(struct ncs_checking *c, const struct ncs_error *err)
{
    struct ncs_complaints *all = &c->reading.complaints;
    struct ncs_span at = span_of_error(c, err);
    const char *tail = strstr(err->text, ": did you mean");
    all->no_memory |= err->status == NCS_NO_MEMORY;
    ncs_complain(all, at, "%.*s", tail ? (int)(tail - err->text) : (int)strlen(err->text), err->text);
    if (tail || err->hint[0])
        ncs_complain_hint(all, "%s", tail ? tail + 2 : err->hint);
}

/* ---- a file ---- */

static bool check_syntax(struct ncs_checking *c)
{
    struct ncs_str *text = &c->reading.text;
    struct ncs_lint_error e;
    size_t skip = ncs_chunk_start(text->text, text->bytes);
    if (text->text[skip] == LUA_SIGNATURE[0] || memchr(text->text, 0, text->bytes))
        return ncs_complain(&c->reading.complaints, (struct ncs_span){ 0, 0 }, "is not a text, expected Lua source");
    if (ncs_lint_chunk(text->text + skip, text->bytes - skip, NULL, NULL, &e))
        return true;
    ncs_lint_complain(&e, skip, &c->reading.complaints);
    return false;
}

bool ncs_checking_declare(struct ncs_checking *c, const struct ncs_script_settings *settings, size_t number,
                          struct ncs_scenario *scenario)
{
    struct ncs_script_settings own = *settings;
    struct ncs_error err = { 0 };
    if (number < c->cases.count) {
        const struct ncs_case *item = &c->cases.item[number];
        own.value = item->value;
        own.values = item->values;
        own.ranks = item->ranks ? item->ranks : own.ranks;
        own.seeded = own.seeded || item->seeded;
        own.seed = item->seeded ? item->seed : own.seed;
    }
    ncs_scenario_init(scenario, c->file);
    bool ok = ncs_script_declare(c->script, &own, scenario, &err);
    if (!ok)
        complain_error(c, &err);
    return ok;
}

/* Checks declaration and names. If a file declares nothing, or its declaration is wrong, the
 * defaults hold for its names. */
static bool check_script(struct ncs_checking *c, const struct ncs_script_settings *settings, struct ncs_error *err)
{
    struct ncs_scenario scenario;
    struct ncs_error said = { 0 };
    bool declared = false;
    ncs_scenario_init(&scenario, c->file);
    if (!c->is_module && !ncs_script_cases(c->script, settings, &c->cases, &said)) {
        complain_error(c, &said);
    } else if (!c->is_module) {
        ncs_scenario_free(&scenario);
        declared = ncs_checking_declare(c, settings, 0, &scenario);
    }
    bool done = c->reading.yaml || check_names(c, declared ? c->script : NULL, err);
    ncs_scenario_free(&scenario);
    return done;
}

bool ncs_script_check(struct ncs_checking *c, const struct ncs_script_settings *settings, struct ncs_error *err)
{
    struct ncs_script_settings own = *settings;
    struct ncs_error said = { 0 };
    memset(err, 0, sizeof *err);
    c->reading.is_module = c->is_module;
    c->reading.unsafe = settings->unsafe;
    if (!ncs_reading_open(&c->reading, c->file, err))
        return false;
    if (!c->reading.yaml && !check_syntax(c))
        return true;
    if (!c->reading.yaml)
        check_repeated_keys(c);
    own.reading = &c->reading;
    c->script = ncs_script_open(c->file, &own, &said);
    if (c->script)
        return check_script(c, &own, err);
    if (!c->reading.complaints.errors)
        complain_error(c, &said);
    return true;
}

void ncs_checking_free(struct ncs_checking *c)
{
    for (size_t i = 0; i < c->modules; i++)
        ncs_free(c->module[i]);
    ncs_free(c->module);
    ncs_cases_free(&c->cases);
    ncs_script_free(c->script);
    ncs_reading_close(&c->reading);
    *c = (struct ncs_checking){ 0 };
}
