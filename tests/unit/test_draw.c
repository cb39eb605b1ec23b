/* Drawings of collectives: whatever is drawn fits its width and its signs, tells the values that are
 * there, and leaves out only what it says that it leaves out. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"
#include "report/draw_grid.h"
#include "report/draw_math.h"

/* ---- collectives by hand ---- */

static const enum ncs_fn functions[] = {
    NCS_FN_ncclAllReduce, NCS_FN_ncclReduce,   NCS_FN_ncclReduceScatter, NCS_FN_ncclAllGather,
    NCS_FN_ncclBroadcast, NCS_FN_ncclAlltoAll, NCS_FN_ncclGather,        NCS_FN_ncclScatter,
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, EACH = 4 };

static bool is_root(const struct ncs_seen *s, int rank)
{
    return rank == s->root;
}

/* Blocks of the input and of the output of a rank. */
static uint64_t blocks_in(const struct ncs_seen *s, int rank)
{
    switch (s->fn) {
    case NCS_FN_ncclReduceScatter:
    case NCS_FN_ncclAlltoAll: return (uint64_t)s->ranks;
    case NCS_FN_ncclBroadcast: return is_root(s, rank);
    case NCS_FN_ncclScatter: return is_root(s, rank) ? (uint64_t)s->ranks : 0;
    default: return 1;
    }
}

static uint64_t blocks_out(const struct ncs_seen *s, int rank)
{
    switch (s->fn) {
    case NCS_FN_ncclAllGather:
    case NCS_FN_ncclAlltoAll: return (uint64_t)s->ranks;
    case NCS_FN_ncclReduce: return is_root(s, rank);
    case NCS_FN_ncclGather: return is_root(s, rank) ? (uint64_t)s->ranks : 0;
    default: return 1;
    }
}

/* Element i that the rank puts in; few and small, so that sums fit every type. */
static int put_in(int rank, uint64_t i)
{
    return (int)((3 * (uint64_t)rank + 7 * (uint64_t)rank * i + i) % 9);
}

static int come_out(const struct ncs_seen *s, int rank, uint64_t i)
{
    int from = s->count ? (int)(i / s->count) : 0, sum = 0;
    uint64_t within = s->count ? i % s->count : 0;
    switch (s->fn) {
    case NCS_FN_ncclAllGather:
    case NCS_FN_ncclGather: return put_in(from, within);
    case NCS_FN_ncclAlltoAll: return put_in(from, (uint64_t)rank * s->count + within);
    case NCS_FN_ncclBroadcast: return put_in(s->root, i);
    case NCS_FN_ncclScatter: return put_in(s->root, (uint64_t)rank * s->count + i);
    case NCS_FN_ncclReduceScatter: i += (uint64_t)rank * s->count; break;
    default: break;
    }
    for (int r = 0; r < s->ranks; r++)
        sum += put_in(r, i);
    return sum;
}

static void write_element(int dtype, unsigned char *at, int value)
{
    static const unsigned char halves[] = { 0x00, 0x3c, 0x40, 0x42, 0x44, 0x45, 0x46, 0x47, 0x48 };
    float single = (float)value;
    double wide = value;
    int64_t word = value;
    uint32_t bits;
    switch (dtype) {
    case ncclFloat32: memcpy(at, &single, 4); break;
    case ncclFloat64: memcpy(at, &wide, 8); break;
    case ncclFloat16: at[0] = 0, at[1] = halves[value % 9]; break;
    case ncclBfloat16:
        memcpy(&bits, &single, 4);
        at[0] = (unsigned char)(bits >> 16), at[1] = (unsigned char)(bits >> 24);
        break;
    case ncclFloat8e4m3:
    case ncclFloat8e5m2: at[0] = (unsigned char)(value % 64); break;
    default: memcpy(at, &word, ncs_dtype_bytes(dtype));
    }
}

