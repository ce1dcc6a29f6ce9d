import { keccak_256 } from '@noble/hashes/sha3'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { type AlertStatement, parseAlert } from './alert.ts'
import { type HeartbeatStatement, parseHeartbeat } from './heartbeat.ts'
import { type Address, checksumAddress, type Hex, hexToBytes } from './hex.ts'
import { type KeysStatement, parseKeys, type SigningKey } from './keys.ts'
import { memoize } from './memoize.ts'
import { type OutcomeStatement, parseOutcome } from './outcome-entry.ts'
import type { Primitives } from './primitives.ts'
import { parseReceipt, type ReceiptPayment, type ReceiptStatement } from './receipt.ts'
import type { Statement } from './statement.ts'
import { parseSuccession, type SuccessionStatement } from './succession.ts'

type Keccak = Primitives['keccak256']

/** The anchor chain and contract. A signature is valid only for one domain. */
export interface ProofDomain {
  chainId: number
  /** The AlertAnchor contract. */
  verifyingContract: Address
}

const alertFields = [
  { name: 'index', type: 'uint64' },
  { name: 'id', type: 'string' },
  { name: 'asset', type: 'string' },
  { name: 'priority', type: 'string' },
  { name: 'anomalyType', type: 'string' },
  { name: 'regime', type: 'string' },
  { name: 'summary', type: 'string' },
  { name: 'confidence', type: 'uint16' },
  { name: 'createdAt', type: 'uint64' },
  { name: 'origin', type: 'string' },
  { name: 'signalHash', type: 'bytes32' },
  { name: 'signer', type: 'address' },
] as const

const targetFields = [
  { name: 'targetIndex', type: 'uint64' },
  { name: 'targetLeafHash', type: 'bytes32' },
] as const

/** The field that version 2 adds between the alert's fields and its target. */
const saltField = { name: 'salt', type: 'bytes16' } as const

/**
 * The EIP-712 type of an alert of version 1. `confidence` is in tenths of a percent (0..1000),
 * `createdAt` in milliseconds since the epoch. `signalHash` is zero if the alert has none.
 */
export const alertTypes = { Alert: alertFields } as const

/**
 * The types that have a salt in version 2. The names are unchanged, so the type strings differ only
 * by the salt.
 */
export const saltedTypes = {
  Alert: [...alertFields, saltField],
  Correction: [...alertFields, saltField, ...targetFields],
  Retraction: [...alertFields, saltField, ...targetFields],
} as const

/**
 * The EIP-712 types of all statements of version 1 and of receipts. `untilIndex` is zero for a
 * window without end.
 */
export const statementTypes = {
  Alert: alertFields,
  Correction: [...alertFields, ...targetFields],
  Retraction: [...alertFields, ...targetFields],
  Keys: [
    { name: 'index', type: 'uint64' },
    { name: 'createdAt', type: 'uint64' },
    { name: 'signer', type: 'address' },
    { name: 'keys', type: 'SigningKey[]' },
  ],
  SigningKey: [
    { name: 'account', type: 'address' },
    { name: 'checkpointKey', type: 'bytes32' },
    { name: 'fromIndex', type: 'uint64' },
    { name: 'untilIndex', type: 'uint64' },
  ],
  Heartbeat: [
    { name: 'index', type: 'uint64' },
    { name: 'createdAt', type: 'uint64' },
    { name: 'signer', type: 'address' },
  ],
  Succession: [
    { name: 'index', type: 'uint64' },
    { name: 'createdAt', type: 'uint64' },
    { name: 'signer', type: 'address' },
    { name: 'reason', type: 'string' },
    { name: 'predecessor', type: 'Predecessor' },
  ],
  Predecessor: [
    { name: 'chainId', type: 'uint64' },
    { name: 'anchorContract', type: 'address' },
    { name: 'firstSigner', type: 'address' },
    { name: 'size', type: 'uint64' },
    { name: 'root', type: 'bytes32' },
    { name: 'anchoredSize', type: 'uint64' },
    { name: 'anchoredRoot', type: 'bytes32' },
  ],
  Outcome: [
    { name: 'index', type: 'uint64' },
    ...targetFields,
    { name: 'verdict', type: 'string' },
    { name: 'measured', type: 'string' },
    { name: 'createdAt', type: 'uint64' },
    { name: 'origin', type: 'string' },
    { name: 'messageHash', type: 'bytes32' },
    { name: 'signer', type: 'address' },
    saltField,
  ],
  Receipt: [
    { name: 'id', type: 'string' },
    { name: 'plan', type: 'string' },
    { name: 'startsAt', type: 'uint64' },
    { name: 'endsAt', type: 'uint64' },
    { name: 'chainId', type: 'uint64' },
    { name: 'token', type: 'address' },
    { name: 'treasury', type: 'address' },
    { name: 'payments', type: 'ReceiptPayment[]' },
    { name: 'issuedAt', type: 'uint64' },
    { name: 'logSize', type: 'uint64' },
    { name: 'signer', type: 'address' },
  ],
  ReceiptPayment: [
    { name: 'payer', type: 'address' },
    { name: 'amountWei', type: 'uint256' },
    { name: 'transactionHash', type: 'bytes32' },
    { name: 'logIndex', type: 'uint64' },
  ],
} as const

