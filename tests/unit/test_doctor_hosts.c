/* doctor --hosts: the comparison of invented facts, on several hosts. */
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "cli/doctor_hosts.h"
#include "harness.h"

enum { MOST = 40 };

static struct ncs_told told[MOST];
static char *texts[MOST];
static int processes;
static struct ncs_comparison compared;
static struct ncs_str report;

static void take(const char *host, char *text)
{
    texts[processes] = text;
    told[processes++] = (struct ncs_told){ .host = host, .text = text, .bytes = strlen(text) };
}

/* A healthy process: `environment` is the inside of an object, `more` are further facts, which replace the common ones. */
static void tell(const char *host, const char *environment, const char *more)
{
    struct ncs_str text = { 0 };
    ncs_str_addf(&text,
                 "{\"facts\": {\"nccl\": \"2.30.7\", \"cuda\": \"13.0\", \"driver\": \"13.0\", "
                 "\"gpus\": \"2 x H100 (capability 9.0)\", \"simulator\": \"works\"%s}, \"environment\": {%s}, "
                 "\"gpus\": 2, \"ids\": [\"a\", \"b\"], \"can_share\": true, \"several\": false}",
                 more, environment);
    take(host, ncs_str_take(&text));
}

static const char *compare(void)
{
    ncs_doctor_compare(&compared, told, processes);
    ncs_doctor_hosts_text(&compared, &report);
    return report.text;
}

static void forget(void)
{
    ncs_doctor_forget(&compared);
    ncs_str_free(&report);
    for (int i = 0; i < processes; i++)
        ncs_free(texts[i]);
    processes = 0;
}

static void has(const char *line)
{
    ck_assert_msg(strstr(report.text, line), "no `%s` in:\n%s", line, report.text);
}

static void has_not(const char *words)
{
    ck_assert_msg(!strstr(report.text, words), "`%s` in:\n%s", words, report.text);
}

START_TEST(equal_machines_differ_in_nothing)
{
    for (int i = 0; i < 4; i++)
        tell(i < 2 ? "node1" : "node2", "\"NCCL_ALGO\": \"Ring\"", "");
    ck_assert_str_eq(compare(), "processes   4 on 2 hosts: node1 (0, 1), node2 (2, 3)\n"
                                "NCCL        2.30.7 on all\n"
                                "CUDA        13.0 on all\n"
                                "driver      13.0 on all\n"
                                "GPUs        2 x H100 (capability 9.0) on all\n"
                                "in all      nothing differs that matters\n"
                                "real runs   possible: scenarios of up to 4 ranks; more with NCCL_MULTI_RANK_GPU_ENABLE=1\n");
    ck_assert_int_eq(ncs_doctor_hosts_status(&compared), 0);
    forget();
}
END_TEST

START_TEST(hosts_stand_for_their_processes)
{
    tell("node1", "\"NCCL_ALGO\": \"Ring\", \"NCCL_SOCKET_IFNAME\": \"eth0\"", "");
    tell("node1", "\"NCCL_SOCKET_IFNAME\": \"eth0\"", "");
    tell("node2", "", ", \"cuda\": \"12.8\"");
    tell("node2", "", ", \"cuda\": \"12.8\"");
    compare();
    has("CUDA        13.0 on node1; 12.8 on node2\n");
    has("must agree  NCCL_ALGO: Ring in process 0 on node1; not set on node2 and in process 1 on node1\n");
    has("differs     NCCL_SOCKET_IFNAME: eth0 on node1; not set on node2\n");
    has("in all      3 differences, 1 of them in what must agree\n");
    has("real runs   possible once what must agree agrees: scenarios of up to 4 ranks; more with");
    ck_assert_int_eq(ncs_doctor_hosts_status(&compared), 1);
    forget();
}
END_TEST

START_TEST(versions_of_nccl_must_agree)
{
    tell("node1", "", "");
    tell("node2", "", ", \"nccl\": \"2.30.4\"");
    compare();
    has("must agree  NCCL's version: 2.30.7 on node1; 2.30.4 on node2\n");
    forget();
}
END_TEST

START_TEST(some_variables_may_differ)
{
    tell("node1", "\"CUDA_VISIBLE_DEVICES\": \"0\", \"NCCL_DEBUG\": \"INFO\"", "");
    tell("node1", "\"CUDA_VISIBLE_DEVICES\": \"1\"", ", \"kernel\": \"6.1\"");
    compare();
    has("may differ  CUDA_VISIBLE_DEVICES: 0 in process 0; 1 in process 1\n");
    has("may differ  NCCL_DEBUG: INFO in process 0; not set in process 1\n");
    has("may differ  kernel: unknown in process 0; 6.1 in process 1\n");
    has("in all      nothing differs that matters\n");
    ck_assert_int_eq(ncs_doctor_hosts_status(&compared), 0);
    forget();
}
END_TEST

