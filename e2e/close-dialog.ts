import { expect, type Locator } from '@playwright/test'

/**
 * Presses Escape once the dialog handles keys, which is when it has the focus, and waits until it
 * is gone.
 */
export async function closeByEscape(dialog: Locator): Promise<void> {
  await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  await dialog.page().keyboard.press('Escape')
  await expect(dialog).toBeHidden()
}
