/* The ways by which the processes of a job find the one that leads. */
#define _GNU_SOURCE /* getifaddrs */
#include "team/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/pmi.h"
#include "base/pmix.h"
#include "base/quantity.h"
#include "base/str.h"
#include "base/thread.h"
#include "team/seal.h"
#include "team/socket.h"

#define ADDRESS_KEY "ncclscript.leader"
#define ADDRESS_TEXT ((size_t)NCS_PMI_MOST - INET6_ADDRSTRLEN)
enum { PORT_FIRST = 20000, PORT_COUNT = 10000, PORTS = 8 }; /* of ports that are derived from the job's name */

/* ---- tokens ---- */

void team_token_text(const uint8_t token[TEAM_TOKEN], char text[2 * TEAM_TOKEN + 1])
{
    for (int i = 0; i < TEAM_TOKEN; i++)
        snprintf(text + 2 * i, 3, "%02x", token[i]);
}

bool team_token_parse(const char *text, uint8_t token[TEAM_TOKEN])
{
    if (strlen(text) != 2 * TEAM_TOKEN || strspn(text, "0123456789abcdef") != 2 * TEAM_TOKEN)
        return false;
    for (int i = 0; i < TEAM_TOKEN; i++) {
        const char digits[3] = { text[2 * i], text[2 * i + 1] };
        token[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return true;
}

static bool token_draw(uint8_t token[TEAM_TOKEN], struct ncs_error *err)
{
    return team_draw(token, TEAM_TOKEN) || ncs_fail(err, NCS_INTERNAL, "the system gives no random numbers: %s", strerror(errno));
}

/* NULL: the user has given none. */
static const char *token_secret(void)
{
    const char *secret = getenv("NCCLSCRIPT_TOKEN");
    return secret && secret[0] ? secret : NULL;
}

/* What all processes of the job know without a word, by the user's secret; the name keeps jobs of one secret apart. A short secret
 * would be guessed by whoever hears a proof. */
static bool token_derive(const struct ncs_launcher *launcher, uint8_t token[TEAM_TOKEN], struct ncs_error *err)
{
    const char *secret = token_secret();
    uint32_t purpose = TEAM_FOR_TOKEN;
    const struct iovec parts[] = { { &purpose, sizeof purpose }, { (void *)launcher->job, strlen(launcher->job) } };
    uint8_t code[TEAM_MAC];
    if (secret && strlen(secret) >= TEAM_TOKEN) {
        if (!team_hmac_once(secret, strlen(secret), parts, 2, code))
            return ncs_fail(err, NCS_INTERNAL, "there is no memory for the secret of the job");
        memcpy(token, code, TEAM_TOKEN);
        return true;
    }
    if (secret)
        ncs_fail(err, NCS_BAD_INPUT, "NCCLSCRIPT_TOKEN has fewer than %d characters", TEAM_TOKEN);
    else
        ncs_fail(err, NCS_BAD_INPUT, "the processes of a job that meet at a port of a network need a secret");
    return ncs_fail_hint(err, "give all of them the same NCCLSCRIPT_TOKEN, for example the output of openssl rand -hex 16");
}

/* ---- HOST:PORT ---- */

static bool address_parse(const char *text, struct team_place *place)
{
    const char *colon = strrchr(text, ':');
    size_t bytes = colon ? (size_t)(colon - text) : 0;
    int64_t port;
    bool brackets = bytes > 2 && text[0] == '[' && text[bytes - 1] == ']';
    if (brackets) {
        text++;
        bytes -= 2;
    }
    if (!bytes || bytes >= sizeof place->host || (!brackets && strcspn(text, "[]:") < bytes) ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) || !ncs_parse_int(colon + 1, &port) || port < 1 || port > 65535)
        return false;
    memcpy(place->host, text, bytes);
    place->host[bytes] = '\0';
    place->port = (int)port;
    return true;
}

bool ncs_team_check_rendezvous(const char *text, struct ncs_error *err)
{
    struct team_place place;
    if (address_parse(text, &place))
        return true;
    ncs_fail(err, NCS_BAD_INPUT, "--rendezvous %s: expected HOST:PORT", text);
    return ncs_fail_hint(err, "as node1:29600 or [fe80::1]:29600");
}

/* A name of this host only needs no door to others. */
static enum team_reach address_reach(const char *host)
{
    if (strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0)
        return TEAM_HERE;
    return strcmp(host, "::1") == 0 ? TEAM_HERE_V6 : TEAM_EVERYWHERE;
}

/* ---- which way ---- */

static bool address_is_one_host(const struct ncs_launcher *launcher)
{
    return launcher->locals == launcher->processes;
}

/* Processes that meet on the loopback share a folder, too. Where they do not, the user's secret leads on. */
static bool address_has_file(const struct ncs_launcher *launcher)
{
    bool loopback = launcher->host[0] && address_reach(launcher->host) != TEAM_EVERYWHERE;
    return launcher->job[0] && (address_is_one_host(launcher) || (loopback && !token_secret()));
}

/* The first way from `way` on that is open to this job. */
static enum team_way address_way(const struct ncs_team_options *options, enum team_way way)
{
    const struct ncs_launcher *l = options->launcher;
    if (options->rendezvous)
        return way == TEAM_BY_OPTION ? TEAM_BY_OPTION : TEAM_NO_WAY;
    /* A launcher inside another one, as torchrun inside mpirun, counts otherwise than PMIx does. */
    if (way <= TEAM_BY_PMIX && ncs_pmix_open() && ncs_pmix_number() == l->number && ncs_pmix_processes() == l->processes)
        return TEAM_BY_PMIX;
    if (way <= TEAM_BY_FILE && address_has_file(l))
        return TEAM_BY_FILE;
    /* After the file: its barrier would hide from the leader who is missing. */
    if (way <= TEAM_BY_PMI && ncs_pmi_open(l->number, l->processes))
        return TEAM_BY_PMI;
    return way <= TEAM_BY_HOST && l->host[0] ? TEAM_BY_HOST : TEAM_NO_WAY;
}

static bool address_none(const struct ncs_launcher *launcher, struct ncs_error *err)
{
    ncs_fail(err, NCS_BAD_INPUT, "%s does not say where process 0 is to be found", launcher->name);
    return ncs_fail_hint(err, "--rendezvous HOST:PORT, with a free port of its host");
}

static void address_add(struct team_address *a, const char *host, int port)
{
    if (a->count == TEAM_PLACES)
        return;
    struct team_place *place = &a->places[a->count++];
    snprintf(place->host, sizeof place->host, "%s", host);
    place->port = port;
}

/* The launcher's port, and a few others in case that it is taken. Whoever does not know the token cannot take all of them before. */
static bool address_derive(const struct ncs_launcher *launcher, struct team_address *a, struct ncs_error *err)
{
    uint32_t purpose = TEAM_FOR_PORTS;
    struct ncs_random random;
    uint8_t code[TEAM_MAC];
    if (!token_derive(launcher, a->token, err))
        return false;
    if (!team_hmac_once(a->token, TEAM_TOKEN, &(struct iovec){ &purpose, sizeof purpose }, 1, code))
        return ncs_fail(err, NCS_INTERNAL, "there is no memory for the ports of the job");
    memcpy(&random.state, code, sizeof random.state);
    if (launcher->port)
        address_add(a, launcher->host, launcher->port);
    for (int i = 0; i < PORTS; i++)
        address_add(a, launcher->host, PORT_FIRST + (int)ncs_random_below(&random, PORT_COUNT));
    return true;
}

/* --rendezvous on the loopback: without a secret of the user's, a file has a random one. */
static bool address_option_has_file(const struct team_place *place)
{
    return !token_secret() && address_reach(place->host) != TEAM_EVERYWHERE;
}

/* ---- the leader ---- */

void team_host(char host[256])
{
    if (gethostname(host, 256) != 0 || !host[0])
        snprintf(host, 256, "localhost");
    host[255] = '\0';
}

static int address_busy(int port, struct ncs_error *err)
{
    ncs_fail(err, NCS_BAD_INPUT, "process 0 cannot listen at port %d: %s", port, strerror(errno));
    ncs_fail_hint(err, "--rendezvous HOST:PORT, with a free port of its host");
    return -1;
}

/* Writes the file of a leader that listens. -1 and err if that fails. */
static int publish_file(const char *job, int listener, const struct team_address *a, char **file, struct ncs_error *err)
{
    *file = team_file_path(job, err);
    if (*file && team_file_write(*file, a, err))
        return listener;
    ncs_free(*file);
    *file = NULL;
    close(listener);
    return -1;
}

static int publish_by_option(const struct ncs_team_options *options, struct team_address *a, char **file, struct ncs_error *err)
{
    struct team_place place = { .port = 0 };
    if (!ncs_team_check_rendezvous(options->rendezvous, err) || !address_parse(options->rendezvous, &place))
        return -1;
    bool by_file = address_option_has_file(&place);
    if (!(by_file ? token_draw(a->token, err) : token_derive(options->launcher, a->token, err)))
        return -1;
    address_add(a, place.host, place.port);
    int listener = team_listen_at(address_reach(place.host), &place.port);
    if (listener < 0)
        return address_busy(place.port, err);
    return by_file ? publish_file(options->rendezvous, listener, a, file, err) : listener;
}

static int publish_by_host(const struct ncs_launcher *launcher, struct team_address *a, struct ncs_error *err)
{
    if (!address_derive(launcher, a, err))
        return -1;
    for (int i = 0; i < a->count; i++) {
        int port = a->places[i].port, listener = team_listen_at(address_reach(launcher->host), &port);
        if (listener >= 0)
            return listener;
    }
    return address_busy(a->places[0].port, err);
}

/* All addresses by which others may reach this host. */
static void address_add_own(struct ncs_str *text)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0)
        return;
    for (struct ifaddrs *i = all; i && text->bytes < ADDRESS_TEXT; i = i->ifa_next) {
        char name[INET6_ADDRSTRLEN];
        const struct sockaddr_in6 *six = (const void *)i->ifa_addr;
        const struct sockaddr_in *four = (const void *)i->ifa_addr;
        if (!i->ifa_addr || i->ifa_flags & IFF_LOOPBACK || !(i->ifa_flags & IFF_UP))
            continue;
        if (i->ifa_addr->sa_family == AF_INET && inet_ntop(AF_INET, &four->sin_addr, name, sizeof name))
            ncs_str_addf(text, ",%s", name);
        else if (i->ifa_addr->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) &&
                 inet_ntop(AF_INET6, &six->sin6_addr, name, sizeof name))
            ncs_str_addf(text, ",%s", name);
    }
    freeifaddrs(all);
}

