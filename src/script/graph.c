/* cuda.graph, and the objects that it makes. */
#include "script/object.h"

#include <string.h>

#include "script/option.h"

struct graph_options {
    const char *mode;
};

static enum cudaStreamCaptureMode graph_mode(lua_State *L, const char *name)
{
    static const char *const names[] = { "global", "thread_local", "relaxed" };
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum cudaStreamCaptureMode)i;
    return (enum cudaStreamCaptureMode)ncs_lua_usage(L, "mode must be \"global\", \"thread_local\" or \"relaxed\", got \"%s\"",
                                                     name);
}

/* Ends the capture because of the error on top, and raises that error again. */
static int graph_give_up(lua_State *L, const struct ncs_stream *s)
{
    cudaGraph_t graph = NULL;
    int error = lua_gettop(L);
    if (NCS_CALL(L, cudaStreamEndCapture, s->handle, &graph) == cudaSuccess && graph)
        NCS_CALL(L, cudaGraphDestroy, graph);
    lua_settop(L, error);
    return lua_error(L);
}

/* cuda.graph(stream, fn [, options]). What fn puts into the stream becomes the graph. */
int ncs_graph_new(lua_State *L)
{
    static const struct ncs_option rows[] = {
        { "mode", NCS_OPTION_TEXT, offsetof(struct graph_options, mode) },
        { NULL, 0, 0 },
    };
    struct ncs_lua_thread *t = ncs_lua_begin(L, "cuda.graph", 3);
    struct ncs_stream *s = ncs_object_live(L, 1, NCS_CLASS_STREAM, "stream");
    struct graph_options o = { "global" };
    if (lua_type(L, 2) != LUA_TFUNCTION)
        return ncs_lua_wrong(L, 2, "fn", "a function");
    ncs_lua_options(L, 3, rows, &o);
    enum cudaStreamCaptureMode mode = graph_mode(L, o.mode);
    const char *label = t->local->label;
    lua_settop(L, 2);
    NCS_TRY(L, cudaStreamBeginCapture, s->handle, mode);
    lua_pushvalue(L, 2);
    int status = lua_pcall(L, 0, 0, 0);
    ncs_lua_check_cancel(L);
    t->about = NULL;
    t->what = "cuda.graph";
    t->local->label = label;
    if (status != LUA_OK)
        return graph_give_up(L, s);
    struct ncs_graph *g = ncs_object_new(L, NCS_CLASS_GRAPH, sizeof *g, 0);
    g->device = ncs_stream_device(L, s);
    cudaGraph_t graph = NULL;
    NCS_TRY(L, cudaStreamEndCapture, s->handle, &graph);
    NCS_TRY(L, cudaGraphInstantiate, &g->handle, graph, 0ull);
    NCS_TRY(L, cudaGraphDestroy, graph); /* what was made out of it has all of it */
    ncs_object_open(&g->head);
    return 1;
}

/* g:launch([stream [, options]]) */
static int graph_launch(lua_State *L)
{
    struct ncs_graph *g = ncs_lua_method(L, NCS_CLASS_GRAPH, "launch", 2);
    struct ncs_stream *s = ncs_stream_given(L, 2, g->device);
    NCS_TRY(L, cudaGraphLaunch, g->handle, s->handle);
    lua_settop(L, 1);
    return 1;
}

static int graph_destroy(lua_State *L)
{
    struct ncs_graph *g = ncs_lua_method(L, NCS_CLASS_GRAPH, "destroy", 1);
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaGraphExecDestroy, g->handle);
    ncs_object_drop(L, &g->head);
    lua_settop(L, 1);
    return 1;
}

static int graph_text(lua_State *L)
{
    const struct ncs_graph *g = lua_touserdata(L, 1);
    lua_pushfstring(L, "graph %I device %d%s", (LUAI_UACINT)g->head.serial, g->device, g->head.closed ? " (destroyed)" : "");
    return 1;
}

static const luaL_Reg graph_methods[] = {
    { "destroy", graph_destroy },
    { "launch", graph_launch },
    { NULL, NULL },
};

const struct ncs_class ncs_class_graph = {
    .name = "graph",
    .gone = "destroyed",
    .methods = { graph_methods },
    .close = graph_destroy,
    .text = graph_text,
};
