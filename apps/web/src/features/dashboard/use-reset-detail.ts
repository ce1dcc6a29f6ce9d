import { useLayoutEffect, useState } from 'react'

const findDetail = () => document.querySelector<HTMLElement>('[data-detail]')

/**
 * Prepares the detail for another alert: scrolls to the top of the detail, and moves the focus to
 * the detail if the focused element belonged to the previous alert, for example the link to the new
 * alert. Call it in a component that mounts once for each alert.
 */
export function useResetDetail(): void {
  // Read during the render, before the previous alert is removed together with the focus.
  const [hadFocus] = useState(() => findDetail()?.contains(document.activeElement) === true)
  useLayoutEffect(() => {
    const detail = findDetail()
    if (!detail) return
    detail.scrollTop = 0
    if (!hadFocus || document.activeElement !== document.body) return
    // Make the pane focusable only until it loses the focus. Otherwise each click in the pane would
    // focus it, and a focused pane does not switch to the newest alert.
    if (!detail.hasAttribute('tabindex')) {
      detail.tabIndex = -1
      detail.addEventListener('blur', () => detail.removeAttribute('tabindex'), { once: true })
    }
    detail.focus({ preventScroll: true })
  }, [hadFocus])
}
