/* Makes runs from operands: files are opened once, and each case is declared anew for each run. */
#include "cli/selection.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"
#include "cli/files.h"
#include "cli/output.h"
#include "scenario/select.h"

static const char seed_term[] = "seed=";

/* ---- names ---- */

const struct ncs_case *ncs_selection_case(const struct ncs_selection *selection, size_t run)
{
    const struct ncs_selection_run *r = &selection->run[run];
    const struct ncs_selection_file *file = &selection->file[r->file];
    return file->script ? &file->cases.item[r->number] : NULL;
}

/* The name includes the seed of the run if a case has several runs, even if the seed is no value of the case. */
void ncs_selection_add_name(const struct ncs_selection *selection, size_t run, struct ncs_str *out)
{
    const struct ncs_case *c = ncs_selection_case(selection, run);
    if (!c)
        return;
    size_t bytes = c->name ? strlen(c->name) : 0;
    if (c->seeded && selection->repeats > 1) { /* the last value: each of its runs has another */
        const char *comma = strrchr(c->name, ',');
        bytes = comma ? (size_t)(comma - c->name) : 0;
    }
    ncs_str_add_bytes(out, c->name, bytes);
    if (selection->repeats > 1)
        ncs_str_addf(out, "%s%s%" PRIu64, bytes ? "," : "", seed_term, selection->run[run].seed);
}

void ncs_selection_add_full_name(const struct ncs_selection *selection, size_t run, struct ncs_str *out)
{
    struct ncs_str name = { 0 };
    ncs_selection_add_name(selection, run, &name);
    ncs_str_add(out, selection->file[selection->run[run].file].path);
    if (name.bytes)
        ncs_str_addf(out, "[%s]", name.text);
    ncs_str_free(&name);
}

bool ncs_selection_same_case(const struct ncs_selection *selection, size_t a, size_t b)
{
    return selection->run[a].file == selection->run[b].file && selection->run[a].number == selection->run[b].number;
}

/* ---- files ---- */

static void selection_free_reading(struct ncs_selection_file *file)
{
    if (file->reading)
        ncs_reading_close(file->reading);
    ncs_free(file->reading);
    file->reading = NULL;
}

static struct ncs_selection_file *selection_open_file(struct ncs_selection *selection, const char *path)
{
    struct ncs_selection_file file = { .path = ncs_copy_text(path), .reading = ncs_new(sizeof *file.reading) };
    struct ncs_script_settings settings = selection->settings;
    settings.reading = file.reading;
    file.script = ncs_script_open(file.path, &settings, &file.err);
    if (!file.reading->complaints.count)
        selection_free_reading(&file);
    if (file.script && !ncs_script_cases(file.script, &selection->settings, &file.cases, &file.err)) {
        ncs_script_free(file.script);
        file.script = NULL;
    }
    NCS_PUSH(selection->file, selection->files, selection->files_room, file);
    return &selection->file[selection->files - 1];
}

static void add_run(struct ncs_selection *selection, size_t number, uint64_t seed)
{
    struct ncs_selection_run run = { .file = selection->files - 1, .number = number, .seed = seed };
    NCS_PUSH(selection->run, selection->runs, selection->runs_room, run);
}

/* Adds all runs of a case of the file that was opened last; `seed`: only this one, or NULL. Too many runs
 * are reported by ncs_selection_close. */
static void add_case(struct ncs_selection *selection, size_t number, const uint64_t *seed)
{
    const struct ncs_case *c = &selection->file[selection->files - 1].cases.item[number];
    uint64_t first = seed ? *seed : c->seeded ? (uint64_t)c->seed : selection->seed;
    int64_t repeats = seed ? 1 : selection->repeats;
    for (int64_t i = 0; i < repeats && selection->runs <= NCS_SELECTION_MOST; i++)
        add_run(selection, number, first + (uint64_t)i);
}

