/* What libyaml could not scan or parse, as a complaint that names the cause. */
#include "yaml/private.h"

void ncs_yaml_syntax(const yaml_parser_t *p, struct ncs_marks *marks, struct ncs_complaints *c)
{
    struct ncs_span at = { ncs_marks_byte(marks, p->problem_mark.index), 1 };
    ncs_complain(c, at, "%s", p->problem ? p->problem : "no memory to read this file");
}
