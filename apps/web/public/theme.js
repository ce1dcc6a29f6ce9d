// Runs before the first paint, so it is a plain file of its own: the content security policy allows no inline script.
;(() => {
  const light = matchMedia('(prefers-color-scheme: light)')

  function stored(key) {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }

  function apply() {
    const choice = stored('theme')
    const system = light.matches ? 'light' : 'dark'
    const theme = choice === 'light' || choice === 'dark' ? choice : system
    document.documentElement.dataset.theme = theme
    document
      .querySelector('meta[name="theme-color"]')
      ?.setAttribute('content', theme === 'light' ? '#eef3f5' : '#070d11')
  }

  // Before any schema is made: otherwise zod tries whether it may compile them, which the policy forbids and the browser reports.
  globalThis.__zod_globalConfig = { jitless: true }

  apply()
  // The server names browsers that have sent a session's cookie; whether it is still one shows later.
  const { dataset } = document.documentElement
  dataset.session = stored('userAuth') === 'true' || dataset.session === 'in' ? 'in' : 'out'
  // The same two keys as in wallet/wallet-store.ts: whether there is a wallet to restore.
  dataset.wallet =
    stored('wallet.recentConnectorId') !== null && stored('walletManuallyDisconnected') === null ? 'known' : 'none'
  // What takes the drawn front page over comes when the page has been seen.
  addEventListener('load', () => {
    for (const { href } of document.querySelectorAll('link[data-later]')) {
      document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: href }))
    }
  })
  light.addEventListener('change', apply)
  addEventListener('storage', apply)
  addEventListener('themechoice', apply)
})()
