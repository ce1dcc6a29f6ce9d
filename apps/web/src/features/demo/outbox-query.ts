import { queryOptions } from '@tanstack/react-query'
import { outboxMail } from '@tocsin/protocol'
import { z } from 'zod'
import { ApiError } from '../../api/api.ts'

export type OutboxMail = z.infer<typeof outboxMail>

const refreshMs = 2000

/** The mails of the demo's outbox, newest first. The endpoint is not part of the API. */
export const outboxQuery = queryOptions({
  queryKey: ['/dev/outbox.json'],
  queryFn: async ({ signal }) => {
    const answer = await fetch('/dev/outbox.json', { signal })
    const body = await answer.text()
    if (!answer.ok) throw new ApiError(answer.status, body, answer.statusText)
    return z.array(outboxMail).parse(JSON.parse(body))
  },
  refetchInterval: refreshMs,
})
