/* Proof that the verification catches the simulator being wrong: faults planted in its data path are
 * each reported as wrong results, and named; without them the same scenarios pass. */
#include <string.h>

#include "harness.h"
#include "run/run.h"
#include "script/script.h"

struct planted {
    const char *file, *set;
    struct ncs_plant plant;
    enum ncs_pattern pattern; /* of every wrong result */
    uint64_t wrong;           /* how many results */
    int64_t which;            /* as struct ncs_wrong has it; -2 = not compared */
};

#define FILE_OF(name) "tests/unit/plants/" name ".lua"

static const struct planted cases[] = {
    { FILE_OF("all_reduce"), NULL, { NCS_PLANT_MISSING, 2, 1 }, NCS_PATTERN_MISSING, 4, 2 },
    { FILE_OF("reduce"), NULL, { NCS_PLANT_MISSING, 3, 1 }, NCS_PATTERN_MISSING, 1, 3 },
    { FILE_OF("reduce_scatter"), NULL, { NCS_PLANT_MISSING, 1, 1 }, NCS_PATTERN_MISSING, 4, 1 },
    { FILE_OF("all_reduce"), NULL, { NCS_PLANT_BIT, 1, 1 }, NCS_PATTERN_BIT, 1, -2 },
    { FILE_OF("all_gather"), NULL, { NCS_PLANT_BIT, 3, 1 }, NCS_PATTERN_BIT, 1, -2 },
    { FILE_OF("broadcast"), NULL, { NCS_PLANT_BIT, 0, 1 }, NCS_PATTERN_BIT, 1, -2 },
    { FILE_OF("all_reduce"), NULL, { NCS_PLANT_SHIFT, 2, 1 }, NCS_PATTERN_SHIFT, 1, 1 },
    { FILE_OF("all_gather"), NULL, { NCS_PLANT_SHIFT, 0, 1 }, NCS_PATTERN_SHIFT, 1, 1 },
    { FILE_OF("broadcast"), NULL, { NCS_PLANT_ROOT, 0, 1 }, NCS_PATTERN_ROOT, 4, -2 },
    { FILE_OF("all_reduce"), "dtype=float16", { NCS_PLANT_ROUND, 0, 1 }, NCS_PATTERN_ROUNDING, 4, -2 },
    { FILE_OF("all_reduce"), "dtype=bfloat16", { NCS_PLANT_ROUND, 0, 1 }, NCS_PATTERN_ROUNDING, 4, -2 },
    { FILE_OF("all_reduce"), NULL, { NCS_PLANT_STALE, 3, 1 }, NCS_PATTERN_STALE, 1, -2 },
    { FILE_OF("reduce_scatter"), NULL, { NCS_PLANT_STALE, 0, 1 }, NCS_PATTERN_STALE, 1, -2 },
    /* A call that moves in steps has a fault in each step of the rank. */
    { FILE_OF("all_to_all"), NULL, { NCS_PLANT_BIT, 3, 0 }, NCS_PATTERN_NONE, 1, -2 },
    { FILE_OF("all_to_all"), NULL, { NCS_PLANT_STALE, 1, 0 }, NCS_PATTERN_STALE, 1, -2 },
    { FILE_OF("gather"), NULL, { NCS_PLANT_STALE, 2, 0 }, NCS_PATTERN_STALE, 1, -2 },
    { FILE_OF("gather"), NULL, { NCS_PLANT_BIT, 2, 1 }, NCS_PATTERN_BIT, 1, -2 },
    { FILE_OF("scatter"), NULL, { NCS_PLANT_SHIFT, 3, 0 }, NCS_PATTERN_SHIFT, 1, 1 },
    { FILE_OF("scatter"), NULL, { NCS_PLANT_STALE, 0, 0 }, NCS_PATTERN_STALE, 1, -2 },
    { FILE_OF("scatter"), NULL, { NCS_PLANT_BIT, 1, 0 }, NCS_PATTERN_BIT, 1, -2 },
    { FILE_OF("put_signal"), NULL, { NCS_PLANT_BIT, 0, 0 }, NCS_PATTERN_BIT, 1, -2 },
    { FILE_OF("put_signal"), NULL, { NCS_PLANT_SHIFT, 1, 0 }, NCS_PATTERN_SHIFT, 1, 1 },
    { FILE_OF("put_signal"), NULL, { NCS_PLANT_STALE, 3, 0 }, NCS_PATTERN_STALE, 1, -2 },
};

static void run_case(const struct planted *c, struct ncs_plant plant, bool threads)
{
    struct ncs_error err = { 0 };
    struct ncs_scenario scenario;
    struct ncs_script_settings settings = { .set = &c->set, .sets = c->set != NULL, .policy = -1 };
    ncs_scenario_init(&scenario, c->file);
    struct ncs_script *script = ncs_script_load(c->file, &settings, &scenario, &err);
    ck_assert_msg(script != NULL, "%s", err.text);
    struct ncs_program program = ncs_script_program(script, &scenario);
    struct ncs_run_options options = {
        .driver = "sim", .ranks = scenario.ranks, .verify = true, .own_threads = threads, .plant = plant
    };
    struct ncs_run *run = ncs_run_new(&options, &program, NULL, NULL);
    const struct ncs_result *r = ncs_run_execute(run);
    if (plant.kind == NCS_PLANT_NONE) {
        ck_assert_int_eq(r->verdict, NCS_PASS);
        ck_assert_uint_gt(r->checked, 0);
    } else {
        ck_assert_msg(r->verdict == NCS_WRONG, "%s, plant %d: verdict %s", c->file, plant.kind, ncs_verdict_name(r->verdict));
        ck_assert_uint_eq(r->wrong_count, c->wrong);
        for (size_t i = 0; i < r->wrongs; i++) {
            ck_assert_msg(r->wrong[i].pattern == c->pattern, "%s, plant %d: pattern %d, %s", c->file, plant.kind,
                          r->wrong[i].pattern, r->wrong[i].text);
            ck_assert(c->which == -2 || r->wrong[i].which == c->which);
            ck_assert(c->pattern == NCS_PATTERN_NONE || strlen(r->wrong[i].text) > 0);
        }
    }
    ncs_run_free(run);
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
}

START_TEST(every_planted_fault_is_named)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(&cases[i], cases[i].plant, false);
        run_case(&cases[i], cases[i].plant, true);
    }
}
END_TEST

START_TEST(without_a_plant_all_is_right)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], (struct ncs_plant){ 0 }, false);
}
END_TEST

NCS_TEST_MAIN("planted faults", every_planted_fault_is_named, without_a_plant_all_is_right)
