#include "load.h"

enum { KEPT = 64 };

struct stream {
  int fd, kept, is_over, has_head;
  char end[KEPT];  // of what was read, in case that an event is cut
};

static struct latencies received;
static long errors;

static int open_stream(int port, const char *events, const char *rate) {
  char text[4096], body[1200];
  int length = sprintf(body, "{\"messages\":[{\"role\":\"user\",\"content\":\"%0900d\"}],\"model\":\"m1\",\"stream\":true}", 7);
  int all = sprintf(text,
                    "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nX-Bench: "
                    "stream %s %s\r\nContent-Length: %d\r\n\r\n%s",
                    port, events, rate, length, body);
  int fd = dial(port);
  if (fd >= 0 && write_all(fd, text, (size_t)all) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

/** Notes every whole event in what came; keeps a cut one. */
static void take(struct stream *s, char *text, size_t length, u64 now) {
  char *at = text, *end = text + length;
  for (;;) {
    char *mark = memmem(at, (size_t)(end - at), "\"at\":", 5);
    char *close = mark == NULL ? NULL : memchr(mark, '}', (size_t)(end - mark));
    if (close == NULL) break;
    u64 sent = strtoull(mark + 5, NULL, 10);
    note(&received, now > sent ? now - sent : 0);
    at = close + 1;
  }
  if (memmem(at, (size_t)(end - at), "\r\n0\r\n\r\n", 7) != NULL) s->is_over = 1;
  s->kept = end - at < KEPT ? (int)(end - at) : KEPT;
  memcpy(s->end, end - s->kept, (size_t)s->kept);
}

/** 1: it is over. */
static int receive(struct stream *s) {
  static char bytes[1 << 17];
  memcpy(bytes, s->end, (size_t)s->kept);
  ssize_t got = read(s->fd, bytes + s->kept, sizeof bytes - KEPT);
  u64 now = now_ns();
  if (got <= 0) {
    errors += 1;
    return 1;
  }
  if (!s->has_head) {
    if (got < 12 || strncmp(bytes + 8, " 200", 4) != 0) errors += 1;
    s->has_head = 1;
  }
  take(s, bytes, (size_t)(got + s->kept), now);
  return s->is_over;
}

int run_streams(char **words) {
  int port = atoi(words[0]), streams = atoi(words[1]);
  u64 expected = (u64)streams * strtoull(words[2], NULL, 10), ramp = strtoull(words[4], NULL, 10) * 1000000ull;
  u64 began = now_ns(), limit = began + ramp + (u64)(atof(words[2]) / atof(words[3]) * 1e9) + 15000000000ull;
  struct stream *all = calloc((size_t)streams, sizeof *all);
  struct epoll_event events[256];
  int epoll = epoll_create1(0), opened = 0, open = 0;
  while (opened < streams || open > 0) {
    u64 now = now_ns();
    if (now > limit) break;
    for (; opened < streams && now >= began + ramp * (u64)opened / (u64)streams; opened += 1) {
      struct stream *s = &all[opened];
      s->fd = open_stream(port, words[2], words[3]);
      struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};
      if (s->fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, s->fd, &event) != 0) errors += 1;
      else open += 1;
    }
    int ready = epoll_wait(epoll, events, 256, opened < streams ? 1 : 1000);
    for (int i = 0; i < ready; i += 1) {
      struct stream *s = events[i].data.ptr;
      if (!receive(s)) continue;
      close(s->fd);
      open -= 1;
    }
  }
  printf("{\"chunks\":%zu,\"missing\":%lld,\"errors\":%ld,", received.count, (long long)expected - (long long)received.count, errors);
  print_latencies(&received);
  printf("}\n");
  return 0;
}
