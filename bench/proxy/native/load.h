#pragma once
#include "net.h"

// Each kind of load prints one line of JSON on stdout. Times in it are microseconds.

/** `requests PORT CONNECTIONS SECONDS PATH BODY_FILE`: each connection asks again as soon as it was answered. */
int run_requests(char **words);
/** `streams PORT STREAMS EVENTS RATE RAMP_MS`: streams of events, opened over the ramp. */
int run_streams(char **words);
/** `bodies PORT BYTES EVERY_MS SECONDS`: a request with a large body at each interval, each on a connection of its own. */
int run_bodies(char **words);
/** `up PORT BYTES` and `down PORT BYTES`: one body of that size, as a form or as an answer. */
int run_up(char **words);
int run_down(char **words);
/** `idle PORT COUNT`: as many connections, each after one answered request, until stdin ends. */
int run_idle(char **words);

struct latencies {
  unsigned *ns;
  size_t count, room;
};

void note(struct latencies *list, u64 ns);
/** Sorts, and prints `"p50":…,"p90":…,"p99":…,"max":…`. */
void print_latencies(struct latencies *list);
