import { request } from 'node:http'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { userCursor } from '@tocsin/protocol'
import { hostileTexts, joinTexts } from './hostile-text.ts'
import { findLink, waitForMail } from './outbox.ts'
import { startProduct } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'
import { startSignalFeed } from './signal-feed.ts'
import { useProduct } from './use-product.ts'
import { visit } from './visit.ts'

/**
 * Names of the test's accounts. They are a quarter of the texts, because each account takes a
 * sign-up and an email. All texts are also stored as reasons and in alerts.
 */
const names = joinTexts(100).filter((_, index) => index % 4 === 0)
const reasons = joinTexts(500)
const summaries = joinTexts(200)

const product = useProduct(() => startProduct({ PUBLIC_DELAY_HOURS: '0', SUPPORT_EMAIL: 'support@northquay.example' }))
let cookie = ''

test.beforeAll(async () => {
  const { cookies } = await callApi('POST', '/api/auth/login', product.admin)
  cookie = cookies
})

test('stored text: is shown as text, not as markup, on every page when users, feeds or admins enter XSS payloads', async ({
  page,
}) => {
  expect(new Set(hostileTexts).size).toBeGreaterThanOrEqual(110)
  const newestSummary = `${feedText} of a model`
  const ids = await storeTextsEverywhere()

  const problems = await collectProblems(page)
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  const openPage = async (path: string, landmark: string) => {
    await visit(page, product.url, path)
    await expect(page.getByText(landmark).first(), path).toBeVisible()
  }
  const expectNoInjection = async (place: string) => {
    expect(await page.evaluate(findForeignMarkup), place).toEqual([])
    expect(problems, place).toEqual([])
  }
  const loadAllRows = async (rows: Locator, count: number) => {
    await expect(rows.first()).toBeVisible()
    for (let rowCount = await rows.count(); rowCount < count; rowCount = await rows.count()) {
      // Use the keyboard: rows get their height when they become visible, which moves the button
      // away from the pointer.
      await page.getByRole('button', { name: 'Load more' }).press('Enter')
      await expect(rows.nth(rowCount)).toBeAttached()
    }
  }

  await startSession(page.context(), product.url, product.admin)

  await test.step('user names are shown as text in the admin area', async () => {
    await openPage('/admin?tab=users', 'Total users')
    await loadAllRows(page.locator('tbody tr'), names.length)
    await expectTexts(page, 'main', names)
    await expectNoInjection('the users')
    for (const name of [names[0], names[5], names.at(-1)]) {
      await openPage(`/admin?tab=users&user=${ids.get(name ?? '')}`, 'Account type')
      await expect(page.getByRole('dialog')).toContainText(name ?? '')
      await expectNoInjection('a user')
    }
  })

  await test.step('reasons are shown as text in the audit log', async () => {
    await openPage('/admin?view=audit&action=user_suspended', `“${reasons.at(-1)}”`)
    await expectTexts(page, 'main', hostileTexts)
    await expectNoInjection('the audit log')
  })

  await test.step('alerts and rejected signals are shown as text in the admin area', async () => {
    await openPage('/admin?tab=alerts', 'Alert History')
    await loadAllRows(
      page.getByRole('region', { name: 'Alerts, newest first' }).getByRole('listitem'),
      summaries.length,
    )
    await expectTexts(page, 'main', hostileTexts)
    await expectNoInjection('the history of alerts')
    await openPage('/admin?tab=dashboard', 'Rejected signals')
    // The message can be listed several times, because the feed sends it again on each connection.
    await expect(page.getByText(`${feedText} refused`).first(), 'the refused message of the feed').toBeAttached()
    await expectNoInjection('the admin’s dashboard')
  })

  await test.step('trader pages and public pages contain no injected markup', async () => {
    for (const [path, title, landmark] of [
      ['/dashboard', 'Dashboard', 'Market Insights Dashboard'],
      ['/notifications', 'Notifications', newestSummary],
      ['/verification', 'Verification', 'Six checks'],
      ['/settings', 'Settings', `Welcome, ${feedText}`],
      ['/history', 'History', 'Signed in'],
      ['/', 'Market Intelligence', newestSummary],
      ['/transparency', 'Transparency', 'Three ways to check'],
      ['/dev/outbox', 'Outbox', feedText],
    ] as const) {
      await visit(page, product.url, path)
      // Wait for the title: the URL changes before the page does, and the previous page can contain
      // the landmark too.
      await expect(page).toHaveTitle(new RegExp(`(^|\\) )${title} · Tocsin$`))
      await expect(page.getByText(landmark).first(), path).toBeVisible()
      await expectNoInjection(path)
    }
  })
})

/**
 * Stores the names, and each text as the reason of a suspension and in alert fields with sufficient
 * maximum length.
 * @returns the id of each account by its name
 */
