import { expect, type Locator } from '@playwright/test'

/** Waits until the dialog handles keys, and closes it with Escape. */
export async function closeByEscape(dialog: Locator): Promise<void> {
  await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  // Focus is not enough: Radix adds its Escape listener in an effect of the next render. Until then
  // the page or a dialog below would handle the key. That render also enables pointer events, so
  // wait for the style, and then for one task, in which the effects run.
  await expect(dialog).toHaveAttribute('style', /pointer-events: auto/)
  await dialog.evaluate(waitForNextTask)
  await dialog.page().keyboard.press('Escape')
  await expect(dialog).toBeHidden()
}

/** Runs in the page. Uses no timer, because tests may have paused the clock. */
function waitForNextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
