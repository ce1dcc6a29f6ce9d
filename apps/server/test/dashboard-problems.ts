import { z } from 'zod'

/** Panel types that are part of Grafana 10 and 11. Other types need a plug-in. */
const PANEL_TYPES = [
  ...['alertlist', 'annolist', 'barchart', 'bargauge', 'candlestick', 'canvas', 'dashlist', 'datagrid', 'flamegraph'],
  ...['gauge', 'geomap', 'heatmap', 'histogram', 'logs', 'news', 'nodeGraph', 'piechart', 'row', 'stat'],
  ...['state-timeline', 'status-history', 'table', 'text', 'timeseries', 'traces', 'trend', 'xychart'],
] as const
const GRID_COLUMNS = 24
/** Schema versions that Grafana 9 to 11 read without losing fields. */
const SCHEMA_VERSIONS = { min: 36, max: 41 }

const sourceSchema = z.object({ type: z.literal('prometheus'), uid: z.string() })
const sizeSchema = z.number().int().positive()
const panelSchema = z.object({
  id: z.number().int().positive(),
  title: z.string().min(1),
  type: z.enum(PANEL_TYPES),
  datasource: sourceSchema,
  gridPos: z.object({ h: sizeSchema, w: sizeSchema, x: z.number().int().min(0), y: z.number().int().min(0) }),
  fieldConfig: z.object({ defaults: z.object({ unit: z.string() }), overrides: z.array(z.unknown()) }),
  targets: z.array(z.object({ refId: z.string().min(1), datasource: sourceSchema, expr: z.string().min(1) })).min(1),
})
const dashboardSchema = z.object({
  uid: z.string().min(1).max(40),
  title: z.string().min(1),
  schemaVersion: z.number().int().min(SCHEMA_VERSIONS.min).max(SCHEMA_VERSIONS.max),
  templating: z.object({
    list: z.array(z.object({ name: z.string().min(1), type: z.string(), query: z.string() })),
  }),
  panels: z.array(panelSchema).min(1),
})

export type Dashboard = z.infer<typeof dashboardSchema>

/**
 * Checks the requirements of Grafana on a dashboard file, as far as that is possible without
 * Grafana.
 */
export function findDashboardProblems(file: unknown): string[] {
  const parseResult = dashboardSchema.safeParse(file)
  if (!parseResult.success) return parseResult.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  const { panels, templating } = parseResult.data
  const problems: string[] = []
  const sources = templating.list.filter(({ type, query }) => type === 'datasource' && query === 'prometheus')
  const variableUids = sources.map(({ name }) => `\${${name}}`)
  for (const [index, { id, title, gridPos, datasource, targets }] of panels.entries()) {
    const earlierPanels = panels.slice(0, index)
    if (earlierPanels.some((other) => other.id === id)) problems.push(`${title}: another panel has the id ${id}`)
    if (gridPos.x + gridPos.w > GRID_COLUMNS) problems.push(`${title}: exceeds the ${GRID_COLUMNS} columns`)
    for (const other of earlierPanels) {
      if (doOverlap(gridPos, other.gridPos)) problems.push(`${title}: overlaps ${other.title}`)
    }
    const uids = [datasource, ...targets.map((target) => target.datasource)].map(({ uid }) => uid)
    if (uids.some((uid) => !variableUids.includes(uid)))
      problems.push(`${title}: its data source is no variable of the file`)
    if (new Set(targets.map(({ refId }) => refId)).size < targets.length) problems.push(`${title}: repeats a refId`)
  }
  return problems
}

type GridPosition = Dashboard['panels'][number]['gridPos']

const doOverlap = (a: GridPosition, b: GridPosition) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
