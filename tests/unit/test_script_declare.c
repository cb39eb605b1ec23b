/* Lua scenarios: conversions of elements, and what scenario{} declares. */
#include "script_lab.h"

#include <math.h>

#include "api/environment.h"
#include "api/types.h"
#include "script/element.h"

/* ---- elements ---- */

static struct ncs_number number(double d)
{
    return (struct ncs_number){ .d = d };
}

static struct ncs_number whole(int64_t i)
{
    return (struct ncs_number){ .whole = true, .i = i };
}

static unsigned bits_of(int dtype, double d)
{
    unsigned bits = 0;
    ck_assert(ncs_element_write(dtype, number(d), &bits));
    return bits;
}

START_TEST(test_small_floats)
{
    ck_assert_uint_eq(bits_of(ncclFloat16, 1), 0x3c00);
    ck_assert_uint_eq(bits_of(ncclFloat16, -2.5), 0xc100);
    ck_assert_uint_eq(bits_of(ncclFloat16, 65504), 0x7bff);
    ck_assert_uint_eq(bits_of(ncclFloat16, 65519.99), 0x7bff);
    ck_assert_uint_eq(bits_of(ncclFloat16, 65520), 0x7c00); /* rounds to infinity */
    ck_assert_uint_eq(bits_of(ncclFloat16, 2049), 0x6800);  /* tie: to even, 2048 */
    ck_assert_uint_eq(bits_of(ncclFloat16, 2051), 0x6802);  /* tie: to even, 2052 */
    ck_assert_uint_eq(bits_of(ncclFloat16, 0x1p-24), 0x0001);
    ck_assert_uint_eq(bits_of(ncclFloat16, 0x1p-25), 0x0000); /* tie: to zero */
    ck_assert_uint_eq(bits_of(ncclFloat16, 0x1.8p-25), 0x0001);
    ck_assert_uint_eq(bits_of(ncclFloat16, -0.0), 0x8000);
    ck_assert_uint_eq(bits_of(ncclBfloat16, 1), 0x3f80);
    ck_assert_uint_eq(bits_of(ncclBfloat16, 257), 0x4380); /* tie: to even, 256 */
    ck_assert_uint_eq(bits_of(ncclBfloat16, 1e39), 0x7f80);
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, 448), 0x7e);
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, 1e9), 0x7e); /* saturates */
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, -INFINITY), 0xfe);
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, 0x1p-9), 0x01);
    ck_assert_uint_eq(bits_of(ncclFloat8e5m2, 57344), 0x7b);
    ck_assert_uint_eq(bits_of(ncclFloat8e5m2, 1e9), 0x7b);
    ck_assert_uint_eq(bits_of(ncclFloat8e5m2, 1.5), 0x3e);
}
END_TEST

START_TEST(test_every_small_float_comes_back)
{
    static const struct {
        int dtype;
        unsigned values;
    } types[] = { { ncclFloat16, 65536 }, { ncclBfloat16, 65536 }, { ncclFloat8e4m3, 256 }, { ncclFloat8e5m2, 256 } };
    for (size_t t = 0; t < 4; t++) {
        double last = -INFINITY;
        for (unsigned bits = 0; bits < types[t].values; bits++) {
            double d = ncs_number_double(ncs_element_read(types[t].dtype, &bits));
            if (isnan(d) || (isinf(d) && types[t].values == 256))
                continue; /* the 8-bit types saturate instead */
            ck_assert_uint_eq(bits_of(types[t].dtype, d), bits);
            if (bits == types[t].values / 2)
                last = INFINITY; /* the negative half counts downward */
            ck_assert(bits < types[t].values / 2 ? d > last : d <= last);
            last = d;
        }
    }
}
END_TEST

START_TEST(test_integers)
{
    unsigned char e[8] = { 0 };
    ck_assert(ncs_element_write(ncclInt8, whole(-128), e));
    ck_assert_int_eq(ncs_element_read(ncclInt8, e).i, -128);
    ck_assert(!ncs_element_write(ncclInt8, whole(128), e));
    ck_assert(!ncs_element_write(ncclUint8, whole(-1), e));
    ck_assert(ncs_element_write(ncclUint8, number(255.0), e));
    ck_assert(!ncs_element_write(ncclInt32, number(0.5), e));
    ck_assert(!ncs_element_write(ncclInt32, number(NAN), e));
    ck_assert(!ncs_element_write(ncclInt64, number(0x1p63), e));
    ck_assert(ncs_element_write(ncclUint64, number(0x1p63), e));
    ck_assert(!ncs_element_read(ncclUint64, e).whole);
    ck_assert(ncs_element_read(ncclUint64, e).d == 0x1p63);
    ck_assert(!ncs_element_write(ncclUint64, number(0x1p64), e));
    ck_assert(ncs_element_write(ncclUint32, whole(4294967295), e));
    ck_assert_int_eq(ncs_element_read(ncclUint32, e).i, 4294967295);
}
END_TEST

