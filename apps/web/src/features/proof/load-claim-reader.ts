import { notLoadedMessage } from './proof-client.ts'

/**
 * Loads the schemas that read alerts and proof files. No page needs them for its first paint.
 * @throws Error with a user-facing message if they cannot be loaded
 */
export async function loadClaimReader(): Promise<typeof import('./claim.ts')> {
  try {
    return await import('./claim.ts')
  } catch {
    throw new Error(notLoadedMessage)
  }
}
