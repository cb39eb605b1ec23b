/* NCCL's functions for parameters: variables of its environment, by name and type. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/data/memory.h"
#include "sim/kernel/above.h"
#include "sim/kernel/context.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/log.h"

/* The memory of returned pointers, per thread: valid until the thread calls the
 * same function again. */
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

void sim_params_free(struct context *c)
{
    sim_free(c->params, c->params ? sizeof *c->params : 0);
    c->params = NULL;
}

static const char no_parameter[] = "there is no parameter of that key";

/* The real library does not check the handle, and crashes. */
static int row_of(ncclParamHandle_t h, enum env *variable)
{
    if (!h)
        return sim_silent("the handle is NULL");
    uintptr_t offset = (uintptr_t)h - (uintptr_t)sim_env_rows;
    if (offset >= sizeof sim_env_rows || offset % sizeof *sim_env_rows != 0) {
        sim_crash("the handle was not made by ncclParamBind");
        return ncclInvalidArgument;
    }
    *variable = (enum env)(offset / sizeof *sim_env_rows);
    return ncclSuccess;
}

ncclResult_t sim_ncclParamBind(ncclParamHandle_t *out, const char *key)
{
    if (!sim_context_enter())
        return ncclSuccess;
    if (!out || !key)
        return sim_silent(out ? "key is NULL" : "out is NULL");
    int variable = sim_env_find(key);
    if (variable < 0)
        return sim_silent(no_parameter);
    *out = (ncclParamHandle_t)(uintptr_t)&sim_env_rows[variable];
    return ncclSuccess;
}

/* Gets a parameter whose type must match: every parameter is a text or a signed
 * number of 64 bits. */
static int param_get(ncclParamHandle_t h, const void *out, bool text, bool has_type, enum env *variable)
{
    int rc = row_of(h, variable);
    if (!rc && !out)
        rc = sim_silent("out is NULL");
    if (!rc && (!has_type || sim_env_rows[*variable].text != text))
        rc = sim_silent(sim_env_rows[*variable].text ? "the parameter is a text" : "the parameter is a signed number of 64 bits");
    return rc;
}

#define PARAM_GET(name, type, has_type)                         \
    ncclResult_t sim_##name(ncclParamHandle_t h, type *out)     \
    {                                                           \
        enum env variable;                                      \
        if (!sim_context_enter())                               \
            return ncclSuccess;                                 \
        int rc = param_get(h, out, false, has_type, &variable); \
        if (!rc)                                                \
            *out = (type)sim_env_number(variable);              \
        return rc;                                              \
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
    const char *text = sim_env_text(variable);
    if (text)
        return text;
    return variable == ENV_CHECK_MODE ? "DEFAULT" : "";
}

ncclResult_t sim_ncclParamGetStr(ncclParamHandle_t h, const char **out)
{
    enum env variable = ENV_COUNT;
    if (!sim_context_enter())
        return ncclSuccess;
    int rc = param_get(h, out, true, true, &variable);
    if (!rc)
        *out = text_value(variable);
    return rc;
}

ncclResult_t sim_ncclParamGet(ncclParamHandle_t h, void *out, int room, int *bytes)
{
    enum env variable = ENV_COUNT;
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    int rc = row_of(h, &variable);
    if (!rc && (!out || !bytes))
        rc = sim_silent(out ? "len is NULL" : "out is NULL");
    if (rc)
        return rc;
    bool text = sim_env_rows[variable].text;
    int64_t number = text ? 0 : sim_env_number(variable);
    const void *value = text ? (const void *)text_value(variable) : &number;
    size_t length = text ? strlen(value) + 1 : sizeof number;
    if (room < 0 || (size_t)room < length)
        return sim_silent("maxLen is less than the length of the parameter's text");
    if (!sim_memory_usable(c->process, out, length)) {
        sim_crash("out has no room for the parameter");
        return ncclInvalidArgument;
    }
    memcpy(out, value, length);
    *bytes = (int)length;
    return ncclSuccess;
}

static const char *words(struct context *c, enum env variable)
{
    if (sim_env_rows[variable].text)
        return text_value(variable);
    struct param_texts *texts = texts_of(c);
    snprintf(texts->number, sizeof texts->number, "%" PRId64, sim_env_number(variable));
    return texts->number;
}

ncclResult_t sim_ncclParamGetParameter(const char *key, const char **value, int *length)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    if (!key || !value || !length)
        return sim_silent(!key ? "key is NULL" : !value ? "value is NULL" : "valueLen is NULL");
    int variable = sim_env_find(key);
    *value = variable < 0 ? NULL : words(c, (enum env)variable);
    *length = *value ? (int)strlen(*value) : 0;
    return variable < 0 ? sim_silent(no_parameter) : ncclSuccess;
}

static bool is_listed(int variable)
{
    const struct env_row *row = &sim_env_rows[variable];
    return row->since <= sim_version_now() && (!row->unpublished || sim_env_is(ENV_PARAM_DUMP_ALL, 1));
}

ncclResult_t sim_ncclParamGetAllParameterKeys(const char ***table, int *length)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    if (!table || !length)
        return sim_silent(table ? "tableLen is NULL" : "table is NULL");
    struct param_texts *texts = texts_of(c);
    *length = 0;
    for (int i = 0; i < ENV_COUNT; i++)
        if (is_listed(i))
            texts->keys[(*length)++] = sim_env_rows[i].key;
    *table = texts->keys;
    return ncclSuccess;
}

void sim_ncclParamDumpAll(void)
{
    struct context *c = sim_context_enter();
    for (int i = 0; c && i < ENV_COUNT; i++)
        if (is_listed(i))
            sim_log_print("%s=%s", sim_env_rows[i].key, words(c, (enum env)i));
}

void sim_ncclResetDebugInit(void)
{
    if (sim_context_enter())
        sim_log_begin();
}
