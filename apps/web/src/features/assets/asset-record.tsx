import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isCounted } from '@tocsin/proof'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { toSearchParams } from '../alert/alert-search-params.ts'
import { formatDemoMarket } from '../prediction/demo-texts.ts'
import { type RecordOrigin, recordQueries } from '../prediction/record-queries.ts'
import { FigureLink } from '../record/figure-link.tsx'
import { formatInterval, formatRatePercent } from '../record/record-texts.ts'
import { assetRecordQuery } from './asset-record-query.ts'
import { countTypes, type TypeRow } from './count-types.ts'

/** The public track record of an asset by type of alert. Renders nothing without a record. */
export function AssetRecord({ asset }: { asset: string }) {
  const { data: config } = useQuery(queries.config)
  const origin: RecordOrigin = config?.demo ? 'demo' : 'feed'
  const { data: response } = useQuery({ ...recordQueries.record(origin), enabled: config !== undefined })
  const { data: alerts } = useQuery({ ...assetRecordQuery(origin, asset), enabled: config !== undefined })
  const row = response?.record?.by.asset.find(({ key }) => key === asset)
  if (!row || !alerts) return null
  const rows = countTypes(alerts.items.filter(({ status }) => isCounted(status)))
  if (rows.length === 0) return null
  const { strict, interval } = row.figures
  const demo = formatDemoMarket(config)
  return (
    <Panel
      title="Record"
      detail={
        <>
          <FigureLink selection={{ by: 'asset', key: asset }}>
            {`${formatRatePercent(strict)} of ${strict.n}`}
          </FigureLink>{' '}
          came true
        </>
      }
      actions={demo === null ? undefined : <Badge>{demo}</Badge>}
      flush
      footer={`95% interval ${formatInterval(interval)}.${alerts.isWhole ? '' : ` By type: the newest ${alerts.items.length} predictions.`}`}
    >
      <Table caption={`Predictions about ${asset} by type`}>
        <thead>
          <tr>
            <Th>Type</Th>
            {['Came true', 'Of', 'Rate'].map((head) => (
              <Th key={head} className="text-right">
                {head}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((each) => (
            <RecordRow key={each.type} asset={asset} row={each} />
          ))}
        </tbody>
      </Table>
    </Panel>
  )
}

function RecordRow({ asset, row: { type, count, n } }: { asset: string; row: TypeRow }) {
  return (
    <Tr compact>
      <Td className="wrap-anywhere">
        {type === '' ? (
          '—'
        ) : (
          <Link
            to={paths.notifications}
            search={toSearchParams({ asset: [asset], type: [type] })}
            className="link touch-target"
          >
            {type}
          </Link>
        )}
      </Td>
      <Td mono className="text-right">
        {count}
      </Td>
      <Td mono className="text-right">
        {n}
      </Td>
      <Td mono className="text-right">
        {formatRatePercent({ count, n, rate: count / n })}
      </Td>
    </Tr>
  )
}
