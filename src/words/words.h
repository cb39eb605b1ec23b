/* Sentences as data: a phrase of phrases.def, and the facts that fill it.
 *
 * Who finds something out makes a sentence of facts: ranks, calls, lines, numbers. English is made of it here and nowhere else, and
 * nobody reads it again: who wants to know of whom a sentence speaks, or renames a rank, asks the facts.
 *
 * In a phrase, `{who}` is replaced by the fact of that name, and `{call.what}` by a part of it:
 *
 *   ranks      {who}         "rank 2", "ranks 0..3"          {who.list}      "2", "0..3"
 *              {who.each}    "rank 0, rank 1"
 *   a call     {c}           "call 3 on world"               {c.number}      "3"
 *              {c.comm}      "world"                         {c.what}        "AllReduce float32 x 8 sum"
 *              {c.function}  "comm:all_reduce"               {c.c}           "ncclAllReduce"
 *              {c.rank}      "rank 2"                        {c.label}       "its label"
 *              {c.line}      "line 4"                        {c.at}          " at line 4 (its label)", or nothing
 *   a line     {here}        "line 12"
 *   a number   {n}           "3"                             {n.calls}       "no call", "one call", "3 calls"
 *              {n.one}       "one", "3"
 *   a text     {name}        as it is
 *   a sentence {more}        its text
 *
 * `{who:has|have}` is the first word for one rank or the number 1, else the second one. `[more: text]` is there only if the fact is,
 * `[!more: text]` only if it is not; a fact is there if it is given, and not 0, an empty list or text, false, or a sentence NULL.
 * Segments may stand in one another. */
#ifndef NCS_WORDS_WORDS_H
#define NCS_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"

enum ncs_phrase {
#define NCS_PHRASE(id, text) NCS_PHRASE_##id,
#include "words/phrases.def"
#undef NCS_PHRASE
    NCS_PHRASES
};

enum ncs_fact_kind {
    NCS_IS_NUMBER,
    NCS_IS_TEXT,
    NCS_IS_LINE,
    NCS_IS_RANKS,
    NCS_IS_CALL,
    NCS_IS_SENTENCE,
};

struct ncs_called {           /* what is kept of a call */
    uint32_t number;          /* on the communicator; 0 = calls of its kind are not counted */
    int rank, line;           /* of the run, or a party; 0 = unknown */
    const char *function, *c; /* static texts */
    char *comm, *label, *what;
};

/* Made by the functions below, owned by its sentence. */
struct ncs_fact {
    const char *name; /* in the phrase; static text */
    enum ncs_fact_kind kind;
    int64_t number; /* NUMBER, LINE */
    char *text;     /* TEXT */
    int *rank;      /* RANKS: of the run, or parties, in the order of the text */
    size_t ranks;
    struct ncs_called *call;
    struct ncs_sentence *sentence;
};

struct ncs_sentence {
    enum ncs_phrase phrase;
    struct ncs_fact *fact;
    size_t facts;
    char *text; /* NULL = nobody has asked for it: see ncs_sentence_text */
    int *line;  /* with the text: the lines that it names, in its order, without those that a label speaks of */
    size_t lines, lines_room;
};

/* Texts, lists and what a call is are copied; a sentence is taken over. NULL = the fact is not there. */
struct ncs_fact ncs_fact_number(const char *name, int64_t number);
struct ncs_fact ncs_fact_is(const char *name, bool is);
struct ncs_fact ncs_fact_text(const char *name, const char *text);
struct ncs_fact ncs_fact_line(const char *name, int line); /* 0 = unknown */
struct ncs_fact ncs_fact_rank(const char *name, int rank);
struct ncs_fact ncs_fact_ranks(const char *name, const int *rank, size_t ranks);
struct ncs_fact ncs_fact_call(const char *name, const struct ncs_journal *journal, const struct ncs_call *call);
struct ncs_fact ncs_fact_sentence(const char *name, struct ncs_sentence *sentence);

/* A new sentence of a phrase, named without its prefix: ncs_say(rank_lost_why, ncs_fact_rank("who", 2)). The caller frees it. */
#define ncs_say(id, ...)                                                                      \
    ncs_sentence_of(NCS_PHRASE_##id, (struct ncs_fact[]){ { 0 } __VA_OPT__(, ) __VA_ARGS__ }, \
                    sizeof((struct ncs_fact[]){ { 0 } __VA_OPT__(, ) __VA_ARGS__ }) / sizeof(struct ncs_fact))
struct ncs_sentence *ncs_sentence_of(enum ncs_phrase phrase, const struct ncs_fact *fact,
                                     size_t facts);                   /* without the first one */
struct ncs_sentence *ncs_sentence_copy(const struct ncs_sentence *s); /* NULL of NULL */
void ncs_sentence_free(struct ncs_sentence *s);

/* A sentence whose text was made elsewhere; takes it over, NULL gives NULL. */
struct ncs_sentence *ncs_plain(char *text);

/* The text, which lives as long as the sentence is not changed; NULL of NULL. */
const char *ncs_sentence_text(const struct ncs_sentence *s);
char *ncs_sentence_take(struct ncs_sentence *s); /* the text, which the caller frees; the sentence is freed */
/* The fact whose name is the first bytes of `name`; NULL = the sentence has none. */
const struct ncs_fact *ncs_sentence_fact(const struct ncs_sentence *s, const char *name, size_t bytes);
/* Puts another sentence in the place of the one that is the fact of this name; takes it over. False, and it is freed, if there is
 * none. */
bool ncs_sentence_replace(struct ncs_sentence *s, const char *name, struct ncs_sentence *by);
bool ncs_sentences_same(const struct ncs_sentence *a, const struct ncs_sentence *b); /* their texts are equal, or both are NULL */

/* How ranks are named: for the sentences of a report, in the order in which it has them. */
struct ncs_naming {
    void *arg;
    int (*number)(void *arg, int rank); /* the number that a report gives the rank */
    /* Appends, where a sentence names the rank alone for the first time, who that is; returns whether there is anything to be said
     * of it. NULL = nobody is introduced. */
    bool (*introduce)(void *arg, int rank, struct ncs_str *out);
    char *(*plain)(void *arg, const char *text, bool *introduced); /* the same for a text without facts; the caller frees it */
    bool introduced;                                               /* somebody has been; nobody is any more */
};
/* Gives the ranks of all its facts, and of theirs, their numbers, and makes the text. */
void ncs_sentence_name(struct ncs_sentence *s, struct ncs_naming *naming);

#endif
