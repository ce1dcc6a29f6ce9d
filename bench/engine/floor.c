/* Builds one-second bars of ten markets from trades, as the engine core does, and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MARKETS = 10, SECONDS = 64, BATCH = 100000 };

struct second { long at, first, last; double open, close, high, low, volume, taker_buy; };
struct trade { int market, buy; long number, at; double price, amount; };

static struct second bars[MARKETS][SECONDS];
static long newest[MARKETS];
static struct trade batch[BATCH];

static void add(const struct trade *t) {
  if (t->number <= newest[t->market]) return;
  newest[t->market] = t->number;
  long at = t->at / 1000;
  struct second *s = &bars[t->market][at % SECONDS];
  if (s->at != at) {
    *s = (struct second){at, t->number, t->number, t->price, t->price, t->price, t->price, t->amount, t->buy ? t->amount : 0};
    return;
  }
  if (t->number > s->last) { s->last = t->number; s->close = t->price; }
  if (t->price > s->high) s->high = t->price;
  if (t->price < s->low) s->low = t->price;
  s->volume += t->amount;
  if (t->buy) s->taker_buy += t->amount;
}

int main(int argc, char **argv) {
  long total = (argc > 1 ? atol(argv[1]) : 10) * 1000000L, done;
  for (int m = 0; m < MARKETS; m++) newest[m] = -1;
  for (int i = 0; i < BATCH; i++)
    batch[i] = (struct trade){i % MARKETS, rand() & 1, i / MARKETS, 1772409600000L + i * 10L, 100 + (rand() % 100) * 0.01, (rand() % 1000) * 0.001};
  double busy = 0;
  for (done = 0; done < total; done += BATCH) {
    clock_t started = clock();
    for (int i = 0; i < BATCH; i++) add(&batch[i]);
    busy += (double)(clock() - started) / CLOCKS_PER_SEC;
    for (int i = 0; i < BATCH; i++) { batch[i].number += BATCH / MARKETS; batch[i].at += BATCH * 10L; }
  }
  printf("%.1f M trades/s of CPU time (volume %.1f)\n", total / busy / 1e6, bars[0][0].volume);
  return 0;
}
