import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { ResponseOf } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { formatFailure } from './toast-failure.ts'

const loadWebAuthn = () => import('@simplewebauthn/browser')

/** Creates a passkey on this device and adds it to the account. */
export async function enrolPasskey(name: string): Promise<ResponseOf<'addPasskey'>> {
  const [options, { startRegistration }] = await Promise.all([call('passkeyOptions'), loadWebAuthn()])
  // Safe cast: the server's WebAuthn library creates these options for the browser's library.
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const response = await startRegistration({ optionsJSON })
  return call('addPasskey', { body: { name, response: { ...response, clientExtensionResults: {} } } })
}

/**
 * Signs in with a passkey, or completes a sign-in that is waiting for a second factor.
 * @param options ignored if a sign-in is waiting: the options of its first step apply
 */
export async function signInWithPasskey(options: { rememberMe?: boolean } = {}): Promise<ResponseOf<'passkeySignIn'>> {
  const response = await askPasskey(await call('passkeySignInOptions'))
  return call('passkeySignIn', { body: { response, ...options } })
}

/** Reauthenticates this session with a passkey. */
export async function confirmWithPasskey(): Promise<void> {
  const response = await askPasskey(await call('passkeyConfirmOptions'))
  await call('confirmPasskey', { body: { response } })
}

async function askPasskey(options: { challenge: string }) {
  const { startAuthentication } = await loadWebAuthn()
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return { ...(await startAuthentication({ optionsJSON })), clientExtensionResults: {} }
}

/** Returns the error message for a passkey that was not used or was rejected. */
export function describePasskeyFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'No passkey was used. Try again, or use another method.'
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.'
  return formatFailure(error, 'The passkey could not be used. Please try again.')
}

export const hasPasskeySupport = () => 'PublicKeyCredential' in window
