import { type RefObject, useLayoutEffect } from 'react'
import { findFreeOffset, type Rect, touchTargetPx } from './free-place.ts'

const smallControlSelector = 'a[href], button:not([data-alert-row]), input, select, summary, [data-never-covered]'
const largeControlSelector = '[data-alert-row], [data-covered-last], textarea'
const controlSelector = `${smallControlSelector}, ${largeControlSelector}`
const marginPx = 8
/** Debounce of changes of the page, so that content that loads in steps moves a toast only once. */
const changeDelayMs = 150

/**
 * Moves the toasts of a region up or down to a position in which they cover no control, no verdict
 * and no other toast. On phones and tablets, text fields, rows of alerts and the panel of a verdict
 * can fill the screen. A toast can then cover a part of them, but leaves `touchTargetPx` of each of
 * them free to read and to press.
 * @param shownToasts the toasts of the region; a new array places them again
 */
export function useToastPlacement(region: RefObject<HTMLElement | null>, shownToasts: readonly unknown[]): void {
  useLayoutEffect(() => {
    const element = region.current
    // Without toasts, do not measure, because the browser would have to lay out the page once more.
    // Check `shownToasts` and not the elements: the element of the first toast can be added after
    // this effect.
    if (!element || shownToasts.length === 0) return
    let move = 0
    const placeToasts = () => {
      element.style.translate = ''
      const toastsRect = computeToastsBox(element)
      if (!toastsRect) return
      const obstacles = findObstacles(element, toastsRect, controlSelector)
      const isFree = findFreeOffset(shiftBox(toastsRect, move), obstacles, getViewportBox()) === 0
      if (!isFree) {
        move =
          findFreeOffset(toastsRect, obstacles, getViewportBox()) ??
          findFreeOffset(
            toastsRect,
            findObstacles(element, toastsRect, smallControlSelector),
            getViewportBox(),
            findObstacles(element, toastsRect, largeControlSelector),
          ) ??
          0
      }
      element.style.translate = `0 ${move}px`
    }
    let timer: number | undefined
    const schedulePlacement = () => {
      clearTimeout(timer)
      timer = window.setTimeout(placeToasts, changeDelayMs)
    }
    placeToasts()
    const mutationObserver = new MutationObserver(schedulePlacement)
    mutationObserver.observe(document.body, { childList: true, subtree: true, characterData: true })
    // Changes of text, fonts and pictures change sizes without adding an element, so observe sizes
    // as well.
    const resizeObserver = new ResizeObserver(schedulePlacement)
    for (const observedElement of [document.body, element]) resizeObserver.observe(observedElement)
    addEventListener('resize', schedulePlacement)
    addEventListener('scrollend', schedulePlacement, true)
    return () => {
      clearTimeout(timer)
      mutationObserver.disconnect()
      resizeObserver.disconnect()
      removeEventListener('resize', schedulePlacement)
      removeEventListener('scrollend', schedulePlacement, true)
    }
  }, [region, shownToasts])
}

const shiftBox = (box: Rect, move: number): Rect => ({ ...box, top: box.top + move, bottom: box.bottom + move })
const getViewportBox = (): Rect => ({ left: 0, top: marginPx, right: innerWidth, bottom: innerHeight - marginPx })

/** Returns the box around the open toasts, without the offset of their entry animation. */
function computeToastsBox(region: HTMLElement): Rect | null {
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

function findObstacles(region: HTMLElement, toastsRect: Rect, selector: string): Rect[] {
  // Ignore controls behind the topmost dialog, because they can't be used.
  const scope = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1) ?? document.body
  const otherToasts = [...document.querySelectorAll('li.toast[data-state=open]')].filter(
    (toast) => !region.contains(toast),
  )
  region.style.visibility = 'hidden'
  const foundControls = [...scope.querySelectorAll(selector)].filter((control) => !control.closest('li.toast'))
  const boxes = foundControls.flatMap((control) => {
    const box = growToTouchTarget(control.getBoundingClientRect())
    return box.right > toastsRect.left && box.left < toastsRect.right && isOnScreen(control, box) ? [box] : []
  })
  region.style.visibility = ''
  return [...boxes, ...otherToasts.map((toast) => toast.getBoundingClientRect())]
}

/** Enlarges the box of a small control to its touch target (`touch-target` in styles.css). */
function growToTouchTarget({ left, top, right, bottom }: DOMRect): Rect {
  const growPx = Math.max(0, (touchTargetPx - (bottom - top)) / 2)
  return { left, top: top - growPx, right, bottom: bottom + growPx }
}

/** False for controls that are scrolled out of their list or covered by the header. */
function isOnScreen(control: Element, { left, top, right, bottom }: Rect): boolean {
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
  const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
  const elementAtCenter = document.elementFromPoint(x, y)
  return elementAtCenter !== null && (control.contains(elementAtCenter) || elementAtCenter.contains(control))
}
