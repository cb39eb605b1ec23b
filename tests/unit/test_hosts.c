/* Steps of hosts: what the journal keeps of them, and how a trial in thought plays barriers and keys. */
#include "diagnose/course/course.h"
#include "diagnose/course/hosts.h"
#include "journal_lab.h"

/* ---- the journal ---- */

START_TEST(steps_are_kept_in_order)
{
    open_plain();
    ncclComm_t comm = join(0, 1, new_id(), 0);
    struct ncs_host_step *first = ncs_journal_host(journal, NCS_HOST_SET, "go", -1);
    uint64_t before = journal->calls;
    reduce(0, comm, 4, ncclSum);
    ncs_local = &locals[1];
    struct ncs_host_step *other = ncs_journal_host(journal, NCS_HOST_BARRIER, "ranks 0, 1", -1);
    ncs_local = &locals[0];
    struct ncs_host_step *second = ncs_journal_host(journal, NCS_HOST_GET, "go", -1);
    ck_assert_ptr_eq(journal->oldest_host, first);
    ck_assert_ptr_eq(first->newer, other);
    ck_assert_ptr_eq(other->newer, second);
    ck_assert_ptr_eq(journal->newest_host, second);
    ck_assert_str_eq(first->what, "go");
    ck_assert_uint_eq(first->after, before);
    ck_assert_uint_gt(second->after, before);
    ck_assert_uint_eq(first->nth, 1);
    ck_assert_uint_eq(second->nth, 2); /* of its thread's */
    ck_assert_uint_eq(other->nth, 1);
    ck_assert_uint_eq(second->id, 3);
    ck_assert_uint_eq(journal->calls, before + 1); /* they are no calls */
    ncs_journal_close(journal);
}
END_TEST

START_TEST(only_what_a_script_does_is_kept)
{
    open_plain();
    locals[0].opening = true;
    ck_assert_ptr_null(ncs_journal_host(journal, NCS_HOST_SET, "id", -1));
    locals[0].opening = false;
    locals[0].ending = true;
    ck_assert_ptr_null(ncs_journal_host(journal, NCS_HOST_BARRIER, "ranks 0, 1", -1));
    locals[0].ending = false;
    ncs_local = NULL;
    ck_assert_ptr_null(ncs_journal_host(journal, NCS_HOST_SET, "id", -1));
    ncs_local = &locals[0];
    ck_assert(!journal->hosts_lost);
    ck_assert_ptr_null(journal->oldest_host);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(their_share_of_the_limit_is_kept)
{
    open_with(64 * ncs_call_bytes(NCS_FN_ncclAllReduce));
    size_t kept = 0;
    while (kept < 10000 && ncs_journal_host(journal, NCS_HOST_SET, "key", -1))
        kept++;
    ck_assert_uint_gt(kept, 0);
    ck_assert_uint_lt(kept, 10000);
    ck_assert(journal->hosts_lost);
    ck_assert_uint_le(journal->host_bytes, journal->limit / 8);
    ck_assert_uint_eq(journal->hosts, kept);
    ncs_journal_close(journal);
}
END_TEST

/* ---- keys ---- */

START_TEST(keys_are_alike_but_for_their_numbers)
{
    ck_assert_uint_eq(ncs_key_class("rank0-ready"), ncs_key_class("rank12-ready"));
    ck_assert_uint_eq(ncs_key_class("7"), ncs_key_class("13"));
    ck_assert_uint_ne(ncs_key_class("k1"), ncs_key_class("kk1"));
    ck_assert_uint_ne(ncs_key_class("k1"), ncs_key_class("k1x"));
    ck_assert_uint_ne(ncs_key_class("k"), ncs_key_class("k1"));
    ck_assert_uint_ne(ncs_key_class("1k"), ncs_key_class("k1"));
}
END_TEST

START_TEST(lists_of_ranks_are_read)
{
    ck_assert(ncs_is_listed("ranks 0, 2, 4..7", 5));
    ck_assert(ncs_is_listed("ranks 0, 2, 4..7", 2));
    ck_assert(!ncs_is_listed("ranks 0, 2, 4..7", 3));
    ck_assert(!ncs_is_listed("ranks 0, 2, 4..7", 12));
    ck_assert(ncs_is_listed("everybody", 12));
}
END_TEST

/* ---- a trial in thought ---- */

static const struct ncs_analysis three = { .ranks = 3 };

START_TEST(a_key_is_there_once_it_is_set)
{
    struct ncs_hosts h;
    ncs_hosts_open(&three, &h);
    ck_assert(!ncs_hosts_is_set(&h, "go"));
    ncs_hosts_set(&h, "go");
    ck_assert(ncs_hosts_is_set(&h, "go"));
    ck_assert(!ncs_hosts_is_set(&h, "goo"));
    ncs_hosts_close(&h);
}
END_TEST

START_TEST(a_barrier_opens_when_all_listed_have_come)
{
    struct ncs_hosts h;
    ncs_hosts_open(&three, &h);
    ck_assert(!ncs_hosts_visit(&h, "ranks 0, 1", 1, 0, NULL));
    ck_assert(!ncs_hosts_visit(&h, "ranks 0..2", 2, 1, NULL)); /* another list, another barrier */
    ck_assert(!ncs_hosts_visit(&h, "ranks 0, 1", 1, 0, NULL));
    ck_assert(ncs_hosts_visit(&h, "ranks 0, 1", 3, 1, NULL));
    ck_assert(ncs_hosts_visit(&h, "ranks 0, 1", 1, 0, NULL));
    ck_assert(!ncs_hosts_visit(&h, "ranks 0..2", 2, 1, NULL));
    ncs_hosts_close(&h);
}
END_TEST

START_TEST(of_the_threads_of_a_process_one_goes_on)
{
    struct ncs_hosts h;
    ncs_hosts_open(&three, &h);
    ck_assert(!ncs_hosts_visit(&h, "ranks 0, 1", 1, 0, NULL));
    ck_assert(!ncs_hosts_visit(&h, "ranks 0, 1", 2, 0, NULL));
    ck_assert(ncs_hosts_visit(&h, "ranks 0, 1", 3, 1, NULL));
    ck_assert(ncs_hosts_visit(&h, "ranks 0, 1", 1, 0, NULL));
    ck_assert(!ncs_hosts_visit(&h, "ranks 0, 1", 2, 0, NULL));
    ck_assert(ncs_hosts_visit(&h, "ranks 0, 1", 4, 1, NULL));
    ck_assert(ncs_hosts_visit(&h, "ranks 0, 1", 2, 0, NULL));
    ncs_hosts_close(&h);
}
END_TEST

START_TEST(who_may_still_come_keeps_nobody)
{
    const bool free[] = { false, true, false };
    struct ncs_hosts h;
    ncs_hosts_open(&three, &h);
    ck_assert(!ncs_hosts_visit(&h, "ranks 0..2", 1, 0, free));
    ck_assert(ncs_hosts_visit(&h, "ranks 0..2", 2, 2, free));
    ck_assert(ncs_hosts_visit(&h, "ranks 0..2", 1, 0, NULL));
    ncs_hosts_close(&h);
}
END_TEST

NCS_TEST_MAIN("hosts", steps_are_kept_in_order, only_what_a_script_does_is_kept, their_share_of_the_limit_is_kept,
              keys_are_alike_but_for_their_numbers, lists_of_ranks_are_read, a_key_is_there_once_it_is_set,
              a_barrier_opens_when_all_listed_have_come, of_the_threads_of_a_process_one_goes_on, who_may_still_come_keeps_nobody)
