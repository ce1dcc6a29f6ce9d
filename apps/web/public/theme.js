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
  document.documentElement.dataset.session = stored('userAuth') === 'true' ? 'in' : 'out'
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