/* By PMIx or by PMI, whose texts have no blanks. */
static bool publish_text(enum team_way way, const struct team_address *a, bool one_host)
{
    char token[2 * TEAM_TOKEN + 1], host[256];
    struct ncs_str text = { 0 };
    team_token_text(a->token, token);
    team_host(host);
    ncs_str_addf(&text, "%d,%s,%s", a->places[0].port, token, one_host ? "127.0.0.1" : host);
    if (!one_host)
        address_add_own(&text);
    bool done = way == TEAM_BY_PMIX ? ncs_pmix_put(ADDRESS_KEY, text.text) : ncs_pmi_put(ADDRESS_KEY, text.text);
    ncs_str_free(&text);
    return done;
}

static int publish_random(const struct ncs_team_options *options, enum team_way *way, struct team_address *a, char **file,
                          struct ncs_error *err)
{
    bool one_host = address_is_one_host(options->launcher);
    int port = 0, listener = -1;
    if (token_draw(a->token, err)) {
        listener = team_listen_at(one_host ? TEAM_HERE : TEAM_EVERYWHERE, &port);
        if (listener < 0)
            address_busy(port, err);
    }
    if (listener < 0)
        return -1;
    address_add(a, "127.0.0.1", port);
    if (*way == TEAM_BY_PMIX && publish_text(*way, a, one_host))
        return listener;
    if (*way == TEAM_BY_PMIX)
        *way = address_way(options, TEAM_BY_FILE);
    if (*way == TEAM_BY_PMI && publish_text(*way, a, one_host))
        return listener;
    if (*way == TEAM_BY_PMI)
        *way = address_way(options, TEAM_BY_HOST);
    if (*way == TEAM_BY_FILE)
        return publish_file(options->launcher->job, listener, a, file, err);
    close(listener);
    return -1;
}

