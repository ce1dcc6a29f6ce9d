import { z } from 'zod'
import { loginResponse } from './accounts.ts'
import { emptyBody, endpoint } from './endpoint.ts'
import { factorAdded } from './factors.ts'
import * as passkeys from './passkeys.ts'
import { done } from './primitives.ts'

const passkeyParams = z.strictObject({ id: passkeys.passkeyId })

/** Passkeys (WebAuthn level 2). */
export const passkeyEndpoints = {
  passkeySignInOptions: endpoint({
    method: 'POST',
    path: '/api/auth/passkey/options',
    access: 'public',
    limit: 'credential',
    summary: 'Create a WebAuthn challenge for signing in, or for the second factor of a sign-in that waits for it',
    body: emptyBody,
    response: passkeys.passkeyOptions,
  }),
  passkeySignIn: endpoint({
    method: 'POST',
    path: '/api/auth/passkey',
    access: 'public',
    limit: 'credential',
    summary: 'Start a session with a passkey, or complete a sign-in that waits for a second factor',
    body: passkeys.passkeySignInRequest,
    response: loginResponse,
  }),
  passkeyConfirmOptions: endpoint({
    method: 'POST',
    path: '/api/auth/confirm-passkey/options',
    access: 'account',
    limit: 'credential',
    summary: 'Create a WebAuthn challenge for reauthenticating',
    body: emptyBody,
    response: passkeys.passkeyOptions,
  }),
  confirmPasskey: endpoint({
    method: 'POST',
    path: '/api/auth/confirm-passkey',
    access: 'account',
    limit: 'credential',
    summary: 'Reauthenticate with a passkey of the account',
    body: passkeys.confirmPasskeyRequest,
    response: done,
  }),
  passkeyOptions: endpoint({
    method: 'POST',
    path: '/api/account/passkeys/options',
    access: 'account',
    recent: true,
    limit: 'credential',
    summary: 'Create a WebAuthn challenge for a new passkey',
    body: emptyBody,
    response: passkeys.passkeyOptions,
  }),
  addPasskey: endpoint({
    method: 'POST',
    path: '/api/account/passkeys',
    access: 'account',
    recent: true,
    limit: 'credential',
    summary: 'Add a passkey; the first second factor of an account ends all other sessions',
    body: passkeys.addPasskeyRequest,
    response: factorAdded,
  }),
  renamePasskey: endpoint({
    method: 'PUT',
    path: '/api/account/passkeys/:id',
    access: 'account',
    summary: 'Rename a passkey',
    params: passkeyParams,
    body: passkeys.renamePasskeyRequest,
    response: done,
  }),
  removePasskey: endpoint({
    method: 'DELETE',
    path: '/api/account/passkeys/:id',
    access: 'account',
    recent: true,
    limit: 'credential',
    summary: 'Remove a passkey and end all other sessions of the account',
    params: passkeyParams,
    body: emptyBody,
    response: done,
  }),
} as const
