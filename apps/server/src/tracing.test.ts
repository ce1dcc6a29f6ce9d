import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startTracing, traceIssued, traceNow, traceRequest, traceStep } from './tracing.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string }[]
}

let stop = async () => {}
afterEach(() => stop())

/** Starts a collector that accepts OTLP over HTTP with JSON. */
async function startCollector() {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    bodies.push(body)
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  stop = async () => void server.close()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bodies,
    spans: (): Span[] =>
      bodies.flatMap((body) =>
        JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: Span[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
  }
}

const alert = { id: '0193a1c0-0000-7000-8000-000000000001', logIndex: 7 }

test('traces: the steps of an alert on two instances belong to one trace that starts when the alert is issued', async () => {
  const { endpoint, spans } = await startCollector()
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint
  for (const work of [
    () => {
      traceIssued(alert, traceNow() - 5)
      traceStep(alert.id, 'write to sockets', { startMs: traceNow() })
    },
    () => traceStep(alert.id, 'write to sockets', { startMs: traceNow() }),
  ]) {
    const endTracing = await startTracing(process.env, '1.0.0', 3000)
    work()
    await endTracing()
  }
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  const found = spans()
  const root = found.find(({ name }) => name === 'issue alert')
  const steps = found.filter(({ name }) => name === 'write to sockets')
  expect(root?.parentSpanId).toBeUndefined()
  expect(steps).toHaveLength(2)
  expect(new Set(steps.map(({ spanId }) => spanId)).size).toBe(2)
  for (const step of steps) {
    expect(step).toMatchObject({ traceId: root?.traceId, parentSpanId: root?.spanId })
  }
})

test('traces: the span of a request continues the caller’s trace, and contains no cookie or bearer token', async () => {
  const { endpoint, spans, bodies } = await startCollector()
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint
  const endTracing = await startTracing(process.env, '1.0.0', 3000)
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const headers = {
    traceparent: `00-${traceId}-${spanId}-01`,
    cookie: 'session=secret',
    authorization: 'Bearer secret',
  }
  const request = { method: 'GET', route: '/api/alerts/:id', status: 200, durationMs: 3 }
  traceRequest({ ...request, headers })
  traceRequest({ ...request, headers: { traceparent: 'nonsense' } })
  await endTracing()
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  const [continuedSpan, ownSpan] = spans()
  expect(continuedSpan).toMatchObject({ name: 'GET /api/alerts/:id', traceId, parentSpanId: spanId })
  expect(ownSpan?.parentSpanId).toBeUndefined()
  expect(bodies.join()).not.toContain('secret')
})

test('traces: nothing is sent when no collector is configured or tracing is disabled', async () => {
  const { endpoint, bodies } = await startCollector()
  for (const env of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ]) {
    const endTracing = await startTracing(env, '1.0.0', 3000)
    traceIssued(alert, traceNow())
    await endTracing()
  }
  expect(bodies).toEqual([])
})

test('traces: the steps of an alert are exported exactly when the first span of the alert is sampled', async () => {
  const { endpoint, spans } = await startCollector()
  const sampling = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...sampling })
  const endTracing = await startTracing(process.env, '1.0.0', 3000)
  for (let logIndex = 0; logIndex < 40; logIndex += 1) {
    const id = `0193a1c0-0000-7000-8000-${String(logIndex).padStart(12, '0')}`
    traceIssued({ id, logIndex }, traceNow() - 5)
    traceStep(id, 'write to sockets', { startMs: traceNow() })
  }
  await endTracing()
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', ...Object.keys(sampling)]) delete process.env[name]
  const getTraces = (name: string) =>
    spans()
      .filter((span) => span.name === name)
      .map(({ traceId }) => traceId)
  expect(getTraces('issue alert').length).toBeGreaterThan(0)
  expect(getTraces('issue alert').length).toBeLessThan(40)
  expect(getTraces('write to sockets').sort()).toEqual(getTraces('issue alert').sort())
})