/* ---- files and declarations ---- */

START_TEST(test_declaration)
{
    loads("scenario { ranks = 4, about = 'x', devices = 2, world = false, policy = 'typical',\n"
          "  verify = false, timeout = '2s', params = { n = 3, f = 0.5, t = 'a', b = true },\n"
          "  needs = { driver = 'sim', nccl = '2.29', gpus = 1 },\n"
          "  sim = { nccl = '2.28.9', memory = '2G', capability = 8.6, eager = 0, lanes = 2,\n"
          "          ready_after = 3 },\n"
          "  outcome = { hang = { culprit = 2, waiting = { 0, 1 }, call = 3, comm = 'w', why = 'skipped-call' },\n"
          "    finding = 'extra-call' } }\nerror('not reached without ranks')");
    ck_assert_int_eq(scenario.ranks, 4);
    ck_assert_str_eq(scenario.about, "x");
    ck_assert_int_eq(scenario.hosts.devices, 2);
    ck_assert(!scenario.world && !scenario.verify);
    ck_assert_int_eq(scenario.policy, NCS_POLICY_TYPICAL);
    ck_assert_int_eq(scenario.timeout, 2000000000);
    ck_assert_uint_eq(scenario.params, 4);
    ck_assert_int_eq(ncs_scenario_param(&scenario, "n")->i, 3);
    ck_assert(ncs_scenario_param(&scenario, "f")->d == 0.5);
    ck_assert_str_eq(ncs_scenario_param(&scenario, "t")->text, "a");
    ck_assert_int_eq(ncs_scenario_param(&scenario, "b")->kind, NCS_PARAM_BOOL);
    ck_assert_int_eq(scenario.needs_nccl, 22900);
    ck_assert_int_eq(scenario.sim_nccl, 22809);
    ck_assert_uint_eq(scenario.sim_memory, (uint64_t)2 << 30);
    ck_assert_uint_eq(scenario.hosts.capabilities, 1);
    ck_assert_int_eq(ncs_shape_capability(&scenario.hosts, 3, 1), 86);
    ck_assert_uint_eq(scenario.sim_eager, 0);
    ck_assert_int_eq(scenario.sim_ready_after, 3);
    ck_assert_int_eq(scenario.sim_lanes, 2);
    const struct ncs_outcome *o = &scenario.outcome;
    ck_assert_int_eq(o->verdict, NCS_HANG);
    ck_assert_uint_eq(o->culprits, 1);
    ck_assert_int_eq(o->culprit[0], 2);
    ck_assert_uint_eq(o->waitings, 2);
    ck_assert_int_eq(o->waiting[1], 1);
    ck_assert_int_eq(o->call, 3);
    ck_assert_str_eq(o->comm, "w");
    ck_assert(o->comm_given);
    ck_assert_str_eq(o->why, "skipped-call");
    ck_assert(o->finding_given && !o->findings_given);
    ck_assert_str_eq(o->finding.rule, "extra-call");
    ck_assert_ptr_null(scenario.bug.entry);
    ncs_scenario_free(&scenario);
}
END_TEST

