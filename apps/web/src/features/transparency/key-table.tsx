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

/** The keys that ever signed, and which entries each of them may sign. */
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
        <Table
          caption={texts.signingKeysAndTheEntries}
          className="max-[374px]:[&_td_button]:hidden phone:[&_th]:whitespace-normal"
        >
          <thead>
            <tr>
              <Th>{texts.signer}</Th>
              <Th className="phone:hidden">{texts.checkpointKeyEd25519}</Th>
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
                <Td className="phone:hidden" />
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
      <Td className="whitespace-nowrap">
        <Address value={address} copy />
      </Td>
      <Td className="whitespace-nowrap phone:hidden">
        <Address value={checkpointKey} copy />
      </Td>
      <Td mono>{untilIndex === null ? texts.fromOn({ from }) : texts.fromTo({ from, untilIndex: untilIndex - 1 })}</Td>
      <Td className="whitespace-nowrap">
        {untilIndex === null ? texts.signsNow : texts.replaced}
        {isFirst && <span className="text-2 phone:hidden">{texts.firstSigner}</span>}
      </Td>
    </Tr>
  )
}
