/** Ids of the elements of the embed that its script (entry/embed.ts) changes. */
export const embedIds = {
  word: 'proof-word',
  checked: 'proof-checked',
  where: 'proof-where',
  seals: 'proof-seals',
  retry: 'proof-retry',
  countdown: 'countdown',
}
