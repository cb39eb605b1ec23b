/* Drivers are opened by name, or it is said why not. */
#include "harness.h"

#include <string.h>

#include "driver/driver.h"

static const struct ncs_driver *open_driver(const char *name, struct ncs_error *err)
{
    return ncs_driver_open(&(struct ncs_driver_choice){ .name = name }, err);
}

START_TEST(the_simulator)
{
    struct ncs_error err = { 0 };

    ck_assert_ptr_eq(open_driver("sim", &err), &ncs_driver_sim);
    ck_assert_int_eq(err.status, NCS_OK);
}
END_TEST

static const struct {
    const char *nccl, *text;
} refused[] = {
    { "", "--nccl-lib: expected the path of a library" },
    { "/nowhere/libnccl.so.2", "--nccl-lib: no file `/nowhere/libnccl.so.2`" },
    { "tests", "--nccl-lib: `tests` is a folder" },
    { "README.md", "--nccl-lib: `README.md` cannot be loaded as a shared library: " },
    { "libnowhere.so", "--nccl-lib: `libnowhere.so` cannot be loaded as a shared library: " },
    { "libc.so.6", "--nccl-lib: `libc.so.6` is not NCCL: it has no ncclGetVersion" },
};

START_TEST(a_library_that_is_none)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ncs_error err = { 0 };
        struct ncs_driver_choice choice = { "nccl", refused[i].nccl, NULL };
        const char *text = refused[i].text;

        ck_assert_ptr_null(ncs_driver_open(&choice, &err));
        ck_assert_int_eq(err.status, NCS_BAD_INPUT);
        ck_assert_msg(strncmp(err.text, text, strlen(text)) == 0, "%s", err.text);
    }
}
END_TEST

START_TEST(a_wrong_name)
{
    struct ncs_error err = { 0 };

    ck_assert_ptr_null(open_driver("simm", &err));
    ck_assert_int_eq(err.status, NCS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "\"simm\""));
    ck_assert_str_eq(err.hint, "did you mean `sim`?");
    ck_assert_ptr_null(open_driver("", &err));
    ck_assert_int_eq(err.status, NCS_BAD_INPUT);
}
END_TEST

NCS_TEST_MAIN("driver", the_simulator, a_library_that_is_none, a_wrong_name)
