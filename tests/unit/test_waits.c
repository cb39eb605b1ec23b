/* The graph of who waits for whom, for hand-made diagnoses: the tree and the DOT file, few ranks and many. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/finding.h"
#include "harness.h"
#include "report/waits.h"

#define T(text) ((char *)(text))

enum { MOST = 1024 };

static struct ncs_wait_line line[MOST];
static int peers[MOST][MOST];
static struct ncs_culprit culprit[MOST];
static struct ncs_finding_row row[1];
static struct ncs_sentence said;
static struct ncs_finding finding;
static struct ncs_diagnosis diagnosis;

static void begin(const char *rule)
{
    memset(line, 0, sizeof line);
    finding = (struct ncs_finding){ .rule = rule, .culprit = culprit, .row = row };
    diagnosis = (struct ncs_diagnosis){ .finding = &finding, .findings = 1, .wait = line };
}

static struct ncs_wait_line *wait(int rank, int peer)
{
    size_t at = diagnosis.waits++;
    line[at] = (struct ncs_wait_line){ .rank = rank,
                                       .in = T("stream:sync"),
                                       .place = { "a.lua", 9 },
                                       .comm = T("world"),
                                       .call = 3,
                                       .op = T("AllReduce int8 x 1 sum"),
                                       .peer = peers[at],
                                       .waiting = true };
    if (peer >= 0)
        peers[at][line[at].peers++] = peer;
    return &line[at];
}

static void wait_for_others(int rank, int ranks)
{
    struct ncs_wait_line *w = wait(rank, -1);
    for (int r = 0; r < ranks; r++)
        if (r != rank)
            w->peer[w->peers++] = r;
}

static void blame(int rank)
{
    culprit[finding.culprits++] = (struct ncs_culprit){ .rank = rank, .call = 3, .line = 7 };
}

static void say(int rank, const char *text)
{
    said = (struct ncs_sentence){ .phrase = NCS_PHRASE_plain, .text = T(text) };
    row[finding.rows++] = (struct ncs_finding_row){ .rank = rank, .said = &said, .line = 12 };
}

static void check_tree(bool all, const char *want)
{
    struct ncs_str out = { 0 };
    ncs_waits_tree(&diagnosis, all, &out);
    ck_assert_str_eq(out.text ? out.text : "", want);
    ncs_str_free(&out);
}

START_TEST(test_tree_absent)
{
    begin("skipped-call");
    blame(2);
    say(2, "never made call 3: finished");
    wait(0, 2);
    wait(1, 2);
    wait(3, 2);
    wait(4, 1)->comm = T("pair");
    check_tree(false, "    rank 2 never made call 3: finished at line 12  <- cause: skipped-call\n"
                      "    `- ranks 0, 1, 3 wait in stream:sync at line 9 for world call 3, AllReduce int8 x 1 sum\n"
                      "       `- rank 4 waits in stream:sync at line 9 for pair call 3, AllReduce int8 x 1 sum\n");
}
END_TEST

START_TEST(test_tree_cycle)
{
    begin("comm-order");
    blame(0);
    blame(1);
    wait(0, 1);
    struct ncs_wait_line *w = wait(1, 0);
    w->comm = NULL;
    w->call = 0;
    w->op = NULL;
    w->in = T("store:get");
    w->what = T("store key `go`");
    wait(2, 0);
    check_tree(false, "    rank 0 waits in stream:sync at line 9 for world call 3, AllReduce int8 x 1 sum"
                      "  <- cause: comm-order\n"
                      "    |- rank 1 waits in store:get at line 9 for store key `go`  <- cause: comm-order\n"
                      "    |  `- rank 0 again: a cycle\n"
                      "    `- rank 2 waits in stream:sync at line 9 for world call 3, AllReduce int8 x 1 sum\n");
}
END_TEST

START_TEST(test_tree_disagree)
{
    begin("count-mismatch");
    blame(3);
    say(3, "call 3 is AllReduce int8 x 9 sum");
    for (int r = 0; r < 4; r++)
        wait_for_others(r, 4);
    check_tree(false, "    rank 3 call 3 is AllReduce int8 x 9 sum at line 12  <- cause: count-mismatch\n"
                      "    `- ranks 0, 1, 2 wait in stream:sync at line 9 for world call 3, "
                      "AllReduce int8 x 1 sum, each for all the others: a cycle\n"
                      "       `- rank 3 again: a cycle\n");
}
END_TEST

/* Nobody is to blame, and the circle has no beginning; whoever is waited for and gone comes first. */
START_TEST(test_tree_unblamed)
{
    begin("waiting");
    wait(0, 1);
    wait(1, 0);
    wait(2, 5);
    check_tree(false, "    rank 5 does not wait\n"
                      "    `- rank 2 waits in stream:sync at line 9 for world call 3, AllReduce int8 x 1 sum\n"
                      "    rank 0 waits in stream:sync at line 9 for world call 3, AllReduce int8 x 1 sum\n"
                      "    `- rank 1 waits in stream:sync at line 9 for world call 3, AllReduce int8 x 1 sum\n"
                      "       `- rank 0 again: a cycle\n");
    begin("waiting");
    check_tree(false, "");
}
END_TEST

