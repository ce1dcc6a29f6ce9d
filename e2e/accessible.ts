import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import axe, { type AxeResults } from 'axe-core'

const desktop = { theme: 'dark', width: 1440 }
const phone = { theme: 'light', width: 390 }
export const displayModes = { desktop, phone }
type Mode = typeof desktop

const screenshotFolder = process.env.PICTURE_FOLDER
let screenshotCount = 0

/**
 * If PICTURE_FOLDER is set, saves screenshots of the current page at three widths in both themes,
 * for manual review.
 */
export async function takeScreenshots(page: Page, state: string): Promise<void> {
  if (screenshotFolder === undefined) return
  screenshotCount += 1
  const name = `${String(screenshotCount).padStart(3, '0')} ${state.replace(/[^\w.?=-]+/g, ' ').slice(0, 80)}`
  for (const theme of ['dark', 'light']) {
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate((chosen) => {
        document.documentElement.dataset.theme = chosen
      }, theme)
      await page.evaluate(waitForAnimations)
      await page.screenshot({ path: join(screenshotFolder, `${name} ${theme} ${width}.png`) })
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/**
 * Expects no axe violations and no horizontal overflow in the given modes. If two modes have the
 * same width, the second one is only checked with the rules about colors. A failed scan is
 * repeated, because on a busy machine components that depend on the width are rendered again some
 * frames after a resize.
 * @param modes by default, overflow is checked on desktop and phone, and axe runs on only one of
 *   these, depending on `state`. screens.test.ts scans every page at all widths and themes.
 */
export async function expectAccessible(page: Page, state: string, modes?: Mode[]): Promise<void> {
  const [otherMode, checkedMode] = hasOddLetterSum(state) ? [desktop, phone] : [phone, desktop]
  if (modes === undefined) {
    await showMode(page, otherMode)
    await expectNoOverflow(page, state, otherMode)
  }
  const scannedModes = modes ?? [checkedMode]
  for (const [index, mode] of scannedModes.entries()) {
    const isWidthChecked = scannedModes.slice(0, index).some(({ width }) => width === mode.width)
    await showMode(page, mode)
    if (!isWidthChecked) await expectNoOverflow(page, state, mode)
    const listViolations = () => findViolations(page, isWidthChecked ? colorRules : undefined)
    await expect.poll(listViolations, `${state}, ${mode.theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/**
 * Returns whether the sum of the character codes is odd. The result decides in which mode a state
 * is scanned, so each state is always scanned in the same mode.
 */
function hasOddLetterSum(state: string): boolean {
  return [...state].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 2 === 1
}

async function showMode(page: Page, { theme, width }: Mode): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name
  }, theme)
}

export async function expectNoOverflow(page: Page, state: string, { width }: Pick<Mode, 'width'>): Promise<void> {
  const measureOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  await expect.poll(measureOverflow, `${state} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
}

/** The only rules whose result depends on the theme. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * Hashes of the text styles whose contrast has passed the check. They are not measured again,
 * because measuring contrast takes two thirds of a scan and most styles of a state also occur in
 * earlier states.
 */
const passedStyleIds = new Set<number>()

/** Runs axe with all rules, or only the given ones. Frames and other origins are not checked. */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  const isInjected = await page.evaluate(() => 'axe' in window)
  // axe is half a megabyte long, so it is injected only once per page load.
  if (!isInjected) await page.evaluate(axe.source)
  const { violations, styles } = await page.evaluate(scanInPage, { rules: rules ?? null, passed: [...passedStyleIds] })
  if (violations.length === 0) for (const style of styles) passedStyleIds.add(style)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

declare const window: Window & { axe: typeof axe }

interface Scan {
  violations: AxeResults['violations']
  /** Hashes of the text styles whose contrast was measured. */
  styles: number[]
}

/**
 * Runs in the page. Finishes all finite animations and then runs axe, so that axe does not measure
 * colors in the middle of a transition. Contrast is measured once per text style that is not in
 * `passed`.
 */
async function scanInPage({ rules, passed }: { rules: string[] | null; passed: number[] }): Promise<Scan> {
  // Components that depend on the width re-render in the frame after a resize.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  for (const animation of document.getAnimations()) {
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()
  }
  // If a modal dialog is open, scan only the dialog, because assistive technology cannot reach the
  // page behind it.
  const scope = [...document.querySelectorAll('[data-scroll-lock] > [role=dialog]')].at(-1) ?? document
  const options = {
    resultTypes: ['violations' as const],
    preload: false,
    // Building a selector for every examined element takes a third of the time.
    selectors: false,
  }
  const contrast = 'color-contrast'
  const otherRules = rules?.filter((rule) => rule !== contrast)
  const { violations } = await window.axe.run(scope, {
    ...options,
    ...(otherRules ? { runOnly: { type: 'rule', values: otherRules } } : { rules: { [contrast]: { enabled: false } } }),
  })
  const texts = findElementsByStyle()
  if (texts.size === 0) return { violations, styles: [] }
  const contrastResult = await window.axe.run(
    { include: [...texts.values()] },
    { ...options, runOnly: { type: 'rule', values: [contrast] } },
  )
  return { violations: [...violations, ...contrastResult.violations], styles: [...texts.keys()] }

  /** Returns one visible text or form field for each style whose contrast has not passed yet. */
  function findElementsByStyle(): Map<number, Element> {
    const knownStyles = new Set(passed)
    const textsByStyle = new Map<number, Element>()
    const backgrounds = new Map<Element, string>()
    for (const element of scope.querySelectorAll('*')) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())
      if (!hasText && !element.matches('input, select, textarea')) continue
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
      const isDisabled = element.closest(':disabled, [aria-disabled=true]') !== null
      const style = [
        innerWidth,
        color,
        fontSize,
        fontWeight,
        textShadow,
        isDisabled,
        describeBackground(element, backgrounds),
      ]
      const hash = computeHash(style.join())
      if (!knownStyles.has(hash) && !textsByStyle.has(hash)) textsByStyle.set(hash, element)
    }
    return textsByStyle
  }

  /**
   * Describes everything that can be behind a text: the backgrounds and positions of its ancestors.
   */
  function describeBackground(element: Element, describedElements: Map<Element, string>): string {
    const describedBefore = describedElements.get(element)
    if (describedBefore !== undefined) return describedBefore
    const { backgroundColor, backgroundImage, opacity, filter, position } = getComputedStyle(element)
    const isPositioned = position !== 'static' && position !== 'relative'
    const isPlain = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && opacity === '1'
    const ownDescription =
      isPlain && filter === 'none' && !isPositioned
        ? ''
        : `>${backgroundColor} ${backgroundImage} ${opacity} ${filter} ${isPositioned ? `${position} ${element.className}` : ''}`
    const fullDescription =
      (element.parentElement ? describeBackground(element.parentElement, describedElements) : '') + ownDescription
    describedElements.set(element, fullDescription)
    return fullDescription
  }

  /** Returns the 32-bit FNV-1a hash of the text. */
  function computeHash(text: string): number {
    let hash = 0x811c9dc5
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    return hash >>> 0
  }
}

/**
 * Runs in the page before a screenshot. Waits for finite animations, but at most 500 ms, because
 * the animations of collapsed elements never finish.
 */
async function waitForAnimations(): Promise<void> {
  const finiteAnimations = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
  const timeLimit = new Promise((resolve) => setTimeout(resolve, 500))
  await Promise.race([Promise.allSettled(finiteAnimations.map(({ finished }) => finished)), timeLimit])
}
