import { keccak_256 } from '@noble/hashes/sha3'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { type AlertStatement, encodeAlert } from './alert.ts'
import { type Address, checksumAddress, type Hex, hexToBytes } from './hex.ts'

/** Where alerts are anchored: a signature for one chain and contract says nothing on another. */
export interface ProofDomain {
  chainId: number
  /** The AlertAnchor contract. */
  verifyingContract: Address
}

/**
 * The EIP-712 type of an alert, for wallets. `confidence` counts tenths of a percent (0..1000), `createdAt` milliseconds
 * since 1970; `signalHash` is zero where the alert has none.
 */
export const alertTypes = {
  Alert: [
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
  ],
} as const

const noSignalHash: Hex = `0x${'00'.repeat(32)}`
const typeHash = hashText(`Alert(${alertTypes.Alert.map(({ name, type }) => `${type} ${name}`).join(',')})`)
const domainTypeHash = hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
const domainName = hashText('Tocsin')
const domainVersion = hashText('1')

/** The message of `alertTypes` as a wallet takes it. The domain is {name: 'Tocsin', version: '1', ...ProofDomain}. */
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
    signalHash: statement.signalHash ?? noSignalHash,
    signer: statement.signer,
  }
}

/**
 * The 32 bytes that the service's key signs: the EIP-712 digest of the alert under the domain.
 * @throws Error when the statement has no canonical form or the domain is malformed
 */
export function hashAlert(domain: ProofDomain, statement: AlertStatement): Uint8Array {
  encodeAlert(statement)
  const message = alertTypedMessage(statement)
  const structHash = keccak_256(
    concatBytes(
      typeHash,
      encodeUint(message.index),
      hashText(message.id),
      hashText(message.asset),
      hashText(message.priority),
      hashText(message.anomalyType),
      hashText(message.regime),
      hashText(message.summary),
      encodeUint(BigInt(message.confidence)),
      encodeUint(message.createdAt),
      hashText(message.origin),
      hexToBytes(message.signalHash),
      encodeAddress(message.signer),
    ),
  )
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator(domain), structHash))
}

let lastDomain: { key: string; separator: Uint8Array } | undefined

/** A process speaks for one domain nearly always, so the last one is remembered. */
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

function encodeUint(value: bigint): Uint8Array {
  return hexToBytes(`0x${value.toString(16).padStart(64, '0')}`)
}

function encodeAddress(address: Address): Uint8Array {
  return concatBytes(new Uint8Array(12), hexToBytes(address))
}
