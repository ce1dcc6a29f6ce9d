import { expect, type Locator } from '@playwright/test'

/** Presses Tab until the target has the focus, at most `maxPresses` times. */
export async function tabTo(target: Locator, maxPresses = 40): Promise<void> {
  await expect(target).toBeVisible()
  for (let pressCount = 0; pressCount < maxPresses; pressCount += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await target.page().keyboard.press('Tab')
  }
  throw new Error(`Tab never focuses ${target}`)
}
