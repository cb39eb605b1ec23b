#include "base/path.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

static const char *working_folder(void)
{
    static char folder[4096];
    return getcwd(folder, sizeof folder) && folder[0] == '/' ? folder : "";
}

/* Removes the last part of a path. */
static void drop_part(struct ncs_str *path)
{
    while (path->bytes && path->text[path->bytes - 1] != '/')
        path->bytes--;
    path->bytes -= path->bytes > 0;
    path->text[path->bytes] = '\0';
}

char *ncs_path_absolute(const char *file)
{
    struct ncs_str whole = { 0 }, out = { 0 };
    if (file[0] == '<')
        return ncs_copy_text(file);
    ncs_str_addf(&whole, "%s/%s", file[0] == '/' ? "" : working_folder(), file);
    ncs_str_add(&out, "");
    for (const char *part = whole.text; *part;) {
        size_t bytes = strcspn(part, "/");
        if (bytes == 2 && strncmp(part, "..", 2) == 0)
            drop_part(&out);
        else if (bytes > 0 && !(bytes == 1 && *part == '.'))
            ncs_str_addf(&out, "/%.*s", (int)bytes, part);
        part += bytes + (part[bytes] == '/');
    }
    ncs_str_free(&whole);
    return ncs_str_take(&out);
}

const char *ncs_path_short(const char *path)
{
    static const char *folder; /* as it is at the first report */
    folder = folder ? folder : ncs_copy_text(working_folder());
    const char *slash = strrchr(path, '/');
    size_t bytes = strlen(folder);
    bool inside = bytes > 1 && strncmp(path, folder, bytes) == 0 && path[bytes] == '/';
    if (inside)
        return path + bytes + 1;
    return slash && slash[1] ? slash + 1 : path;
}