START_TEST(test_declaration_finding)
{
    loads("scenario { ranks = 4, outcome = { pass = true, findings = 0, finding = {\n"
          "  rule = 'p2p-cycle', culprit = { 0, 3 }, waiting = 1, call = 2, comm = 'w',\n"
          "  certainty = 'luck' } },\n"
          "  bug = { entry = 'D12', nccl = 'buffers', thread = { 'a/b#1', 'c/d#2' } } }");
    const struct ncs_outcome *o = &scenario.outcome;
    ck_assert(!o->any_verdict && o->finding_given && o->findings_given);
    ck_assert_int_eq(o->verdict, NCS_PASS);
    ck_assert_int_eq(o->findings, 0);
    ck_assert_str_eq(o->finding.rule, "p2p-cycle");
    ck_assert_uint_eq(o->finding.culprits, 2);
    ck_assert_int_eq(o->finding.culprit[1], 3);
    ck_assert_uint_eq(o->finding.waitings, 1);
    ck_assert_int_eq(o->finding.call, 2);
    ck_assert_str_eq(o->finding.comm, "w");
    ck_assert_str_eq(o->finding.certainty, "luck");
    ck_assert_str_eq(scenario.bug.entry, "D12");
    ck_assert_str_eq(scenario.bug.nccl, "buffers");
    ck_assert_uint_eq(scenario.bug.threads, 2);
    ck_assert_str_eq(scenario.bug.thread[1], "c/d#2");
    ncs_scenario_free(&scenario);
    loads("scenario { ranks = 4, outcome = { hang = { culprit = { 3, 1 }, waiting = 'others' },\n"
          "  finding = { culprit = 2, waiting = 'all' } } }");
    ck_assert_uint_eq(o->waitings, 2);
    ck_assert_int_eq(o->waiting[0], 0);
    ck_assert_int_eq(o->waiting[1], 2);
    ck_assert_uint_eq(o->finding.waitings, 4);
    ck_assert_int_eq(o->finding.waiting[3], 3);
    ncs_scenario_free(&scenario);
    loads("scenario { outcome = { findings = 2 }, bug = { entry = 'A1', thread = 'a/b#1' } }");
    ck_assert(scenario.outcome.any_verdict && scenario.outcome.findings == 2);
    ck_assert_uint_eq(scenario.bug.threads, 1);
    ncs_scenario_free(&scenario);
}
END_TEST

START_TEST(test_declaration_functions)
{
    const char *sets[] = { "rows=3" };
    settings = (struct ncs_script_settings){ .set = sets, .sets = 1, .policy = NCS_POLICY_TYPICAL };
    loads("scenario { params = { rows = 2, cols = 4 }, policy = 'strict',\n"
          "  ranks = function(p) return math.max(p.rows, 1) * p.cols end,\n"
          "  outcome = function(run)\n"
          "    if run.policy == 'typical' and run.nranks == 12 and run.param.rows == 3 then\n"
          "      return { error = 'ncclInvalidUsage', rank = 1, call = 'ncclSend' } end\n"
          "    return 'pass' end }");
    ck_assert_int_eq(scenario.ranks, 12);
    ck_assert_int_eq(scenario.policy, NCS_POLICY_TYPICAL);
    ck_assert_int_eq(scenario.outcome.verdict, NCS_ERROR);
    ck_assert_str_eq(scenario.outcome.error_name, "ncclInvalidUsage");
    ck_assert_str_eq(scenario.outcome.error_call, "ncclSend");
    ck_assert_int_eq(scenario.outcome.rank, 1);
    ncs_scenario_free(&scenario);
    settings = (struct ncs_script_settings){ .ranks = 7, .policy = -1 };
    loads("scenario { ranks = 2 }");
    ck_assert_int_eq(scenario.ranks, 7);
    ncs_scenario_free(&scenario);
    loads("print('no declaration')");
    ck_assert_int_eq(scenario.ranks, 7);
    ncs_scenario_free(&scenario);
    settings = (struct ncs_script_settings){ .policy = -1 };
    loads("scenario { outcome = { finding = 'skipped-call' } }");
    ck_assert(scenario.outcome.any_verdict);
    ncs_scenario_free(&scenario);
    loads("#!/usr/bin/env ncclscript\nscenario { ranks = 3 }");
    ck_assert_int_eq(scenario.ranks, 3);
    ncs_scenario_free(&scenario);
}
END_TEST

