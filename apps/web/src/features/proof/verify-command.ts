import type { PublishedLog } from './trust.ts'

export function proofFileName(logIndex: number): string {
  return `tocsin-${logIndex}.json`
}

/**
 * The command that verifies a proof file, or the whole log with `--from-url`: from a checkout of
 * the source, or with the verifier that the site serves. The options set everything that is
 * trusted; without them the command only verifies that the file is consistent.
 */
export function verifyCommand(target: string, config: PublishedLog | undefined, program = 'npm run verify --'): string {
  // Placeholders have the same number of lines, to avoid a layout shift.
  const { firstSigner, anchor } = config ?? {
    firstSigner: '0x…',
    anchor: { contract: '0x…', chainId: '…', rpcUrl: null },
  }
  return [
    `${program} ${target}`,
    `--first-signer ${firstSigner}`,
    `--contract ${anchor.contract}`,
    `--chain-id ${anchor.chainId} --rpc ${anchor.rpcUrl ?? 'https://…'}`,
  ].join(' \\\n  ')
}
