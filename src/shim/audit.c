/* The audit library of exec (rtld-audit). The loader asks it for each library that a program wants, however the
 * program asks: by a name, an RPATH, an absolute path. It answers with the drop-in libraries, so that only one copy of
 * each is mapped. LD_PRELOAD is no alternative: an RPATH still finds the real ones, and a preloaded library comes
 * before a sanitizer's runtime, which then refuses to start. */
#define _GNU_SOURCE
#include <link.h>

#include "base/channel.h"
#include "shim/other.h"

static char folder[PATH_MAX]; /* of the drop-in libraries */
static bool redirects;

unsigned int la_version(unsigned int version)
{
    static const char inside;
    ncs_folder_of(&inside, folder, sizeof folder);
    redirects = !getenv(NCS_NO_REDIRECT);
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Called before the first search for a name, and again with each candidate. The loader uses the answer before it
 * asks for the next one; a lock of its own keeps other threads out. */
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    static char ours[2 * PATH_MAX];
    (void)cookie;
    if (!redirects || flag != LA_SER_ORIG || !ncs_replaces(name))
        return (char *)name;
    ncs_ours(folder, name, ours, sizeof ours);
    return access(ours, R_OK) == 0 ? ours : (char *)name;
}

/* Ignores failures: there may be no reader. */
static void audit_write(int file, const void *bytes, size_t count)
{
    ssize_t written = write(file, bytes, count);
    (void)written;
}

static void audit_tell(enum ncs_channel_kind kind, const char *format, ...)
{
    static struct ncs_channel_message message; /* the loader's lock keeps other threads out */
    va_list args;
    int channel = ncs_channel_open(getenv(NCS_CHANNEL));
    if (channel < 0)
        return;
    va_start(args, format);
    audit_write(channel, &message, ncs_channel_fill(&message, kind, format, args));
    va_end(args);
    close(channel);
}

/* With --no-redirect, or in a namespace of its own, a program still maps other libraries. */
unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    char ours[2 * PATH_MAX], line[4 * PATH_MAX];
    (void)space, (void)cookie;
    if (!map->l_name || !ncs_is_other(map->l_name))
        return 0;
    ncs_ours(folder, map->l_name, ours, sizeof ours);
    int bytes = snprintf(line, sizeof line, NCS_OTHER_SAYS, map->l_name, ours);
    audit_write(STDERR_FILENO, line, (size_t)bytes);
    audit_tell(NCS_CHANNEL_OTHER, "%s%c%s", map->l_name, 0, ours);
    return 0;
}
