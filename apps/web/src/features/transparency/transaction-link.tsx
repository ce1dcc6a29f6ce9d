import { getChain, type PublicConfig } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'

/** A transaction hash of the anchor chain, linked if the chain has a block explorer. */
export function TransactionLink({ hash, config }: { hash: string; config: PublicConfig | undefined }) {
  const explorerUrl = config ? getChain(config.anchor.chainId).explorerUrl : null
  return <Address value={hash} copy {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${hash}` })} />
}
