import { itoTokenAbi } from '@tocsin/contracts/abi'
import { type Address, checksumAddress } from '@tocsin/proof'
import { getPlan, type PlanId, planIds } from '@tocsin/protocol'
import type { Context } from '@tocsin/server/context.ts'
import { accounts, orders, wallets } from '@tocsin/server/db/schema.ts'
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
/** Wallets that pay and are nobody's. */
const STRANGERS = 10
/** Each account's first so many transfers are to be the price of an order. */
const ORDERS_EACH = 2
const AT_ONCE = 50
const DAY_MS = 86_400_000

interface Payer {
  address: Address
  nonce: number
}

/** Accounts with a wallet and orders, and a chain on which they and strangers pay the treasury: prices, now and then too little or too much. */
export async function fillChain(
  ctx: Context,
  chain: TestChain,
  { transfers, blocks }: { transfers: number; blocks: number },
): Promise<void> {
  const payers = Array.from({ length: ACCOUNTS + STRANGERS }, (_, index) => ({ address: addressOf(index), nonce: 0 }))
  for (let from = 0; from < payers.length; from += AT_ONCE) {
    await Promise.all(payers.slice(from, from + AT_ONCE).map(({ address }) => fund(chain, address)))
  }
  await addAccounts(ctx, payers.slice(0, ACCOUNTS))
  await chain.control.setAutomine(false)
  const sender = createWalletClient({ transport: http(chain.url) })
  let mined = 0
  for (let made = 0; made < transfers; made += 1) {
    const payer = payers[made % payers.length]
    if (payer) await send(sender, chain, payer, amountOf(made))
    const due = Math.floor(((made + 1) * blocks) / transfers)
    if (due > mined) await chain.mine(due - mined)
    mined = due
  }
}

function addressOf(index: number): Address {
  return checksumAddress(`0x${keccak256(numberToHex(index)).slice(2, 42)}`)
}

/** Coins for fees, and tokens by writing the balance where the contract keeps it. */
async function fund({ control, token }: TestChain, address: Address): Promise<void> {
  const index = keccak256(`${pad(address)}${pad('0x0').slice(2)}`)
  await control.setStorageAt({ address: token, index, value: numberToHex(parseEther('1000000'), { size: 32 }) })
  await control.setBalance({ address, value: parseEther('100') })
  await control.impersonateAccount({ address })
}

function planOf(turn: number): PlanId {
  return planIds[turn % planIds.length] ?? '6h'
}

/** Of every account's transfers the same plan in the same turn, as its orders are. */
function amountOf(made: number): bigint {
  const { priceWei } = getPlan(planOf(Math.floor(made / (ACCOUNTS + STRANGERS))))
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
        planId: planOf(turn),
        priceWei: getPlan(planOf(turn)).priceWei,
        ...{ chainId, token, treasury, payer, path: 'transfer' as const },
        createdAt: new Date(at.getTime() + turn),
        ...{ expiresAt: later, watchedUntil: later },
      })),
    ),
  )
}
