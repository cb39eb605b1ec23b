/* Searches folders for scenarios. */
#include "cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/safe.h"
#include "base/str.h"
#include "notation/notation.h"
#include "script/script.h"

enum { DEPTH = 64 }; /* nesting of folders, far beyond what a person lays out */

static int files_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool files_ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

/* Many programs use YAML: accepts files that are named for ncclscript or look like a scenario. A file that
 * cannot be read is accepted too; the command that runs it reports the error. */
static bool is_scenario(const char *path, const char *name)
{
    if (files_ends_in(name, ".lua") || files_ends_in(name, ".ncclscript.yaml") || files_ends_in(name, ".ncclscript.yml"))
        return true;
    if (!ncs_notation_is(name))
        return false;
    struct ncs_str text = { 0 };
    bool is = !ncs_file_read(path, NCS_FILE_LIMIT, "", &text, NULL) || ncs_reading_looks_yaml(text.text, text.bytes);
    ncs_str_free(&text);
    return is;
}

static bool walk(struct ncs_files *files, const char *folder, int depth, struct ncs_error *err);

static bool walk_entry(struct ncs_files *files, const char *folder, const char *name, int depth, struct ncs_error *err)
{
    struct ncs_str path = { 0 };
    size_t bytes = strlen(folder);
    ncs_str_addf(&path, "%s%s%s", folder, bytes && folder[bytes - 1] == '/' ? "" : "/", name);
    struct stat own, target;
    bool ok = true;
    if (lstat(path.text, &own) == 0 && stat(path.text, &target) == 0) {
        /* Not followed: a link to a folder may lead back up. */
        if (S_ISDIR(own.st_mode))
            ok = walk(files, path.text, depth + 1, err);
        else if (S_ISREG(target.st_mode) && is_scenario(path.text, name))
            NCS_PUSH(files->path, files->count, files->room, ncs_copy_text(path.text));
        else if (S_ISREG(target.st_mode) && ncs_notation_is(name) && files->left_out++ == 0)
            files->left = ncs_copy_text(path.text);
    }
    ncs_str_free(&path);
    return ok;
}

static bool walk(struct ncs_files *files, const char *folder, int depth, struct ncs_error *err)
{
    if (depth > DEPTH) {
        ncs_fail(err, NCS_BAD_INPUT, "folders are nested more than %d deep", DEPTH);
        return ncs_fail_at(err, folder, 0, 0);
    }
    struct dirent **entry;
    int count = scandir(folder, &entry, visible, files_by_name);
    if (count < 0) {
        ncs_fail(err, ncs_status_of(errno), "cannot read the folder: %s", strerror(errno));
        return ncs_fail_at(err, folder, 0, 0);
    }
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = ok && walk_entry(files, folder, entry[i]->d_name, depth, err);
        free(entry[i]);
    }
    free(entry);
    return ok;
}

/* Otherwise a misspelled `steps` would silently drop a test. */
static void report_left_out(struct ncs_files *files)
{
    struct ncs_str text = { 0 };
    if (!files->left_out)
        return;
    ncs_safe_line(&text, files->left);
    fprintf(stderr, "ncclscript: left out: %s", text.text);
    if (files->left_out > 1)
        fprintf(stderr, " and %zu more *.yaml", files->left_out - 1);
    fprintf(stderr, ": no `steps` and no `scenario` at the top level\n");
    ncs_str_free(&text);
    ncs_free(files->left);
    files->left = NULL;
    files->left_out = 0;
}

bool ncs_files_add(struct ncs_files *files, const char *operand, struct ncs_error *err)
{
    struct stat st;
    if (strcmp(operand, "-") != 0 && stat(operand, &st) == 0 && S_ISDIR(st.st_mode)) {
        bool ok = walk(files, operand, 0, err);
        report_left_out(files);
        return ok;
    }
    NCS_PUSH(files->path, files->count, files->room, ncs_copy_text(operand));
    return true;
}

void ncs_files_free(struct ncs_files *files)
{
    NCS_FREE_ALL(files->path, files->count);
    *files = (struct ncs_files){ 0 };
}
