import { useLayoutEffect, useState } from 'react'

/**
 * Restores the focus when the app replaces the prerendered page: focuses the corresponding element
 * of the new page. Render it as the last component, so that it reads the focus immediately before
 * the page is replaced.
 */
export function KeepFocus({ root }: { root: HTMLElement }) {
  const [selector] = useState(() => createSelector(document.activeElement))
  useLayoutEffect(() => {
    if (selector === null || document.activeElement !== document.body) return
    root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
  }, [root, selector])
  return null
}

/**
 * Returns a selector that finds the corresponding element in the new page. Null if the element has
 * neither an id nor an `href`.
 */
function createSelector(element: Element | null): string | null {
  if (element?.id) return `#${CSS.escape(element.id)}`
  const href = element?.getAttribute('href')
  return href ? `a[href="${CSS.escape(href)}"]` : null
}
