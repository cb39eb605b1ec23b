/* Communicators: how they are made by rendezvous, and their fields. */
#include "script/object.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "script/option.h"

#define WORLD_KEY "ncclscript.world" /* of the store: the unique id of `world` */

struct ncs_comm *ncs_comm_make(lua_State *L, int rank, int nranks, int device)
{
    struct ncs_comm *c = ncs_object_new(L, NCS_CLASS_COMM, sizeof *c, 2);
    c->cell = &c->own;
    c->rank = rank;
    c->nranks = nranks;
    c->device = device;
    c->blocking = true;
    c->family = c->head.serial;
    c->group = ncs_lua_thread(L)->local->group;
    return c;
}

/* NCCL tells the rank of a child once its handle is filled. */
void ncs_comm_know(lua_State *L, struct ncs_comm *c)
{
    int own, all;
    if (c->nranks >= 0 || c->head.closed || !ncs_comm_handle(c))
        return;
    const struct ncs_api *api = ncs_run_driver_api(ncs_lua_rank(L)->run);
    if (api->ncclCommUserRank(ncs_comm_handle(c), &own) != ncclSuccess ||
        api->ncclCommCount(ncs_comm_handle(c), &all) != ncclSuccess)
        return;
    c->rank = own;
    c->nranks = all;
}

void ncs_comm_name_filled(struct ncs_lua_rank *rank)
{
    if (!rank->run)
        return;
    for (struct ncs_object *o = rank->newest; o; o = o->older) {
        struct ncs_comm *c = (struct ncs_comm *)o;
        if (o->id != NCS_CLASS_COMM || c->named || !c->name || !ncs_comm_handle(c))
            continue;
        /* The handles of all threads are filled at once, but each thread's call is journaled only
         * when the thread goes on. */
        c->named = ncs_journal_name(ncs_run_journal(rank->run), ncs_comm_handle(c), c->name);
    }
}

const char *ncs_lua_comm_name(const struct ncs_lua_rank *rank, const struct ncs_comm *c)
{
    int comm, comm_rank;
    if (c->name || !rank->run)
        return c->name;
    const struct ncs_journal *j = ncs_run_journal(rank->run);
    if (ncs_comm_handle(c) && ncs_journal_find(j, ncs_comm_handle(c), &comm, &comm_rank))
        return j->comm[comm]->name;
    return NULL;
}

void ncs_comm_check_rank(lua_State *L, const struct ncs_comm *c, const char *what, int rank)
{
    const char *name = ncs_lua_comm_name(ncs_lua_rank(L), c);
    if (c->nranks <= 0 || (rank >= 0 && rank < c->nranks)) /* how many may not be known yet */
        return;
    if (!name)
        name = "this comm";
    if (c->nranks == 1)
        ncs_lua_refuse(L, "%s = %d: %s has rank 0 alone", what, rank, name);
    ncs_lua_refuse(L, "%s = %d: %s has ranks 0 to %d", what, rank, name, c->nranks - 1);
}

void ncs_comm_open(lua_State *L, struct ncs_comm *c)
{
    ncs_object_open(&c->head);
    ncs_comm_name_filled(ncs_lua_rank(L));
}

static void comm_init_rank(lua_State *L, struct ncs_comm *c, const ncclUniqueId *id, struct ncs_comm_config *config)
{
    if (config->given)
        NCS_TRY(L, ncclCommInitRankConfig, c->cell, c->nranks, *id, c->rank, &config->config);
    else
        NCS_TRY(L, ncclCommInitRank, c->cell, c->nranks, *id, c->rank);
    ncs_comm_open(L, c);
}

static void init_scalable(lua_State *L, struct ncs_comm *c, ncclUniqueId *id, int ids, struct ncs_comm_config *config)
{
    NCS_TRY(L, ncclCommInitRankScalable, c->cell, c->nranks, c->rank, ids, id, config->given ? &config->config : NULL);
    ncs_comm_open(L, c);
}

