import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client'

/**
 * Instruments of this process. They are created without a registry, so that any module can record
 * values. `registerMetrics` adds them to the registry of /metrics. Do not change names or labels:
 * dashboards and alert rules use them.
 */
const unregistered = { registers: [] }

export const httpRequestSeconds = new Histogram({
  name: 'tocsin_http_request_duration_seconds',
  help: 'Time from the head of a request to the end of its response',
  labelNames: ['method', 'route', 'code'],
  buckets: [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  ...unregistered,
})

export const streamDeliverySeconds = new Histogram({
  name: 'tocsin_stream_delivery_seconds',
  help: 'Time from the issue of an alert to its last write to a socket of this instance',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  ...unregistered,
})

export const rpcRequestSeconds = new Histogram({
  name: 'tocsin_rpc_request_duration_seconds',
  help: 'Duration of HTTP requests to chain nodes, by host of the node and outcome (ok, http_error, timeout, unreachable)',
  labelNames: ['node', 'outcome'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  ...unregistered,
})

export const mailsTotal = new Counter({
  name: 'tocsin_mails_total',
  help: 'Attempts of this instance to hand an email to the mail server, by outcome (sent, failed)',
  labelNames: ['outcome'],
  ...unregistered,
})

export const channelAttemptsTotal = new Counter({
  name: 'tocsin_channel_attempts_total',
  help: 'Attempts to send to destinations of users, by kind and resulting state (delivered, waiting for a retry, dead)',
  labelNames: ['kind', 'state'],
  ...unregistered,
})

/** The cast is needed, because the package's types are invariant in the labels. */
const instruments = [
  httpRequestSeconds,
  streamDeliverySeconds,
  rpcRequestSeconds,
  mailsTotal,
  channelAttemptsTotal,
] as Metric[]

interface MetricText {
  help: string
  labels?: string[]
}

/**
 * Metrics that are measured at each scrape. A gauge without labels is NaN while its value cannot be
 * read. A metric whose name ends in `_total` is a counter, whose total another part of the server
 * keeps.
 */
const measuredMetrics = {
  tocsin_build_info: { help: 'Always 1; the label is the running version', labels: ['version'] },
  tocsin_check_ok: { help: '1 if the check of /readyz passes, otherwise 0', labels: ['check'] },
  tocsin_leads: {
    help: '1 for each background job that this instance runs; each job runs on one instance at a time',
    labels: ['job'],
  },
  tocsin_streams_connected: { help: 'Live sockets open on this instance' },
  tocsin_sign_in_failures_total: {
    help: 'Sign-ins that failed or were rate limited on this instance since it started',
  },
  tocsin_sign_in_alarm: {
    help: '1 if so many sign-ins fail that credential stuffing is likely, otherwise 0',
  },
  tocsin_security_events_dropped_total: {
    help: 'Security events that this instance has dropped since it started, by target (database, syslog)',
    labels: ['target'],
  },
  tocsin_database_connections: { help: 'Pooled database connections, by state', labels: ['state'] },
  tocsin_database_waiting: { help: 'Queries that wait for a free database connection' },
  tocsin_database_size_bytes: { help: 'Size of the database on disk' },
  tocsin_replica_lag_seconds: {
    help: 'Age of the newest transaction that the replica has replayed; NaN without DATABASE_REPLICA_URL or if the replica does not respond',
  },
  tocsin_clock_ahead_seconds: {
    help: "Offset of this instance's clock from the database's clock; beyond 10 s in either direction the instance issues nothing",
  },
  tocsin_sessions: { help: 'Sessions that have not expired' },
  tocsin_log_entries: { help: 'Entries in the transparency log; NaN if the database cannot be read' },
  tocsin_log_stopped: { help: '1 if the log contradicts its anchors and nothing is appended, otherwise 0' },
  tocsin_anchor_waiting_entries: { help: 'Log entries that no anchor covers yet' },
  tocsin_anchor_lag_seconds: { help: 'Age of the oldest log entry that no anchor covers, 0 if all are covered' },
  tocsin_anchor_interval_seconds: { help: 'ANCHOR_INTERVAL_SECONDS: the configured time between two anchors' },
  tocsin_anchors_left: {
    help: 'Anchors that the balance of the anchoring wallet pays for at the current gas price; NaN if the chain cannot be read',
  },
  tocsin_feed_connected: { help: '1 if the signal feed is connected, 0 if it is not; NaN without a feed' },
  tocsin_feed_signals_total: { help: 'Signals of the feed, by result', labels: ['outcome'] },
  tocsin_feed_signal_age_seconds: { help: 'Time since the newest signal; NaN before the first one' },
  tocsin_engine_status_age_seconds: {
    help: 'Time since the newest status of the engine; NaN if no engine has sent one',
  },
  tocsin_payment_lag_seconds: {
    help: 'Time since the payment watcher last completed a pass over the chain',
    labels: ['chain_id'],
  },
  tocsin_payment_block: { help: 'Newest block whose payments are credited', labels: ['chain_id'] },
  tocsin_payments_unmatched: { help: 'Transfers to the treasury that an operator has to resolve' },
  tocsin_backup_age_seconds: { help: 'Time since `tocsin backup --verify` last succeeded; NaN if it never did' },
  tocsin_queue_depth: { help: 'Messages that are due or in progress, by queue (mail, channels)', labels: ['queue'] },
  tocsin_queue_age_seconds: {
    help: 'Age of the oldest due message in seconds, or 0 if no message is due',
    labels: ['queue'],
  },
} satisfies Record<string, MetricText>

/** One value of a measured metric. */
export interface Sample {
  name: keyof typeof measuredMetrics
  value: number
  labels?: Record<string, string>
}

/**
 * Adds the instruments and the measured metrics to the registry. Returns a function that replaces
 * the values of all measured metrics; call it at each scrape.
 */
export function registerMetrics(registry: Registry): (samples: readonly Sample[]) => void {
  for (const instrument of instruments) registry.registerMetric(instrument)
  const metricsByName = new Map(
    Object.entries<MetricText>(measuredMetrics).map(([name, { help, labels = [] }]) => {
      const options = { name, help, labelNames: labels, registers: [registry] }
      return [name, name.endsWith('_total') ? createMeasuredCounter(options) : createMeasuredGauge(options)]
    }),
  )
  return (samples) => {
    for (const { reset } of metricsByName.values()) reset()
    for (const { name, value, labels = {} } of samples) metricsByName.get(name)?.set(labels, value)
  }
}

interface Options {
  name: string
  help: string
  labelNames: string[]
  registers: Registry[]
}

function createMeasuredCounter(options: Options) {
  const counter = new Counter(options)
  return {
    reset: () => counter.reset(),
    set: (labels: Record<string, string>, value: number) => counter.inc(labels, value),
  }
}

function createMeasuredGauge(options: Options) {
  const gauge = new Gauge(options)
  return {
    reset() {
      gauge.reset()
      if (options.labelNames.length === 0) gauge.set(Number.NaN)
    },
    set: (labels: Record<string, string>, value: number) => gauge.set(labels, value),
  }
}
