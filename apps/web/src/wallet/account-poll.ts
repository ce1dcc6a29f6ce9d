const pollMs = 3000

/**
 * Checks the wallet every 3 seconds, as long as the page lives. A check that has not ended yet
 * takes the place of the next one.
 */
export function pollAccount(check: () => Promise<void>): void {
  let isChecking = false
  setInterval(async () => {
    if (isChecking) return
    isChecking = true
    await check().finally(() => {
      isChecking = false
    })
  }, pollMs)
}
