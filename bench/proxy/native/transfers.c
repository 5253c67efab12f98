#include "load.h"

static char letters[1 << 18];

static void fill(void) { memset(letters, 'a', sizeof letters); }

static int send_letters(int fd, u64 count) {
  while (count > 0) {
    size_t part = count < sizeof letters ? (size_t)count : sizeof letters;
    if (write_all(fd, letters, part) != 0) return -1;
    count -= part;
  }
  return 0;
}

/** Reads an answer that says its length; bytes of its body, or -1. */
static long long read_answer(int fd) {
  static char bytes[1 << 18];
  size_t used = 0;
  char *end = NULL;
  while (end == NULL) {
    ssize_t got = read(fd, bytes + used, 65536 - used);
    if (got <= 0) return -1;
    used += (size_t)got;
    bytes[used] = 0;
    end = strstr(bytes, "\r\n\r\n");
    if (end == NULL && used == 65536) return -1;
  }
  *end = 0;
  const char *length = field(bytes, "content-length");
  if (strncmp(bytes + 8, " 200", 4) != 0 || length == NULL) {
    fprintf(stderr, "%s\n%.500s\n", bytes, end + 4);
    return -1;
  }
  long long all = atoll(length), have = (long long)used - (end + 4 - bytes);
  while (have < all) {
    ssize_t got = read(fd, bytes, sizeof bytes);
    if (got <= 0) return -1;
    have += got;
  }
  return have == all ? all : -1;
}

static const char BEFORE[] = "{\"messages\":[{\"role\":\"user\",\"content\":\"";
static const char AFTER[] = "\"}],\"model\":\"m1\"}";

static int send_body(int port, u64 bytes) {
  char head[512];
  int fd = dial(port);
  if (fd < 0) return -1;
  int length = sprintf(head,
                       "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
                       "Content-Length: %llu\r\n\r\n%s",
                       port, bytes, BEFORE);
  int failed = write_all(fd, head, (size_t)length) != 0 || send_letters(fd, bytes - sizeof BEFORE - sizeof AFTER + 2) != 0 ||
               write_all(fd, AFTER, sizeof AFTER - 1) != 0 || read_answer(fd) < 0;
  close(fd);
  return failed ? -1 : 0;
}

int run_bodies(char **words) {
  int port = atoi(words[0]);
  u64 every = strtoull(words[2], NULL, 10) * 1000000ull, began = now_ns(), next = began;
  u64 end = began + (u64)(atof(words[3]) * 1e9);
  struct latencies sent = {0};
  long errors = 0;
  fill();
  while (next < end) {
    u64 now = now_ns();
    if (now < next) usleep((useconds_t)((next - now) / 1000));
    now = now_ns();
    if (send_body(port, strtoull(words[1], NULL, 10)) != 0) errors += 1;
    note(&sent, now_ns() - now);
    // One that took longer than the interval puts the next off: they never overlap
    next = next + every > now_ns() ? next + every : now_ns();
  }
  printf("{\"count\":%zu,\"errors\":%ld,", sent.count, errors);
  print_latencies(&sent);
  printf("}\n");
  return 0;
}

static int done(u64 began, u64 bytes, int is_good) {
  printf("{\"seconds\":%.3f,\"bytes\":%llu,\"errors\":%d}\n", (double)(now_ns() - began) / 1e9, bytes, is_good ? 0 : 1);
  return 0;
}

int run_up(char **words) {
  int port = atoi(words[0]), fd = dial(port);
  u64 bytes = strtoull(words[1], NULL, 10), began = now_ns();
  char before[512], head[512];
  static const char TAIL[] = "\r\n--b--\r\n";
  int part = sprintf(before, "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm1\r\n--b\r\nContent-Disposition: "
                             "form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n");
  int length = sprintf(head,
                       "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: multipart/form-data; "
                       "boundary=b\r\nContent-Length: %llu\r\n\r\n",
                       port, bytes + (u64)part + sizeof TAIL - 1);
  fill();
  int is_good = fd >= 0 && write_all(fd, head, (size_t)length) == 0 && write_all(fd, before, (size_t)part) == 0 &&
                send_letters(fd, bytes) == 0 && write_all(fd, TAIL, sizeof TAIL - 1) == 0 && read_answer(fd) >= 0;
  return done(began, bytes, is_good);
}

int run_down(char **words) {
  int port = atoi(words[0]), fd = dial(port);
  u64 bytes = strtoull(words[1], NULL, 10), began = now_ns();
  char text[512];
  int length = sprintf(text,
                       "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nX-Bench: "
                       "bytes %llu\r\nContent-Length: 14\r\n\r\n{\"model\":\"m1\"}",
                       port, bytes);
  int is_good = fd >= 0 && write_all(fd, text, (size_t)length) == 0 && read_answer(fd) == (long long)bytes;
  return done(began, bytes, is_good);
}

int run_idle(char **words) {
  int port = atoi(words[0]), count = atoi(words[1]), opened = 0, held = 0;
  int *all = calloc((size_t)count, sizeof *all);
  char text[512];
  int length = sprintf(text,
                       "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
                       "Content-Length: 14\r\n\r\n{\"model\":\"m1\"}",
                       port);
  for (; opened < count; opened += 1) {
    all[opened] = dial(port);
    if (all[opened] < 0 || write_all(all[opened], text, (size_t)length) != 0 || read_answer(all[opened]) < 0) break;
  }
  printf("{\"opened\":%d}\n", opened);
  fflush(stdout);
  while (getchar() != EOF);
  for (int i = 0; i < opened; i += 1) {
    char byte;
    if (recv(all[i], &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN) held += 1;
  }
  printf("{\"held\":%d}\n", held);
  return 0;
}
