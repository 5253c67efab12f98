// A heap of times, the earliest first. An entry knows its place in it, so that it can be taken out.
#pragma once
#include <stddef.h>

struct timer {
  unsigned long long at;
  int place;  // from 1; 0: it is not in the heap
};

struct timers {
  struct timer *entries[65536];
  int count;
};

static inline void timers_put(struct timers *heap, int at, struct timer *entry) {
  heap->entries[at] = entry;
  entry->place = at + 1;
}

static inline void timers_rise(struct timers *heap, struct timer *entry) {
  int at = entry->place - 1;
  for (int above = (at - 1) / 2; at > 0 && heap->entries[above]->at > entry->at; above = (at - 1) / 2) {
    timers_put(heap, at, heap->entries[above]);
    at = above;
  }
  timers_put(heap, at, entry);
}

/** Call it when the time of an entry was set to a later one. */
static inline void timers_sink(struct timers *heap, struct timer *entry) {
  int at = entry->place - 1;
  for (;;) {
    int below = 2 * at + 1;
    if (below + 1 < heap->count && heap->entries[below + 1]->at < heap->entries[below]->at) below += 1;
    if (below >= heap->count || heap->entries[below]->at >= entry->at) break;
    timers_put(heap, at, heap->entries[below]);
    at = below;
  }
  timers_put(heap, at, entry);
}

static inline void timers_add(struct timers *heap, struct timer *entry) {
  timers_put(heap, heap->count, entry);
  heap->count += 1;
  timers_rise(heap, entry);
}

static inline void timers_remove(struct timers *heap, struct timer *entry) {
  if (entry->place == 0) return;
  int at = entry->place - 1;
  entry->place = 0;
  heap->count -= 1;
  if (at == heap->count) return;
  struct timer *last = heap->entries[heap->count];
  timers_put(heap, at, last);
  timers_sink(heap, last);
  timers_rise(heap, last);
}

static inline struct timer *timers_first(const struct timers *heap) {
  return heap->count == 0 ? NULL : heap->entries[0];
}
