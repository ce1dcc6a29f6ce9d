import { useLayoutEffect, useState } from 'react'

/**
 * Focuses the element that had the focus in the prerendered page again, because the app replaces
 * the page. Render it last: then it reads the focus just before the page is replaced.
 */
export function KeepFocus({ root }: { root: HTMLElement }) {
  const [selector] = useState(() => selectorOf(document.activeElement))
  useLayoutEffect(() => {
    if (selector === null || document.activeElement !== document.body) return
    root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
  }, [root, selector])
  return null
}

/** Null for elements that cannot be recognized in the new page. */
function selectorOf(element: Element | null): string | null {
  if (element?.id) return `#${CSS.escape(element.id)}`
  const href = element?.getAttribute('href')
  return href ? `a[href="${CSS.escape(href)}"]` : null
}
