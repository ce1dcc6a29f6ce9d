import { CopyButton } from '../../ui/copy-button.tsx'
import { shortHash } from '../../ui/short-hex.ts'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import type { Ladder } from './verdict.ts'

/** The Merkle path as a table. */
export function PathTable({ ladder }: { ladder: Ladder }) {
  const { leaf, rungs, root, failedAt } = ladder
  return (
    <div className="-mx-5 phone:-mx-4">
      <Table caption="Merkle path from the leaf to the root">
        <thead>
          <tr>
            <Th>Rung</Th>
            <Th>Sibling</Th>
            <Th>Side</Th>
            <Th>Hash</Th>
          </tr>
        </thead>
        <tbody>
          <Line position="Leaf" hash={leaf.hash} />
          {rungs.map(({ level, sibling, side, hash }) => (
            <Line key={level} position={String(level)} sibling={sibling} side={side} hash={hash} />
          ))}
          {failedAt && <Line position="Recomputed" hash={failedAt.recomputed} />}
          {root !== null && <Line position={failedAt ? 'Published' : 'Root'} hash={root} />}
        </tbody>
      </Table>
    </div>
  )
}

type LineProps = { position: string; sibling?: string; side?: string; hash: string }

function Line({ position, sibling, side, hash }: LineProps) {
  return (
    <Tr compact>
      <Td>{position}</Td>
      <Td mono title={sibling} className="text-2">
        {sibling && shortHash(sibling, 5)}
      </Td>
      <Td className="text-2">{side}</Td>
      <Td mono title={hash}>
        {shortHash(hash, 5)}
      </Td>
    </Tr>
  )
}

/** The Merkle path as JSON. */
export function PathJson({ ladder }: { ladder: Ladder }) {
  const { leaf, rungs, root, treeSize, tx, block } = ladder
  const text = JSON.stringify({ leaf, rungs, root, treeSize, transaction: tx, block }, null, 2)
  return (
    <div className="flex flex-col gap-3">
      <TextareaField label="The path as JSON" value={text} readOnly rows={18} mono spellCheck={false} />
      <CopyButton words text={text} label="Copy the path as JSON" className="self-start" />
    </div>
  )
}
