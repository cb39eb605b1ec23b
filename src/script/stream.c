/* Streams and events. */
#include "script/object.h"

#include <string.h>

#include "script/option.h"
#include "script/raw.h"

/* ---- streams ---- */

static struct ncs_stream *new_stream(lua_State *L)
{
    struct ncs_stream *s = ncs_object_new(L, NCS_CLASS_STREAM, sizeof *s, 0);
    s->device = ncs_lua_thread(L)->device;
    return s;
}

struct ncs_stream *ncs_stream_make(lua_State *L, const char *name, int device)
{
    struct ncs_stream *s = new_stream(L);
    s->name = name;
    s->device = device;
    NCS_TRY_ON(L, device, cudaStreamCreateWithFlags, &s->handle, cudaStreamNonBlocking);
    ncs_object_open(&s->head);
    return s;
}

void ncs_stream_wrap(lua_State *L, cudaStream_t handle)
{
    struct ncs_stream *s = new_stream(L);
    s->handle = handle;
    ncs_object_open(&s->head);
}

/* A stream that always exists, so it is not in the list of objects to close. */
static int ready_made_stream(lua_State *L, cudaStream_t handle, const char *name)
{
    struct ncs_stream *s = new_stream(L);
    s->handle = handle;
    s->name = name;
    ncs_object_drop(L, &s->head);
    ncs_object_open(&s->head);
    return 1;
}

int ncs_stream_legacy(lua_State *L)
{
    return ready_made_stream(L, cudaStreamLegacy, "legacy stream");
}

int ncs_stream_per_thread(lua_State *L)
{
    return ready_made_stream(L, cudaStreamPerThread, "per-thread stream");
}

int ncs_stream_device(lua_State *L, const struct ncs_stream *s)
{
    bool follows = s->handle == cudaStreamLegacy || s->handle == cudaStreamPerThread;
    return follows ? ncs_lua_thread(L)->device : s->device;
}

struct ncs_stream *ncs_stream_default(lua_State *L, int device)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    if (device == rank->device && rank->stream) {
        ncs_object_check_open(L, rank->stream, "the default stream");
        return (struct ncs_stream *)rank->stream;
    }
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "ncs.streams");
    lua_rawgeti(L, -1, device);
    struct ncs_stream *s = ncs_object_test(L, -1, NCS_CLASS_STREAM);
    if (s) {
        ncs_object_check_open(L, &s->head, "the default stream");
    } else {
        lua_pop(L, 1);
        s = ncs_stream_make(L, NULL, device);
        lua_rawseti(L, -2, device);
        lua_pushnil(L);
    }
    lua_pop(L, 2);
    return s;
}

struct ncs_stream *ncs_stream_given(lua_State *L, int at, int device)
{
    bool given = !lua_isnoneornil(L, at) && lua_type(L, at) != LUA_TTABLE;
    struct ncs_stream *s = given ? ncs_object_live(L, at, NCS_CLASS_STREAM, "stream") : NULL;
    ncs_lua_label(L, lua_type(L, at) == LUA_TTABLE ? at : at + 1);
    return s ? s : ncs_stream_default(L, device);
}

/* cuda.stream([options]) */
int ncs_stream_new(lua_State *L)
{
    struct options {
        int device;
        bool blocking;
        int priority;
    };
    static const struct ncs_option rows[] = {
        { "device", NCS_OPTION_INT, offsetof(struct options, device) },
        { "blocking", NCS_OPTION_FLAG, offsetof(struct options, blocking) },
        { "priority", NCS_OPTION_INT, offsetof(struct options, priority) },
        { NULL, 0, 0 },
    };
    struct ncs_lua_thread *t = ncs_lua_begin(L, "cuda.stream", 1);
    struct options o = { t->device, false, 0 };
    ncs_lua_options(L, 1, rows, &o);
    struct ncs_stream *s = new_stream(L);
    unsigned flags = o.blocking ? cudaStreamDefault : cudaStreamNonBlocking;
    s->device = o.device;
    if (o.priority)
        NCS_TRY_ON(L, o.device, cudaStreamCreateWithPriority, &s->handle, flags, o.priority);
    else
        NCS_TRY_ON(L, o.device, cudaStreamCreateWithFlags, &s->handle, flags);
    ncs_object_open(&s->head);
    return 1;
}

