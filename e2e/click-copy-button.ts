import { expect, type Locator } from '@playwright/test'

/**
 * Clicks a copy button and expects that its label becomes "Copied". Records the labels in the page,
 * because a test can miss this one: it is shown for only 1.5 seconds.
 */
export async function clickCopyButton(button: Locator): Promise<void> {
  const labels = await button.evaluateHandle((element) => {
    const seenLabels: (string | null)[] = []
    new MutationObserver(() => seenLabels.push(element.ariaLabel ?? element.textContent)).observe(element, {
      attributes: true,
      characterData: true,
      childList: true,
      subtree: true,
    })
    return seenLabels
  })
  await button.click()
  await expect.poll(() => labels.jsonValue()).toContain('Copied')
}
