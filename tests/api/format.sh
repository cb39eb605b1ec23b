#!/usr/bin/env bash
# The C code has the form that .clang-format describes.
exec "$(dirname "$0")/../../cmake/format.sh" --check
