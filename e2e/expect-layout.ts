import { expect, type Page } from '@playwright/test'
import { expectNoOverflow } from './accessible.ts'
import { findClippedTexts } from './find-clipped-texts.ts'

/** Widths of common laptop windows in px. Tests use windows of 1440 px by default. */
const laptopWidths = [1536, 1366, 1280]

/**
 * Expects no horizontal overflow, and no clipped, overlapping or broken texts, at the widths of
 * laptops. Resizes the open page, because loading it again would take more time.
 */
export async function expectLayout(page: Page, state: string): Promise<void> {
  for (const width of laptopWidths) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoOverflow(page, state, { width })
    const listClippedTexts = async () => {
      const texts = await page.evaluate(findClippedTexts, false)
      return texts.filter((text) => !text.startsWith('shortened'))
    }
    await expect.poll(listClippedTexts, `${state} at ${width} px`).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}
