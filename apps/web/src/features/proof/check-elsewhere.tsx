import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { Panel } from '../../ui/panel.tsx'
import { readAlertText } from './claim.ts'
import { isComplete } from './complete-alert.ts'
import { DownloadProof } from './download-proof.tsx'
import { proofFileName, verifyCommand } from './proof-bundle.ts'

/** How to verify the alert without this site: its proof file and a command. */
export function CheckElsewhere({ text }: { text: string }) {
  const { data: config } = useQuery(queries.config)
  const parsed = readAlertText(text)
  // A proof file of an incomplete alert could not be verified.
  const alert = 'alert' in parsed && isComplete(parsed.alert) ? parsed.alert : null
  const isFile = 'bundle' in parsed && parsed.bundle !== null
  return (
    <Panel title="Check it without us">
      <CommandLine command={verifyCommand(alert ? proofFileName(alert.logIndex) : 'proof.json', config)} />
      <div className="mt-3 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
        {alert && !isFile && <DownloadProof alert={alert} />}
        <span className="min-w-40 flex-1 text-hint text-2">
          {alert
            ? 'In a checkout of the source. Needs the file and the chain, not this site. The addresses are this site’s: compare them with a source that you trust.'
            : 'The proof file of an alert is offered here.'}
        </span>
      </div>
    </Panel>
  )
}
