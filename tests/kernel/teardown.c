/* What the end of a communicator waits for: ranks of the same host in other processes until they have let go of it, and
 * what the device does when memory is freed. */
#include "comm_lab.h"

#include "harness.h"

static struct ncs_gate *closed; /* nobody opens it */
static bool returned[8];

static const struct ncs_machine_options documented = { 0 };
static const struct ncs_machine_options connected = { .teardown = NCS_TEARDOWN_CONNECTED };

static void stay(void)
{
    machine->gate_wait(closed, -1, "gate", "closed", -1, -1);
}

static void ends(struct kernel_rank *r, ncclComm_t comm)
{
    OK(api->ncclCommDestroy(comm));
    returned[r->rank] = !machine->cancelled();
}

static void meet_all(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
}

/* The ranks whose destroy returned, as digits. */
static const char *run(const struct ncs_machine_options *options, int ranks, void (*body)(struct kernel_rank *r))
{
    static char out[16];
    size_t n = 0;
    memset(returned, 0, sizeof returned);
    kernel_open(options);
    closed = machine->gate_new();
    kernel_run(ranks, body);
    for (int i = 0; i < ranks; i++)
        if (returned[i])
            out[n++] = (char)('0' + i);
    out[n] = '\0';
    return out;
}

static void end(void)
{
    machine->abandon(); /* what still waits at the gate */
    machine->gate_free(closed);
    kernel_end();
}

#define RETURNED(text, options, ranks, body)               \
    do {                                                   \
        ck_assert_str_eq(run(options, ranks, body), text); \
        end();                                             \
    } while (0)

/* ---- what counts as letting go ---- */

static enum how { STAYS, FINALIZES, ABORTS, REVOKES, LEAVES, DIES } how;

static void one_does_otherwise(struct kernel_rank *r)
{
    meet_all(r);
    if (r->rank != 1) {
        ends(r, r->world);
        return;
    }
    switch (how) {
    case FINALIZES: OK(api->ncclCommFinalize(r->world)); break;
    case ABORTS: OK(api->ncclCommAbort(r->world)); break;
    case REVOKES: OK(api->ncclCommRevoke(r->world, 0)); break;
    case DIES: machine->die("killed", (struct ncs_place){ 0 }); return;
    case LEAVES: return;
    case STAYS: break;
    }
    stay();
}

START_TEST(a_rank_lets_go)
{
    for (int policy = 0; policy < 2; policy++) {
        const struct ncs_machine_options *o = policy ? &connected : &documented;
        for (how = STAYS; how <= DIES; how++)
            RETURNED(how == STAYS ? "" : "023", o, 4, one_does_otherwise);
    }
}
END_TEST

START_TEST(who_holds_is_named)
{
    for (int policy = 0; policy < 2; policy++) {
        how = STAYS;
        run(policy ? &connected : &documented, 4, one_does_otherwise);
        struct ncs_snapshot s;
        machine->snapshot(&s);
        size_t destroys = 0;
        for (size_t i = 0; i < s.jobs; i++) {
            if (s.job[i].kind != NCS_JOB_DESTROY)
                continue;
            destroys++;
            ck_assert_uint_eq(s.job[i].misses, 1);
            ck_assert_int_eq(s.missing[s.job[i].miss], 1);
        }
        ck_assert_uint_eq(destroys, 3);
        ncs_snapshot_free(&s);
        end();
    }
}
END_TEST

START_TEST(hosts_are_apart)
{
    struct ncs_machine_options two = documented;
    two.hosts.devices = 2;
    how = STAYS;
    RETURNED("23", &two, 4, one_does_otherwise); /* rank 0 shares a host with rank 1 */
    two.teardown = NCS_TEARDOWN_CONNECTED;
    RETURNED("23", &two, 4, one_does_otherwise);
}
END_TEST

/* ---- who has met ---- */

static void never_meet(struct kernel_rank *r)
{
    if (r->rank == 1)
        stay();
    else
        ends(r, r->world);
}