async function storeTextsEverywhere(): Promise<Map<string, string>> {
  const createEmail = (index: number) => `writer${index}@northquay.example`
  await runInBatches(names, async (name, index) => {
    const account = { name, email: createEmail(index), password: 'a bell at the harbour' }
    const { status, text } = await callApi(
      'POST',
      '/api/auth/register',
      account,
      `127.0.1.${1 + Math.floor(index / 15)}`,
    )
    expect(status, `${name}: ${text}`).toBe(200)
  })
  // Verify the accounts one after the other: on a busy machine, ten concurrent waits for emails
  // would reach the server's limit of requests per minute.
  for (const [index, name] of names.entries()) {
    const link = new URL(findLink('/verify-email', await waitForMail(product, createEmail(index), /./)))
    const localAddress = `127.0.2.${1 + Math.floor(index / 15)}`
    const confirmResponse = await callApi('GET', `/api/auth/verify-email${link.search}`, undefined, localAddress)
    expect(confirmResponse.text, name).toContain('"success":true')
  }
  const ids = new Map<string, string>()
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { text } = await callApi('GET', `/api/admin/users?limit=50${cursor && `&cursor=${cursor}`}`)
    const users: { id: string; name: string; createdAt: string }[] = JSON.parse(text)
    for (const { id, name } of users) ids.set(name, id)
    const last = users.at(-1)
    cursor = last && userCursor(last)
  }
  // Suspend the accounts one after the other: suspensions wait for one lock, and on a busy machine
  // ten concurrent ones would reach its timeout.
  for (const [index, reason] of reasons.entries()) {
    const suspendResponse = await callApi('POST', `/api/admin/users/${ids.get(names[index] ?? '')}/suspend`, { reason })
    expect(suspendResponse.status, reason + suspendResponse.text).toBe(200)
  }
  const [assets, types] = [joinTexts(40), joinTexts(80)]
  for (const [index, summary] of summaries.entries()) {
    const texts = { summary, asset: assets[index], anomalyType: types[index], regime: types.at(-1 - index) }
    const createResponse = await callApi('POST', '/api/alerts', { ...texts, confidence: 50, priority: 'high' })
    expect(createResponse.status, summary + createResponse.text).toBe(201)
  }
  await sendByFeed()
  const renameResponse = await callApi('PUT', '/api/account/name', { name: feedText })
  expect(renameResponse.status, renameResponse.text).toBe(200)
  const message = { name: feedText, email: 'writer@northquay.example', subject: feedText, message: feedText }
  const contactResponse = await callApi('POST', '/api/support', message)
  expect(contactResponse.status, contactResponse.text).toBe(200)
  return ids
}

const feedText = '<img src=x onerror=alert("feed")>'

/** Sends a valid signal with markup in every text field, and a message that is not JSON. */
async function sendByFeed(): Promise<void> {
  const texts = { asset: feedText, anomalyType: feedText, regime: feedText, summary: `${feedText} of a model` }
  const signal = { id: feedText, ...texts, confidence: 88, priority: 'high', observedAt: new Date().toISOString() }
  const feed = await startSignalFeed(`${feedText} refused`, JSON.stringify(signal))
  const settings = { externalEndpoint: feed.endpoint, reconnectInterval: 30, maxRetries: 5, isEnabled: true }
  const saveResponse = await callApi('PUT', '/api/admin/websocket/config', settings)
  expect(saveResponse.status, saveResponse.text).toBe(200)
  await expect.poll(async () => (await callApi('GET', '/api/alerts/recent')).text).toContain('of a model')
  feed.close()
}

async function runInBatches<Item>(items: readonly Item[], runItem: (item: Item, index: number) => Promise<void>) {
  for (let from = 0; from < items.length; from += 10) {
    await Promise.all(items.slice(from, from + 10).map((item, offset) => runItem(item, from + offset)))
  }
}

/**
 * Sends an API request as the admin. The local address varies, because sign-ups are rate limited
 * per address.
 */
function callApi(method: string, path: string, body?: object, localAddress = '127.0.0.1') {
  return new Promise<{ status: number; text: string; cookies: string }>((resolve, reject) => {
    const { port } = new URL(product.url)
    const headers = { 'content-type': 'application/json', origin: product.url, host: `localhost:${port}`, cookie }
    const outgoingRequest = request({ host: '127.0.0.1', port, path, method, headers, localAddress }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        const cookies = (response.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
        resolve({ status: response.statusCode ?? 0, text, cookies })
      })
    })
    outgoingRequest.on('error', reject)
    outgoingRequest.end(body && JSON.stringify(body))
  })
}

async function collectProblems(page: Page): Promise<string[]> {
  const problems: string[] = []
  await page.exposeFunction('reportViolation', (violation: string) => problems.push(violation))
  const violationListenerScript = `document.addEventListener('securitypolicyviolation', (event) =>
    reportViolation('Content Security Policy: ' + event.violatedDirective + ' ' + event.blockedURI))`
  await page.addInitScript({ content: violationListenerScript })
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => problems.push(`A dialog: ${dialog.message()}`)))
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (/content security policy|refused to/i.test(message.text())) problems.push(message.text())
  })
  return problems
}

/** Expects every text to be shown unchanged. */
async function expectTexts(page: Page, locator: string, texts: readonly string[]): Promise<void> {
  const shownText = (await page.locator(locator).textContent()) ?? ''
  expect(texts.filter((text) => !shownText.includes(text))).toEqual([])
}

/** Runs in the page. Finds elements and attributes that the product never renders itself. */
function findForeignMarkup(): string[] {
  const foreignSelector =
    'iframe, object, embed, base, style, marquee, math, template, noscript img, foreignObject, animate, set, video, audio, plaintext, xmp, script:not([src]):not([type="application/json"]):not([type="application/ld+json"])'
  const foundMarkup = [...document.querySelectorAll(foreignSelector)].map((element) => element.outerHTML.slice(0, 200))
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      const isUrlAttribute = /^(href|src|action|formaction|data|srcdoc|xlink:href)$/.test(name)
      const isScript = isUrlAttribute && /^\s*(javascript|vbscript|data:text)/i.test(value)
      if (name.startsWith('on') || isScript) foundMarkup.push(`${element.tagName} ${name}=${value}`)
    }
  }
  return foundMarkup
}
