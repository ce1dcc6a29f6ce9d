import { test as base } from '@playwright/test'

/**
 * Closes the browser contexts that a test opened when the test ends. Playwright closes only its own
 * `context` and keeps all others until the worker ends. Their pages would keep polling, rendering
 * and verifying each new alert. Contexts that `beforeAll` opens stay open.
 */
export const test = base.extend<{ closeContexts: undefined }>({
  closeContexts: [
    async ({ browser }, use) => {
      const opened = new Set(browser.contexts())
      await use(undefined)
      await Promise.all(browser.contexts().map((context) => (opened.has(context) ? null : context.close())))
    },
    { auto: true },
  ],
})
