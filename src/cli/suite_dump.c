/* Writes the folders of --dump. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/local.h"
#include "base/mem.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/run_options.h"
#include "cli/suite.h"

/* ---- before the run ---- */

static const struct ncs_dump_format *dump_format_of(const struct ncs_option_value *v, size_t pair)
{
    const struct ncs_dump_format *format = ncs_dump_format;
    while (strcmp(format->name, v->text[2 * pair]) != 0)
        format++;
    return format;
}

/* True if the folder is there, or can be made. Only the last part of its name may be missing. */
static bool dump_can_hold(const char *folder, struct ncs_error *err)
{
    struct stat st;
    struct ncs_str parent = { 0 };
    if (stat(folder, &st) == 0)
        return S_ISDIR(st.st_mode) || ncs_fail(err, NCS_BAD_INPUT, "--dump: a folder is expected, %s is none", folder);
    size_t bytes = strlen(folder);
    while (bytes > 1 && folder[bytes - 1] == '/')
        bytes--;
    while (bytes > 0 && folder[bytes - 1] != '/')
        bytes--;
    ncs_str_add_bytes(&parent, bytes ? folder : ".", bytes ? bytes : 1);
    bool there = stat(parent.text, &st) == 0;
    int why = there ? ENOTDIR : errno;
    if (!there || !S_ISDIR(st.st_mode))
        ncs_fail(err, NCS_BAD_INPUT, "--dump %s: the folder %s is expected: %s", folder, parent.text, strerror(why));
    bool fits = there && S_ISDIR(st.st_mode);
    ncs_str_free(&parent);
    return fits;
}

bool ncs_suite_can_dump(const struct ncs_option_value *v, const struct ncs_selection *selection, struct ncs_error *err)
{
    const struct ncs_option_value *dump = &v[NCS_RUN_DUMP];
    if (dump->given && selection->runs > 1) {
        ncs_fail(err, NCS_BAD_INPUT, "--dump %s %s is for one run, not for %zu", dump->text[0], dump->text[1], selection->runs);
        return ncs_fail_hint(err, selection->repeats > 1 ? "leave --repeat out, and choose one by --seed"
                                                         : "--list shows the names of all, and FILE[name=value] or "
                                                           "-k chooses one");
    }
    for (size_t i = 0; i < dump->texts / 2; i++) {
        for (size_t k = 0; k < i; k++)
            if (strcmp(dump->text[2 * i + 1], dump->text[2 * k + 1]) == 0)
                return ncs_fail(err, NCS_BAD_INPUT, "--dump: each format needs a folder of its own, %s is named twice",
                                dump->text[2 * i + 1]);
        if (!dump_can_hold(dump->text[2 * i + 1], err))
            return false;
    }
    return true;
}

/* ---- during the run: NCCL's log ---- */

/* NCCL_DEBUG_FILE is the number of the process. The lines about objects that a script has left at its end are left out:
 * the program did not make these calls, and a reader would take them for the cause of a hang. */
static void dump_on_log(void *arg, const char *file, const char *line)
{
    struct ncs_suite *suite = arg;
    if (file && ncs_local && ncs_local->ending)
        return;
    if (file)
        ncs_dump_log_add(&suite->dump_log, (int)strtol(file, NULL, 10), line);
    else
        ncs_log_line(&suite->log, file, line);
}

static void dump_set(struct ncs_suite *suite, const char *name, const char *value)
{
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "%s=%s", name, value);
    NCS_PUSH(suite->dump_env, suite->dump_envs, suite->dump_env_room, ncs_str_take(&text));
}

