/* The cases of a file: matrix and exclude, names of cases, and which of them an expression means. */
#include "script_lab.h"

#include "base/hash.h"
#include "scenario/matrix.h"
#include "scenario/select.h"

static struct ncs_cases cases;

/* The names of the cases that a file stands for, in their order. */
static char *names_of(const char *text)
{
    struct ncs_script *s = load(text);
    ck_assert_msg(s != NULL, "%s:%d: %s", err.file, err.line, err.text);
    ncs_cases_free(&cases);
    ck_assert_msg(ncs_script_cases(s, &settings, &cases, &err), "%s", err.text);
    ncs_script_free(s);
    ncs_scenario_free(&scenario);
    struct ncs_str all = { 0 };
    for (size_t i = 0; i < cases.count; i++)
        ncs_str_addf(&all, "%s%s", i ? " " : "", cases.item[i].name ? cases.item[i].name : "-");
    return ncs_str_take(&all);
}

static void stands_for(const char *text, const char *names)
{
    char *got = names_of(text);
    ck_assert_str_eq(got, names);
    ncs_free(got);
}

START_TEST(test_order)
{
    stands_for("", "-");
    stands_for("scenario {}", "-");
    stands_for("scenario { params = { n = 1, dtype = 'int8' },\n"
               "  matrix = { dtype = { 'int8', 'half' }, seed = { 1, 0 }, n = { 3 }, ranks = { 4, 2.0 } } }",
               "ranks=4,dtype=int8,n=3,seed=1 ranks=4,dtype=int8,n=3,seed=0 "
               "ranks=4,dtype=half,n=3,seed=1 ranks=4,dtype=half,n=3,seed=0 "
               "ranks=2,dtype=int8,n=3,seed=1 ranks=2,dtype=int8,n=3,seed=0 "
               "ranks=2,dtype=half,n=3,seed=1 ranks=2,dtype=half,n=3,seed=0");
    stands_for("scenario { params = { f = 0.5, b = true }, matrix = { f = { 1, 0.1, 1e300 / 3 }, b = { false } } }",
               "b=false,f=1 b=false,f=0.1 b=false,f=3.3333333333333335e+299");
    /* A parameter may have the name of the run's seed. */
    stands_for("scenario { params = { seed = 'x' }, matrix = { seed = { 'a', 'b' } } }", "seed=a seed=b");
}
END_TEST

START_TEST(test_exclude)
{
    stands_for("scenario { params = { n = 1 }, matrix = { ranks = { 2, 4 }, n = { 1, 2, 3 } },\n"
               "  exclude = { { ranks = 4, n = 2 }, { n = 3 } } }",
               "ranks=2,n=1 ranks=2,n=2 ranks=4,n=1");
}
END_TEST

START_TEST(test_pins)
{
    const char *text = "scenario { params = { n = 1 }, matrix = { ranks = { 2, 4 }, n = { 1, 2 }, seed = { 1, 2 } },\n"
                       "  exclude = { { ranks = 4, n = 2 } } }";
    const char *const set[] = { "n=2" }, *const other[] = { "n=7" };
    settings = (struct ncs_script_settings){ .policy = -1, .set = set, .sets = 1 };
    stands_for(text, "ranks=2,n=2,seed=1 ranks=2,n=2,seed=2");
    settings = (struct ncs_script_settings){ .policy = -1, .set = other, .sets = 1, .ranks = 3, .seeded = true, .seed = 9 };
    stands_for(text, "ranks=3,n=7,seed=9");
    settings = (struct ncs_script_settings){ .policy = -1, .set = set, .sets = 1, .ranks = 4 };
    struct ncs_script *s = load(text);
    ncs_cases_free(&cases);
    ck_assert(ncs_script_cases(s, &settings, &cases, &err)); /* the one that is excluded */
    ck_assert_uint_eq(cases.count, 0);
    ncs_script_free(s);
    ncs_scenario_free(&scenario);
}
END_TEST

