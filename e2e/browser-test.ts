import { test as base } from '@playwright/test'

/**
 * Closes the browser contexts that a test has opened, when the test ends. Playwright closes only
 * its own `context` and keeps all others until the worker ends. Their pages would go on polling,
 * drawing and verifying each new alert. Contexts that `beforeAll` opens stay open.
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
