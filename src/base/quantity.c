#include "base/quantity.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name;
    uint64_t value;
};

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

/* ascending: the formatter takes the largest that fits */
static const struct unit size_units[] = {
    { "B", 1 }, { "KiB", KIB }, { "MiB", MIB }, { "GiB", GIB }, { "TiB", TIB },
};

static const struct unit size_suffixes[] = {
    { "", 1 },    { "K", KIB },  { "KB", KIB },  { "KiB", KIB }, { "M", MIB },  { "MB", MIB },  { "MiB", MIB },
    { "G", GIB }, { "GB", GIB }, { "GiB", GIB }, { "T", TIB },   { "TB", TIB }, { "TiB", TIB },
};

#define SECOND UINT64_C(1000000000)

static const struct unit time_units[] = {
    { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", SECOND }, { "m", 60 * SECOND }, { "h", 3600 * SECOND },
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool quantity_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads at least one decimal digit; returns the end of the digits, NULL if there are none or the number
 * does not fit. */
static const char *read_digits(const char *at, uint64_t *value)
{
    if (!quantity_is_digit(*at))
        return NULL;
    *value = 0;
    for (; quantity_is_digit(*at); at++)
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
            return NULL;
    return at;
}

bool ncs_parse_size(const char *text, uint64_t *bytes)
{
    uint64_t number;
    const char *suffix = read_digits(text, &number);
    if (!suffix)
        return false;
    for (size_t i = 0; i < COUNT(size_suffixes); i++)
        if (strcasecmp(suffix, size_suffixes[i].name) == 0) {
            uint64_t value;
            if (__builtin_mul_overflow(number, size_suffixes[i].value, &value))
                return false;
            *bytes = value;
            return true;
        }
    return false;
}

/* Reads digits after a decimal point as number / scale; digits past the eighteenth are ignored. */
static const char *read_fraction(const char *at, uint64_t *number, uint64_t *scale)
{
    *number = 0;
    *scale = 1;
    if (*at != '.')
        return at;
    at++;
    if (!quantity_is_digit(*at))
        return NULL;
    for (int digits = 0; quantity_is_digit(*at); at++, digits++)
        if (digits < 18) {
            *number = *number * 10 + (uint64_t)(*at - '0');
            *scale *= 10;
        }
    return at;
}

static bool unit_of_time(const char *text, uint64_t *unit)
{
    if (*text == '\0')
        text = "s";
    for (size_t i = 0; i < COUNT(time_units); i++)
        if (strcmp(text, time_units[i].name) == 0) {
            *unit = time_units[i].value;
            return true;
        }
    return false;
}

bool ncs_parse_duration(const char *text, int64_t *nanoseconds)
{
    uint64_t whole, fraction, scale, unit;
    const char *at = read_digits(text, &whole);
    if (at)
        at = read_fraction(at, &fraction, &scale);
    if (!at || !unit_of_time(at, &unit))
        return false;
    /* Cannot overflow: 18 digits times an hour are 3.6e30, and 128 bits hold 3.4e38. */
    unsigned __int128 value = (unsigned __int128)whole * unit + ((unsigned __int128)fraction * unit + scale / 2) / scale;
    if (value > INT64_MAX)
        return false;
    *nanoseconds = (int64_t)value;
    return true;
}

static int hex_digit(char c)
{
    if (quantity_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static const char *read_hex(const char *at, uint64_t *value)
{
    if (hex_digit(*at) < 0)
        return NULL;
    *value = 0;
    for (; hex_digit(*at) >= 0; at++) {
        if (*value >> 60)
            return NULL;
        *value = *value << 4 | (uint64_t)hex_digit(*at);
    }
    return at;
}

bool ncs_parse_int(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    text += negative;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    uint64_t size;
    const char *end = hex ? read_hex(text + 2, &size) : read_digits(text, &size);
    if (!end || *end != '\0' || size > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - size : size);
    return true;
}

/* The value in hundredths of the unit, rounded to three significant digits. */
static uint64_t hundredths(uint64_t value, uint64_t unit)
{
    unsigned __int128 exact = (unsigned __int128)value * 100, step = 1;
    while (exact / unit / step >= 1000)
        step *= 10;
    return (uint64_t)((exact + unit * step / 2) / (unit * step) * step);
}

/* units ascend; value is at least one of the first, or 0. */
static void format(const char *sign, uint64_t value, const struct unit *units, size_t count, char *buffer, size_t room)
{
    size_t i = 0;
    while (i + 1 < count && value >= units[i + 1].value)
        i++;
    uint64_t h = hundredths(value, units[i].value);
    /* 999.9 us are 1 ms, not 1000 us */
    if (i + 1 < count && h >= 100 * (units[i + 1].value / units[i].value)) {
        i++;
        h = 100;
    }
    int written = snprintf(buffer, room, "%s%llu", sign, (unsigned long long)(h / 100));
    char *at = buffer;
    if (written >= 0 && (size_t)written < room) {
        at += written;
        room -= (size_t)written;
    }
    unsigned part = (unsigned)(h % 100);
    if (part == 0)
        snprintf(at, room, " %s", units[i].name);
    else if (part % 10 == 0)
        snprintf(at, room, ".%u %s", part / 10, units[i].name);
    else
        snprintf(at, room, ".%02u %s", part, units[i].name);
}

const char *ncs_format_duration(int64_t nanoseconds, char *buffer, size_t room)
{
    if (nanoseconds == 0)
        snprintf(buffer, room, "0 s");
    else if (nanoseconds < 0)
        format("-", 0 - (uint64_t)nanoseconds, time_units, COUNT(time_units), buffer, room);
    else
        format("", (uint64_t)nanoseconds, time_units, COUNT(time_units), buffer, room);
    return buffer;
}

const char *ncs_format_size(uint64_t bytes, char *buffer, size_t room)
{
    /* Up to four digits, the exact number is as easy to read as a rounded one. */
    if (bytes < 10000)
        snprintf(buffer, room, "%llu B", (unsigned long long)bytes);
    else
        format("", bytes, size_units, COUNT(size_units), buffer, room);
    return buffer;
}
