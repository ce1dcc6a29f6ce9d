/**
 * Finds controls whose hit area is less than 44 px high or, if they have no text, less than 44 px
 * wide. Links in sentences are exempt (WCAG 2.5.5). Options of the timeline are exempt too, because
 * the list has the same alerts. Runs in the page.
 * @returns one line per control: its name and its size
 */
export function findSmallTargets(): string[] {
  const controls = document.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, textarea, summary, [role=switch], [role=tab], [role=radio]',
  )
  const minSizePx = 44
  return [...controls].flatMap((control) => {
    const controlBox = control.getBoundingClientRect()
    const isShown = control.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    // The skip link is outside of the page until it has the focus.
    const isHidden = !isShown || controlBox.width <= 1 || controlBox.height <= 1 || controlBox.bottom <= 0
    if (isHidden || control.role === 'option' || isInSentence(control)) return []
    // Pseudo-elements extend the hit area.
    const [beforeStyle, afterStyle] = ['::before', '::after'].map((part) => getComputedStyle(control, part))
    const label = control.closest('label')?.getBoundingClientRect()
    const height = Math.max(controlBox.height, toPx(beforeStyle?.height), toPx(afterStyle?.height), label?.height ?? 0)
    const width = Math.max(controlBox.width, toPx(beforeStyle?.width), toPx(afterStyle?.width), label?.width ?? 0)
    const hasText = (control.textContent ?? '').trim() !== ''
    // Half a pixel is tolerated, because sizes can be fractions of a pixel.
    if (height > minSizePx - 0.5 && (hasText || width > minSizePx - 0.5)) return []
    const name = control.getAttribute('aria-label') ?? control.title ?? ''
    const text = control.textContent?.trim().slice(0, 40) || name || control.outerHTML.slice(0, 80)
    return [`${control.tagName.toLowerCase()} "${text}" ${Math.round(width)} x ${Math.round(height)}`]
  })

  function toPx(length = ''): number {
    return Number.parseFloat(length) || 0
  }

  function isInSentence(control: Element): boolean {
    if (!control.matches('a') || getComputedStyle(control).display !== 'inline') return false
    const surroundingText = control.closest('p, li, dd, td')?.textContent?.trim() ?? ''
    return surroundingText.length > (control.textContent?.trim().length ?? 0)
  }
}
