#include "sim/settings/own.h"

#include <string.h>

#include "sim/kernel/above.h"
#include "sim/settings/log.h"

static void own_add(struct settings *s, const struct ncs_own *own)
{
    if (own->nccl_version)
        s->nccl_version = own->nccl_version;
    for (int i = 0; own->variable && i < ENV_COUNT; i++) {
        size_t bytes = strlen(sim_env_rows[i].key);
        if (strncmp(sim_env_rows[i].key, own->variable, bytes) == 0 && own->variable[bytes] == '=')
            s->text[i] = own->variable + bytes + 1;
    }
}

void sim_settings_begin(struct process *p)
{
    const struct ncs_owns *owns = &sim_world.options.owns;
    for (size_t i = 0; i < owns->count; i++) {
        if (owns->own[i].process != p->number)
            continue;
        if (!p->settings) {
            p->settings = sim_new(sizeof *p->settings);
            p->settings->nccl_version = sim_world.options.nccl_version;
        }
        own_add(p->settings, &owns->own[i]);
    }
    if (!p->settings)
        return;
    const struct process *before = sim_own_act(p);
    p->settings->log = sim_log_read();
    sim_own_act(before);
}

void sim_settings_free(struct process *p)
{
    sim_free(p->settings, sizeof *p->settings);
}
