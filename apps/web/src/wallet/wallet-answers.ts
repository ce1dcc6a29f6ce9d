import { getAddress, numberToHex } from 'viem'
import { z } from 'zod'
import { ProviderError } from './provider-error.ts'
import { WalletError } from './wallet-error.ts'

/** Any case of letters: some wallets answer in upper case or with a wrong checksum. */
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
 * 64 bytes (EIP-2098), 65 bytes, or more from a contract wallet (ERC-1271). The server accepts up
 * to 4096 characters.
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
 * Wallets answer null, true or nothing at all; the page asks for the new state instead of trusting
 * the answer.
 */
const ignored = z.unknown().transform(() => null)

interface Rule {
  answer: z.ZodType
  /** What the person is told when the answer has another shape. */
  sentence: string
  /**
   * How long to wait; null for a payment, which may still be confirmed in the wallet after any
   * time.
   */
  timeoutMs: number | null
}

const readTimeoutMs = 10_000
const quickTimeoutMs = 4000
/** The owner has to read and confirm. */
const ownerTimeoutMs = 180_000

const read = (answer: z.ZodType): Rule => ({
  answer,
  sentence: 'Your wallet gave an answer that can’t be used. Nothing was sent.',
  timeoutMs: readTimeoutMs,
})
const ask = (
  answer: z.ZodType,
  sentence: string = 'Your wallet gave an answer that can’t be used. Nothing was sent.',
): Rule => ({
  answer,
  sentence,
  timeoutMs: ownerTimeoutMs,
})
const send: Rule = {
  answer: hash,
  sentence: 'Your wallet returned no transaction. Look there before you try again.',
  timeoutMs: null,
}

/**
 * Every method that this site or its libraries call on a wallet, with the shape of its answer.
 * Other methods are refused.
 */
const rules: Record<string, Rule> = {
  eth_accounts: {
    answer: accounts,
    sentence: 'Your wallet gave an answer that can’t be used. Nothing was sent.',
    timeoutMs: quickTimeoutMs,
  },
  eth_chainId: {
    answer: chainId,
    sentence: 'Your wallet gave an answer that can’t be used. Nothing was sent.',
    timeoutMs: quickTimeoutMs,
  },
  eth_requestAccounts: ask(accounts.min(1), 'No accounts found'),
  // wagmi asks for eth_accounts afterwards, so the accounts named here do not matter.
  wallet_requestPermissions: ask(z.unknown().transform(() => [])),
  wallet_revokePermissions: ask(ignored),
  wallet_switchEthereumChain: ask(ignored),
  wallet_addEthereumChain: ask(ignored),
  wallet_watchAsset: ask(z.unknown().transform((answer) => answer === true)),
  personal_sign: ask(signature, 'Your wallet did not return a signature.'),
  eth_sendTransaction: send,
  wallet_sendTransaction: send,
  eth_blockNumber: read(quantity),
  eth_gasPrice: read(quantity),
  eth_maxPriorityFeePerGas: read(quantity),
  eth_getBalance: read(quantity),
  eth_estimateGas: read(quantity),
  eth_getTransactionCount: read(quantity),
  eth_getCode: read(bytes),
  eth_call: read(bytes),
  eth_getBlockByNumber: read(block),
  eth_getTransactionByHash: read(transaction),
  eth_getTransactionReceipt: read(receipt),
}

export const walletMethods: readonly string[] = Object.keys(rules)

/** @throws ProviderError 4200 for a method that no rule names */
export function findRule(method: string): Rule {
  const rule = Object.hasOwn(rules, method) ? rules[method] : undefined
  if (!rule) throw new ProviderError(4200, `${method} is not asked here.`)
  return rule
}

/**
 * @throws WalletError 'no_accounts' or 'unusable' when the answer does not have the method's shape
 */
export function parseAnswer(method: string, answer: unknown): unknown {
  const rule = findRule(method)
  const parsed = parseSafely(rule.answer, answer)
  if (parsed.success) return parsed.data
  const kind = method === 'eth_requestAccounts' ? 'no_accounts' : 'unusable'
  throw new WalletError(kind, rule.sentence, `${method} was answered with ${describe(answer)}`)
}

/** What a wallet's events carry; undefined when it can't be used. */
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
 * Whatever a wallet threw, as an error with a numeric code. Wallets throw strings, null and objects
 * without a prototype.
 */
export function asProviderError(thrown: unknown): Error {
  if (thrown instanceof WalletError || thrown instanceof ProviderError) return thrown
  const { data: said } = parseSafely(thrownShape, thrown)
  return new ProviderError(said?.code ?? internalErrorCode, said?.message ?? describe(thrown), said?.data)
}

const internalErrorCode = -32603
const code = z.union([z.number(), z.string().regex(/^-?\d{1,6}$/)]).transform(Number)
const thrownShape = z.object({
  code: code.optional().catch(undefined),
  message: z.string().min(1).optional().catch(undefined),
  data: z.unknown().transform(copyErrorData).optional(),
})

/** Mobile wallets wrap the code of the cause. */
function copyErrorData(data: unknown): unknown {
  return parseSafely(z.object({ originalError: z.object({ code }) }), data).data
}

/** Getters and proxies of a wallet may throw where its answer is read. */
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
