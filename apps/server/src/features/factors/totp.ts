import { generateSecret, generateURI, verifySync } from 'otplib'

/** Number of seconds for which a code is valid (RFC 6238, 5.2). */
const PERIOD_SECONDS = 30
const SECRET_BYTES = 20

/** Creates a secret: 160 random bits as base32 (RFC 4226, 4 R6). */
export function createTotpSecret(): string {
  return generateSecret({ length: SECRET_BYTES })
}

/** Returns the otpauth URI for the QR code. The app shows the site and the account in its label. */
export function totpUri(secret: string, { site, account }: { site: string; account: string }): string {
  return generateURI({ issuer: site, label: account, secret })
}

/**
 * Verifies a code of six digits (RFC 6238 with HMAC-SHA-1). Clocks may differ by one time step.
 * @param lastStep time step of the newest accepted code. Codes of this step and of earlier steps
 *   are refused, so that a code works once.
 * @returns the time step of the code, or null if the code is wrong
 */
export function verifyTotp(secret: string, code: string, now: Date, lastStep: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const epoch = Math.floor(now.getTime() / 1000)
  const result = verifySync({
    secret,
    token: code,
    epoch,
    epochTolerance: PERIOD_SECONDS,
    // The library throws if this step is later than every step that the tolerance accepts.
    afterTimeStep: Math.min(lastStep, Math.floor(epoch / PERIOD_SECONDS) + 1),
  })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}
