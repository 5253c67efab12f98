#include "load.h"

struct client {
  int fd, used;
  u64 asked;
  char bytes[65536];
};

static char *request;
static size_t request_length;
static int port, epoll;

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) die(path);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*length + 1);
  if (fread(bytes, 1, *length, file) != *length) die(path);
  fclose(file);
  return bytes;
}

static void compose(const char *path, const char *body_file) {
  size_t length;
  char *body = read_file(body_file, &length);
  request = malloc(length + 1024);
  int head = sprintf(request,
                     "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                     "sk-local-0123456789abcdef\r\nUser-Agent: bench\r\nContent-Length: %zu\r\n\r\n",
                     path, port, length);
  memcpy(request + head, body, length);
  request_length = (size_t)head + length;
  free(body);
}

static int ask(struct client *c) {
  c->used = 0;
  c->asked = now_ns();
  return write_all(c->fd, request, request_length);
}

static int open_client(struct client *c) {
  c->fd = dial(port);
  if (c->fd < 0) return -1;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
}

/** 1: the answer is whole; 2: and the connection ends with it; 0: more is to come; -1: it is no good answer. */
static int is_answered(struct client *c) {
  c->bytes[c->used] = 0;
  char *end = strstr(c->bytes, "\r\n\r\n");
  if (end == NULL) return 0;
  if (strncmp(c->bytes + 8, " 200", 4) != 0) return -1;
  *end = 0;
  const char *length = field(c->bytes, "content-length"), *connection = field(c->bytes, "connection");
  long body = length == NULL ? -1 : atol(length);
  int is_last = connection != NULL && strncasecmp(connection, " close", 6) == 0;
  int is_chunked = field(c->bytes, "transfer-encoding") != NULL;
  *end = '\r';
  if (is_chunked) return c->used > 7 && memcmp(c->bytes + c->used - 7, "\r\n0\r\n\r\n", 7) == 0 ? 1 + is_last : 0;
  if (body < 0) return -1;
  long have = c->used - (long)(end + 4 - c->bytes);
  if (have > body) return -1;
  return have < body ? 0 : 1 + is_last;
}

int run_requests(char **words) {
  port = atoi(words[0]);
  int connections = atoi(words[1]);
  u64 length_ns = (u64)(atof(words[2]) * 1e9);
  compose(words[3], words[4]);
  epoll = epoll_create1(0);
  struct client *clients = calloc((size_t)connections, sizeof *clients);
  struct latencies answered = {0};
  long errors = 0, dials = 0;
  for (int i = 0; i < connections; i += 1) {
    if (open_client(&clients[i]) != 0) die("connect");
  }
  u64 began = now_ns(), ended = began;
  for (int i = 0; i < connections; i += 1) {
    if (ask(&clients[i]) != 0) errors += 1;
  }
  struct epoll_event events[256];
  while (ended - began < length_ns && errors < 10) {
    int ready = epoll_wait(epoll, events, 256, 10000);
    ended = now_ns();
    if (ready == 0) errors += 1;
    for (int i = 0; i < ready; i += 1) {
      struct client *c = events[i].data.ptr;
      ssize_t got = read(c->fd, c->bytes + c->used, sizeof c->bytes - 1 - (size_t)c->used);
      int state = got <= 0 ? -1 : (c->used += (int)got, is_answered(c));
      if (state == 0) continue;
      // An engine that closes a connection after so many answers has answered all of them
      int is_fault = state < 0 && !(got == 0 && c->used == 0);
      if (is_fault) {
        fprintf(stderr, "no good answer: %s\n", got < 0 ? strerror(errno) : c->bytes);
        errors += 1;
      }
      if (state > 0) note(&answered, now_ns() - c->asked);
      if (state != 1) {
        close(c->fd);
        dials += 1;
        if (open_client(c) != 0) die("connect");
      }
      if (ask(c) != 0) errors += 1;
    }
  }
  printf("{\"perSecond\":%.1f,\"count\":%zu,\"errors\":%ld,\"dials\":%ld,", (double)answered.count * 1e9 / (double)(ended - began),
         answered.count, errors, dials);
  print_latencies(&answered);
  printf("}\n");
  return 0;
}
