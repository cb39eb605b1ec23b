/* What verification knows of a call's movement is what the call's row in the API's table says. */
#include "harness.h"

#include "verify/movement.h"

START_TEST(test_rows_agree)
{
    int known = 0;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        const struct ncs_movement *m = ncs_movement_of((enum ncs_fn)fn);
        bool moves = info->counted && (info->reads != NCS_BLOCKS_NONE || info->writes != NCS_BLOCKS_NONE);
        ck_assert_msg((m->kind != NCS_MOVE_NONE) == moves, "%s", info->name);
        ck_assert_msg((m->kind == NCS_MOVE_SEND || m->kind == NCS_MOVE_RECV) == info->pair, "%s", info->name);
        if (m->kind != NCS_MOVE_COLLECTIVE)
            continue;
        known++;
        ck_assert_msg(!info->pair && !info->one_sided, "%s", info->name);
        ck_assert_msg(m->reduces == info->reduces, "%s reduces", info->name);
        ck_assert_msg(m->steps == info->composed, "%s is composed", info->name);
        ck_assert_msg((m->from_root || m->to_root) == info->rooted, "%s has a root", info->name);
        ck_assert_msg(m->from_root == ncs_blocks_are_roots(info->reads), "%s: the root's input", info->name);
        ck_assert_msg(m->to_root == ncs_blocks_are_roots(info->writes), "%s: the root's output", info->name);
        ck_assert_msg(m->parts_in == ncs_blocks_are_many(info->reads), "%s: blocks read", info->name);
        ck_assert_msg(m->parts_out == ncs_blocks_are_many(info->writes), "%s: blocks written", info->name);
    }
    ck_assert_int_ge(known, 9);
}
END_TEST

NCS_TEST_MAIN("verify_movement", test_rows_agree)
