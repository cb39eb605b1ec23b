/* Ranks that share a GPU: which of them are told, and which wait for those who were. */
#include "kernel.h"

#include "harness.h"

enum { RANKS = 4 };

static ncclUniqueId shared_id;
static struct ncs_gate *shared_gate;
static bool shared_known;
static struct {
    int rc;
    char text[200];
} seen[RANKS];

/* Two hosts of two GPUs; rank 0 moves to the GPU of rank 1. */
static void share(struct kernel_rank *r)
{
    ncclComm_t comm = NULL;
    if (r->rank == 0) {
        OK(api->ncclGetUniqueId(&shared_id));
        shared_known = true;
        machine->gate_wake(shared_gate);
    }
    while (!shared_known)
        if (!machine->gate_wait(shared_gate, -1, "id", "id", -1, -1))
            return;
    if (r->rank == 0)
        OK(api->cudaSetDevice(1));
    seen[r->rank].rc = -1;
    int rc = api->ncclCommInitRank(&comm, r->nranks, shared_id, r->rank);
    if (machine->cancelled())
        return;
    seen[r->rank].rc = rc;
    const char *text = api->ncclGetLastError(NULL);
    strncpy(seen[r->rank].text, text ? text : "", sizeof seen->text - 1);
}

static enum ncs_stop run(int version, bool allowed)
{
    memset(seen, 0, sizeof seen);
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", allowed ? "1" : "0", 1);
    kernel_open(&(struct ncs_machine_options){ .hosts.devices = 2, .nccl_version = version });
    shared_known = false;
    shared_gate = machine->gate_new();
    return kernel_run(RANKS, share);
}

static void end(void)
{
    machine->gate_free(shared_gate);
    kernel_end();
}

static void check_codes(int version, enum ncs_stop stop, const int *rc, const char *text)
{
    ck_assert_int_eq(run(version, false), stop);
    for (int i = 0; i < RANKS; i++) {
        ck_assert_msg(seen[i].rc == rc[i], "NCCL %d, rank %d: %d", version, i, seen[i].rc);
        if (rc[i] > 0)
            ck_assert_msg(strstr(seen[i].text, text) != NULL, "NCCL %d, rank %d: %s", version, i, seen[i].text);
    }
    end();
}

START_TEST(who_is_told_depends_on_the_version)
{
    static const int sharing[] = { 5, 5, -1, -1 }, first[] = { 5, -1, -1, -1 }, all[] = { 5, 5, 5, 5 };
    check_codes(22809, NCS_STOP_QUIET, sharing, "Duplicate GPU detected : rank ");
    ck_assert_ptr_nonnull(strstr(seen[0].text, "rank 0 and rank 1 both"));
    ck_assert_ptr_nonnull(strstr(seen[1].text, "rank 1 and rank 0 both"));
    check_codes(22907, NCS_STOP_QUIET, sharing, "Duplicate GPU detected : rank ");
    check_codes(23003, NCS_STOP_QUIET, first, "NCCL_MULTI_RANK_GPU_ENABLE=1");
    check_codes(23004, NCS_STOP_QUIET, first, "NCCL_MULTI_RANK_GPU_ENABLE=1");
    check_codes(23007, NCS_STOP_DONE, all, "NCCL_MULTI_RANK_GPU_ENABLE=1");
}
END_TEST

START_TEST(sharing_can_be_allowed)
{
    for (int version = 22907; version <= 23007; version += 100) {
        ck_assert_int_eq(run(version, true), version > 23000 ? NCS_STOP_DONE : NCS_STOP_QUIET);
        ck_assert_int_eq(seen[0].rc, version > 23000 ? 0 : 5);
        end();
    }
}
END_TEST

NCS_TEST_MAIN("kernel init", who_is_told_depends_on_the_version, sharing_can_be_allowed)
