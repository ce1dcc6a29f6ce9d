import { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import { readSettings } from '../read-config.ts'
import { type CliEnvironment, type Command, CommandFailure, exitCodes, findTextOption } from './command.ts'

const DEGRADED = 3
const TIMEOUT_MS = 5_000

const readinessSchema = z.object({ status: z.string(), reasons: z.record(z.string(), z.string()) })

/**
 * Captions and patterns of the metrics that are shown. The last capture group of a pattern is the
 * value. A capture group before it is a label, which is printed after the caption.
 */
const figures: [string, RegExp][] = [
  ['version', /^tocsin_build_info\{version="(.*)"\} /gm],
  ['live sockets', /^tocsin_streams_connected (\S+)/gm],
  ['log entries', /^tocsin_log_entries (\S+)/gm],
  ['entries without an anchor', /^tocsin_anchor_waiting_entries (\S+)/gm],
  ['anchor lag in seconds', /^tocsin_anchor_lag_seconds (\S+)/gm],
  ['anchors left in the wallet', /^tocsin_anchors_left (\S+)/gm],
  ['feed connected', /^tocsin_feed_connected (\S+)/gm],
  ['age of the newest signal in seconds', /^tocsin_feed_signal_age_seconds (\S+)/gm],
  ['payment lag in seconds, chain', /^tocsin_payment_lag_seconds\{chain_id="(\d+)"\} (\S+)/gm],
  ['unmatched payments', /^tocsin_payments_unmatched (\S+)/gm],
  ['due messages, queue', /^tocsin_queue_depth\{queue="(\w+)"\} (\S+)/gm],
  ['age of the oldest due message in seconds, queue', /^tocsin_queue_age_seconds\{queue="(\w+)"\} (\S+)/gm],
  ['clock difference in seconds', /^tocsin_clock_ahead_seconds (\S+)/gm],
]

export const status: Command = {
  name: 'status',
  summary: 'Shows the response of /readyz of the running server, and its most important measurements.',
  usage: [
    '[--url <url>]',
    '--url <url>   an instance; default: the one with HOST and PORT of the settings',
    `Exit codes: 0 ready, ${DEGRADED} degraded, 1 unavailable.`,
  ],
  options: { url: { type: 'string' } },
  files: 0,
  async run({ values }, cli) {
    const url = findTextOption(values, 'url') ?? getOwnUrl(cli)
    const readiness = readinessSchema.safeParse(parseJson(await fetchText(url, '/readyz')))
    if (!readiness.success) throw new CommandFailure(`${url} does not respond like a Tocsin server: check the address`)
    const { status: state, reasons } = readiness.data
    cli.out(`${url}: ${state}`)
    for (const [check, reason] of Object.entries(reasons)) cli.out(`  ${check}: ${reason}`)
    for (const line of await readFigures(url, cli)) cli.out(`  ${line}`)
    if (state === 'ready') return exitCodes.done
    return state === 'degraded' ? DEGRADED : exitCodes.failed
  },
}

function getOwnUrl(cli: CliEnvironment): string {
  const { host, port } = readSettings(cli.env, { hasDemo: cli.demo !== null })
  const isWildcardHost = host === '0.0.0.0' || host === '::'
  return `http://${isWildcardHost ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}

async function fetchText(url: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  try {
    const response = await fetch(new URL(path, url), { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    return await response.text()
  } catch {
    throw new CommandFailure(`${url} does not respond: the server is not running there, or hangs`)
  }
}

async function readFigures(url: string, { env }: CliEnvironment): Promise<string[]> {
  // Only this setting is read: the other ones need not be set to query another instance.
  const { METRICS_TOKEN, METRICS_TOKEN_FILE } = env
  const token = readSettings({ METRICS_TOKEN, METRICS_TOKEN_FILE }).set.METRICS_TOKEN
  const metrics = await fetchText(url, '/metrics', token ? { authorization: `Bearer ${token}` } : {})
  const jobs = Array.from(metrics.matchAll(/^tocsin_leads\{job="(.*)"\} 1/gm), ([, job]) => job)
  const figureLines = figures.flatMap(([caption, pattern]) =>
    Array.from(metrics.matchAll(pattern), (match) => match.slice(1))
      .filter((groups) => !/^nan$/i.test(groups.at(-1) ?? ''))
      .map((groups) => `${[caption, ...groups.slice(0, -1)].join(' ')}: ${groups.at(-1)}`),
  )
  return jobs.length > 0 ? [...figureLines, `runs the jobs: ${jobs.join(', ')}`] : figureLines
}
