import { createInterface } from 'node:readline'

// Shared code of the WebSocket servers that are compared with the product. Each runs as
// `server.mjs <port> <bytes of an alert>` and responds to any message with {"type":"live"}.
// bench/fanout/servers.ts controls it by lines on its standard input.

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
 * Prints "up", and then executes the commands on standard input: "p" publishes the alert and prints
 * the time before it, any other line collects garbage and prints 0.
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
