import type { Priority } from '@tocsin/protocol'
import { X } from 'lucide-react'
import { DismissableLayer } from 'radix-ui/internal'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { classNames } from './class-names.ts'
import { HrefLink } from './href-link.tsx'
import { IconButton } from './icon-button.tsx'
import { PriorityGlyph, priorityStyles } from './identity/priority-glyph.tsx'
import { addNoBreakSpaces } from './keep-units.ts'
import { useIsPhone } from './media-query.ts'
import { Time } from './time.tsx'
import { type QueuedToast, ToastQueue, useToastQueue } from './toast-queue.ts'
import { useToastPlacement } from './use-free-place.ts'

export type AlertToast = {
  id: string
  priority: Priority
  asset: string
  type: string
  summary: string
  /** ISO time of the alert. */
  at: string
  href: string
  verifyHref: string
  /** Shown before the summary: "Corrects #12". */
  relation?: ReactNode
  /** A button after the links. */
  action?: ReactNode
  /** Proof state, at the right end: "Signed, anchoring…". */
  proof?: ReactNode
}

const durationMs = 8000
const queue = new ToastQueue<AlertToast>(3)

/** Shows a market alert as a toast at the top right. The alert list shows the same alert. */
export function showAlertToast(alert: AlertToast): void {
  queue.add(alert)
}

/**
 * Mount once. Shows at most three alerts, 8 s each. The newest is expanded; older ones are one
 * line, or only a count on phones. Timers pause while a toast is hovered or focused, or the window
 * is inactive. Alt+T moves focus to the region. Toasts are not announced to screen readers, because
 * the live regions announce alerts in batches.
 */
export function AlertToasts({ listHref }: { listHref: string }) {
  const { shown, droppedCount } = useToastQueue(queue)
  const region = useRef<HTMLElement>(null)
  const [isHovered, setIsHovered] = useState(false)
  const [isFocused, setIsFocused] = useState(false)
  const isInactive = useIsWindowInactive()
  // Clear the queue on unmount and on the next mount. The next account that signs in must not see
  // alerts of this account, not even those that are added after the unmount.
  useLayoutEffect(() => {
    queue.clear()
    return () => queue.clear()
  }, [])
  useHotkey(region)
  useFocusLoss(region, setIsFocused)
  useToastPlacement(region, shown)
  const newestEntry = shown.find((entry) => entry.open)
  const olderCount = shown.filter((entry) => entry.open && entry !== newestEntry).length
  const unseenCount = droppedCount + (useIsPhone() ? olderCount : 0)

  function close(key: number) {
    const focusedElement = region.current?.querySelector<HTMLElement>(':focus')
    // Keep the keyboard focus in the region while the region has another toast. Otherwise release
    // the focus, because the timers of toasts pause while the region has the focus.
    const keepsFocus =
      focusedElement?.matches(':focus-visible') && shown.some((entry) => entry.open && entry.key !== key)
    if (keepsFocus) region.current?.focus()
    else focusedElement?.blur()
    queue.close(key)
  }

  return (
    // A press on a toast over a dialog does not close the dialog.
    <DismissableLayer.Branch asChild>
      <section
        ref={region}
        tabIndex={-1}
        aria-label="Market alerts (Alt+T)"
        onPointerEnter={({ pointerType }) => setIsHovered(pointerType === 'mouse')}
        onPointerLeave={() => setIsHovered(false)}
        onFocus={() => setIsFocused(true)}
        onBlur={({ relatedTarget }) => setIsFocused(region.current?.contains(relatedTarget) ?? false)}
        className="pointer-events-auto fixed top-[calc(var(--alert-toast-top)+8px)] right-6 z-50 w-94 outline-none phone:top-[calc(var(--alert-toast-top)-1px)] phone:right-4 phone:left-4 phone:w-auto"
      >
        {shown.length > 0 && (
          <ol className="flex flex-col gap-1">
            {shown.map((entry) => (
              <AlertToastItem
                key={entry.key}
                entry={entry}
                isExpanded={entry === newestEntry}
                isHeld={isHovered || isFocused || isInactive}
                onClose={() => close(entry.key)}
              />
            ))}
          </ol>
        )}
        {unseenCount > 0 && newestEntry && (
          <HrefLink
            href={listHref}
            className="link touch-target mt-1 inline-block rounded-control bg-ink-0 px-3 py-1 text-hint"
          >
            {`+${unseenCount} more in the list`}
          </HrefLink>
        )}
      </section>
    </DismissableLayer.Branch>
  )
}

type AlertToastItemProps = { entry: QueuedToast<AlertToast>; isExpanded: boolean; isHeld: boolean; onClose: () => void }

