import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type { AuthenticationResponse, RegistrationResponse } from '@tocsin/protocol'
import type { Config } from '../../config.ts'
import { Refusal } from '../../refusal.ts'
import { CHALLENGE_LIFETIME_MS } from './challenges.ts'
import type { PasskeyRow } from './store.ts'

/** Accepted algorithms by their COSE numbers, in order of preference: Ed25519, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257]

/** Returns the relying party (WebAuthn): its id is the host of PUBLIC_URL. */
function getRelyingParty({ http: { publicUrl } }: Config) {
  return { id: new URL(publicUrl).hostname, origin: publicUrl }
}

/**
 * Returns the user handle: the 16 bytes of the account's id, which has no meaning outside this
 * site.
 */
export function toUserHandle(accountId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(accountId.replaceAll('-', ''), 'hex'))
}

export async function writeEnrolmentOptions(
  config: Config,
  account: { id: string; label: string; name: string },
  {
    existing,
    challenge,
    isAdmin,
  }: { existing: readonly PasskeyRow[]; challenge: Uint8Array<ArrayBuffer>; isAdmin: boolean },
) {
  return generateRegistrationOptions({
    rpName: 'Tocsin',
    rpID: getRelyingParty(config).id,
    userID: toUserHandle(account.id),
    userName: account.label,
    userDisplayName: account.name,
    challenge,
    timeout: CHALLENGE_LIFETIME_MS,
    attestationType: 'none',
    excludeCredentials: existing.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: isAdmin ? 'required' : 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** @param allowed the passkeys of the account; empty if it is not known yet */
export async function writeSignInOptions(
  config: Config,
  {
    allowed,
    challenge,
    mustVerify,
  }: { allowed: readonly PasskeyRow[]; challenge: Uint8Array<ArrayBuffer>; mustVerify: boolean },
) {
  return generateAuthenticationOptions({
    rpID: getRelyingParty(config).id,
    challenge,
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: mustVerify ? 'required' : 'preferred',
    ...(allowed.length > 0 ? { allowCredentials: allowed.map(({ id }) => ({ id })) } : {}),
  })
}

/** Returns the challenge that the response answers, or null if the response is malformed. */
export function readChallenge(clientDataJson: string): string | null {
  try {
    const { challenge }: { challenge?: unknown } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'))
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}

export type NewPasskey = Pick<
  PasskeyRow,
  'id' | 'publicKey' | 'signCount' | 'backupEligible' | 'backedUp' | 'transports'
>

/**
 * Verifies a new credential (WebAuthn level 2, 7.1). Attestation is not requested, so a response
 * that contains an attestation is refused.
 * @throws Refusal passkey_refused
 */
export async function verifyEnrolment(
  config: Config,
  response: RegistrationResponse,
  { challenge, mustVerify }: { challenge: string; mustVerify: boolean },
): Promise<NewPasskey> {
  const { id, origin } = getRelyingParty(config)
  const verification = await refuseOnError(() =>
    verifyRegistrationResponse({
      // The cast is safe: the schema has checked the fields that the library reads, and the library
      // accepts undefined for optional fields.
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: mustVerify,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (!verification.verified) throw refuse('the credential was not verified')
  const { fmt, credential, credentialDeviceType, credentialBackedUp } = verification.registrationInfo
  if (fmt !== 'none') throw refuse(`attestation ${fmt} was not asked for`)
  return {
    id: credential.id,
    publicKey: credential.publicKey,
    signCount: credential.counter,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    transports: response.response.transports ?? [],
  }
}

/**
 * Verifies the use of a passkey (WebAuthn level 2, 7.2): challenge, origin, RP id, user presence
 * and verification, signature, counter and backup flags.
 * @returns the new counter and backup state, which the caller stores
 * @throws Refusal passkey_refused
 */
export async function verifyUse(
  config: Config,
  response: AuthenticationResponse,
  { challenge, passkey, mustVerify }: { challenge: string; passkey: PasskeyRow; mustVerify: boolean },
): Promise<{ signCount: number; backedUp: boolean }> {
  const { id, origin } = getRelyingParty(config)
  const { userHandle } = response.response
  if (userHandle && userHandle !== Buffer.from(toUserHandle(passkey.accountId)).toString('base64url')) {
    throw refuse('the user handle belongs to another account')
  }
  const { verified, authenticationInfo } = await refuseOnError(() =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: mustVerify,
      credential: { id: passkey.id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.signCount },
    }),
  )
  if (!verified) throw refuse('the signature is wrong')
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo
  if ((credentialDeviceType === 'multiDevice') !== passkey.backupEligible) {
    throw refuse('the backup eligibility has changed')
  }
  return { signCount: newCounter, backedUp: credentialBackedUp }
}

/**
 * Converts errors to refusals. The library throws for every response that it does not accept,
 * including malformed CBOR.
 */
async function refuseOnError<Answer>(verify: () => Promise<Answer>): Promise<Answer> {
  try {
    return await verify()
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : 'unknown')
  }
}

/** A refusal with the reason for the log. The user gets the same message for all reasons. */
export class PasskeyRefused extends Refusal {
  readonly why: string

  constructor(why: string) {
    super('passkey_refused', 'This passkey was not accepted. Please try again, or use another method.')
    this.why = why
  }
}

export const refuse = (why: string) => new PasskeyRefused(why)
