import { useQuery } from '@tanstack/react-query'
import type { LogStats } from '@tocsin/protocol'
import { sentenceOf } from '../../api.ts'
import { numberLocale } from '../../texts/language.ts'
import { transparencyTexts } from '../../texts/transparency.tsx'
import { Address } from '../../ui/address.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { type ListedKey, listKeys } from './listed-keys.ts'
import { logQueries } from './log-queries.ts'

const texts = transparencyTexts.keyTable

/** All signing keys of the log and the range of entries that each may sign. */
export function KeyTable({ stats }: { stats: LogStats | undefined }) {
  const keyLists = stats?.keyLists ?? 0
  const { data, error } = useQuery({ ...logQueries.keys(keyLists), enabled: keyLists > 0 })
  const keys = data && listKeys(data.entries)
  return (
    <Panel title={texts.signingKeys} right={<span className="text-base text-2">{texts.eachNamedByTheOne}</span>} flush>
      {error && !keys ? (
        <p role="alert" className="p-5 text-base phone:p-4">
          {sentenceOf(error, texts.keysCantBeReadRight)}
        </p>
      ) : stats?.keyLists === 0 ? (
        <p className="p-5 text-base text-2 phone:p-4">{texts.noKeyListYet}</p>
      ) : (
        <Table caption={texts.signingKeysAndTheEntries} cards>
          <thead>
            <tr>
              <Th>{texts.signer}</Th>
              <Th>{texts.checkpointKeyEd25519}</Th>
              <Th>{texts.signsEntries}</Th>
              <Th>{texts.state}</Th>
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
  const from = `#${fromIndex.toLocaleString(numberLocale)}`
  return (
    <Tr>
      <Td label={texts.signer} className="whitespace-nowrap">
        <Address value={address} copy />
      </Td>
      <Td label={texts.checkpointKeyEd25519} className="whitespace-nowrap phone:order-1">
        <Address value={checkpointKey} copy />
      </Td>
      <Td mono label={texts.signsEntries}>
        {untilIndex === null ? texts.fromOn({ from }) : texts.fromTo({ from, untilIndex: untilIndex - 1 })}
      </Td>
      <Td label={texts.state} className="whitespace-nowrap phone:order-1">
        {untilIndex === null ? texts.signsNow : texts.replaced}
        {isFirst && <span className="text-2">{texts.firstSigner}</span>}
      </Td>
    </Tr>
  )
}
