/* Sentences and their facts. */
#include <string.h>

#include "base/mem.h"
#include "words/sentence.h"

/* ---- facts ---- */

struct ncs_fact ncs_fact_number(const char *name, int64_t number)
{
    return (struct ncs_fact){ .name = name, .kind = NCS_IS_NUMBER, .number = number };
}

struct ncs_fact ncs_fact_is(const char *name, bool is)
{
    return ncs_fact_number(name, is);
}

struct ncs_fact ncs_fact_text(const char *name, const char *text)
{
    return (struct ncs_fact){ .name = name, .kind = NCS_IS_TEXT, .text = ncs_copy_text(text) };
}

struct ncs_fact ncs_fact_line(const char *name, int line)
{
    return (struct ncs_fact){ .name = name, .kind = NCS_IS_LINE, .number = line };
}

struct ncs_fact ncs_fact_rank(const char *name, int rank)
{
    return ncs_fact_ranks(name, &rank, 1);
}

struct ncs_fact ncs_fact_ranks(const char *name, const int *rank, size_t ranks)
{
    struct ncs_fact f = { .name = name, .kind = NCS_IS_RANKS, .ranks = ranks };
    f.rank = ncs_new(ranks * sizeof *f.rank);
    if (ranks)
        memcpy(f.rank, rank, ranks * sizeof *f.rank);
    return f;
}

static const char *called_function(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (call->unsaid & NCS_UNSAID_KIND)
        return "collective";
    return info->lua_name && !call->by_c_name ? info->lua_name : info->name;
}

struct ncs_fact ncs_fact_call(const char *name, const struct ncs_journal *journal, const struct ncs_call *call)
{
    struct ncs_fact f = { .name = name, .kind = NCS_IS_CALL };
    struct ncs_str what = { 0 };
    if (!call)
        return f;
    bool known = call->comm >= 0 && (size_t)call->comm < journal->comms && journal->comm[call->comm]->name;
    ncs_call_describe(call, &what);
    f.call = ncs_new(sizeof *f.call);
    *f.call = (struct ncs_called){ .number = call->number,
                                   .rank = call->rank,
                                   .line = call->place.line,
                                   .function = called_function(call),
                                   .c = ncs_fn_info[call->fn].name,
                                   .comm = ncs_copy_text(known ? journal->comm[call->comm]->name : "?"),
                                   .label = ncs_copy_text(call->label),
                                   .what = what.text ? ncs_str_take(&what) : ncs_copy_text(ncs_fn_info[call->fn].name) };
    return f;
}

struct ncs_fact ncs_fact_sentence(const char *name, struct ncs_sentence *sentence)
{
    return (struct ncs_fact){ .name = name, .kind = NCS_IS_SENTENCE, .sentence = sentence };
}

static void free_fact(struct ncs_fact *f)
{
    if (f->call) {
        ncs_free(f->call->comm);
        ncs_free(f->call->label);
        ncs_free(f->call->what);
    }
    ncs_free(f->call);
    ncs_free(f->text);
    ncs_free(f->rank);
    ncs_sentence_free(f->sentence);
}

static struct ncs_fact copy_fact(const struct ncs_fact *f)
{
    struct ncs_fact copy = *f;
    copy.text = ncs_copy_text(f->text);
    copy.sentence = ncs_sentence_copy(f->sentence);
    if (f->rank)
        copy.rank = ncs_fact_ranks(f->name, f->rank, f->ranks).rank;
    if (f->call) {
        copy.call = ncs_new(sizeof *copy.call);
        *copy.call = *f->call;
        copy.call->comm = ncs_copy_text(f->call->comm);
        copy.call->label = ncs_copy_text(f->call->label);
        copy.call->what = ncs_copy_text(f->call->what);
    }
    return copy;
}

/* ---- sentences ---- */

struct ncs_sentence *ncs_sentence_of(enum ncs_phrase phrase, const struct ncs_fact *fact, size_t facts)
{
    struct ncs_sentence *s = ncs_new(sizeof *s);
    s->phrase = phrase;
    s->facts = facts - 1;
    s->fact = ncs_new(facts * sizeof *s->fact);
    memcpy(s->fact, fact + 1, s->facts * sizeof *s->fact);
    return s;
}

struct ncs_sentence *ncs_sentence_copy(const struct ncs_sentence *s)
{
    if (!s)
        return NULL;
    struct ncs_sentence *copy = ncs_new(sizeof *copy);
    *copy = (struct ncs_sentence){ .phrase = s->phrase, .facts = s->facts };
    copy->fact = ncs_new((s->facts + 1) * sizeof *copy->fact);
    for (size_t i = 0; i < s->facts; i++)
        copy->fact[i] = copy_fact(&s->fact[i]);
    return copy;
}

struct ncs_sentence *ncs_plain(char *text)
{
    return text ? ncs_say(plain, { .name = "text", .kind = NCS_IS_TEXT, .text = text }) : NULL;
}

void ncs_sentence_free(struct ncs_sentence *s)
{
    for (size_t i = 0; s && i < s->facts; i++)
        free_fact(&s->fact[i]);
    if (s) {
        ncs_free(s->fact);
        ncs_free(s->line);
        ncs_free(s->text);
    }
    ncs_free(s);
}

char *ncs_sentence_take(struct ncs_sentence *s)
{
    char *text = ncs_copy_text(ncs_sentence_text(s));
    ncs_sentence_free(s);
    return text;
}

bool ncs_sentences_same(const struct ncs_sentence *a, const struct ncs_sentence *b)
{
    return a && b ? strcmp(ncs_sentence_text(a), ncs_sentence_text(b)) == 0 : a == b;
}

const struct ncs_fact *ncs_sentence_fact(const struct ncs_sentence *s, const char *name, size_t bytes)
{
    for (size_t i = 0; i < s->facts; i++)
        if (strncmp(s->fact[i].name, name, bytes) == 0 && !s->fact[i].name[bytes])
            return &s->fact[i];
    return NULL;
}

bool ncs_sentence_replace(struct ncs_sentence *s, const char *name, struct ncs_sentence *by)
{
    struct ncs_fact *f = (struct ncs_fact *)ncs_sentence_fact(s, name, strlen(name));
    if (!f || !f->sentence) {
        ncs_sentence_free(by);
        return false;
    }
    ncs_sentence_free(f->sentence);
    f->sentence = by;
    ncs_free(s->text);
    s->text = NULL;
    return true;
}

static void number_ranks(struct ncs_sentence *s, struct ncs_naming *naming)
{
    if (s->phrase == NCS_PHRASE_plain) {
        char *text = s->fact->text;
        s->fact->text = naming->plain(naming->arg, text, &naming->introduced);
        ncs_free(text);
    }
    for (size_t i = 0; i < s->facts; i++) {
        struct ncs_fact *f = &s->fact[i];
        for (size_t k = 0; k < f->ranks; k++)
            f->rank[k] = naming->number(naming->arg, f->rank[k]);
        if (f->call)
            f->call->rank = naming->number(naming->arg, f->call->rank);
        if (f->sentence)
            number_ranks(f->sentence, naming);
    }
}

void ncs_sentence_name(struct ncs_sentence *s, struct ncs_naming *naming)
{
    if (!s)
        return;
    number_ranks(s, naming);
    ncs_sentence_render(s, naming);
}
