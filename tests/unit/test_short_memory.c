/* Whatever does not get memory: with a budget that ends a little later each time, a run comes to a
 * verdict, gives everything back, and says what it lacked. */
#include "script_lab.h"

#include "base/budget.h"

/* Touches what takes memory on behalf of a script; each error but its last is caught. */
static const char text[] = "scenario { ranks = 3 }\n"
                           "local x = cuda.buffer('float32', 5000):fill(rank)\n"
                           "world:all_reduce(x, { label = 'sum of all' })\n"
                           "store:set('key' .. rank, { a = { 1, 2, 3 }, b = ('b'):rep(3000) })\n"
                           "barrier()\n"
                           "local got = store:get('key' .. (rank + 1) % nranks)\n"
                           "pcall(function() local t = {} for i = 1, 300 do t[i] = { tostring(i) } end end)\n"
                           "local co = coroutine.wrap(function(a) coroutine.yield(a) error { code = a } end)\n"
                           "co(1) pcall(co)\n"
                           "local t = spawn(function(n) return ('y'):rep(n) end, 2000)\n"
                           "t:join()\n"
                           "stream:sync()\n"
                           "pcall(load, 'return ' .. ('1 + '):rep(200) .. '1')\n"
                           "local half = world:split { color = rank % 2, key = rank }\n"
                           "expect.equal(#got.b, 3000)\n"
                           "print(table.concat({ rank, nranks }, ' '))\n"
                           "error { text = 'the end', rank = rank }\n";

static enum ncs_verdict try_with(size_t more, struct ncs_error *loading)
{
    size_t before = ncs_budget_used();
    ncs_budget_limit(before + more);
    enum ncs_verdict verdict = NCS_MEMORY;
    struct ncs_script *s = script = load(text);
    *loading = s ? (struct ncs_error){ 0 } : err;
    if (s) {
        struct ncs_run_options o = { .driver = "sim", .ranks = 3, .hosts.devices = 8, .verify = true };
        struct ncs_program p = ncs_script_program(s, &scenario);
        run = ncs_run_new(&o, &p, NULL, NULL);
        verdict = ncs_run_execute(run)->verdict;
        finish();
    } else {
        ncs_scenario_free(&scenario);
    }
    ncs_budget_limit(NCS_BUDGET_NONE);
    ck_assert_uint_le(ncs_budget_used(), before + 4096);
    return verdict;
}

/* Sanitizers make each run many times as slow: they see one budget of eight. */
static size_t stride_wanted(void)
{
    const char *seeds = getenv("NCCLSCRIPT_SEEDS");
    return seeds && strcmp(seeds, "1") == 0 ? 8 : 1;
}

START_TEST(test_every_allocation)
{
    struct ncs_error loading;
    enum ncs_verdict plenty = try_with((size_t)1 << 30, &loading);
    size_t short_ones = 0, enough = 0, stride = stride_wanted();
    ck_assert_int_ne(plenty, NCS_MEMORY);
    try_with((size_t)1 << 30, &loading); /* what is kept between runs is there now */
    for (size_t more = 1000; enough < 200 / stride; more += (more < 100000 ? 1009 : 211) * stride) {
        enum ncs_verdict verdict = try_with(more, &loading);
        if (loading.status != NCS_OK)
            ck_assert_int_eq(loading.status, NCS_NO_MEMORY);
        ck_assert_msg(verdict == NCS_MEMORY || verdict == plenty, "with %zu bytes: %s", more, ncs_verdict_name(verdict));
        short_ones += verdict == NCS_MEMORY;
        enough = verdict == plenty ? enough + 1 : 0;
        ck_assert_uint_lt(more, (size_t)64 << 20);
    }
    ck_assert_uint_gt(short_ones, 300 / stride);
}
END_TEST

NCS_TEST_MAIN("short memory", test_every_allocation)
