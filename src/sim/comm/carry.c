#include "sim/comm/carry.h"

#include "api/types.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/launch.h"
#include "sim/comm/meeting.h"
#include "sim/data/memory.h"
#include "sim/data/unwritten.h"

static const struct ncs_fn_info *carry_info(const struct meeting *meeting)
{
    return &ncs_fn_info[meeting->part[0]->fn];
}

/* Bytes of a rank's input. */
static size_t input_bytes(const struct meeting *meeting)
{
    bool many = ncs_blocks_are_many(carry_info(meeting)->reads);
    return meeting->part[0]->bytes * (many ? (size_t)meeting->expected : 1);
}

void sim_carry_check(const struct meeting *meeting)
{
    if (!sim_unwritten_any() || meeting->pair || !carry_info(meeting)->reduces)
        return;
    for (int i = 0; i < meeting->expected; i++)
        sim_unwritten_check(meeting->part[i]->send, input_bytes(meeting));
}

/* What is unwritten of the combined inputs. A rank alone copies. */
static void combine_inputs(const struct meeting *meeting, struct spans *result)
{
    const struct part *first = meeting->part[0];
    size_t ranks = (size_t)meeting->expected;
    struct operand *operand = ncs_new(ranks * sizeof *operand);
    for (size_t i = 0; i < ranks; i++) {
        const struct part *p = meeting->part[i];
        operand[i] = (struct operand){ p->send, p->call };
        if (p->scalar_pointer)
            sim_unwritten_use(NCS_UNWRITTEN_SCALAR, p->scalar_pointer, ncs_dtype_bytes(p->dtype), ncs_dtype_bytes(p->dtype),
                              p->call);
    }
    sim_unwritten_combine(operand, ranks, input_bytes(meeting), ncs_dtype_bytes(first->dtype), result);
    ncs_free(operand);
}

/* What is unwritten of the inputs one behind the other; of the root's alone where only the root is read. */
static void join_inputs(const struct meeting *meeting, struct spans *result)
{
    const struct part *first = meeting->part[0];
    size_t bytes = first->bytes;
    bool of_root = carry_info(meeting)->reads == NCS_BLOCKS_ROOT_ONE;
    for (int i = 0; i < meeting->expected; i++)
        if (!of_root || i == first->root)
            sim_unwritten_find(meeting->part[i]->send, bytes, of_root ? 0 : (size_t)i * bytes, result);
    sim_unwritten_carry(result, first->call);
}

void sim_carry_collective(const struct meeting *meeting)
{
    if (!sim_unwritten_any())
        return;
    const struct ncs_fn_info *info = carry_info(meeting);
    size_t bytes = meeting->part[0]->bytes;
    bool scatters = info->reduces && ncs_blocks_are_many(info->reads);
    struct spans is = { 0 };
    info->reduces ? combine_inputs(meeting, &is) : join_inputs(meeting, &is);
    for (int i = 0; i < meeting->expected; i++) {
        const struct part *p = meeting->part[i];
        if (p->recv && (info->writes != NCS_BLOCKS_ROOT_ONE || i == p->root))
            sim_unwritten_put(p->recv, p->writes, &is, scatters ? (size_t)i * bytes : 0);
    }
    sim_spans_free(&is);
}

void sim_carry_pair(const struct meeting *meeting, size_t bytes)
{
    const struct part *send = meeting->part[0], *recv = meeting->part[1];
    if (meeting->bounce)
        sim_unwritten_put(recv->recv, bytes, &meeting->unwritten, 0);
    else if (sim_unwritten_any() && send->send != recv->recv)
        sim_unwritten_copy(recv->recv, send->send, bytes, send->call);
}

void sim_carry_ahead(struct meeting *meeting)
{
    const struct part *send = meeting->part[0];
    if (!sim_unwritten_any())
        return;
    sim_unwritten_find(send->send, meeting->bounce_bytes, 0, &meeting->unwritten);
    sim_unwritten_carry(&meeting->unwritten, send->call);
}

void sim_carry_put(const struct part *part, void *to)
{
    if (sim_unwritten_any())
        sim_unwritten_copy(to, part->send, part->bytes, part->call);
}