const noHash: Hex = `0x${'00'.repeat(32)}`
const noSalt: Hex = `0x${'00'.repeat(16)}`
const signingKeyType = describeType('SigningKey')
const predecessorType = describeType('Predecessor')
const receiptPaymentType = describeType('ReceiptPayment')
const typeHashes = {
  alert: hashText(describeType('Alert')),
  correction: hashText(describeType('Correction')),
  retraction: hashText(describeType('Retraction')),
  keys: hashText(`${describeType('Keys')}${signingKeyType}`),
  signingKey: hashText(signingKeyType),
  heartbeat: hashText(describeType('Heartbeat')),
  succession: hashText(`${describeType('Succession')}${predecessorType}`),
  predecessor: hashText(predecessorType),
  outcome: hashText(describeType('Outcome')),
  receipt: hashText(`${describeType('Receipt')}${receiptPaymentType}`),
  receiptPayment: hashText(receiptPaymentType),
}
const saltedTypeHashes = {
  alert: hashText(formatType('Alert', saltedTypes.Alert)),
  correction: hashText(formatType('Correction', saltedTypes.Correction)),
  retraction: hashText(formatType('Retraction', saltedTypes.Retraction)),
}
/** Memoized, because alerts repeat the same assets, priorities and regimes. */
const hashCommonText = memoize(1024, hashText)
const domainTypeHash = hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
const domainName = hashText('Tocsin')
const domainVersion = hashText('1')

function describeType(name: keyof typeof statementTypes): string {
  return formatType(name, statementTypes[name])
}

function formatType(name: string, fields: readonly { name: string; type: string }[]): string {
  return `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`
}

/**
 * The EIP-712 message of an alert, correction or retraction. The two target fields are used only
 * for corrections and retractions, the salt only in version 2. The domain is {name: 'Tocsin',
 * version: '1', ...ProofDomain}.
 */
export function alertTypedMessage(statement: AlertStatement) {
  return {
    index: BigInt(statement.index),
    id: statement.id,
    asset: statement.asset,
    priority: statement.priority,
    anomalyType: statement.anomalyType,
    regime: statement.regime,
    summary: statement.summary,
    confidence: Math.round(statement.confidence * 10),
    createdAt: BigInt(Date.parse(statement.createdAt)),
    origin: statement.origin,
    signalHash: statement.signalHash ?? noHash,
    signer: statement.signer,
    salt: statement.salt ?? noSalt,
    targetIndex: BigInt(statement.targetIndex ?? 0),
    targetLeafHash: statement.targetLeafHash ?? noHash,
  }
}

/** The EIP-712 message of a key list. */
export function keysTypedMessage({ index, createdAt, signer, keys }: KeysStatement) {
  return {
    index: BigInt(index),
    createdAt: BigInt(Date.parse(createdAt)),
    signer,
    keys: keys.map(({ address, checkpointKey, fromIndex, untilIndex }) => ({
      account: address,
      checkpointKey,
      fromIndex: BigInt(fromIndex),
      untilIndex: BigInt(untilIndex ?? 0),
    })),
  }
}

/**
 * The digest that the service signs: EIP-712, 32 bytes.
 * @param keccak256 a faster implementation, used for alerts and outcomes
 * @throws Error when the statement has no canonical form or the domain is malformed
 */
export function hashStatement(domain: ProofDomain, statement: Statement, keccak256?: Keccak): Uint8Array {
  switch (statement.kind) {
    case 'keys':
      return hashKeys(domain, statement)
    case 'heartbeat':
      return hashHeartbeat(domain, statement)
    case 'succession':
      return hashSuccession(domain, statement)
    case 'outcome':
      return hashOutcome(domain, statement, keccak256)
    default:
      return hashAlert(domain, statement, keccak256)
  }
}

