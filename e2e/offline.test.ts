import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { startSession } from './session.ts'
import { useProduct } from './use-product.ts'

test.use({ serviceWorkers: 'allow' })

const product = useProduct()

const offlineNotice = /^As of .*, offline$/
/** Pages that need a session: the text of their link, and the text that they show offline. */
const signedInPages: [link: string, words: RegExp][] = [
  ['Notifications', offlineNotice],
  ['History', /^Your activity and payments are on the server/],
  ['Verification', /^Checking a proof reads the anchor from a node/],
  ['Settings', /can only be changed online\.$/],
  ['Dashboard', offlineNotice],
]
/** All other pages, and their headings when they are opened offline. */
const publicPages: [path: string, heading: string | RegExp][] = [
  ['/', /Market alarms/],
  ['/documentation', 'From sign-up to a verified alert'],
  ['/api-reference', /Every call of this server/],
  ['/privacy-policy', 'Privacy Policy'],
  ['/terms-of-service', 'Terms of Service'],
  ['/security', 'Security Overview'],
  ['/auth', 'Log in'],
  ['/auth/', 'Log in'],
  ['/verify-email?token=x', 'Verify email'],
  ['/reset-password?token=x', 'Reset password'],
  ['/cancel-factor-reset?token=x', 'Keep your second factors'],
  ['/unsubscribe?token=x', 'Unsubscribe'],
  ['/admin-auth', 'Admin sign-in'],
  ['/admin', 'Admin'],
  ['/dev/outbox', 'Outbox'],
  ['/contact-support', 'Contact Support'],
  ['/transparency', 'Transparency'],
  ['/track-record', 'Track record'],
  ['/a/1', 'Alert'],
  ['/assets/BTC-USDT', 'Asset'],
  ['/settings/channels', 'Channels'],
  ['/api/auth/google?returnTo=/dashboard', 'Log in'],
  ['/api/track-record', 'Offline'],
  ['/nowhere', 'Page Not Found'],
]
/** Links in the footer of public pages, and the headings of the pages that they open. */
const footerPages: [link: string, heading: string | RegExp][] = [
  ['Dashboard', 'Dashboard'],
  ['Track record', 'Track record'],
  ['Transparency', 'Transparency'],
  ['Admin', 'Admin'],
  ['Documentation', 'From sign-up to a verified alert'],
  ['API Reference', /Every call of this server/],
  ['Contact Support', 'Contact Support'],
  ['Privacy Policy', 'Privacy Policy'],
  ['Terms of Service', 'Terms of Service'],
  ['Security', 'Security Overview'],
]
/**
 * Entries of the command palette, and the headings of the pages that they open. Pages outside of
 * the signed-in layout have no palette.
 */
const palettePages: [entry: string, heading: string | RegExp, hasPalette: boolean][] = [
  ['Dashboard', 'Dashboard', true],
  ['Notifications', 'Notifications', true],
  ['History', 'History', true],
  ['Verification', 'Verification', true],
  ['Settings', 'Settings', true],
  ['Channels', 'Channels', true],
  ['Track record', 'Track record', false],
  ['Transparency log', 'Transparency', false],
  ['Documentation', 'From sign-up to a verified alert', false],
  ['API reference', /Every call of this server/, false],
  ['Contact support', 'Contact Support', false],
  ['Home', /Market alarms/, false],
]
const errorScreen =
  /This page stopped working|This page could not be loaded|Part of this page could not|Something went wrong/

async function expectPageHeading(page: Page, heading: string | RegExp): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: heading }).first()).toBeVisible()
  await expect(page.getByText(errorScreen).filter({ visible: true })).toHaveCount(0)
}

/** Returns everything that this browser stores for the site except scripts, as text. */
const readStorage = (page: Page) =>
  page.evaluate(async () => {
    const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie]
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) {
        const isScript = new URL(request.url).pathname.startsWith('/assets/')
        if (!isScript) texts.push(`${request.url} ${await (await cache.match(request))?.text()}`)
      }
    }
    const waitForRequest = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await waitForRequest(indexedDB.open(name))
      for (const store of database.objectStoreNames)
        texts.push(JSON.stringify(await waitForRequest(database.transaction(store).objectStore(store).getAll())))
    }
    return texts.join('\n')
  })

/**
 * Waits until the service worker controls this page, which it does when it has stored all files.
 */
async function waitForWorker(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready)
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
}

/**
 * Signs in and waits until the service worker controls the page and the alerts are stored. Returns
 * the summary of the newest alert.
 */
