/* Quantities as people write them: sizes "64K", durations "10s". The only parser for options, Lua and YAML. */
#ifndef NCS_BASE_QUANTITY_H
#define NCS_BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole number with an optional binary suffix: K M G T, KB..TB or KiB..TiB (K = 1024). False for any
 * other text after the number, for signs, fractions and overflow. */
bool ncs_parse_size(const char *text, uint64_t *bytes);

/* Seconds: a decimal number with an optional unit ns us ms s m h (default s). False for negative numbers,
 * other text after it, and more than 292 years. */
bool ncs_parse_duration(const char *text, int64_t *nanoseconds);

/* Parses a decimal or 0x integer that is the whole text. */
bool ncs_parse_int(const char *text, int64_t *value);

/* "1.5 ms", "2 h": at most three significant digits. Returns buffer. */
const char *ncs_format_duration(int64_t nanoseconds, char *buffer, size_t room);
/* Formats "4096 B", "64 KiB". Returns buffer. */
const char *ncs_format_size(uint64_t bytes, char *buffer, size_t room);

#endif
