import { useEffect } from 'react'
import { dismissReadToasts } from './toast.tsx'

/** Dismisses toasts when `place` changes or the component unmounts. */
export function useToastPlace(place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every change of place
  useEffect(() => dismissReadToasts, [place])
}
