// An engine that costs next to nothing: one thread, epoll. Usage: upstream PORT
//
// GET: 200 with {"total_slots":4096}. POST: reads the body (Content-Length only) and answers as its header X-Bench says:
// without one with 500 bytes of JSON; `stream N RATE`: N events of about 250 bytes, RATE a second, chunked, each with the
// time of its writing in nanoseconds; `bytes N`: N bytes.
#include "net.h"
#include "timers.h"
#include <signal.h>
#include <sys/timerfd.h>

enum { HEAD = 16384, MOST = 65536 };

struct connection {
  struct timer timer;  // first: the heap hands out its address
  int fd, used;
  u64 skip;  // bytes of the body that are still to come
  char kind;
  u64 events, sent, bytes;
  double rate;
  u64 began;
  char *out;  // what the socket did not take yet
  size_t out_length, out_room;
  char head[HEAD];
};

static struct connection *connections[MOST];
static struct timers timers;
static int epoll, clock_fd;
static char zeros[1 << 18];
static char json[1024];
static int json_length;
static const char SLOTS[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"total_slots\":4096}";
static const char STREAM[] =
    "HTTP/1.1 200 OK\r\nServer: bench\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

static void drop(struct connection *c) {
  timers_remove(&timers, &c->timer);
  connections[c->fd] = NULL;
  close(c->fd);
  free(c->out);
  free(c);
}

static int put(struct connection *c, const char *bytes, size_t length) {
  if (c->out_length == 0) {
    ssize_t written = write(c->fd, bytes, length);
    if (written < 0 && errno != EAGAIN) return -1;
    if (written > 0) {
      bytes += written;
      length -= (size_t)written;
    }
    if (length == 0) return 0;
    watch(epoll, EPOLL_CTL_MOD, c->fd, EPOLLIN | EPOLLOUT);
  }
  if (c->out_length + length > c->out_room) {
    c->out_room = (c->out_length + length) * 2;
    c->out = realloc(c->out, c->out_room);
  }
  memcpy(c->out + c->out_length, bytes, length);
  c->out_length += length;
  return 0;
}

/** Sends on what waits; large bodies come from one page of zeros and are never held. */
static int flush(struct connection *c) {
  while (c->out_length > 0 || c->bytes > 0) {
    int is_held = c->out_length > 0;
    size_t most = is_held ? c->out_length : c->bytes < sizeof zeros ? c->bytes : sizeof zeros;
    ssize_t written = write(c->fd, is_held ? c->out : zeros, most);
    if (written < 0) {
      if (errno != EAGAIN) return -1;
      watch(epoll, EPOLL_CTL_MOD, c->fd, EPOLLIN | EPOLLOUT);
      return 0;
    }
    if (is_held) memmove(c->out, c->out + written, c->out_length -= (size_t)written);
    else c->bytes -= (u64)written;
  }
  watch(epoll, EPOLL_CTL_MOD, c->fd, EPOLLIN);
  return 0;
}

static u64 due(const struct connection *c) {
  return c->began + (u64)((double)(c->sent + 1) * 1e9 / c->rate);
}

static int answer(struct connection *c) {
  char head[256];
  switch (c->kind) {
    case 'g':
      return put(c, SLOTS, sizeof SLOTS - 1);
    case 's':
      c->began = now_ns();
      c->sent = 0;
      c->timer.at = due(c);
      timers_add(&timers, &c->timer);
      return put(c, STREAM, sizeof STREAM - 1);
    case 'b': {
      int length = sprintf(head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %llu\r\n\r\n", c->bytes);
      return put(c, head, (size_t)length) < 0 ? -1 : flush(c);
    }
    default:
      return put(c, json, (size_t)json_length);
  }
}

static int emit(struct connection *c) {
  char event[512], chunk[600];
  if (c->sent == c->events) {
    static const char END[] = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
    timers_remove(&timers, &c->timer);
    return put(c, END, sizeof END - 1);
  }
  int length = sprintf(event,
                       "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"content\":\" token\"}}],\"created\":"
                       "1730000000,\"id\":\"chatcmpl-Xq0fX3dTq9bqkz1JmRZ7cJmY0pXy2bVv\",\"model\":\"m1\",\"object\":"
                       "\"chat.completion.chunk\",\"at\":%llu}\n\n",
                       now_ns());
  int whole = sprintf(chunk, "%x\r\n%s\r\n", length, event);
  c->sent += 1;
  c->timer.at = due(c);
  timers_sink(&timers, &c->timer);
  return put(c, chunk, (size_t)whole);
}

/** Takes one request off what was read. 0: it is not there yet. */
static int parse(struct connection *c) {
  c->head[c->used] = 0;
  char *end = strstr(c->head, "\r\n\r\n");
  if (end == NULL) return c->used == HEAD - 1 ? -1 : 0;
  *end = 0;
  int length = (int)(end - c->head) + 4;
  const char *body = field(c->head, "content-length"), *wish = field(c->head, "x-bench");
  c->skip = body == NULL ? 0 : strtoull(body, NULL, 10);
  c->kind = strncmp(c->head, "GET", 3) == 0 ? 'g' : 'j';
  if (wish != NULL && sscanf(wish, " stream %llu %lf", &c->events, &c->rate) == 2) c->kind = 's';
  if (wish != NULL && sscanf(wish, " bytes %llu", &c->bytes) == 1) c->kind = 'b';
  u64 here = (u64)(c->used - length) < c->skip ? (u64)(c->used - length) : c->skip;
  c->skip -= here;
  c->used -= length + (int)here;
  memmove(c->head, c->head + length + here, (size_t)c->used);
  return 1;
}

static int receive(struct connection *c) {
  static char sink[1 << 18];
  for (;;) {
    ssize_t got = c->skip > 0 ? read(c->fd, sink, c->skip < sizeof sink ? c->skip : sizeof sink)
                              : read(c->fd, c->head + c->used, (size_t)(HEAD - 1 - c->used));
    if (got <= 0) return got < 0 && errno == EAGAIN ? 0 : -1;
    if (c->skip > 0) {
      c->skip -= (u64)got;
      if (c->skip == 0 && answer(c) < 0) return -1;
      continue;
    }
    c->used += (int)got;
    for (int found = parse(c); found != 0; found = c->skip == 0 ? parse(c) : 0) {
      if (found < 0 || (c->skip == 0 && answer(c) < 0)) return -1;
    }
  }
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    if (fd >= MOST) {
      close(fd);
      continue;
    }
    no_delay(fd);
    struct connection *c = calloc(1, sizeof *c);
    c->fd = fd;
    connections[fd] = c;
    watch(epoll, EPOLL_CTL_ADD, fd, EPOLLIN);
  }
}

static void tick(void) {
  u64 ignored, now = now_ns();
  if (read(clock_fd, &ignored, sizeof ignored) < 0 && errno != EAGAIN) die("timerfd");
  for (struct timer *next = timers_first(&timers); next != NULL && next->at <= now; next = timers_first(&timers)) {
    struct connection *c = (struct connection *)next;
    if (emit(c) < 0) drop(c);
  }
}

static void arm(void) {
  static u64 armed;
  struct timer *next = timers_first(&timers);
  u64 at = next == NULL ? 0 : next->at;
  if (at == armed) return;
  armed = at;
  struct itimerspec spec = {.it_value = {.tv_sec = (time_t)(at / 1000000000ull), .tv_nsec = (long)(at % 1000000000ull)}};
  timerfd_settime(clock_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

int main(int count, char **words) {
  if (count != 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  static const char BODY[] =
      "{\"choices\":[{\"finish_reason\":\"stop\",\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"The quick brown "
      "fox jumps over the lazy dog and then sits down for a while.\"}}],\"created\":1730000000,\"model\":\"m1\",\"object\":"
      "\"chat.completion\",\"usage\":{\"completion_tokens\":17,\"prompt_tokens\":42,\"total_tokens\":59},\"id\":\"chatcmpl-"
      "Xq0fX3dTq9bqkz1JmRZ7cJmY0pXy2bVv\",\"timings\":{\"prompt_n\":42,\"prompt_ms\":12.5,\"predicted_n\":17,\"predicted_ms\":"
      "240.25,\"predicted_per_second\":70.76}}";
  json_length = sprintf(json,
                        "HTTP/1.1 200 OK\r\nServer: bench\r\nContent-Type: application/json; charset=utf-8\r\n"
                        "Content-Length: %zu\r\n\r\n%s",
                        sizeof BODY - 1, BODY);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = loopback(atoi(words[1]));
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
  listen(listener, 4096);
  epoll = epoll_create1(EPOLL_CLOEXEC);
  clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  watch(epoll, EPOLL_CTL_ADD, listener, EPOLLIN);
  watch(epoll, EPOLL_CTL_ADD, clock_fd, EPOLLIN);
  struct epoll_event events[256];
  for (;;) {
    int ready = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < ready; i += 1) {
      int fd = events[i].data.fd;
      if (fd == listener) accept_all(listener);
      else if (fd == clock_fd) tick();
      else {
        struct connection *c = connections[fd];
        if (c == NULL) continue;
        if ((events[i].events & EPOLLOUT) && flush(c) < 0) drop(c);
        else if ((events[i].events & ~(unsigned)EPOLLOUT) && receive(c) < 0) drop(c);
      }
    }
    arm();
  }
}
