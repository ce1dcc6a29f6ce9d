const pollMs = 3000

/** Runs `check` every 3 seconds for the lifetime of the page. Skips a run while one is pending. */
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