static void sample(struct ncs_seen *s, struct ncs_sample *to, bool out, int rank, uint64_t blocks)
{
    size_t bytes = ncs_dtype_bytes(s->dtype), kept = 0;
    bool whole = blocks == 1 && s->fn != NCS_FN_ncclAllGather && s->fn != NCS_FN_ncclGather && s->fn != NCS_FN_ncclScatter &&
                 s->fn != NCS_FN_ncclReduceScatter;
    uint64_t n = (uint64_t)s->ranks;
    to->count = blocks * s->count;
    to->part = whole ? (s->count + n - 1) / n : s->count;
    to->part = to->part ? to->part : 1;
    to->each = to->part < EACH ? to->part : EACH;
    to->bytes = ncs_new((size_t)(n * blocks + n) * EACH * bytes + 8);
    for (uint64_t at = 0; at < to->count; at += to->part)
        for (uint64_t i = at; i < to->count && i < at + to->each; i++)
            write_element(s->dtype, to->bytes + bytes * kept++, out ? come_out(s, rank, i) : put_in(rank, i));
}

static struct ncs_seen *make(enum ncs_fn fn, int ranks, uint64_t count, int dtype)
{
    struct ncs_seen *s = ncs_seen_new(ranks);
    s->comm = ncs_copy_text("world");
    s->call = ncs_copy_text("Collective of some type and count");
    s->number = 7;
    s->fn = fn;
    s->count = count;
    s->dtype = dtype;
    s->op = ncclSum;
    s->root = fn == NCS_FN_ncclReduce || fn == NCS_FN_ncclBroadcast || fn == NCS_FN_ncclGather || fn == NCS_FN_ncclScatter
                  ? ranks / 2
                  : -1;
    s->over = true;
    for (int r = 0; r < ranks; r++) {
        s->rank[r] = (struct ncs_seen_rank){ .rank = r, .presence = NCS_OVER, .number = 7, .line = 12 };
        sample(s, &s->rank[r].before, false, r, blocks_in(s, r));
        sample(s, &s->rank[r].after, true, r, blocks_out(s, r));
    }
    return s;
}

static char *drawn(const struct ncs_seen *s, struct ncs_draw_style style)
{
    struct ncs_str out = { 0 };
    ncs_draw(s, &style, &out);
    return ncs_str_take(&out);
}

/* ---- what holds of every drawing ---- */

/* Why the line is not as lines are, or NULL. All signs of a drawing are one cell wide. */
static const char *fault_of(const char *line, size_t bytes, size_t width, bool unicode)
{
    size_t cells = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)line[i];
        cells += (c & 0xc0) != 0x80;
        if (c < ' ' || c == 0x7f)
            return "a control character";
        if (c > 0x7f && !unicode)
            return "not ASCII";
    }
    return cells > width ? "too wide" : bytes && line[bytes - 1] == ' ' ? "blanks at an end" : NULL;
}

/* One assertion for all of it: each is slow. */
static size_t fits(const char *text, int width, bool unicode)
{
    size_t lines = 0, most = width < 48 ? 48 : (size_t)width;
    const char *fault = text && *text && text[strlen(text) - 1] == '\n' ? NULL : "no whole lines";
    for (const char *line = text; !fault && *line; line += strcspn(line, "\n") + 1, lines++)
        fault = fault_of(line, strcspn(line, "\n"), most, unicode);
    ck_assert_msg(!fault, "%s at width %d:\n%s", fault, width, text);
    return lines;
}

static void draw_all_ways(const struct ncs_seen *s)
{
    static const int widths[] = { 20, 61, 80, 200 };
    for (int what = NCS_DRAW_CALLS; what <= NCS_DRAW_TREE; what++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int unicode = 0; unicode < 2; unicode++) {
                struct ncs_draw_style style = { .what = (enum ncs_draw_what)what, .width = widths[w], .unicode = unicode };
                char *text = drawn(s, style);
                size_t lines = fits(text, widths[w], unicode);
                ck_assert_msg(lines <= (what == NCS_DRAW_CALLS ? 28 : 180), "%zu lines:\n%s", lines, text);
                ncs_free(text);
            }
}

