// Runs before the first paint, so it is a plain file of its own: the content security policy allows no inline script.
;(() => {
  const UNSEEN_MS = 500
  const FEW = 8
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

  // The content security policy requires Trusted Types: scripts of this page come from the folder of built scripts alone.
  const policy = globalThis.trustedTypes?.createPolicy('tocsin-page', {
    createScriptURL(address) {
      const { origin, pathname } = new URL(address, location.origin)
      if (origin !== location.origin || !pathname.startsWith('/assets/'))
        throw new TypeError('Not a script of this site')
      return address
    },
  })

  const trusted = (address) => (policy ? policy.createScriptURL(address) : address)

  /** The scripts of a page that was drawn beforehand: nothing of its first paint waits for them. Each request takes its time: a few, then a turn. */
  function askForScripts() {
    const links = document.querySelectorAll('link[data-later]')
    for (const link of [...links].slice(0, FEW)) {
      const tag =
        link.dataset.later === 'script'
          ? Object.assign(document.createElement('script'), { type: 'module', src: trusted(link.href) })
          : Object.assign(document.createElement('link'), { rel: 'modulepreload', href: link.href })
      link.replaceWith(tag)
    }
    if (links.length > FEW) setTimeout(askForScripts)
  }

  /** A page in the background is not painted, and an old browser does not tell. */
  function askWhenSeen() {
    addEventListener('DOMContentLoaded', () => setTimeout(askForScripts, document.hidden ? 0 : UNSEEN_MS))
    if (!PerformanceObserver.supportedEntryTypes.includes('paint')) return
    new PerformanceObserver((_entries, observer) => {
      observer.disconnect()
      askForScripts()
    }).observe({ type: 'paint', buffered: true })
  }

  // Before any schema is made: otherwise zod tries whether it may compile them, which the policy forbids and the browser reports.
  globalThis.__zod_globalConfig = { jitless: true }

  apply()
  // Errors of elements do not bubble, so they are caught on their way down. Scripts that other scripts import end up in main.ts.
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLScriptElement) document.getElementById('start-failure')?.removeAttribute('hidden')
    },
    true,
  )
  // The server names browsers that have sent a session's cookie; whether it is still one shows later.
  const { dataset } = document.documentElement
  dataset.session = stored('userAuth') === 'true' || dataset.session === 'in' ? 'in' : 'out'
  // The same key as in pending-logout.ts: a logout that the server has not confirmed is repeated, on pages without the app too.
  if (stored('logoutPending') !== null) {
    dataset.session = 'out'
    dataset.leaving = ''
    const headers = { 'content-type': 'application/json' }
    fetch('/api/auth/logout', { method: 'POST', headers, body: '{}' }).then(
      ({ ok }) => ok && localStorage.removeItem('logoutPending'),
      () => {},
    )
  }
  // The same two keys as in wallet/wallet-store.ts: whether there is a wallet to restore.
  dataset.wallet =
    stored('wallet.recentConnectorId') !== null && stored('walletManuallyDisconnected') === null ? 'known' : 'none'
  light.addEventListener('change', apply)
  addEventListener('storage', apply)
  addEventListener('themechoice', apply)
  // Paper is white, and browsers leave the dark ground away.
  addEventListener('beforeprint', () => {
    dataset.theme = 'light'
  })
  addEventListener('afterprint', apply)
  askWhenSeen()
})()