static void pairs_meet(struct kernel_rank *r)
{
    if (r->rank == 0)
        OK(api->ncclSend(r->x, 1, ncclFloat32, 1, r->world, r->stream));
    else if (r->rank == 1)
        OK(api->ncclRecv(r->x, 1, ncclFloat32, 0, r->world, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
    never_meet(r);
}

START_TEST(only_who_has_met)
{
    uint64_t buffered;
    RETURNED("", &documented, 4, never_meet);
    RETURNED("", &documented, 4, pairs_meet);
    ck_assert_str_eq(run(&connected, 4, never_meet), "023");
    ck_assert(machine->swayed(0, &buffered)); /* the other policy would have waited */
    end();
    RETURNED("23", &connected, 4, pairs_meet);
    ck_assert_str_eq(run(&documented, 4, never_meet), "");
    ck_assert(machine->swayed(0, &buffered));
    end();
    how = STAYS;
    ck_assert_str_eq(run(&documented, 4, one_does_otherwise), "");
    ck_assert(!machine->swayed(0, &buffered)); /* they have met: both policies wait */
    end();
}
END_TEST

/* ---- shared resources ---- */

static void team_shares(struct kernel_rank *r)
{
    ncclComm_t team = NULL, child = NULL;
    ncclConfig_t c = unset;
    c.splitShare = 1;
    OK(api->ncclCommSplit(r->world, 0, r->rank, &team, &c)); /* its children will use its resources */
    OK(api->ncclCommSplit(team, 0, r->rank, &child, NULL));
    if (machine->cancelled())
        return;
    ck_assert_float_eq(sum_on(r, child, 1), (float)r->nranks);
    if (r->rank == 1)
        stay();
    if (machine->cancelled())
        return;
    OK(api->ncclCommDestroy(child));
    if (r->rank == 0) { /* has let go of the child, and holds the parent */
        returned[0] = !machine->cancelled();
        stay();
    }
    if (!machine->cancelled())
        ends(r, team);
}

START_TEST(the_last_of_a_family_waits)
{
    RETURNED("", &documented, 3, team_shares);
    RETURNED("0", &connected, 3, team_shares); /* the child alone is no end; rank 2 waits in the parent's */
}
END_TEST

/* ---- memory ---- */

static bool aborts;

/* A call of rank 0 on `other` stands on another stream while it ends world. */
static void beside(struct kernel_rank *r)
{
    ncclComm_t other = NULL;
    OK(api->ncclCommSplit(r->world, 0, r->rank, &other, NULL));
    if (machine->cancelled())
        return;
    sum_on(r, other, 1);
    if (r->rank == 0)
        OK(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, other, r->stream));
    if (aborts)
        OK(api->ncclCommAbort(r->world));
    else
        OK(api->ncclCommDestroy(r->world));
    returned[r->rank] = !machine->cancelled();
}

START_TEST(what_frees_memory_waits_for_the_device)
{
    for (int i = 0; i < 2; i++) {
        aborts = i == 1;
        RETURNED("1", &documented, 2, beside);
        RETURNED("01", &connected, 2, beside);
    }
}
END_TEST

/* ---- how it scales ---- */

static void destroys(struct kernel_rank *r)
{
    meet_all(r);
    if (r->rank % 2)
        machine->sleep(1000);
    OK(api->ncclCommDestroy(r->world));
}

START_TEST(many_ranks_of_a_host)
{
    for (int policy = 0; policy < 2; policy++) {
        struct ncs_machine_options o = policy ? connected : documented;
        o.hosts.devices = 1024;
        kernel_open(&o);
        ck_assert_int_eq(kernel_run(1024, destroys), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

NCS_TEST_MAIN("kernel teardown", a_rank_lets_go, who_holds_is_named, hosts_are_apart, only_who_has_met,
              the_last_of_a_family_waits, what_frees_memory_waits_for_the_device, many_ranks_of_a_host)
