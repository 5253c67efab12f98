// What the upstream and the load have in common: a monotonic clock, sockets of 127.0.0.1, buffers.
#pragma once
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long u64;

static inline u64 now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (u64)time.tv_sec * 1000000000ull + (u64)time.tv_nsec;
}

__attribute__((noreturn)) static inline void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static inline void no_delay(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/** A blocking connection, or -1. */
static inline int dial(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = loopback(port);
  if (fd < 0) return -1;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    close(fd);
    return -1;
  }
  no_delay(fd);
  return fd;
}

static inline int write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    bytes += written;
    length -= (size_t)written;
  }
  return 0;
}

static inline void watch(int epoll, int operation, int fd, unsigned events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  if (epoll_ctl(epoll, operation, fd, &event) != 0) die("epoll_ctl");
}

/** Value of a header field in a head that ends with a zero byte; NULL when it has none. */
static inline const char *field(const char *head, const char *name) {
  size_t length = strlen(name);
  for (const char *line = strchr(head, '\n'); line != NULL; line = strchr(line, '\n')) {
    line += 1;
    if (strncasecmp(line, name, length) == 0 && line[length] == ':') return line + length + 1;
  }
  return NULL;
}