START_TEST(all_fit_whatever_is_drawn)
{
    static const int ranks[] = { 1, 2, 8, 40 };
    static const uint64_t counts[] = { 0, 1, 3, 100 };
    for (size_t f = 0; f < FUNCTIONS; f++)
        for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                struct ncs_seen *s = make(functions[f], ranks[r], counts[c], ncclInt32);
                draw_all_ways(s);
                ncs_seen_free(s);
            }
}
END_TEST

START_TEST(all_types_fit)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        for (size_t f = 0; f < FUNCTIONS; f++) {
            struct ncs_seen *s = make(functions[f], 4, 2, dtype);
            draw_all_ways(s);
            ncs_seen_free(s);
        }
}
END_TEST

/* Bytes of all sorts: numbers of any length, nan and inf. */
START_TEST(all_bits_fit)
{
    uint64_t state = 1;
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        for (int f = 0; f < FUNCTIONS; f++) {
            struct ncs_seen *s = make(functions[f], 3, 3, dtype);
            for (int r = 0; r < 3; r++)
                for (uint64_t i = 0; i < s->rank[r].before.count * ncs_dtype_bytes(dtype); i++)
                    s->rank[r].before.bytes[i] = (unsigned char)((state = state * 6364136223846793005u + 1442695040888963407u) >>
                                                                 56);
            draw_all_ways(s);
            ncs_seen_free(s);
        }
}
END_TEST

static void drop_values(struct ncs_seen *s)
{
    for (int r = 0; r < s->ranks; r++) {
        ncs_free(s->rank[r].before.bytes);
        ncs_free(s->rank[r].after.bytes);
        s->rank[r].before.bytes = s->rank[r].after.bytes = NULL;
    }
}

/* More elements than an int counts, of which nothing was kept. */
START_TEST(huge_ones_without_values_fit)
{
    for (size_t f = 0; f < FUNCTIONS; f++) {
        struct ncs_seen *s = make(functions[f], 8, 1, ncclFloat32);
        drop_values(s);
        s->count = (uint64_t)1 << 50;
        for (int r = 0; r < 8; r++) {
            s->rank[r].before.count *= s->count;
            s->rank[r].after.count *= s->count;
        }
        draw_all_ways(s);
        s->unfit = "the ranks disagree";
        draw_all_ways(s);
        ncs_seen_free(s);
    }
}
END_TEST

START_TEST(what_is_not_over_names_who_is_missing)
{
    for (size_t f = 0; f < FUNCTIONS; f++) {
        struct ncs_seen *s = make(functions[f], 5, 2, ncclInt32);
        drop_values(s);
        s->over = false;
        for (int r = 0; r < 5; r++)
            s->rank[r].presence = r == 3 ? NCS_ABSENT : r == 4 ? NCS_CALLED : NCS_PRESENT;
        s->rank[1].call = ncs_copy_text("AllGather int8 x 1");
        draw_all_ways(s);
        char *text = drawn(s, (struct ncs_draw_style){ .what = NCS_DRAW_CALLS });
        ck_assert_msg(strstr(text, "it waits for rank 3\n"), "%s", text);
        ck_assert_msg(strstr(text, "missing: made 7 calls\n"), "%s", text);
        ck_assert_msg(strstr(text, "at odds: AllGather int8 x 1, line 12\n"), "%s", text);
        ck_assert_msg(!strstr(text, "after"), "%s", text);
        ncs_free(text);
        ncs_seen_free(s);
    }
}
END_TEST

/* ---- what the drawing tells ---- */

/* Cell `column` of the table that begins at the last or the first bar but columns of the line. */
static int cell_of(const char *line, bool last, int columns, int column)
{
    char copy[512], *bar[64];
    int bars = 0;
    ck_assert_uint_lt(strcspn(line, "\n"), sizeof copy);
    memcpy(copy, line, strcspn(line, "\n"));
    copy[strcspn(line, "\n")] = '\0';
    for (char *c = copy; *c && bars < 64; c++)
        if (*c == '|')
            bar[bars++] = c;
    ck_assert_int_gt(bars, columns);
    const char *at = bar[last ? bars - 1 - columns + column : column] + 1;
    at += strspn(at, " ");
    return *at == '.' ? -1 : atoi(at);
}