/* What a declaration's functions see is the case. */
START_TEST(test_values_of_a_case)
{
    struct ncs_script *s = load("scenario { params = { rows = 1, name = 'x' },\n"
                                "  matrix = { rows = { 2, 3 }, name = { 'a,b', '' } },\n"
                                "  ranks = function(p) return p.rows * 2 end,\n"
                                "  outcome = function(run) return run.param.rows == 3 and\n"
                                "    { hang = { culprit = 5 } } or 'pass' end }");
    ck_assert_msg(s != NULL, "%s", err.text);
    ncs_cases_free(&cases);
    ck_assert(ncs_script_cases(s, &settings, &cases, &err));
    ck_assert_uint_eq(cases.count, 4);
    for (int pass = 0; pass < 2; pass++) { /* again and again, from one script */
        static const int ranks[] = { 4, 6, 4, 6 };
        for (size_t i = 0; i < cases.count; i++) {
            struct ncs_script_settings of_case = settings;
            of_case.value = cases.item[i].value;
            of_case.values = cases.item[i].values;
            ncs_scenario_free(&scenario);
            ncs_scenario_init(&scenario, path);
            ck_assert_msg(ncs_script_declare(s, &of_case, &scenario, &err), "%s", err.text);
            ck_assert_int_eq(scenario.ranks, ranks[i]);
            ck_assert_int_eq(scenario.outcome.verdict, ranks[i] == 6 ? NCS_HANG : NCS_PASS);
            ck_assert_str_eq(ncs_scenario_param(&scenario, "name")->text, i < 2 ? "a,b" : "");
        }
    }
    ck_assert(ncs_case_is(&cases.item[1], "name=a,b,rows=3"));
    ck_assert(ncs_case_is(&cases.item[3], "rows=3,name="));
    ck_assert(ncs_case_is(&cases.item[3], "rows=3"));
    ck_assert(!ncs_case_is(&cases.item[3], "rows=2"));
    ck_assert(!ncs_case_is(&cases.item[3], "rows=33"));
    ck_assert(!ncs_case_is(&cases.item[3], ""));
    ck_assert(!ncs_case_is(&cases.item[3], "rows=3,"));
    ncs_script_free(s);
    ncs_scenario_free(&scenario);
}
END_TEST

START_TEST(test_bad_matrix)
{
    refuses("scenario {\n  matrix = 3 }", 2, "matrix must be a table { name = { values } }, got 3");
    refuses("scenario {\n  matrix = {} }", 2, "matrix has no axes, expected name = { values }");
    refuses("scenario {\n  matrix = { { 1, 2 } } }", 2, "matrix: a value without a name");
    refuses("scenario {\n params = { dtype = 'x',\n  count = 1 },\n  matrix = {\n    ranks = { 1 },\n    coutn = { 1 } } }", 6,
            "matrix: no parameter 'coutn': did you mean 'count'?");
    refuses("scenario {\n  matrix = { count = { 1 } } }", 2, "matrix: no parameter 'count': the scenario declares no params");
    /* The place is in the matrix, not in params. */
    refuses("scenario {\n  params = { n = 1 },\n  matrix = {\n    n = {} } }", 4, "matrix: n has no values");
    refuses("scenario { params = { n = 1 }, matrix = { n = 4 } }", 1,
            "matrix: n must be a list of values such as { 1, 2 }, got 4");
    refuses("scenario { params = { n = 1 }, matrix = { n = { 1, 'two' } } }", 1,
            "matrix: n: value 2 must be a whole number, as its default in params, got \"two\"");
    refuses("scenario { params = { n = 1 }, matrix = { n = { 1.5 } } }", 1, "value 1 must be a whole number");
    refuses("scenario { params = { n = 0.5 }, matrix = { n = { 0 / 0 } } }", 1, "value 1 must be a number");
    refuses("scenario { params = { n = 'a' }, matrix = { n = { 'b', 3 } } }", 1, "value 2 must be a text");
    refuses("scenario { params = { n = true }, matrix = { n = { 1 } } }", 1, "value 1 must be true or false");
    refuses("scenario { matrix = { ranks = { 0 } } }", 1, "ranks: value 1 must be 1 to 65536, got 0");
    refuses("scenario { matrix = { ranks = { 65537 } } }", 1, "must be 1 to 65536");
    refuses("scenario { matrix = { seed = { -1 } } }", 1, "seed: value 1 must be 0 or more, got -1");
    refuses("scenario { matrix = { ranks = { 2, 4, 2.0 } } }", 1, "matrix: ranks: value 3 repeats 2.0");
    refuses("local l = {} for i = 1, 317 do l[i] = i end\n"
            "scenario { params = { a = 1, b = 1 }, matrix = { a = l, b = l, ranks = { 1 } } }",
            2, "matrix: 1 x 317 x 317 combinations, more than 100000");
    refuses("local l = {} for i = 1, 100001 do l[i] = i end\nscenario {\n matrix = { seed = l } }", 3,
            "matrix: 100001 combinations, more than 100000");
}
END_TEST

