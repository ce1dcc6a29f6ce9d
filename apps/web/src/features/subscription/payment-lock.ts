const lockName = 'tocsin-payment'

/**
 * Runs the work while no other tab of this browser does the like. False, and nothing run, when one
 * does. Waiting ends with the signal.
 */
export async function withPaymentLock(signal: AbortSignal, run: () => Promise<void>): Promise<boolean> {
  // Only secure origins have locks.
  if (!('locks' in navigator)) {
    await run()
    return true
  }
  return navigator.locks.request(lockName, { ifAvailable: true }, async (lock) => {
    if (lock === null) return false
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    await Promise.race([run(), aborted])
    return true
  })
}
