import type { Page } from '@playwright/test'

const STEP_MS = 1_000

/**
 * Advances the installed clock of a page in steps of a second, at which timers that are due run
 * once. `clock.runFor` also runs each animation frame, 60 a second, which takes several times as
 * long.
 */
export async function advanceClock(page: Page, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) await page.clock.fastForward(Math.min(leftMs, STEP_MS))
}
