/* Memory that nothing has written: the list of spans and what moves and combines memory, held against a map with an
 * entry for each byte. */
#include <string.h>

#include "api/journal.h"
#include "api/machine.h"
#include "base/hash.h"
#include "driver/driver.h"
#include "sim/data/memory.h"
#include "sim/data/unwritten.h"
#include "sim/kernel/world.h"
#include "harness.h"

enum { BYTES = 256, ORIGINS = 3, STEPS = 20000, BUFFERS = 4, WORDS = 16, WORD = 4 };

static struct ncs_random dice;

static size_t draw(size_t n)
{
    return (size_t)ncs_random_below(&dice, n);
}

static struct origin origins[ORIGINS];

/* ---- spans ---- */

static void spans_are(const struct spans *s, struct origin *const *map)
{
    struct origin *is[BYTES] = { NULL };
    for (size_t i = 0; i < s->count; i++) {
        ck_assert(s->span[i].from < s->span[i].to && s->span[i].to <= BYTES && s->span[i].origin);
        bool joins = i > 0 && s->span[i - 1].to == s->span[i].from && s->span[i - 1].origin == s->span[i].origin;
        ck_assert(i == 0 || s->span[i - 1].to <= s->span[i].from);
        ck_assert(!joins);
        for (size_t b = s->span[i].from; b < s->span[i].to; b++)
            is[b] = s->span[i].origin;
    }
    ck_assert(memcmp(is, map, sizeof is) == 0);
}

static void spans_cut_are(const struct spans *s, struct origin *const *map)
{
    struct origin *part[BYTES] = { NULL };
    struct spans out = { 0 };
    size_t from = draw(BYTES), to = from + draw(BYTES - from + 1), at = draw(BYTES - (to - from) + 1);
    memcpy(part + at, map + from, (to - from) * sizeof *part);
    sim_spans_cut(s, from, to, at, &out);
    spans_are(&out, part);
    sim_spans_free(&out);
}

START_TEST(random_spans)
{
    struct origin *map[BYTES] = { NULL };
    struct spans s = { 0 };
    dice = (struct ncs_random){ 1 };
    for (int i = 0; i < ORIGINS; i++)
        origins[i].references = 1;
    for (int step = 0; step < STEPS; step++) {
        size_t from = draw(BYTES), most = draw(4) ? 8 : BYTES, rest = BYTES - from;
        size_t to = from + draw((rest < most ? rest : most) + 1);
        struct origin *o = draw(2) ? NULL : &origins[draw(ORIGINS)];
        sim_spans_put(&s, from, to, o);
        for (size_t b = from; b < to; b++)
            map[b] = o;
        spans_are(&s, map);
        if (step % 16 == 0)
            spans_cut_are(&s, map);
    }
    sim_spans_free(&s);
    for (int i = 0; i < ORIGINS; i++)
        ck_assert_uint_eq(origins[i].references, 1);
}
END_TEST

/* What a list has no room for counts as taken out, never the other way round. */
START_TEST(bounded_spans)
{
    enum { MANY = 100000 };
    struct spans s = { 0 };
    size_t left = 0;
    origins[0].references = 1;
    sim_spans_put(&s, 0, 3 * MANY, &origins[0]);
    for (size_t i = 0; i < MANY; i++)
        sim_spans_put(&s, 3 * i, 3 * i + 1, NULL);
    ck_assert_uint_eq(s.count, SPANS_MOST);
    for (size_t i = 0; i < s.count; i++) {
        left += s.span[i].to - s.span[i].from;
        ck_assert(s.span[i].from % 3 == 1 && s.span[i].to - s.span[i].from == 2);
    }
    ck_assert(left >= 2 * (SPANS_MOST - 1));
    sim_spans_free(&s);
    ck_assert_uint_eq(origins[0].references, 1);
}
END_TEST

/* ---- memory ---- */

/* By byte: which buffers' allocations it may come from, as bits; 0 = it is written. */
typedef unsigned char buffer_map[WORDS * WORD];

static struct reported {
    size_t count;
    size_t first, elements;
    enum ncs_unwritten_use use;
    struct ncs_call *from, *carrier;
} told;

static bool told_of[WORDS * WORD]; /* elements */

static void on_unwritten(void *self, const struct ncs_unwritten *what)
{
    (void)self;
    for (size_t i = 0; i < what->count; i++)
        told_of[what->first + i] = true;
    told = (struct reported){ told.count + 1, what->first, what->count, what->use, what->from[0], what->carrier };
}

static char *buffer[BUFFERS];
static buffer_map model[BUFFERS];
static struct ncs_call made[BUFFERS], mover;

static void buffer_is(int b)
{
    struct spans s = { 0 };
    unsigned char is[WORDS * WORD] = { 0 };
    sim_unwritten_find(buffer[b], sizeof is, 0, &s);
    for (size_t i = 0; i < s.count; i++)
        memset(is + s.span[i].from, 1, s.span[i].to - s.span[i].from);
    for (size_t i = 0; i < sizeof is; i++)
        ck_assert_uint_eq(is[i], model[b][i]);
    ck_assert_uint_eq(sim_memory_written(buffer[b], sizeof is), s.count == 0);
    sim_spans_free(&s);
}

static void step_write(int b, size_t at, size_t bytes)
{
    sim_unwritten_write(buffer[b] + at, bytes);
    memset(model[b] + at, 0, bytes);
}

