import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const wide = { theme: 'dark', width: 1440 }
const phone = { theme: 'light', width: 390 }
export const looks = { wide, phone }

/** What the page shows now has nothing that axe complains of and does not scroll sideways: dark and wide, light and on a phone. */
export async function expectAccessible(page: Page, state: string, inLooks = [wide, phone]): Promise<void> {
  for (const { theme, width } of inLooks) {
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(overflow, `${state} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
    await page.evaluate(settle)
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    expect(found, `${state}, ${theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** Runs in the page. Half-way between two themes no colour has its contrast; what is folded away never gets there, and nobody waits for it. */
export async function settle(): Promise<void> {
  const finite = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
  const longest = new Promise((resolve) => setTimeout(resolve, 500))
  await Promise.race([Promise.allSettled(finite.map(({ finished }) => finished)), longest])
}
