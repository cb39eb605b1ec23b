#include "sim/comm/bootstrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/settings/environment.h"
#include "sim/settings/log.h"

static bool is_address(const char *text)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || colon == text || !colon[1] || (strchr(text, ':') != colon && text[0] != '['))
        return false;
    long port = strtol(colon + 1, &end, 10);
    return !*end && port > 0 && port < 65536;
}

/* NCCL_SOCKET_IFNAME is a list of prefixes; with "=" of whole names; with "^" of excluded ones. A
 * virtual host has two interfaces. */
static bool has_interface(const char *names)
{
    static const char *const interface[] = { "eth0", "lo" };
    bool inverted = *names == '^';
    names += inverted;
    bool whole = *names == '=';
    names += whole;
    for (size_t i = 0; i < sizeof interface / sizeof *interface; i++) {
        bool named = false;
        for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',') {
            size_t bytes = strcspn(at, ",");
            named |= strncmp(interface[i], at, bytes) == 0 && (!whole || !interface[i][bytes]);
        }
        if (named != inverted)
            return true;
    }
    return false;
}

int sim_bootstrap_check(void)
{
    const char *address = sim_env_text(ENV_COMM_ID), *names = sim_env_text(ENV_SOCKET_IFNAME);
    if (address && !is_address(address)) {
        sim_warn("Invalid NCCL_COMM_ID, please use format: <ipv4>:<port> or [<ipv6>]:<port> or "
                 "<hostname>:<port>");
        return ncclInvalidArgument;
    }
    if (!address && names && !has_interface(names)) {
        sim_warn("Bootstrap : no socket interface found");
        sim_explain("NCCL_SOCKET_IFNAME matches no interface of a virtual host, which has eth0 and lo");
        return ncclInvalidUsage;
    }
    return ncclSuccess;
}

bool sim_bootstrap_fixed_id(ncclUniqueId *id)
{
    const char *address = sim_env_text(ENV_COMM_ID);
    if (!address)
        return false;
    uint64_t word[2] = { 0x4e43434c5f434f4d, ncs_hash_bytes(0, address, strlen(address)) };
    memset(id, 0, sizeof *id);
    memcpy(id->internal, word, sizeof word);
    return true;
}

/* By default 34 tries with growing sleeps between them: about a minute. */
int64_t sim_bootstrap_retry_time(void)
{
    int64_t tries = sim_env_number(ENV_SOCKET_RETRY_CNT);
    int64_t sleep = sim_env_number(ENV_SOCKET_RETRY_SLEEP_MSEC);
    if (tries < 0 || tries > 1000000 || sleep < 0 || sleep > 1000000)
        return INT64_MAX / 2;
    int64_t time;
    bool endless = __builtin_mul_overflow(tries * (tries + 1) / 2, sleep * 1000000, &time);
    return endless ? INT64_MAX / 2 : time + 1;
}
