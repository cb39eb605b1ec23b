/* Communicators made from others: split, shrink, grow. */
#include "script/object.h"

#include "script/option.h"

static struct ncs_comm *comm_child_self(lua_State *L, const char *method, int max)
{
    return ncs_lua_method(L, NCS_CLASS_COMM, method, max);
}

static ncclConfig_t *is_option_given(struct ncs_comm_config *config)
{
    return config->given ? &config->config : NULL;
}

/* Pushes a child whose rank only NCCL will know. */
static struct ncs_comm *make_child(lua_State *L, const struct ncs_comm *parent, const struct ncs_comm_config *config)
{
    struct ncs_comm *c = ncs_comm_make(L, -1, -1, parent->device);
    c->name = config->name;
    ncs_comm_configure(c, config, parent);
    return c;
}

static int open_child(lua_State *L, struct ncs_comm *c)
{
    ncs_comm_open(L, c);
    ncs_comm_know(L, c);
    return 1;
}

struct split_options {
    struct ncs_comm_config config;
    int color, key;
};

/* comm:split { color [, key, CFG] } */
static int comm_split(lua_State *L)
{
    static const struct ncs_option more[] = { { "color", NCS_OPTION_INT, offsetof(struct split_options, color) },
                                              { "key", NCS_OPTION_INT, offsetof(struct split_options, key) },
                                              { NULL, 0, 0 } };
    struct ncs_comm *parent = comm_child_self(L, "split", 1);
    struct split_options o = { .key = 0 };
    ncs_comm_config_read_with(L, 2, &o.config, more);
    if (lua_type(L, 2) != LUA_TTABLE || lua_getfield(L, 2, "color") == LUA_TNIL)
        return ncs_lua_usage(L, "needs color: comm:split { color = ... }, a number, or nccl.NOCOLOR "
                                "to join no part");
    struct ncs_comm *c = make_child(L, parent, &o.config);
    if (parent->split_share && !parent->revoked)
        c->family = parent->family;
    NCS_TRY(L, ncclCommSplit, ncs_comm_handle(parent), o.color, o.key, c->cell, is_option_given(&o.config));
    if (o.color != NCCL_SPLIT_NOCOLOR)
        return open_child(L, c);
    /* While the call is in progress, NCCL holds the address of the cell. */
    if (parent->blocking && ncs_lua_thread(L)->local->group_depth == 0) {
        ncs_object_drop(L, &c->head);
        ncs_object_let_go(L, &c->head);
    }
    lua_pushnil(L);
    return 1;
}

struct shrink_options {
    struct ncs_comm_config config;
    bool abort;
};

/* comm:shrink(ranks [, { abort, CFG }]) */
static int comm_shrink(lua_State *L)
{
    static const struct ncs_option more[] = { { "abort", NCS_OPTION_FLAG, offsetof(struct shrink_options, abort) },
                                              { NULL, 0, 0 } };
    struct ncs_comm *parent = comm_child_self(L, "shrink", 2);
    struct shrink_options o = { .abort = false };
    int count;
    lua_settop(L, 3);
    ncs_comm_config_read_with(L, 3, &o.config, more);
    int *list = ncs_lua_ints(L, 2, "ranks", "a list of ranks", &count);
    ncs_lua_thread(L)->through = "ncclCommShrink";
    for (int i = 0; i < count; i++)
        ncs_comm_check_rank(L, parent, "ranks", list[i]);
    struct ncs_comm *c = make_child(L, parent, &o.config);
    if (parent->shrink_share && !parent->revoked && !o.abort)
        c->family = parent->family;
    /* Set before any check: with abort, NCCL cuts the parent's work short even if the
     * call then fails. */
    if (o.abort && ncs_comm_handle(parent))
        parent->interrupted = true;
    NCS_TRY(L, ncclCommShrink, ncs_comm_handle(parent), list, count, c->cell, is_option_given(&o.config),
            o.abort ? NCCL_SHRINK_ABORT : NCCL_SHRINK_DEFAULT);
    return open_child(L, c);
}

/* comm:unique_id(): the id with which new ranks join and the caller grows */
static int comm_unique_id(lua_State *L)
{
    struct ncs_comm *c = comm_child_self(L, "unique_id", 1);
    ncs_lua_label(L, 2);
    ncs_id_push(L, &(ncclUniqueId){ { 0 } });
    struct ncs_id *id = lua_touserdata(L, -1);
    NCS_TRY(L, ncclCommGetUniqueId, ncs_comm_handle(c), &id->id);
    return 1;
}

struct grow_options {
    struct ncs_comm_config config;
    int id; /* stack index; 0 = none */
};

/* comm:grow(nranks [, { id, CFG }]) */
static int comm_grow(lua_State *L)
{
    static const struct ncs_option more[] = { { "id", NCS_OPTION_SLOT, offsetof(struct grow_options, id) }, { NULL, 0, 0 } };
    struct ncs_comm *parent = comm_child_self(L, "grow", 2);
    struct grow_options o = { .id = 0 };
    int nranks = ncs_lua_int(L, 2, "nranks");
    lua_settop(L, 3);
    ncs_comm_config_read_with(L, 3, &o.config, more);
    const struct ncs_id *id = o.id ? ncs_object_arg(L, o.id, NCS_CLASS_ID, "id") : NULL;
    struct ncs_comm *c = ncs_comm_make(L, parent->rank, nranks, parent->device);
    c->name = o.config.name;
    ncs_comm_configure(c, &o.config, parent);
    NCS_TRY(L, ncclCommGrow, ncs_comm_handle(parent), nranks, id ? &id->id : NULL, -1, c->cell, is_option_given(&o.config));
    ncs_comm_open(L, c);
    return 1;
}

/* nccl.grow(nranks, id, rank [, CFG]): a new rank */
int ncs_comm_join(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "nccl.grow", 4);
    struct ncs_comm_config config;
    int nranks = ncs_lua_int(L, 1, "nranks");
    const struct ncs_id *id = ncs_object_arg(L, 2, NCS_CLASS_ID, "id");
    int rank = ncs_lua_int(L, 3, "rank");
    lua_settop(L, 4);
    ncs_comm_config_read(L, 4, &config);
    struct ncs_comm *c = ncs_comm_make(L, rank, nranks, t->device);
    c->name = config.name;
    ncs_comm_configure(c, &config, NULL);
    t->about = &c->head;
    NCS_TRY(L, ncclCommGrow, NULL, nranks, &id->id, rank, c->cell, is_option_given(&config));
    ncs_comm_open(L, c);
    return 1;
}

const luaL_Reg ncs_comm_children[] = {
    { "grow", comm_grow }, { "shrink", comm_shrink }, { "split", comm_split }, { "unique_id", comm_unique_id }, { NULL, NULL },
};
