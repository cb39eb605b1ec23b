#include "team/hmac.h"

#include <dlfcn.h>

/* Functions that are the same in OpenSSL 1.1 and 3 (openssl/hmac.h, openssl/evp.h). */
static struct {
    void *(*begin)(void);
    void (*end)(void *);
    int (*key)(void *, const void *key, int bytes, const void *hash, void *engine);
    int (*add)(void *, const unsigned char *bytes, size_t count);
    int (*finish)(void *, unsigned char *code, unsigned *bytes);
    const void *(*sha256)(void);
} hmac_library;

bool team_hmac_open(struct ncs_error *err)
{
    if (hmac_library.begin)
        return true;
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *(void **)&hmac_library.end = dlsym(library, "HMAC_CTX_free");
        *(void **)&hmac_library.key = dlsym(library, "HMAC_Init_ex");
        *(void **)&hmac_library.add = dlsym(library, "HMAC_Update");
        *(void **)&hmac_library.finish = dlsym(library, "HMAC_Final");
        *(void **)&hmac_library.sha256 = dlsym(library, "EVP_sha256");
        if (hmac_library.end && hmac_library.key && hmac_library.add && hmac_library.finish && hmac_library.sha256)
            *(void **)&hmac_library.begin = dlsym(library, "HMAC_CTX_new");
    }
    if (hmac_library.begin)
        return true;
    ncs_fail(err, NCS_BAD_INPUT, "the processes of a job prove who they are by libcrypto, which this host does not have");
    return ncs_fail_hint(err, "install OpenSSL 3 or 1.1 (Debian: libssl3)");
}

struct team_hmac *team_hmac_new(const void *key, size_t bytes)
{
    void *hmac = hmac_library.begin();
    if (hmac && hmac_library.key(hmac, key, (int)bytes, hmac_library.sha256(), NULL) == 1)
        return hmac;
    team_hmac_free(hmac);
    return NULL;
}

void team_hmac_free(struct team_hmac *hmac)
{
    if (hmac)
        hmac_library.end(hmac);
}

bool team_hmac_of(struct team_hmac *hmac, const struct iovec *parts, int count, uint8_t code[TEAM_MAC])
{
    bool done = hmac && hmac_library.key(hmac, NULL, 0, NULL, NULL) == 1; /* begins again with the same key */
    for (int i = 0; done && i < count; i++)
        done = parts[i].iov_len == 0 || hmac_library.add(hmac, parts[i].iov_base, parts[i].iov_len) == 1;
    return done && hmac_library.finish(hmac, code, &(unsigned){ 0 }) == 1;
}

bool team_hmac_once(const void *key, size_t bytes, const struct iovec *parts, int count, uint8_t code[TEAM_MAC])
{
    struct team_hmac *hmac = team_hmac_new(key, bytes);
    bool done = team_hmac_of(hmac, parts, count, code);
    team_hmac_free(hmac);
    return done;
}

bool team_codes_equal(const void *a, const void *b, size_t bytes)
{
    const volatile uint8_t *one = a, *other = b;
    uint8_t differs = 0;
    for (size_t i = 0; i < bytes; i++)
        differs |= one[i] ^ other[i];
    return differs == 0;
}
