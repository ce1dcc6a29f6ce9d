import { getChain } from '@tocsin/protocol'
import { Address } from './address.tsx'

/** Transaction hash, linked to the block explorer if the chain has one. */
export function Transaction({ hash, chainId }: { hash: string; chainId: number }) {
  const { explorerUrl } = getChain(chainId)
  return <Address value={hash} copy {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${hash}` })} />
}
