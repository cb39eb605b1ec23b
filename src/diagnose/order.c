/* The order in which kinds of rules and of candidates are looked at. It is alone in its file so that a test can link
 * another one: reports are to be the same with any. */
#include "diagnose/analysis.h"

size_t ncs_nth_kind(size_t i, size_t kinds)
{
    (void)kinds;
    return i;
}
