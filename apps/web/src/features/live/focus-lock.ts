const lockName = 'tocsin.focus'

/**
 * Holds a lock while this tab has the focus, so that other tabs of the browser know that the site
 * is in use. Returns a function that ends this.
 */
export function holdFocusLock(): () => void {
  let isStopped = false
  let release = () => {}
  const waitForBlur = () =>
    new Promise<void>((resolve) => {
      release = resolve
      if (isStopped || !document.hasFocus()) resolve()
      else addEventListener('blur', () => resolve(), { once: true })
    })
  // The lock is shared, because the tab that loses the focus may release it late. Without locks,
  // each tab knows only its own focus: locks need a secure context, and browsers can block them.
  const hold = () => void navigator.locks?.request(lockName, { mode: 'shared' }, waitForBlur).catch(() => {})
  addEventListener('focus', hold)
  hold()
  return () => {
    isStopped = true
    removeEventListener('focus', hold)
    release()
  }
}

/** Returns whether a signed-in page of this site has the focus, in any tab of the browser. */
export async function isSiteInUse(): Promise<boolean> {
  if (document.hasFocus()) return true
  const locks = await navigator.locks?.query().catch(() => null)
  return locks?.held?.some(({ name }) => name === lockName) ?? false
}
