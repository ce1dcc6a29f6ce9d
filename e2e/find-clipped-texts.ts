/**
 * Finds text that is clipped by its box, overflows it, overlaps other text, or is broken inside a
 * word or between a number and its unit. Runs in the page.
 * @param onlyLineBreaks whether to look only for breaks inside words and numbers, which takes less
 *   time
 * @returns one line per problem: its kind, the text and its position. Text that ends in an ellipsis
 *   by design is reported as `shortened`.
 */
export function findClippedTexts(onlyLineBreaks: boolean): string[] {
  interface TextBox {
    text: string
    element: Element
    rect: DOMRect
    isFloating: boolean
  }
  const boxes: TextBox[] = []
  const problems = new Set<string>()
  // An open dialog covers the page, so only the dialog is checked.
  const walker = document.createTreeWalker(
    document.querySelector('[role=dialog]') ?? document.body,
    NodeFilter.SHOW_TEXT,
  )
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    const text = node.textContent?.trim() ?? ''
    if (!element || text === '' || element.closest('textPath') || !isVisible(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const rects = [...range.getClientRects()]
    // A text on one line is not broken.
    if (rects.length > 1) checkLineBreaks(node, element)
    if (onlyLineBreaks) continue
    for (const rect of rects) {
      if (rect.width > 0)
        checkBox({ text, element, rect, isFloating: element.closest(createFloatingSelector()) !== null })
    }
  }
  boxes.sort((a, b) => a.rect.top - b.rect.top)
  boxes.forEach((textBox, index) => {
    for (const laterBox of boxes.slice(index + 1)) {
      if (laterBox.rect.top > textBox.rect.bottom) break
      if (laterBox.element !== textBox.element && isOverlapping(textBox, laterBox))
        problems.add(`over "${truncateText(laterBox.text)}": ${describeBox(textBox)}`)
    }
  })
  return [...problems]

  /**
   * Finds breaks inside words and numbers. Strings of more than 24 characters (hashes, addresses,
   * user input) may break anywhere.
   */
  function checkLineBreaks(node: Node, element: Element): void {
    const text = node.textContent ?? ''
    const unbreakableTexts = [...text.matchAll(/[^\s/–—-]+/g), ...text.matchAll(/\d[\d.,]* (?:%|ITO|ETH)(?!\w)/g)]
    for (const { 0: piece, index } of unbreakableTexts) {
      if (piece.length > 24) continue
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + piece.length)
      const rects = [...range.getClientRects()].filter(({ width }) => width > 0)
      const isBroken = rects.some(({ top, height }) => Math.abs(top - (rects[0]?.top ?? top)) > height / 2)
      if (isBroken) {
        const rect = rects[0] ?? element.getBoundingClientRect()
        problems.add(`broken "${piece}": ${describeBox({ text, element, rect, isFloating: false })}`)
      }
    }
  }

  function checkBox(textBox: TextBox): void {
    const { element, rect } = textBox
    let ancestor: Element | null = element
    let isInBlock = false
    let isOverflowing = false
    let isClipped = false
    let isScrolled = false
    for (; ancestor && ancestor !== document.body; ancestor = ancestor.parentElement) {
      const style = getComputedStyle(ancestor)
      const edges = ancestor.getBoundingClientRect()
      if (edges.width <= 2 || edges.height <= 2) return
      if (style.position === 'fixed') break
      if (isScrolled && style.overflowY === 'visible') continue
      if (/auto|scroll/.test(`${style.overflowX} ${style.overflowY}`)) {
        if (rect.bottom > edges.bottom + 1 || rect.top < edges.top - 1) return
        isScrolled = true
        continue
      }
      if (isScrolled) break
      const isOutside = rect.right > edges.right + 1 || rect.left < edges.left - 1
      const isBelow = style.overflowY !== 'visible' && rect.bottom > edges.bottom + 3
      // Text that wraps out of a fixed-height line is hidden completely, by design.
      if (isBelow && rect.top >= edges.bottom - 1) return
      isClipped ||= isBelow || (style.overflowX !== 'visible' && isOutside)
      if (isClipped) break
      if (!isInBlock && style.display !== 'inline' && style.display !== 'contents') {
        isInBlock = true
        isOverflowing = isOutside
      }
    }
    if (isOverflowing) problems.add(`out of its box: ${describeBox(textBox)}`)
    if (isClipped) problems.add(`${isShortened(element) ? 'shortened' : 'cut'}: ${describeBox(textBox)}`)
    else boxes.push(textBox)
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

  function createFloatingSelector(): string {
    return '.fixed, .sticky, .toast, [role=menu], header, nav, svg, [data-detail] [data-sticky]'
  }

  function isOverlapping(firstBox: TextBox, secondBox: TextBox): boolean {
    if (firstBox.isFloating || secondBox.isFloating) return false
    const overlapWidth =
      Math.min(firstBox.rect.right, secondBox.rect.right) - Math.max(firstBox.rect.left, secondBox.rect.left)
    const overlapHeight =
      Math.min(firstBox.rect.bottom, secondBox.rect.bottom) - Math.max(firstBox.rect.top, secondBox.rect.top)
    // Client rects of text are taller than the glyphs, so a small vertical overlap is normal.
    return overlapWidth > 2 && overlapHeight > Math.min(firstBox.rect.height, secondBox.rect.height) * 0.4
  }

  function describeBox({ text, element, rect }: TextBox): string {
    return `"${truncateText(text)}" in ${element.tagName.toLowerCase()}.${element.className.toString().slice(0, 60)} at ${Math.round(rect.left)},${Math.round(rect.top + scrollY)}`
  }

  function truncateText(text: string): string {
    return text.length > 40 ? `${text.slice(0, 39)}…` : text
  }
}
