/*
 * Simulates many subscribers in one process with low overhead: one epoll loop, no copied payloads.
 *   subscribers <port> <count> <never-reading> <alerts> <file> [socket.io]
 * Each line of the file is "<cookie> <wallet>". Connects and authenticates all subscribers and
 * prints "ready". Whenever <alerts> more alerts have reached every reader, prints a line with the
 * delivery times of the last of them, also if some readers already have later alerts: <first> <median> <99th percentile> <last>, then the
 * percentiles 0 to 100, in nanoseconds of CLOCK_MONOTONIC.
 * A delivery time is the time at which the kernel received the bytes (SO_TIMESTAMPNS), not the time
 * of the read. If a read returns several segments, it is the time of the last one.
 * Alerts that are sent again with their proof (isUpdate) are not counted.
 * With the last argument, the messages are those of Socket.IO 4 without its long polling.
 * The last <never-reading> connections stop reading once they are live. "closed <n>" is the number
 * of them that the server disconnected, as reported by TCP_INFO.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTING, UPGRADING, LIVE_WAIT, LIVE };
typedef struct {
  int fd, state, alerts, header_length, reader;
  uint64_t left;         /* remaining payload bytes */
  unsigned char head[128]; /* frame header and first bytes of the payload */
} Connection;

static int port, count, slow, per_batch;
static const char *path = "/ws", *live_text = "{\"type\":\"live\"", *alert_text = "{\"type\":\"new_alert\"";
static int is_socket_io;
static Connection *all;
static char (*cookies)[160], (*walletsOf)[64];
static int poller, connected, live;
/* Readers may be ahead of the slowest reader by this number of lines. */
#define SLOTS 256
/* The arrival times of line n are in slot n % SLOTS, in the order of arrival. */
static int64_t *arrived;
static int reached[SLOTS];
static int reported;
static char *buffer;
#define BUFFER (1 << 18)
/* CLOCK_MONOTONIC minus CLOCK_REALTIME in nanoseconds. The kernel stamps with the latter. */
static int64_t clock_offset;
/* Arrival time of the last bytes that were read. 0 if the kernel did not stamp them. */
static int64_t received_at;
/* The end of the payload of an update. `tails` has the last bytes of each connection's payload. */
#define TAIL "\"isUpdate\":true}"
#define TAIL_LENGTH ((int)sizeof TAIL - 1)
static char (*tails)[sizeof TAIL];

static int64_t to_ns(struct timespec t) {
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return to_ns(t);
}

