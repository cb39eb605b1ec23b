/* Names of functions as people write them. */
#ifndef NCS_BASE_DEMANGLE_H
#define NCS_BASE_DEMANGLE_H

#include "base/str.h"

/* Appends a symbol's name, short if it is C++ or Rust and can be demangled. */
void ncs_demangle(struct ncs_str *out, const char *name);

#endif