static void send(int rank, int peer)
{
    static char op[MOST][32];
    struct ncs_wait_line *w = wait(rank, peer);
    snprintf(op[rank], sizeof op[rank], "Send int8 x 4 to %d", peer);
    w->op = op[rank];
    w->via = NCS_VIA_PAIR;
}

START_TEST(test_tree_many)
{
    begin("p2p-cycle"); /* a ring */
    for (int r = 0; r < MOST; r++) {
        blame(r);
        send(r, (r + 1) % MOST);
    }
    check_tree(false, "    ranks 0..1023 wait in stream:sync at line 9 for world call 3, Send int8 x 4, "
                      "each for the rank 1 further on: a cycle  <- cause: p2p-cycle\n");

    begin("p2p-cycle"); /* pairs */
    for (int r = 0; r < MOST; r++)
        send(r, r ^ 1);
    check_tree(false, "    ranks 0..1023 wait in stream:sync at line 9 for world call 3, Send int8 x 4, "
                      "each for the others of its 2: a cycle\n");

    begin("skipped-call"); /* a chain to one that is gone */
    blame(0);
    say(0, "was stopped");
    for (int r = 1; r < MOST; r++)
        send(r, r - 1);
    check_tree(false, "    rank 0 was stopped at line 12  <- cause: skipped-call\n"
                      "    `- ranks 1..1023 wait in stream:sync at line 9 for world call 3, "
                      "Send int8 x 4, each for the rank 1 before\n");

    begin("count-mismatch"); /* all of a collective */
    blame(7);
    for (int r = 0; r < MOST; r++)
        wait_for_others(r, MOST);
    check_tree(false, "    rank 7 waits in stream:sync at line 9 for world call 3, AllReduce int8 x 1 sum"
                      "  <- cause: count-mismatch\n"
                      "    `- ranks 0..6, 8..1023 wait in stream:sync at line 9 for world call 3, "
                      "AllReduce int8 x 1 sum, each for all the others: a cycle\n"
                      "       `- rank 7 again: a cycle\n");
}
END_TEST

/* A text that cannot be folded is cut, and says so. */
START_TEST(test_tree_cut)
{
    begin("waiting");
    for (int r = 1; r <= 100; r++)
        wait(r, 0)->place.line = r;
    struct ncs_str out = { 0 };
    ncs_waits_tree(&diagnosis, false, &out);
    size_t lines = 0;
    for (const char *p = out.text; *p; p++)
        lines += *p == '\n';
    ck_assert_uint_le(lines, 50);
    ck_assert_ptr_nonnull(strstr(out.text, " more; -v shows them\n"));
    ncs_str_clear(&out);
    ncs_waits_tree(&diagnosis, true, &out);
    ck_assert_ptr_nonnull(strstr(out.text, "rank 100 waits"));
    ck_assert_ptr_null(strstr(out.text, "more; -v"));
    ncs_str_free(&out);
}
END_TEST

START_TEST(test_dot)
{
    struct ncs_cycle_step cycle[] = { { 0, T("w\"x"), 3, 9, 1, NCS_VIA_COLLECTIVE, NCS_VIA_STREAM },
                                      { 1, NULL, 0, 9, 0, NCS_VIA_STORE, NCS_VIA_HOST } };
    int bystander[] = { 2 };
    begin("comm-order");
    blame(0);
    blame(1);
    finding.cycle = cycle;
    finding.cycles = 2;
    finding.bystander = bystander;
    finding.bystanders = 1;
    wait(0, 1)->comm = T("w\"x");
    struct ncs_wait_line *w = wait(1, 0);
    w->comm = NULL;
    w->call = 0;
    w->op = NULL;
    w->what = T("store key `a\\b\n`");
    wait(2, 0);
    struct ncs_str out = { 0 };
    ncs_waits_dot(&diagnosis, "a \"b\" \\", &out);
    ck_assert_str_eq(out.text, "digraph waits {\n"
                               "  label=\"a \\\"b\\\" \\\\\";\n"
                               "  labelloc=t; rankdir=LR; node [shape=box];\n"
                               "  n0 [label=\"rank 0\\nwaits in stream:sync at line 9 (comm-order)\", style=filled, "
                               "fillcolor=\"#f4b8b0\", color=\"#c02010\"];\n"
                               "  n1 [label=\"rank 1\\nwaits in stream:sync at line 9 (comm-order)\", style=filled, "
                               "fillcolor=\"#f4b8b0\", color=\"#c02010\"];\n"
                               "  n2 [label=\"rank 2\\nwaits in stream:sync at line 9\", style=dashed, color=\"#808080\"];\n"
                               "  n0 -> n1 [label=\"w\\\"x call 3, AllReduce int8 x 1 sum\", color=\"#c02010\", penwidth=2];\n"
                               "  n1 -> n0 [label=\"store key `a\\\\b `\", color=\"#c02010\", penwidth=2];\n"
                               "  n2 -> n0 [label=\"world call 3, AllReduce int8 x 1 sum\"];\n"
                               "}\n");
    ncs_str_free(&out);
}
END_TEST

NCS_TEST_MAIN("waits", test_tree_absent, test_tree_cycle, test_tree_disagree, test_tree_unblamed, test_tree_many, test_tree_cut,
              test_dot)
