/*
 * Lower bound for the machine: sends the same bytes to every socket with one send() each.
 *   floor <port> <bytes of an alert, 126 to 65535>
 * Each input line "p" publishes an alert. Prints the time before the first send, in nanoseconds of
 * CLOCK_MONOTONIC. Each line "g", which makes other servers collect garbage, prints 0.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static const char accepted[] =
  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
static const char live[] = "\x81\x0f{\"type\":\"live\"}";

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1, poller = epoll_create1(0), count = 0;
  int *open = calloc(1 << 16, sizeof *open), *greeted = calloc(1 << 16, sizeof *greeted);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 1024)) return 1;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, input = {.events = EPOLLIN, .data.fd = 0}, events[256];
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  epoll_ctl(poller, EPOLL_CTL_ADD, 0, &input);
  static char frame[65539], bytes[65536];
  int payload = atoi(argv[2]);
  memset(frame, ' ', sizeof frame);
  memcpy(frame + 4, "{\"type\":\"new_alert\",", 20);
  frame[0] = 0x81, frame[1] = 126, frame[2] = payload >> 8, frame[3] = payload & 255;
  printf("up\n");
  fflush(stdout);
  for (;;) {
    int ready = epoll_wait(poller, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        for (int peer; (peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
          setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
          struct epoll_event e = {.events = EPOLLIN, .data.fd = peer};
          epoll_ctl(poller, EPOLL_CTL_ADD, peer, &e);
          open[count++] = peer;
        }
      } else if (fd == 0) {
        int length = read(0, bytes, sizeof bytes);
        if (length <= 0) return 0;
        for (int at = 0; at < length; at++) {
          if (bytes[at] == 'p') {
            struct timespec t;
            clock_gettime(CLOCK_MONOTONIC, &t);
            for (int each = 0; each < count; each++) send(open[each], frame, payload + 4, MSG_NOSIGNAL);
            printf("%lld\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec);
          } else if (bytes[at] == 'g') printf("0\n");
        }
        fflush(stdout);
      } else {
        int length = read(fd, bytes, sizeof bytes);
        if (length <= 0) {
          epoll_ctl(poller, EPOLL_CTL_DEL, fd, NULL);
          continue;
        }
        if (greeted[fd]++ == 0) send(fd, accepted, sizeof accepted - 1, MSG_NOSIGNAL);
        else if (greeted[fd] == 2) send(fd, live, sizeof live - 1, MSG_NOSIGNAL);
      }
    }
  }
}
