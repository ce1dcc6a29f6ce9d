import { memo, useEffect, useId, useRef } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { PriorityGlyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { Time } from '../../ui/time.tsx'
import { AlertDetail } from './alert-detail.tsx'
import type { UserAlert } from './alert-filter.ts'
import { AlertSeal } from './alert-seal.tsx'
import { formatConfidence } from './alert-words.ts'
import { RelationTags, supersededLook } from './relations.tsx'

const columns =
  'lg:grid-cols-[8px_88px_84px_104px_136px_minmax(0,1fr)_56px_148px] lg:gap-x-3 max-lg:grid-cols-[auto_auto_minmax(0,1fr)_auto] max-lg:gap-x-3 max-lg:gap-y-1'

type CompactRowProps = {
  entry: UserAlert
  isOpen: boolean
  /** Opened from a link: brought into view. */
  isTarget: boolean
  onToggle: (id: string) => void
}

/** An alert on one line of 32 px, unread ones in full contrast; three lines under 1024 px. */
export const CompactRow = memo(function CompactRow({ entry, isOpen, isTarget, onToggle }: CompactRowProps) {
  const { alert, isRead } = entry
  const detailId = useId()
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isTarget) row.current?.scrollIntoView({ block: 'center' })
  }, [isTarget])
  return (
    <li
      ref={row}
      className={classNames(
        'animate-row border-t border-line-1 lg:[contain-intrinsic-size:auto_33px] lg:[content-visibility:auto]',
        priorityLooks[alert.priority].rail,
      )}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={() => onToggle(alert.id)}
        className={classNames(
          'focus-inset grid w-full items-center pr-5 pl-4 text-left text-base transition-[background-color] hover:bg-ink-2 lg:h-8 max-lg:py-2.5 phone:pr-4 phone:pl-3',
          columns,
          isOpen && 'bg-ink-2',
        )}
      >
        <span className={classNames('size-1.5 rounded-full', !isRead && 'bg-text-1')}>
          {!isRead && <span className="sr-only">Unread</span>}
        </span>
        <PriorityGlyph priority={alert.priority} word className="lg:order-2" />
        <span className="truncate font-semibold lg:order-3">{alert.asset}</span>
        <Time at={alert.createdAt} className="text-data text-2 max-lg:justify-self-end lg:order-1" />
        <span className="truncate text-2 max-lg:hidden lg:order-4">{alert.anomalyType}</span>
        <span className="min-w-0 lg:order-5 lg:flex lg:items-center lg:gap-2 max-lg:col-span-3 max-lg:col-start-2">
          <RelationTags alert={alert} className="max-lg:mb-1 lg:shrink-0 lg:flex-nowrap" />
          <span
            dir="auto"
            className={classNames(
              'wrap-anywhere lg:truncate max-lg:line-clamp-2',
              alert.supersededBy ? supersededLook : isRead ? 'text-2' : 'font-medium text-1',
            )}
          >
            {alert.summary}
          </span>
        </span>
        <span className="text-data max-lg:col-start-2 lg:order-6 lg:text-right">
          {formatConfidence(alert.confidence)}
        </span>
        <span className="max-lg:col-span-2 max-lg:justify-self-end lg:order-7">
          <AlertSeal alert={alert} size={20} />
        </span>
      </button>
      {isOpen && <AlertDetail alert={alert} id={detailId} />}
    </li>
  )
})

export function CompactHeads() {
  return (
    <div
      aria-hidden
      className={classNames(
        'hidden h-8 items-center border-l-2 border-transparent pr-5 pl-4 text-label text-2 lg:grid',
        columns,
      )}
    >
      <span />
      <span>Time UTC</span>
      <span>Priority</span>
      <span>Asset</span>
      <span>Type</span>
      <span>Summary</span>
      <span className="text-right">Conf.</span>
      <span>Proof</span>
    </div>
  )
}
