#include "shim/place.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ncclscript/place.h"

/* What a thread has said of itself. */
struct said {
    char *file, *function;
    int line;
    int site; /* of these; 0 = not asked for so far */
    int rank; /* -1 = none */
};

static _Thread_local struct said *said; /* NULL = nothing */
static pthread_key_t said_key;
static pthread_once_t said_once = PTHREAD_ONCE_INIT;

static void forget_place(struct said *s)
{
    ncs_free(s->file);
    ncs_free(s->function);
    s->file = s->function = NULL;
    s->line = s->site = 0;
}

static void drop_said(void *of_thread)
{
    said = NULL;
    forget_place(of_thread);
    ncs_free(of_thread);
}

static void make_said_key(void)
{
    pthread_key_create(&said_key, drop_said);
}

static struct said *said_of_thread(void)
{
    if (!said) {
        pthread_once(&said_once, make_said_key);
        said = ncs_new(sizeof *said);
        said->rank = -1;
        pthread_setspecific(said_key, said);
    }
    return said;
}

void ncclscriptPlace(const char *file, int line, const char *function)
{
    struct said *s = said_of_thread();
    forget_place(s);
    s->file = ncs_copy_text(file);
    s->function = ncs_copy_text(function);
    s->line = file && line > 0 ? line : 0;
}

int ncclscriptRank(int rank)
{
    struct said *s = said_of_thread();
    bool other = ncs_local && ncs_local->named && ncs_local->rank != rank;
    if (rank < 0 || rank >= NCS_SHIM_RANKS || other || (s->rank >= 0 && s->rank != rank))
        return 1;
    s->rank = rank;
    return 0;
}

int ncs_shim_site(const struct ncs_shim_above *above, void *caller)
{
    if (!said || (!said->file && !said->function))
        return above->site(caller);
    if (!said->site)
        said->site = above->named(said->file, said->line, said->function);
    return said->site;
}

int ncs_shim_named_rank(void)
{
    return said ? said->rank : -1;
}
