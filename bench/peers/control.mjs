import { createInterface } from 'node:readline'

// Common parts of the peers. Each runs as `server.mjs <port> <bytes of an alert>`, sends
// {"type":"live"} in response to any message, and is controlled by lines on its standard input:
// bench/fanout/servers.ts.

export const port = Number(process.argv[2])
export const host = '127.0.0.1'
export const live = '{"type":"live"}'

const empty = { type: 'new_alert', alert: { text: '' } }
/** The alert that is sent to every client. */
export const alert = {
  ...empty,
  alert: { text: 'x'.repeat(Number(process.argv[3]) - JSON.stringify(empty).length) },
}
export const alertText = JSON.stringify(alert)

/**
 * Announces that the server listens, and obeys the lines.
 * @param publish sends the alert to every client
 * @param now returns the time in nanoseconds of the monotonic clock
 */
export function obeyLines(publish, { collect = () => globalThis.gc?.(), now = () => process.hrtime.bigint() } = {}) {
  const answer = (value) => process.stdout.write(`${value}\n`)
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      if (line === 'p') {
        const sentAt = now()
        publish()
        answer(sentAt)
      } else {
        collect()
        answer(0)
      }
    })
    .on('close', () => process.exit(0))
  answer('up')
}
