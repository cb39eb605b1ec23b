/* Sentences: every phrase is well formed, and the text is made of the facts alone. */
#include "harness.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "words/words.h"

static const char *const phrase[] = {
#define NCS_PHRASE(id, text) text,
#include "words/phrases.def"
#undef NCS_PHRASE
};
static const char *const id[] = {
#define NCS_PHRASE(id, text) #id,
#include "words/phrases.def"
#undef NCS_PHRASE
};

static bool is_known_part(const char *part, size_t bytes)
{
    static const char *const parts[] = { "at",   "c",    "calls",  "comm", "each", "function", "label",
                                         "line", "list", "number", "one",  "rank", "what" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i]) == bytes && strncmp(parts[i], part, bytes) == 0)
            return true;
    return false;
}

/* A name, perhaps with a part, ends at `at`. */
static const char *pass_name(const char *at, const char *of)
{
    size_t bytes = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    ck_assert_msg(bytes > 0, "%s: no name at: %s", of, at);
    at += bytes;
    if (*at != '.')
        return at;
    bytes = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
    ck_assert_msg(is_known_part(at + 1, bytes), "%s: no such part: %s", of, at);
    return at + 1 + bytes;
}

static void check_phrase(const char *of, const char *text)
{
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '{' && islower((unsigned char)at[1])) {
            at = pass_name(at + 1, of);
            if (*at == ':')
                ck_assert_msg(strcspn(at, "|") < strcspn(at, "}"), "%s: no second word at: %s", of, at);
            at += strcspn(at, "}");
            ck_assert_msg(*at == '}', "%s: a mark has no end", of);
        } else if (*at == '[' && (at[1] == '!' || strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_."))) {
            at = pass_name(at + (at[1] == '!' ? 2 : 1), of);
            ck_assert_msg(at[0] == ':' && at[1] == ' ', "%s: a segment begins with its fact's name and a colon: %s", of, at);
            depth++;
        } else if (*at == ']') {
            ck_assert_msg(depth-- > 0, "%s: a segment ends that has not begun: %s", of, at);
        }
    }
    ck_assert_msg(depth == 0, "%s: a segment has no end", of);
}

START_TEST(every_phrase_is_well_formed)
{
    for (size_t i = 0; i < NCS_PHRASES; i++)
        check_phrase(id[i], phrase[i]);
}
END_TEST

static void gives(struct ncs_sentence *s, const char *text)
{
    ck_assert_str_eq(ncs_sentence_text(s), text);
    ncs_sentence_free(s);
}

START_TEST(facts_fill_a_phrase)
{
    gives(ncs_say(counts, ncs_fact_rank("who", 2), ncs_fact_number("own", 0), ncs_fact_text("comm", "world"),
                  ncs_fact_ranks("others", (int[]){ 0, 1, 3 }, 3), ncs_fact_number("calls", 1)),
          "rank 2 made no call on world; ranks 0, 1, 3 made one");
    gives(ncs_say(counts, ncs_fact_rank("who", 2), ncs_fact_number("own", 1), ncs_fact_text("comm", "world"),
                  ncs_fact_ranks("others", NULL, 0), ncs_fact_number("calls", 7)),
          "rank 2 made one call on world; the others made 7");
    gives(ncs_say(who_waits, ncs_fact_rank("who", 0)), "; rank 0 waits for it");
    gives(ncs_say(who_waits, ncs_fact_ranks("who", (int[]){ 0, 1 }, 2), ncs_fact_is("several", true)),
          "; ranks 0, 1 wait for them");
    gives(ncs_say(rank_lost_all_fix, ncs_fact_rank("who", 3)),
          "let at least one rank go on; if their loss is what the scenario is about, declare outcome = { lost = 3 }");
}
END_TEST

START_TEST(a_fact_that_is_not_given_leaves_no_trace)
{
    gives(ncs_say(host_wait), "stream:sync()");
    gives(ncs_say(skipped_call_fix, ncs_fact_line("line", 0)),
          "every rank of a communicator makes the same calls in the same order");
    ck_assert_ptr_null(ncs_sentence_text(NULL));
    ck_assert_ptr_null(ncs_plain(NULL));
}
END_TEST

/* ---- names ---- */

static int one_more(void *arg, int rank)
{
    (void)arg;
    return rank + 1;
}

static bool introduce_third(void *arg, int rank, struct ncs_str *out)
{
    (void)arg;
    if (rank == 3)
        ncs_str_add(out, " (device 2)");
    return rank == 3;
}

static char *same(void *arg, const char *text, bool *introduced)
{
    (void)arg;
    (void)introduced;
    return ncs_copy_text(text);
}

START_TEST(ranks_are_named_by_their_facts)
{
    struct ncs_naming naming = { NULL, one_more, introduce_third, same, false };
    struct ncs_sentence *s = ncs_say(signal_missing_peer, ncs_fact_is("by_member", true), ncs_fact_number("member", 2),
                                     ncs_fact_text("comm", "of rank 2"));
    ncs_sentence_name(s, &naming); /* a number is no rank, and a name is never read */
    gives(s, "rank 2 of of rank 2");
    s = ncs_say(counts, ncs_fact_rank("who", 2), ncs_fact_number("own", 2), ncs_fact_text("comm", "rank 2"),
                ncs_fact_ranks("others", (int[]){ 2 }, 1), ncs_fact_number("calls", 3));
    ncs_sentence_name(s, &naming); /* introduced once */
    ck_assert(naming.introduced);
    gives(s, "rank 3 (device 2) made 2 calls on rank 2; rank 3 made 3");
}
END_TEST

START_TEST(a_copy_lives_alone)
{
    struct ncs_sentence *s = ncs_say(skipped_call_why, ncs_fact_sentence("skip", ncs_plain(ncs_copy_text("one"))),
                                     ncs_fact_text("spawns", ", two"));
    struct ncs_sentence *copy = ncs_sentence_copy(s);
    ck_assert(ncs_sentences_same(s, copy));
    ck_assert(ncs_sentence_replace(s, "skip", ncs_plain(ncs_copy_text("three"))));
    ck_assert(!ncs_sentence_replace(s, "spawns", ncs_plain(ncs_copy_text("four")))); /* that one is a text */
    ck_assert(!ncs_sentences_same(s, copy));
    gives(s, "three, two");
    gives(copy, "one, two");
    ck_assert(ncs_sentences_same(NULL, NULL));
}
END_TEST

NCS_TEST_MAIN("words", every_phrase_is_well_formed, facts_fill_a_phrase, a_fact_that_is_not_given_leaves_no_trace,
              ranks_are_named_by_their_facts, a_copy_lives_alone)
