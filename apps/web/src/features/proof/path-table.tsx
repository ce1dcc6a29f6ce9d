import { proofTexts } from '../../texts/proof.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { shortHash } from '../../ui/short-hex.ts'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import type { Ladder } from './verdict.ts'

const texts = proofTexts.pathTable

/** The Merkle path as a table. */
export function PathTable({ ladder }: { ladder: Ladder }) {
  const { leaf, rungs, root, failedAt } = ladder
  return (
    <div className="-mx-5 phone:-mx-4">
      <Table caption={texts.merklePathFromTheLeaf}>
        <thead>
          <tr>
            <Th>{texts.rung}</Th>
            <Th>{texts.sibling}</Th>
            <Th>{texts.side}</Th>
            <Th>{texts.hash}</Th>
          </tr>
        </thead>
        <tbody>
          <Line position={texts.leaf} hash={leaf.hash} />
          {rungs.map(({ level, sibling, side, hash }) => (
            <Line key={level} position={String(level)} sibling={sibling} side={side} hash={hash} />
          ))}
          {failedAt && <Line position={texts.recomputed} hash={failedAt.recomputed} />}
          {root !== null && <Line position={failedAt ? texts.published : texts.root} hash={root} />}
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
      <TextareaField label={texts.pathAsJson} value={text} readOnly rows={18} mono spellCheck={false} />
      <CopyButton words text={text} label={texts.copyThePathAsJson} className="self-start" />
    </div>
  )
}
