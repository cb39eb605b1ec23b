/* Drivers are opened by name, or it is said why not. */
#include "harness.h"

#include <string.h>

#include "driver/driver.h"

START_TEST(the_simulator)
{
    struct ncs_error err = { 0 };

    ck_assert_ptr_eq(ncs_driver_open("sim", &err), &ncs_driver_sim);
    ck_assert_int_eq(err.status, NCS_OK);
}
END_TEST

START_TEST(real_nccl_is_not_here)
{
    struct ncs_error err = { 0 };

    ck_assert_ptr_null(ncs_driver_open("nccl", &err));
    ck_assert_int_eq(err.status, NCS_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(err.text, "simulator only"));
}
END_TEST

START_TEST(a_wrong_name)
{
    struct ncs_error err = { 0 };

    ck_assert_ptr_null(ncs_driver_open("simm", &err));
    ck_assert_int_eq(err.status, NCS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "\"simm\""));
    ck_assert_str_eq(err.hint, "did you mean `sim`?");
    ck_assert_ptr_null(ncs_driver_open("", &err));
    ck_assert_int_eq(err.status, NCS_BAD_INPUT);
}
END_TEST

NCS_TEST_MAIN("driver", the_simulator, real_nccl_is_not_here, a_wrong_name)
