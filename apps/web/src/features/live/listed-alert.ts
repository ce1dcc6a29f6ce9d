/**
 * Attribute of a list that shows every new alert, either immediately or after a click on the button
 * with the number of new alerts.
 */
export const showsAllAttribute = 'data-shows-all-alerts'

/**
 * Maximum time in ms to wait for an animation frame. A browser that draws nothing, for example
 * because the tab is hidden, runs no animation frames.
 */
const maxWaitMs = 250

/** Returns whether a visible list shows the alert. A toast would then only repeat it. */
export async function isListed(id: string): Promise<boolean> {
  await waitForRow()
  // Dialogs, the palette and the detail sheet cover the lists. While they are open, scrolling is
  // locked.
  if (document.hidden || document.querySelector('[data-scroll-lock]')) return false
  const row = `[data-alert-row="${CSS.escape(id)}"]`
  return [...document.querySelectorAll(`${row}, [${showsAllAttribute}]`)].some(isOnScreen)
}

/** Waits until the row of a new alert is rendered, which happens with the next frame. */
function waitForRow(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, maxWaitMs)
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
  })
}

function isOnScreen(element: Element): boolean {
  const { top, bottom, height } = element.getBoundingClientRect()
  return height > 0 && bottom > 0 && top < window.innerHeight
}
