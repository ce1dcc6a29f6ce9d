import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import axe, { type AxeResults } from 'axe-core'

const desktop = { theme: 'dark', width: 1440 }
const phone = { theme: 'light', width: 390 }
export const displayModes = { desktop, phone }

const pictureFolder = process.env.PICTURE_FOLDER
let pictures = 0

/**
 * Where PICTURE_FOLDER names a folder: what the page shows now, at three widths in both themes, for
 * somebody to look at.
 */
export async function takeScreenshots(page: Page, state: string): Promise<void> {
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

/**
 * What the page shows now has nothing that axe complains of and does not scroll sideways: dark and
 * wide, light and on a phone. The second theme at a width is only checked by the rules about
 * colors.
 */
export async function expectAccessible(page: Page, state: string, inLooks = [desktop, phone]): Promise<void> {
  for (const [index, { theme, width }] of inLooks.entries()) {
    const isChecked = inLooks.slice(0, index).some((look) => look.width === width)
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(overflow, `${state} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
    expect(await findViolations(page, isChecked ? colorRules : undefined), `${state}, ${theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** The only rules whose result depends on the theme. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * What axe complains of, by all of its rules unless some are named. Nothing here is in frames or on
 * other hosts.
 */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in window)
  // Half a megabyte: once for each page that is loaded, not for each look at it.
  if (!isThere) await page.evaluate(axe.source)
  const violations = await page.evaluate(scan, rules)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

declare const window: Window & { axe: typeof axe }

/**
 * Runs in the page. Nothing moves while axe looks: what has begun to fade or to turn into another
 * colour is at its end at once, and axe reads the page in one go, so that no timer and no message
 * comes in between.
 */
async function scan(rules: string[] | undefined): Promise<AxeResults['violations']> {
  // What depends on the width is drawn anew in the frame after it has changed.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  for (const animation of document.getAnimations()) {
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()
  }
  const { violations } = await window.axe.run(document, {
    resultTypes: ['violations'],
    preload: false,
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
  })
  return violations
}

/**
 * Runs in the page, before a picture: what is folded away never gets to its end, and nobody waits
 * for it.
 */
async function settle(): Promise<void> {
  const finite = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
  const longest = new Promise((resolve) => setTimeout(resolve, 500))
  await Promise.race([Promise.allSettled(finite.map(({ finished }) => finished)), longest])
}