async function openDashboard(page: Page): Promise<string> {
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })).toBeVisible()
  await waitForWorker(page)
  // The page writes this entry last, so all others are stored when it exists.
  const areAlertsStored = () =>
    page.evaluate(async () => (await caches.match('/kept/as-of', { cacheName: 'private-alerts' })) !== undefined)
  await expect.poll(areAlertsStored).toBe(true)
  const { alerts } = await page.evaluate(async () => {
    const list = await (await caches.open('private-alerts')).match('/kept/alerts')
    return (await list?.json()) as { alerts: { alert: { summary: string; locked?: true } }[] }
  })
  expect(alerts.length).toBeGreaterThan(0)
  expect(alerts.length).toBeLessThanOrEqual(200)
  expect(alerts.filter(({ alert }) => alert.locked)).toEqual([])
  const alertSummary = alerts[0]?.alert.summary ?? ''
  expect(await readStorage(page)).toContain(alertSummary)
  return alertSummary
}

async function openOffline(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(product.url + path)
  return page
}

test('offline: a visitor opens every page by a link and by its URL, and sees no alerts', async ({ context }) => {
  const page = await context.newPage()
  const cspViolations: string[] = []
  context.on('console', (message) => {
    if (/Content Security Policy|TrustedScript/i.test(message.text())) cspViolations.push(message.text())
  })
  const manifest = await (await page.request.get(`${product.url}/site.webmanifest`)).json()
  for (const { src } of manifest.icons) expect((await page.request.get(product.url + src)).ok(), src).toBe(true)
  expect((await page.request.get(`${product.url}/sw.js`)).headers()['cache-control']).toBe('no-cache')
  await page.goto(product.url)
  // Wait until the service worker controls this page, because its links load documents instead of
  // using the router.
  await waitForWorker(page)

  await context.setOffline(true)
  await page.getByRole('link', { name: 'Log in' }).first().click()
  await expectPageHeading(page, 'Log in')
  // Accept both texts: some versions of Chromium tell a new page that it is online although they
  // simulate a missing network.
  await expect(page.getByText(/^(You are offline|Tocsin is not responding)\./)).toBeVisible()
  for (const [path, heading] of publicPages) {
    await test.step(path, async () => {
      await page.goto(product.url + path)
      await expectPageHeading(page, heading)
    })
  }
  await page.goto(`${product.url}/dashboard`)
  await expectPageHeading(page, 'Dashboard')
  await expect(page.getByText('No alerts are stored in this browser')).toBeVisible()

  await context.setOffline(false)
  await expect(page).toHaveURL(/\/auth\?next=/)
  expect(cspViolations).toEqual([])
})

test('offline: every signed-in page opens by a click, and the stored alerts are marked with their age', async ({
  page,
  context,
}) => {
  const alertSummary = await openDashboard(page)
  await context.setOffline(true)
  await expect(page.getByText(/^You are offline\./)).toBeVisible()
  for (const [link, words] of signedInPages) {
    await test.step(`a click on ${link} opens its page`, async () => {
      await page
        .getByRole('link', { name: new RegExp(`^${link}`) })
        .first()
        .click()
      await expectPageHeading(page, link)
      await expect(page.getByText(words)).toBeVisible()
    })
  }
  await page.reload()
  await expect(page.getByText(offlineNotice), 'after a reload').toBeVisible()
  await expect(page.getByText(alertSummary, { exact: true }).first()).toBeVisible()

  await context.setOffline(false)
  await expect(page.getByText(offlineNotice)).toHaveCount(0)
  await expect(page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })).toBeVisible()
})

