import { getChain } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'

/** A transaction's hash, leading to the chain's explorer where there is one. */
export function Transaction({ hash, chainId }: { hash: string; chainId: number }) {
  const { explorerUrl } = getChain(chainId)
  return <Address value={hash} copy {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${hash}` })} />
}
