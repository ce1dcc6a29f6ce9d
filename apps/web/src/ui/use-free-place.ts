import { type RefObject, useLayoutEffect } from 'react'
import { type Box, findFreeMove, fingerPx } from './free-place.ts'

const smallControls = 'a[href], button:not([data-alert-row]), input, select, summary, [data-never-covered]'
const largeControls = '[data-alert-row], [data-covered-last], textarea'
const controls = `${smallControls}, ${largeControls}`
const marginPx = 8
/** Debounce of changes of the page, so that content that loads in steps moves a toast only once. */
const changeDelayMs = 150

/**
 * Moves the toasts of a region up or down to a position in which they cover no control, no verdict
 * and no other toast. On phones and tablets, text fields, rows of alerts and the panel of a verdict
 * can fill the screen. A toast can then cover a part of them, but leaves `fingerPx` of each of them
 * free to read and to press.
 * @param shown changes whenever other toasts are shown
 */
export function useToastPlacement(region: RefObject<HTMLElement | null>, shown: readonly unknown[]): void {
  useLayoutEffect(() => {
    const element = region.current
    // Without toasts, do not measure, because the browser would have to lay out the page once more.
    // Check `shown` and not the elements: the element of the first toast can be added after this
    // effect.
    if (!element || shown.length === 0) return
    let move = 0
    const place = () => {
      element.style.translate = ''
      const toasts = boxOfToasts(element)
      if (!toasts) return
      const obstacles = findObstacles(element, toasts, controls)
      const isFree = findFreeMove(shift(toasts, move), obstacles, room()) === 0
      if (!isFree) {
        move =
          findFreeMove(toasts, obstacles, room()) ??
          findFreeMove(
            toasts,
            findObstacles(element, toasts, smallControls),
            room(),
            findObstacles(element, toasts, largeControls),
          ) ??
          0
      }
      element.style.translate = `0 ${move}px`
    }
    let timer: number | undefined
    const placeLater = () => {
      clearTimeout(timer)
      timer = window.setTimeout(place, changeDelayMs)
    }
    place()
    const changes = new MutationObserver(placeLater)
    changes.observe(document.body, { childList: true, subtree: true, characterData: true })
    // Changes of text, fonts and pictures change sizes without adding an element, so observe sizes
    // as well.
    const sizes = new ResizeObserver(placeLater)
    for (const each of [document.body, element]) sizes.observe(each)
    addEventListener('resize', placeLater)
    addEventListener('scrollend', placeLater, true)
    return () => {
      clearTimeout(timer)
      changes.disconnect()
      sizes.disconnect()
      removeEventListener('resize', placeLater)
      removeEventListener('scrollend', placeLater, true)
    }
  }, [region, shown])
}

const shift = (box: Box, move: number): Box => ({ ...box, top: box.top + move, bottom: box.bottom + move })
const room = (): Box => ({ left: 0, top: marginPx, right: innerWidth, bottom: innerHeight - marginPx })

/** Returns the box around the open toasts, without the offset of their entry animation. */
function boxOfToasts(region: HTMLElement): Box | null {
  const { left, top } = region.getBoundingClientRect()
  const boxes = [...region.querySelectorAll<HTMLElement>('li.toast[data-state=open]')]
    .filter((toast) => toast.offsetHeight > 0)
    .map(({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) => ({
      left: left + offsetLeft,
      top: top + offsetTop,
      right: left + offsetLeft + offsetWidth,
      bottom: top + offsetTop + offsetHeight,
    }))
  if (boxes.length === 0) return null
  return {
    left: Math.min(...boxes.map((box) => box.left)),
    top: Math.min(...boxes.map((box) => box.top)),
    right: Math.max(...boxes.map((box) => box.right)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  }
}

function findObstacles(region: HTMLElement, toasts: Box, selector: string): Box[] {
  // Ignore controls behind the topmost dialog, because they can't be used.
  const scope = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1) ?? document.body
  const others = [...document.querySelectorAll('li.toast[data-state=open]')].filter((toast) => !region.contains(toast))
  region.style.visibility = 'hidden'
  const found = [...scope.querySelectorAll(selector)].filter((control) => !control.closest('li.toast'))
  const boxes = found.flatMap((control) => {
    const box = growToFinger(control.getBoundingClientRect())
    return box.right > toasts.left && box.left < toasts.right && isOnScreen(control, box) ? [box] : []
  })
  region.style.visibility = ''
  return [...boxes, ...others.map((toast) => toast.getBoundingClientRect())]
}

/** Enlarges the box of a small control by its touch target (`touch-target` in styles.css). */
function growToFinger({ left, top, right, bottom }: DOMRect): Box {
  const grow = Math.max(0, (fingerPx - (bottom - top)) / 2)
  return { left, top: top - grow, right, bottom: bottom + grow }
}

/** False for controls that are scrolled out of their list or below the header. */
function isOnScreen(control: Element, { left, top, right, bottom }: Box): boolean {
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
  const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
  const atCenter = document.elementFromPoint(x, y)
  return atCenter !== null && (control.contains(atCenter) || atCenter.contains(control))
}
