// The clients of the bench. Usage: load KIND …, see load.h
#include "load.h"
#include <signal.h>

void note(struct latencies *list, u64 ns) {
  if (list->count == list->room) {
    list->room = list->room == 0 ? 65536 : list->room * 2;
    list->ns = realloc(list->ns, list->room * sizeof *list->ns);
  }
  list->ns[list->count++] = ns > 4000000000ull ? 4000000000u : (unsigned)ns;
}

static int by_size(const void *one, const void *other) {
  unsigned a = *(const unsigned *)one, b = *(const unsigned *)other;
  return a < b ? -1 : a > b;
}

static double rank(const struct latencies *list, double share) {
  return list->count == 0 ? 0 : list->ns[(size_t)((double)(list->count - 1) * share)] / 1000.0;
}

void print_latencies(struct latencies *list) {
  qsort(list->ns, list->count, sizeof *list->ns, by_size);
  printf("\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"max\":%.1f", rank(list, .5), rank(list, .9), rank(list, .99), rank(list, 1));
}

static const struct {
  const char *name;
  int words;
  int (*run)(char **words);
} KINDS[] = {
    {"requests", 5, run_requests}, {"streams", 5, run_streams}, {"bodies", 4, run_bodies},
    {"up", 2, run_up},             {"down", 2, run_down},       {"idle", 2, run_idle},
};

int main(int count, char **words) {
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; count > 1 && i < sizeof KINDS / sizeof *KINDS; i += 1) {
    if (strcmp(words[1], KINDS[i].name) == 0 && count - 2 == KINDS[i].words) return KINDS[i].run(words + 2);
  }
  fprintf(stderr, "usage: load requests|streams|bodies|up|down|idle …\n");
  return 2;
}
