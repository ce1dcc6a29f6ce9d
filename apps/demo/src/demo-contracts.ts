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

/**
 * Account 0 of the test mnemonic. Hard-coded, because every start needs it and deriving it takes
 * 0.1 s of CPU time.
 */
const DEPLOYER: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SETUP_TRANSACTION_COUNT = 3
const HOLDER_COUNT = 10
const ITO_PER_HOLDER = parseEther('1000')
/**
 * Number of additional entries of account 0 in the list of token holders. Each entry adds
 * `ITO_PER_HOLDER` to its balance, from which the faucet pays.
 */
const FAUCET_SHARE_COUNT = 99
const ANCHORER_BALANCE = parseEther('100')
/**
 * Null makes viem ask the node for the chain. Importing viem's list of chains would take 20 MB of
 * memory.
 */
const chain = null

/**
 * Deploys the two contracts and funds `anchorer`, in the first three transactions of account 0 of
 * the test mnemonic. The contract addresses are therefore known in advance, and an interrupted
 * start continues where it stopped.
 */
export async function deployDemoContracts(rpcUrl: string, anchorer: Address): Promise<DemoContracts> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const sentTransactions = await client.getTransactionCount({ address: DEPLOYER })
  if (sentTransactions >= SETUP_TRANSACTION_COUNT) return computeDemoContracts()
  const deployer = mnemonicToAccount(testMnemonic, { addressIndex: 0 })
  const wallet = createWalletClient({ account: deployer, transport: http(rpcUrl) })
  const holders = [
    ...Array.from(
      { length: HOLDER_COUNT },
      (_, addressIndex) => mnemonicToAccount(testMnemonic, { addressIndex }).address,
    ),
    ...Array.from({ length: FAUCET_SHARE_COUNT }, () => DEPLOYER),
  ]
  const steps: ((nonce: number) => Promise<Hex>)[] = [
    (nonce) =>
      wallet.deployContract({
        chain,
        abi: itoTokenAbi,
        bytecode: itoTokenBytecode,
        args: [holders, ITO_PER_HOLDER],
        nonce,
      }),
    (nonce) =>
      wallet.deployContract({ chain, abi: alertAnchorAbi, bytecode: alertAnchorBytecode, args: [anchorer], nonce }),
    (nonce) => wallet.sendTransaction({ chain, to: anchorer, value: ANCHORER_BALANCE, nonce }),
  ]
  for (const [nonce, step] of steps.entries()) {
    if (nonce < sentTransactions) continue
    await waitUntilMined(client, await step(nonce))
  }
  return computeDemoContracts()
}

/** Returns the contract addresses, whether the contracts are deployed yet or not. */
export function computeDemoContracts(): DemoContracts {
  return {
    token: getContractAddress({ from: DEPLOYER, nonce: 0n }),
    alertAnchor: getContractAddress({ from: DEPLOYER, nonce: 1n }),
  }
}