void ncs_suite_prepare_dump(struct ncs_suite *suite, struct ncs_run_options *o)
{
    const struct ncs_option_value *dump = &suite->value[NCS_RUN_DUMP];
    const char *level = NULL;
    struct ncs_str subsys = { 0 };
    for (size_t i = 0; i < dump->texts / 2; i++) {
        const struct ncs_dump_format *format = dump_format_of(dump, i);
        if (!format->level)
            continue;
        level = level && strcmp(level, "TRACE") == 0 ? level : format->level;
        ncs_str_addf(&subsys, "%s%s", subsys.bytes ? "," : "", format->subsys);
    }
    if (!level)
        return;
    for (size_t i = 0; i < o->envs; i++)
        NCS_PUSH(suite->dump_env, suite->dump_envs, suite->dump_env_room, ncs_copy_text(o->env[i]));
    dump_set(suite, "NCCL_DEBUG", level);
    dump_set(suite, "NCCL_DEBUG_SUBSYS", subsys.text);
    dump_set(suite, "NCCL_DEBUG_FILE", "%p");
    ncs_str_free(&subsys);
    o->env = suite->dump_env;
    o->envs = suite->dump_envs;
    o->on_log = dump_on_log;
    o->log_arg = suite;
}

/* ---- after the run ---- */

static const struct ncs_dump_file *dump_file_named(const struct ncs_dump *dump, const char *name)
{
    for (size_t i = 0; i < dump->files; i++)
        if (strcmp(dump->file[i].name, name) == 0)
            return &dump->file[i];
    return NULL;
}

/* False for an entry of the folder that is in the way of the dump: a reader would take the dump of another run for a part
 * of this one. */
static bool dump_leaves(const struct ncs_dump *dump, const char *folder, const char *name, struct ncs_error *err)
{
    struct ncs_str path = { 0 };
    struct stat st;
    bool fits = true;
    ncs_str_addf(&path, "%s/%s", folder, name);
    if (dump_file_named(dump, name))
        fits = lstat(path.text, &st) != 0 || S_ISREG(st.st_mode) ||
               ncs_fail(err, NCS_BAD_INPUT, "--dump: it is no regular file: it was not replaced, and nothing written");
    else if (ncs_dump_is_name(name)) {
        fits = ncs_fail(err, NCS_BAD_INPUT,
                        "--dump: a part of another dump, which would be read with this one: nothing "
                        "was written");
        ncs_fail_hint(err, "remove it, or name another folder");
    }
    if (!fits)
        ncs_fail_at(err, path.text, 0, 0);
    ncs_str_free(&path);
    return fits;
}

static bool dump_fits(const struct ncs_dump *dump, const char *folder, struct ncs_error *err)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, NULL, alphasort); /* -1: there is no folder so far */
    bool fits = true;
    for (int i = 0; i < count; i++) {
        fits = fits && dump_leaves(dump, folder, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    return fits;
}

static bool dump_write(struct ncs_dump *dump, const char *folder)
{
    struct ncs_error err = { 0 };
    if (!dump_fits(dump, folder, &err)) {
        ncs_print_error(&err);
        return false;
    }
    for (size_t i = 0; i < dump->files; i++)
        if (!ncs_folder_write(folder, dump->file[i].name, &dump->file[i].text))
            return false;
    return true;
}

void ncs_suite_dump(struct ncs_suite *suite, const struct ncs_report_run *report)
{
    const struct ncs_option_value *v = &suite->value[NCS_RUN_DUMP];
    for (size_t i = 0; i < v->texts / 2 && report->result->timeline; i++) {
        struct ncs_dump dump = { 0 };
        dump_format_of(v, i)->make(report->result, &suite->dump_log, &dump);
        suite->dumped = true;
        if (!dump.files)
            fprintf(stderr, "ncclscript run: nothing to write into %s: no call of NCCL was logged\n", v->text[2 * i + 1]);
        if (!dump_write(&dump, v->text[2 * i + 1]))
            ncs_out_file_failed();
        ncs_dump_free(&dump);
    }
}

void ncs_suite_dumped(struct ncs_suite *suite)
{
    const struct ncs_option_value *v = &suite->value[NCS_RUN_DUMP];
    for (size_t i = 0; i < v->texts / 2 && !suite->dumped; i++)
        fprintf(stderr, "ncclscript run: nothing was run: %s was not written\n", v->text[2 * i + 1]);
    NCS_FREE_ALL(suite->dump_env, suite->dump_envs);
    ncs_dump_log_free(&suite->dump_log);
}
