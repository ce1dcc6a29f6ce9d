import { expect, type Page } from '@playwright/test'

/**
 * Opens a page of the app. Only the first call loads the page. Later calls use the router, as a
 * click on a link does, which takes a quarter of the CPU time. Use `page.goto` to test the loading
 * of a page, or if a page must not have cached data of earlier pages.
 */
export async function visit(page: Page, url: string, path: string): Promise<void> {
  if (!page.url().startsWith(url)) {
    await page.goto(url + path)
    return
  }
  await page.evaluate((target) => history.pushState(null, '', target), path)
  await expect(page).toHaveURL(url + path)
}

/** Waits until the page shows data instead of placeholders. */
export async function waitForData(page: Page): Promise<void> {
  await expect(page.getByRole('main').locator('.animate-late')).toHaveCount(0)
}
