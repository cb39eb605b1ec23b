#include "cli/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/output.h"

bool ncs_folder_write(const char *directory, const char *name, struct ncs_str *text)
{
    struct ncs_str path = { 0 };
    struct ncs_error err = { 0 };
    ncs_str_addf(&path, "%s/%s", directory, name);
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        ncs_fail(&err, NCS_BAD_INPUT, "%s: cannot be made: %s", directory, strerror(errno));
    bool ok = err.status == NCS_OK && ncs_file_write(path.text, text->text, text->bytes, true, &err);
    if (!ok)
        ncs_print_error(&err);
    ncs_str_free(&path);
    ncs_str_free(text);
    return ok;
}
