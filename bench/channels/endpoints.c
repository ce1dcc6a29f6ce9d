/*
 * Simulates the receiving services of all channels, in the wire format of each service. It uses as
 * little CPU time as possible, because it shares the cores with the server that is measured.
 *   endpoints
 * Listens on every loopback address, so that 127.x.y.z are different hosts. Prints its ports for
 * HTTP and SMTP, and then a line per arrived message:
 *   kind to priority nanoseconds
 * The time is that of CLOCK_MONOTONIC, which all processes share. The program ends when its input
 * ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FDS = 1 << 16, MOST_BYTES = 1 << 16, REPORT_MS = 50, UPDATES_MS = 25000 };

/* A connection. `bytes` holds the part of the next request or line that has arrived. */
struct peer {
  char *bytes;
  int length;
  int isSmtp;
  int isData;
  char to[256];
  /* Time of the response to a request for Telegram updates, or to a message for a slow webhook. */
  long long answerAtMs;
};
static struct peer peers[MOST_FDS];
static int poller, updates = -1;
/* Connections of webhook requests that get their response later. */
static int delayed[MOST_FDS], delayedCount;

static long long nowNs(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (long long)at.tv_sec * 1000000000 + at.tv_nsec;
}

static void report(const char *kind, const char *to, const char *priority) {
  printf("%s %s %s %lld\n", kind, *to ? to : "-", priority, nowNs());
}

static int begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static int ends(const char *text, const char *with) {
  size_t length = strlen(text), rest = strlen(with);
  return length >= rest && strcmp(text + length - rest, with) == 0;
}

static void drop(int fd) {
  if (updates == fd) updates = -1;
  for (int at = 0; at < delayedCount; at++)
    if (delayed[at] == fd) delayed[at--] = delayed[--delayedCount];
  free(peers[fd].bytes);
  memset(&peers[fd], 0, sizeof peers[fd]);
  close(fd);
}

static void answer(int fd, const char *status, const char *body) {
  char text[512];
  int length = snprintf(text, sizeof text, "HTTP/1.1 %s\r\ncontent-length: %zu\r\n\r\n%s", status, strlen(body), body);
  if (strncmp(status, "204", 3) == 0) length = snprintf(text, sizeof text, "HTTP/1.1 %s\r\n\r\n", status);
  send(fd, text, length, MSG_NOSIGNAL);
}

static const char *priorityOf(const char *body) {
  static const char *names[] = {"critical", "high", "medium", "low"};
  const char *first = NULL, *name = "-";
  for (int at = 0; at < 4; at++) {
    const char *found = strcasestr(body, names[at]);
    if (found && (!first || found < first)) first = found, name = names[at];
  }
  return name;
}

/* Handles a complete HTTP request. `head` and `body` end with NUL. */
static void take(int fd, char *head, const char *body) {
  char path[512] = "", host[128] = "", to[700];
  sscanf(head, "%*s %511s", path);
  const char *at = strcasestr(head, "\r\nhost:");
  if (at) sscanf(at + 7, " %127s", host);
  snprintf(to, sizeof to, "%s%s", host, path);
  if (begins(path, "/bot")) {
    if (ends(path, "/getUpdates")) {
      updates = fd;
      peers[fd].answerAtMs = nowNs() / 1000000 + UPDATES_MS;
      return;
    }
    if (ends(path, "/getMe"))
      return answer(fd, "200 OK", "{\"ok\":true,\"result\":{\"id\":1,\"is_bot\":true,\"first_name\":\"Bench\",\"username\":\"bench_bot\"}}");
    if (!ends(path, "/sendMessage")) return answer(fd, "200 OK", "{\"ok\":true,\"result\":true}");
    const char *chat = strstr(body, "\"chat_id\":");
    char id[32] = "";
    if (chat) sscanf(chat + 10, "%31[-0-9]", id);
    report("telegram", id, priorityOf(body));
    return answer(fd, "200 OK", "{\"ok\":true,\"result\":{\"message_id\":1,\"date\":1,\"chat\":{\"id\":1,\"type\":\"private\"}}}");
  }
  if (begins(path, "/api/webhooks/")) {
    report("discord", to, priorityOf(body));
    return answer(fd, "204 No Content", "");
  }
  if (begins(path, "/services/")) {
    report("slack", to, priorityOf(body));
    return answer(fd, "200 OK", "ok");
  }
  if (begins(path, "/push/")) {
    report("web-push", to, "-");
    return answer(fd, "201 Created", "");
  }
  if (strcmp(path, "/") == 0) {
    report("ntfy", to, priorityOf(body));
    return answer(fd, "200 OK", "{\"id\":\"x\",\"event\":\"message\"}");
  }
  report("webhook", to, priorityOf(body));
  int waitMs = 0;
  if (sscanf(path, "/wait-%d", &waitMs) == 1) {
    peers[fd].answerAtMs = nowNs() / 1000000 + waitMs;
    delayed[delayedCount++] = fd;
    return;
  }
  if (strcmp(path, "/hang") != 0) answer(fd, "200 OK", "{}");
}

