import { type Browser, test as base } from '@playwright/test'

/**
 * When a test ends, closes the browser contexts that it opened. Playwright closes only its own
 * `context` and keeps all others open until the worker ends. Their pages would keep polling,
 * rendering and verifying each new alert. Contexts that `beforeAll` opens stay open.
 */
export const test = base.extend<{ closeContexts: undefined }>({
  closeContexts: [
    async ({ browser }, use, info) => {
      const openedBefore = new Set(browser.contexts())
      await use(undefined)
      if (info.status !== info.expectedStatus) await printPages(browser)
      await Promise.all(browser.contexts().map((context) => (openedBefore.has(context) ? null : context.close())))
    },
    { auto: true },
  ],
})

/**
 * Prints the content of each page after a failed test. The output is not written to files, because
 * rare failures often happen on machines whose files are deleted before anyone reads them.
 */
async function printPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const pageSnapshot = await page.locator('body').ariaSnapshot({ timeout: 10_000 }).catch(String)
    process.stdout.write(`Page when the test failed: ${page.url()}\n${pageSnapshot}\n`)
  }
}
