/* The audit library of exec (rtld-audit). The loader reports to it every library that a program maps,
 * however the program ends, so that exec notices libraries that bypass the drop-in ones. LD_PRELOAD is no
 * alternative: a preloaded library comes before a sanitizer's runtime, which then refuses to start. */
#define _GNU_SOURCE
#include <link.h>

#include "base/channel.h"
#include "shim/other.h"

unsigned int la_version(unsigned int version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Ignores failures: there may be no reader. */
static void write_line(int file, const char *line, int bytes)
{
    ssize_t written = write(file, line, (size_t)bytes);
    (void)written;
}

static void audit_report(const char *line, int bytes)
{
    int channel = ncs_channel_open(getenv(NCS_CHANNEL));
    if (channel < 0)
        return;
    write_line(channel, line, bytes);
    close(channel);
}

unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    static const char inside;
    char folder[PATH_MAX], ours[2 * PATH_MAX], line[4 * PATH_MAX];
    (void)space, (void)cookie;
    if (!map->l_name || !ncs_is_other(map->l_name))
        return 0;
    ncs_folder_of(&inside, folder, sizeof folder);
    ncs_ours(folder, map->l_name, ours, sizeof ours);
    int bytes = snprintf(line, sizeof line, NCS_OTHER_SAYS, map->l_name, ours);
    write_line(STDERR_FILENO, line, bytes);
    bytes = snprintf(line, sizeof line, "other %s\t%s\n", map->l_name, ours);
    audit_report(line, bytes);
    return 0;
}
