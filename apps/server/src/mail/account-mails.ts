import type { Role } from '@tocsin/protocol'
import type { Mail } from '../context.ts'
import { composeMail, formatTime } from './compose.ts'

/**
 * @param signUp `device` is built from known names, never the raw user agent. `hasOthers` is true
 * if sign-ups with another password are pending for this address
 */
export function verifyEmailMail(
  to: string,
  url: string,
  { device, at, expiresAt, hasOthers }: { device: string; at: Date; expiresAt: Date; hasOthers: boolean },
): Mail {
  const otherSignUpsText =
    'There is another pending sign-up for this address, with a different password. Compare the time and device, and open the link only if this sign-up is yours.'
  return composeMail(to, 'Verify your email address', {
    preview: 'Verify your address to finish signing up for Tocsin.',
    paragraphs: [
      'We received a sign-up for Tocsin with this address.',
      'Verify the address to finish. The link works once, signs you in and sets the password that was chosen for this sign-up.',
      ...(hasOthers ? [otherSignUpsText] : []),
    ],
    facts: [
      { label: 'Time', value: formatTime(at) },
      { label: 'Device', value: device },
      { label: 'Link expires', value: formatTime(expiresAt) },
    ],
    action: { label: 'Verify address', url },
    note: 'If you did not sign up at that time, do not open the link. No account is created without it.',
  })
}

export function severalSignUpsMail(to: string, publicUrl: string): Mail {
  return composeMail(to, 'Sign up again to get a new link', {
    preview: 'There are several pending sign-ups for this address.',
    paragraphs: [
      'We received a request for a new verification link for this address. There are several pending sign-ups with different passwords, and we cannot tell which one is yours.',
      'Sign up again, or open the link in the earlier email that shows the time and device of your sign-up.',
    ],
    action: { label: 'Sign up', url: `${publicUrl}/auth?tab=sign-up` },
    note: 'Do not open the link of a sign-up that is not yours: it sets a password that someone else chose.',
  })
}

export function resetPasswordMail(to: string, url: string): Mail {
  return composeMail(to, 'Reset your password', {
    preview: 'Choose a new password for Tocsin.',
    paragraphs: [
      'We received a request to reset the password of the Tocsin account with this address.',
      'The link works once, within one hour. A new password signs you out on all devices.',
    ],
    action: { label: 'Choose a new password', url },
    note: 'If you did not request this, ignore this email. Your password stays unchanged.',
  })
}

