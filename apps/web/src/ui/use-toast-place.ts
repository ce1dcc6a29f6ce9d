import { useEffect } from 'react'
import { leaveToasts } from './toast.tsx'

/** Whoever leaves this place takes what was said of it along. @param place changes with it */
export function useToastPlace(place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change that matters
  useEffect(() => leaveToasts, [place])
}
