import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ChannelDelivery, Destination } from '@tocsin/protocol'
import { useState } from 'react'
import { queries } from '../../api/queries.ts'
import { createAlertPath } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { Glyph, PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { QueryContent } from '../settings/query-content.tsx'
import { type LedgerFilter, ledgerQuery } from './channel-queries.ts'
import { deliveryStyles, eventNames, formatResponse, formatSeconds, formatTries } from './channel-texts.ts'
import { useRedelivery } from './use-destination-change.ts'

const filters: { value: LedgerFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'open', label: 'Not delivered' },
  { value: 'skipped', label: 'Held or skipped' },
]

const emptyTexts: Record<LedgerFilter, string> = {
  all: 'No alerts for this destination yet.',
  open: 'Every alert that was due has been delivered.',
  skipped: 'No alert was held back or skipped.',
}

/** Lists the deliveries to a destination, each with its result. */
export function ChannelLedger({ destination }: { destination: Destination }) {
  const { id, name, state } = destination
  const [show, setShow] = useState<LedgerFilter>('all')
  const { data: config } = useQuery(queries.config)
  const ledger = useInfiniteQuery(ledgerQuery(id, show))
  const rows = ledger.data?.pages.flat() ?? []
  return (
    <Panel
      title="Delivery ledger"
      detail={name}
      flush
      actions={<Segmented label="Filter the ledger" value={show} onChange={setShow} choices={filters} />}
      footer={
        <LoadMore query={ledger}>
          {formatCount(rows.length)} shown. {config && `Deliveries are kept for ${config.deliveriesDays} days. `}Without
          a plan, at most one alert an hour is listed.
        </LoadMore>
      }
    >
      {state === 'on' && <RedeliveryForm id={id} />}
      <QueryContent query={ledger} what="the ledger" rows={3}>
        {() =>
          rows.length === 0 ? (
            <p className="px-5 py-4 text-base text-2 phone:px-4">{emptyTexts[show]}</p>
          ) : (
            <ul aria-label={`Deliveries to ${name}`} className="divide-y divide-line-1">
              {rows.map((row) => (
                <DeliveryRow key={row.id} row={row} destinationId={id} mayResend={state === 'on'} />
              ))}
            </ul>
          )
        }
      </QueryContent>
    </Panel>
  )
}

/** Form that requests redelivery of the undelivered alerts, starting at a log index. */
function RedeliveryForm({ id }: { id: string }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const resend = useRedelivery(id, { index: Number(text), andLater: true })
  return (
    <form
      noValidate
      className="flex flex-wrap items-end gap-3 border-b border-line-1 px-5 py-3 phone:px-4"
      onSubmit={(event) => {
        event.preventDefault()
        const isIndex = /^\d{1,15}$/.test(text)
        setError(isIndex ? undefined : 'Please enter a log index, for example 2497')
        if (isIndex) resend.mutate()
      }}
    >
      <TextField
        id="redeliver-from"
        label="Resend undelivered alerts from log index"
        value={text}
        onChange={({ target }) => setText(target.value.trim().replace(/^#/, '').replaceAll(',', ''))}
        inputMode="numeric"
        autoComplete="off"
        size="sm"
        mono
        error={error}
        className="max-w-90 flex-1"
      />
      <Button type="submit" busy={resend.isPending}>
        {resend.isPending ? 'Requesting…' : 'Send again'}
      </Button>
    </form>
  )
}

/** Grid columns of a row. Below `xl` the reason has its own line. */
const columns =
  'grid-cols-[auto_minmax(0,1fr)_auto] md:grid-cols-[64px_116px_minmax(0,1fr)_104px_64px_auto] xl:grid-cols-[64px_116px_252px_104px_64px_minmax(0,1fr)_auto]'

interface DeliveryRowProps {
  row: ChannelDelivery
  destinationId: string
  mayResend: boolean
}

function DeliveryRow({ row, destinationId, mayResend }: DeliveryRowProps) {
  const { logIndex, alert, event, state, reason, createdAt, nextAt, tookMs, attempts } = row
  const { word, shape, color } = deliveryStyles[state]
  const isOpen = state === 'waiting' || state === 'held'
  const [showsTries, setShowsTries] = useState(false)
  const resend = useRedelivery(destinationId, { index: logIndex, event })
  const number = `#${formatCount(logIndex)}`
  // An outcome has its own entry but no page, so link to the page of its alert.
  const alertIndex = alert?.logIndex ?? logIndex
  return (
    <li className="px-5 py-0.5 phone:px-4 phone:py-2">
      <div className={`grid min-h-7 items-center gap-x-4 ${columns}`}>
        <HrefLink
          href={createAlertPath(alertIndex)}
          className="link touch-target text-data"
          title={`Alert #${formatCount(alertIndex)}`}
        >
          {number}
        </HrefLink>
        <Time at={createdAt} className="text-data" />
        <span className="flex min-w-0 items-center gap-2 text-base phone:col-span-2 phone:row-start-2">
          {alert && (
            <>
              <PriorityGlyph priority={alert.priority} size={10} />
              <span className="font-semibold whitespace-nowrap">{alert.asset}</span>
              <span className="truncate text-2" title={alert.anomalyType}>
                {alert.anomalyType}
              </span>
            </>
          )}
        </span>
        <span className="flex items-center gap-2 text-base whitespace-nowrap">
          <Glyph shape={shape} size={8} className={color} />
          {word}
        </span>
        <span className="hidden text-right text-data whitespace-nowrap md:block">
          {tookMs === null ? '' : formatSeconds(tookMs)}
        </span>
        <span className="min-w-0 text-base wrap-anywhere text-2 phone:col-span-2 phone:row-start-3 md:col-span-5 md:col-start-2 md:row-start-2 xl:col-span-1 xl:col-start-6 xl:row-start-1">
          {event !== 'alert' && <span className="text-1">{eventNames[event]}. </span>}
          {reason}
          {nextAt !== null && attempts.length > 0 && (
            <>
              , next attempt <Time at={nextAt} />
            </>
          )}
          {tookMs !== null && <span className="md:hidden">, {formatSeconds(tookMs)}</span>}{' '}
          {attempts.length > 0 && (
            <button
              type="button"
              aria-expanded={showsTries}
              onClick={() => setShowsTries(!showsTries)}
              className="touch-target ml-1 text-hint whitespace-nowrap underline underline-offset-4 hover:text-1"
            >
              {formatTries(attempts.length)}
            </button>
          )}
        </span>
        {mayResend ? (
          <Button
            size="sm"
            variant="ghost"
            busy={resend.isPending}
            aria-label={isOpen ? `Send ${number} now` : `Send ${number} again`}
            onClick={() => resend.mutate()}
            className="text-signal phone:col-start-3 phone:row-start-3"
          >
            {isOpen ? 'Send now' : 'Resend'}
          </Button>
        ) : (
          <span />
        )}
      </div>
      {showsTries && (
        <ol className="grid gap-1 pb-2">
          {attempts.map((attempt) => (
            <li key={attempt.at} className="flex flex-wrap gap-x-3 text-data text-2">
              <Time at={attempt.at} />
              <span className="text-1">{formatSeconds(attempt.tookMs)}</span>
              <span dir="auto" className="min-w-0 wrap-anywhere">
                {formatResponse(attempt)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </li>
  )
}
