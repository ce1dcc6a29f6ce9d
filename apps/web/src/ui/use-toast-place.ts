import { useEffect } from 'react'
import { dismissReadToasts } from './toast.tsx'

/**
 * Calls `dismissReadToasts` when `place` changes or the component unmounts. `place` identifies the
 * page or view.
 */
export function useToastPlace(place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every change of place
  useEffect(() => dismissReadToasts, [place])
}
