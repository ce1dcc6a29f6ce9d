import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'

/**
 * Tells users without a subscription why the newest alerts are missing.
 * @param isShort shortens the text to one line, so that the first row stays on the first screen
 */
export function SampleNotice({ isShort = false }: { isShort?: boolean }) {
  const { data: config } = useQuery(queries.config)
  const hours = config?.publicDelayHours ?? 0
  return (
    <p className="border border-line-1 bg-ink-1 px-4 py-2.5 text-base text-pretty text-2">
      {`A sample: alerts older than ${hours} ${hours === 1 ? 'hour' : 'hours'} are public.`}{' '}
      <span className={isShort ? 'sr-only' : undefined}>Subscribers see new alerts at once.</span>
    </p>
  )
}
