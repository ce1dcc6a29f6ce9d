import { alertAnchorAbi, itoTokenAbi } from '@tocsin/contracts/abi'
import { alertAnchorBytecode, itoTokenBytecode } from '@tocsin/contracts/bytecode'
import type { Address } from '@tocsin/proof'
import { createPublicClient, createWalletClient, getContractAddress, type Hex, http, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { testMnemonic } from './local-chain.ts'
import { waitUntilMined } from './wait-until-mined.ts'

export interface DemoContracts {
  token: Address
  alertAnchor: Address
}

const HOLDERS = 10
const ITO_EACH = parseEther('1000')
const ANCHORER_BALANCE = parseEther('100')
/** Asked of the node: viem's own list of chains takes 20 MB of memory. */
const chain = null

/**
 * Deploys what is not there yet. Account 0 of the test mnemonic does it as its first three transactions, so the addresses are known beforehand and a
 * start that was cut off goes on where it stopped.
 */
export async function deployDemoContracts(rpcUrl: string, anchorer: Address): Promise<DemoContracts> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const deployer = mnemonicToAccount(testMnemonic, { addressIndex: 0 })
  const wallet = createWalletClient({ account: deployer, transport: http(rpcUrl) })
  const holders = Array.from(
    { length: HOLDERS },
    (_, addressIndex) => mnemonicToAccount(testMnemonic, { addressIndex }).address,
  )
  const steps: ((nonce: number) => Promise<Hex>)[] = [
    (nonce) =>
      wallet.deployContract({ chain, abi: itoTokenAbi, bytecode: itoTokenBytecode, args: [holders, ITO_EACH], nonce }),
    (nonce) =>
      wallet.deployContract({ chain, abi: alertAnchorAbi, bytecode: alertAnchorBytecode, args: [anchorer], nonce }),
    (nonce) => wallet.sendTransaction({ chain, to: anchorer, value: ANCHORER_BALANCE, nonce }),
  ]
  const done = await client.getTransactionCount({ address: deployer.address })
  for (const [nonce, step] of steps.entries()) {
    if (nonce < done) continue
    await waitUntilMined(client, await step(nonce))
  }
  return demoContracts()
}

/** Where they are, deployed or not. */
export function demoContracts(): DemoContracts {
  const { address: from } = mnemonicToAccount(testMnemonic, { addressIndex: 0 })
  return { token: getContractAddress({ from, nonce: 0n }), alertAnchor: getContractAddress({ from, nonce: 1n }) }
}