function AlertToastItem({ entry, isExpanded, isHeld, onClose }: AlertToastItemProps) {
  const alert = entry.item
  usePausableTimer(isHeld || !entry.open, onClose)
  const swipe = useSwipe(onClose)

  function handleKey({ key }: KeyboardEvent) {
    if (key === 'Escape') onClose()
  }

  return (
    <li
      {...swipe}
      onKeyDown={handleKey}
      data-state={entry.open ? 'open' : 'closed'}
      className={classNames(
        'toast touch-pan-y px-4 pr-3',
        priorityStyles[alert.priority].border,
        isExpanded ? 'pb-3' : 'phone:hidden',
      )}
    >
      <div className="flex h-8 items-center gap-2">
        <p className="flex min-w-0 flex-1 items-center gap-2 text-base whitespace-nowrap">
          <PriorityGlyph priority={alert.priority} word className="font-semibold" />
          <span className="font-semibold">{alert.asset}</span>
          <span className="truncate text-2">{alert.type}</span>
        </p>
        <Time at={alert.at} show="clock" className="text-data text-2" />
        <IconButton icon={X} label="Close" size="sm" onClick={onClose} />
      </div>
      {isExpanded && (
        <>
          {alert.relation}
          <p dir="auto" className="line-clamp-3 text-base wrap-anywhere">
            {addNoBreakSpaces(alert.summary)}
          </p>
          <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-base">
            <HrefLink href={alert.href} className="link touch-target whitespace-nowrap">
              Open alert
            </HrefLink>
            <HrefLink href={alert.verifyHref} className="link touch-target whitespace-nowrap">
              Check proof
            </HrefLink>
            {alert.action}
            {alert.proof !== undefined && <span className="ml-auto pr-1">{alert.proof}</span>}
          </div>
        </>
      )}
    </li>
  )
}

/** True while the window has no focus or is hidden. */
function useIsWindowInactive(): boolean {
  const [isInactive, setIsInactive] = useState(() => !document.hasFocus())
  useEffect(() => {
    const update = () => setIsInactive(!document.hasFocus() || document.visibilityState === 'hidden')
    for (const name of ['focus', 'blur']) window.addEventListener(name, update)
    document.addEventListener('visibilitychange', update)
    return () => {
      for (const name of ['focus', 'blur']) window.removeEventListener(name, update)
      document.removeEventListener('visibilitychange', update)
    }
  }, [])
  return isInactive
}

/**
 * Updates the focus state when the focused button is disabled or removed, because the browser then
 * fires no blur event. The "Acknowledge" button is removed after a click.
 */
function useFocusLoss(region: { current: HTMLElement | null }, setIsFocused: (isFocused: boolean) => void): void {
  useEffect(() => {
    const element = region.current
    if (!element) return
    const observer = new MutationObserver(() => setIsFocused(element.contains(document.activeElement)))
    observer.observe(element, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => observer.disconnect()
  }, [region, setIsFocused])
}

function useHotkey(region: { current: HTMLElement | null }): void {
  useEffect(() => {
    const onKeyDown = ({ altKey, code }: globalThis.KeyboardEvent) => {
      if (altKey && code === 'KeyT') region.current?.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [region])
}

/** Calls `onEnd` after `durationMs`. The timer pauses while `isHeld`. */
function usePausableTimer(isHeld: boolean, onEnd: () => void): void {
  const remainingMs = useRef(durationMs)
  const onEndRef = useRef(onEnd)
  onEndRef.current = onEnd
  useEffect(() => {
    if (isHeld) return
    const startedAt = performance.now()
    const timer = setTimeout(() => onEndRef.current(), remainingMs.current)
    return () => {
      clearTimeout(timer)
      remainingMs.current = Math.max(0, remainingMs.current - (performance.now() - startedAt))
    }
  }, [isHeld])
}

const swipeThresholdPx = 50

/** Pointer handlers for swiping an element out to the right. Touch only: a mouse selects text. */
function useSwipe(onSwiped: () => void) {
  const startX = useRef<number | null>(null)

  function getDistance({ clientX }: PointerEvent): number {
    return startX.current === null ? 0 : Math.max(0, clientX - startX.current)
  }
  function resetSwipe({ currentTarget }: PointerEvent<HTMLElement>) {
    startX.current = null
    currentTarget.style.transform = ''
  }
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.pointerType === 'touch') startX.current = event.clientX
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const draggedPx = getDistance(event)
      if (draggedPx > 0) event.currentTarget.style.transform = `translateX(${draggedPx}px)`
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const isSwiped = getDistance(event) >= swipeThresholdPx
      resetSwipe(event)
      if (isSwiped) onSwiped()
    },
    onPointerCancel: resetSwipe,
  }
}
