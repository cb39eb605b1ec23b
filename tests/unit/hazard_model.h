/* The order of one rank's doings, written down plainly: every operation and every step of the host is a
 * node, which knows all nodes that come before it. Two uses of the same bytes, one of which writes, are
 * a hazard if neither comes before the other. Nothing is forgotten, and nothing is clever. */
#ifndef NCS_TESTS_UNIT_HAZARD_MODEL_H
#define NCS_TESTS_UNIT_HAZARD_MODEL_H

#include "harness.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { NODES = 384, USES = 256, LANES = 16, LINES = 3, EVENTS = 2, FOUND = 64 };

typedef uint16_t node; /* 0: the beginning, before all */

struct lane {
    bool legacy, blocking;
    int device;
    node tail;
};

struct use {
    node at;
    int call, from, to; /* bytes of one memory that holds all buffers */
    bool writes;
};

struct model {
    uint64_t before[NODES][NODES / 64];
    int nodes;
    struct lane lane[LANES]; /* streams, those that are gone included */
    int lanes;
    node host, line[LINES], event[EVENTS];
    node told[NODES]; /* host functions */
    int tolds;
    struct use use[USES];
    int uses;
    struct {
        int earlier, later;
    } found[FOUND];
    int founds;
};

static inline void model_open(struct model *m)
{
    memset(m, 0, sizeof *m);
    m->nodes = 1;
}

static inline bool model_is_before(const struct model *m, node a, node b)
{
    return a == b || m->before[b][a / 64] >> a % 64 & 1;
}

static inline node model_node(struct model *m)
{
    ck_assert_int_lt(m->nodes, NODES);
    return (node)m->nodes++;
}

static inline void model_after(struct model *m, node later, node earlier)
{
    for (int i = 0; i < NODES / 64; i++)
        m->before[later][i] |= m->before[earlier][i];
    m->before[later][earlier / 64] |= 1ull << earlier % 64;
}

static inline int model_add_lane(struct model *m, int device, bool legacy, bool blocking)
{
    ck_assert_int_lt(m->lanes, LANES);
    m->lane[m->lanes] = (struct lane){ .device = device, .legacy = legacy, .blocking = blocking };
    return m->lanes++;
}

/* The next operation of a stream comes after all these. */
static inline void model_after_lane(struct model *m, node n, int which)
{
    const struct lane *own = &m->lane[which];
    model_after(m, n, m->host);
    model_after(m, n, own->tail);
    for (int i = 0; i < m->lanes; i++)
        if (m->lane[i].device == own->device && (own->legacy ? m->lane[i].blocking : own->blocking && m->lane[i].legacy))
            model_after(m, n, m->lane[i].tail);
}

static inline node model_in_lane(struct model *m, int which)
{
    node n = model_node(m);
    model_after_lane(m, n, which);
    return m->lane[which].tail = n;
}

static inline void model_host_after(struct model *m, node n)
{
    node step = model_node(m);
    model_after(m, step, m->host);
    model_after(m, step, n);
    m->host = step;
}

static inline void model_hear(struct model *m)
{
    for (int i = 0; i < m->tolds; i++)
        model_host_after(m, m->told[i]);
    m->tolds = 0;
}

static inline void model_use(struct model *m, node at, int call, int from, int bytes, bool writes)
{
    for (int i = 0; i < m->uses; i++) {
        const struct use *u = &m->use[i];
        if (u->call != call && u->from < from + bytes && from < u->to && (writes || u->writes) &&
            !model_is_before(m, u->at, at) && m->founds < FOUND) {
            m->found[m->founds].earlier = u->call;
            m->found[m->founds++].later = call;
        }
    }
    ck_assert_int_lt(m->uses, USES);
    m->use[m->uses++] = (struct use){ at, call, from, from + bytes, writes };
}

/* The memory is gone: what comes to lie there has no past. */
static inline void model_forget(struct model *m, int from, int bytes)
{
    int kept = 0;
    for (int i = 0; i < m->uses; i++)
        if (m->use[i].from < from || m->use[i].to > from + bytes)
            m->use[kept++] = m->use[i];
    m->uses = kept;
}

#endif
