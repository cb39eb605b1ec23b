/* A verification that trusts that nothing spoils results keeps less of the inputs, and must find the same: two verifications are
 * told of the same operations, one of which trusts. */
#include "verify_lab.h"

#include "sim/data/data.h"

enum layout { APART, IN_PLACE, SOME_IN_PLACE, SHIFTED, TANGLED, LAYOUTS };

enum { COUNT_MOST = 3000, ROOM = RANKS * RANKS * COUNT_MOST * 8 };

/* A bit of an output that is wrong as soon as it is written. */
struct spoilt {
    int rank, bit;
    size_t at;
};

struct lab {
    struct world w;
    struct ncs_verify *trusts;
    const struct shape *shape;
    const struct ncs_watch *watch; /* of the verification that trusts */
    struct spoilt spoilt[2];
    int spoils, hides; /* hides: this block is not shown; 0 = none */
    unsigned char *arena;
    uint64_t seed;
};

static uint64_t draw(struct lab *l, uint64_t below)
{
    return ncs_mix(l->seed++) % below;
}

static const enum ncs_fn functions[] = { NCS_FN_ncclAllReduce, NCS_FN_ncclReduce, NCS_FN_ncclReduceScatter, NCS_FN_ncclAllGather,
                                         NCS_FN_ncclBroadcast };

struct shape {
    enum ncs_fn fn;
    enum layout layout;
    int dtype, op, root;
    size_t count, in, out; /* bytes */
};

static void lay_out(struct lab *l, const struct shape *s)
{
    size_t block = s->count * ncs_dtype_bytes(s->dtype), pitch = s->in + s->out + 64;
    for (int r = 0; r < l->w.n; r++) {
        unsigned char *in = l->arena + (size_t)r * pitch, *out = in + s->in + 7;
        bool in_place = s->layout == IN_PLACE || (s->layout == SOME_IN_PLACE && r % 2);
        if (in_place && s->fn == NCS_FN_ncclReduceScatter)
            out = in + (size_t)r * block;
        else if (in_place && s->fn == NCS_FN_ncclAllGather)
            in = out + (size_t)r * block;
        else if (in_place)
            out = in;
        else if (s->layout == SHIFTED && r == 1)
            out = in + 1;
        else if (s->layout == TANGLED && r + 1 < l->w.n)
            out = in + pitch + 1;
        l->w.send[r] = in;
        l->w.recv[r] = out;
    }
}

static void fill_inputs(struct lab *l, const struct shape *s)
{
    size_t bytes = ncs_dtype_bytes(s->dtype);
    for (int r = 0; r < l->w.n; r++)
        for (size_t i = 0; i < s->in / bytes; i++) {
            uint64_t bits = draw(l, 64) ? ncs_mix(i / 8 * 8 + (size_t)r) : ncs_mix(l->seed++);
            if (is_float(s->dtype) && i % 32)
                put(s->dtype, l->w.send[r] + i * bytes, (long double)(bits % 61) - 20);
            else
                memcpy(l->w.send[r] + i * bytes, &bits, bytes);
        }
}

/* Spoils those of the outputs' bytes that have been written with the block. */
static void spoil(struct lab *l, size_t at, size_t bytes)
{
    const struct shape *s = l->shape;
    for (int i = 0; i < l->spoils; i++) {
        size_t begin = s->fn == NCS_FN_ncclReduceScatter ? (size_t)l->spoilt[i].rank * s->out : 0;
        if (begin + l->spoilt[i].at >= at && begin + l->spoilt[i].at < at + bytes)
            l->w.recv[l->spoilt[i].rank][l->spoilt[i].at] ^= (unsigned char)(1 << l->spoilt[i].bit);
    }
}

static void lab_before(void *self, size_t at, size_t bytes, void *room)
{
    struct lab *l = self;
    if (l->watch)
        l->watch->before(l->watch->self, at, bytes, room);
}

static void lab_after(void *self, size_t at, size_t bytes, const void *room)
{
    struct lab *l = self;
    spoil(l, at, bytes);
    if (l->watch && --l->hides != 0)
        l->watch->after(l->watch->self, at, bytes, room);
}

static void choose_spoilt(struct lab *l, const struct shape *s)
{
    for (uint64_t k = draw(l, 3); k > 0; k--) {
        int r = (int)draw(l, (uint64_t)l->w.n);
        if (s->fn != NCS_FN_ncclReduce || r == s->root)
            l->spoilt[l->spoils++] = (struct spoilt){ r, (int)draw(l, 8), draw(l, s->out) };
    }
}

static void move(struct lab *l, const struct shape *s)
{
    bool shown = l->w.n > 1 && s->fn != NCS_FN_ncclAllGather && s->fn != NCS_FN_ncclBroadcast;
    struct ncs_watch watch = { l, lab_before, lab_after };
    struct data_part part[RANKS] = { 0 };
    for (int r = 0; r < l->w.n; r++)
        part[r] = (struct data_part){ .send = l->w.send[r], .recv = l->w.recv[r], .dtype = s->dtype, .op = s->op };
    l->watch = ncs_verify_watch(l->trusts);
    ck_assert(shown || !l->watch);
    sim_data_move(&(struct data_task){
        .fn = s->fn, .nranks = l->w.n, .root = s->root, .count = s->count, .part = part, .watch = shown ? &watch : NULL });
    if (!shown)
        spoil(l, 0, SIZE_MAX);
}