static struct ncs_stream *stream_self(lua_State *L, const char *method, int max)
{
    return ncs_lua_method(L, NCS_CLASS_STREAM, method, max);
}

static int return_self(lua_State *L)
{
    lua_settop(L, 1);
    return 1;
}

static int stream_sync(lua_State *L)
{
    struct ncs_stream *s = stream_self(L, "sync", 1);
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaStreamSynchronize, s->handle);
    return return_self(L);
}

static int push_query(lua_State *L, enum ncs_fn fn, int rc)
{
    if (rc != cudaErrorNotReady)
        ncs_lua_ok(L, fn, rc);
    lua_pushboolean(L, rc == cudaSuccess);
    return 1;
}

static int stream_query(lua_State *L)
{
    struct ncs_stream *s = stream_self(L, "query", 1);
    ncs_lua_label(L, 2);
    return push_query(L, NCS_FN_cudaStreamQuery, NCS_CALL(L, cudaStreamQuery, s->handle));
}

static int method_stream_wait(lua_State *L)
{
    struct ncs_stream *s = stream_self(L, "wait", 2);
    struct ncs_event *e = ncs_object_live(L, 2, NCS_CLASS_EVENT, "event");
    ncs_lua_label(L, 3);
    NCS_TRY(L, cudaStreamWaitEvent, s->handle, e->handle, 0u);
    return return_self(L);
}

static int stream_delay(lua_State *L)
{
    struct ncs_stream *s = stream_self(L, "delay", 2);
    double seconds = (double)ncs_lua_seconds(L, 2, "seconds") * 1e-9;
    ncs_lua_label(L, 3);
    NCS_TRY(L, ncsDelay, s->handle, seconds);
    return return_self(L);
}

/* s:callback(fn [, options]) */
static int stream_callback(lua_State *L)
{
    struct ncs_stream *s = stream_self(L, "callback", 2);
    if (lua_type(L, 2) != LUA_TFUNCTION)
        return ncs_lua_wrong(L, 2, "fn", "a function");
    ncs_lua_label(L, 3);
    ncs_lua_before(L, NCS_FN_cudaLaunchHostFunc); /* it may be missing */
    lua_pushnil(L);
    void *callback = ncs_callback_new(L, 2, lua_gettop(L), 0);
    int rc = NCS_CALL(L, cudaLaunchHostFunc, s->handle, ncs_callback_run, callback);
    if (rc)
        ncs_callback_drop(L, callback);
    ncs_lua_ok(L, NCS_FN_cudaLaunchHostFunc, rc);
    return return_self(L);
}

static int stream_destroy(lua_State *L)
{
    struct ncs_stream *s = stream_self(L, "destroy", 1);
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaStreamDestroy, s->handle);
    if (s->handle != cudaStreamLegacy && s->handle != cudaStreamPerThread)
        ncs_object_drop(L, &s->head);
    return return_self(L);
}

static int stream_device(lua_State *L)
{
    lua_pushinteger(L, ncs_stream_device(L, lua_touserdata(L, 1)));
    return 1;
}

static int stream_text(lua_State *L)
{
    struct ncs_stream *s = lua_touserdata(L, 1);
    const char *gone = s->head.closed ? " (destroyed)" : "";
    if (s->name)
        lua_pushfstring(L, "%s device %d%s", s->name, ncs_stream_device(L, s), gone);
    else
        lua_pushfstring(L, "stream %I device %d%s", (LUAI_UACINT)s->head.serial, s->device, gone);
    return 1;
}

static const luaL_Reg stream_methods[] = {
    { "callback", stream_callback },
    { "delay", stream_delay },
    { "destroy", stream_destroy },
    { "query", stream_query },
    { "sync", stream_sync },
    { "wait", method_stream_wait },
    { NULL, NULL },
};

