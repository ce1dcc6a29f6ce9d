import type { ChannelTest } from '@tocsin/protocol'
import { CircleCheck, CircleX } from 'lucide-react'
import { Time } from '../../ui/time.tsx'
import { formatResponse, formatSeconds } from './channel-texts.ts'

/** Result of a test, with the time at which it arrived. */
export interface ShownTest {
  result: ChannelTest
  at: string
}

/** Shows the actual response of the receiving service to a test or a challenge. */
export function TestResult({ test: { result, at } }: { test: ShownTest }) {
  const { isDelivered, message, tookMs } = result
  const Icon = isDelivered ? CircleCheck : CircleX
  const shownResponse = formatResponse(result)
  return (
    <div role="status" className="flex min-w-0 gap-3">
      <Icon
        aria-hidden
        size={16}
        strokeWidth={2.25}
        className={`mt-0.5 shrink-0 ${isDelivered ? 'text-ok' : 'text-critical'}`}
      />
      <div className="min-w-0">
        <p className="text-base">
          {message} <span className="text-data whitespace-nowrap">{formatSeconds(tookMs)}</span>,{' '}
          <Time at={at} show="clock" className="text-data" />
        </p>
        {shownResponse !== '' && (
          <p dir="auto" className="line-clamp-3 text-data wrap-anywhere text-2">
            {shownResponse}
          </p>
        )}
      </div>
    </div>
  )
}
