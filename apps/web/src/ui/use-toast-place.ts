import { useEffect } from 'react'
import { dismissReadToasts } from './toast.tsx'

/**
 * Calls `dismissReadToasts` when the component unmounts or `place` changes, which identifies the
 * page or view.
 */
export function useToastPlace(place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every change of place
  useEffect(() => dismissReadToasts, [place])
}
