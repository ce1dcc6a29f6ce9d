import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'

/**
 * Traces (OpenTelemetry), which are off unless the standard variables configure a collector. An
 * alert has one trace, from the receipt of its signal to the last write to a socket. The ids of the
 * trace are derived from the id of the alert, so that the spans of all instances belong to one
 * trace without messages between instances. Spans contain ids, counts and times, but no content of
 * alerts.
 */

/**
 * Ids of the first span of a trace, derived from the id of the alert. All instances derive the same
 * ids.
 */
interface SpanIds {
  traceId: string
  spanId: string
}

/**
 * Null while tracing is off. `next` has the ids for the next span that starts, or is null for
 * random ids.
 */
let fixedIds: { next: SpanIds | null } | null = null

/**
 * Starts to export spans if OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is
 * set. The exporter reads these and the other standard variables itself.
 * @returns a function that exports the remaining spans and ends tracing
 */
export async function startTracing(
  env: NodeJS.ProcessEnv,
  version: string,
  port: number,
): Promise<() => Promise<void>> {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (!endpoint || isOff) return async () => {}
  // Loaded on demand, because most installations do not use tracing.
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  const ids: { next: SpanIds | null } = { next: null }
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': env.OTEL_SERVICE_NAME ?? 'tocsin',
      'service.version': version,
      'service.instance.id': `${hostname()}:${port}`,
    }),
    idGenerator: {
      generateTraceId: () => ids.next?.traceId ?? randomBytes(16).toString('hex'),
      generateSpanId: () => ids.next?.spanId ?? randomBytes(8).toString('hex'),
    },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  trace.setGlobalTracerProvider(provider)
  fixedIds = ids
  return async () => {
    fixedIds = null
    trace.disable()
    await provider.shutdown()
  }
}

/** Returns the time in ms since 1970 with fractions, by a monotonic clock. */
export const traceNow = (): number => performance.timeOrigin + performance.now()

interface SpanTiming {
  startMs: number
  endMs?: number
  attributes?: Attributes
}

/**
 * Records the first span of an alert's trace, from the receipt of the signal or request to the
 * commit of the alert.
 */
export function traceIssued(alert: { id: string; logIndex: number }, startMs: number): void {
  const attributes = { 'tocsin.alert.id': alert.id, 'tocsin.log.index': alert.logIndex }
  startRoot(alert.id, { startTime: startMs, attributes })?.end(traceNow())
}

/**
 * Starts the first span of an alert's trace. Returns null while tracing is off. A span that is not
 * ended is not exported.
 */
function startRoot(alertId: string, options: SpanOptions = {}): Span | null {
  if (!fixedIds) return null
  fixedIds.next = deriveSpanIds(alertId)
  try {
    return getTracer().startSpan('issue alert', { ...options, root: true })
  } finally {
    fixedIds.next = null
  }
}

/** Records a further span in the trace of an alert. */
export function traceStep(
  alertId: string,
  name: string,
  { startMs, endMs = traceNow(), attributes = {} }: SpanTiming,
): void {
  // The sampler uses the id of the trace, so its decision is the same as for the first span.
  const root = startRoot(alertId)?.spanContext()
  if (!root) return
  const parent = trace.setSpanContext(ROOT_CONTEXT, { ...root, isRemote: true })
  getTracer().startSpan(name, { startTime: startMs, attributes }, parent).end(endMs)
}

interface AnsweredRequest {
  method: string
  /** Pattern of the route instead of the URL, because URLs can contain secrets. */
  route: string
  status: number
  durationMs: number
  headers: Record<string, string | string[] | undefined>
}

const propagator = new W3CTraceContextPropagator()
const headerGetter = {
  get: (headers: AnsweredRequest['headers'], key: string) => headers[key],
  keys: (headers: AnsweredRequest['headers']) => Object.keys(headers),
}

/**
 * Records a request. If the caller sent a trace context (W3C Trace Context), the span belongs to
 * the caller's trace, otherwise to a new trace.
 */
export function traceRequest({ method, route, status, durationMs, headers }: AnsweredRequest): void {
  if (!fixedIds) return
  const parent: Context = propagator.extract(ROOT_CONTEXT, headers, headerGetter)
  const endMs = traceNow()
  const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
  const options = { kind: SpanKind.SERVER, startTime: endMs - durationMs, attributes }
  getTracer().startSpan(`${method} ${route}`, options, parent).end(endMs)
}

const getTracer = () => trace.getTracer('tocsin')

function deriveSpanIds(alertId: string): SpanIds {
  const digest = createHash('sha256').update(`tocsin alert ${alertId}`).digest('hex')
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}
