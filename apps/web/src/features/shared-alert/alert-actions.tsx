import { Code, Download, Link2, RefreshCw } from 'lucide-react'
import { createAlertPath } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Time } from '../../ui/time.tsx'
import { useCopied } from '../../ui/use-copied.ts'
import { createProofFileName } from '../proof/verify-command.ts'
import type { ReadablePage } from './alert-view.tsx'
import { createEmbedCode } from './embed-code.ts'

type AlertActionsProps = { page: ReadablePage; busy: boolean; onCheck: () => void }

/**
 * Buttons that download the proof file, copy the link, copy the embed code for other sites, and
 * repeat the check. The data of the proof file is already in the page.
 */
export function AlertActions({ page: { access, bundle, publicAt }, busy, onCheck }: AlertActionsProps) {
  const { logIndex } = bundle.alert
  const link = useCopied()
  const embed = useCopied()
  return (
    <div className="flex flex-wrap gap-2 border border-t-0 border-line-1 bg-ink-1 p-5 *:grow phone:border-x-0 phone:p-4">
      <Button
        variant="primary"
        size="lg"
        className="phone:basis-full"
        onClick={() => saveFile(createProofFileName(logIndex), JSON.stringify(bundle, null, 2))}
      >
        <Download aria-hidden size={16} strokeWidth={2.25} />
        Download proof
      </Button>
      <Button size="lg" onClick={() => void link.copy(`${location.origin}${createAlertPath(logIndex)}`)}>
        <Link2 aria-hidden size={16} strokeWidth={2.25} />
        {link.feedback ?? 'Copy link'}
      </Button>
      {access === 'public' && (
        <Button size="lg" onClick={() => void embed.copy(createEmbedCode(location.origin, logIndex))}>
          <Code aria-hidden size={16} strokeWidth={2.25} />
          {embed.feedback === 'Copied' ? 'Code copied' : (embed.feedback ?? 'Embed')}
        </Button>
      )}
      <Button size="lg" busy={busy} onClick={onCheck}>
        <RefreshCw aria-hidden size={16} strokeWidth={2.25} />
        {busy ? 'Checking…' : 'Check again'}
      </Button>
      {access === 'shared' && (
        <p className="basis-full text-hint text-2">
          The copied link shows the content from <Time at={publicAt} show="moment" /> on.
        </p>
      )}
    </div>
  )
}
