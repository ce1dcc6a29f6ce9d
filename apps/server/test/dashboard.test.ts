import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Dashboard, findDashboardProblems } from './dashboard-problems.ts'

const path = new URL('../../../ops/grafana-dashboard.json', import.meta.url)
const readDashboard = (): Dashboard => JSON.parse(readFileSync(path, 'utf8'))

test('Grafana dashboard: is valid', () => {
  expect(findDashboardProblems(readDashboard())).toEqual([])
})

test('Grafana dashboard: reads metrics that other Node.js programs export too only from the job of Tocsin', () => {
  const queries = readDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const sharedMetrics = queries.flatMap((query) => query.match(/\b(?:nodejs|process)_\w+(?:\{[^}]*\})?/g) ?? [])
  expect(sharedMetrics).not.toEqual([])
  expect(sharedMetrics.filter((metric) => !metric.includes('{job="tocsin"'))).toEqual([])
})

type Panel = Dashboard['panels'][number]

test.each<[string, (first: Panel, second: Panel, file: Dashboard) => void, string]>([
  ['a panel of an unknown type', (first) => Object.assign(first, { type: 'graphs' }), 'panels.0.type'],
  ['a panel without a unit', (first) => Object.assign(first.fieldConfig.defaults, { unit: undefined }), 'unit'],
  ['a panel without a query', (first) => Object.assign(first, { targets: [] }), 'targets'],
  ['an id twice', (first, second) => Object.assign(second, { id: first.id }), 'another panel has the id 1'],
  ['a panel beyond the last column', (first) => Object.assign(first.gridPos, { x: 17 }), 'exceeds the 24 columns'],
  ['panels that overlap', (_first, second) => Object.assign(second.gridPos, { x: 7 }), 'overlaps Checks that fail'],
  ['a fixed data source', (first) => Object.assign(first.datasource, { uid: 'abc' }), 'is no variable'],
  [
    'a query of a fixed data source',
    ({ targets: [target] }) => Object.assign(target?.datasource ?? {}, { uid: 'abc' }),
    'is no variable',
  ],
  ['no data source variable', (_first, _second, { templating }) => templating.list.splice(0), 'is no variable'],
  ['an old schema', (_first, _second, file) => Object.assign(file, { schemaVersion: 16 }), 'schemaVersion'],
  ['a refId twice', ({ targets }) => targets.push(...targets), 'repeats a refId'],
])('Grafana dashboard: is rejected with %s', (_name, change, problem) => {
  const file = readDashboard()
  const [first, second] = file.panels as [Panel, Panel]
  change(first, second, file)
  expect(findDashboardProblems(file).join('\n')).toContain(problem)
})