static void update_clock_offset(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  clock_offset = now_ns() - to_ns(t);
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void say(int fd, int opcode, const char *text, int length) {
  unsigned char frame[512];
  int at = 0;
  frame[at++] = 0x80 | opcode;
  if (length < 126) frame[at++] = 0x80 | length;
  else {
    frame[at++] = 0x80 | 126;
    frame[at++] = length >> 8;
    frame[at++] = length & 255;
  }
  memset(frame + at, 0, 4); /* zero mask */
  at += 4;
  memcpy(frame + at, text, length);
  if (write(fd, frame, at + length) < 0 && errno != EAGAIN && errno != EPIPE && errno != ECONNRESET) die("write");
}

static void open_one(int index) {
  Connection *c = &all[index];
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int on = 1;
  if (c->fd < 0) die("socket");
  if (setsockopt(c->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0) die("SO_TIMESTAMPNS");
  /* One address has about 28,000 ephemeral ports, enough for ten thousand sockets. */
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (connect(c->fd, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS) die("connect");
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.u32 = index};
  c->state = CONNECTING;
  c->reader = index < count - slow;
  epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event);
}

static void upgrade(int index) {
  Connection *c = &all[index];
  char request[640];
  int length = snprintf(request, sizeof request,
    "GET %s HTTP/1.1\r\nHost: localhost:%d\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://localhost:%d\r\nX-Forwarded-For: 10.%d.%d.%d\r\nCookie: %s\r\n\r\n",
    path, port, port, index >> 16, (index >> 8) & 255, index & 255, cookies[index]);
  if (write(c->fd, request, length) != length) die("upgrade");
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
  epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &event);
  c->state = UPGRADING;
  if (connected < count) open_one(connected++);
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void report(int64_t *times, int readers) {
  qsort(times, readers, sizeof *times, compare);
  printf("%lld %lld %lld %lld", (long long)times[0], (long long)times[readers / 2],
    (long long)times[(int)(readers * 0.99)], (long long)times[readers - 1]);
  for (int part = 0; part <= 100; part++) printf(" %lld", (long long)times[(readers - 1) * part / 100]);
  printf("\n");
  fflush(stdout);
}

/** Every connection receives the alerts in the same order, so the lines are completed in order. */
static void record_arrival(Connection *c) {
  if (received_at == 0) {
    fprintf(stderr, "the kernel did not stamp the arrival of an alert\n");
    exit(1);
  }
  if (++c->alerts % per_batch != 0) return;
  int line = c->alerts / per_batch - 1, slot = line % SLOTS, readers = count - slow;
  if (line - reported >= SLOTS) {
    fprintf(stderr, "a reader is %d lines ahead of another one\n", line - reported);
    exit(1);
  }
  int64_t *times = arrived + (int64_t)slot * readers;
  times[reached[slot]++] = received_at;
  if (reached[slot] < readers) return;
  report(times, readers);
  reached[slot] = 0;
  reported++;
}

/** Handles a complete frame; `head` has its first bytes. */
static void take(int index) {
  Connection *c = &all[index];
  int opcode = c->head[0] & 15;
  char *text = (char *)c->head + c->header_length;
  if (opcode == 9) return say(c->fd, 10, "", 0);
  if (opcode == 8) fprintf(stderr, "connection %d was closed with %d: %s\n", index, (text[0] & 255) << 8 | (text[1] & 255), text + 2);
  if (opcode == 1 && strncmp(text, "{\"type\":\"authentication_failed\"", 30) == 0) fprintf(stderr, "%s\n", text);
  if (opcode != 1) return;
  if (is_socket_io && text[0] == '0') return say(c->fd, 1, "40", 2); /* open: connect to the namespace */
  if (is_socket_io && text[0] == '2') return say(c->fd, 1, "3", 1);  /* ping: pong */
  if (c->state == LIVE_WAIT && strncmp(text, live_text, strlen(live_text)) == 0) {
    c->state = LIVE;
    if (!c->reader) epoll_ctl(poller, EPOLL_CTL_DEL, c->fd, NULL);
    if (++live == count) {
      printf("ready\n");
      fflush(stdout);
    }
  } else if (c->state == LIVE && strncmp(text, alert_text, strlen(alert_text)) == 0 &&
             memcmp(tails[index], TAIL, TAIL_LENGTH) != 0) {
    record_arrival(c);
  }
}

static void feed(int index, unsigned char *bytes, int length) {
  Connection *c = &all[index];
  while (length > 0) {
    if (c->left == 0 && c->header_length <= 0) { /* -header_length header bytes received */
      int have = -c->header_length;
      c->head[have++] = *bytes++;
      length--;
      c->header_length = -have;
      if (have < 2) continue;
      int size = c->head[1] & 127, need = size < 126 ? 2 : size == 126 ? 4 : 10;
      if (have < need) continue;
      c->left = size;
      if (size == 126) c->left = c->head[2] << 8 | c->head[3];
      if (size == 127) for (c->left = 0, size = 2; size < 10; size++) c->left = c->left << 8 | c->head[size];
      c->header_length = need;
      memset(c->head + need, 0, sizeof c->head - need);
      if (c->left > 0) continue;
    } else {
      static int kept[1 << 17]; /* payload bytes in head, by connection */
      uint64_t part = c->left < (uint64_t)length ? c->left : (uint64_t)length;
      int room = (int)sizeof c->head - 1 - c->header_length - kept[index];
      int copy = part < (uint64_t)(room > 0 ? room : 0) ? (int)part : (room > 0 ? room : 0);
      memcpy(c->head + c->header_length + kept[index], bytes, copy);
      kept[index] += copy;
      int end = part < TAIL_LENGTH ? (int)part : TAIL_LENGTH;
      memmove(tails[index], tails[index] + end, TAIL_LENGTH - end);
      memcpy(tails[index] + TAIL_LENGTH - end, bytes + part - end, end);
      bytes += part;
      length -= part;
      c->left -= part;
      if (c->left > 0) continue;
      kept[index] = 0;
    }
    take(index);
    c->header_length = 0;
  }
}

/** Reads into `buffer` and sets `received_at`. Returns the same as read(). */
static int read_stamped(int fd) {
  union {
    char bytes[CMSG_SPACE(sizeof(struct timespec))];
    struct cmsghdr aligned;
  } control;
  struct iovec target = {.iov_base = buffer, .iov_len = BUFFER};
  struct msghdr message = {
    .msg_iov = &target, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  int length = recvmsg(fd, &message, 0);
  received_at = 0;
  if (length <= 0) return length;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_TIMESTAMPNS) continue;
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
    received_at = to_ns(stamp) + clock_offset;
  }
  return length;
}

