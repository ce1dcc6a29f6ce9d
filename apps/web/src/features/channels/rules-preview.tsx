import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DeliveryRules, RulesPreview as Preview } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { call } from '../../api/api.ts'
import { createAlertPath } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { resolveTimeZone } from '../../ui/known-zone.ts'
import { Time } from '../../ui/time.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { channelKey } from './channel-queries.ts'

const DEBOUNCE_MS = 300
const BAR_PX = 36

/** Shows which of the alerts issued in the last 7 days the rules would have let through. */
export function RulesPreview({ rules }: { rules: DeliveryRules }) {
  const timeZone = resolveTimeZone(useTimeStyle().timeZone)
  const debouncedRules = useDebounced(rules)
  const { data, error } = useQuery({
    queryKey: [...channelKey, 'preview', debouncedRules, timeZone],
    queryFn: ({ signal }) => call('previewRules', { body: { rules: debouncedRules, timeZone }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const [isOpen, setIsOpen] = useState(false)
  if (error) return <p className="text-base text-2">The preview could not be loaded.</p>
  if (!data) return <div className="h-30 border border-line-1 bg-ink-2" />
  const { count, inSummaries } = data
  return (
    <div className="border border-line-1 bg-ink-2 p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <p aria-live="polite" className="text-base">
          You would have received <strong className="font-semibold">{formatCountOf(count, 'alert')}</strong> in the last
          7 days
        </p>
        {count > 0 && (
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className="-mx-2 text-signal"
          >
            {isOpen ? 'Hide' : 'See'} the {formatCount(Math.min(count, data.alerts.length))}
          </Button>
        )}
      </div>
      <Days days={data.days} />
      <p className="mt-2 text-hint text-2">
        {formatOutcomes(data)}
        {inSummaries > 0 && ` ${formatCount(inSummaries)} of the alerts would be in an hourly digest.`}
      </p>
      {isOpen && <PreviewList alerts={data.alerts} count={count} />}
    </div>
  )
}

/** Counts the verdicts: "Of 14 predictions 9 came true, 3 did not come true, 2 are open." */
function formatOutcomes({ cameTrue, didNot, open }: Preview): string {
  const totalCount = cameTrue + didNot + open
  if (totalCount === 0) return 'None of these alerts has a prediction.'
  return `Of ${formatCountOf(totalCount, 'prediction')} ${formatCount(cameTrue)} came true, ${formatCount(didNot)} did not come true, ${formatCount(open)} ${open === 1 ? 'is' : 'are'} open.`
}

const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' })

/** Shows a bar with the number of alerts for each day. The last day is today. */
function Days({ days }: { days: Preview['days'] }) {
  const max = Math.max(1, ...days.map(({ count }) => count))
  return (
    <ol aria-label="Alerts by day" className="mt-3 grid grid-cols-7 items-end gap-2">
      {days.map(({ day, count }, index) => (
        <li key={day} className="grid gap-1 text-center">
          <span
            aria-hidden
            className={classNames('block', index === days.length - 1 ? 'bg-text-1' : 'bg-line-2')}
            style={{ height: `${Math.max(1, Math.round((count / max) * BAR_PX))}px` }}
          />
          <span className="text-data text-hint text-2">
            {weekday.format(new Date(day))} <span className="block text-1">{formatCount(count)}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}

function PreviewList({ alerts, count }: { alerts: Preview['alerts']; count: number }) {
  return (
    <>
      <ul aria-label="Alerts that you would have received" className="mt-3 grid max-h-60 gap-1 overflow-y-auto">
        {alerts.map(({ id, logIndex, asset, anomalyType, priority, confidence, at }) => (
          <li key={id} className="flex min-h-6 flex-wrap items-center gap-x-3 text-base">
            <Time at={at} className="text-data text-2" />
            <PriorityGlyph priority={priority} size={10} />
            <HrefLink href={createAlertPath(logIndex)} className="link">
              {asset}
            </HrefLink>
            <span className="text-2">
              {anomalyType} {confidence}%
            </span>
          </li>
        ))}
      </ul>
      {count > alerts.length && (
        <p className="mt-1 text-hint text-2">
          The newest {alerts.length} of {formatCount(count)}.
        </p>
      )}
    </>
  )
}

/** Debounces a value: returns it after it has not changed for `DEBOUNCE_MS`. */
function useDebounced<T>(value: T): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
