/* Names of functions that Rust has mangled. */
#ifndef NCS_BASE_RUST_H
#define NCS_BASE_RUST_H

#include <stdbool.h>

#include "base/str.h"

/* Appends "train::step" of "_ZN5train4step17h0123456789abcdefE" or "_RNvCsabc_5train4step". False and nothing if it is
 * no name of Rust, or one that has more than modules and functions in the newer form. */
bool ncs_rust_name(struct ncs_str *out, const char *symbol);

#endif
