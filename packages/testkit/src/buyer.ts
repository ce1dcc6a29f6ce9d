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

interface RunningDemo {
  url: string
  /** JSON-RPC URL of the demo's chain. */
  chainUrl: string
}

/** Accounts of the test mnemonic from this index on have no funds on the chain. */
const FIRST_UNFUNDED_INDEX = 1_000
const FUNDER_INDEX = 9
/**
 * Interval between polls for email: 240 requests per minute, below the 600 that the server allows
 * one network.
 */
const MAIL_POLL_MS = 250
/** Maximum wait for email. It only ends tests that hang. */
const MAIL_TIMEOUT_MS = 300_000

/**
 * Signs up on a running demo, funds account `1000 + index` of the test mnemonic and buys the 6 h
 * plan with it.
 * @param onMined called with every mined transaction
 */
export async function signUpAndBuy(
  { url, chainUrl }: RunningDemo,
  index: number,
  onMined: (transactionHash: Hex, blockHash: Hex) => void,
): Promise<Purchase> {
  const client = createTestClient(url)
  await signUp(client, url)

  const transport = http(chainUrl, { retryCount: 0, timeout: 120_000 })
  const chain = createPublicClient({ transport, pollingInterval: 50 })
  const createWallet = (accountIndex: number) =>
    createWalletClient({ account: testAccount(accountIndex), chain: foundry, transport })
  const waitUntilMined = async (hash: Hex) => {
    const { status, blockHash } = await waitForReceipt(chain, hash)
    if (status !== 'success') throw new Error(`Transaction ${hash} reverted`)
    onMined(hash, blockHash)
    return hash
  }
  const [funder, wallet] = [createWallet(FUNDER_INDEX), createWallet(FIRST_UNFUNDED_INDEX + index)]
  const { token: ito, treasury, plans } = await client.call('publicConfig')
  const token = { address: checksumAddress(ito.address), abi: itoTokenAbi } as const
  const price = BigInt(plans[0]?.priceWei ?? 0)

  await waitUntilMined(await funder.sendTransaction({ to: wallet.account.address, value: parseEther('1') }))
  await waitUntilMined(
    await funder.writeContract({ ...token, functionName: 'transfer', args: [wallet.account.address, price] }),
  )
  await client.proveWallet(wallet)
  const payment = { ...token, functionName: 'transfer', args: [checksumAddress(treasury), price] } as const
  const transactionHash = await waitUntilMined(await wallet.writeContract(payment))
  const subscription = await client.call('subscribe', { body: { planType: '6h', transactionHash } })
  return { client, subscription }
}

/** Registers a new account, opens the emailed link and signs in. */
async function signUp(client: TestClient, url: string): Promise<void> {
  const login = { email: `${randomBytes(6).toString('hex')}@example.com`, password: randomBytes(12).toString('hex') }
  await client.call('register', { body: { ...login, name: 'Newcomer' } })
  await client.call('verifyEmail', { query: { token: await waitForMailedToken(url, login.email) } })
  await client.call('login', { body: login })
}

async function waitForMailedToken(url: string, email: string): Promise<string> {
  const deadlineMs = performance.now() + MAIL_TIMEOUT_MS
  while (performance.now() < deadlineMs) {
    const response = await fetch(`${url}/dev/outbox.json`)
    const mail = outboxMail
      .array()
      .parse(await response.json())
      .find(({ to }) => to === email)
    const token = mail?.links
      .map((link) => new URL(link).searchParams.get('token'))
      .find((candidate) => candidate !== null)
    if (token) return token
    await new Promise((resolve) => setTimeout(resolve, MAIL_POLL_MS))
  }
  throw new Error(`No email to ${email} within ${MAIL_TIMEOUT_MS / 1000} s`)
}