static void receive(int index) {
  Connection *c = &all[index];
  if (c->state == CONNECTING) return;
  int length = read_stamped(c->fd);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) {
    fprintf(stderr, "connection %d of %d is gone (state %d)\n", index, count, c->state);
    exit(1);
  }
  unsigned char *bytes = (unsigned char *)buffer;
  if (c->state == UPGRADING) {
    char *end = memmem(buffer, length, "\r\n\r\n", 4);
    if (!end || strncmp(buffer, "HTTP/1.1 101", 12)) {
      fprintf(stderr, "%.*s\n", length, buffer);
      exit(1);
    }
    char message[128];
    int size = snprintf(message, sizeof message, "{\"type\":\"authenticate\",\"walletAddress\":\"%s\"}", walletsOf[index]);
    c->state = LIVE_WAIT;
    if (!is_socket_io) say(c->fd, 1, message, size);
    length -= end + 4 - buffer;
    bytes = (unsigned char *)end + 4;
  }
  feed(index, bytes, length);
}

int main(int argc, char **argv) {
  if (argc != 6 && argc != 7) return 2;
  if (argc == 7) {
    is_socket_io = 1;
    path = "/ws/?EIO=4&transport=websocket", live_text = "40{", alert_text = "42[\"new_alert\"";
  }
  port = atoi(argv[1]), count = atoi(argv[2]), slow = atoi(argv[3]), per_batch = atoi(argv[4]);
  all = calloc(count, sizeof *all);
  cookies = calloc(count, sizeof *cookies);
  walletsOf = calloc(count, sizeof *walletsOf);
  tails = calloc(count, sizeof *tails);
  arrived = calloc((size_t)SLOTS * (count - slow), sizeof *arrived);
  buffer = malloc(BUFFER);
  FILE *file = fopen(argv[5], "r");
  for (int i = 0; i < count; i++) if (!file || fscanf(file, "%159s %63s", cookies[i], walletsOf[i]) != 2) die("file");
  poller = epoll_create1(0);
  /* Keep at most 32 connection attempts in progress. */
  while (connected < count && connected < 32) open_one(connected++);
  struct epoll_event events[1024];
  int64_t told = 0;
  for (;;) {
    int ready = epoll_wait(poller, events, 1024, 500);
    update_clock_offset();
    for (int i = 0; i < ready; i++) {
      int index = events[i].data.u32;
      if (events[i].events & EPOLLOUT && all[index].state == CONNECTING) upgrade(index);
      if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(index);
    }
    if (slow == 0 || live < count || now_ns() - told < 1000000000) continue;
    told = now_ns();
    int closed = 0;
    for (int i = count - slow; i < count; i++) {
      struct tcp_info info;
      socklen_t size = sizeof info;
      if (getsockopt(all[i].fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 || info.tcpi_state != 1 /* ESTABLISHED */) closed++;
    }
    printf("closed %d\n", closed);
    fflush(stdout);
  }
}