/** Like hashStatement, only for alerts, corrections and retractions. */
export function hashAlert(domain: ProofDomain, statement: AlertStatement, keccak256: Keccak = keccak_256): Uint8Array {
  const parsedAlert = parseAlert(statement)
  const message = alertTypedMessage(parsedAlert)
  const isSalted = parsedAlert.salt !== undefined
  const salt = isSalted ? [encodeBytes16(message.salt)] : []
  const target =
    parsedAlert.kind === 'alert' ? [] : [encodeUint(message.targetIndex), hexToBytes(message.targetLeafHash)]
  return hashWords(
    domain,
    keccak256,
    (isSalted ? saltedTypeHashes : typeHashes)[parsedAlert.kind],
    encodeUint(message.index),
    keccak256(utf8ToBytes(message.id)),
    hashCommonText(message.asset),
    hashCommonText(message.priority),
    hashCommonText(message.anomalyType),
    hashCommonText(message.regime),
    keccak256(utf8ToBytes(message.summary)),
    encodeUint(BigInt(message.confidence)),
    encodeUint(message.createdAt),
    hashCommonText(message.origin),
    hexToBytes(message.signalHash),
    encodeAddress(message.signer),
    ...salt,
    ...target,
  )
}

function hashKeys(domain: ProofDomain, statement: KeysStatement): Uint8Array {
  const { index, createdAt, signer, keys } = parseKeys(statement)
  return hashTypedData(
    domain,
    typeHashes.keys,
    encodeUint(BigInt(index)),
    encodeUint(BigInt(Date.parse(createdAt))),
    encodeAddress(signer),
    keccak_256(concatBytes(...keys.map(hashSigningKey))),
  )
}

function hashSigningKey({ address, checkpointKey, fromIndex, untilIndex }: SigningKey): Uint8Array {
  return keccak_256(
    concatBytes(
      typeHashes.signingKey,
      encodeAddress(address),
      hexToBytes(checkpointKey),
      encodeUint(BigInt(fromIndex)),
      encodeUint(BigInt(untilIndex ?? 0)),
    ),
  )
}

/** The EIP-712 message of a heartbeat. */
export function heartbeatTypedMessage({ index, createdAt, signer }: HeartbeatStatement) {
  return { index: BigInt(index), createdAt: BigInt(Date.parse(createdAt)), signer }
}

function hashHeartbeat(domain: ProofDomain, statement: HeartbeatStatement): Uint8Array {
  const { index, createdAt, signer } = heartbeatTypedMessage(parseHeartbeat(statement))
  return hashTypedData(domain, typeHashes.heartbeat, encodeUint(index), encodeUint(createdAt), encodeAddress(signer))
}

/** The EIP-712 message of a succession. */
export function successionTypedMessage({ index, createdAt, signer, reason, predecessor }: SuccessionStatement) {
  const { chainId, contract, firstSigner, size, root, anchoredSize, anchoredRoot } = predecessor
  return {
    index: BigInt(index),
    createdAt: BigInt(Date.parse(createdAt)),
    signer,
    reason,
    predecessor: {
      chainId: BigInt(chainId),
      anchorContract: contract,
      firstSigner,
      size: BigInt(size),
      root,
      anchoredSize: BigInt(anchoredSize),
      anchoredRoot,
    },
  }
}

function hashSuccession(domain: ProofDomain, statement: SuccessionStatement): Uint8Array {
  const { index, createdAt, signer, reason, predecessor } = successionTypedMessage(parseSuccession(statement))
  const predecessorHash = keccak_256(
    concatBytes(
      typeHashes.predecessor,
      encodeUint(predecessor.chainId),
      encodeAddress(predecessor.anchorContract),
      encodeAddress(predecessor.firstSigner),
      encodeUint(predecessor.size),
      hexToBytes(predecessor.root),
      encodeUint(predecessor.anchoredSize),
      hexToBytes(predecessor.anchoredRoot),
    ),
  )
  return hashTypedData(
    domain,
    typeHashes.succession,
    encodeUint(index),
    encodeUint(createdAt),
    encodeAddress(signer),
    hashText(reason),
    predecessorHash,
  )
}

