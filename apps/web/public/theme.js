// Runs before the first paint. A separate file, because the content security policy blocks inline
// scripts.
;(() => {
  const PAINT_TIMEOUT_MS = 500
  const BATCH_SIZE = 8
  const WORKER_DELAY_MS = 2_000
  /** On slow networks the alerts of the page come first. */
  const SLOW_WORKER_DELAY_MS = 20_000
  const FIRST_ROWS = 10
  /**
   * Must match `useDashboardLayout` in features/alerts/dashboard-row.tsx, except for the compact
   * layout: the preferences are not known here.
   */
  const FIRST_ROW_LAYOUTS = [
    ['(width < 48rem)', 'phone'],
    ['(64rem <= width < 80rem)', 'narrow'],
    ['all', 'comfortable'],
  ]
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

  // The content security policy requires Trusted Types: only allow built scripts of this site.
  const policy = globalThis.trustedTypes?.createPolicy('tocsin-page', {
    createScriptURL(address) {
      const { origin, pathname } = new URL(address, location.origin)
      if (origin !== location.origin || !(pathname.startsWith('/assets/') || pathname === '/sw.js'))
        throw new TypeError('Not a script of this site')
      return address
    },
  })

  const trusted = (address) => (policy ? policy.createScriptURL(address) : address)

  /**
   * Loads the scripts of a prerendered page after its first paint. Creating requests takes time, so
   * it yields after each batch.
   */
  function loadScripts() {
    const links = document.querySelectorAll('link[data-later]')
    for (const link of [...links].slice(0, BATCH_SIZE)) {
      const tag =
        link.dataset.later === 'script'
          ? Object.assign(document.createElement('script'), { type: 'module', src: trusted(link.href) })
          : Object.assign(document.createElement('link'), { rel: 'modulepreload', href: link.href })
      link.replaceWith(tag)
    }
    if (links.length > BATCH_SIZE) setTimeout(loadScripts)
  }

  /**
   * Loads the scripts after the first paint. A timer loads them too, because background pages are
   * not painted and old browsers do not report the paint.
   */
  function loadScriptsAfterPaint() {
    addEventListener('DOMContentLoaded', () => setTimeout(loadScripts, document.hidden ? 0 : PAINT_TIMEOUT_MS))
    if (!PerformanceObserver.supportedEntryTypes.includes('paint')) return
    new PerformanceObserver((_entries, observer) => {
      observer.disconnect()
      loadScripts()
    }).observe({ type: 'paint', buffered: true })
  }

  /**
   * Registers the service worker, with which pages open offline. It loads the whole app in the
   * background, so it is registered after this page has loaded, and on slow networks only for
   * signed-in users.
   */
  function registerServiceWorker() {
    const isSlow = isSlowNetwork()
    if (!('serviceWorker' in navigator) || (isSlow && dataset.session !== 'in')) return
    const register = () => navigator.serviceWorker.register(trusted('/sw.js')).catch(() => {})
    setTimeout(register, isSlow ? SLOW_WORKER_DELAY_MS : WORKER_DELAY_MS)
  }

  function isSlowNetwork() {
    const { saveData = false, effectiveType = '4g' } = navigator.connection ?? {}
    return saveData || effectiveType !== '4g'
  }

  /**
   * Requests the first alerts of the dashboard while its scripts load, which takes seconds on a
   * slow network, and shows them until the app replaces them. The request must equal the first one
   * of features/alert/alert-queries.ts, for which api/api.ts then uses this response.
   */
  function loadFirstAlerts() {
    const isUnfiltered = /^(?:\?alert=[^&]*)?$/.test(location.search)
    if (location.pathname !== '/dashboard' || !isUnfiltered) return
    if (dataset.session !== 'in' || dataset.wallet !== 'known') return
    const url = '/api/alerts/search?limit=100'
    const response = fetch(url, { credentials: 'include', headers: { 'content-type': 'application/json' } })
    globalThis.firstResponse = { url, response }
    response.then(async (answer) => answer.ok && showFirstAlerts(await answer.clone().json())).catch(() => {})
  }

  /** Rows are drawn only if all of them can be read, and none was corrected or retracted. */
  function showFirstAlerts({ items }) {
    const list = document.querySelector('[data-first-rows]')
    const layout = FIRST_ROW_LAYOUTS.find(([query]) => matchMedia(query).matches)[1]
    const template = document.querySelector(`[data-first-row="${layout}"]`)
    const headingTemplate = document.querySelector('[data-first-row="heading"]')
    const alerts = items.slice(0, FIRST_ROWS).map(({ alert }) => alert)
    if (!list || alerts.length === 0) return
    if (alerts.some(({ locked, supersededBy, kind }) => locked || supersededBy || kind !== 'alert')) return
    // The column of prices stays only if a row shows a price again (market/price-column.ts).
    if (stored('priced') !== null) {
      dataset.priced = ''
      localStorage.removeItem('priced')
    }
    const { timeZone = 'browser' } = JSON.parse(stored('userTimes')) ?? {}
    let earliestDay = Number.POSITIVE_INFINITY
    list.replaceChildren(
      ...alerts.flatMap(({ priority, asset, summary, createdAt }, index) => {
        const row = template.content.firstElementChild.cloneNode(true)
        for (const glyph of row.querySelectorAll('[data-priority]')) {
          if (glyph.dataset.priority === priority) row.classList.add(...glyph.dataset.rail.split(' '))
          else glyph.remove()
        }
        row.querySelector('[data-field="asset"]').textContent = asset
        const fits = [...row.querySelectorAll('[data-summary-limit]')]
        const fit = fits.find(({ dataset }) => summary.length <= Number(dataset.summaryLimit))
        for (const other of fits) if (other !== fit) other.remove()
        fit.querySelector('[data-field="summary"]').textContent = keepUnits(summary)
        // As in features/alerts/day-headings.ts. The heading of the first day is above the list.
        const day = getDay(createdAt, timeZone)
        if (day >= earliestDay) return [row]
        earliestDay = day
        return index === 0 ? [row] : [headingTemplate.content.firstElementChild.cloneNode(true), row]
      }),
    )
  }

  /**
   * Returns a number that identifies and orders the days of the zone. The zone of the device needs
   * no Intl, whose first use is slow.
   * @param timeZone as stored by session/signed-in-hint.ts
   */
  function getDay(createdAt, timeZone) {
    const at = new Date(createdAt)
    return timeZone === 'browser' ? at.setHours(0, 0, 0, 0) : Date.parse(at.toLocaleDateString('sv', { timeZone }))
  }

  /** Same as `addNoBreakSpaces` in ui/keep-units.ts. */
  function keepUnits(text) {
    return text.replace(/(\d) (?=%|(?:min|h|s|days?)\b)/g, '$1\u00a0')
  }

  async function deleteOfflineAlerts() {
    await globalThis.caches?.delete('private-alerts')
  }

  // Must be set before any schema is created: otherwise zod tries to compile code, and the browser
  // reports a violation of the content security policy.
  globalThis.__zod_globalConfig = { jitless: true }

  apply()
  // Load errors do not bubble, so listen in the capture phase. main.ts handles errors of imported
  // scripts.
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLScriptElement) document.getElementById('start-failure')?.removeAttribute('hidden')
    },
    true,
  )
  // The server sets data-session for browsers that sent a session cookie. The session may have
  // expired.
  const { dataset } = document.documentElement
  dataset.session = stored('userAuth') === 'true' || dataset.session === 'in' ? 'in' : 'out'
  // Same key as in pending-logout.ts. Retries an unconfirmed logout, even on pages without the app.
  const isLeaving = stored('logoutPending') !== null
  // Same names as in session/offline-alerts.ts. Without the cookie, the offline alerts belong to a
  // session that has ended.
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous
  if (isLeaving) document.cookie = 'kept-alerts=; path=/; max-age=0'
  if (!/(?:^|; )kept-alerts=/.test(document.cookie)) deleteOfflineAlerts().catch(() => {})
  if (isLeaving) {
    dataset.session = 'out'
    dataset.leaving = ''
    const headers = { 'content-type': 'application/json' }
    fetch('/api/auth/logout', { method: 'POST', headers, body: '{}' }).then(
      ({ ok }) => ok && localStorage.removeItem('logoutPending'),
      () => {},
    )
  }
  // Same keys as in wallet/wallet-store.ts: whether there is a wallet to restore.
  dataset.wallet =
    stored('wallet.recentConnectorId') !== null && stored('walletManuallyDisconnected') === null ? 'known' : 'none'
  loadFirstAlerts()
  light.addEventListener('change', apply)
  addEventListener('themechoice', apply)
  // Another tab has changed the choice.
  addEventListener('storage', () => dispatchEvent(new Event('themechoice')))
  // Print in the light theme: browsers omit the dark background.
  addEventListener('beforeprint', () => {
    dataset.theme = 'light'
  })
  addEventListener('afterprint', apply)
  loadScriptsAfterPaint()
  addEventListener('load', registerServiceWorker)
  // Registers the service worker after a sign-in, even on a slow network.
  new MutationObserver(registerServiceWorker).observe(document.documentElement, { attributeFilter: ['data-session'] })
})()