static void step_copy(int to, int from, size_t at, size_t bytes)
{
    size_t source = draw(WORDS * WORD - bytes + 1);
    buffer_map before;
    memcpy(before, model[from], sizeof before);
    sim_unwritten_copy(buffer[to] + at, buffer[from] + source, bytes, &mover);
    memcpy(model[to] + at, before + source, bytes);
}

/* Adds words of all buffers into one: where all are unwritten the result is, where some are they are reported. */
static void step_combine(int to)
{
    struct operand operand[BUFFERS];
    struct spans result = { 0 };
    bool all[WORDS], mixed[BUFFERS] = { false };
    size_t reports = 0, before = told.count;
    for (size_t w = 0; w < WORDS; w++) {
        size_t some = 0;
        bool is[BUFFERS];
        for (int b = 0; b < BUFFERS; b++) {
            is[b] = false;
            for (size_t i = w * WORD; i < (w + 1) * WORD; i++)
                is[b] |= model[b][i] != 0;
            some += is[b];
        }
        all[w] = some == BUFFERS;
        for (int b = 0; b < BUFFERS; b++)
            mixed[b] |= is[b] && some < BUFFERS;
    }
    for (int b = 0; b < BUFFERS; b++) {
        operand[b] = (struct operand){ buffer[b], &mover };
        reports += mixed[b];
    }
    sim_unwritten_combine(operand, BUFFERS, WORDS * WORD, WORD, &result);
    ck_assert_uint_eq(told.count - before, reports);
    ck_assert(reports == 0 || told.use == NCS_UNWRITTEN_COMBINED);
    for (int b = 0; b < BUFFERS; b++)
        if (mixed[b])
            memset(model[b], 0, sizeof *model);
    sim_unwritten_put(buffer[to], WORDS * WORD, &result, 0);
    for (size_t w = 0; w < WORDS; w++)
        memset(model[to] + w * WORD, all[w], WORD);
    sim_spans_free(&result);
}

static void step_use(int b, size_t at, size_t bytes)
{
    size_t before = told.count, unwritten = 0;
    memset(told_of, 0, sizeof told_of);
    sim_unwritten_use(NCS_UNWRITTEN_COPIED, buffer[b] + at, bytes, 1, &mover);
    for (size_t i = 0; i < sizeof told_of; i++) {
        bool is = i >= at && i < at + bytes && model[b][i];
        ck_assert_uint_eq(told_of[i], is);
        unwritten += is;
    }
    ck_assert_uint_eq(told.count > before, unwritten > 0);
    ck_assert(!unwritten || (told.carrier ? told.carrier == &mover : told.from == &made[b]));
    memset(model[b] + at, 0, bytes);
}

static void buffer_new(int b, struct ncs_local *local)
{
    void *p = NULL;
    if (buffer[b])
        sim_memory_free(sim_memory_find(buffer[b]));
    local->call = &made[b];
    ck_assert_int_eq(sim_memory_new(sim_world_process(0), 0, MEMORY_DEVICE, WORDS * WORD, &p), 0);
    buffer[b] = p;
    memset(model[b], 1, sizeof model[b]);
}

static void random_step(struct ncs_local *local)
{
    int b = (int)draw(BUFFERS);
    size_t at = draw(WORDS * WORD), bytes = draw(3) ? draw(8) : draw(WORDS * WORD);
    bytes = bytes < WORDS * WORD - at ? bytes : WORDS * WORD - at;
    switch (draw(10)) {
    case 0:
    case 1:
    case 2: step_write(b, at, bytes); break;
    case 3:
    case 4:
    case 5: step_copy(b, (int)draw(BUFFERS), at, bytes); break;
    case 6: step_combine(b); break;
    case 7: step_use(b, at, bytes); break;
    default: buffer_new(b, local); break;
    }
}

START_TEST(random_memory)
{
    const struct ncs_machine *m = ncs_driver_sim.machine;
    struct ncs_error err;
    struct ncs_local local = { .rank = 0 }, *outer = ncs_local;
    uint64_t objects, bytes, before, trace;
    dice = (struct ncs_random){ 2 };
    ck_assert(m->open(&(struct ncs_machine_options){ .ranks = 1 }, &err));
    m->observe(&(struct ncs_observer){ .unwritten = on_unwritten });
    ncs_local = &local;
    sim_world_process(0);
    m->stats(&before, &bytes, &trace);
    for (int b = 0; b < BUFFERS; b++)
        buffer_new(b, &local);
    for (int step = 0; step < STEPS; step++) {
        random_step(&local);
        for (int b = 0; b < BUFFERS; b++)
            buffer_is(b);
    }
    ck_assert(told.count > 100);
    for (int b = 0; b < BUFFERS; b++) {
        sim_memory_free(sim_memory_find(buffer[b]));
        ck_assert_uint_eq(made[b].pins, 0);
    }
    ck_assert_uint_eq(mover.pins, 0);
    ck_assert_uint_eq(sim_world.unwritten, 0);
    m->stats(&objects, &bytes, &trace);
    ck_assert_uint_eq(objects, before);
    ncs_local = outer;
    m->close();
}
END_TEST

NCS_TEST_MAIN("unwritten", random_spans, bounded_spans, random_memory)
