import { getAddress, numberToHex } from 'viem'
import { z } from 'zod'
import { ProviderError } from './provider-error.ts'
import { WalletError } from './wallet-error.ts'

/**
 * An address in any letter case, because some wallets return upper-case addresses or wrong
 * checksums.
 */
const addressSchema = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform((text) => getAddress(text.toLowerCase()))
const accountsSchema = z.array(addressSchema).max(10_000)
const chainIdSchema = z
  .union([z.string().regex(/^(0x[0-9a-f]{1,13}|[0-9]{1,15})$/i), z.number()])
  .transform(Number)
  .pipe(z.number().int().positive().max(Number.MAX_SAFE_INTEGER))
  .transform((id) => numberToHex(id))
const bytesSchema = z.string().regex(/^0x([0-9a-f]{2})*$/i)
const quantitySchema = z.string().regex(/^0x[0-9a-f]{1,64}$/i)
const hashSchema = z.string().regex(/^0x[0-9a-f]{64}$/i)
/**
 * A signature: 64 bytes (EIP-2098), 65 bytes, or more from a contract wallet (ERC-1271). The server
 * accepts up to 4096 characters.
 */
const signatureSchema = bytesSchema.min(2 + 2 * 64).max(4096)
const blockSchema = z.looseObject({ number: quantitySchema.nullable(), baseFeePerGas: quantitySchema.nullish() })
const transactionSchema = z.looseObject({ hash: hashSchema, blockNumber: quantitySchema.nullish() }).nullable()
const receiptSchema = z
  .looseObject({
    transactionHash: hashSchema,
    blockNumber: quantitySchema,
    status: z.enum(['0x0', '0x1']),
    gasUsed: quantitySchema,
    effectiveGasPrice: quantitySchema,
  })
  .nullable()
/**
 * A response that is not used. Wallets return null, true or nothing; the page reads the new state
 * instead.
 */
const ignoredResponse = z.unknown().transform(() => null)

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
const invalidResponseMessage = 'Your wallet returned an invalid response. Nothing was sent.'

const createReadRule = (response: z.ZodType): Rule => ({
  response,
  message: invalidResponseMessage,
  timeoutMs: readTimeoutMs,
})
const createConfirmRule = (response: z.ZodType, message = invalidResponseMessage): Rule => ({
  response,
  message,
  timeoutMs: userTimeoutMs,
})
const sendRule: Rule = {
  response: hashSchema,
  message: 'Your wallet returned no transaction hash. Check your wallet before you try again.',
  timeoutMs: null,
}

/**
 * The methods that this site and its libraries call on a wallet, with the schemas of their
 * responses. Other methods are rejected.
 */
const rules: Record<string, Rule> = {
  eth_accounts: { response: accountsSchema, message: invalidResponseMessage, timeoutMs: quickTimeoutMs },
  eth_chainId: { response: chainIdSchema, message: invalidResponseMessage, timeoutMs: quickTimeoutMs },
  eth_requestAccounts: createConfirmRule(accountsSchema.min(1), 'No accounts found'),
  // The accounts in this response are ignored, because wagmi calls `eth_accounts` afterwards.
  wallet_requestPermissions: createConfirmRule(z.unknown().transform(() => [])),
  wallet_revokePermissions: createConfirmRule(ignoredResponse),
  wallet_switchEthereumChain: createConfirmRule(ignoredResponse),
  wallet_addEthereumChain: createConfirmRule(ignoredResponse),
  wallet_watchAsset: createConfirmRule(z.unknown().transform((response) => response === true)),
  personal_sign: createConfirmRule(signatureSchema, 'Your wallet did not return a signature.'),
  eth_sendTransaction: sendRule,
  wallet_sendTransaction: sendRule,
  eth_blockNumber: createReadRule(quantitySchema),
  eth_gasPrice: createReadRule(quantitySchema),
  eth_maxPriorityFeePerGas: createReadRule(quantitySchema),
  eth_getBalance: createReadRule(quantitySchema),
  eth_estimateGas: createReadRule(quantitySchema),
  eth_getTransactionCount: createReadRule(quantitySchema),
  eth_getCode: createReadRule(bytesSchema),
  eth_call: createReadRule(bytesSchema),
  eth_getBlockByNumber: createReadRule(blockSchema),
  eth_getTransactionByHash: createReadRule(transactionSchema),
  eth_getTransactionReceipt: createReadRule(receiptSchema),
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
  throw new WalletError(kind, rule.message, `${method} returned ${describeValue(response)}`)
}

/** The validated value of a wallet event; undefined if it is invalid. */
export function parseEvent(event: string, value: unknown): unknown {
  switch (event) {
    case 'accountsChanged':
      return parseSafely(accountsSchema, value).data
    case 'chainChanged':
      return parseSafely(chainIdSchema, value).data
    case 'connect':
      return parseSafely(z.looseObject({ chainId: chainIdSchema }), value).data
    case 'disconnect':
      return toProviderError(value)
    default:
      return undefined
  }
}

/**
 * Converts anything that a wallet threw to an error with a numeric code. Wallets also throw
 * strings, null and objects without a prototype.
 */
export function toProviderError(thrownValue: unknown): Error {
  if (thrownValue instanceof WalletError || thrownValue instanceof ProviderError) return thrownValue
  const { data: error } = parseSafely(thrownSchema, thrownValue)
  return new ProviderError(error?.code ?? internalErrorCode, error?.message ?? describeValue(thrownValue), error?.data)
}

const internalErrorCode = -32603
const codeSchema = z.union([z.number(), z.string().regex(/^-?\d{1,6}$/)]).transform(Number)
const thrownSchema = z.object({
  code: codeSchema.optional().catch(undefined),
  message: z.string().min(1).optional().catch(undefined),
  data: z.unknown().transform(copyErrorData).optional(),
})

/**
 * Copies only the code of `originalError`. Mobile wallets report the actual error code in this
 * field.
 */
function copyErrorData(data: unknown): unknown {
  return parseSafely(z.object({ originalError: z.object({ code: codeSchema }) }), data).data
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

function describeValue(value: unknown): string {
  try {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
    return text.slice(0, maxDescribedLength)
  } catch {
    return typeof value
  }
}