static const luaL_Reg stream_fields[] = { { "device", stream_device }, { NULL, NULL } };

const struct ncs_class ncs_class_stream = {
    .name = "stream",
    .gone = "destroyed",
    .methods = { stream_methods },
    .fields = stream_fields,
    .close = stream_destroy,
    .text = stream_text,
};

/* ---- events ---- */

static struct ncs_event *new_event(lua_State *L)
{
    struct ncs_event *e = ncs_object_new(L, NCS_CLASS_EVENT, sizeof *e, 0);
    e->device = ncs_lua_thread(L)->device;
    return e;
}

void ncs_event_wrap(lua_State *L, cudaEvent_t handle)
{
    struct ncs_event *e = new_event(L);
    e->handle = handle;
    ncs_object_open(&e->head);
}

/* cuda.event([options]) */
int ncs_event_new(lua_State *L)
{
    struct options {
        int device;
        bool timing;
    };
    static const struct ncs_option rows[] = {
        { "device", NCS_OPTION_INT, offsetof(struct options, device) },
        { "timing", NCS_OPTION_FLAG, offsetof(struct options, timing) },
        { NULL, 0, 0 },
    };
    struct ncs_lua_thread *t = ncs_lua_begin(L, "cuda.event", 1);
    struct options o = { t->device, true };
    ncs_lua_options(L, 1, rows, &o);
    struct ncs_event *e = new_event(L);
    e->device = o.device;
    NCS_TRY_ON(L, o.device, cudaEventCreateWithFlags, &e->handle, o.timing ? cudaEventDefault : cudaEventDisableTiming);
    ncs_object_open(&e->head);
    return 1;
}

static struct ncs_event *event_self(lua_State *L, const char *method, int max)
{
    return ncs_lua_method(L, NCS_CLASS_EVENT, method, max);
}

static int event_record(lua_State *L)
{
    struct ncs_event *e = event_self(L, "record", 2);
    struct ncs_stream *s = ncs_stream_given(L, 2, e->device);
    NCS_TRY(L, cudaEventRecord, e->handle, s->handle);
    return return_self(L);
}

static int event_sync(lua_State *L)
{
    struct ncs_event *e = event_self(L, "sync", 1);
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaEventSynchronize, e->handle);
    return return_self(L);
}

static int event_query(lua_State *L)
{
    struct ncs_event *e = event_self(L, "query", 1);
    ncs_lua_label(L, 2);
    return push_query(L, NCS_FN_cudaEventQuery, NCS_CALL(L, cudaEventQuery, e->handle));
}

static int event_elapsed(lua_State *L)
{
    struct ncs_event *e = event_self(L, "elapsed", 2);
    struct ncs_event *end = ncs_object_live(L, 2, NCS_CLASS_EVENT, "end");
    float milliseconds = 0;
    ncs_lua_label(L, 3);
    NCS_TRY(L, cudaEventElapsedTime, &milliseconds, e->handle, end->handle);
    lua_pushnumber(L, (double)milliseconds * 1e-3);
    return 1;
}

static int event_destroy(lua_State *L)
{
    struct ncs_event *e = event_self(L, "destroy", 1);
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaEventDestroy, e->handle);
    ncs_object_drop(L, &e->head);
    return return_self(L);
}

static int event_text(lua_State *L)
{
    struct ncs_event *e = lua_touserdata(L, 1);
    lua_pushfstring(L, "event %I device %d%s", (LUAI_UACINT)e->head.serial, e->device, e->head.closed ? " (destroyed)" : "");
    return 1;
}

static const luaL_Reg event_methods[] = {
    { "destroy", event_destroy }, { "elapsed", event_elapsed }, { "query", event_query },
    { "record", event_record },   { "sync", event_sync },       { NULL, NULL },
};

const struct ncs_class ncs_class_event = {
    .name = "event",
    .gone = "destroyed",
    .methods = { event_methods },
    .close = event_destroy,
    .text = event_text,
};
