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

const ACCOUNTS = 500
/** Number of wallets that pay but are not linked to an account. */
const UNLINKED = 10
/** Number of orders per account. The first transfers of the account pay them. */
const ORDERS_EACH = 2
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
  const payers = Array.from({ length: ACCOUNTS + UNLINKED }, (_, index) => ({ address: getAddress(index), nonce: 0 }))
  for (let from = 0; from < payers.length; from += BATCH_SIZE) {
    await Promise.all(payers.slice(from, from + BATCH_SIZE).map(({ address }) => fund(chain, address)))
  }
  await addAccounts(ctx, payers.slice(0, ACCOUNTS))
  await chain.control.setAutomine(false)
  const sender = createWalletClient({ transport: http(chain.url) })
  let mined = 0
  for (let made = 0; made < transfers; made += 1) {
    const payer = payers[made % payers.length]
    if (payer) await send(sender, chain, payer, getAmount(made))
    const due = Math.floor(((made + 1) * blocks) / transfers)
    if (due > mined) await chain.mine(due - mined)
    mined = due
  }
}

function getAddress(index: number): Address {
  return checksumAddress(`0x${keccak256(numberToHex(index)).slice(2, 42)}`)
}

/** Funds an address with ETH for fees and, by writing the contract's storage, with tokens. */
async function fund({ control, token }: TestChain, address: Address): Promise<void> {
  const index = keccak256(`${pad(address)}${pad('0x0').slice(2)}`)
  await control.setStorageAt({ address: token, index, value: numberToHex(parseEther('1000000'), { size: 32 }) })
  await control.setBalance({ address, value: parseEther('100') })
  await control.impersonateAccount({ address })
}

function choosePlan(turn: number): PlanId {
  return planIds[turn % planIds.length] ?? '6h'
}

/** Returns the amount of a transfer. The n-th transfer of every account pays its n-th order. */
function getAmount(made: number): bigint {
  const { priceWei } = getPlan(choosePlan(Math.floor(made / (ACCOUNTS + UNLINKED))))
  if (made % 20 === 7) return priceWei - 1n
  if (made % 20 === 13) return priceWei + parseEther('1')
  return priceWei
}

async function send(
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
  const at = clock.now()
  const { chainId, token, treasury } = config.payment
  const later = new Date(at.getTime() + DAY_MS)
  const made = await db
    .insert(accounts)
    .values(owners.map((_, index) => ({ name: `Buyer ${index}`, email: `buyer${index}@example.com`, createdAt: at })))
    .returning({ id: accounts.id })
  const owned = owners.flatMap(({ address }, index) => {
    const accountId = made[index]?.id
    return accountId ? [{ address, accountId, linkedAt: at }] : []
  })
  await db.insert(wallets).values(owned)
  const turns = Array.from({ length: ORDERS_EACH }, (_, turn) => turn)
  await db.insert(orders).values(
    owned.flatMap(({ address: payer, accountId }) =>
      turns.map((turn) => ({
        accountId,
        planId: choosePlan(turn),
        priceWei: getPlan(choosePlan(turn)).priceWei,
        ...{ chainId, token, treasury, payer, path: 'transfer' as const },
        createdAt: new Date(at.getTime() + turn),
        ...{ expiresAt: later, watchedUntil: later },
      })),
    ),
  )
}
