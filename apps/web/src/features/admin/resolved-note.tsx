import type { AdminOrder } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { Time } from '../../ui/time.tsx'

type ResolutionFields = Pick<AdminOrder, 'resolvedAt' | 'resolvedBy' | 'resolutionReason'>

/** Says how a payment or purchase was resolved, by whom, when and why. */
export function ResolvedNote({
  of: { resolvedAt, resolvedBy, resolutionReason },
  children,
}: {
  of: ResolutionFields
  children: ReactNode
}) {
  if (resolvedAt === null) return null
  const at = <Time at={resolvedAt} className="text-data" />
  return (
    <span className="block text-1">
      {children}
      {resolvedBy === null ? (
        <>, {at}</>
      ) : (
        <>
          , by {resolvedBy.name ?? 'a deleted account'}, {at}
        </>
      )}
      {resolutionReason !== null && <span className="block text-2">“{resolutionReason}”</span>}
    </span>
  )
}
