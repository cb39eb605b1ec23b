/* The steps of a ring. */
#include "report/draw_grid.h"
void ncs_draw_steps(const struct ncs_seen *seen, const struct ncs_draw_style *style,
                    struct ncs_str *out)
{ (void)seen,(void)style,(void)out; }