bool ncs_selection_split(const char *operand, struct ncs_str *path, struct ncs_str *name)
{
    size_t bytes = strlen(operand);
    struct stat st;
    if (bytes < 3 || operand[bytes - 1] != ']' || stat(operand, &st) == 0)
        return false;
    for (const char *open = operand; (open = strchr(open, '[')) != NULL; open++) {
        ncs_str_clear(path);
        ncs_str_clear(name);
        ncs_str_add_bytes(path, operand, (size_t)(open - operand));
        ncs_str_add_bytes(name, open + 1, bytes - (size_t)(open - operand) - 2);
        if (path->bytes && stat(path->text, &st) == 0 && !S_ISDIR(st.st_mode)) {
            ncs_str_add(name, "");
            return true;
        }
    }
    return false;
}

/* Removes "seed=7" from a name whose case has no such value: it is the seed of the run. */
static bool take_seed(const struct ncs_case *c, struct ncs_str *name, uint64_t *seed)
{
    int64_t value;
    size_t bytes = sizeof seed_term - 1;
    char *last = name->text ? strrchr(name->text, ',') : NULL;
    char *term = last ? last + 1 : name->text;
    if (ncs_case_value(c, "seed") || !term || strncmp(term, seed_term, bytes) != 0 || !ncs_parse_int(term + bytes, &value) ||
        value < 0)
        return false;
    *seed = (uint64_t)value;
    name->bytes = (size_t)((last ? last : name->text) - name->text);
    name->text[name->bytes] = '\0';
    return true;
}

/* Finds the first "name=value" of `name` that no case has; false if every one is in some case. */
static bool strange_term(const struct ncs_cases *cases, const char *name, struct ncs_str *term)
{
    for (;; name++) {
        size_t bytes = strcspn(name, ",");
        bool known = false;
        ncs_str_clear(term);
        ncs_str_add(term, "");
        ncs_str_add_bytes(term, name, bytes);
        for (size_t i = 0; i < cases->count && !known; i++)
            known = ncs_case_is(&cases->item[i], term->text);
        if (!known)
            return true;
        name += bytes;
        if (!*name)
            return false;
    }
}

/* The value of some case, as "name=value", nearest to `term`; empty if none is near. */
static void near_term(const struct ncs_cases *cases, const char *term, struct ncs_str *near)
{
    const char **terms = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0; i < cases->count; i++)
        for (size_t k = 0; k < cases->item[i].values; k++) {
            const struct ncs_param *value = &cases->item[i].value[k];
            struct ncs_str text = { 0 };
            ncs_str_addf(&text, "%s=", value->name);
            ncs_param_text(value, &text);
            NCS_PUSH(terms, count, room, ncs_str_take(&text));
        }
    const char *nearest = count ? ncs_nearest(term, terms, count) : NULL;
    ncs_str_add(near, nearest ? nearest : "");
    NCS_FREE_ALL(terms, count);
}

static void hint_case(const struct ncs_selection_file *file, const char *name, struct ncs_error *err)
{
    const struct ncs_cases *cases = &file->cases;
    struct ncs_str term = { 0 }, near = { 0 };
    const char **names = ncs_new(cases->count * sizeof *names);
    for (size_t i = 0; i < cases->count; i++)
        names[i] = cases->item[i].name;
    const char *nearest = ncs_nearest(name, names, cases->count);
    bool strange = !nearest && strange_term(cases, name, &term);
    if (strange)
        near_term(cases, term.text, &near);
    if (nearest)
        ncs_fail_hint(err, "did you mean `%s[%s]`?", file->path, nearest);
    else if (near.bytes)
        ncs_fail_hint(err, "no case has `%s`: did you mean `%s`?", term.text, near.text);
    else
        ncs_fail_hint(err, "%s%s%sthere are %zu, as `%s[%s]`: --list shows them", strange ? "no case has `" : "",
                      strange ? term.text : "", strange ? "`; " : "", cases->count, file->path, names[0]);
    ncs_str_free(&term);
    ncs_str_free(&near);
    ncs_free(names);
}

