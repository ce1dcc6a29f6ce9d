import { useQuery } from '@tanstack/react-query'
import { sentenceOf } from '../../api/api.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { logQueries } from './log-queries.ts'
import { readNote } from './seen-checkpoint.ts'

const ghostLeaf = `0x${'9c41f07a'.repeat(8)}`

/**
 * The newest signed checkpoint of the log. Anyone can keep a copy and compare it with later ones.
 */
export function CheckpointPanel() {
  const { data: note, error } = useQuery(logQueries.checkpoint)
  const checkpoint = note === undefined ? null : readNote(note)
  const root = checkpoint?.root ?? ghostLeaf
  return (
    <Panel
      title="Newest checkpoint"
      right={note !== undefined && <CopyButton words text={note} label="Copy checkpoint" />}
      footer="A signed note in the form that other transparency logs use too (C2SP tlog-checkpoint)."
    >
      <div className="grid h-full place-content-center gap-6">
        <Seal
          leafHash={root}
          root={root}
          state={checkpoint ? 'signed' : 'unsigned'}
          size={212}
          className="justify-self-center"
        />
        {error && note === undefined ? (
          <p role="alert" className="text-base">
            {sentenceOf(error, 'The checkpoint can’t be read right now.')}
          </p>
        ) : note === undefined ? (
          <Skeleton className="h-36 w-full" />
        ) : (
          <NoteLines note={note} />
        )}
      </div>
    </Panel>
  )
}

const lineLabels = ['Log', 'Entries', 'Root', '', 'Signed by']

/** The lines of the note, each with a label. */
function NoteLines({ note }: { note: string }) {
  return (
    <div className="min-h-36 border border-line-1 bg-ink-0 py-3">
      {note
        .trimEnd()
        .split('\n')
        .map((line, at) => ({ line, label: lineLabels[at] ?? '' }))
        .map(({ line, label }) => (
          <div key={label + line} className="grid min-h-5 grid-cols-[88px_minmax(0,1fr)] items-baseline px-4">
            <span className="text-label text-2">{label}</span>
            <code className="text-data leading-5 break-all">{line}</code>
          </div>
        ))}
    </div>
  )
}
