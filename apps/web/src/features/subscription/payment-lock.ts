const lockName = 'tocsin-payment'

/**
 * Runs `run` while holding a lock shared by all tabs of this browser. Returns false, without
 * running it, if another tab holds the lock. Aborting `signal` releases the lock early.
 */
export async function withPaymentLock(signal: AbortSignal, run: () => Promise<void>): Promise<boolean> {
  // The Web Locks API exists only in secure contexts.
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
