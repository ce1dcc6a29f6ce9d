import { CommandLine } from '../../ui/command-line.tsx'
import type { PublishedLog } from '../proof/trust.ts'
import { createProofFileName, createVerifyCommand } from '../proof/verify-command.ts'

/** An example of the verify command, with the trust anchors of this site once they are known. */
export function PinnedCommand({ config }: { config: PublishedLog | undefined }) {
  return <CommandLine command={createVerifyCommand(createProofFileName(12), config)} className="my-3" />
}
