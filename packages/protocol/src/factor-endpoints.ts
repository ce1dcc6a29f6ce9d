import { z } from 'zod'
import { loginResponse } from './accounts.ts'
import { emptyBody, endpoint } from './endpoint.ts'
import * as factors from './factors.ts'
import { done } from './primitives.ts'

/** Second factors of accounts. */
export const factorEndpoints = {
  completeSignIn: endpoint({
    method: 'POST',
    path: '/api/auth/factor',
    access: 'public',
    limit: 'credential',
    summary: 'Complete a sign-in with a code of the authenticator app or a recovery code',
    body: factors.factorCodeRequest,
    response: loginResponse,
  }),
  confirmFactor: endpoint({
    method: 'POST',
    path: '/api/auth/confirm-factor',
    access: 'account',
    limit: 'credential',
    summary: 'Reauthenticate with a code of the authenticator app or a recovery code',
    body: factors.factorCodeRequest,
    response: done,
  }),
  findFactors: endpoint({
    path: '/api/account/factors',
    access: 'account',
    summary: 'The second factors of the account',
    response: factors.accountFactors,
  }),
  useEnrolmentCode: endpoint({
    method: 'POST',
    path: '/api/account/factors/enrolment',
    access: 'account',
    limit: 'credential',
    summary:
      'Let this session enrol the first second factor of a member of staff, with a code that an owner handed over',
    body: factors.factorCodeRequest,
    response: done,
  }),
  startTotp: endpoint({
    method: 'POST',
    path: '/api/account/factors/totp',
    access: 'account',
    recent: true,
    limit: 'credential',
    summary: 'Create the secret of an authenticator app, which is in use once its first code is confirmed',
    body: emptyBody,
    response: factors.totpEnrolment,
  }),
  confirmTotp: endpoint({
    method: 'POST',
    path: '/api/account/factors/totp/confirm',
    access: 'account',
    recent: true,
    limit: 'credential',
    summary: 'Enable the authenticator app with its first code',
    body: factors.factorCodeRequest,
    response: factors.factorAdded,
  }),
  removeTotp: endpoint({
    method: 'DELETE',
    path: '/api/account/factors/totp',
    access: 'account',
    recent: true,
    limit: 'credential',
    summary: 'Remove the authenticator app and end all other sessions of the account',
    body: emptyBody,
    response: done,
  }),
  cancelFactorReset: endpoint({
    method: 'POST',
    path: '/api/auth/cancel-factor-reset',
    access: 'public',
    limit: 'credential',
    summary: 'Cancel the removal of second factors with an emailed token',
    body: z.strictObject({ token: z.string().max(200) }),
    response: done,
  }),
  cancelOwnFactorReset: endpoint({
    method: 'DELETE',
    path: '/api/account/factors/reset',
    access: 'account',
    summary: 'Cancel the removal of the account’s second factors',
    body: emptyBody,
    response: done,
  }),
  replaceRecoveryCodes: endpoint({
    method: 'POST',
    path: '/api/account/factors/recovery-codes',
    access: 'account',
    recent: true,
    limit: 'credential',
    summary: 'Replace the recovery codes. The response contains the new codes, which are shown once',
    body: emptyBody,
    response: done.extend({ recoveryCodes: z.array(z.string()) }),
  }),
} as const
