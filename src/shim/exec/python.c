#include "shim/exec/site.h"

#include "base/python.h"

enum { DEEP = 200, FILE_BYTES = 4096 };

/* Goes outwards to a frame of the program's own. */
static bool find_own_frame(struct ncs_python_frame *f, char *file)
{
    bool there = true;
    for (int i = 0; i < DEEP && there; i++, there = ncs_python_outer(f))
        if (f->code && ncs_python_file(f, file, FILE_BYTES) && ncs_python_is_own(file))
            return true;
    return false;
}

/* PyTorch's autograd makes calls in threads that have a state of Python and no frame, while the thread that has called backward()
 * waits. If the program's own code is in the frames of one thread only, it is that one: its frames stay as they are. */
static int site_of_waiting_thread(void)
{
    struct ncs_python_frame f, own = { 0 };
    char file[FILE_BYTES], other[FILE_BYTES];
    for (const void *thread = NULL; (thread = ncs_python_other(thread, &f));) {
        if (!find_own_frame(&f, own.code ? other : file))
            continue;
        if (own.code)
            return 0;
        own = f;
    }
    return own.code ? ncs_site_named(file, ncs_python_line(&own), NCS_SITE_ELSEWHERE) : 0;
}

int ncs_python_site(void)
{
    struct ncs_python_frame f;
    char file[FILE_BYTES];
    int innermost = 0, own = 0;
    bool there = ncs_python_innermost(&f);
    if (!there)
        return site_of_waiting_thread();
    for (int i = 0; i < DEEP && !own && there; i++, there = ncs_python_outer(&f)) {
        if (!f.code)
            continue;
        if (!ncs_python_file(&f, file, sizeof file))
            break;
        bool is_program = ncs_python_is_own(file);
        int site = is_program || !innermost ? ncs_site_named(file, ncs_python_line(&f), NULL) : 0;
        own = is_program ? site : 0;
        innermost = innermost ? innermost : site;
    }
    return own ? own : innermost;
}
