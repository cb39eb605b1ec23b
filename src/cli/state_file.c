#include "cli/state_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"

char *ncs_state_file(const char *name)
{
    struct ncs_str path = { 0 };
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        ncs_str_addf(&path, "%s/ncclscript/%s", state, name);
    else if (home && *home == '/')
        ncs_str_addf(&path, "%s/.local/state/ncclscript/%s", home, name);
    return path.bytes ? ncs_str_take(&path) : NULL;
}

bool ncs_state_folder(const char *file)
{
    char *path = ncs_copy_text(file);
    bool ok = true;
    for (char *slash = strchr(path + 1, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        ok = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
    }
    ncs_free(path);
    return ok;
}
