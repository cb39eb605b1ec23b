#include "api/local.h"

#include <stddef.h>

_Thread_local struct ncs_local *ncs_local = NULL;
