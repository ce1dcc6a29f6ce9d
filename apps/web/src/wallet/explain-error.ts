import { BaseError, type RpcError } from 'viem'
import { WalletError, type WalletErrorKind } from './wallet-error.ts'

const unknownChainCode = 4902
const internalErrorCode = -32603

type Explanation = { kind: WalletErrorKind; message: string }

/** EIP-1193 and JSON-RPC error codes. */
const explanations: Record<number, (chainName: string) => Explanation> = {
  4001: () => ({ kind: 'rejected', message: 'You cancelled in your wallet. Nothing was sent.' }),
  4100: () => ({ kind: 'unauthorized', message: 'This site is not connected to that account. Connect again.' }),
  4200: () => ({ kind: 'unsupported', message: 'Your wallet does not support this step.' }),
  4900: (chain) => ({ kind: 'offline', message: `Your wallet is offline for ${chain}.` }),
  4901: (chain) => ({ kind: 'offline', message: `Your wallet is offline for ${chain}.` }),
  [-32601]: () => ({ kind: 'unsupported', message: 'Your wallet does not support this step.' }),
  [-32002]: () => ({
    kind: 'already_open',
    message: 'A request is already open in your wallet. Open it to continue.',
  }),
}

/** Converts any error of a wallet or of viem to a WalletError with a message for the user. */
export function explainError(error: unknown, chainName: string, fallback: string): WalletError {
  const ownError = findWalletError(error)
  if (ownError) return ownError
  const technical = formatTechnicalMessage(error)
  for (const code of listCodes(error)) {
    const explanation = explanations[code]?.(chainName)
    if (explanation) return new WalletError(explanation.kind, explanation.message, technical)
  }
  if (hasNamedError(error, 'ChainMismatchError')) {
    const message = `Your wallet is not on ${chainName}. Switch it and try again. Nothing was sent.`
    return new WalletError('wrong_chain', message, technical)
  }
  if (hasNamedError(error, 'InsufficientFundsError') || /insufficient funds/i.test(technical)) {
    return new WalletError('insufficient_gas', 'You do not have enough for the network fee.', technical)
  }
  if (isRevert(error, technical)) {
    return new WalletError('reverted', 'The network rejected the payment. No ITO left your wallet.', technical)
  }
  return new WalletError('other', fallback, technical)
}

/**
 * Whether a wallet rejected a switch because it does not know the chain. Mobile wallets wrap the
 * code in -32603, and some report it only in the message.
 */
export function isUnknownChain(error: unknown): boolean {
  if (listCodes(error).includes(unknownChainCode)) return true
  return /unrecognized chain/i.test(formatTechnicalMessage(error))
}

/** The codes of an error and its nested causes, outermost first. */
function listCodes(error: unknown, depth = 0): number[] {
  if (typeof error !== 'object' || error === null || depth > 6) return []
  const ownCodes = 'code' in error && typeof error.code === 'number' ? [error.code] : []
  const nestedValues = [readField(error, 'data'), readField(error, 'originalError'), readField(error, 'cause')]
  return [...ownCodes, ...nestedValues.flatMap((inner) => listCodes(inner, depth + 1))]
}

function readField(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

/**
 * Finds a WalletError among the causes of an error, because viem wraps the errors of a provider.
 */
function findWalletError(error: unknown, depth = 0): WalletError | null {
  if (error instanceof WalletError) return error
  if (!(error instanceof Error) || depth > 6) return null
  return findWalletError(error.cause, depth + 1)
}

function hasNamedError(error: unknown, name: string): boolean {
  if (!(error instanceof BaseError)) return false
  return error.walk((inner) => inner instanceof Error && inner.name === name) !== null
}

/**
 * viem also reports internal wallet errors (-32603) as contract reverts. Count those only if their
 * message mentions a revert.
 */
function isRevert(error: unknown, technical: string): boolean {
  if (hasNamedError(error, 'ExecutionRevertedError')) return true
  if (!hasNamedError(error, 'ContractFunctionRevertedError')) return false
  return !listCodes(error).includes(internalErrorCode) || /revert/i.test(technical)
}

function formatTechnicalMessage(error: unknown): string {
  if (error instanceof BaseError) return error.details || error.shortMessage
  if (error instanceof Error) return error.message
  const { message } = (error ?? {}) as Partial<RpcError>
  return typeof message === 'string' ? message : String(error)
}
