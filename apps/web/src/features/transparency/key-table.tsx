import { useQuery } from '@tanstack/react-query'
import { decodeKeys, type SigningKey } from '@tocsin/proof'
import type { LogKeys, LogStats } from '@tocsin/protocol'
import { getErrorMessage } from '../../api/api.ts'
import { Address } from '../../ui/address.tsx'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { logQueries } from './log-queries.ts'

/** All signing keys of the log and the range of entries that each may sign. */
export function KeyTable({ stats }: { stats: LogStats | undefined }) {
  const keyLists = stats?.keyLists ?? 0
  const { data, error } = useQuery({ ...logQueries.keys(keyLists), enabled: keyLists > 0 })
  const keys = data && listKeys(data.entries)
  return (
    <Panel
      title="Signing keys"
      actions={<span className="text-base text-2">Each authorised by the previous key</span>}
      flush
    >
      {error && !keys ? (
        <p role="alert" className="p-5 text-base phone:p-4">
          {getErrorMessage(error, 'The keys can’t be read right now.')}
        </p>
      ) : stats?.keyLists === 0 ? (
        <p className="p-5 text-base text-2 phone:p-4">No key list yet. It will be the first entry of the log.</p>
      ) : (
        <Table caption="Signing keys and the entries that they may sign" cards>
          <thead>
            <tr>
              <Th>Signer</Th>
              <Th>Checkpoint key (Ed25519)</Th>
              <Th>Signs entries</Th>
              <Th>State</Th>
            </tr>
          </thead>
          <tbody>
            {keys ? (
              keys.map((key) => <KeyRow key={key.address} listed={key} />)
            ) : (
              <Tr>
                <Td>
                  <Skeleton className="h-3 w-24" />
                </Td>
                <Td />
                <Td />
                <Td />
              </Tr>
            )}
          </tbody>
        </Table>
      )}
    </Panel>
  )
}

function KeyRow({ listed: { address, checkpointKey, fromIndex, untilIndex, isFirst } }: { listed: ListedKey }) {
  const from = `#${formatCount(fromIndex)}`
  return (
    <Tr>
      <Td label="Signer" className="whitespace-nowrap">
        <Address value={address} copy />
      </Td>
      <Td label="Checkpoint key (Ed25519)" className="whitespace-nowrap phone:order-1">
        <Address value={checkpointKey} copy />
      </Td>
      <Td mono label="Signs entries">
        {untilIndex === null ? `from ${from} on` : `${from} to #${formatCount(untilIndex - 1)}`}
      </Td>
      <Td label="State" className="whitespace-nowrap phone:order-1">
        {untilIndex === null ? 'Signs now' : 'Replaced'}
        {isFirst && <span className="text-2">, first signer</span>}
      </Td>
    </Tr>
  )
}

type ListedKey = SigningKey & { isFirst: boolean }

/**
 * The keys of the newest key list, current key first. Does not verify the list. Returns [] if it
 * cannot be decoded.
 */
function listKeys(entries: LogKeys['entries']): ListedKey[] {
  const newestList = entries.at(-1)
  if (!newestList) return []
  try {
    const { keys } = decodeKeys(new TextEncoder().encode(newestList.bytes))
    return keys.map((key, index) => ({ ...key, isFirst: index === 0 })).reverse()
  } catch {
    return []
  }
}
