import type { PublishedLog } from './trust.ts'

export function createProofFileName(logIndex: number): string {
  return `tocsin-${logIndex}.json`
}

/**
 * The command that verifies a proof file, or with `--from-url` the whole log. It runs the verifier
 * from a checkout of the source, or the verifier file that the site serves. The options set all
 * trust anchors; without them the command verifies only that the file is consistent.
 */
export function createVerifyCommand(
  target: string,
  config: PublishedLog | undefined,
  program = 'npm run verify --',
): string {
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
