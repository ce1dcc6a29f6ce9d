import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { alertAnchorBytecode } from '@tocsin/contracts/bytecode'
import { checksumAddress } from '@tocsin/proof'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createChainClient } from '../chain/chain-client.ts'
import { type Command, CommandFailure, exitCodes } from './command.ts'
import { withInstallation } from './installation.ts'

const MINED_TIMEOUT_MS = 180_000
/** The settings are read as a whole, and the contract's address is what is still missing. The demo deploys its own. */
const NOT_YET = `0x${'0'.repeat(40)}`

export const anchorDeploy: Command = {
  name: 'anchor deploy',
  summary: 'Puts an AlertAnchor contract on the anchor chain, once, for a new log. ANCHOR_KEY pays and owns it.',
  usage: ['', 'Set everything but ANCHOR_CONTRACT first; the address that is printed is its value.'],
  options: {},
  files: 0,
  run(_input, around) {
    const { ANCHOR_CONTRACT: contract, ANCHOR_CONTRACT_FILE: file } = around.env
    if (contract || file) {
      throw new CommandFailure('ANCHOR_CONTRACT is set: there is a contract already. Unset it to deploy another one.')
    }
    return withInstallation(
      { ...around, env: { ...around.env, DEMO: 'false', ANCHOR_CONTRACT: NOT_YET } },
      async ({ config }) => {
        const { chainId, rpcUrl, key } = config.anchor
        const chain = createChainClient([rpcUrl])
        const actual = await chain.getChainId()
        if (actual !== chainId) {
          throw new CommandFailure(`ANCHOR_RPC_URL serves chain ${actual}, but chain ${chainId} is configured.`)
        }
        const account = privateKeyToAccount(key)
        if ((await chain.getBalance({ address: account.address })) === 0n) {
          throw new CommandFailure(`${account.address} has no coins to pay with on chain ${chainId}.`)
        }
        const wallet = createWalletClient({ account, transport: http(rpcUrl) })
        const call = {
          abi: alertAnchorAbi,
          bytecode: alertAnchorBytecode,
          args: [account.address],
          chain: null,
        } as const
        const hash = await wallet.deployContract(call)
        around.out(`Sent ${hash}`)
        const receipt = await chain.waitForTransactionReceipt({ hash, timeout: MINED_TIMEOUT_MS })
        if (receipt.status !== 'success' || !receipt.contractAddress) {
          throw new CommandFailure('The transaction was mined, but it made no contract.')
        }
        around.out(`ANCHOR_CONTRACT=${checksumAddress(receipt.contractAddress)}`)
        return exitCodes.done
      },
    )
  },
}