/* ---- large ones ---- */

static struct ncs_param value_of(enum ncs_param_kind kind, int i)
{
    char text[20];
    snprintf(text, sizeof text, "v%d", i);
    return (struct ncs_param){ .name = ncs_copy_text("n"),
                               .kind = kind,
                               .i = i,
                               .d = i / 8.0,
                               .text = kind == NCS_PARAM_TEXT ? ncs_copy_text(text) : NULL };
}

/* Each value is held against a few others, not against all that are there. */
START_TEST(test_many_values)
{
    static const enum ncs_param_kind kinds[] = { NCS_PARAM_INT, NCS_PARAM_NUMBER, NCS_PARAM_TEXT };
    const int count = NCS_CASES_MOST;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct ncs_scenario s;
        struct ncs_matrix m = { 0 };
        ncs_scenario_init(&s, "x.lua");
        s.param = ncs_new(sizeof *s.param);
        s.param[s.params++] = value_of(kinds[k], 0);
        struct ncs_axis *axis = ncs_matrix_add(&m, &s, "n");
        for (int i = 0; i < count; i++)
            ck_assert(ncs_axis_add(axis, value_of(kinds[k], i)));
        ck_assert_uint_lt(axis->compared, 100);
        struct ncs_param again = value_of(kinds[k], count / 2), other = value_of(kinds[k], count);
        ck_assert(ncs_axis_has(axis, &again));
        ck_assert(!ncs_axis_has(axis, &other));
        ck_assert(!ncs_axis_add(axis, again));
        ck_assert_uint_lt(axis->compared, 200);
        axis->values--; /* the one that is there twice */
        ncs_param_free(&again);
        ck_assert_uint_eq(ncs_matrix_cases(&m), (size_t)count);
        ncs_axis_pin(axis, &other);
        ck_assert(ncs_axis_has(axis, &other));
        ck_assert_uint_eq(ncs_matrix_cases(&m), 1);
        ncs_param_free(&other);
        ncs_matrix_free(&m);
        ncs_scenario_free(&s);
    }
}
END_TEST

START_TEST(test_zeros_are_one_value)
{
    refuses("scenario { params = { n = 0.5 }, matrix = { n = { 0.0, -0.0 } } }", 1, "value 2 repeats -0.0");
    refuses("scenario { params = { n = 'a' }, matrix = { n = { 'x', 'y', 'x' } } }", 1, "value 3 repeats x");
    refuses("scenario { params = { n = true }, matrix = { n = { true, false, true } } }", 1, "value 3 repeats true");
}
END_TEST

START_TEST(test_bad_exclude)
{
    refuses("scenario {\n  exclude = { { ranks = 2 } } }", 2, "there is no matrix");
    refuses("scenario { matrix = { ranks = { 2, 4 } },\n  exclude = { ranks = 2 } }", 2,
            "exclude must be a list such as { { name = value } }: the table has a key 'ranks'");
    refuses("scenario { matrix = { ranks = { 2, 4 } },\n  exclude = { { rank = 2 } } }", 2,
            "exclude: entry 1: 'rank' is not an axis of the matrix: did you mean 'ranks'?");
    refuses("scenario { matrix = { ranks = { 2, 4 } },\n  exclude = { { ranks = 2 }, { ranks = 3 } } }", 2,
            "exclude: entry 2: ranks = 3: the matrix has no such value");
    refuses("scenario { matrix = { ranks = { 2, 4 } },\n  exclude = { { ranks = '2' } } }", 2,
            "exclude: entry 1: ranks must be a whole number, got \"2\"");
    refuses("scenario { matrix = { ranks = { 2, 4 } },\n  exclude = { {} } }", 2, "entry 1 names nothing");
    refuses("scenario { matrix = { ranks = { 2, 4 } },\n  exclude = { 2 } }", 2,
            "exclude: entry 1 must be a table { name = value }, got 2");
    refuses("scenario { matrix = { ranks = { 2, 4 } },\n  exclude = { { ranks = 2 }, { ranks = 4 } } }", 2,
            "exclude leaves out all combinations of the matrix");
}
END_TEST

