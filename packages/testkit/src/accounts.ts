import { addressOfKey, bytesToHex, type Hex, hexToBytes } from '@tocsin/proof'
import { type HDAccount, HDKey, hdKeyToAccount } from 'viem/accounts'

/**
 * BIP-44 node above the accounts of the test mnemonic, which hold ETH and ITO on the test chain. It
 * is a constant, because its derivation is slow by design: 0.15 s in each test worker and each
 * server process of a failpoint test.
 */
const parentKey = HDKey.fromExtendedKey(
  'xprv9zz7v8QuW9DB5aPK3A4sGm1Nd3gNbg3NznE3Gu3TUPDFCEvZwALBrjY5d5h8eyKywqqFkKXDaxAKsmL4qVMzN3wBGaC2h3WoJT74EVuGwZi',
)
const accounts = new Map<number, HDAccount>()

/** Account `index` of the test mnemonic. */
export function testAccount(index: number): HDAccount {
  // viem's type allows only paths from the master key, but this one starts at `parentKey`.
  const path = `m/${index}` as `m/44'/60'/${string}`
  const account = accounts.get(index) ?? hdKeyToAccount(parentKey, { path })
  accounts.set(index, account)
  return account
}

/** Returns a deterministic test key: 32 times the same byte. */
export function testKey(byte: number): Hex {
  return bytesToHex(new Uint8Array(32).fill(byte))
}

export const testTreasury = addressOfKey(hexToBytes(testKey(0x7e)))
export const testAnchorKey = testKey(0xa1)
export const testAnchorer = addressOfKey(hexToBytes(testAnchorKey))
export const testSignerKey = testKey(0x51)
