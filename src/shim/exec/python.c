#include "shim/exec/python.h"

#include "base/python.h"
#include "shim/exec/site.h"

int ncs_python_site(void)
{
    enum { DEEP = 200 };
    struct ncs_python_frame f;
    char file[4096];
    int innermost = 0, own = 0;
    bool there = ncs_python_innermost(&f);
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