START_TEST(test_bad_declarations)
{
    refuses("scenario {\n  rnaks = 4 }", 2, "no such key 'rnaks': did you mean 'ranks'?");
    refuses("scenario {\n  ranks = 4,\n  sim = { memroy = 1 } }", 3, "no such key 'memroy' in sim: did you mean 'memory'?");
    refuses("scenario {\n\n  ranks = 'four' }", 3, "ranks must be a whole number, got \"four\"");
    refuses("scenario { ranks = 0 }", 1, "ranks");
    refuses("scenario { ranks = 10000000 }", 1, "ranks");
    refuses("scenario { verify = 1 }", 1, "verify must be true or false, got 1");
    refuses("scenario { policy = 'stric' }", 1, "no policy \"stric\"");
    refuses("scenario { timeout = 'soon' }", 1, "timeout must be seconds or a duration");
    refuses("scenario { outcome = 'fail' }", 1, "no outcome \"fail\"");
    refuses("scenario { outcome = { hang = true, wrong = true } }", 1, "one of");
    refuses("scenario { outcome = { hang = { culprt = 1 } } }", 1, "did you mean 'culprit'?");
    refuses("scenario { sim = { nccl = 'new' } }", 1, "a version such as");
    refuses("scenario { params = { x = {} } }", 1, "x must be a number, a text or a boolean");
    refuses("scenario { 4 }", 1, "a value without a key");
    refuses("scenario 'x'", 1, "table");
    refuses("scenario { world = { blokcing = false } }", 1, "did you mean 'blocking'?");
    refuses("scenario { ranks = function() while true do end end }", 1, "too long");
    refuses("scenario { ranks = (function() while true do\n"
            "  pcall(function() while true do end end) end end)() }",
            2, "too long");
    refuses("scenario { ranks = coroutine.wrap(function() while true do end end)() }", 1, "too long");
    refuses("local s = scenario\npcall(s, { ranks = 'x' })\nwhile true do end", 2, "whole number");
    refuses("scenario { outcome = { hang = false } }", 1, "hang must be true or a table");
    refuses("scenario { outcome = { wrong = false } }", 1, "wrong must be true or a table");
    refuses("scenario { env = { D = '', B = '', A = '', C = '', E = '' } }", 1,
            "env: 'A': expected a name that begins with NCCL_ or CUDA_");
    refuses("scenario { env = {\n  NCCL_DEBUG = 3 } }", 2, "NCCL_DEBUG must be a text, got 3");
    loads("local s = scenario\npcall(s, { ranks = 3 })");
    ck_assert_int_eq(scenario.ranks, 3);
    ncs_scenario_free(&scenario);
    refuses("scenario { ranks = nothing.x }", 1, "no such global 'nothing'");
    refuses("scenario {\n} local x = = 1", 2, "unexpected symbol `=`, expected an expression");
    refuses("scenario {", 1, "unexpected end of the text, expected `}`");
    refuses("\x1bLua", 0, "is not a text");
    ck_assert_ptr_null(load_bytes("scenario {}\0", 12));
    ck_assert_ptr_nonnull(strstr(err.text, "is not a text"));
    ncs_scenario_free(&scenario);
    ncs_scenario_init(&scenario, "/nowhere/x.lua");
    ck_assert_ptr_null(ncs_script_load("/nowhere/x.lua", &settings, &scenario, &err));
    ck_assert_str_eq(err.text, "cannot be opened: No such file or directory");
    ck_assert_str_eq(err.file, "/nowhere/x.lua");
    ck_assert_ptr_null(ncs_script_load("/", &settings, &scenario, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "is a folder"));
    ncs_scenario_free(&scenario);
}
END_TEST

/* ---- env ---- */

/* Files and ports that NCCL and CUDA would use: each by Lua's table. */
START_TEST(test_closed_variables)
{
    static const char *const closed[] = {
        "NCCL_NET_PLUGIN",         "NCCL_TUNER_PLUGIN",
        "NCCL_PROFILER_PLUGIN",    "NCCL_ENV_PLUGIN",
        "NCCL_GIN_PLUGIN",         "NCCL_RMA_PLUGIN",
        "NCCL_IBVERBS_LIB",        "NCCL_DEBUG_FILE",
        "NCCL_TOPO_DUMP_FILE",     "NCCL_GRAPH_DUMP_FILE",
        "NCCL_TOPO_FILE",          "NCCL_GRAPH_FILE",
        "NCCL_CONF_FILE",          "NCCL_TUNER_CONFIG_FILE",
        "NCCL_PROFILE_DUMP_FILE",  "NCCL_INSPECTOR_DUMP_DIR",
        "NCCL_RAS_ADDR",           "NCCL_PROXY_DUMP_SIGNAL",
        "NCCL_OF_A_LATER_VERSION", "CUDA_INJECTION64_PATH",
        "CUDA_INJECTION32_PATH",   "CUDA_FORCE_PRELOAD_LIBRARIES",
        "CUDA_CACHE_PATH",         "CUDA_COREDUMP_FILE",
        "CUDA_COREDUMP_PIPE",      "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
        "CUDA_LOG_FILE",           "CUDA_MPS_PIPE_DIRECTORY",
        "CUDA_MPS_LOG_DIRECTORY",  "CUDA_DEVICE_WAITS_ON_EXCEPTION",
    };
    char text[200], message[100];
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        snprintf(text, sizeof text, "scenario {\n  env = {\n    NCCL_DEBUG = 'WARN', %s = '1' } }", closed[i]);
        snprintf(message, sizeof message, "env: '%s' needs --unsafe", closed[i]);
        refuses(text, 3, message);
        ck_assert_int_eq(err.column, 26);
        settings.unsafe = true;
        loads(text);
        ck_assert_uint_eq(scenario.envs, 2);
        ncs_scenario_free(&scenario);
        settings.unsafe = false;
    }
}
END_TEST