static const char *row_of(const char *text, int rank)
{
    char name[32];
    snprintf(name, sizeof name, "\n  rank %d ", rank);
    const char *table = strstr(text, " before"), *row = strstr(table ? table : text, name);
    ck_assert_msg(row, "no row of rank %d:\n%s", rank, text);
    return row + 1;
}

/* With room for all, each cell holds the element that it should. */
static void tells(const struct ncs_seen *s, bool blocks)
{
    int columns = blocks ? s->ranks : (int)s->count;
    char *text = drawn(s, (struct ncs_draw_style){ .what = NCS_DRAW_CALLS, .width = 240 });
    for (int r = 0; r < s->ranks; r++)
        for (int c = 0; c < columns; c++)
            for (int after = 0; after < 2; after++) {
                uint64_t held = after ? blocks_out(s, r) : blocks_in(s, r);
                int block = !blocks || (held == 1 && s->ranks > 1) ? 0 : c, want = -1;
                if (held && (!blocks || held > 1 || s->ranks == 1 || c == r)) {
                    uint64_t i = blocks ? (uint64_t)block * s->count : (uint64_t)c;
                    want = after ? come_out(s, r, i) : put_in(r, i);
                }
                int got = cell_of(row_of(text, r), after, columns, c);
                ck_assert_msg(got == want, "rank %d, column %d: %d, not %d:\n%s", r, c, got, want, text);
            }
    ncs_free(text);
}

START_TEST(each_cell_tells_what_the_rank_has)
{
    for (int ranks = 1; ranks <= 8; ranks++)
        for (size_t f = 0; f < FUNCTIONS; f++) {
            bool moved = functions[f] == NCS_FN_ncclAllGather || functions[f] == NCS_FN_ncclAlltoAll ||
                         functions[f] == NCS_FN_ncclGather || functions[f] == NCS_FN_ncclScatter;
            if (moved) /* its values need not tell one piece from another: see below */
                continue;
            struct ncs_seen *s = make(functions[f], ranks, 1 + ranks % 3, ncclInt32);
            tells(s, functions[f] == NCS_FN_ncclReduceScatter);
            ncs_seen_free(s);
        }
}
END_TEST

/* The pieces of a 3 x 3 exchange all begin with 0, so they go by names. */
START_TEST(pieces_that_look_alike_have_names)
{
    struct ncs_seen *s = make(NCS_FN_ncclAlltoAll, 3, 2, ncclInt8);
    for (int r = 0; r < 3; r++) {
        memset(s->rank[r].before.bytes, 0, 6);
        memset(s->rank[r].after.bytes, 0, 6);
    }
    char *text = drawn(s, (struct ncs_draw_style){ .what = NCS_DRAW_CALLS });
    ck_assert_msg(strstr(text, "| A0 | A1 | A2 |--+   +->| A0 | B0 | C0 |\n"), "%s", text);
    ck_assert_msg(strstr(text, "| C0 | C1 | C2 |--+   +->| A2 | B2 | C2 |\n"), "%s", text);
    ncs_free(text);
    s->rank[1].after.bytes[3] = 5; /* not what rank 1 should have of rank 1 */
    s->rank[1].wrongs = 1;
    text = drawn(s, (struct ncs_draw_style){ .what = NCS_DRAW_CALLS });
    ck_assert_msg(strstr(text, "+->| A1 | ?! | C1 |\n"), "%s", text);
    ck_assert_msg(strstr(text, "\n  ! the result is wrong on rank 1\n"), "%s", text);
    ncs_free(text);
    ncs_seen_free(s);
}
END_TEST

