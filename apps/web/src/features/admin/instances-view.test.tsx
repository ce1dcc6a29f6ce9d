import type { AdminInstance, AdminInstances } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it, test } from 'vitest'
import { describeStates } from './day-lines.tsx'
import { InstancesPanels } from './instances-view.tsx'

const createInstance = (change: Partial<AdminInstance> = {}): AdminInstance => ({
  name: 'one:3000',
  version: '1.0.0',
  startedAt: '2026-03-02T08:00:00.000Z',
  seenAt: '2026-03-02T14:30:00.000Z',
  state: 'ready',
  isSilent: false,
  failing: [],
  jobs: [],
  connected: 1,
  loopDelayMs: 0.4,
  day: { states: [null, 'ready'], connected: [null, 1], loopDelayMs: [null, 0.4] },
  ...change,
})
const renderView = (change: Partial<AdminInstances> = {}) => {
  const view: AdminInstances = {
    now: '2026-03-02T14:31:00.000Z',
    from: '2026-03-02T14:20:00.000Z',
    stepSeconds: 600,
    instances: [createInstance()],
    lags: [{ name: 'anchoring', seconds: 4, day: [null, 90] }],
    ...change,
  }
  return renderToStaticMarkup(<InstancesPanels view={view} />).replaceAll(/<!-- -->/g, '')
}

describe('InstancesPanels', () => {
  it('shows state, live sockets and the last 24 hours of each instance', () => {
    const html = renderView()
    expect(html).toContain('1 live socket,')
    expect(html).toContain('one:3000, last 24 hours: no report 10 min, ready 10 min')
    expect(html).toContain('one:3000, live sockets, last 24 hours: at most 1"')
    expect(html).toContain('Event loop delay, at most 1 ms')
    expect(html).toContain('Anchoring, last 24 hours: at most 1 min')
  })

  it('shows “not measured” when the last 24 hours have no measured value', () => {
    const day = { states: [null], connected: [null], loopDelayMs: [null] }
    expect(renderView({ instances: [createInstance({ day })] })).toContain('Live sockets, not measured')
  })

  it('names the instance that runs each job, and shows “No instance” for a job that no instance runs', () => {
    const html = renderView({ instances: [createInstance({ jobs: ['payments'] })] })
    expect(html.match(/No instance/g)).toHaveLength(9)
    expect(html).toMatch(/Payments<\/dt><dd[^>]*>one:3000/)
    expect(html).toMatch(/Scheduled alerts<\/dt><dd[^>]*><span[^>]*>No instance/)
  })

  it('shows “No instance” for a job when the instance that runs the job is silent or stopped', () => {
    const jobs = ['payments']
    const html = renderView({
      instances: [
        createInstance({ isSilent: true, jobs }),
        createInstance({ name: 'two:3000', state: 'stopped', jobs }),
      ],
    })
    expect(html.match(/No instance/g)).toHaveLength(10)
    expect(html).toContain('Silent')
    expect(html.match(/Last report/g)).toHaveLength(2)
  })

  it('shows the escaped reason of each failing health check of an instance', () => {
    const failingChecks = [{ check: 'feed', reason: 'The feed <b>is away' }]
    expect(renderView({ instances: [createInstance({ state: 'degraded', failing: failingChecks })] })).toContain(
      'feed: The feed &lt;b&gt;is away',
    )
  })

  it('shows “No report yet” when there are no instances', () => {
    expect(renderView({ instances: [] })).toContain('No report yet')
  })
})

test('describeStates: adds up the time in each state in hours and minutes', () => {
  const states = [...Array(9).fill('ready'), 'unavailable', null, 'ready'] as const
  expect(describeStates([...states], 600)).toBe('ready 1 h 40 min, unavailable 10 min, no report 10 min')
  expect(describeStates(['stopped'], 3_600)).toBe('stopped 1 h')
})
