import { getChain, type PublicConfig } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'

/** A transaction of the anchor chain: a link where the chain has an explorer, else its hash to copy. */
export function TransactionLink({ hash, config }: { hash: string; config: PublicConfig | undefined }) {
  const explorerUrl = config ? getChain(config.anchor.chainId).explorerUrl : null
  return <Address value={hash} copy {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${hash}` })} />
}