static void compare_wrong(const struct lab *l, const struct shape *s)
{
    size_t a_kept, b_kept;
    uint64_t a_count, b_count;
    const struct ncs_wrong *a = ncs_verify_wrong(l->w.v, &a_kept, &a_count);
    const struct ncs_wrong *b = ncs_verify_wrong(l->trusts, &b_kept, &b_count);
    ck_assert_uint_eq(a_count, b_count);
    ck_assert_uint_eq(a_kept, b_kept);
    for (size_t i = 0; i < a_kept; i++) {
        ck_assert_ptr_eq(a[i].call, b[i].call);
        ck_assert_uint_eq(a[i].first, b[i].first);
        ck_assert_uint_eq(a[i].differ, b[i].differ);
        ck_assert_uint_eq(a[i].total, b[i].total);
        ck_assert_str_eq(a[i].got, b[i].got);
        ck_assert_str_eq(a[i].want, b[i].want);
        if (s->layout == TANGLED && a[i].pattern != NCS_PATTERN_STALE && a[i].pattern != NCS_PATTERN_ROOT)
            ck_assert_str_eq(a[i].text, b[i].text);
    }
}

/* A result that is wrong hides what it lost; who foresees it has looked before. */
static void compare_inexact(const struct lab *l)
{
    size_t a_count, b_count, kept;
    uint64_t wrongs;
    const struct ncs_inexact *a = ncs_verify_inexact(l->w.v, &a_count);
    const struct ncs_inexact *b = ncs_verify_inexact(l->trusts, &b_count);
    ncs_verify_wrong(l->w.v, &kept, &wrongs);
    if (wrongs > 0)
        return;
    ck_assert_uint_eq(a_count, b_count);
    for (size_t i = 0; i < a_count; i++) {
        ck_assert_uint_eq(a[i].element, b[i].element);
        ck_assert_str_eq(a[i].in, b[i].in);
        ck_assert_str_eq(a[i].got, b[i].got);
        ck_assert_str_eq(a[i].exact, b[i].exact);
    }
}

static void one(uint64_t seed)
{
    struct lab l = { .seed = seed * 1000003, .arena = calloc(1, ROOM) };
    int n = 1 + (int)draw(&l, 5);
    world_open(&l.w, n, true);
    l.trusts = ncs_verify_open(&l.w.journal, BUDGET);
    ncs_verify_ascending(l.trusts, true);
    ncs_verify_trust(l.trusts, true);

    struct shape s = { .fn = functions[draw(&l, 5)],
                       .layout = (enum layout)draw(&l, LAYOUTS),
                       .dtype = (int)draw(&l, ncclNumTypes),
                       .op = (int)draw(&l, ncclNumOps),
                       .root = (int)draw(&l, (uint64_t)n),
                       .count = 1 + draw(&l, COUNT_MOST) };
    size_t block = s.count * ncs_dtype_bytes(s.dtype);
    s.in = s.fn == NCS_FN_ncclReduceScatter ? block * (size_t)n : block;
    s.out = s.fn == NCS_FN_ncclAllGather ? block * (size_t)n : block;
    l.shape = &s;
    lay_out(&l, &s);
    fill_inputs(&l, &s);
    choose_spoilt(&l, &s);
    collective(&l.w, s.fn, s.count, s.dtype, s.op, s.root);
    before(&l.w);
    ncs_verify_before(l.trusts, l.w.set, (size_t)n);
    move(&l, &s);
    after(&l.w);
    ncs_verify_after(l.trusts, l.w.set, (size_t)n);
    ck_assert_uint_eq(ncs_verify_checked(l.w.v), ncs_verify_checked(l.trusts));
    compare_wrong(&l, &s);
    compare_inexact(&l);

    ncs_verify_close(l.trusts);
    memset(l.w.send, 0, sizeof l.w.send);
    memset(l.w.recv, 0, sizeof l.w.recv);
    world_close(&l.w);
    free(l.arena);
}

START_TEST(test_says_the_same)
{
    for (uint64_t seed = 1; seed <= 600; seed++)
        one(seed);
}
END_TEST

/* A driver that leaves out a block: results whose inputs are still there are computed afterwards, others are not verified. */
static void leave_out_block(enum layout layout, uint64_t checked)
{
    struct lab l = { .seed = 1, .arena = calloc(1, ROOM), .hides = 2 };
    struct shape s = { .fn = NCS_FN_ncclAllReduce, .layout = layout, .dtype = ncclFloat32, .op = ncclSum, .count = 3000 };
    world_open(&l.w, 3, true);
    l.trusts = ncs_verify_open(&l.w.journal, BUDGET);
    ncs_verify_ascending(l.trusts, true);
    ncs_verify_trust(l.trusts, true);
    s.in = s.out = 4 * s.count;
    l.shape = &s;
    lay_out(&l, &s);
    fill_inputs(&l, &s);
    collective(&l.w, s.fn, s.count, s.dtype, s.op, s.root);
    ncs_verify_before(l.trusts, l.w.set, 3);
    move(&l, &s);
    ncs_verify_after(l.trusts, l.w.set, 3);
    ck_assert_uint_eq(ncs_verify_checked(l.trusts), checked);
    ck_assert_uint_eq(ncs_verify_unchecked(l.trusts), 3 - checked);
    ncs_verify_close(l.trusts);
    memset(l.w.send, 0, sizeof l.w.send);
    memset(l.w.recv, 0, sizeof l.w.recv);
    world_close(&l.w);
    free(l.arena);
}

START_TEST(test_a_block_is_left_out)
{
    leave_out_block(APART, 3);
    leave_out_block(IN_PLACE, 0);
}
END_TEST

NCS_TEST_MAIN("verify_trust", test_says_the_same, test_a_block_is_left_out)
