/* HMAC-SHA-256 by libcrypto of OpenSSL, which is opened when a job of several processes begins: builds do not need it. */
#ifndef NCS_TEAM_HMAC_H
#define NCS_TEAM_HMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/error.h"

enum { TEAM_MAC = 32 };

struct team_hmac; /* a key, ready for use by one thread at a time */

/* Before all others. False and err: this host has no library. */
bool team_hmac_open(struct ncs_error *err);

/* NULL: no memory. */
struct team_hmac *team_hmac_new(const void *key, size_t bytes);
void team_hmac_free(struct team_hmac *hmac);

/* The code of the parts, one after the other. False: no memory, or no key. */
bool team_hmac_of(struct team_hmac *hmac, const struct iovec *parts, int count, uint8_t code[TEAM_MAC]);

/* The same with a key that is used once. */
bool team_hmac_once(const void *key, size_t bytes, const struct iovec *parts, int count, uint8_t code[TEAM_MAC]);

/* The time does not say where they differ. */
bool team_codes_equal(const void *a, const void *b, size_t bytes);

#endif