/* The ids of a list as an array that is pushed. */
static ncclUniqueId *id_list(lua_State *L, int arg, int *count)
{
    size_t n = ncs_lua_list(L, arg, "id", "an id or a list of ids");
    if (n > 65536)
        ncs_lua_wrong(L, arg, "id", "a list of at most 65536");
    ncclUniqueId *list = lua_newuserdatauv(L, (n + 1) * sizeof *list, 0);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, arg, (lua_Integer)i + 1);
        const struct ncs_id *id = ncs_object_arg(L, lua_gettop(L), NCS_CLASS_ID, "an id");
        list[i] = id->id;
        lua_pop(L, 1);
    }
    *count = (int)n;
    return list;
}

/* nccl.init_rank(nranks, id or ids, rank [, CFG]) */
int ncs_comm_init_rank(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "nccl.init_rank", 4);
    struct ncs_comm_config config;
    bool several = lua_type(L, 2) == LUA_TTABLE;
    int nranks = ncs_lua_int(L, 1, "nranks"), ids = 0;
    lua_settop(L, 4);
    ncclUniqueId *list = several ? id_list(L, 2, &ids) : NULL;
    struct ncs_id *id = several ? NULL : ncs_object_arg(L, 2, NCS_CLASS_ID, "id");
    int rank = ncs_lua_int(L, 3, "rank");
    ncs_comm_config_read(L, 4, &config);
    struct ncs_comm *c = ncs_comm_make(L, rank, nranks, t->device);
    c->name = config.name;
    ncs_comm_configure(c, &config, NULL);
    t->about = &c->head;
    if (several)
        init_scalable(L, c, list, ids, &config);
    else
        comm_init_rank(L, c, &id->id, &config);
    return 1;
}

/* nccl.init_all(n or devices [, { name, label }]): returns a list of communicators from 1 */
int ncs_comm_init_all(lua_State *L)
{
    struct options {
        const char *name;
    };
    static const struct ncs_option rows[] = { { "name", NCS_OPTION_TEXT, 0 }, { NULL, 0, 0 } };
    struct options o = { NULL };
    int count;
    ncs_lua_begin(L, "nccl.init_all", 2);
    ncs_lua_options(L, 2, rows, &o);
    lua_settop(L, 2);
    const int *devices = NULL; /* 0, 1, ... */
    if (lua_type(L, 1) == LUA_TTABLE) {
        devices = ncs_lua_ints(L, 1, "devices", "a number or a list of devices", &count); /* at 3 */
    } else {
        count = ncs_lua_int(L, 1, "n");
        lua_pushnil(L);
    }
    int room = count > 0 && count <= 65536 ? count : 1;
    ncclComm_t *cells = lua_newuserdatauv(L, (size_t)room * sizeof *cells, 0); /* at 4 */
    memset(cells, 0, (size_t)room * sizeof *cells);
    lua_createtable(L, room, 0); /* at 5 */
    if (count > 65536)
        return ncs_lua_wrong(L, 1, "n", "at most 65536");
    for (int i = 0; i < count; i++) {
        struct ncs_comm *c = ncs_comm_make(L, i, count, devices ? devices[i] : i);
        c->cell = &cells[i];
        c->name = o.name;
        lua_pushvalue(L, 4);
        lua_setiuservalue(L, -2, 2);
        lua_rawseti(L, 5, i + 1);
    }
    NCS_TRY(L, ncclCommInitAll, cells, count, devices);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, 5, i + 1);
        ncs_comm_open(L, lua_touserdata(L, -1));
        lua_pop(L, 1);
    }
    lua_settop(L, 5);
    return 1;
}

/* Makes the id of `world` on rank 0 and passes it to the other ranks through the store. */
static void world_id(lua_State *L, ncclUniqueId *id)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    void *bytes;
    size_t count;
    if (rank->rank == 0) {
        NCS_TRY(L, ncclGetUniqueId, id);
        if (!ncs_run_store_set(rank->run, WORLD_KEY, id, sizeof *id))
            ncs_lua_no_room(L, sizeof *id);
        return;
    }
    bool there = ncs_run_store_get(rank->run, WORLD_KEY, -1, &bytes, &count);
    if (there)
        memcpy(id, bytes, count < sizeof *id ? count : sizeof *id);
    if (there)
        ncs_free(bytes);
    ncs_lua_check_cancel(L);
}

