const connectedHash = '#wallet-connected'
const shownMs = 1500

/**
 * Names the new connection in the page's address for a moment, for whatever watches it, then puts
 * the address back.
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
