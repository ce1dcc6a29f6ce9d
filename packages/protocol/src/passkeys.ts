import { z } from 'zod'
import { passkeyName } from './factors.ts'

/** Bytes as base64url without padding, as in the JSON serialisation of WebAuthn level 3. */
const base64url = (max: number) =>
  z
    .string('Expected base64url')
    .max(max)
    .regex(/^[A-Za-z0-9_-]*$/, 'Expected base64url')

export const passkeyId = base64url(1400).min(1)

const credential = {
  id: passkeyId,
  rawId: passkeyId,
  type: z.literal('public-key', 'Expected public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
  clientExtensionResults: z.looseObject({}, 'Expected an object'),
}

/** RegistrationResponseJSON (WebAuthn level 3, 5.1.8). */
export const registrationResponse = z.strictObject({
  ...credential,
  response: z.strictObject(
    {
      clientDataJSON: base64url(8192).min(1),
      attestationObject: base64url(16_384).min(1),
      authenticatorData: base64url(8192).optional(),
      transports: z
        .array(z.string().regex(/^[a-z-]{1,30}$/, 'Expected a transport'))
        .max(10)
        .optional(),
      publicKeyAlgorithm: z.number().optional(),
      publicKey: base64url(8192).optional(),
    },
    'Expected an object',
  ),
})
export type RegistrationResponse = z.output<typeof registrationResponse>

/** AuthenticationResponseJSON (WebAuthn level 3, 5.1.8). */
export const authenticationResponse = z.strictObject({
  ...credential,
  response: z.strictObject(
    {
      clientDataJSON: base64url(8192).min(1),
      authenticatorData: base64url(8192).min(1),
      signature: base64url(2048).min(1),
      userHandle: base64url(100).nullish(),
    },
    'Expected an object',
  ),
})
export type AuthenticationResponse = z.output<typeof authenticationResponse>

/** Options for the browser’s WebAuthn API, in their JSON serialisation. */
export const passkeyOptions = z.looseObject({ challenge: z.string() })

export const addPasskeyRequest = z.strictObject({ name: passkeyName, response: registrationResponse })
export const renamePasskeyRequest = z.strictObject({ name: passkeyName })
export const passkeySignInRequest = z.strictObject({
  response: authenticationResponse,
  rememberMe: z.boolean().optional(),
})
export const confirmPasskeyRequest = z.strictObject({ response: authenticationResponse })
