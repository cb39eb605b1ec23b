/* Pages of variables of NCCL and CUDA: the facts of the tables as sentences. */
#include <string.h>

#include "api/environment.h"
#include "api/weight.h"
#include "report/page.h"

char *ncs_page_variable(const struct ncs_page *page)
{
    static const char *const differing[] = {
        [NCS_MAY_DIFFER] = "It is normal that the processes of a job differ in it.",
        [NCS_DIFFERS] = "`doctor --hosts` reports processes of a job that differ in it.",
        [NCS_MUST_AGREE] = "All processes of a job must agree on it: otherwise NCCL fails or hangs, or may do so.",
    };
    struct ncs_error err = { 0 };
    struct ncs_str text = { 0 };
    bool allowed = ncs_environment_allows(page->id, strlen(page->id), false, &err);
    bool cuda = strncmp(page->id, "CUDA", 4) == 0;
    ncs_str_addf(&text, "%s\n", differing[ncs_variable_of(page->id).weight]);
    if (!cuda)
        ncs_str_addf(&text, "The simulator %s its value.\n", page->kind == NCS_PAGE_OBEYED ? "obeys" : "ignores");
    ncs_str_addf(&text, "A scenario can set it%s.\n", allowed ? " (explain env)" : " only with --unsafe");
    ncs_str_addf(&text, "NVIDIA's %s its values.\n",
                 cuda ? "programming guide of CUDA documents" : "user guide of NCCL (environment variables) documents");
    return ncs_str_take(&text);
}
