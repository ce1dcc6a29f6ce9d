import { useLayoutEffect, useState } from 'react'

const findDetail = () => document.querySelector<HTMLElement>('[data-detail]')

/**
 * Prepares the detail for another alert: scrolls it to its top, and moves the focus to it if the
 * focused element was a part of the previous alert, for example the link to this one. Call it in a
 * component that is mounted for each alert.
 */
export function useResetDetail(): void {
  // Read during the render, before the previous alert is removed together with the focus.
  const [hadFocus] = useState(() => findDetail()?.contains(document.activeElement) === true)
  useLayoutEffect(() => {
    const detail = findDetail()
    if (!detail) return
    detail.scrollTop = 0
    if (!hadFocus || document.activeElement !== document.body) return
    // The pane is focusable only until it loses the focus. Otherwise each click in it would focus
    // it, and it would no longer follow the newest alert.
    if (!detail.hasAttribute('tabindex')) {
      detail.tabIndex = -1
      detail.addEventListener('blur', () => detail.removeAttribute('tabindex'), { once: true })
    }
    detail.focus({ preventScroll: true })
  }, [hadFocus])
}
