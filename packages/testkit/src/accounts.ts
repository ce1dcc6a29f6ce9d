import { addressOfKey, bytesToHex, type Hex, hexToBytes } from '@tocsin/proof'
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'

/** The mnemonic that every development chain knows. Its accounts hold ETH and ITO on the test chain. */
export const testMnemonic = 'test test test test test test test test test test test junk'

/** The way from a mnemonic to its seed is slow on purpose, and each chain wants ten accounts. */
const accounts = new Map<number, HDAccount>()

/** Account `index` of the test mnemonic. */
export function testAccount(index: number): HDAccount {
  const account = accounts.get(index) ?? mnemonicToAccount(testMnemonic, { addressIndex: index })
  accounts.set(index, account)
  return account
}

/** A key that is nobody's, the same for the same name on every run. */
export function testKey(byte: number): Hex {
  return bytesToHex(new Uint8Array(32).fill(byte))
}

export const testTreasury = addressOfKey(hexToBytes(testKey(0x7e)))
export const testAnchorKey = testKey(0xa1)
export const testAnchorer = addressOfKey(hexToBytes(testAnchorKey))
export const testSignerKey = testKey(0x51)
