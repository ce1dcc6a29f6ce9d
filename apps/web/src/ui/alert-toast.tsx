import type { Priority } from '@tocsin/protocol'
import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { HrefLink } from './href-link.tsx'
import { IconButton } from './icon-button.tsx'
import { PriorityGlyph, priorityLooks } from './identity/priority-glyph.tsx'
import { usePhone } from './media-query.ts'
import { Time } from './time.tsx'
import { type Queued, ToastQueue, useToastQueue } from './toast-queue.ts'

export type AlertToast = {
  id: string
  priority: Priority
  asset: string
  anomalyType: string
  summary: string
  /** ISO time of the alert. */
  at: string
  href: string
  verifyHref: string
  /** "Corrects #12", before the summary. */
  relation?: ReactNode
  /** How far its proof is, at the right end: "Signed, anchoring…". */
  proof?: ReactNode
}

const queue = new ToastQueue<AlertToast>(3)

/** Shows a market alert at the top right. The same alert is in the list: nothing is lost when the toast goes. */
export function alertToast(alert: AlertToast): void {
  queue.add(alert)
}

/**
 * Mount once. 8 s each, at most three; the newest is open, older ones are one line, and on phones, where there is no room beside the page,
 * a number. Alt+T moves focus there.
 */
export function AlertToasts() {
  const { shown, dropped } = useToastQueue(queue)
  const newest = shown.find((entry) => entry.open)
  const older = shown.filter((entry) => entry.open && entry !== newest).length
  const unseen = dropped + (usePhone() ? older : 0)
  return (
    <Radix.Provider label="Market alert" duration={8000} swipeDirection="right" swipeThreshold={50}>
      {[...shown].reverse().map((entry) => (
        <AlertToastItem key={entry.key} entry={entry} expanded={entry === newest} />
      ))}
      <div className="pointer-events-none fixed top-[calc(var(--alert-toast-top)+8px)] right-6 z-50 w-94 phone:top-[calc(var(--alert-toast-top)-1px)] phone:right-4 phone:left-4 phone:w-auto">
        <Radix.Viewport
          label="Market alerts ({hotkey})"
          hotkey={['altKey', 'KeyT']}
          className="pointer-events-auto flex flex-col-reverse gap-1 outline-none"
        />
        {unseen > 0 && (
          <p className="mt-1 inline-block rounded-control bg-ink-0 px-3 py-1 text-hint text-2">
            +{unseen} more in the list
          </p>
        )}
      </div>
    </Radix.Provider>
  )
}

function AlertToastItem({ entry, expanded }: { entry: Queued<AlertToast>; expanded: boolean }) {
  const alert = entry.item
  return (
    <Radix.Root
      open={entry.open}
      onOpenChange={(open) => {
        if (!open) queue.close(entry.key)
      }}
      type={alert.priority === 'critical' ? 'foreground' : 'background'}
      className={classNames('toast px-4 pr-3', priorityLooks[alert.priority].rail, expanded ? 'pb-3' : 'phone:hidden')}
    >
      <div className="flex h-8 items-center gap-2">
        <Radix.Title className="flex min-w-0 flex-1 items-center gap-2 text-base whitespace-nowrap">
          <PriorityGlyph priority={alert.priority} word className="font-semibold" />
          <span className="font-semibold">{alert.asset}</span>
          <span className="truncate text-2">{alert.anomalyType}</span>
        </Radix.Title>
        <Time at={alert.at} show="clock" className="text-data text-2" />
        <Radix.Close asChild>
          <IconButton icon={X} label="Close" size="sm" />
        </Radix.Close>
      </div>
      {expanded && (
        <>
          {alert.relation}
          <Radix.Description dir="auto" className="line-clamp-3 text-base wrap-anywhere">
            {alert.summary}
          </Radix.Description>
          <div className="mt-1 flex items-baseline gap-4 text-base">
            <HrefLink href={alert.href} className="link touch-target">
              Open alert
            </HrefLink>
            <HrefLink href={alert.verifyHref} className="link touch-target">
              Check proof
            </HrefLink>
            {alert.proof !== undefined && <span className="ml-auto pr-1">{alert.proof}</span>}
          </div>
        </>
      )}
    </Radix.Root>
  )
}
