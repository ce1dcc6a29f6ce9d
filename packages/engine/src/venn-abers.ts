/**
 * Venn-Abers calibration (Vovk and Petej, 2014): isotonic regression of past outcomes on their
 * scores, once with the new score as a failure and once as a success.
 */
export interface Judged {
  score: number
  outcome: 0 | 1
}

/** Returns the calibrated probability: the minimax choice between the two fits for squared loss. */
export function calibrate(past: readonly Judged[], score: number): number {
  const sorted = [...past].sort((a, b) => a.score - b.score)
  const low = isotonicAt(sorted, score, 0)
  const high = isotonicAt(sorted, score, 1)
  return high + low ** 2 / 2 - high ** 2 / 2
}

/**
 * Returns the value of the isotonic fit at `score` after adding it with `outcome`, by pooling
 * adjacent violators.
 */
export function isotonicAt(sorted: readonly Judged[], score: number, outcome: 0 | 1): number {
  const blocks: { sum: number; count: number; last: number }[] = []
  const add = (value: number, last: number) => {
    let block = { sum: value, count: 1, last }
    for (let top = blocks.at(-1); top !== undefined; top = blocks.at(-1)) {
      if (top.sum * block.count < block.sum * top.count) break
      blocks.pop()
      block = { sum: top.sum + block.sum, count: top.count + block.count, last }
    }
    blocks.push(block)
  }
  let isAdded = false
  for (const item of sorted) {
    if (!isAdded && item.score >= score) {
      add(outcome, score)
      isAdded = true
    }
    add(item.outcome, item.score)
  }
  if (!isAdded) add(outcome, score)
  const block = blocks.find((candidate) => candidate.last >= score)
  return block === undefined ? outcome : block.sum / block.count
}
