/* NCCL's functions on parameters: the variables of its environment by name and type. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/context.h"
#include "sim/environment.h"
#include "sim/functions.h"
#include "sim/log.h"
#include "sim/memory.h"
#include "sim/world.h"

/* What the functions return pointers to: of one thread, until it calls the same one again. */
struct param_texts {
    char number[32];
    const char *keys[ENV_COUNT];
};

static struct param_texts *texts_of(struct context *c)
{
    if (!c->params)
        c->params = sim_new(sizeof *c->params);
    return c->params;
}

void params_free(struct context *c)
{
    sim_free(c->params, c->params ? sizeof *c->params : 0);
    c->params = NULL;
}

static int refuse_null(const char *function, const char *argument)
{
    nccl_warn("%s : %s argument is NULL", function, argument);
    return ncclInvalidArgument;
}

static int refuse_key(const char *function, const char *key)
{
    nccl_warn("%s : there is no parameter %s", function, key);
    return ncclInvalidArgument;
}

/* The real library does not look at what the handle is, and crashes. */
static int row_of(const char *function, ncclParamHandle_t h, enum env *variable)
{
    if (!h)
        return refuse_null(function, "handle");
    uintptr_t offset = (uintptr_t)h - (uintptr_t)env_rows;
    if (offset >= sizeof env_rows || offset % sizeof *env_rows != 0) {
        nccl_crash("the handle was not made by ncclParamBind");
        return ncclInvalidArgument;
    }
    *variable = (enum env)(offset / sizeof *env_rows);
    return ncclSuccess;
}

ncclResult_t sim_ncclParamBind(ncclParamHandle_t *out, const char *key)
{
    if (!context_enter())
        return ncclSuccess;
    if (!out || !key)
        return refuse_null("ncclParamBind", out ? "key" : "out");
    int variable = env_find(key);
    if (variable < 0)
        return refuse_key("ncclParamBind", key);
    *out = (ncclParamHandle_t)(uintptr_t)&env_rows[variable];
    return ncclSuccess;
}

/* The value of a parameter that must have the type asked for: all are texts or 64 bits, signed. */
static int get(const char *function, ncclParamHandle_t h, const void *out, bool text, bool has_type,
               enum env *variable)
{
    int rc = row_of(function, h, variable);
    if (!rc && !out)
        rc = refuse_null(function, "out");
    if (!rc && (!has_type || env_rows[*variable].text != text)) {
        nccl_warn("%s : %s is %s", function, env_rows[*variable].key,
                  env_rows[*variable].text ? "a text" : "an integer of 64 bits");
        rc = ncclInvalidArgument;
    }
    return rc;
}

#define PARAM_GET(name, type, has_type)                                            \
    ncclResult_t sim_##name(ncclParamHandle_t h, type *out)                        \
    {                                                                              \
        enum env variable;                                                         \
        if (!context_enter())                                                      \
            return ncclSuccess;                                                    \
        int rc = get(#name, h, out, false, has_type, &variable);                   \
        if (!rc)                                                                   \
            *out = (type)env_number(variable);                                     \
        return rc;                                                                 \
    }

PARAM_GET(ncclParamGetI8, int8_t, false)
PARAM_GET(ncclParamGetI16, int16_t, false)
PARAM_GET(ncclParamGetI32, int32_t, false)
PARAM_GET(ncclParamGetI64, int64_t, true)
PARAM_GET(ncclParamGetU8, uint8_t, false)
PARAM_GET(ncclParamGetU16, uint16_t, false)
PARAM_GET(ncclParamGetU32, uint32_t, false)
PARAM_GET(ncclParamGetU64, uint64_t, false)

static const char *text_value(enum env variable)
{
    const char *text = env_text(variable);
    if (text)
        return text;
    return variable == ENV_CHECK_MODE ? "DEFAULT" : "";
}

ncclResult_t sim_ncclParamGetStr(ncclParamHandle_t h, const char **out)
{
    enum env variable;
    if (!context_enter())
        return ncclSuccess;
    int rc = get("ncclParamGetStr", h, out, true, true, &variable);
    if (!rc)
        *out = text_value(variable);
    return rc;
}

ncclResult_t sim_ncclParamGet(ncclParamHandle_t h, void *out, int room, int *bytes)
{
    enum env variable;
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    int rc = row_of("ncclParamGet", h, &variable);
    if (!rc && (!out || !bytes))
        rc = refuse_null("ncclParamGet", out ? "len" : "out");
    if (rc)
        return rc;
    bool text = env_rows[variable].text;
    int64_t number = text ? 0 : env_number(variable);
    const void *value = text ? (const void *)text_value(variable) : &number;
    size_t length = text ? strlen(value) + 1 : sizeof number;
    if (room < 0 || (size_t)room < length) {
        nccl_warn("ncclParamGet : %s has %zu bytes, room is for %d", env_rows[variable].key, length,
                  room);
        return ncclInvalidArgument;
    }
    if (!memory_usable(c->process, out, length)) {
        nccl_warn("the real library crashes here: out has no room for %zu bytes", length);
        return ncclInvalidArgument;
    }
    memcpy(out, value, length);
    *bytes = (int)length;
    return ncclSuccess;
}

static const char *words(struct context *c, enum env variable)
{
    if (env_rows[variable].text)
        return text_value(variable);
    struct param_texts *texts = texts_of(c);
    snprintf(texts->number, sizeof texts->number, "%" PRId64, env_number(variable));
    return texts->number;
}

ncclResult_t sim_ncclParamGetParameter(const char *key, const char **value, int *length)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    if (!key || !value || !length)
        return refuse_null("ncclParamGetParameter", !key ? "key" : !value ? "value" : "valueLen");
    int variable = env_find(key);
    *value = variable < 0 ? NULL : words(c, (enum env)variable);
    *length = *value ? (int)strlen(*value) : 0;
    return variable < 0 ? refuse_key("ncclParamGetParameter", key) : ncclSuccess;
}

static bool is_listed(int variable)
{
    const struct env_row *row = &env_rows[variable];
    return row->since <= sim_world.options.nccl_version &&
           (!row->unpublished || env_is(ENV_PARAM_DUMP_ALL, 1));
}

ncclResult_t sim_ncclParamGetAllParameterKeys(const char ***table, int *length)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    if (!table || !length)
        return refuse_null("ncclParamGetAllParameterKeys", table ? "tableLen" : "table");
    struct param_texts *texts = texts_of(c);
    *length = 0;
    for (int i = 0; i < ENV_COUNT; i++)
        if (is_listed(i))
            texts->keys[(*length)++] = env_rows[i].key;
    *table = texts->keys;
    return ncclSuccess;
}

void sim_ncclParamDumpAll(void)
{
    struct context *c = context_enter();
    for (int i = 0; c && i < ENV_COUNT; i++)
        if (is_listed(i))
            log_print("%s=%s", env_rows[i].key, words(c, (enum env)i));
}

void sim_ncclResetDebugInit(void)
{
    if (context_enter())
        log_begin();
}
