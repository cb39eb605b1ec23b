/* More contexts than guarded stacks: all run, and their stacks are given back. */
#include "base/sanitizer.h"
#include "kernel.h"

enum { MANY = NCS_ASAN || NCS_TSAN ? 500 : 26000 };

static int ran;

static void count_up(void *arg)
{
    (void)arg;
    machine->sleep(1000); /* all are alive at once */
    ran++;
}

START_TEST(more_than_guarded_stacks)
{
    struct ncs_error err = { 0 };
    static struct ncs_local local[MANY];
    for (int round = 0; round < 2; round++) {
        ran = 0;
        kernel_open(&(struct ncs_machine_options){ .hosts.devices = 8, .ranks = MANY });
        for (int i = 0; i < MANY; i++) {
            local[i] = (struct ncs_local){ .rank = i };
            ck_assert_msg(
                machine->spawn(&(struct ncs_context_options){ .process = i, .local = &local[i], .main = count_up }, &err),
                "%d: %s", i, err.text);
        }
        ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
        ck_assert_int_eq(ran, MANY);
        machine->abandon();
        machine->close();
    }
}
END_TEST

NCS_TEST_MAIN("many", more_than_guarded_stacks)
