/** Marks a list that shows every new alert, at once or behind the button with their number. */
export const showsAll = 'data-shows-all-alerts'

/** A browser that draws nothing, as with a hidden tab, runs no animation frames. */
const longestWaitMs = 250

/** Whether a list that the user sees shows the alert, so that a toast would only repeat it. */
export async function isListed(id: string): Promise<boolean> {
  await waitForRow()
  // Dialogs, the palette and the detail sheet lock scrolling: they cover the lists.
  if (document.hidden || document.querySelector('[data-scroll-lock]')) return false
  const row = `[data-alert-row="${CSS.escape(id)}"]`
  return [...document.querySelectorAll(`${row}, [${showsAll}]`)].some(isOnScreen)
}

/** The row of a new alert appears with the next frame. */
function waitForRow(): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, longestWaitMs)
    requestAnimationFrame(() => requestAnimationFrame(() => done()))
  })
}

function isOnScreen(element: Element): boolean {
  const { top, bottom, height } = element.getBoundingClientRect()
  return height > 0 && bottom > 0 && top < window.innerHeight
}