test('offline: a trader opens every link, palette entry and stored alert by a click, without an error', async ({
  page,
  context,
}) => {
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    // Ignore network errors: the browser logs each request that fails without a network.
    if (message.type() === 'error' && !message.text().includes('net::ERR_')) problems.push(message.text())
  })
  await openDashboard(page)
  const openAlert = page.getByRole('button', { name: 'Copy alert JSON' })
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  const searchInPalette = async (text: string) => {
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill(text)
  }
  const findOptions = (group: string) => palette.getByRole('group', { name: group }).getByRole('option')
  await page.getByRole('button', { name: 'Search or jump to (Ctrl+K)' }).click()
  await expect(findOptions('Assets').first(), 'the names of the assets are read online').toBeVisible()
  await page.keyboard.press('Escape')
  await context.setOffline(true)
  await expect(page.getByText(/^You are offline\./)).toBeVisible()

  const id = await test.step('a stored alert opens by a click', async () => {
    const row = page.locator('[data-alert-row]').first()
    await page
      .getByRole('link', { name: /^Notifications/ })
      .first()
      .click()
    await expect(page.getByText(offlineNotice)).toBeVisible()
    await row.click()
    await expect(openAlert).toBeVisible()
    return row.getAttribute('data-alert-row')
  })
  await test.step('every page entry of the command palette opens its page', async () => {
    await searchInPalette('')
    await expect(findOptions('Pages')).toHaveCount(palettePages.length)
    await page.keyboard.press('Escape')
    for (const [entry, heading, hasPalette] of palettePages) {
      await searchInPalette(entry)
      await findOptions('Pages').filter({ hasText: entry }).first().click()
      await expectPageHeading(page, heading)
      if (hasPalette) continue
      await page.goBack()
      await expectPageHeading(page, 'Channels')
    }
  })
  await test.step('an asset entry of the command palette opens the page of the asset', async () => {
    await searchInPalette('')
    await findOptions('Assets').first().click()
    await expectPageHeading(page, 'Asset')
    await page.goBack()
    await expectPageHeading(page, 'Channels')
  })
  await test.step('every link in the footer of the home page opens its page', async () => {
    await page.getByRole('link', { name: 'Home' }).first().click()
    await expectPageHeading(page, /Market alarms/)
    const links = page.getByRole('navigation', { name: 'Footer' }).getByRole('link')
    await expect(links).toHaveText(footerPages.map(([link]) => link))
    for (const [link, heading] of footerPages) {
      await links.filter({ hasText: link }).click()
      await expectPageHeading(page, heading)
      await page.goto(product.url)
      await expectPageHeading(page, /Market alarms/)
    }
  })
  await test.step('the URLs in emails and messages open the page of an alert, and the alert in the notifications', async () => {
    await page.goto(`${product.url}/a/1`)
    await expectPageHeading(page, 'Alert')
    await page.goto(`${product.url}/notifications?alert=${id}`)
    await expectPageHeading(page, 'Notifications')
    await expect(openAlert, 'the linked alert is open').toBeVisible()
  })
  expect(problems).toEqual([])
})

test('offline: the stored alerts are shown until the server responds when only the server is unreachable', async ({
  page,
}) => {
  await openDashboard(page)
  await product.stop()
  await page.reload()
  await expect(page.getByText(/^Tocsin is not responding\./)).toBeVisible()
  await expect(page.getByText(offlineNotice)).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText(offlineNotice)).toBeVisible()
  await product.start()
  await expect(page.getByText(offlineNotice), 'the page asks again by itself').toHaveCount(0)
  await expect(page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })).toBeVisible()
})

test('stored alerts: are deleted in all tabs at logout, even offline', async ({ page, context }) => {
  const alertSummary = await openDashboard(page)
  const otherTab = await openOffline(context, '/notifications')
  await expectPageHeading(otherTab, 'Notifications')
  await page.getByRole('button', { name: 'Logout' }).first().click()
  await expect(otherTab).toHaveURL(/\/auth\?next=/)
  for (const tab of [page, otherTab]) {
    // Poll, because the logout does not wait for the deletion.
    await expect.poll(() => tab.evaluate(() => caches.has('private-alerts'))).toBe(false)
    const storedText = await readStorage(tab)
    expect(storedText).not.toContain(alertSummary)
    expect(await tab.evaluate(() => document.cookie)).not.toContain('kept-alerts')
  }

  await openDashboard(otherTab)
  await context.setOffline(true)
  await otherTab.getByRole('button', { name: 'Logout' }).first().click()
  await expect.poll(() => otherTab.evaluate(() => caches.has('private-alerts'))).toBe(false)
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('heading', { name: 'Your logout is not confirmed' })).toBeVisible()
  expect(await readStorage(page)).not.toContain(alertSummary)
})

test('stored alerts: are deleted and not shown when the browser was closed or the session has ended on the server', async ({
  page,
  context,
}) => {
  const alertSummary = await openDashboard(page)
  const areAlertsStored = () => page.evaluate(() => caches.has('private-alerts'))
  const session = (await context.cookies()).find(({ name }) => name === 'kept-alerts')
  expect(session?.expires, 'like the session').toBe(-1)
  // Simulate closing the browser, which deletes session cookies.
  await context.clearCookies()
  await context.setOffline(true)
  await page.reload()
  await expect(page.getByText('No alerts are stored in this browser')).toBeVisible()
  await expect.poll(areAlertsStored).toBe(false)
  expect(await readStorage(page)).not.toContain(alertSummary)

  await context.setOffline(false)
  await openDashboard(page)
  await context.clearCookies({ name: 'tocsin' })
  await page.goto(`${product.url}/settings`)
  await expect(page).toHaveURL(/\/auth\?next=/)
  await expect.poll(areAlertsStored).toBe(false)
})
