import { type PointerEvent, useRef } from 'react'

const thresholdPx = 50

/** Pointer handlers for swiping an element out to the right. Touch only: a mouse selects text. */
export function useSwipe(onSwiped: () => void) {
  const startX = useRef<number | null>(null)

  function distance({ clientX }: PointerEvent): number {
    return startX.current === null ? 0 : Math.max(0, clientX - startX.current)
  }
  function release({ currentTarget }: PointerEvent<HTMLElement>) {
    startX.current = null
    currentTarget.style.transform = ''
  }
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.pointerType === 'touch') startX.current = event.clientX
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const pushed = distance(event)
      if (pushed > 0) event.currentTarget.style.transform = `translateX(${pushed}px)`
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const isSwiped = distance(event) >= thresholdPx
      release(event)
      if (isSwiped) onSwiped()
    },
    onPointerCancel: release,
  }
}
