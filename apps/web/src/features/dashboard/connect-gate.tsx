import { Button } from '../../ui/button.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { useWalletActions } from '../../wallet/wallet.tsx'

const emblemHash = `0x${'7c1fa9d35be20864'.repeat(4)}`

/** Shown instead of the dashboard while no wallet is connected. Its only control connects one. */
export function ConnectGate() {
  const { openConnect } = useWalletActions()
  return <ConnectWalletView onConnect={openConnect} />
}

/**
 * @param onConnect null until the wallet code is loaded; the button is then invisible, but its
 *   space is reserved
 */
export function ConnectWalletView({ onConnect }: { onConnect: (() => void) | null }) {
  return (
    <div className="relative -m-6 grid min-h-[calc(100dvh-64px)] place-items-center overflow-hidden max-lg:min-h-[calc(100dvh-209px)] phone:-mx-4 phone:-my-5">
      <div
        aria-hidden
        className="absolute top-1/2 left-1/2 -translate-1/2 [mask-image:radial-gradient(circle,transparent_204px,black_230px)]"
      >
        <Seal decorative leafHash={emblemHash} root={emblemHash} state="anchored" size={640} />
      </div>
      <div className="relative grid w-full justify-items-center gap-5 px-6 text-center">
        <h1 className="w-full max-w-72 text-lead text-balance">
          Connect a wallet to pay for alerts and receive them live.
        </h1>
        <Button size="hero" variant="primary" className={onConnect ? '' : 'invisible'} onClick={onConnect ?? undefined}>
          Connect Wallet
        </Button>
      </div>
    </div>
  )
}
