#include "sim/settings/cost.h"

#include <math.h>

#include "api/model.h"
#include "sim/kernel/world.h"

/* The model `plain`. */
#define PLAIN_NS 10000
#define PLAIN_BYTES_PER_NS 100

enum protocol { LL, LL128, SIMPLE, PROTOCOLS };

/* Microseconds, of NCCL 2.30.7 (src/graph/tuning.cc: baseLatencies, hwLatencies): of a launch, and of a step over
 * NVLink and over the network. */
static const double base_tree[PROTOCOLS] = { 6.8, 14, 8.4 }, base_ring[PROTOCOLS] = { 6.6, 14, 8.4 };
static const double nvlink_tree[PROTOCOLS] = { 0.6, 1.25, 4 }, nvlink_ring[PROTOCOLS] = { 0.6, 1.9, 3.4 };
static const double net_tree[PROTOCOLS] = { 5, 8.5, 14 }, net_ring[PROTOCOLS] = { 2.7, 4, 14 };
static const double nvls_latency = 25;
/* Of a copy: its kernel or its descriptor. */
static const double copy_latency = 2;
/* Of an event: it only orders others. */
static const double step_latency = 0.1;

struct job_size {
    double bytes;
    int nranks, hosts, steps; /* steps: of a ring */
    bool all_reduce;
};

static const struct ncs_model *cost_model(void)
{
    return sim_world.options.model > 0 ? &ncs_models[sim_world.options.model] : NULL;
}

static int64_t plain(size_t bytes)
{
    return PLAIN_NS + (int64_t)(bytes / PLAIN_BYTES_PER_NS);
}

static int64_t nanoseconds(double microseconds)
{
    return (int64_t)(microseconds * 1000);
}

/* GB/s are thousands of bytes in a microsecond. */
static double transfer(double bytes, double bandwidth)
{
    return bytes / (bandwidth * 1000);
}

/* What the NICs of one host carry: as many as its share of the GPUs has. */
static double host_bandwidth(const struct ncs_model *m, const struct job_size *s)
{
    double gpus = (double)s->nranks / s->hosts;
    double nics = gpus < m->gpus ? gpus * m->nics / m->gpus : m->nics;
    return m->nic * (nics < 1 ? 1 : nics);
}

static double bus_bandwidth(const struct ncs_model *m, const struct job_size *s)
{
    return s->hosts == 1 ? m->ring : fmin(m->ring, host_bandwidth(m, s));
}

static double most_of_ll(const struct ncs_model *m, const struct job_size *s)
{
    return m->ll[s->hosts <= 2 ? s->hosts - 1 : 2];
}

static double ring_time(const struct ncs_model *m, const struct job_size *s, enum protocol p)
{
    double bus = bus_bandwidth(m, s), step = nvlink_ring[p];
    int between = s->hosts == 1 ? 0 : s->all_reduce ? 2 * (s->hosts - 1) : s->hosts - 1;
    if (p == LL)
        bus = fmin(bus / 2, most_of_ll(m, s));
    else if (p == LL128)
        bus *= 120.0 / 128;
    if (s->hosts > 1)
        step = fmax(step, m->overhead * (p == SIMPLE ? 3 : 1));
    double latency = base_ring[p] + (s->steps - between) * step + between * net_ring[p];
    return latency + transfer(s->bytes * s->steps / s->nranks, bus);
}

/* A reduction up a tree, and the result down: all-reduces only. */
static double tree_time(const struct ncs_model *m, const struct job_size *s, enum protocol p)
{
    double bus = bus_bandwidth(m, s) * 0.92, levels = s->hosts > 1 ? floor(log2(s->hosts)) : 0;
    if (p == LL)
        bus = fmin(bus / 3.8, most_of_ll(m, s));
    else if (p == LL128)
        bus *= s->hosts == 1 ? 7.0 / 9 : 120.0 / 128;
    double chain = (double)s->nranks / s->hosts - 1;
    return base_tree[p] + 2 * (chain * nvlink_tree[p] + levels * net_tree[p]) + transfer(2 * s->bytes, bus);
}

static double nvls_time(const struct ncs_model *m, const struct job_size *s)
{
    return nvls_latency + transfer(s->bytes * s->steps / s->nranks, m->nvls);
}

/* A broadcast and a reduce pass through all ranks in a chain; an all-reduce goes around twice. */
static int ring_steps(enum ncs_fn fn, int nranks)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    if (info->rooted)
        return nranks;
    bool blocks = info->reads == NCS_BLOCKS_ALL || info->writes == NCS_BLOCKS_ALL;
    return blocks ? nranks - 1 : 2 * (nranks - 1);
}

int64_t sim_cost_step(void)
{
    return cost_model() ? nanoseconds(step_latency) : plain(0);
}

int64_t sim_cost_copy(size_t bytes, bool pcie)
{
    const struct ncs_model *m = cost_model();
    return m ? nanoseconds(copy_latency + transfer((double)bytes, pcie ? m->pcie : m->memory)) : plain(bytes);
}

int64_t sim_cost_collective(enum ncs_fn fn, size_t bytes, int nranks, int hosts)
{
    const struct ncs_model *m = cost_model();
    if (!m)
        return plain(bytes);
    if (nranks == 1)
        return sim_cost_copy(bytes, false);
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    struct job_size s = { (double)bytes, nranks, hosts, ring_steps(fn, nranks), false };
    s.all_reduce = info->reduces && !info->rooted && s.steps > nranks - 1;
    double best = INFINITY;
    for (enum protocol p = LL; p < PROTOCOLS; p++) {
        best = fmin(best, ring_time(m, &s, p));
        if (s.all_reduce)
            best = fmin(best, tree_time(m, &s, p));
    }
    if (s.all_reduce && hosts == 1 && m->nvls > 0)
        best = fmin(best, nvls_time(m, &s));
    return nanoseconds(best);
}

int64_t sim_cost_message(size_t bytes, bool same_host, int share)
{
    const struct ncs_model *m = cost_model();
    if (!m)
        return plain(bytes);
    const double *step = same_host ? nvlink_ring : net_ring;
    double bandwidth = same_host ? m->pair : m->nic, moved = (double)bytes * share;
    return nanoseconds(fmin(base_ring[LL] + step[LL] + transfer(moved, bandwidth / 4),
                            base_ring[SIMPLE] + step[SIMPLE] + transfer(moved, bandwidth)));
}
