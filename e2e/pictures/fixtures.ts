import type { Page } from '@playwright/test'

/** A state of a page, reached by an action or a query. */
export interface PageState {
  name: string
  /** The path to open first. */
  route: string
  /** Whether to capture the full page instead of the viewport. */
  isFullPage?: boolean
  /** The greatest width in px at which the state exists. */
  maxWidth?: number
  reachState?: (page: Page) => Promise<unknown>
}

export function listFixtures() {
  const pressButtons = async (page: Page, ...names: string[]) => {
    for (const name of names) await page.getByRole('button', { name, exact: true }).first().click()
  }
  const createDialogFixture = (name: string, route: string, ...names: string[]): PageState => ({
    name,
    route,
    reachState: async (page) => {
      await pressButtons(page, ...names)
      await page.getByRole('dialog').waitFor()
    },
  })
  const verifyOnPage = async (page: Page, name: string, verdict: string) => {
    await pressButtons(page, name)
    await page.getByText(verdict, { exact: true }).waitFor()
  }
  const failRequests = (page: Page, path: string) =>
    page.route(path, (route) => route.fulfill({ status: 503, json: { success: false, message: 'Not now.' } }))

  const waitUntilVerified = (page: Page) => page.getByText('Verified', { exact: true }).first().waitFor()
  /** Loads the page again without a network. The service worker must have stored all files. */
  const openOffline = async (page: Page, words: RegExp) => {
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null, null, { timeout: 120_000 })
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText(words).first().waitFor()
  }

  const visitor = (publicIndex: number): PageState[] => [
    {
      name: 'home verified',
      route: '/',
      isFullPage: true,
      reachState: (page) => verifyOnPage(page, 'Verify', 'Verified'),
    },
    {
      name: 'home check failed',
      route: '/',
      isFullPage: true,
      reachState: (page) => verifyOnPage(page, 'Change one character', 'Failed at step 1'),
    },
    { name: 'sign-up invalid', route: '/auth?tab=sign-up', reachState: (page) => pressButtons(page, 'Create account') },
    { name: 'wallet list', route: '/auth', reachState: (page) => pressButtons(page, 'Sign in with a wallet') },
    {
      name: 'call opened',
      route: '/api-reference',
      isFullPage: true,
      reachState: (page) => page.getByRole('button', { name: '/api/auth/register' }).click(),
    },
    {
      name: 'log checked',
      route: '/transparency',
      isFullPage: true,
      reachState: async (page) => {
        await pressButtons(page, 'Check in this browser')
        await page.getByText('Since your last visit').waitFor()
        await page.waitForLoadState('networkidle')
      },
    },
    {
      name: 'support form invalid',
      route: '/contact-support',
      reachState: (page) => pressButtons(page, 'Send message'),
    },
    { name: 'public alert', route: `/a/${publicIndex}`, isFullPage: true, reachState: waitUntilVerified },
    { name: 'embed', route: `/embed/${publicIndex}`, reachState: waitUntilVerified },
    {
      name: 'offline page',
      route: '/track-record',
      reachState: (page) => openOffline(page, /^This page opens by itself/),
    },
  ]

  /** Pictures of an account that is signed in with a wallet and has no plan. */
  const buyer: PageState[] = [
    { name: 'dashboard without a plan', route: '/dashboard', isFullPage: true },
    { name: 'notifications without a plan', route: '/notifications' },
    { name: 'no payments', route: '/history?tab=payments' },
    createDialogFixture('plans', '/notifications', 'Subscribe'),
    createDialogFixture('purchase', '/dashboard', 'Select Plan: 24 hours, 30 ITO'),
    {
      name: 'purchase active',
      route: '/dashboard',
      reachState: async (page) => {
        await pressButtons(page, 'Select Plan: 24 hours, 30 ITO', 'Pay 30 ITO')
        await page.getByRole('heading', { name: 'Subscription active' }).waitFor()
      },
    },
  ]

  const trader = (alertId: string): PageState[] => [
    // This picture must come before the one with compact rows: compact rows show no prices, and the
    // choice of rows is stored.
    {
      name: 'alert with prices',
      route: '/dashboard',
      isFullPage: true,
      reachState: async (page) => {
        const rows = page.locator('[data-alert-row]').filter({ hasText: 'since then' })
        await rows.first().click()
        await page.getByText('Since issue').waitFor()
      },
    },
    {
      name: 'asset page',
      route: '/assets/BTC-USDT',
      isFullPage: true,
      reachState: (page) => page.getByRole('region', { name: 'Market', exact: true }).waitFor(),
    },
    { name: 'desk', route: '/dashboard' },
    { name: 'desk open', route: `/dashboard?alert=${alertId}` },
    {
      name: 'alert sheet',
      route: `/dashboard?alert=${alertId}`,
      maxWidth: 1023,
      reachState: (page) => page.getByRole('dialog').waitFor(),
    },
    { name: 'desk details', route: '/dashboard', reachState: (page) => pressButtons(page, 'Details') },
    {
      name: 'desk compact',
      route: '/dashboard',
      reachState: async (page) => {
        await pressButtons(page, 'Details')
        await page.getByRole('radio', { name: 'Compact' }).click()
      },
    },
    { name: 'payments', route: '/history?tab=payments' },
    { name: 'no alerts found', route: '/notifications?q=nothing-like-it&priority=low&read=unread' },
    { name: 'filters', route: '/notifications', reachState: (page) => pressButtons(page, 'More filters') },
    {
      name: 'export',
      route: '/notifications',
      reachState: (page) => page.getByRole('button', { name: 'Export' }).click(),
    },
    {
      name: 'alerts unavailable',
      route: '/history',
      reachState: async (page) => {
        await failRequests(page, '**/api/alerts/search*')
        await page.getByRole('link', { name: 'Notifications' }).click()
        await page.getByRole('alert').first().waitFor()
      },
    },
    {
      name: 'verified',
      route: `/verification?alert=${alertId}`,
      isFullPage: true,
      reachState: async (page) => {
        await pressButtons(page, 'Recompute in this browser')
        await page.getByRole('heading', { name: 'Verified' }).waitFor()
      },
    },
    {
      name: 'failed',
      route: `/verification?alert=${alertId}`,
      isFullPage: true,
      reachState: async (page) => {
        const json = page.getByRole('textbox').first()
        await json.fill((await json.inputValue()).replace('99.9', '99.8'))
        await pressButtons(page, 'Verify alert')
        await page.getByRole('heading', { level: 2, name: /./ }).first().waitFor()
        await page.waitForLoadState('networkidle')
      },
    },
    createDialogFixture('command palette', '/notifications', 'Search or jump to (Ctrl+K)'),
    createDialogFixture('share', `/notifications?alert=${alertId}`, 'Share'),
    {
      name: 'private link',
      route: `/notifications?alert=${alertId}`,
      reachState: async (page) => {
        await pressButtons(page, 'Share', 'Create link')
        await page.getByRole('textbox', { name: 'Private link' }).waitFor()
      },
    },
    createDialogFixture('choose an alert', '/verification', 'Choose from my alerts'),
    createDialogFixture('name', '/settings', 'Change name'),
    createDialogFixture('link a wallet', '/settings', 'Link a wallet'),
    createDialogFixture('delete account', '/settings', 'Delete my account'),
    {
      name: 'shortcuts',
      route: '/settings',
      reachState: async (page) => {
        await page.keyboard.press('?')
        await page.getByRole('dialog').waitFor()
      },
    },
    {
      name: 'offline alerts',
      route: '/notifications',
      reachState: async (page) => {
        // The page writes this entry when it has stored the alerts.
        const cache = { cacheName: 'private-alerts' }
        await page.waitForFunction(async (options) => (await caches.match('/kept/as-of', options)) !== undefined, cache)
        await openOffline(page, /^As of .*, offline$/)
      },
    },
    {
      name: 'offline settings',
      route: '/settings',
      reachState: (page) => openOffline(page, /can only be changed online\.$/),
    },
    {
      name: 'reconnecting',
      route: '/history',
      reachState: async (page) => {
        await page.routeWebSocket(/\/ws$/, (socket) => socket.close())
        await page.goto('about:blank')
        await page.goBack({ waitUntil: 'networkidle' })
        await page.getByText('Reconnecting').waitFor()
      },
    },
  ]

  const admin = (userId: string): PageState[] => [
    { name: 'audit log', route: '/admin?view=audit', isFullPage: true },
    { name: 'admin payments', route: '/admin?tab=users&view=payments', isFullPage: true },
    { name: 'no user found', route: '/admin?tab=users&search=no-such-user' },
    { name: 'user', route: `/admin?tab=users&user=${userId}` },
    {
      name: 'extend',
      route: '/admin?tab=users',
      reachState: (page) => page.locator('td:last-child button').first().click(),
    },
    {
      name: 'cancel',
      route: '/admin?tab=users',
      reachState: (page) => page.locator('td:last-child button').nth(1).click(),
    },
    { name: 'alert invalid', route: '/admin?tab=alerts', reachState: (page) => pressButtons(page, 'Create Alert') },
    {
      name: 'correct',
      route: '/admin?tab=alerts',
      reachState: (page) => page.getByRole('listitem').getByRole('button').first().click(),
    },
    {
      name: 'retract',
      route: '/admin?tab=alerts',
      reachState: (page) => page.getByRole('listitem').getByRole('button').nth(1).click(),
    },
    {
      name: 'change chain',
      route: '/admin',
      reachState: async (page) => {
        await page.getByRole('combobox').first().selectOption({ index: 0 })
        await pressButtons(page, 'Update chain')
      },
    },
    {
      name: 'resolve payment',
      route: '/admin?tab=users&view=payments',
      reachState: (page) => page.getByRole('button', { name: 'Resolve the payment of 28 ITO manually' }).click(),
    },
    {
      name: 'users unavailable',
      route: '/admin',
      reachState: async (page) => {
        await failRequests(page, '**/api/admin/users*')
        await page.getByRole('tab', { name: 'User Management' }).click()
        await page.getByRole('alert').first().waitFor()
      },
    },
  ]
  return { visitor, buyer, trader, admin }
}
