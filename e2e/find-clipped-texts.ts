/**
 * The texts of a page that a reader can't read whole: cut by their box, out of it, under another
 * text, or broken inside a word or between a number and its unit. Runs in the page.
 * @returns a line each: what is wrong, the text, and where. What ends in an ellipsis on purpose is
 * `shortened`.
 */
export function findClippedTexts(): string[] {
  interface Shown {
    text: string
    element: Element
    rect: DOMRect
    floats: boolean
  }
  const shown: Shown[] = []
  const found = new Set<string>()
  // Under a dialog nothing can be read, nor has to be.
  const walker = document.createTreeWalker(
    document.querySelector('[role=dialog]') ?? document.body,
    NodeFilter.SHOW_TEXT,
  )
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    const text = node.textContent?.trim() ?? ''
    if (!element || text === '' || element.closest('textPath') || !isVisible(element)) continue
    inspectBreaks(node, element)
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const rect of range.getClientRects()) {
      if (rect.width > 0) inspect({ text, element, rect, floats: element.closest(floating()) !== null })
    }
  }
  shown.sort((a, b) => a.rect.top - b.rect.top)
  shown.forEach((one, index) => {
    for (const other of shown.slice(index + 1)) {
      if (other.rect.top > one.rect.bottom) break
      if (other.element !== one.element && isOver(one, other)) found.add(`over "${brief(other.text)}": ${name(one)}`)
    }
  })
  return [...found]

  /** Longer ones (hashes, addresses, what somebody typed without spaces) may break anywhere. */
  function inspectBreaks(node: Node, element: Element): void {
    const text = node.textContent ?? ''
    const pieces = [...text.matchAll(/[^\s/–—-]+/g), ...text.matchAll(/\d[\d.,]* (?:%|ITO|ETH)(?!\w)/g)]
    for (const { 0: piece, index } of pieces) {
      if (piece.length > 24) continue
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + piece.length)
      const rects = [...range.getClientRects()].filter(({ width }) => width > 0)
      const isBroken = rects.some(({ top, height }) => Math.abs(top - (rects[0]?.top ?? top)) > height / 2)
      if (isBroken) {
        const rect = rects[0] ?? element.getBoundingClientRect()
        found.add(`broken "${piece}": ${name({ text, element, rect, floats: false })}`)
      }
    }
  }

  function inspect(one: Shown): void {
    const { element, rect } = one
    let box: Element | null = element
    let isInBlock = false
    let isOut = false
    let isCut = false
    for (; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box)
      const edges = box.getBoundingClientRect()
      if (edges.width <= 2 || edges.height <= 2) return
      if (style.position === 'fixed') break
      if (/auto|scroll/.test(`${style.overflowX} ${style.overflowY}`)) {
        if (rect.bottom > edges.bottom + 1 || rect.top < edges.top - 1) return
        break
      }
      const isOutside = rect.right > edges.right + 1 || rect.left < edges.left - 1
      const isBelow = style.overflowY !== 'visible' && rect.bottom > edges.bottom + 3
      // What has wrapped out of a line that it does not fit on is gone as a whole, on purpose.
      if (isBelow && rect.top >= edges.bottom - 1) return
      isCut ||= isBelow || (style.overflowX !== 'visible' && isOutside)
      if (isCut) break
      if (!isInBlock && style.display !== 'inline' && style.display !== 'contents') {
        isInBlock = true
        isOut = isOutside
      }
    }
    if (isOut) found.add(`out of its box: ${name(one)}`)
    if (isCut) found.add(`${isShortened(element) ? 'shortened' : 'cut'}: ${name(one)}`)
    else shown.push(one)
  }

  function isShortened(element: Element): boolean {
    const { textOverflow, webkitLineClamp } = getComputedStyle(element)
    const parent = element.parentElement
    return (
      textOverflow === 'ellipsis' ||
      webkitLineClamp !== 'none' ||
      (parent !== null && getComputedStyle(parent).textOverflow === 'ellipsis')
    )
  }

  function isVisible(element: Element): boolean {
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  }

  function floating(): string {
    return '.fixed, .toast, [role=menu], header, nav, svg'
  }

  function isOver(one: Shown, other: Shown): boolean {
    if (one.floats || other.floats) return false
    const wide = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
    const high = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
    // Boxes of letters are higher than their lines.
    return wide > 2 && high > Math.min(one.rect.height, other.rect.height) * 0.4
  }

  function name({ text, element, rect }: Shown): string {
    return `"${brief(text)}" in ${element.tagName.toLowerCase()}.${element.className.toString().slice(0, 60)} at ${Math.round(rect.left)},${Math.round(rect.top + scrollY)}`
  }

  function brief(text: string): string {
    return text.length > 40 ? `${text.slice(0, 39)}…` : text
  }
}
