import { type BrowserContext, expect, type Page } from '@playwright/test'

declare global {
  interface Window {
    /**
     * Texts of the toasts shown since the page was loaded, or since the last toast that a test
     * expected.
     */
    newToasts: string[]
  }
}

/**
 * Records the toasts of the pages that the context opens. Call before the first navigation. A toast
 * disappears after five seconds and is replaced by the next one, so a test can miss it in the page.
 */
export async function recordToasts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    window.newToasts = []
    new MutationObserver((records) => {
      const addedElements = records
        .flatMap(({ addedNodes }) => [...addedNodes])
        .filter((node) => node instanceof Element)
      // The first alert toast is added to the document together with the list that contains it.
      for (const toast of addedElements.flatMap((node) => [node, ...node.querySelectorAll('li.toast')])) {
        if (toast.matches('li.toast') && toast.checkVisibility()) window.newToasts.push(toast.textContent ?? '')
      }
    }).observe(document, { childList: true, subtree: true })
  })
}

/** Expects a recorded toast. Later calls ignore it and all earlier ones. */
export async function expectToastIn(page: Page, title: string, description: string | RegExp): Promise<void> {
  const { source, flags } = typeof description === 'string' ? new RegExp(escapeRegExp(description)) : description
  const pattern = new RegExp(`^${escapeRegExp(title)}.*(?:${source})`, `s${flags}`)
  const readToasts = () => page.evaluate(() => window.newToasts)
  await expect.poll(readToasts, title).toContainEqual(expect.stringMatching(pattern))
  const count = (await readToasts()).findIndex((text) => pattern.test(text)) + 1
  await page.evaluate((expected) => window.newToasts.splice(0, expected), count)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
