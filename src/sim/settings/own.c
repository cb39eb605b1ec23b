#include "sim/settings/own.h"

#include <string.h>

#include "sim/kernel/above.h"
#include "sim/settings/log.h"

/* The value of a variable in "NAME=value"; NULL = it is another one. */
static const char *own_value(const char *setting, enum env variable)
{
    size_t bytes = strlen(sim_env_rows[variable].key);
    return strncmp(sim_env_rows[variable].key, setting, bytes) == 0 && setting[bytes] == '=' ? setting + bytes + 1 : NULL;
}

static struct settings *own_settings(struct process *p)
{
    if (!p->settings) {
        p->settings = sim_new(sizeof *p->settings);
        p->settings->nccl_version = sim_world.options.nccl_version;
        sim_world.own_settings = true;
    }
    return p->settings;
}

static void own_read_log(struct process *p)
{
    const struct process *before = sim_own_act(p);
    p->settings->log = sim_log_read();
    sim_own_act(before);
}

void sim_settings_begin(struct process *p)
{
    const struct ncs_owns *owns = &sim_world.options.owns;
    for (size_t i = 0; i < owns->count; i++) {
        const struct ncs_own *own = &owns->own[i];
        struct settings *s = own->process == p->number ? own_settings(p) : NULL;
        if (s && own->nccl_version)
            s->nccl_version = own->nccl_version;
        for (int k = 0; s && own->variable && k < ENV_COUNT; k++) {
            const char *value = own_value(own->variable, (enum env)k);
            s->text[k] = value ? value : s->text[k];
        }
    }
    if (p->settings)
        own_read_log(p);
}

void sim_settings_adopt(struct process *p, const char *variables)
{
    struct settings *s = own_settings(p);
    for (int k = 0; k < ENV_COUNT; k++) {
        s->text[k] = ""; /* not set */
        for (const char *v = variables; *v; v += strlen(v) + 1) {
            const char *value = own_value(v, (enum env)k);
            s->text[k] = value ? value : s->text[k];
        }
    }
    own_read_log(p);
}

void sim_settings_free(struct process *p)
{
    sim_free(p->settings, sizeof *p->settings);
}
