import type { Page } from '@playwright/test'

export interface VirtualAuthenticator {
  remove(): Promise<void>
}

/**
 * Adds a platform authenticator with user verification to the page's browser. It responds without
 * user interaction (Chrome DevTools Protocol, domain WebAuthn).
 */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async remove() {
      await devTools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
