import { CommandLine } from '../../ui/command-line.tsx'
import { Panel } from '../../ui/panel.tsx'
import { readAlertText } from './claim.ts'
import { DownloadProof } from './download-proof.tsx'
import { proofFileName, verifyCommand } from './proof-bundle.ts'

/** What one needs to check the alert at hand without this site: its proof file, and a command. */
export function CheckElsewhere({ text }: { text: string }) {
  const held = readAlertText(text)
  const alert = 'alert' in held ? held.alert : null
  const isFile = 'bundle' in held && held.bundle !== null
  return (
    <Panel title="Check it without us">
      <CommandLine command={verifyCommand(alert ? proofFileName(alert.logIndex) : 'proof.json')} />
      <div className="mt-3 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
        {alert && !isFile && <DownloadProof alert={alert} />}
        <span className="min-w-40 flex-1 text-hint text-2">
          {alert
            ? 'In a checkout of the source. Needs the file and the chain, not this site.'
            : 'The proof file of an alert is offered here.'}
        </span>
      </div>
    </Panel>
  )
}
