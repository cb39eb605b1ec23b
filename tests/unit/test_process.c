/* Where processes sit, what is set for one of them only, and which variables ranks must share. */
#include "harness.h"

#include <stdbool.h>

#include "api/process.h"
#include "api/weight.h"

static void sits(const struct ncs_shape *hosts, int process, int host, int device)
{
    struct ncs_seat seat = ncs_shape_seat(hosts, process);
    ck_assert_msg(seat.host == host && seat.device == device, "process %d: host %d, device %d", process, seat.host, seat.device);
}

START_TEST(seats_of_equal_hosts)
{
    struct ncs_shape usual = { 0 }, four = { .devices = 4 };
    sits(&usual, 0, 0, 0);
    sits(&usual, 7, 0, 7);
    sits(&usual, 8, 1, 0);
    sits(&four, 65535, 16383, 3);
    ck_assert_int_eq(ncs_shape_most(&usual), 8);
    ck_assert_int_eq(ncs_shape_devices(&four, 1000), 4);
}
END_TEST

START_TEST(seats_of_other_hosts)
{
    int first[] = { 7, 1 };
    struct ncs_shape hosts = { .devices = 3, .first = first, .firsts = 2 };
    sits(&hosts, 6, 0, 6);
    sits(&hosts, 7, 1, 0);
    sits(&hosts, 8, 2, 0);
    sits(&hosts, 10, 2, 2);
    sits(&hosts, 11, 3, 0);
    ck_assert_int_eq(ncs_shape_most(&hosts), 7);
    ck_assert_int_eq(ncs_shape_devices(&hosts, 1), 1);
    ck_assert_int_eq(ncs_shape_devices(&hosts, 5), 3);
}
END_TEST

/* Devices count through all hosts, and the last capability is that of all behind. */
START_TEST(capabilities)
{
    int first[] = { 3 }, capability[] = { 90, 90, 80, 86, 120 };
    struct ncs_shape usual = { 0 }, hosts = { .devices = 2, .first = first, .firsts = 1, .capability = capability };
    ck_assert_int_eq(ncs_shape_capability(&usual, 3, 7), NCS_CAPABILITY_USUAL);
    hosts.capabilities = 1;
    ck_assert_int_eq(ncs_shape_capability(&hosts, 0, 0), 90);
    ck_assert_int_eq(ncs_shape_capability(&hosts, 50000, 1), 90);
    hosts.capabilities = 5;
    ck_assert_int_eq(ncs_shape_capability(&hosts, 0, 2), 80);
    ck_assert_int_eq(ncs_shape_capability(&hosts, 1, 0), 86);
    ck_assert_int_eq(ncs_shape_capability(&hosts, 1, 1), 120);
    ck_assert_int_eq(ncs_shape_capability(&hosts, 50000, 0), 120);
}
END_TEST

/* Each process has a seat of its own, below the number of devices of its host. */
START_TEST(every_seat_once)
{
    int first[] = { 2, 5, 1 };
    struct ncs_shape hosts = { .devices = 4, .first = first, .firsts = 3 };
    struct ncs_seat before = { 0, -1 };
    for (int p = 0; p < 100; p++) {
        struct ncs_seat seat = ncs_shape_seat(&hosts, p);
        bool next = seat.host == before.host ? seat.device == before.device + 1
                                             : seat.host == before.host + 1 && seat.device == 0 &&
                                                   before.device + 1 == ncs_shape_devices(&hosts, before.host);
        ck_assert_msg(next, "process %d", p);
        before = seat;
    }
}
END_TEST

START_TEST(own_settings)
{
    char algo[] = "NCCL_ALGO=Ring", empty[] = "NCCL_ALGO_X=";
    struct ncs_own own[] = { { 2, algo, 0 }, { 2, NULL, 22809 }, { 3, empty, 0 } };
    struct ncs_owns owns = { own, 3 };
    ck_assert_str_eq(ncs_owns_variable(&owns, 2, "NCCL_ALGO"), "Ring");
    ck_assert_ptr_null(ncs_owns_variable(&owns, 2, "NCCL_ALG"));
    ck_assert_ptr_null(ncs_owns_variable(&owns, 3, "NCCL_ALGO"));
    ck_assert_str_eq(ncs_owns_variable(&owns, 3, "NCCL_ALGO_X"), "");
    ck_assert_int_eq(ncs_owns_version(&owns, 2, 23007), 22809);
    ck_assert_int_eq(ncs_owns_version(&owns, 3, 23007), 23007);
}
END_TEST

START_TEST(variables_that_must_agree)
{
    ck_assert_int_eq(ncs_variable_of("NCCL_ALGO").effect, NCS_EFFECT_ALGORITHM);
    ck_assert_int_eq(ncs_variable_of("NCCL_MAX_NCHANNELS").effect, NCS_EFFECT_CHANNELS);
    ck_assert_int_eq(ncs_variable_of("NCCL_P2P_DISABLE").effect, NCS_EFFECT_TRANSPORT);
    ck_assert_int_eq(ncs_variable_of("NCCL_P2P_NET_CHUNKSIZE").effect, NCS_EFFECT_CHUNKS);
    ck_assert_int_eq(ncs_variable_of("NCCL_DEBUG_FILE").weight, NCS_MAY_DIFFER);
    ck_assert_int_eq(ncs_variable_of("NCCL_SOCKET_IFNAME").effect, NCS_EFFECT_NONE);
    ck_assert_int_eq(ncs_variable_of("NCCL_IB_HCA").weight, NCS_DIFFERS);
    /* NCCL's ranks agree on these when they join */
    ck_assert_int_eq(ncs_variable_of("NCCL_NVLS_ENABLE").effect, NCS_EFFECT_NONE);
    ck_assert_int_eq(ncs_variable_of("NCCL_NVLS_ENABLE").weight, NCS_MUST_AGREE);
}
END_TEST

NCS_TEST_MAIN("process", seats_of_equal_hosts, seats_of_other_hosts, every_seat_once, capabilities, own_settings,
              variables_that_must_agree)
