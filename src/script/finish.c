/* The end of a rank's script (sim/README.md, rule 14): it waits for the rank's threads and devices,
 * then closes the remaining objects, newest first, `world` last. */
#include "script/object.h"

#define DEVICES 64

static bool finish_is_known(const int *devices, int count, int device)
{
    for (int i = 0; i < count; i++)
        if (devices[i] == device)
            return true;
    return false;
}

static int device_of(const struct ncs_object *o)
{
    switch (o->id) {
    case NCS_CLASS_STREAM: return ((const struct ncs_stream *)o)->device;
    case NCS_CLASS_COMM: return ((const struct ncs_comm *)o)->device;
    case NCS_CLASS_BUFFER: return ((const struct ncs_buffer *)o)->device;
    default: return -1;
    }
}

static void sync_device(lua_State *L, int device)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    if (device != t->device) {
        NCS_TRY(L, cudaSetDevice, device);
        t->device = device;
    }
    NCS_TRY(L, cudaDeviceSynchronize);
}

static void sync_devices(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    int devices[DEVICES] = { ncs_lua_thread(L)->device }, count = 1;
    for (const struct ncs_object *o = rank->newest; o; o = o->older) {
        int device = o->closed ? -1 : device_of(o);
        if (device >= 0 && count < DEVICES && !finish_is_known(devices, count, device))
            devices[count++] = device;
    }
    for (int i = 0; i < count; i++)
        sync_device(L, devices[i]);
}

/* Polls a non-blocking communicator until nothing on it is in progress. */
static ncclResult_t poll_until_done(lua_State *L, const struct ncs_comm *c)
{
    ncclResult_t error = ncclInProgress;
    while (error == ncclInProgress)
        if (NCS_CALL(L, ncclCommGetAsyncError, ncs_comm_handle(c), &error) != ncclSuccess)
            return ncclInvalidArgument;
    return error;
}

static bool is_nonblocking(const struct ncs_object *o)
{
    const struct ncs_comm *c = (const struct ncs_comm *)o;
    return o->id == NCS_CLASS_COMM && !c->blocking && !o->closed && ncs_comm_handle(c);
}

/* Work in progress is not on a stream yet and still needs its buffers. */
static void settle_all(lua_State *L)
{
    for (struct ncs_object *o = ncs_lua_rank(L)->newest; o; o = o->older)
        if (is_nonblocking(o))
            poll_until_done(L, (struct ncs_comm *)o);
}

/* NCCL refuses to destroy a communicator that was never made, or that is non-blocking and in an
 * error state. Where calls were cut short a rank may be lost, for which a destroy would wait. */
static bool must_abort(lua_State *L, const struct ncs_object *o)
{
    const struct ncs_comm *c = (const struct ncs_comm *)o;
    return (o->id == NCS_CLASS_COMM && (c->dropped || c->interrupted)) ||
           (is_nonblocking(o) && poll_until_done(L, c) != ncclSuccess);
}

static void close_object(lua_State *L, struct ncs_object *o)
{
    int top = lua_gettop(L);
    if (o->closed) { /* never opened: its making failed */
        ncs_object_drop(L, o);
        return;
    }
    if (ncs_object_closed(L, o))
        return;
    ncs_object_push(L, o);
    lua_pushcfunction(L, ncs_classes[o->id]->close);
    if (must_abort(L, o)) {
        lua_pop(L, 1);
        lua_getfield(L, -1, "abort");
    }
    lua_insert(L, -2);
    lua_call(L, 1, 0);
    lua_settop(L, top);
}

/* The newest remaining object older than this serial, except `world`. The list is searched
 * anew each time, because a close may wait, and functions that streams run meanwhile may
 * drop other objects. */
static struct ncs_object *older_than(const struct ncs_lua_rank *rank, lua_Integer serial)
{
    struct ncs_object *o = rank->newest;
    while (o && (o->serial >= serial || o == rank->world))
        o = o->older;
    return o;
}

void ncs_lua_finish(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    ncs_run_script_over(rank->run);
    ncs_lua_join_all(L);
    ncs_run_script_over(rank->run); /* and those of its other threads */
    t->finished = t->local->ending = true;
    t->local->last = ncs_lua_where(L);
    ncs_lua_begin(L, "end of script", -1);
    if (t->local->group_depth > 0)
        return; /* destroy would only be queued; the open group is a finding */
    settle_all(L);
    sync_devices(L);
    struct ncs_object *o;
    lua_Integer serial = LUA_MAXINTEGER;
    while ((o = older_than(rank, serial))) {
        serial = o->serial;
        close_object(L, o);
    }
    if (rank->newest)
        close_object(L, rank->newest);
}
