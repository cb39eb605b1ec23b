/* The loops for any processor. */
#include "verify/native_loops.h"

#include <stdint.h>

#define TABLE ncs_natives_portable
#include "verify/native_types.inc"
