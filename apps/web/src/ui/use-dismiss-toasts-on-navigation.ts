import { useEffect } from 'react'
import { dismissToastsOnNavigation } from './toast.tsx'

/**
 * Calls `dismissToastsOnNavigation` when `pageKey` changes or the component unmounts. `pageKey`
 * identifies the page or view.
 */
export function useDismissToastsOnNavigation(pageKey: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every change of place
  useEffect(() => dismissToastsOnNavigation, [pageKey])
}