int team_publish(const struct ncs_team_options *options, struct team_address *out, char **file, struct ncs_error *err)
{
    enum team_way way = address_way(options, TEAM_BY_OPTION);
    *out = (struct team_address){ .count = 0 };
    *file = NULL;
    if (way == TEAM_BY_OPTION)
        return publish_by_option(options, out, file, err);
    if (way < TEAM_BY_HOST) {
        int listener = publish_random(options, &way, out, file, err);
        if (listener >= 0 || way < TEAM_BY_HOST)
            return listener;
    }
    *out = (struct team_address){ .count = 0 };
    if (way == TEAM_BY_HOST)
        return publish_by_host(options->launcher, out, err);
    address_none(options->launcher, err);
    return -1;
}

/* ---- the members ---- */

/* "PORT,TOKEN,HOST,ADDRESS,...": a member on the same host takes the short way first. */
static bool address_read(char *text, struct team_address *a)
{
    char own[256], *rest = NULL, *port_text = strtok_r(text, ",", &rest), *token = strtok_r(NULL, ",", &rest);
    int64_t port;
    team_host(own);
    if (!port_text || !token || !ncs_parse_int(port_text, &port) || port < 1 || port > 65535 ||
        !team_token_parse(token, a->token))
        return false;
    for (char *host; (host = strtok_r(NULL, ",", &rest));) {
        if (a->count == 0 && strcmp(host, own) == 0)
            address_add(a, "127.0.0.1", (int)port);
        address_add(a, host, (int)port);
    }
    return a->count > 0;
}

