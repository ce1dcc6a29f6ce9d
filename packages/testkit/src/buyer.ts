import { randomBytes } from 'node:crypto'
import { itoTokenAbi } from '@tocsin/contracts/abi'
import { checksumAddress, type Hex } from '@tocsin/proof'
import { outboxMail, type Subscription } from '@tocsin/protocol'
import { createPublicClient, createWalletClient, http, parseEther } from 'viem'
import { foundry } from 'viem/chains'
import { testAccount } from './accounts.ts'
import { waitForReceipt } from './chain.ts'
import { createTestClient, type TestClient } from './client.ts'

export interface Purchase {
  client: TestClient
  subscription: Subscription
}

interface Place {
  url: string
  /** JSON-RPC of the running demo's chain. */
  chainUrl: string
}

/** First account of the test mnemonic that holds nothing by itself. */
const FIRST_EMPTY = 1_000
const FUNDER = 9

/**
 * Does what a newcomer does on a running demo, from sign-up to the running 6 h plan, with account `1000 + index` of the test mnemonic.
 * @param onMined hears of every transaction whose receipt the chain has given
 */
export async function buyAsNewcomer(
  { url, chainUrl }: Place,
  index: number,
  onMined: (transactionHash: Hex, blockHash: Hex) => void,
): Promise<Purchase> {
  const client = createTestClient(url)
  await signUp(client, url)

  const transport = http(chainUrl, { retryCount: 0, timeout: 60_000 })
  const chain = createPublicClient({ transport, pollingInterval: 50 })
  const walletOf = (account: number) => createWalletClient({ account: testAccount(account), chain: foundry, transport })
  const mined = async (hash: Hex) => {
    const { status, blockHash } = await waitForReceipt(chain, hash)
    if (status !== 'success') throw new Error(`Transaction ${hash} was reverted`)
    onMined(hash, blockHash)
    return hash
  }
  const [funder, wallet] = [walletOf(FUNDER), walletOf(FIRST_EMPTY + index)]
  const { token: ito, treasury, plans } = await client.call('publicConfig')
  const token = { address: checksumAddress(ito.address), abi: itoTokenAbi } as const
  const price = BigInt(plans[0]?.priceWei ?? 0)

  await mined(await funder.sendTransaction({ to: wallet.account.address, value: parseEther('1') }))
  await mined(await funder.writeContract({ ...token, functionName: 'transfer', args: [wallet.account.address, price] }))
  await client.proveWallet(wallet)
  const paid = { ...token, functionName: 'transfer', args: [checksumAddress(treasury), price] } as const
  const transactionHash = await mined(await wallet.writeContract(paid))
  const subscription = await client.call('subscribe', { body: { planType: '6h', transactionHash } })
  return { client, subscription }
}

/** Registers a new account, opens the link of its mail, signs in. */
async function signUp(client: TestClient, url: string): Promise<void> {
  const login = { email: `${randomBytes(6).toString('hex')}@example.com`, password: randomBytes(12).toString('hex') }
  await client.call('register', { body: { ...login, name: 'Newcomer' } })
  await client.call('verifyEmail', { query: { token: await mailedToken(url, login.email) } })
  await client.call('login', { body: login })
}

async function mailedToken(url: string, email: string): Promise<string> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}/dev/outbox.json`)
    const mail = outboxMail
      .array()
      .parse(await answer.json())
      .find(({ to }) => to === email)
    const token = mail?.links.map((link) => new URL(link).searchParams.get('token')).find((found) => found !== null)
    if (token) return token
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No mail to ${email} within 60 s`)
}