/* ---- expressions ---- */

static void selects(const char *expression, const char *name, bool matches)
{
    struct ncs_select *s = ncs_select_parse(expression, &err);
    ck_assert_msg(s != NULL, "%s: %s", expression, err.text);
    ck_assert_msg(ncs_select_matches(s, name) == matches, "%s of %s", expression, name);
    ncs_select_free(s);
}

static void is_no_expression(const char *expression, int column, const char *message)
{
    ck_assert_ptr_null(ncs_select_parse(expression, &err));
    ck_assert_str_eq(err.text, message);
    ck_assert_int_eq(err.column, column);
}

START_TEST(test_select)
{
    const char *name = "scenarios/bugs/ring.lua[ranks=4,dtype=float32]";
    selects("ring", name, true);
    selects("RING.Lua", name, true);
    selects("bugs/ring.lua[ranks=4,dtype=float32]", name, true);
    selects("ranks=8", name, false);
    selects("not ranks=8", name, true);
    selects("not not ring", name, true);
    selects("ring and ranks=8", name, false);
    selects("ring or ranks=8", name, true);
    selects("xa or ring and xb", name, false);
    selects("ring or xa and xb", name, true);
    selects("(ring or xa) and xb", name, false);
    selects("not (xa or xb)and(ring)", name, true);
    selects("not xa and ring", name, true);
    selects("not ring or bugs", name, true);
    selects("'ranks=4,'", name, true);
    selects("\"and\" or 'bugs/ring'", name, true);
    selects("''", name, true);
    selects("android", name, false);
}
END_TEST

START_TEST(test_bad_select)
{
    is_no_expression("", 1, "expected a part of a name, `not` or `(` at the end");
    is_no_expression("(", 2, "expected a part of a name, `not` or `(` at the end");
    is_no_expression("a and", 6, "expected a part of a name, `not` or `(` at the end");
    is_no_expression("a b", 3, "expected `and` or `or` at character 3, got `b`");
    is_no_expression("(a b)", 4, "expected `and`, `or` or `)` at character 4, got `b`");
    is_no_expression("a)", 2, "expected `and` or `or` at character 2, got `)`");
    is_no_expression("and a", 1, "expected a part of a name, `not` or `(` at character 1, got `and`");
    is_no_expression("a or 'b", 6, "the quote at character 6 is not closed");
    struct ncs_str deep = { 0 };
    for (int i = 0; i < 100000; i++)
        ncs_str_add(&deep, "(");
    ck_assert_ptr_null(ncs_select_parse(deep.text, &err));
    ck_assert_str_eq(err.text, "expected fewer parentheses at character 101, got `(`");
    ncs_str_free(&deep);
}
END_TEST

/* Whatever is parsed can be asked, and `not` of it is the opposite. */
START_TEST(test_any_select)
{
    static const char *const words[] = { "(", ")", "and", "or", "not", "x", "'y z'", "\"", "'", " ", "ring" };
    struct ncs_random random = { .state = 7 };
    int parsed = 0;
    for (int i = 0; i < 30000; i++) {
        struct ncs_str text = { 0 }, opposite = { 0 };
        for (uint64_t n = 1 + ncs_random_next(&random) % 9; n > 0; n--)
            ncs_str_addf(&text, "%s ", words[ncs_random_next(&random) % (sizeof words / sizeof *words)]);
        ncs_str_addf(&opposite, "not (%s)", text.text);
        struct ncs_select *s = ncs_select_parse(text.text, &err);
        struct ncs_select *not = ncs_select_parse(opposite.text, &err);
        ck_assert(!s || not );
        if (s) {
            parsed++;
            ck_assert(ncs_select_matches(s, "a ring") != ncs_select_matches(not, "a ring"));
        } else {
            ck_assert(err.status == NCS_BAD_INPUT && err.text[0]);
        }
        ncs_select_free(s);
        ncs_select_free(not );
        ncs_str_free(&text);
        ncs_str_free(&opposite);
    }
    ck_assert_int_gt(parsed, 1000);
}
END_TEST

NCS_TEST_MAIN("matrix", test_order, test_exclude, test_pins, test_values_of_a_case, test_bad_matrix, test_many_values,
              test_zeros_are_one_value, test_bad_exclude, test_select, test_bad_select, test_any_select)
