/** A resolved outcome with the uncalibrated probability that was estimated for it. */
export interface ScoredOutcome {
  score: number
  outcome: 0 | 1
}

/**
 * Venn-Abers calibration (Vovk and Petej, 2014): fits an isotonic regression of past outcomes on
 * their scores, once with the new score as a failure and once as a success. Returns the calibrated
 * probability: the minimax choice between the two fits for squared loss.
 */
export function calibrate(pastOutcomes: readonly ScoredOutcome[], score: number): number {
  const sorted = [...pastOutcomes].sort((a, b) => a.score - b.score)
  const low = fitIsotonic(sorted, score, 0)
  const high = fitIsotonic(sorted, score, 1)
  return high + low ** 2 / 2 - high ** 2 / 2
}

/**
 * Returns the value of the isotonic fit at `score` after adding it with `outcome`, by pooling
 * adjacent violators.
 */
export function fitIsotonic(sorted: readonly ScoredOutcome[], score: number, outcome: 0 | 1): number {
  const blocks: { sum: number; count: number; last: number }[] = []
  const add = (value: number, last: number) => {
    let block = { sum: value, count: 1, last }
    for (let lastBlock = blocks.at(-1); lastBlock !== undefined; lastBlock = blocks.at(-1)) {
      if (lastBlock.sum * block.count < block.sum * lastBlock.count) break
      blocks.pop()
      block = { sum: lastBlock.sum + block.sum, count: lastBlock.count + block.count, last }
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