START_TEST(wrong_elements_are_marked)
{
    struct ncs_seen *s = make(NCS_FN_ncclAllReduce, 2, 3, ncclInt32);
    s->rank[1].wrongs = 1;
    s->rank[1].after.wrong = ncs_new(8);
    s->rank[1].after.wrong[1] = true;
    char *text = drawn(s, (struct ncs_draw_style){ .what = NCS_DRAW_CALLS });
    char *mark = strchr(row_of(text, 1), '!');
    ck_assert_msg(mark && mark == strchr(text, '!') && mark[2] == '|', "%s", text);
    ck_assert_msg(strstr(text, "\n  ! the result is wrong on rank 1\n"), "%s", text);
    ncs_free(text);
    ncs_seen_free(s);
}
END_TEST

/* The last step leaves the results that the simulator has computed. */
START_TEST(the_ring_ends_with_the_result)
{
    for (int ranks = 2; ranks <= 8; ranks++)
        for (uint64_t count = 1; count < 20; count += 3) {
            struct ncs_seen *s = make(NCS_FN_ncclAllReduce, ranks, count, ncclInt64);
            char *text = drawn(s, (struct ncs_draw_style){ .what = NCS_DRAW_STEPS, .width = 240 });
            char last[64];
            snprintf(last, sizeof last, "\n  step %d of %d\n", ranks - 1, ranks - 1);
            const char *end = strstr(text, last);
            ck_assert_msg(end && strstr(end + 1, last), "%s", text); /* of the reduce-scatter first */
            end = strstr(end + 1, last);
            for (int r = 0; r < ranks; r++)
                for (int c = 0; c < ranks; c++) {
                    uint64_t part = (count + (uint64_t)ranks - 1) / (uint64_t)ranks;
                    int want = (uint64_t)c * part < count ? come_out(s, r, (uint64_t)c * part) : -1;
                    const char *row = row_of(end, r);
                    char *marks, copy[512];
                    memcpy(copy, row, strcspn(row, "\n") + 1);
                    while ((marks = strchr(copy, '>')) != NULL && marks < strrchr(copy, '|'))
                        *marks = ' ';
                    ck_assert_msg(cell_of(copy, false, ranks, c) == want, "rank %d, chunk %d:\n%s", r, c, text);
                }
            ncs_free(text);
            ncs_seen_free(s);
        }
}
END_TEST

START_TEST(the_tree_ends_with_the_result)
{
    for (int ranks = 2; ranks <= 16; ranks++) {
        struct ncs_seen *s = make(NCS_FN_ncclAllReduce, ranks, 2, ncclInt64);
        char *text = drawn(s, (struct ncs_draw_style){ .what = NCS_DRAW_TREE, .width = 120 });
        char want[64];
        snprintf(want, sizeof want, "\n  rank 0  0, with all below %d\n", come_out(s, 0, 0));
        ck_assert_msg(strstr(text, want), "not \"%s\":\n%s", want + 1, text);
        for (int r = 1; r < ranks; r++) {
            snprintf(want, sizeof want, "+- rank %d  %d", r, put_in(r, 0));
            ck_assert_msg(strstr(text, want), "no %s:\n%s", want, text);
        }
        ncs_free(text);
        ncs_seen_free(s);
    }
}
END_TEST

/* ---- numbers ---- */

static void number_is(int dtype, const void *element, const char *want, bool rounded)
{
    struct ncs_str out = { 0 };
    ck_assert_int_eq(ncs_draw_value(dtype, element, &out), rounded);
    ck_assert_str_eq(out.text, want);
    ncs_str_free(&out);
}

