import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { alertAnchorBytecode } from '@tocsin/contracts/bytecode'
import { checksumAddress } from '@tocsin/proof'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createChainClient } from '../chain/chain-client.ts'
import { type Command, CommandFailure, exitCodes } from './command.ts'
import { withInstallation } from './installation.ts'

const MINED_TIMEOUT_MS = 180_000
/**
 * Value of ANCHOR_CONTRACT until the contract exists. It is needed because all settings are
 * validated together.
 */
const PLACEHOLDER_ADDRESS = `0x${'0'.repeat(40)}`

export const anchorDeploy: Command = {
  name: 'anchor deploy',
  summary: 'Deploys an AlertAnchor contract for a new log. ANCHOR_KEY pays the fees and owns the contract.',
  usage: ['', 'First configure all settings except ANCHOR_CONTRACT. Then set ANCHOR_CONTRACT to the printed address.'],
  options: {},
  files: 0,
  run(_input, cli) {
    const { ANCHOR_CONTRACT: contract, ANCHOR_CONTRACT_FILE: file } = cli.env
    if (contract || file) {
      throw new CommandFailure('ANCHOR_CONTRACT is set: a contract already exists. Unset it to deploy another one.')
    }
    return withInstallation(
      { ...cli, env: { ...cli.env, DEMO: 'false', ANCHOR_CONTRACT: PLACEHOLDER_ADDRESS } },
      async ({ config }) => {
        const { chainId, rpcUrl, key } = config.anchor
        const chain = createChainClient([rpcUrl])
        const actual = await chain.getChainId()
        if (actual !== chainId) {
          throw new CommandFailure(`ANCHOR_RPC_URL serves chain ${actual}, but chain ${chainId} is configured.`)
        }
        const account = privateKeyToAccount(key)
        if ((await chain.getBalance({ address: account.address })) === 0n) {
          throw new CommandFailure(`${account.address} has no coins to pay fees with on chain ${chainId}.`)
        }
        const wallet = createWalletClient({ account, transport: http(rpcUrl) })
        const call = {
          abi: alertAnchorAbi,
          bytecode: alertAnchorBytecode,
          args: [account.address],
          chain: null,
        } as const
        const hash = await wallet.deployContract(call)
        cli.out(`Sent ${hash}`)
        const receipt = await chain.waitForTransactionReceipt({ hash, timeout: MINED_TIMEOUT_MS })
        if (receipt.status !== 'success' || !receipt.contractAddress) {
          throw new CommandFailure('The transaction was mined, but did not create a contract.')
        }
        cli.out(`ANCHOR_CONTRACT=${checksumAddress(receipt.contractAddress)}`)
        return exitCodes.done
      },
    )
  },
}