/*
 * Handles a line of SMTP (RFC 5321). Accepts everything. An email has arrived with its last line.
 */
static void takeLine(int fd, char *line) {
  struct peer *peer = &peers[fd];
  const char *reply = "250 ok\r\n";
  if (peer->isData) {
    if (strcmp(line, ".") != 0) return;
    peer->isData = 0;
    report("email", peer->to, "-");
    reply = "250 queued\r\n";
  } else if (strncasecmp(line, "RCPT", 4) == 0) {
    sscanf(line, "%*[^<]<%255[^>]", peer->to);
  } else if (strncasecmp(line, "DATA", 4) == 0) {
    peer->isData = 1;
    reply = "354 go on\r\n";
  } else if (strncasecmp(line, "QUIT", 4) == 0) {
    reply = "221 bye\r\n";
  }
  send(fd, reply, strlen(reply), MSG_NOSIGNAL);
}

/* Handles the complete lines or requests in the buffer. Returns how many bytes they had. */
static int takeAll(int fd) {
  struct peer *peer = &peers[fd];
  int from = 0;
  while (from < peer->length) {
    char *start = peer->bytes + from;
    if (peer->isSmtp) {
      char *end = strstr(start, "\r\n");
      if (!end) break;
      *end = 0;
      from = end + 2 - peer->bytes;
      takeLine(fd, start);
      continue;
    }
    char *end = memmem(start, peer->length - from, "\r\n\r\n", 4);
    if (!end) break;
    *end = 0;
    const char *given = strcasestr(start, "\r\ncontent-length:");
    int length = given ? atoi(given + 17) : 0;
    char *body = end + 4;
    if (body + length > peer->bytes + peer->length) {
      *end = '\r';
      break;
    }
    char next = body[length];
    body[length] = 0;
    take(fd, start, body);
    body[length] = next;
    from = body + length - peer->bytes;
  }
  return from;
}

static void readFrom(int fd) {
  struct peer *peer = &peers[fd];
  int got = read(fd, peer->bytes + peer->length, MOST_BYTES - 1 - peer->length);
  if (got <= 0) return drop(fd);
  peer->length += got;
  peer->bytes[peer->length] = 0;
  int taken = takeAll(fd);
  memmove(peer->bytes, peer->bytes + taken, peer->length - taken + 1);
  peer->length -= taken;
}

static void acceptFrom(int listener, int isSmtp) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
    peers[fd].bytes = malloc(MOST_BYTES);
    peers[fd].isSmtp = isSmtp;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
    if (isSmtp) send(fd, "220 bench\r\n", 11, MSG_NOSIGNAL);
  }
}

static int listenOn(in_addr_t address, int *port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
  socklen_t length = sizeof at;
  if (bind(listener, (struct sockaddr *)&at, length) || listen(listener, 4096)) exit(1);
  getsockname(listener, (struct sockaddr *)&at, &length);
  *port = ntohs(at.sin_port);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  return listener;
}

int main(void) {
  static struct epoll_event events[256];
  static char output[1 << 20];
  setvbuf(stdout, output, _IOFBF, sizeof output);
  poller = epoll_create1(0);
  int port, smtpPort;
  int http = listenOn(INADDR_ANY, &port), smtp = listenOn(INADDR_LOOPBACK, &smtpPort);
  struct epoll_event input = {.events = EPOLLIN, .data.fd = 0};
  epoll_ctl(poller, EPOLL_CTL_ADD, 0, &input);
  printf("%d %d\n", port, smtpPort);
  fflush(stdout);
  long long reportedAtMs = 0;
  for (;;) {
    int ready = epoll_wait(poller, events, 256, delayedCount ? 1 : REPORT_MS);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd == 0) return 0;
      if (fd == http || fd == smtp) acceptFrom(fd, fd == smtp);
      else readFrom(fd);
    }
    long long nowMs = nowNs() / 1000000;
    for (int at = 0; at < delayedCount; at++) {
      if (nowMs < peers[delayed[at]].answerAtMs) continue;
      answer(delayed[at], "200 OK", "{}");
      delayed[at--] = delayed[--delayedCount];
    }
    if (updates >= 0 && nowMs >= peers[updates].answerAtMs) {
      answer(updates, "200 OK", "{\"ok\":true,\"result\":[]}");
      updates = -1;
    }
    if (nowMs - reportedAtMs < REPORT_MS) continue;
    reportedAtMs = nowMs;
    fflush(stdout);
  }
}
