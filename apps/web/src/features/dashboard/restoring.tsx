import { Skeleton } from '../../ui/skeleton.tsx'

/** Skeleton while the wallet connection is restored. Avoids a flash of "Connect Wallet". */
export function Restoring() {
  return (
    <div role="status" aria-label="Reconnecting your wallet" className="mx-auto grid max-w-[1440px] gap-4">
      <div className="h-40">
        <Skeleton className="h-8 w-72" />
      </div>
      <Skeleton className="h-52 w-full" />
      <Skeleton className="h-96 w-full" />
    </div>
  )
}
