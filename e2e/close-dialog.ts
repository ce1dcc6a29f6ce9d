import { expect, type Locator } from '@playwright/test'

/**
 * Waits until the dialog has focus and so handles keys, presses Escape and waits until it is
 * closed.
 */
export async function closeByEscape(dialog: Locator): Promise<void> {
  await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  await dialog.page().keyboard.press('Escape')
  await expect(dialog).toBeHidden()
}