START_TEST(names_of_network_devices_are_a_hosts_own)
{
    tell("node1", "\"NCCL_IB_HCA\": \"mlx5_0\", \"NCCL_IB_TC\": \"106\", \"NCCL_NETWORK\": \"x\"", "");
    tell("node2", "\"NCCL_IB_HCA\": \"mlx5_1\", \"NCCL_IB_TC\": \"\"", "");
    compare();
    has("differs     NCCL_IB_HCA: mlx5_0 on node1; mlx5_1 on node2\n");
    has("must agree  NCCL_IB_TC: 106 on node1; empty on node2\n");
    has("differs     NCCL_NETWORK: x on node1; not set on node2\n");
    forget();
}
END_TEST

START_TEST(processes_that_share_gpus_are_noted)
{
    for (int i = 0; i < 3; i++)
        tell("node1", "", "");
    tell("node2", "", "");
    compare();
    has("note        3 processes on node1 see the same 2 GPUs: CUDA_VISIBLE_DEVICES is not set in all of them\n");
    has_not("on node2 see");
    ck_assert_int_eq(ncs_doctor_hosts_status(&compared), 0);
    forget();
}
END_TEST

START_TEST(what_lacks_has_its_place)
{
    tell("node1", "", "");
    tell("node2", "", "");
    take("node2", ncs_copy_text("{\"facts\": {\"nccl\": \"not found\"}, \"gpus\": 2, \"why_not\": \"no libnccl.so.2\"}"));
    compare();
    has("real runs   not possible: process 2 on node2: no libnccl.so.2\n");
    ck_assert_int_eq(ncs_doctor_hosts_status(&compared), 1);
    forget();
    tell("node1", "", "");
    texts[0][strlen(texts[0]) - 1] = ' ';
    compare();
    has("real runs   not possible: all processes: its facts cannot be read\n");
    forget();
}
END_TEST

START_TEST(texts_of_others_are_not_trusted)
{
    char *endless = ncs_new(6001);
    struct ncs_str environment = { 0 };
    memset(endless, 'x', 6000);
    ncs_str_addf(&environment, "\"NCCL_X\": \"a\\u001b[2J\\nnote\", \"LD_LIBRARY_PATH\": \"%s\", \"NCCL\\u0007\": 7", endless);
    tell("node\x1b[1m\xff", environment.text, ", \"kernel\": {}, \"driver\": [1]");
    tell("node2", "", "");
    take("node3",
         ncs_copy_text("{\"facts\": {}, \"environment\": [], \"gpus\": 99999999999, \"ids\": \"many\", \"left_out\": 3}"));
    take("node4", ncs_copy_text("[[[["));
    take("node5", ncs_copy_text("{\"facts\": {}, \"gpus\": -7, \"ids\": [null, 3, \"\"]}"));
    compare();
    for (const char *p = report.text; *p; p++)
        ck_assert(*p == '\n' || (unsigned char)*p >= ' ');
    has("NCCL_X: a\\x1b[2J note on node\\x1b[1m");
    has("xxx... (6000 bytes) on node");
    has("note        too large to be compared: some variables of node3\n");
    ck_assert_int_eq(compared.gpus, 4);
    forget();
    ncs_str_free(&environment);
    ncs_free(endless);
}
END_TEST

START_TEST(many_hosts_are_a_short_list)
{
    static char names[MOST][8];
    for (int i = 0; i < MOST; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        tell(names[i], i % 2 ? "\"NCCL_NSOCKS_PERTHREAD\": \"2\"" : "", "");
    }
    compare();
    has("processes   40 on 40 hosts: n0 (0), n1 (1), n2 (2), n3 (3), n4 (4), n5 (5), n6 (6), n7 (7) and 32 more hosts\n");
    has("differs     NCCL_NSOCKS_PERTHREAD:\n"
        "            not set on n0, n2, n4, n6, n8, n10, n12, n14 and 12 more hosts\n"
        "            2 on n1, n3, n5, n7, n9, n11, n13, n15 and 12 more hosts\n");
    forget();
}
END_TEST

START_TEST(json_has_all_of_it)
{
    struct ncs_str out = { 0 };
    tell("node1", "\"NCCL_ALGO\": \"Ring\"", "");
    tell("node\xff", "", "");
    ncs_doctor_compare(&compared, told, processes);
    ncs_doctor_hosts_json(&compared, &out);
    json_t *o = json_loads(out.text, 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(o, "schema")), "ncclscript.doctor-hosts/1");
    ck_assert_int_eq(json_integer_value(json_object_get(o, "exit")), 1);
    json_t *difference = json_array_get(json_object_get(o, "differences"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(difference, "severity")), "must-agree");
    json_t *value = json_array_get(json_object_get(difference, "values"), 1);
    ck_assert(json_is_null(json_object_get(value, "value")));
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(value, "processes"), 0)), 1);
    ck_assert_ptr_eq(strchr(out.text, '\n'), out.text + out.bytes - 1);
    json_decref(o);
    ncs_str_free(&out);
    forget();
}
END_TEST

NCS_TEST_MAIN("doctor_hosts", equal_machines_differ_in_nothing, hosts_stand_for_their_processes, versions_of_nccl_must_agree,
              some_variables_may_differ, names_of_network_devices_are_a_hosts_own, processes_that_share_gpus_are_noted,
              what_lacks_has_its_place, texts_of_others_are_not_trusted, many_hosts_are_a_short_list, json_has_all_of_it)
