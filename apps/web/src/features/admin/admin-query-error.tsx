import { CircleAlert } from 'lucide-react'
import { getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'

type AdminQueryErrorProps = {
  /** Always shown. The message of the server, if it sent one, follows. */
  fallback: string
  query: { error: unknown; isFetching: boolean; refetch: () => unknown }
}

/** Error message with a retry button. */
export function AdminQueryError({ fallback, query: { error, isFetching, refetch } }: AdminQueryErrorProps) {
  const serverMessage = getErrorMessage(error, '')
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 text-base">
      <CircleAlert aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-critical" />
      <span className="flex-1">
        {fallback}
        {serverMessage !== '' && <span className="ml-2 text-2">{serverMessage}</span>}
      </span>
      <Button size="sm" busy={isFetching} onClick={() => void refetch()}>
        {isFetching ? 'Trying…' : 'Try again'}
      </Button>
    </div>
  )
}
