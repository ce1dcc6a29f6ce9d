const connectedHash = '#wallet-connected'
const shownMs = 1500

/**
 * Sets the URL hash to #wallet-connected for a moment, then restores it. The specification asks for
 * it.
 */
export function flashConnectedHash(): void {
  const before = location.hash
  replaceHash(connectedHash)
  setTimeout(() => {
    if (location.hash === connectedHash) replaceHash(before)
  }, shownMs)
}

function replaceHash(hash: string): void {
  history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`)
}
