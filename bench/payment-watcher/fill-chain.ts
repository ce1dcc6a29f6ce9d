import { itoTokenAbi } from '@tocsin/contracts/abi'
import { type Address, checksumAddress } from '@tocsin/proof'
import { getPlan, type PlanId, planIds } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '@tocsin/server/context.ts'
import { accounts } from '@tocsin/server/db/schema/accounts.ts'
import { orders } from '@tocsin/server/db/schema/payments.ts'
import { wallets } from '@tocsin/server/db/schema/wallets.ts'
import type { TestChain } from '@tocsin/testkit'
import {
  createWalletClient,
  encodeFunctionData,
  http,
  keccak256,
  numberToHex,
  pad,
  parseEther,
  type WalletClient,
} from 'viem'

const ACCOUNT_COUNT = 500
/** Number of wallets that pay but are not linked to an account. */
const UNLINKED_WALLETS = 10
/** Number of orders per account. The first transfers of the account pay them. */
const ORDERS_PER_ACCOUNT = 2
const BATCH_SIZE = 50

interface Payer {
  address: Address
  nonce: number
}

/**
 * Inserts accounts with wallets and orders, and fills the chain with transfers to the treasury from
 * linked and unlinked wallets. The amount of most transfers is the price of a plan; some are too
 * small or too large.
 */
export async function fillChain(
  ctx: Context,
  chain: TestChain,
  { transfers, blocks }: { transfers: number; blocks: number },
): Promise<void> {
  const payers = Array.from({ length: ACCOUNT_COUNT + UNLINKED_WALLETS }, (_, index) => ({
    address: getAddress(index),
    nonce: 0,
  }))
  for (let from = 0; from < payers.length; from += BATCH_SIZE) {
    await Promise.all(payers.slice(from, from + BATCH_SIZE).map(({ address }) => fundAddress(chain, address)))
  }
  await addAccounts(ctx, payers.slice(0, ACCOUNT_COUNT))
  await chain.control.setAutomine(false)
  const sender = createWalletClient({ transport: http(chain.url) })
  let minedBlocks = 0
  for (let sentCount = 0; sentCount < transfers; sentCount += 1) {
    const payer = payers[sentCount % payers.length]
    if (payer) await sendTransfer(sender, chain, payer, getAmount(sentCount))
    const dueBlocks = Math.floor(((sentCount + 1) * blocks) / transfers)
    if (dueBlocks > minedBlocks) await chain.mine(dueBlocks - minedBlocks)
    minedBlocks = dueBlocks
  }
}

function getAddress(index: number): Address {
  return checksumAddress(`0x${keccak256(numberToHex(index)).slice(2, 42)}`)
}

/** Funds an address with ETH for fees and, by writing the contract's storage, with tokens. */
async function fundAddress({ control, token }: TestChain, address: Address): Promise<void> {
  const index = keccak256(`${pad(address)}${pad('0x0').slice(2)}`)
  await control.setStorageAt({ address: token, index, value: numberToHex(parseEther('1000000'), { size: 32 }) })
  await control.setBalance({ address, value: parseEther('100') })
  await control.impersonateAccount({ address })
}

function choosePlan(turn: number): PlanId {
  return planIds[turn % planIds.length] ?? '6h'
}

/**
 * Returns the amount of a transfer: for the n-th transfer of a wallet, the price of the n-th order
 * of its account. One in 20 transfers is too small, and one in 20 is too large.
 */
function getAmount(transferIndex: number): bigint {
  const { priceWei } = getPlan(choosePlan(Math.floor(transferIndex / (ACCOUNT_COUNT + UNLINKED_WALLETS))))
  if (transferIndex % 20 === 7) return priceWei - 1n
  if (transferIndex % 20 === 13) return priceWei + parseEther('1')
  return priceWei
}

async function sendTransfer(
  from: WalletClient,
  { token, treasury }: TestChain,
  payer: Payer,
  amountWei: bigint,
): Promise<void> {
  await from.sendTransaction({
    account: payer.address,
    chain: null,
    to: token,
    data: encodeFunctionData({ abi: itoTokenAbi, functionName: 'transfer', args: [treasury, amountWei] }),
    gas: 100_000n,
    gasPrice: 10n ** 10n,
    nonce: payer.nonce,
  })
  payer.nonce += 1
}

async function addAccounts({ db, clock, config }: Context, owners: readonly Payer[]): Promise<void> {
  const now = clock.now()
  const { chainId, token, treasury } = config.payment
  const endsAt = new Date(now.getTime() + DAY_MS)
  const createdAccounts = await db
    .insert(accounts)
    .values(owners.map((_, index) => ({ name: `Buyer ${index}`, email: `buyer${index}@example.com`, createdAt: now })))
    .returning({ id: accounts.id })
  const ownedWallets = owners.flatMap(({ address }, index) => {
    const accountId = createdAccounts[index]?.id
    return accountId ? [{ address, accountId, linkedAt: now }] : []
  })
  await db.insert(wallets).values(ownedWallets)
  const orderTurns = Array.from({ length: ORDERS_PER_ACCOUNT }, (_, turn) => turn)
  await db.insert(orders).values(
    ownedWallets.flatMap(({ address: payer, accountId }) =>
      orderTurns.map((turn) => ({
        accountId,
        planId: choosePlan(turn),
        priceWei: getPlan(choosePlan(turn)).priceWei,
        ...{ chainId, token, treasury, payer, path: 'transfer' as const },
        createdAt: new Date(now.getTime() + turn),
        ...{ expiresAt: endsAt, watchedUntil: endsAt },
      })),
    ),
  )
}
