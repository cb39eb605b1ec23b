#include "api/process.h"

#include <string.h>

int ncs_shape_devices(const struct ncs_shape *hosts, int host)
{
    if (host >= 0 && (size_t)host < hosts->firsts)
        return hosts->first[host];
    return hosts->devices ? hosts->devices : NCS_DEVICES_USUAL;
}

int ncs_shape_most(const struct ncs_shape *hosts)
{
    int most = ncs_shape_devices(hosts, (int)hosts->firsts);
    for (size_t i = 0; i < hosts->firsts; i++)
        most = hosts->first[i] > most ? hosts->first[i] : most;
    return most;
}

int ncs_shape_capability(const struct ncs_shape *hosts, int host, int device)
{
    size_t at = (size_t)device, last = hosts->capabilities - 1;
    if (hosts->capabilities == 0)
        return NCS_CAPABILITY_USUAL;
    for (int h = 0; h < host && at < last; h++)
        at += (size_t)ncs_shape_devices(hosts, h);
    return hosts->capability[at < last ? at : last];
}

struct ncs_seat ncs_shape_seat(const struct ncs_shape *hosts, int process)
{
    int before = 0, host = 0, rest = ncs_shape_devices(hosts, (int)hosts->firsts);
    for (; (size_t)host < hosts->firsts && process - before >= hosts->first[host]; host++)
        before += hosts->first[host];
    if ((size_t)host < hosts->firsts)
        return (struct ncs_seat){ host, process - before };
    return (struct ncs_seat){ host + (process - before) / rest, (process - before) % rest };
}

const char *ncs_owns_variable(const struct ncs_owns *owns, int process, const char *name)
{
    size_t bytes = strlen(name);
    for (size_t i = 0; i < owns->count; i++) {
        const struct ncs_own *o = &owns->own[i];
        if (o->process == process && o->variable && strncmp(o->variable, name, bytes) == 0 && o->variable[bytes] == '=')
            return o->variable + bytes + 1;
    }
    return NULL;
}

int ncs_owns_version(const struct ncs_owns *owns, int process, int otherwise)
{
    for (size_t i = 0; i < owns->count; i++)
        if (owns->own[i].process == process && owns->own[i].nccl_version)
            return owns->own[i].nccl_version;
    return otherwise;
}