/** The EIP-712 message of an outcome. `measured` is the empty text if void. */
export function outcomeTypedMessage({ kind: _kind, ...statement }: OutcomeStatement) {
  return {
    ...statement,
    index: BigInt(statement.index),
    targetIndex: BigInt(statement.targetIndex),
    measured: statement.measured ?? '',
    createdAt: BigInt(Date.parse(statement.createdAt)),
  }
}

function hashOutcome(domain: ProofDomain, statement: OutcomeStatement, keccak256: Keccak = keccak_256): Uint8Array {
  const message = outcomeTypedMessage(parseOutcome(statement))
  return hashWords(
    domain,
    keccak256,
    typeHashes.outcome,
    encodeUint(message.index),
    encodeUint(message.targetIndex),
    hexToBytes(message.targetLeafHash),
    hashCommonText(message.verdict),
    keccak256(utf8ToBytes(message.measured)),
    encodeUint(message.createdAt),
    hashCommonText(message.origin),
    hexToBytes(message.messageHash),
    encodeAddress(message.signer),
    encodeBytes16(message.salt),
  )
}

/** The EIP-712 message of a receipt. */
export function receiptTypedMessage(statement: ReceiptStatement) {
  return {
    ...statement,
    startsAt: BigInt(Date.parse(statement.startsAt)),
    endsAt: BigInt(Date.parse(statement.endsAt)),
    chainId: BigInt(statement.chainId),
    payments: statement.payments.map((payment) => ({
      ...payment,
      amountWei: BigInt(payment.amountWei),
      logIndex: BigInt(payment.logIndex),
    })),
    issuedAt: BigInt(Date.parse(statement.issuedAt)),
    logSize: BigInt(statement.logSize),
  }
}

/**
 * The digest of a receipt that the service signs: EIP-712 under the log's domain, 32 bytes.
 * @throws Error when the receipt has no canonical form or the domain is malformed
 */
export function hashReceipt(domain: ProofDomain, statement: ReceiptStatement): Uint8Array {
  const message = receiptTypedMessage(parseReceipt(statement))
  return hashTypedData(
    domain,
    typeHashes.receipt,
    hashText(message.id),
    hashText(message.plan),
    encodeUint(message.startsAt),
    encodeUint(message.endsAt),
    encodeUint(message.chainId),
    encodeAddress(message.token),
    encodeAddress(message.treasury),
    keccak_256(concatBytes(...statement.payments.map(hashReceiptPayment))),
    encodeUint(message.issuedAt),
    encodeUint(message.logSize),
    encodeAddress(message.signer),
  )
}

function hashReceiptPayment({ payer, amountWei, transactionHash, logIndex }: ReceiptPayment): Uint8Array {
  return keccak_256(
    concatBytes(
      typeHashes.receiptPayment,
      encodeAddress(payer),
      hexToBytes(`0x${BigInt(amountWei).toString(16).padStart(64, '0')}`),
      hexToBytes(transactionHash),
      encodeUint(BigInt(logIndex)),
    ),
  )
}

function hashTypedData(domain: ProofDomain, ...words: Uint8Array[]): Uint8Array {
  return hashWords(domain, keccak_256, ...words)
}

function hashWords(domain: ProofDomain, keccak256: Keccak, ...words: Uint8Array[]): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator(domain), keccak256(concatBytes(...words))))
}

let lastDomain: { key: string; separator: Uint8Array } | undefined

/** Caches the last separator, because a process normally uses only one domain. */
function domainSeparator({ chainId, verifyingContract }: ProofDomain): Uint8Array {
  const key = `${chainId} ${verifyingContract}`
  if (lastDomain?.key === key) return lastDomain.separator
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new Error('The chain id is not a positive integer')
  const separator = keccak_256(
    concatBytes(
      domainTypeHash,
      domainName,
      domainVersion,
      encodeUint(BigInt(chainId)),
      encodeAddress(checksumAddress(verifyingContract)),
    ),
  )
  lastDomain = { key, separator }
  return separator
}

function hashText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text))
}

/**
 * Encodes a 32-byte word.
 * @param value below 2^64; token amounts are encoded separately
 */
function encodeUint(value: bigint): Uint8Array {
  const word = new Uint8Array(32)
  new DataView(word.buffer).setBigUint64(24, value)
  return word
}

/** Fixed-size byte strings are padded on the right. */
function encodeBytes16(value: Hex): Uint8Array {
  return concatBytes(hexToBytes(value), new Uint8Array(16))
}

function encodeAddress(address: Address): Uint8Array {
  return concatBytes(new Uint8Array(12), hexToBytes(address))
}
