const lockName = 'tocsin.focus'

/**
 * Holds a lock while this tab has the focus, so that other tabs of the browser know that the site
 * is in use. Returns a function that ends this.
 */
export function holdFocusLock(): () => void {
  const controller = new AbortController()
  const { signal } = controller
  const waitForBlur = () =>
    new Promise<void>((resolve) => {
      if (signal.aborted || !document.hasFocus()) return resolve()
      const end = () => {
        removeEventListener('blur', end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      addEventListener('blur', end)
      signal.addEventListener('abort', end)
    })
  // The lock is shared, because the tab that loses the focus may release it late. Without locks,
  // each tab knows only its own focus: locks need a secure context, and browsers can block them.
  const hold = () => void navigator.locks?.request(lockName, { mode: 'shared' }, waitForBlur).catch(() => {})
  addEventListener('focus', hold, { signal })
  hold()
  return () => controller.abort()
}

/** Returns whether a signed-in page of this site has the focus, in any tab of the browser. */
export async function isSiteInUse(): Promise<boolean> {
  if (document.hasFocus()) return true
  const locks = await navigator.locks?.query().catch(() => null)
  return locks?.held?.some(({ name }) => name === lockName) ?? false
}