static bool no_such_case(const struct ncs_selection_file *file, const char *operand, const char *name, struct ncs_error *err)
{
    ncs_fail(err, NCS_BAD_INPUT, "no such case");
    ncs_fail_at(err, operand, 0, 0);
    if (file->cases.count == 0)
        ncs_fail_hint(err, "all cases are excluded");
    else if (!file->cases.item[0].name)
        ncs_fail_hint(err, "the scenario has no matrix");
    else
        hint_case(file, name, err);
    return false;
}

/* Adds the cases that the name selects in the file that was opened last. */
static bool selection_add_named(struct ncs_selection *selection, const char *operand, struct ncs_str *name, struct ncs_error *err)
{
    const struct ncs_selection_file *file = &selection->file[selection->files - 1];
    uint64_t seed;
    bool found = false;
    bool seeded = file->cases.count && take_seed(&file->cases.item[0], name, &seed);
    for (size_t i = 0; i < file->cases.count; i++)
        if ((seeded && !name->bytes) || ncs_case_is(&file->cases.item[i], name->text)) {
            add_case(selection, i, seeded ? &seed : NULL);
            found = true;
        }
    return found || no_such_case(file, operand, name->text, err);
}

static void selection_add_file(struct ncs_selection *selection, const char *path)
{
    const struct ncs_selection_file *file = selection_open_file(selection, path);
    if (!file->script)
        add_run(selection, 0, selection->seed);
    for (size_t i = 0; file->script && i < file->cases.count; i++)
        add_case(selection, i, NULL);
}

bool ncs_selection_add(struct ncs_selection *selection, const char *operand, struct ncs_error *err)
{
    struct ncs_str path = { 0 }, name = { 0 };
    struct ncs_files files = { 0 };
    bool ok = true;
    if (ncs_selection_split(operand, &path, &name)) {
        if (selection_open_file(selection, path.text)->script)
            ok = selection_add_named(selection, operand, &name, err);
        else
            add_run(selection, 0, selection->seed);
    } else {
        ok = ncs_files_add(&files, operand, err);
        for (size_t i = 0; ok && i < files.count; i++)
            selection_add_file(selection, files.path[i]);
    }
    ncs_files_free(&files);
    ncs_str_free(&path);
    ncs_str_free(&name);
    return ok;
}

bool ncs_selection_select(struct ncs_selection *selection, const char *expression, struct ncs_error *err)
{
    struct ncs_select *select = ncs_select_parse(expression, err);
    if (!select)
        return false;
    size_t kept = 0;
    struct ncs_str name = { 0 };
    for (size_t i = 0; i < selection->runs; i++) {
        ncs_str_clear(&name);
        ncs_selection_add_full_name(selection, i, &name);
        if (ncs_select_matches(select, name.text))
            selection->run[kept++] = selection->run[i];
    }
    ncs_str_free(&name);
    ncs_select_free(select);
    selection->left_out += selection->runs - kept;
    selection->runs = kept;
    return true;
}

bool ncs_selection_close(struct ncs_selection *selection, struct ncs_error *err)
{
    for (size_t i = 0; i < selection->runs; i++) {
        selection->scenarios += i == 0 || selection->run[i].file != selection->run[i - 1].file;
        selection->cases += i == 0 || !ncs_selection_same_case(selection, i, i - 1);
    }
    return selection->runs + selection->left_out <= NCS_SELECTION_MOST ||
           ncs_fail(err, NCS_BAD_INPUT, "there would be more than %d runs", NCS_SELECTION_MOST);
}

void ncs_selection_print_error(const struct ncs_selection_file *file)
{
    if (!file->reading || !ncs_print_complaints(&file->reading->complaints))
        ncs_print_error(&file->err);
}

void ncs_selection_free(struct ncs_selection *selection)
{
    for (size_t i = 0; i < selection->files; i++) {
        selection_free_reading(&selection->file[i]);
        ncs_free(selection->file[i].path);
        ncs_script_free(selection->file[i].script);
        ncs_cases_free(&selection->file[i].cases);
    }
    ncs_free(selection->file);
    ncs_free(selection->run);
    *selection = (struct ncs_selection){ 0 };
}