export function alreadyRegisteredMail(to: string, publicUrl: string): Mail {
  return composeMail(to, 'You already have an account', {
    preview: 'We received a sign-up with your address.',
    paragraphs: [
      'We received a sign-up for Tocsin with this address, but it already has an account. Nothing was changed.',
      'If it was you, sign in. If you have forgotten your password, you can reset it on the sign-in page.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, no action is needed. Your account was not accessed.',
  })
}

export function passwordChangedMail(to: string, publicUrl: string): Mail {
  return composeMail(to, 'Your password was changed', {
    preview: 'The password of your Tocsin account was changed.',
    paragraphs: [
      'The password of your Tocsin account was changed, and all other sessions were ended.',
      'Linked wallets and providers can still be used to sign in. You can review and remove them in Settings.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, reset your password immediately with “Forgot password” on the sign-in page.',
  })
}

/** @param method display name: "Google", "Wallet 0x…" */
export function signInMethodAddedMail(to: string, method: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'A sign-in method was added', {
    preview: `${method} can now be used to sign in to your Tocsin account.`,
    paragraphs: [`${method} was linked to your Tocsin account and can now be used to sign in.`],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Review sign-in methods', url: `${publicUrl}/settings` },
    note: 'If it was not you, reset your password with “Forgot password” on the sign-in page. There you can also remove this sign-in method.',
  })
}

/**
 * @param method display name: "Google", "Wallet 0x…"
 * @param reason `removed` if the owner removed the method, `rejected` if a contract wallet no
 * longer accepts the signature that linked it
 */
export function signInMethodRemovedMail(
  to: string,
  method: string,
  at: Date,
  publicUrl: string,
  reason: 'removed' | 'rejected',
): Mail {
  return composeMail(to, 'A sign-in method was removed', {
    preview: `${method} can no longer be used to sign in to your Tocsin account.`,
    paragraphs: [
      reason === 'removed'
        ? `${method} was removed from your Tocsin account and can no longer be used to sign in. All other sessions of your account have ended.`
        : `${method} no longer accepts the signature that linked it, so it was removed from your Tocsin account and can no longer be used to sign in. Sessions opened with this signature have ended.`,
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Review sign-in methods', url: `${publicUrl}/settings` },
    note: 'If it was not you, reset your password with “Forgot password” on the sign-in page.',
  })
}

export function changeEmailMail(to: string, url: string): Mail {
  return composeMail(to, 'Verify your new email address', {
    preview: 'Open the link to use this address for your Tocsin account.',
    paragraphs: [
      'We received a request to use this address for a Tocsin account.',
      'Open the link to verify the address. It works once, within one hour. Until then, nothing changes.',
    ],
    action: { label: 'Use this address', url },
    note: 'If you did not request this, ignore this email. The address is not used unless the link is opened.',
  })
}

export function addressInUseMail(to: string, publicUrl: string): Mail {
  return composeMail(to, 'This address already has an account', {
    preview: 'We received a request to use your address for another Tocsin account.',
    paragraphs: [
      'We received a request to use this address for another Tocsin account. The address already has an account, so nothing was changed.',
      'If it was you, sign in with this address instead, or delete its account first.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, no action is needed. Your account was not accessed.',
  })
}

/**
 * Sent to the old address. Does not contain the new one, because the reader of the old mailbox may
 * no longer be the owner of the account.
 */
export function emailChangedMail(to: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'Your email address was changed', {
    preview: 'Your Tocsin account now uses another address.',
    paragraphs: [
      'Your Tocsin account now uses another email address. This one can no longer be used to sign in and receives no more email about the account.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Get help', url: `${publicUrl}/contact-support` },
    note: 'If it was not you, your account may be compromised: contact us immediately.',
  })
}

/**
 * @param signIn `device` is built from known names, never the raw user agent; `method` is fixed
 *   text of the server: "password and passkey"
 */
export function newDeviceMail(
  to: string,
  { device, method, place, at }: { device: string; method: string; place: string | null; at: Date },
  publicUrl: string,
): Mail {
  return composeMail(to, 'New sign-in to your account', {
    preview: `${device}, ${formatTime(at)}`,
    paragraphs: ['There was a sign-in to your Tocsin account from a browser that was not used for it before.'],
    facts: [
      { label: 'Device', value: device },
      { label: 'Signed in with', value: method },
      ...(place === null ? [] : [{ label: 'Place', value: place }]),
      { label: 'Time', value: formatTime(at) },
    ],
    action: { label: 'Review your sessions', url: `${publicUrl}/settings` },
    note: 'If it was not you, end that session in Settings, and then change your password. This ends all other sessions.',
  })
}

export function failedSignInsMail(to: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'Failed sign-in attempts on your account', {
    preview: 'Wrong passwords were entered for your Tocsin account. No attempt succeeded.',
    paragraphs: [
      'Several wrong passwords were entered for your Tocsin account within an hour. No attempt succeeded.',
      'Further attempts are delayed for increasing times. You can still sign in at any time from a browser that you have signed in with before.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Choose a new password', url: `${publicUrl}/auth?mode=forgot-password` },
    note: 'If your password is long and used nowhere else, no action is needed. We send at most one such email a day.',
  })
}

interface RoleChange {
  from: Role
  to: Role
  at: Date
}

const roleNames: Record<Role, string> = {
  user: 'regular user',
  owner: 'owner',
  admin: 'admin',
  publisher: 'publisher (alerts only)',
  support: 'support (users only)',
  auditor: 'auditor (read-only)',
}

/** @param change `needsFactor` is true if the account needs a second factor to use its new role */
export function roleChangedMail(to: string, change: RoleChange & { needsFactor: boolean }, publicUrl: string): Mail {
  const credentials = change.needsFactor ? 'a second factor and a password' : 'a password'
  const staff =
    `Staff need ${credentials} of at least 12 characters. If yours is shorter, choose a new one. API keys, shared links and the private feed were revoked` +
    (change.from === 'user'
      ? ', and second factors that were added before the change were removed.'
      : '. Your second factors stay.')
  return composeMail(to, 'Your role was changed', {
    preview: 'You were signed out. Sign in again to use your new role.',
    paragraphs: [
      'An owner changed the role of your Tocsin account, and all your sessions were ended. Sign in again to continue.',
      ...(change.to === 'user' ? [] : [staff]),
    ],
    facts: [
      { label: 'Former role', value: roleNames[change.from] },
      { label: 'New role', value: roleNames[change.to] },
      { label: 'Time', value: formatTime(change.at) },
    ],
    ...(change.to === 'user'
      ? {}
      : { action: { label: 'Choose a new password', url: `${publicUrl}/auth?mode=forgot-password` } }),
    note: 'If you did not expect this, contact the operator of this site.',
  })
}

/** Sent to the owners. Does not contain the account's name, because that is user input. */
export function roleChangeNoticeMail(
  to: string,
  { accountId, from, to: role, at }: RoleChange & { accountId: string },
  publicUrl: string,
): Mail {
  return composeMail(to, 'The role of an account was changed', {
    preview: `An account has the role ${role} now.`,
    paragraphs: ['An owner changed the role of an account.'],
    facts: [
      { label: 'Account', value: accountId },
      { label: 'Former role', value: roleNames[from] },
      { label: 'New role', value: roleNames[role] },
      { label: 'Time', value: formatTime(at) },
    ],
    action: { label: 'Open the account', url: `${publicUrl}/admin?tab=users&user=${accountId}` },
    note: 'If no owner did this, an owner’s account may be compromised: change its password and end its sessions.',
  })
}

/** Does not contain the key's name, because that is user input. */
export function apiKeyCreatedMail(
  to: string,
  { prefix, scopes, at, expiresAt }: { prefix: string; scopes: string; at: Date; expiresAt: Date | null },
  publicUrl: string,
): Mail {
  return composeMail(to, 'An API key was created', {
    preview: 'A program can now use your Tocsin account with this key.',
    paragraphs: ['An API key was created for your Tocsin account. A program that has it reads alerts in your name.'],
    facts: [
      { label: 'Key', value: `${prefix}…` },
      { label: 'Allows', value: scopes },
      { label: 'Created', value: formatTime(at) },
      { label: 'Expires', value: expiresAt === null ? 'Never' : formatTime(expiresAt) },
    ],
    action: { label: 'Review API keys', url: `${publicUrl}/settings` },
    note: 'If it was not you, revoke the key in Settings, and then change your password. This ends all other sessions.',
  })
}

/** Does not contain the destination's name, because that is user input. */
export function channelFailingMail(to: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'Your alerts do not arrive at a destination', {
    preview: 'A destination of your Tocsin account no longer accepts messages.',
    paragraphs: [
      'A destination of your Tocsin account no longer accepts messages, so no alerts are sent to it.',
      'Its delivery ledger shows its responses and the alerts that it missed. If it works again within a few hours, sending resumes by itself.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Review destinations', url: `${publicUrl}/settings/channels` },
    note: 'The alerts themselves are complete on the dashboard.',
  })
}

export function accountDeletedMail(to: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'Your account was deleted', {
    preview: 'Your Tocsin account and its data were deleted.',
    paragraphs: [
      'Your Tocsin account was deleted with your name, your address, your wallets and your history. Signing in to it is no longer possible.',
      'Alerts stay in the public log permanently; they contain no data about you. Payments stay on the chain.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    note: `If it was not you, contact us at ${publicUrl}/contact-support. You can sign up again with this address at any time.`,
  })
}
