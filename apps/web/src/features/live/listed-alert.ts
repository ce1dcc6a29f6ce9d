/** Marks a list that shows every new alert, at once or behind the button with their number. */
export const showsAll = 'data-shows-all-alerts'

/** Whether a list on the screen shows the alert, so that a toast would only repeat it. */
export async function isListed(id: string): Promise<boolean> {
  if (document.hidden) return false
  // The row of a new alert appears with the next frame.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const row = `[data-alert-row="${CSS.escape(id)}"]`
  return [...document.querySelectorAll(`${row}, [${showsAll}]`)].some(isOnScreen)
}

function isOnScreen(element: Element): boolean {
  const { top, bottom, height } = element.getBoundingClientRect()
  return height > 0 && bottom > 0 && top < window.innerHeight
}