START_TEST(numbers_are_short)
{
    static const struct {
        double value;
        const char *text;
        bool rounded;
    } wide[] = {
        { 1.5, "1.5", false },      { 0.1, "0.1", false },        { 1.0 / 3, "0.3333", true },
        { -0.0, "-0", false },      { 123456, "123456", false },  { 1234567, "1.235e6", true },
        { 1e-5, "1e-5", false },    { 1e300, "1e300", false },    { -1.0626e-200, "-1.063e-200", true },
        { INFINITY, "inf", false }, { -INFINITY, "-inf", false }, { NAN, "nan", false },
        { 100, "100", false },
    };
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        number_is(ncclFloat64, &wide[i].value, wide[i].text, wide[i].rounded);
    float tenth = 0.1f, third = 1.0f / 3;
    number_is(ncclFloat32, &tenth, "0.1", false);
    number_is(ncclFloat32, &third, "0.3333", true);
    number_is(ncclFloat16, (unsigned char[]){ 0xff, 0x7b }, "65504", false);
    number_is(ncclBfloat16, (unsigned char[]){ 0xc0, 0x7f }, "nan", false);
    number_is(ncclFloat8e4m3, (unsigned char[]){ 0x7e }, "448", false);
    number_is(ncclFloat8e5m2, (unsigned char[]){ 0x7c }, "inf", false);
    number_is(ncclInt8, (unsigned char[]){ 0x80 }, "-128", false);
    number_is(ncclUint8, (unsigned char[]){ 0x80 }, "128", false);
    number_is(ncclInt32, &(int32_t){ INT32_MIN }, "-2.147e9", true);
    number_is(ncclUint64, &(uint64_t){ UINT64_MAX }, "1.845e19", true);
    number_is(ncclInt64, &(int64_t){ 123456789 }, "123456789", false);
}
END_TEST

START_TEST(ranks_have_letters)
{
    static const struct {
        int rank;
        const char *text;
    } letters[] = {
        { 0, "A" }, { 25, "Z" }, { 26, "AA" }, { 63, "BL" }, { 701, "ZZ" }, { 702, "AAA" },
    };
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        struct ncs_str out = { 0 };
        ncs_draw_letters(letters[i].rank, &out);
        ck_assert_str_eq(out.text, letters[i].text);
        ncs_str_free(&out);
    }
}
END_TEST

static int64_t joined(int dtype, int op, int ranks, const int64_t *value)
{
    struct ncs_seen *s = ncs_seen_new(ranks);
    struct ncs_str text = { 0 };
    union ncs_partial sum = { .word = 0 };
    s->dtype = dtype;
    s->op = op;
    for (int i = 0; i < ranks; i++) {
        s->rank[i].before = (struct ncs_sample){ .count = 1, .part = 1, .each = 1, .bytes = ncs_new(8) };
        memcpy(s->rank[i].before.bytes, &value[i], 8);
        union ncs_partial own = ncs_partial_of(s, i, 0);
        sum = i ? ncs_partial_join(s, sum, own) : own;
    }
    ncs_partial_text(s, ncs_partial_end(s, sum), &text);
    int64_t result = atoll(text.text);
    ncs_str_free(&text);
    ncs_seen_free(s);
    return result;
}

START_TEST(partial_results_are_those_of_the_type)
{
    const int64_t some[] = { -7, 5, 100 };
    ck_assert_int_eq(joined(ncclInt8, ncclSum, 3, some), 98);
    ck_assert_int_eq(joined(ncclInt8, ncclProd, 3, some), (int8_t)-3500);
    ck_assert_int_eq(joined(ncclUint8, ncclSum, 3, some), 98);
    ck_assert_int_eq(joined(ncclUint8, ncclMax, 3, some), 249);
    ck_assert_int_eq(joined(ncclInt32, ncclMin, 3, some), -7);
    ck_assert_int_eq(joined(ncclInt32, ncclMax, 3, some), 100);
    ck_assert_int_eq(joined(ncclInt64, ncclAvg, 3, some), 32);
    ck_assert_int_eq(joined(ncclInt64, ncclAvg, 2, some), -1);
}
END_TEST

NCS_TEST_MAIN("draw", all_fit_whatever_is_drawn, all_types_fit, all_bits_fit, huge_ones_without_values_fit,
              what_is_not_over_names_who_is_missing, each_cell_tells_what_the_rank_has, pieces_that_look_alike_have_names,
              wrong_elements_are_marked, the_ring_ends_with_the_result, the_tree_ends_with_the_result, numbers_are_short,
              ranks_have_letters, partial_results_are_those_of_the_type)