void ncs_comm_world(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    struct ncs_script *script = rank->script;
    struct ncs_comm_config config = { .given = script->world_config, .config = script->config };
    struct ncs_comm *c = ncs_comm_make(L, rank->rank, rank->nranks, ncs_lua_thread(L)->device);
    c->name = script->world_name ? script->world_name : "world";
    ncs_comm_configure(c, &config, NULL);
    ncs_id_push(L, &(ncclUniqueId){ { 0 } });
    struct ncs_id *id = lua_touserdata(L, -1);
    world_id(L, &id->id);
    comm_init_rank(L, c, &id->id, &config);
    lua_pop(L, 1);
    rank->world = &c->head;
}

/* ---- fields ---- */

static struct ncs_comm *open_self(lua_State *L)
{
    struct ncs_comm *c = lua_touserdata(L, 1);
    ncs_object_check_open(L, &c->head, "this");
    return c;
}

static int field_rank(lua_State *L)
{
    int v = 0;
    NCS_TRY(L, ncclCommUserRank, ncs_comm_handle(open_self(L)), &v);
    lua_pushinteger(L, v);
    return 1;
}

static int field_nranks(lua_State *L)
{
    int v = 0;
    NCS_TRY(L, ncclCommCount, ncs_comm_handle(open_self(L)), &v);
    lua_pushinteger(L, v);
    return 1;
}

static int comm_field_device(lua_State *L)
{
    int v = 0;
    NCS_TRY(L, ncclCommCuDevice, ncs_comm_handle(open_self(L)), &v);
    lua_pushinteger(L, v);
    return 1;
}

static int field_name(lua_State *L)
{
    lua_pushstring(L, ncs_lua_comm_name(ncs_lua_rank(L), lua_touserdata(L, 1)));
    return 1;
}

static int field_stream(lua_State *L)
{
    struct ncs_comm *c = open_self(L);
    if (lua_getiuservalue(L, 1, 1) == LUA_TNIL)
        ncs_object_push(L, &ncs_stream_default(L, c->device)->head);
    return 1;
}

static int comm_assign(lua_State *L)
{
    ncs_lua_begin(L, "comm.stream", -1);
    if (lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "stream") != 0) {
        ncs_lua_no_call(L);
        return ncs_lua_usage(L, "'%.60s' of a comm cannot be assigned", ncs_lua_text(L, 2));
    }
    ncs_object_live(L, 3, NCS_CLASS_STREAM, "stream");
    lua_pushvalue(L, 3);
    lua_setiuservalue(L, 1, 1);
    return 0;
}

static int comm_text(lua_State *L)
{
    const struct ncs_comm *c = lua_touserdata(L, 1);
    const char *name = ncs_lua_comm_name(ncs_lua_rank(L), c);
    const char *state = c->aborted ? " (aborted)" : c->head.closed ? " (destroyed)" : "";
    if (!c->head.closed && c->dropped)
        state = " (dropped with its group)";
    else if (!c->head.closed && ncs_comm_pending(L, c))
        state = " (pending)";
    if (c->nranks < 0)
        lua_pushfstring(L, "comm%s%s device %d%s", name ? " " : "", name ? name : "", c->device, state);
    else
        lua_pushfstring(L, "comm%s%s %d/%d device %d%s", name ? " " : "", name ? name : "", c->rank, c->nranks, c->device, state);
    return 1;
}

static int field_interrupted(lua_State *L)
{
    lua_pushboolean(L, ((const struct ncs_comm *)lua_touserdata(L, 1))->interrupted);
    return 1;
}

static const luaL_Reg fields[] = {
    { "device", comm_field_device }, { "interrupted", field_interrupted }, { "name", field_name },     { "nranks", field_nranks },
    { "rank", field_rank },          { "state", ncs_comm_state },          { "stream", field_stream }, { NULL, NULL },
};

const struct ncs_class ncs_class_comm = {
    .name = "comm",
    .gone = "destroyed",
    .fields = fields,
    .methods = { ncs_comm_lives, ncs_comm_children, ncs_comm_redops, ncs_comm_windows, ncs_one_sided },
    .close = ncs_comm_destroy,
    .assign = comm_assign,
    .text = comm_text,
};
