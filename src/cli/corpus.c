#include "cli/corpus.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/output.h"

#ifndef NCCLSCRIPT_DATADIR
#define NCCLSCRIPT_DATADIR "share"
#endif

/* ---- where scenarios are ---- */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void add_below(struct ncs_str *path, const char *below)
{
    if (below)
        ncs_str_addf(path, "/%s", below);
}

bool ncs_corpus_folder(const char *below, struct ncs_str *path)
{
    /* In a build tree, and in an installation. */
    static const char *const places[] = { "scenarios", "../scenarios", "../../scenarios",
                                          "../" NCCLSCRIPT_DATADIR "/ncclscript/scenarios", NULL };
    char self[4096];
    ncs_str_add(path, "scenarios");
    add_below(path, below);
    if (is_folder(path->text))
        return true;
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    self[bytes < 0 ? 0 : bytes] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && places[i]; i++) {
        ncs_str_clear(path);
        ncs_str_addf(path, "%.*s/%s", (int)(slash - self), self, places[i]);
        add_below(path, below);
        char *real = is_folder(path->text) ? realpath(path->text, NULL) : NULL;
        if (real) {
            ncs_str_clear(path);
            ncs_str_add(path, real);
            free(real);
            return true;
        }
    }
    return false;
}

static char *real_path(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = ncs_copy_text(real ? real : path);
    free(real);
    return copy;
}

/* ---- bugs and their twins ---- */

/* The folder of a path, without a slash at its end; "." if the path names none. */
static void corpus_folder_of(const char *path, struct ncs_str *out)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        ncs_str_add_bytes(out, path, (size_t)(slash - path));
    else
        ncs_str_add(out, ".");
}

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The scenario with that name in a folder, in any notation; NULL = none. */
static char *scenario_in(const char *folder, const char *name)
{
    static const char *const notations[] = { ".lua", ".yaml", ".yml", NULL };
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot ? dot - name : (long)strlen(name));
    for (size_t i = 0; notations[i]; i++) {
        struct ncs_str path = { 0 };
        ncs_str_addf(&path, "%s/%.*s%s", folder, stem, name, notations[i]);
        if (access(path.text, R_OK) == 0)
            return ncs_str_take(&path);
        ncs_str_free(&path);
    }
    return NULL;
}

static void corpus_place_file(struct ncs_corpus_file *file, const char *path)
{
    struct ncs_str folder = { 0 }, above = { 0 };
    file->real = real_path(path);
    corpus_folder_of(path, &folder);
    corpus_folder_of(folder.text, &above);
    file->correct = strcmp(name_in(folder.text), "fixed") == 0;
    if (file->correct) {
        file->twin = scenario_in(above.text, name_in(path));
    } else {
        ncs_str_add(&folder, "/fixed");
        file->twin = scenario_in(folder.text, name_in(path));
    }
    ncs_str_clear(&folder);
    ncs_str_clear(&above);
    corpus_folder_of(file->real, &folder);
    corpus_folder_of(folder.text, &above);
    file->group = ncs_copy_text(name_in(file->correct ? above.text : folder.text));
    ncs_str_free(&folder);
    ncs_str_free(&above);
}

static const struct ncs_script_settings settings_of_all = { .driver = "sim", .policy = -1 };

/* The entry of the catalogue that a scenario names; NULL = none, or it does not load. */
static char *corpus_entry_of(const char *path)
{
    struct ncs_scenario scenario;
    struct ncs_error err = { 0 };
    ncs_scenario_init(&scenario, path);
    struct ncs_script *script = ncs_script_load(path, &settings_of_all, &scenario, &err);
    char *entry = script ? ncs_copy_text(scenario.bug.entry) : NULL;
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
    return entry;
}

/* ---- cases ---- */

static void drop_cases(struct ncs_corpus *corpus, size_t first)
{
    while (corpus->count > first) {
        struct ncs_corpus_case *c = &corpus->item[--corpus->count];
        ncs_truth_free(&c->truth);
        ncs_scenario_free(&c->scenario);
    }
}

static bool declare_case(struct ncs_corpus *corpus, size_t file, size_t number, enum ncs_policy policy, struct ncs_error *err)
{
    const struct ncs_selection_file *of = &corpus->selection.file[file];
    const struct ncs_case *c = &of->cases.item[number];
    struct ncs_script_settings settings = settings_of_all;
    struct ncs_corpus_case item = { .file = file, .number = number, .policy = policy };
    settings.value = c->value;
    settings.values = c->values;
    settings.ranks = c->ranks;
    settings.policy = (int)policy;
    ncs_scenario_init(&item.scenario, of->path);
    if (!ncs_script_declare(of->script, &settings, &item.scenario, err)) {
        ncs_scenario_free(&item.scenario);
        return false;
    }
    item.truth = ncs_truth_of(&item.scenario.outcome);
    NCS_PUSH(corpus->item, corpus->count, corpus->room, item);
    return true;
}

/* Adds all cases of a file of the selection; none if the file has an error. */
static void corpus_add_file(struct ncs_corpus *corpus, size_t number)
{
    const struct ncs_selection_file *of = &corpus->selection.file[number];
    struct ncs_corpus_file file = { .first = corpus->count, .err = of->err };
    bool ok = of->script != NULL;
    corpus_place_file(&file, of->path);
    for (size_t i = 0; ok && i < of->cases.count; i++)
        ok = declare_case(corpus, number, i, NCS_POLICY_STRICT, &file.err) &&
             declare_case(corpus, number, i, NCS_POLICY_TYPICAL, &file.err);
    if (!ok)
        drop_cases(corpus, file.first);
    file.cases = corpus->count - file.first;
    if (file.correct)
        file.entry = file.twin ? corpus_entry_of(file.twin) : NULL;
    else if (file.cases > 0)
        file.entry = ncs_copy_text(corpus->item[file.first].scenario.bug.entry);
    NCS_PUSH(corpus->file, corpus->files, corpus->files_room, file);
}

