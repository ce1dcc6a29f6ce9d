import { getChain, type ProtectedChange, type ProtectedKind } from '@tocsin/protocol'

const titles: Record<ProtectedKind, string> = {
  chain: 'Payment chain',
  treasury: 'Treasury',
  signer: 'Signing key',
}

export function formatChangeTitle({ kind, chainId }: Pick<ProtectedChange, 'kind' | 'chainId'>): string {
  return chainId === null ? titles[kind] : `${titles[kind]}, ${getChain(chainId).name}`
}

export function formatProtectedValue(kind: ProtectedKind, value: string | null): string {
  if (value === null) return 'none'
  return kind === 'chain' ? getChain(Number(value)).name : value
}

export function formatChangeOutcome({
  outcome,
  effectiveAt,
}: Pick<ProtectedChange, 'outcome' | 'effectiveAt'>): string {
  switch (outcome) {
    case 'applied':
      return 'Applied'
    case 'cancelled':
      return 'Cancelled'
    case 'expired':
      return 'Expired'
    case 'void':
      return 'Not applied'
    case 'forced':
      return 'Forced on the server'
    case null:
      return effectiveAt === null ? 'Waits for approval' : 'Approved'
  }
}
