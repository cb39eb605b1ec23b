/* Calls as a CUDA graph. */
#include "bench/private.h"

/* Ranks are threads, and another one may allocate memory in the meantime: only this thread's capture counts. */
bool ncs_bench_graph_begin(struct ncs_bench_rank *r, const struct ncs_api *api)
{
    return r->bench->options.launches == 0 || CUDA(r, api, cudaStreamBeginCapture, r->stream, cudaStreamCaptureModeThreadLocal);
}

bool ncs_bench_graph_end(struct ncs_bench_rank *r, const struct ncs_api *api)
{
    cudaGraph_t graph;
    return r->bench->options.launches == 0 ||
           (CUDA(r, api, cudaStreamEndCapture, r->stream, &graph) && CUDA(r, api, cudaGraphInstantiate, &r->graph, graph, 0ull) &&
            CUDA(r, api, cudaGraphDestroy, graph));
}

bool ncs_bench_graph_launch(struct ncs_bench_rank *r, const struct ncs_api *api, int times)
{
    for (int i = 0; r->graph && i < times; i++)
        if (!CUDA(r, api, cudaGraphLaunch, r->graph, r->stream))
            return false;
    return true;
}

bool ncs_bench_graph_drop(struct ncs_bench_rank *r, const struct ncs_api *api)
{
    cudaGraphExec_t graph = r->graph;
    r->graph = NULL;
    return !graph || CUDA(r, api, cudaGraphExecDestroy, graph);
}
