import { getAddress, numberToHex } from 'viem'
import { z } from 'zod'
import { ProviderError } from './provider-error.ts'
import { WalletError } from './wallet-error.ts'

/**
 * An address in any letter case, because some wallets return upper-case addresses or wrong
 * checksums.
 */
const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform((text) => getAddress(text.toLowerCase()))
const accounts = z.array(address).max(10_000)
const chainId = z
  .union([z.string().regex(/^(0x[0-9a-f]{1,13}|[0-9]{1,15})$/i), z.number()])
  .transform(Number)
  .pipe(z.number().int().positive().max(Number.MAX_SAFE_INTEGER))
  .transform((id) => numberToHex(id))
const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/i)
const quantity = z.string().regex(/^0x[0-9a-f]{1,64}$/i)
const hash = z.string().regex(/^0x[0-9a-f]{64}$/i)
/**
 * A signature: 64 bytes (EIP-2098), 65 bytes, or more from a contract wallet (ERC-1271). The server
 * accepts up to 4096 characters.
 */
const signature = bytes.min(2 + 2 * 64).max(4096)
const block = z.looseObject({ number: quantity.nullable(), baseFeePerGas: quantity.nullish() })
const transaction = z.looseObject({ hash, blockNumber: quantity.nullish() }).nullable()
const receipt = z
  .looseObject({
    transactionHash: hash,
    blockNumber: quantity,
    status: z.enum(['0x0', '0x1']),
    gasUsed: quantity,
    effectiveGasPrice: quantity,
  })
  .nullable()
/**
 * A response that is not used. Wallets return null, true or nothing; the page reads the new state
 * instead.
 */
const ignored = z.unknown().transform(() => null)

interface Rule {
  response: z.ZodType
  /** The message for the user if the response is invalid. */
  message: string
  /** Null for payments: there is no timeout, because the user may confirm late. */
  timeoutMs: number | null
}

const readTimeoutMs = 10_000
const quickTimeoutMs = 4000
/** Timeout of requests that the user has to read and confirm. Payments have no timeout. */
const userTimeoutMs = 180_000
const invalidResponse = 'Your wallet returned an invalid response. Nothing was sent.'

const createReadRule = (response: z.ZodType): Rule => ({ response, message: invalidResponse, timeoutMs: readTimeoutMs })
const confirm = (response: z.ZodType, message = invalidResponse): Rule => ({
  response,
  message,
  timeoutMs: userTimeoutMs,
})
const send: Rule = {
  response: hash,
  message: 'Your wallet returned no transaction hash. Check your wallet before you try again.',
  timeoutMs: null,
}

/**
 * The methods that this site and its libraries call on a wallet, with the schemas of their
 * responses. Other methods are rejected.
 */
const rules: Record<string, Rule> = {
  eth_accounts: { response: accounts, message: invalidResponse, timeoutMs: quickTimeoutMs },
  eth_chainId: { response: chainId, message: invalidResponse, timeoutMs: quickTimeoutMs },
  eth_requestAccounts: confirm(accounts.min(1), 'No accounts found'),
  // The accounts in this response are ignored, because wagmi calls `eth_accounts` afterwards.
  wallet_requestPermissions: confirm(z.unknown().transform(() => [])),
  wallet_revokePermissions: confirm(ignored),
  wallet_switchEthereumChain: confirm(ignored),
  wallet_addEthereumChain: confirm(ignored),
  wallet_watchAsset: confirm(z.unknown().transform((response) => response === true)),
  personal_sign: confirm(signature, 'Your wallet did not return a signature.'),
  eth_sendTransaction: send,
  wallet_sendTransaction: send,
  eth_blockNumber: createReadRule(quantity),
  eth_gasPrice: createReadRule(quantity),
  eth_maxPriorityFeePerGas: createReadRule(quantity),
  eth_getBalance: createReadRule(quantity),
  eth_estimateGas: createReadRule(quantity),
  eth_getTransactionCount: createReadRule(quantity),
  eth_getCode: createReadRule(bytes),
  eth_call: createReadRule(bytes),
  eth_getBlockByNumber: createReadRule(block),
  eth_getTransactionByHash: createReadRule(transaction),
  eth_getTransactionReceipt: createReadRule(receipt),
}

export const walletMethods: readonly string[] = Object.keys(rules)

/** @throws ProviderError 4200 for methods without a rule */
export function findRule(method: string): Rule {
  const rule = Object.hasOwn(rules, method) ? rules[method] : undefined
  if (!rule) throw new ProviderError(4200, `${method} is not supported here.`)
  return rule
}

/** @throws WalletError 'no_accounts' or 'invalid_response' if the response is invalid */
export function parseResponse(method: string, response: unknown): unknown {
  const rule = findRule(method)
  const parsed = parseSafely(rule.response, response)
  if (parsed.success) return parsed.data
  const kind = method === 'eth_requestAccounts' ? 'no_accounts' : 'invalid_response'
  throw new WalletError(kind, rule.message, `${method} returned ${describe(response)}`)
}

/** The validated value of a wallet event; undefined if it is invalid. */
export function parseEvent(event: string, value: unknown): unknown {
  switch (event) {
    case 'accountsChanged':
      return parseSafely(accounts, value).data
    case 'chainChanged':
      return parseSafely(chainId, value).data
    case 'connect':
      return parseSafely(z.looseObject({ chainId }), value).data
    case 'disconnect':
      return asProviderError(value)
    default:
      return undefined
  }
}

/**
 * Converts anything that a wallet threw to an error with a numeric code. Wallets also throw
 * strings, null and objects without a prototype.
 */
export function asProviderError(thrown: unknown): Error {
  if (thrown instanceof WalletError || thrown instanceof ProviderError) return thrown
  const { data: error } = parseSafely(thrownShape, thrown)
  return new ProviderError(error?.code ?? internalErrorCode, error?.message ?? describe(thrown), error?.data)
}

const internalErrorCode = -32603
const code = z.union([z.number(), z.string().regex(/^-?\d{1,6}$/)]).transform(Number)
const thrownShape = z.object({
  code: code.optional().catch(undefined),
  message: z.string().min(1).optional().catch(undefined),
  data: z.unknown().transform(copyErrorData).optional(),
})

/**
 * Copies only the code of `originalError`. Mobile wallets report the actual error code in this
 * field.
 */
function copyErrorData(data: unknown): unknown {
  return parseSafely(z.object({ originalError: z.object({ code }) }), data).data
}

/** Like safeParse, but also catches getters and proxies that throw. */
function parseSafely<T extends z.ZodType>(shape: T, value: unknown): { success: boolean; data?: z.output<T> } {
  try {
    return shape.safeParse(value)
  } catch {
    return { success: false }
  }
}

const maxDescribedLength = 200

function describe(value: unknown): string {
  try {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
    return text.slice(0, maxDescribedLength)
  } catch {
    return typeof value
  }
}