START_TEST(test_variables)
{
    size_t count;
    const char *const *names = ncs_environment_names(&count);
    static const char *const endings[] = { "_PLUGIN",    "_FILE", "_PATH",   "_LIB",  "_LIBRARIES", "_DIR",
                                           "_DIRECTORY", "_PIPE", "_SIGNAL", "_ADDR", NULL };
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(!i || strcmp(names[i - 1], names[i]) < 0, "%s is not in order", names[i]);
        for (const char *const *e = endings; *e; e++) {
            size_t n = strlen(names[i]), m = strlen(*e);
            ck_assert_msg(n < m || strcmp(names[i] + n - m, *e) != 0, "%s", names[i]);
        }
        char text[200];
        snprintf(text, sizeof text, "scenario { env = { %s = '1' } }", names[i]);
        loads(text);
        ncs_scenario_free(&scenario);
    }
}
END_TEST

START_TEST(test_values_of_variables)
{
    refuses("scenario { env = {\n NCCL_NET = '/tmp/net.so' } }", 2,
            "env: 'NCCL_NET' = \"/tmp/net.so\" needs --unsafe: the value is a path");
    refuses("scenario { env = { NCCL_ALGO = '../x' } }", 1, "a path");
    refuses("scenario { env = {\n ['NCCL_ALGOO'] = 'Ring' } }", 2, "did you mean `NCCL_ALGO`?");
    refuses("scenario { env = { nccl_algo = 'Ring' } }", 1, "did you mean `NCCL_ALGO`?");
    refuses("scenario { env = { ['NCCL_ALGO\\0X'] = 'Ring' } }", 1, "begins with NCCL_ or CUDA_");
    settings.unsafe = true;
    refuses("scenario { env = { ['NCCL_=LD_PRELOAD'] = 'x' } }", 1, "begins with NCCL_ or CUDA_");
    refuses("scenario { env = { LD_PRELOAD = 'x' } }", 1, "begins with NCCL_ or CUDA_");
    loads("scenario { env = { NCCL_NET = '/tmp/net.so' } }");
    ncs_scenario_free(&scenario);
    settings.unsafe = false;
    loads("scenario { env = { NCCL_IB_ADDR_RANGE = '10.0.0.0/8', CUDA_VISIBLE_DEVICES = 'MIG-GPU-1/1/0',\n"
          "NCCL_DEBUG_TIMESTAMP_FORMAT = '%d/%m' } }");
    ck_assert_uint_eq(scenario.envs, 3);
    ncs_scenario_free(&scenario);
}
END_TEST

START_TEST(test_single_ranks)
{
    loads("scenario { ranks = 4, params = { odd = 2 }, devices = { 7, 1, 8 },\n"
          "  env = function(param) return { NCCL_NET = 'Socket', [param.odd] = { NCCL_ALGO = 'Ring' }, [0] = {} } end,\n"
          "  sim = { nccl = { others = '2.30.7', [1] = '2.28.9' } } }");
    ck_assert_int_eq(scenario.hosts.devices, 8);
    ck_assert_uint_eq(scenario.hosts.firsts, 2);
    ck_assert_int_eq(scenario.hosts.first[0], 7);
    ck_assert_int_eq(scenario.hosts.first[1], 1);
    ck_assert_uint_eq(scenario.envs, 1);
    ck_assert_uint_eq(scenario.owns.count, 2);
    ck_assert_str_eq(ncs_owns_variable(&scenario.owns, 2, "NCCL_ALGO"), "Ring");
    ck_assert_int_eq(ncs_owns_version(&scenario.owns, 1, 0), 22809);
    ck_assert_int_eq(scenario.sim_nccl, 23007);
    ncs_scenario_free(&scenario);
    refuses("scenario { ranks = 2, sim = { nccl = { [1] = '2.28.8' } } }", 1, "the simulator can be NCCL");
    refuses("scenario { ranks = 2,\n env = function() return 7 end }", 2, "a table of NAME = text");
}
END_TEST

NCS_TEST_MAIN("script declare", test_single_ranks, test_small_floats, test_every_small_float_comes_back, test_integers,
              test_declaration, test_declaration_finding, test_declaration_functions, test_bad_declarations,
              test_closed_variables, test_variables, test_values_of_variables)
