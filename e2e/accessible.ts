import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const wide = { theme: 'dark', width: 1440 }
const phone = { theme: 'light', width: 390 }
export const looks = { wide, phone }

const pictureFolder = process.env.PICTURE_FOLDER
let pictures = 0

/** Where PICTURE_FOLDER names a folder: what the page shows now, at three widths in both themes, for somebody to look at. */
export async function takePictures(page: Page, state: string): Promise<void> {
  if (pictureFolder === undefined) return
  pictures += 1
  const name = `${String(pictures).padStart(3, '0')} ${state.replace(/[^\w.?=-]+/g, ' ').slice(0, 80)}`
  for (const theme of ['dark', 'light']) {
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate((chosen) => {
        document.documentElement.dataset.theme = chosen
      }, theme)
      await page.evaluate(settle)
      await page.screenshot({ path: join(pictureFolder, `${name} ${theme} ${width}.png`) })
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** What the page shows now has nothing that axe complains of and does not scroll sideways: dark and wide, light and on a phone. */
export async function expectAccessible(page: Page, state: string, inLooks = [wide, phone]): Promise<void> {
  for (const { theme, width } of inLooks) {
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(overflow, `${state} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
    expect(await findViolations(page), `${state}, ${theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/**
 * What axe complains of. All of its rules, in the page itself: its own way opens another page each time, and describes what is well at length,
 * which takes three times as long. Nothing here is in frames or on other hosts.
 */
export async function findViolations(page: Page): Promise<string[]> {
  const found = await scan(page)
  // A toast may have begun to fade meanwhile. What is wrong with the page stays wrong.
  return found.length === 0 ? found : scan(page)
}

async function scan(page: Page): Promise<string[]> {
  await page.evaluate(settle)
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'], preload: false })
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Runs in the page. Half-way between two themes no colour has its contrast; what is folded away never gets there, and nobody waits for it. */
async function settle(): Promise<void> {
  const finite = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
  const longest = new Promise((resolve) => setTimeout(resolve, 500))
  await Promise.race([Promise.allSettled(finite.map(({ finished }) => finished)), longest])
}