bool ncs_corpus_add(struct ncs_corpus *corpus, const char *operand, struct ncs_error *err)
{
    corpus->selection.settings = settings_of_all;
    corpus->selection.repeats = 1;
    bool ok = ncs_selection_add(&corpus->selection, operand, err);
    while (corpus->files < corpus->selection.files)
        corpus_add_file(corpus, corpus->files);
    return ok;
}

bool ncs_corpus_print_error(const struct ncs_corpus *corpus, size_t file)
{
    if (corpus->file[file].err.status == NCS_OK)
        return false;
    if (corpus->selection.file[file].script)
        ncs_print_error(&corpus->file[file].err);
    else
        ncs_selection_print_error(&corpus->selection.file[file]);
    return true;
}

/* ---- the case of a report ---- */

static const struct ncs_corpus_file *find_file(const struct ncs_corpus *corpus, const char *path)
{
    const struct ncs_corpus_file *found = NULL;
    char *real = real_path(path);
    for (size_t i = 0; i < corpus->files && !found; i++)
        if (strcmp(corpus->file[i].real, real) == 0)
            found = &corpus->file[i];
    ncs_free(real);
    return found;
}

/* Finds a report's scenario here: the report may come from another folder or another machine. */
static void place_here(const char *scenario, struct ncs_str *path)
{
    const char *below = strstr(scenario, "scenarios/");
    ncs_str_add(path, scenario);
    if (access(scenario, R_OK) == 0 || !below)
        return;
    struct ncs_str folder = { 0 };
    if (ncs_corpus_folder(NULL, &folder)) {
        ncs_str_clear(path);
        ncs_str_addf(path, "%s%s", folder.text, below + strlen("scenarios"));
    }
    ncs_str_free(&folder);
}

static const struct ncs_case *values_of(const struct ncs_corpus *corpus, const struct ncs_corpus_case *c)
{
    return &corpus->selection.file[c->file].cases.item[c->number];
}

static struct ncs_corpus_case *find_case(struct ncs_corpus *corpus, const struct ncs_corpus_file *file, const char *name,
                                         enum ncs_policy policy, struct ncs_error *err)
{
    struct ncs_corpus_case *found = NULL;
    size_t matches = 0;
    for (size_t i = file->first; i < file->first + file->cases; i++) {
        struct ncs_corpus_case *c = &corpus->item[i];
        const struct ncs_case *values = values_of(corpus, c);
        bool is = values->name ? *name && ncs_case_is(values, name) : !*name;
        if (c->policy == policy && is) {
            found = c;
            matches++;
        }
    }
    if (matches == 1)
        return found;
    const char *path = corpus->selection.file[file - corpus->file].path;
    if (matches == 0)
        ncs_fail(err, NCS_BAD_INPUT, "%s has no case `%s`", path, name);
    else
        ncs_fail(err, NCS_BAD_INPUT, "`%s` is %zu cases of %s", name, matches, path);
    ncs_fail_hint(err, "`ncclscript run --list %s` names them", path);
    return NULL;
}

struct ncs_corpus_case *ncs_corpus_find(struct ncs_corpus *corpus, const char *scenario, const char *name, enum ncs_policy policy,
                                        struct ncs_error *err)
{
    struct ncs_corpus_case *found = NULL;
    struct ncs_str path = { 0 };
    place_here(scenario, &path);
    const struct ncs_corpus_file *file = find_file(corpus, path.text);
    if (!file && access(path.text, R_OK) != 0)
        ncs_fail(err, NCS_BAD_INPUT, "there is no scenario `%s` here", scenario);
    else if (!file && ncs_corpus_add(corpus, path.text, err))
        file = find_file(corpus, path.text);
    if (file && file->err.status != NCS_OK)
        *err = file->err;
    else if (file)
        found = find_case(corpus, file, name, policy, err);
    ncs_str_free(&path);
    return found;
}

struct ncs_labelled ncs_corpus_label(const struct ncs_corpus *corpus, const struct ncs_corpus_case *c)
{
    const struct ncs_corpus_file *file = &corpus->file[c->file];
    const struct ncs_case *values = values_of(corpus, c);
    return (struct ncs_labelled){
        .file = corpus->selection.file[c->file].path,
        .name = values->name,
        .value = values->value,
        .values = values->values,
        .scenario = &c->scenario,
        .truth = &c->truth,
        .policy = c->policy,
        .group = file->group,
        .entry = file->entry,
        .twin = file->twin,
        .correct = file->correct,
    };
}

void ncs_corpus_free(struct ncs_corpus *corpus)
{
    drop_cases(corpus, 0);
    for (size_t i = 0; i < corpus->files; i++) {
        ncs_free(corpus->file[i].real);
        ncs_free(corpus->file[i].group);
        ncs_free(corpus->file[i].twin);
        ncs_free(corpus->file[i].entry);
    }
    ncs_free(corpus->item);
    ncs_free(corpus->file);
    ncs_selection_free(&corpus->selection);
    *corpus = (struct ncs_corpus){ 0 };
}