static enum ncs_pmix_got find_by_text(enum team_way way, int64_t until, struct team_address *a)
{
    char *text;
    int64_t left = until - ncs_clock();
    left = left > 0 ? left : 0;
    enum ncs_pmix_got got = way == TEAM_BY_PMIX ? ncs_pmix_get(0, ADDRESS_KEY, left, &text)
                                                : ncs_pmi_get(ADDRESS_KEY, left, &text);
    if (got == NCS_PMIX_GOT && !address_read(text, a))
        got = NCS_PMIX_FAILED;
    ncs_free(text);
    return got;
}

static bool find_by_file(const char *job, struct team_address *a, struct ncs_error *err)
{
    char *path = team_file_path(job, err);
    if (path)
        team_file_read(path, a);
    ncs_free(path);
    return path;
}

static bool find_by_option(const struct ncs_team_options *options, struct team_address *a, struct ncs_error *err)
{
    struct team_place place;
    if (!ncs_team_check_rendezvous(options->rendezvous, err) || !address_parse(options->rendezvous, &place))
        return false;
    if (address_option_has_file(&place)) {
        if (!find_by_file(options->rendezvous, a, err))
            return false;
        a->places[0] = place;
        return true;
    }
    address_add(a, place.host, place.port);
    return token_derive(options->launcher, a->token, err);
}

bool team_find(const struct ncs_team_options *options, enum team_way *way, int64_t until, struct team_address *out,
               struct ncs_error *err)
{
    *out = (struct team_address){ .count = 0 };
    *way = address_way(options, *way);
    while (*way == TEAM_BY_PMIX || *way == TEAM_BY_PMI) {
        if (find_by_text(*way, until, out) != NCS_PMIX_FAILED)
            return true;
        *out = (struct team_address){ .count = 0 };
        *way = address_way(options, *way + 1);
    }
    switch (*way) {
    case TEAM_BY_OPTION: return find_by_option(options, out, err);
    case TEAM_BY_FILE: return find_by_file(options->launcher->job, out, err);
    case TEAM_BY_HOST: return address_derive(options->launcher, out, err);
    case TEAM_BY_PMIX:
    case TEAM_BY_PMI:
    case TEAM_NO_WAY: break;
    }
    return address_none(options->launcher, err);
}

void team_leave_launcher(void)
{
    ncs_pmix_close();
    ncs_pmi_close();
}
